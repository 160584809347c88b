//! Damaged and unusual files. Readable rows are processed; unreadable ones are quarantined
//! with object, row group and row. A file with wrong columns stops the run before it
//! writes anything.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Int64Array, RecordBatch};
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::{Value, json};

use crate::support::{
    Job, Row, Site, assert_same, batch, changed, contents, contents_anywhere, text, write,
    write_batch, write_groups,
};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const OTHER: Site = Site {
    host: "www.courier.example",
};
const DATES: &str = "2011-10-01..2011-10-31";

/// A job over two sites, one in `a.parquet`, the other in `b.parquet`.
fn two_files() -> Job {
    let job = Job::new();
    write(&job.archive("a.parquet"), &SITE.daily_articles(12));
    write(&job.archive("b.parquet"), &OTHER.daily_articles(12));
    job
}

fn documents_of(job: &Job, site: Site) -> Vec<String> {
    let mut lines = job.lines(&format!(
        "SELECT * FROM documents WHERE url LIKE 'http://{}/%'",
        site.host
    ));
    lines.sort_unstable();
    lines
}

#[test]
fn a_truncated_file_is_refused_and_can_be_quarantined() {
    let whole = two_files();
    whole.backfill(DATES);
    let expected = documents_of(&whole, SITE);
    assert_eq!(expected.len(), 12);

    for kept in [0, 3, 50] {
        let job = two_files();
        let path = job.archive("b.parquet");
        let bytes = std::fs::read(&path).expect("the file is there");
        let cut = &bytes[..bytes.len() * kept / 100];
        std::fs::write(&path, cut).expect("the file can be cut");

        for words in [&["backfill", "--dates", DATES][..], &["update"]] {
            let refused = job.command(words[0], &words[1..]);
            assert_eq!(refused.code, Some(3), "{}", refused.stderr);
            assert!(refused.stderr.contains("b.parquet"), "{}", refused.stderr);
        }
        let finished = job.backfill_with_losses(DATES);
        assert!(finished.stderr.contains("b.parquet"), "{}", finished.stderr);
        let named = job.row("SELECT * EXCEPT (detail) FROM quarantine");
        let expected_row = json!({
            "date": "2011-10-01",
            "source": "b.parquet",
            "reason": "unreadable_object",
            "bytes": cut.len(),
        });
        assert_eq!(named, expected_row);
        let run = job.row(
            "SELECT sum(archive_rows) AS rows, sum(unreadable_objects) AS unreadable FROM runs",
        );
        assert_eq!(run, json!({"rows": 12, "unreadable": 1}));
        assert_eq!(documents_of(&job, SITE), expected);
        assert_eq!(documents_of(&job, OTHER), Vec::<String>::new());
    }
}

/// Damages a column chunk: inverts the bytes in its middle.
pub(crate) fn damage(path: &Path, row_group: usize, column: &str) {
    let reader = SerializedFileReader::new(File::open(path).expect("the file is there"))
        .expect("the file is Parquet");
    let chunk = (reader.metadata().row_group(row_group).columns().iter())
        .find(|chunk| chunk.column_path().string() == column)
        .expect("the column is there");
    let start = usize::try_from(chunk.data_page_offset()).expect("an offset");
    let length = usize::try_from(chunk.compressed_size()).expect("a size");
    let mut bytes = std::fs::read(path).expect("the file is there");
    for byte in &mut bytes[start + length / 3..start + length * 2 / 3] {
        *byte = !*byte;
    }
    std::fs::write(path, bytes).expect("the file can be changed");
}

