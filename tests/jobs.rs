//! Jobs: the job file of the repository, the output of `backfill` and `sql`, the plan,
//! and the tables.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::AsArray;
use arrow::datatypes::TimestampMicrosecondType;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::{Value, json};

use crate::support::{Job, Row, Site, assert_same, contents, text, write};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-31";

#[test]
fn the_bundled_job_file_equals_the_defaults() {
    let job = Job::of(&SITE.daily_articles(3)).of_the_repository("jobs/backfill.toml");
    let archive = job.path("archive");
    let job = job.reading(&archive);
    job.run(DATES);
    assert_eq!(
        job.sql("json", "SELECT count(*) AS pages FROM documents"),
        "{\"pages\":3}\n"
    );

    // The file spells out the defaults.
    let defaults = Job::of(&SITE.daily_articles(3));
    defaults.backfill(DATES);
    assert_same(&contents(&defaults), &contents(&job), "jobs/backfill.toml");
}

#[test]
fn a_run_prints_a_table_of_its_counts() {
    let mut rows = SITE.daily_articles(4);
    rows.push(SITE.article(0, "2011-10-09T12:00:00"));
    rows.push(Row {
        html: None,
        ..SITE.article(9, "2011-10-09T13:00:00")
    });
    let job = Job::of(&rows);
    let printed = job.backfill(DATES).stdout;
    let figures: Vec<(String, String)> = printed
        .lines()
        .filter_map(|line| line.trim().rsplit_once(' '))
        .map(|(name, figure)| (name.trim().to_owned(), figure.to_owned()))
        .collect();
    for (name, figure) in [
        ("pages", "6"),
        ("unique", "4"),
        ("duplicates", "1"),
        ("identical_url", "1"),
        ("quarantined", "1"),
        ("missing_html", "1"),
        ("chunks", "1"),
    ] {
        let expected = (name.to_owned(), figure.to_owned());
        assert!(figures.contains(&expected), "{name} in\n{printed}");
    }
    for name in ["text MB", "seconds"] {
        assert!(
            figures.iter().any(|(found, _)| found == name),
            "{name} in\n{printed}"
        );
    }
}

#[test]
fn a_query_prints_as_table_csv_or_json() {
    let job = Job::of(&SITE.daily_articles(2));
    job.backfill(DATES);
    let sql = "SELECT date, warnings, title, 1.5 AS half FROM documents ORDER BY date";
    let title = text(&job.rows(sql)[0], "title");

    let table = job.sql("table", sql);
    assert!(
        table.starts_with("+--") && table.contains("| date "),
        "{table}"
    );
    assert!(
        table.contains(&format!("| {title} |")) || table.contains(&title),
        "{table}"
    );

    let csv = job.sql("csv", sql);
    let lines: Vec<_> = csv.lines().collect();
    assert_eq!(lines.len(), 3, "{csv}");
    assert_eq!(lines[0], "date,warnings,title,half");
    assert_eq!(lines[1], format!("2011-10-01,[],{title},1.5"));

    let first = &job.rows(sql)[0];
    let expected = json!({"date": "2011-10-01", "warnings": [], "title": title, "half": 1.5});
    assert_eq!(*first, expected);

    let empty = "SELECT url FROM documents WHERE false";
    assert_eq!(job.sql("csv", empty).trim(), "url");
    assert_eq!(job.sql("json", empty).trim(), "");
    assert!(job.sql("table", empty).contains("| url |"));
}

#[test]
fn archive_and_tables_can_be_queried_independently() {
    let job = Job::of(&SITE.daily_articles(5));
    let pages = "SELECT count(*) AS pages, count(html) AS with_html FROM archive";
    assert_eq!(job.row(pages), json!({"pages": 5, "with_html": 5}));
    job.backfill(DATES);
    for joined in [
        "SELECT count(*) AS pages FROM archive JOIN documents USING (url)",
        "SELECT COUNT(*) AS Pages FROM Archive JOIN Documents USING (URL)",
    ] {
        assert_eq!(job.row(joined), json!({"pages": 5}));
    }

    std::fs::remove_dir_all(job.path("archive")).expect("the archive is there");
    assert_eq!(
        job.row("SELECT count(*) AS pages FROM documents"),
        json!({"pages": 5})
    );
}

#[test]
fn explain_prints_the_plan_without_running_it() {
    let job = Job::of(&SITE.daily_articles(5));
    let plan = job.command("backfill", &["--dates", DATES, "--plan"]);
    assert_eq!(plan.code, Some(0), "{}", plan.stderr);
    for step in ["Scan", "Key", "Dedupe", "Block", "Site", "Write"] {
        assert!(plan.stdout.contains(step), "{step} in\n{}", plan.stdout);
    }
    // Sorts read large batches: see `plan/exec/coalesce.rs`.
    let lines: Vec<&str> = plan.stdout.lines().map(str::trim).collect();
    let sorts = (lines.windows(2)).filter(|lines| lines[0].starts_with("SortExec"));
    let gathered: Vec<bool> = sorts
        .map(|lines| lines[1].starts_with("CoalesceExec"))
        .collect();
    assert!(gathered.len() >= 3, "{}", plan.stdout);
    assert!(!gathered.contains(&false), "{}", plan.stdout);
    assert!(!job.has_tables());
}

