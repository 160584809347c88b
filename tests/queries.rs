//! `urltree sql`: streaming, formats, files, limits, interruption, and the statements that it
//! refuses.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::csv::ReaderBuilder;
use arrow::csv::reader::Format;
use arrow::datatypes::{Int64Type, Schema};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};
use tables::{Partitioning, Table};

use crate::support::{Finished, Job, Site, can_watch, files, signal, skip};

const SITE: Site = Site {
    host: "www.gazette.example",
};

fn job() -> Job {
    Job::of(&SITE.daily_articles(3))
}

/// A query whose rows have some 500 bytes each.
const ROWS: u64 = 700_000;

/// Writes rows of 340 MB to a file of this ending, with less memory. Returns the path.
fn long_result(job: &Job, ending: &str) -> Option<std::path::PathBuf> {
    if !can_watch() {
        skip("/proc");
        return None;
    }
    let query = format!(
        "SELECT value, repeat(concat(value, random()), 20) AS text FROM generate_series(1, {ROWS})"
    );
    let path = job.path(&format!("rows.{ending}"));
    let output = path.display().to_string();
    let run = job.watched_command("sql", &["--output", &output, &query]);
    assert_eq!(run.finished.code, Some(0), "{}", run.finished.stderr);
    assert!(run.peak_bytes < 256_000_000, "{} bytes", run.peak_bytes);
    Some(path)
}

fn lines(path: &Path) -> (u64, u64) {
    let file = BufReader::new(File::open(path).expect("a file"));
    file.lines().fold((0, 0), |(lines, bytes), line| {
        (lines + 1, bytes + line.expect("UTF-8").len() as u64)
    })
}

#[test]
fn a_long_result_as_csv_needs_little_memory() {
    let job = job();
    let Some(path) = long_result(&job, "csv") else {
        return;
    };
    let (lines, bytes) = lines(&path);
    assert_eq!(lines, ROWS + 1);
    assert!(bytes > 300_000_000, "{bytes} bytes");
}

#[test]
fn a_long_result_as_json_lines_needs_little_memory() {
    let job = job();
    let Some(path) = long_result(&job, "jsonl") else {
        return;
    };
    let (lines, bytes) = lines(&path);
    assert_eq!(lines, ROWS);
    assert!(bytes > 300_000_000, "{bytes} bytes");
}

#[test]
fn a_long_result_as_parquet_needs_little_memory() {
    let job = job();
    let Some(path) = long_result(&job, "parquet") else {
        return;
    };
    let file = ParquetRecordBatchReaderBuilder::try_new(File::open(path).expect("a file"));
    let file = file.expect("Parquet");
    let metadata = file.metadata();
    assert_eq!(metadata.file_metadata().num_rows(), ROWS as i64);
    let text = metadata.row_groups().iter().map(|group| {
        let column = group.column(1);
        let bytes = column.unencoded_byte_array_data_bytes();
        bytes.expect("the size of the texts")
    });
    let text: i64 = text.sum();
    assert!(text > 300_000_000, "{text} bytes");
}

#[test]
fn rows_arrive_before_the_query_ends() {
    let job = job();
    for format in ["csv", "json"] {
        let mut child = job.start("sql", &["--format", format, ENDLESS], None);
        let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut line = String::new();
        while !line.contains("5000") {
            line.clear();
            let bytes = out.read_line(&mut line).expect("UTF-8");
            assert!(bytes > 0, "{format}: the rows end");
        }
        child.kill().expect("a child to kill");
        child.wait().expect("a child to wait for");
    }
}

const ENDLESS: &str = "SELECT value FROM generate_series(1, 1000000000000)";