#[test]
fn only_rows_of_a_damaged_row_group_are_quarantined() {
    let daily = SITE.daily_articles(15);
    // The statistics of a row group have its date, so its times are not counted before.
    let on_one_date: Vec<Row> = (daily.iter())
        .map(|page| Row {
            fetched_at: daily[0].fetched_at,
            ..page.clone()
        })
        .collect();
    for (column, pages) in [
        ("html", &daily),
        ("url", &daily),
        ("fetched_at", &daily),
        ("url", &on_one_date),
        ("fetched_at", &on_one_date),
    ] {
        let job = Job::new();
        let path = job.archive("pages.parquet");
        write_groups(&path, pages, 5);
        damage(&path, 1, column);

        job.backfill(DATES);
        let named =
            job.rows("SELECT source, row_group, row, reason, detail FROM quarantine ORDER BY row");
        let rows: Vec<_> = named.iter().map(|row| row["row"].as_i64()).collect();
        assert_eq!(rows, (5..10).map(Some).collect::<Vec<_>>(), "{column}");
        for row in &named {
            assert_eq!(row["source"], "pages.parquet", "{column}: {row}");
            assert_eq!(row["row_group"], 1, "{column}: {row}");
            assert_eq!(row["reason"], "unreadable_row", "{column}: {row}");
            let detail = text(row, "detail");
            assert!(
                detail.starts_with("row group 1, from row 5: "),
                "{column}: {detail}"
            );
        }
        let kept = job.rows("SELECT row FROM url_keys WHERE status = 'unique' ORDER BY row");
        let kept: Vec<_> = kept.iter().map(|row| row["row"].as_i64()).collect();
        assert_eq!(
            kept,
            (0..5).chain(10..15).map(Some).collect::<Vec<_>>(),
            "{column}"
        );
    }
}

#[test]
fn pages_before_the_damage_in_a_row_group_are_kept() {
    let pages: Vec<Row> = SITE.daily_articles(300);
    let at = pages[0].fetched_at;
    // Large enough for many data pages, all on one date.
    let pages: Vec<Row> = (0..300)
        .zip(pages)
        .map(|(number, page)| {
            let filler = format!("<p>{}</p>", "word ".repeat(4000 + number));
            let html = page.html.map(|html| [html, filler.into_bytes()].concat());
            Row {
                fetched_at: at,
                html,
                ..page
            }
        })
        .collect();
    let job = Job::new();
    let path = job.archive("pages.parquet");
    write(&path, &pages);
    damage(&path, 0, "html");

    job.backfill("2011-10-01");
    let counts = job.row(
        "SELECT min(row) AS first, max(row) AS last, count(*) AS rows FROM quarantine \
         WHERE reason = 'unreadable_row'",
    );
    let first = counts["first"].as_i64().unwrap_or_default();
    assert!((1..299).contains(&first), "{counts}");
    assert_eq!(
        counts,
        json!({"first": first, "last": 299, "rows": 300 - first})
    );
    assert_eq!(
        job.row("SELECT count(*) AS rows, max(row) AS last FROM url_keys WHERE status = 'unique'"),
        json!({"rows": first, "last": first - 1})
    );
}

/// The batch with a column dropped (`None`) or replaced.
fn reshaped(rows: &[Row], column: &str, replacement: Option<ArrayRef>) -> RecordBatch {
    let good = batch(rows);
    let schema = good.schema();
    let columns = (schema.fields().iter().zip(good.columns())).filter_map(|(field, array)| {
        let name = field.name().as_str();
        let array = if name == column {
            replacement.clone()?
        } else {
            Arc::clone(array)
        };
        Some((name, array))
    });
    RecordBatch::try_from_iter(columns).expect("columns of one length")
}