#[test]
fn explain_analyze_runs_the_job_and_prints_what_its_operators_did() {
    let job = Job::of(&SITE.daily_articles(5));
    let run = job.command("backfill", &["--dates", DATES, "--analyze"]);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(
        run.stdout.contains(&format!("plan of {DATES}:")),
        "{}",
        run.stdout
    );
    for step in ["Scan", "Key", "Dedupe", "Block", "Site", "Write"] {
        let mut lines = run.stdout.lines().map(str::trim);
        let line = lines.find(|line| line.starts_with(&format!("{step}Exec")));
        let line = line.unwrap_or_else(|| panic!("{step} in\n{}", run.stdout));
        for metric in ["output_rows=", "elapsed_compute="] {
            assert!(line.contains(metric), "{metric} in {line}");
        }
    }
    assert!(job.has_tables());
}

/// Joins must build on the chunk's keys. A join that built on the rows of earlier dates
/// failed a run of 10^7 pages at 1 GiB.
#[test]
fn prior_state_is_probed_against_the_chunk_keys() {
    let first = SITE.article(0, "2012-01-01T00:00:00");
    // The first date is so small that the optimizer would prefer it as the build side.
    let more = (1..500).map(|number| SITE.article(number, "2012-01-02T00:00:00"));
    let job = Job::of(&[first].into_iter().chain(more).collect::<Vec<_>>());
    job.backfill("2012-01-01");
    let plan = job.command("backfill", &["--dates", "2012-01-02", "--plan"]);
    let joins = plan.stdout.lines().filter(|line| line.contains("HashJoin"));
    // A right semi-join builds on its left side and streams the matching rows of its right
    // side.
    let semi: Vec<bool> = joins.map(|join| join.contains("=RightSemi")).collect();
    assert!(semi.len() >= 3, "{}", plan.stdout);
    assert!(!semi.contains(&false), "{}", plan.stdout);
}

/// Pages of one site on one day, with `lines` paragraphs each.
fn day_of(pages: u64, lines: u64) -> Vec<Row> {
    // Block hashes ignore digits, so numbers are written in letters.
    let words = |line: u64| {
        let word = |digit: char| char::from(b'a' + digit as u8 - b'0');
        line.to_string().chars().map(word).collect::<String>()
    };
    let page = |number: u64| {
        let lines: String = (0..lines)
            .map(|line| format!("<p>Line {} of it.</p>", words(1_000 * number + line)))
            .collect();
        let html = format!(
            "<body><ul class=menu><li>News</ul><article>{lines}</article>\
             <div class=comments><p>Remark {}.</div>",
            words(number)
        );
        Row::page("2012-01-01T12:00:00", SITE.url(number), html)
    };
    (0..pages).map(page).collect()
}

/// 138,000 blocks exceed two limits: the blocks outlined ahead of the replay, and the
/// outlines kept until the pages are labelled.
#[test]
fn the_template_learns_every_page_of_a_large_day() {
    let job = Job::of(&day_of(460, 300));
    job.backfill("2012-01-01");
    // By repetition alone a remark would be content, because no other page has it.
    let told = "SELECT count(*) AS pages, min(regexp_count(text, 'Line')) AS lines, \
                sum(regexp_count(text, 'News|Remark')) AS more FROM documents";
    let expected = json!({"pages": 460, "lines": 300, "more": 0});
    assert_eq!(job.row(told), expected);
    let learned =
        "SELECT count(*) AS pages FROM window_entries WHERE length(encode(template, 'hex')) > 9";
    assert_eq!(job.row(learned), json!({"pages": 460}));
}

/// Pages are queued until the last page of their batch, in memory or spilled to disk.
#[test]
fn a_day_larger_than_memory_spills_to_disk() {
    let mut job = Job::of(&day_of(3_000, 30)).with("run.threads=1");
    let mut waited_on_disk = |memory: &str| {
        job.set(&format!("run.memory_limit={memory}"));
        let run = job.command("backfill", &["--dates", "2012-01-01", "--format", "json"]);
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        let report: Value = serde_json::from_str(&run.stdout).expect("a report in JSON");
        let bytes = &report["operators"]["Site"]["spilled_bytes"];
        (contents(&job), bytes.as_u64().expect("a number of bytes"))
    };
    let (tables, on_disk) = waited_on_disk("1GiB");
    assert_eq!(on_disk, 0);
    let (same, on_disk) = waited_on_disk("8MiB");
    assert!(on_disk > 1_000_000, "{on_disk}");
    assert_same(&tables, &same, "pages that waited on disk");
}