/// Rows with every character that a format escapes, with nulls and with lists.
const AWKWARD: &str = "\
    SELECT 1 AS number, 'a \"quoted\", word' AS text, ['x', NULL] AS list, DATE '2011-10-24' AS day \
    UNION ALL SELECT 2, 'two\nlines; back\\slash\tand tab', [], NULL \
    UNION ALL SELECT 3, NULL, NULL, DATE '1969-12-31' \
    UNION ALL SELECT 4, '', ['é', '0'], DATE '2011-10-25' ORDER BY number";

fn write_file(job: &Job, name: &str, arguments: &[&str], query: &str) -> std::path::PathBuf {
    let path = job.path(name);
    let output = path.display().to_string();
    let arguments = [&["--output", &output], arguments, &[query]].concat();
    let finished = job.command("sql", &arguments);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.stdout, "", "{name}");
    path
}

fn json_lines(text: &str) -> Vec<Value> {
    let row = |line| serde_json::from_str(line).expect("a JSON object per line");
    text.lines().map(row).collect()
}

fn awkward_rows() -> Vec<Value> {
    vec![
        json!({"number": 1, "text": "a \"quoted\", word", "list": ["x", null], "day": "2011-10-24"}),
        json!({"number": 2, "text": "two\nlines; back\\slash\tand tab", "list": []}),
        json!({"number": 3, "day": "1969-12-31"}),
        json!({"number": 4, "text": "", "list": ["é", "0"], "day": "2011-10-25"}),
    ]
}

#[test]
fn json_lines_read_back_as_the_rows() {
    let job = job();
    assert_eq!(json_lines(&job.sql("json", AWKWARD)), awkward_rows());
    for name in ["rows.json", "rows.jsonl", "rows.ndjson"] {
        let path = write_file(&job, name, &[], AWKWARD);
        let text = std::fs::read_to_string(path).expect("a file");
        assert_eq!(json_lines(&text), awkward_rows(), "{name}");
    }
}

#[test]
fn csv_reads_back_as_the_rows() {
    let job = job();
    let path = write_file(&job, "rows.csv", &[], AWKWARD);
    assert_eq!(
        std::fs::read_to_string(&path).expect("a file"),
        job.sql("csv", AWKWARD)
    );
    let format = Format::default().with_header(true);
    let file = File::open(&path).expect("a file");
    let (schema, rows) = format.infer_schema(&file, None).expect("CSV");
    assert_eq!(rows, 4);
    let file = File::open(&path).expect("a file");
    let reader = ReaderBuilder::new(Arc::new(schema)).with_format(format);
    let reader = reader.build(file).expect("CSV");
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.expect("rows")).collect();
    let rows = &batches[0];
    let names = ["number", "text", "list", "day"];
    assert_eq!(column_names(&rows.schema()), names);
    assert_eq!(rows.column(0).as_primitive::<Int64Type>().value(3), 4);
    let texts = rows.column(1).as_string::<i32>();
    assert_eq!(texts.value(0), "a \"quoted\", word");
    assert_eq!(texts.value(1), "two\nlines; back\\slash\tand tab");
    assert_eq!(rows.column(2).as_string::<i32>().value(3), "[é, 0]");
}

fn column_names(schema: &Schema) -> Vec<&str> {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    names.collect()
}

#[test]
fn parquet_reads_back_as_the_rows() {
    let job = job();
    let path = write_file(&job, "rows.parquet", &[], AWKWARD);
    let file = File::open(path).expect("a file");
    let file = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    let rows: Vec<RecordBatch> = (file.build().expect("Parquet"))
        .map(|batch| batch.expect("rows"))
        .collect();
    let mut writer = arrow::json::LineDelimitedWriter::new(Vec::new());
    for batch in &rows {
        writer.write(batch).expect("rows");
    }
    writer.finish().expect("rows");
    let text = String::from_utf8(writer.into_inner()).expect("UTF-8");
    assert_eq!(json_lines(&text), awkward_rows());
}