#[test]
fn a_missing_or_mistyped_column_stops_the_run_before_writing() {
    let rows = OTHER.daily_articles(3);
    let numbers: ArrayRef = Arc::new(Int64Array::from(vec![1, 2, 3]));
    let truths: ArrayRef = Arc::new(BooleanArray::from(vec![true, false, true]));
    for (column, replacement, expected) in [
        ("html", None, "archive.columns.html"),
        ("fetched_at", None, "archive.columns.fetched_at"),
        (
            "html",
            Some(Arc::clone(&numbers)),
            "is Int64, expected binary",
        ),
        (
            "url",
            Some(Arc::clone(&numbers)),
            "is Int64, expected a string",
        ),
        (
            "fetched_at",
            Some(Arc::clone(&truths)),
            "expected a timestamp, a date, a string or a number; name another column in archive.columns.fetched_at",
        ),
        ("http_status", Some(truths), "expected a number or a string"),
    ] {
        let job = two_files();
        let shape = reshaped(&rows, column, replacement);
        write_batch(&job.archive("c.parquet"), &shape, 100);
        let error = job.refused(DATES, 3);
        assert!(error.contains("c.parquet"), "{error}");
        assert!(error.contains(&format!("`{column}`")), "{error}");
        assert!(error.contains(expected), "{error}");
        assert!(
            error.contains(&format!("archive.columns.{column}=COLUMN")),
            "{error}"
        );
        assert!(!job.has_tables(), "{column}: something was written");
    }
}

#[test]
fn an_archive_needs_at_least_one_url_column() {
    let rows = SITE.daily_articles(3);
    let without = reshaped(&rows, "url", None);
    let kept: Vec<usize> = (0..without.num_columns())
        .filter(|index| without.schema().field(*index).name() != "request_url")
        .collect();
    let job = Job::new();
    let path = job.archive("pages.parquet");
    write_batch(&path, &without.project(&kept).expect("columns"), 100);
    let error = job.refused(DATES, 3);
    assert!(
        error.contains("`url`") && error.contains("pages.parquet"),
        "{error}"
    );

    let requested: Vec<Row> = (rows.into_iter())
        .map(|row| Row {
            request_url: row.url.clone(),
            url: None,
            ..row
        })
        .collect();
    write_batch(&path, &reshaped(&requested, "url", None), 100);
    job.backfill(DATES);
    let stood_in = job.row("SELECT count(*) AS rows FROM url_keys WHERE url_from_request");
    assert_eq!(stood_in["rows"], 3);
}

#[test]
fn an_archive_without_parquet_files_is_refused() {
    let job = Job::new();
    for folder in ["archive", "nowhere"] {
        let job = Job::new().reading(Path::new(folder));
        let error = job.refused(DATES, 3);
        assert!(
            error.contains("archive.location") && error.contains(folder),
            "{error}"
        );
        assert!(!job.has_tables());
    }
    std::fs::write(job.archive("pages.csv"), "url,html\n").expect("a file of another kind");
    let error = job.refused(DATES, 3);
    assert!(error.contains("1 other"), "{error}");
}

#[test]
fn dates_without_rows_are_refused_with_those_of_the_archive() {
    let job = two_files();
    let refused = job.refused("2010-01-01..2010-01-03", 3);
    assert!(
        refused.contains("no rows on 2010-01-01..2010-01-03; it has 2011-10-01.."),
        "{refused}"
    );
    let (_, next) = refused
        .split_once("next: urltree ")
        .expect("a next command");
    let words = shlex::split(next.trim()).expect("words of a shell");
    let finished = job.type_in(&words);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);

    let finished = job.backfill_with_losses("2010-01-01..2010-01-03");
    assert!(
        finished.stderr.contains("no rows on these dates"),
        "{}",
        finished.stderr
    );
    let runs = job.row("SELECT count(*) AS dates FROM runs WHERE date < DATE '2011-01-01'");
    assert_eq!(runs, json!({"dates": 0}));
}

#[test]
fn a_file_without_rows_changes_nothing() {
    let job = two_files();
    write(&job.archive("c.parquet"), &[]);
    job.backfill(DATES);
    let expected = two_files();
    expected.backfill(DATES);
    assert_same(&contents(&expected), &contents(&job), "with an empty file");
}