/// The data files of a table.
fn data_files(job: &Job, table: &str) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(job.path("tables").join(table)).expect("the table is there");
    let files = folders
        .flat_map(|folder| std::fs::read_dir(folder.expect("a folder").path()).expect("a folder"));
    let files = files.map(|file| file.expect("a file").path());
    files
        .filter(|path| path.extension().is_some_and(|kind| kind == "parquet"))
        .collect()
}

#[test]
fn month_partitions_are_sorted_by_domain_and_time() {
    let mut rows = Vec::new();
    for host in ["www.b.example", "www.a.example", "www.c.example"] {
        rows.extend(Site { host }.daily_articles(40).into_iter().rev());
    }
    let job = Job::of(&rows).with("output.partition=month");
    job.backfill("2011-10-01..2011-11-30");
    let months =
        job.rows("SELECT month, count(*) AS pages FROM documents GROUP BY month ORDER BY month");
    let expected = [("2011-10", 93), ("2011-11", 27)]
        .map(|(month, pages)| json!({"month": month, "pages": pages}));
    assert_eq!(months, expected);
    let by_day = Job::of(&rows);
    by_day.backfill("2011-10-01..2011-11-30");
    let texts = "SELECT url, text, node, support FROM documents ORDER BY url";
    assert_eq!(
        job.lines(texts),
        by_day.lines(texts),
        "partitions change no row"
    );

    let files = data_files(&job, "documents");
    assert!(files.len() >= 2);
    for file in files {
        let name = file.display().to_string();
        assert!(name.contains("/month=2011-1"), "{name}");
        let places = sites_and_times(&file);
        assert!(places.is_sorted(), "{name}: {places:?}");
    }
}

fn sites_and_times(file: &Path) -> Vec<(String, i64)> {
    let file = File::open(file).expect("the file is there");
    let batches = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(|builder| builder.build())
        .expect("the file is Parquet");
    let mut places = Vec::new();
    for batch in batches {
        let batch = batch.expect("rows");
        let domains = batch
            .column_by_name("domain")
            .expect("domain")
            .as_string::<i32>();
        let times = batch.column_by_name("fetched_at").expect("fetched_at");
        let times = times.as_primitive::<TimestampMicrosecondType>();
        let rows = domains.iter().zip(times.values());
        places.extend(rows.map(|(domain, time)| (domain.unwrap_or("").to_owned(), *time)));
    }
    places
}

#[test]
fn a_run_without_blocks_removes_the_blocks_of_its_dates() {
    let mut job = Job::of(&SITE.daily_articles(3)).with("output.write=blocks");
    job.backfill("2011-10-01..2011-10-03");
    let dates = "SELECT DISTINCT date FROM blocks ORDER BY date";
    assert_eq!(job.rows(dates).len(), 3);
    let documents = job.lines("SELECT * FROM documents ORDER BY date");

    job.set("output.write=");
    job.backfill("2011-10-02");
    let left = ["2011-10-01", "2011-10-03"].map(|date| json!({"date": date}));
    assert_eq!(job.rows(dates), left);
    assert_eq!(
        job.lines("SELECT * FROM documents ORDER BY date"),
        documents
    );

    job.set("output.write=blocks");
    job.backfill("2011-10-02");
    assert_eq!(job.rows(dates).len(), 3);
}

#[test]
fn a_run_removes_pages_that_left_the_archive_if_that_is_meant() {
    let rows = SITE.daily_articles(3);
    let job = Job::of(&rows);
    job.backfill("2011-10-01..2011-10-03");
    write(
        &job.archive("pages.parquet"),
        &[rows[0].clone(), rows[2].clone()],
    );
    let refused = job.refused("2011-10-02..2011-10-03", 3);
    assert!(refused.contains("no rows on 2011-10-02,"), "{refused}");
    assert_eq!(job.rows("SELECT date FROM documents").len(), 3);
    job.backfill_with_losses("2011-10-02..2011-10-03");
    let dates = job.rows("SELECT date FROM documents ORDER BY date");
    assert_eq!(
        dates,
        ["2011-10-01", "2011-10-03"].map(|date| json!({"date": date}))
    );
}

#[test]
fn blocks_add_up_to_their_documents() {
    let job = Job::of(&SITE.daily_articles(12)).with("output.write=blocks");
    job.backfill(DATES);
    let sums = "SELECT url_key, count(*) AS blocks, \
         sum(CASE WHEN label = 'content' THEN 1 ELSE 0 END) AS content_blocks, \
         sum(CASE WHEN label = 'content' THEN character_length(text) ELSE 0 END) AS content_chars, \
         sum(CASE WHEN label = 'content' THEN 0 ELSE character_length(text) END) AS boilerplate_chars, \
         string_agg(text, chr(10) ORDER BY ordinal) FILTER (WHERE label = 'content') AS text \
         FROM blocks GROUP BY url_key ORDER BY url_key";
    let documents = "SELECT url_key, blocks, content_blocks, content_chars, boilerplate_chars, text \
         FROM documents ORDER BY url_key";
    let (expected, found) = (job.rows(sums), job.rows(documents));
    assert_eq!(expected.len(), 12);
    assert_eq!(expected, found);
}