#[test]
fn a_result_without_rows_has_its_columns() {
    let job = job();
    let query = "SELECT 1 AS number, 'a' AS text WHERE false";
    assert_eq!(job.sql("csv", query), "number,text\n");
    assert_eq!(job.sql("json", query), "");
    assert!(job.sql("table", query).contains("| number | text |"));
    let path = write_file(&job, "rows.parquet", &[], query);
    let file = File::open(path).expect("a file");
    let file = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    assert_eq!(column_names(file.schema()), ["number", "text"]);
}

#[test]
fn the_columns_of_a_table_are_in_the_order_of_its_schema() {
    let job = job();
    job.backfill("2011-10-01..2011-10-31");
    for table in [Table::Documents, Table::UrlKeys] {
        let header = job.sql("csv", &format!("SELECT * FROM {} LIMIT 1", table.name()));
        let schema = table.schema(Partitioning::Day);
        let first = header.lines().next();
        assert_eq!(first, Some(&*column_names(&schema).join(",")));
    }
    let rows = job.sql(
        "csv",
        "SELECT domain, date, domain AS again FROM url_keys ORDER BY date LIMIT 1",
    );
    let (domain, date) = ("gazette.example", "2011-10-01");
    assert_eq!(
        rows.lines().nth(1),
        Some(&*format!("{domain},{date},{domain}"))
    );
}

#[test]
fn the_format_overrides_the_ending() {
    let job = job();
    let path = write_file(&job, "rows.parquet", &["--format", "csv"], "SELECT 1 AS a");
    assert_eq!(std::fs::read_to_string(path).expect("a file"), "a\n1\n");
}

#[test]
fn only_queries_are_run() {
    let job = job();
    job.backfill("2011-10-01..2011-10-31");
    let before = files(job.path("").as_path());
    let output = job.path("copy.csv").display().to_string();
    for (sql, statement) in [
        (format!("COPY (SELECT 1) TO '{output}'"), "COPY"),
        (format!("COPY documents TO '{output}'"), "COPY"),
        (
            "INSERT INTO documents SELECT * FROM documents".to_owned(),
            "Insert",
        ),
        ("DELETE FROM documents".to_owned(), "Delete"),
        ("UPDATE documents SET text = ''".to_owned(), "Update"),
        ("CREATE TABLE copied AS SELECT 1".to_owned(), "Create"),
        (
            "CREATE VIEW seen AS SELECT * FROM runs".to_owned(),
            "Create",
        ),
        (
            format!("CREATE EXTERNAL TABLE other STORED AS CSV LOCATION '{output}'"),
            "Create",
        ),
        ("DROP TABLE documents".to_owned(), "Drop"),
        (
            "EXPLAIN ANALYZE INSERT INTO documents SELECT * FROM documents".to_owned(),
            "Insert",
        ),
        ("SET datafusion.execution.batch_size = 1".to_owned(), "Set"),
    ] {
        let finished = job.command("sql", &[&sql]);
        assert_eq!(finished.code, Some(2), "{sql}: {finished:?}");
        assert_eq!(finished.stdout, "", "{sql}");
        let said = &finished.stderr;
        assert!(
            said.starts_with("error: the statement is not a query"),
            "{sql}: {said}"
        );
        assert!(
            said.contains(statement) && said.contains("--output"),
            "{sql}: {said}"
        );
    }
    let two = job.command("sql", &["SELECT 1; DROP TABLE documents"]);
    assert_eq!(two.code, Some(2), "{two:?}");
    assert_eq!(files(job.path("").as_path()), before);

    for sql in [
        "EXPLAIN SELECT * FROM runs",
        "DESCRIBE runs",
        "VALUES (1)",
        "WITH a AS (SELECT 1) SELECT * FROM a",
    ] {
        let finished = job.command("sql", &[sql]);
        assert_eq!(finished.code, Some(0), "{sql}: {}", finished.stderr);
    }
}