#[test]
fn unsorted_rows_are_replayed_in_time_order() {
    let rows = SITE.daily_articles(24);
    let sorted = Job::of(&rows).with("output.write=blocks");
    sorted.backfill(DATES);
    let mut shuffled: Vec<Row> = rows.clone();
    shuffled.sort_by_key(|row| {
        row.fetched_at
            .map(|time| (time / 1_000_000 * 7919) % 100_003)
    });
    assert_ne!(
        shuffled
            .iter()
            .map(|row| row.fetched_at)
            .collect::<Vec<_>>(),
        rows.iter().map(|row| row.fetched_at).collect::<Vec<_>>()
    );
    let job = Job::new().with("output.write=blocks");
    write_groups(&job.archive("shuffled.parquet"), &shuffled, 5);
    job.backfill(DATES);
    assert_same(
        &contents_anywhere(&sorted),
        &contents_anywhere(&job),
        "out of order",
    );
}

#[test]
fn a_copied_file_gives_duplicates_that_name_the_first() {
    let job = Job::new();
    for file in ["a.parquet", "b.parquet"] {
        write(&job.archive(file), &SITE.daily_articles(12));
    }
    job.backfill(DATES);
    let duplicates = job.rows("SELECT source, row, status, merged_by, duplicate_of FROM url_keys WHERE status <> 'unique' ORDER BY row");
    let expected: Vec<Value> = (0..12)
        .map(|row| {
            json!({
                "source": "b.parquet",
                "row": row,
                "status": "duplicate",
                "merged_by": "identical_url",
                "duplicate_of": format!("a.parquet#{row}"),
            })
        })
        .collect();
    assert_eq!(duplicates, expected);

    let once = Job::of(&SITE.daily_articles(12));
    once.backfill(DATES);
    assert_eq!(documents_of(&once, SITE), documents_of(&job, SITE));
}

#[test]
fn columns_of_other_types_with_one_meaning_give_the_same_tables() {
    use arrow::datatypes::DataType::{
        Binary, FixedSizeBinary, Float64, Int64, LargeUtf8, Timestamp, UInt64, Utf8,
    };
    use arrow::datatypes::TimeUnit::{Microsecond, Millisecond, Second};

    // Pages of one length are a column of a fixed size.
    let mut rows = SITE.daily_articles(6);
    let lengths = rows.iter().flat_map(|row| &row.html).map(Vec::len);
    let longest = lengths.max().unwrap_or_default();
    for html in rows.iter_mut().flat_map(|row| &mut row.html) {
        html.resize(longest, b' ');
    }
    let expected = Job::of(&rows);
    expected.backfill(DATES);

    let good = batch(&rows);
    let size = i32::try_from(longest).expect("a short page");
    let cast = |array: &ArrayRef, to: &[arrow::datatypes::DataType]| {
        let cast = |array: ArrayRef, to| arrow::compute::cast(&array, to).expect("a cast");
        to.iter().fold(Arc::clone(array), cast)
    };
    let utc = || Some("UTC".into());
    for (what, time, text, status, html) in [
        (
            "64 bits",
            vec![Timestamp(Millisecond, None)],
            LargeUtf8,
            Int64,
            LargeUtf8,
        ),
        (
            "texts",
            vec![Timestamp(Microsecond, utc()), Utf8],
            Binary,
            Utf8,
            FixedSizeBinary(size),
        ),
        (
            "seconds",
            vec![Timestamp(Second, utc()), Int64],
            Utf8,
            Float64,
            Binary,
        ),
        (
            "microseconds",
            vec![Timestamp(Microsecond, None), Int64, UInt64],
            Binary,
            Int64,
            Binary,
        ),
    ] {
        let other = changed(&good, |name, array| {
            let array = match name {
                "fetched_at" => cast(array, &time),
                "http_status" => cast(array, std::slice::from_ref(&status)),
                "html" => cast(array, std::slice::from_ref(&html)),
                _ => cast(array, std::slice::from_ref(&text)),
            };
            (name, array)
        });
        let job = Job::new();
        write_batch(&job.archive("pages.parquet"), &other, 100);
        job.backfill(DATES);
        assert_same(&contents(&expected), &contents(&job), what);
    }
}