#[test]
fn ctrl_c_stops_a_query_whose_rows_nobody_reads() {
    let job = job();
    let mut child = job.start("sql", &["--format", "csv", ENDLESS], None);
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 1000]).expect("rows");
    signal(&child, "INT");
    // The pipe stays full, and its reader stays.
    let status = child.wait().expect("a child to wait for");
    assert_eq!(status.code(), Some(130));
    let mut said = String::new();
    let mut stderr = child.stderr.take().expect("a pipe");
    stderr.read_to_string(&mut said).expect("UTF-8");
    assert_eq!(said, "error: interrupted\n");
}

#[test]
fn ctrl_c_stops_a_query_that_has_no_row_yet() {
    let job = job();
    let counting = format!("SELECT count(DISTINCT value % 7) FROM ({ENDLESS})");
    let mut child = job.start("sql", &["--format", "csv", &counting], None);
    // The header comes first.
    let mut out = child.stdout.take().expect("a pipe");
    out.read_exact(&mut [0; 5]).expect("a header");
    signal(&child, "TERM");
    let finished = Finished::wait(child);
    assert_eq!(finished.code, Some(130), "{finished:?}");
}

#[test]
fn a_file_is_whole_or_as_it_was() {
    let job = job();
    let path = write_file(&job, "rows.csv", &[], "SELECT 1 AS a");
    let output = path.display().to_string();
    let child = job.start("sql", &["--output", &output, ENDLESS], None);
    let partial = job.path("rows.csv.partial");
    while partial.metadata().map_or(0, |file| file.len()) == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, "INT");
    let interrupted = Finished::wait(child);
    assert_eq!(interrupted.code, Some(130), "{interrupted:?}");

    let failing = "SELECT 1 / (5000 - value) AS a FROM generate_series(1, 10000)";
    let failed = job.command("sql", &["--output", &output, failing]);
    assert_eq!(failed.code, Some(2), "{failed:?}");
    assert!(failed.stderr.contains("zero"), "{failed:?}");

    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "a\n1\n");
    assert!(!partial.exists());
    write_file(&job, "rows.csv", &[], "SELECT 2 AS a");
    assert_eq!(std::fs::read_to_string(&path).expect("a file"), "a\n2\n");
}

#[test]
fn a_closed_pipe_ends_a_query_quietly() {
    let job = job();
    for format in ["csv", "json"] {
        let mut child = job.start("sql", &["--format", format, ENDLESS], None);
        let mut out = child.stdout.take().expect("a pipe");
        out.read_exact(&mut [0; 1000]).expect("rows");
        drop(out);
        let finished = Finished::wait(child);
        assert_eq!(finished.code, Some(0), "{format}: {finished:?}");
        assert_eq!(finished.stderr, "", "{format}");
    }
}

#[test]
fn a_full_disk_is_a_storage_error() {
    if !Path::new("/dev/full").exists() {
        return skip("/dev/full");
    }
    let job = job();
    for format in ["table", "csv", "json"] {
        let full = File::create("/dev/full").expect("/dev/full");
        let finished = job.command_into("sql", &["--format", format, "SELECT 1 AS a"], full);
        assert_eq!(finished.code, Some(4), "{format}: {finished:?}");
        assert!(
            finished.stderr.contains("cannot write the rows"),
            "{finished:?}"
        );
    }
    let output = job.path("nowhere/rows.csv").display().to_string();
    let finished = job.command("sql", &["--output", &output, "SELECT 1"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains("nowhere/rows.csv"), "{finished:?}");
}

#[test]
fn a_query_spills_to_the_folder_of_the_job() {
    let folder = tempfile::tempdir().expect("a folder");
    let query = "SELECT repeat(concat(random(), value), 20) AS text \
                 FROM generate_series(1, 200000) ORDER BY text";
    let spill_dir = format!("run.spill_dir={}", folder.path().display());
    let job = job().with("run.memory_limit=32MB").with(&spill_dir);
    let sorted = job.sql("csv", query);
    assert_eq!(sorted.lines().count(), 200_001);
    let lines: Vec<&str> = sorted.lines().skip(1).collect();
    assert!(lines.is_sorted());

    let job = job.with("run.spill_limit=1MB");
    let refused = job.command("sql", &["--format", "csv", query]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert!(
        refused.stderr.contains("run.spill_limit"),
        "{}",
        refused.stderr
    );
    let files = || folder.path().read_dir().expect("a folder").count();
    assert_eq!(files(), 0);

    let job = job.with("run.spill_limit=1GB");
    let endless = format!("SELECT concat(random(), value) AS text FROM ({ENDLESS}) ORDER BY text");
    let child = job.start("sql", &["--format", "csv", &endless], None);
    while files() == 0 {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    signal(&child, "INT");
    let interrupted = Finished::wait(child);
    assert_eq!(interrupted.code, Some(130), "{interrupted:?}");
    assert_eq!(files(), 0);
}

const SERIES: &str = "SELECT value FROM generate_series(1, 1500)";

#[test]
fn a_table_on_a_terminal_is_cut_with_a_note() {
    let job = job();
    let shown = |arguments: &[&str]| {
        let finished = job.command_on_terminal("sql", arguments)?;
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        // A table has three lines of border and a header.
        Some((finished.stdout.lines().count() - 4, finished.stderr))
    };
    let Some((rows, said)) = shown(&[SERIES]) else {
        return skip("script");
    };
    assert_eq!(rows, 1000);
    assert!(said.starts_with("note: only the first 1000 rows"), "{said}");
    assert!(
        said.contains("--limit") && said.contains("--output"),
        "{said}"
    );
    for (arguments, expected) in [
        (&["--limit", "1200", SERIES][..], 1200),
        (&["--limit", "3", SERIES], 3),
        (&["SELECT value FROM generate_series(1, 1000)"], 1000),
    ] {
        let (rows, said) = shown(arguments).expect("a terminal");
        assert_eq!((rows, said.as_str()), (expected, ""), "{arguments:?}");
    }
    let (rows, said) = shown(&["--quiet", SERIES]).expect("a terminal");
    assert_eq!((rows, said.as_str()), (1000, ""));
    let csv = job.command_on_terminal("sql", &["--format", "csv", SERIES]);
    assert_eq!(csv.expect("a terminal").stdout.lines().count(), 1501);
}

#[test]
fn a_table_in_a_pipe_is_whole_or_refused() {
    let job = job();
    assert_eq!(job.sql("table", SERIES).lines().count(), 1504);
    let long = "SELECT value FROM generate_series(1, 100001)";
    let refused = job.command("sql", &[long]);
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(refused.stdout, "");
    assert!(
        refused.stderr.contains("--format csv"),
        "{}",
        refused.stderr
    );
}

#[test]
fn limit_ends_the_query() {
    let job = job();
    for (limit, lines) in [("0", 1), ("7", 8)] {
        let finished = job.command("sql", &["--format", "csv", "--limit", limit, ENDLESS]);
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
        assert_eq!(finished.stdout.lines().count(), lines);
    }
}

#[test]
fn outputs_that_cannot_be_written_are_refused() {
    let job = job();
    let folder = job.path("archive").display().to_string();
    for (arguments, said) in [
        (&["--format", "parquet"][..], "--output FILE"),
        (&["--output", "rows"], "--format"),
        (&["--output", "rows.txt"], ".parquet"),
        (&["--output", "s3://bucket/rows.csv"], "on this machine"),
        (
            &["--format", "csv", "--output", &folder],
            "not a regular file",
        ),
        (
            &["--format", "csv", "--output", "/dev/null"],
            "not a regular file",
        ),
    ] {
        let finished = job.command("sql", &[arguments, &["SELECT 1"]].concat());
        assert_eq!(finished.code, Some(2), "{arguments:?}: {finished:?}");
        assert!(
            finished.stderr.contains(said),
            "{arguments:?}: {finished:?}"
        );
    }
}
