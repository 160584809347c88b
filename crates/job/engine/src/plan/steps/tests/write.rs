use tables::Bucket;

use super::{replayed, steps};
use crate::accounting::UnitOutput;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::exec::step::from_bytes;
use crate::plan::steps::write::{ChunkExtent, Write};
use crate::plan::test_support::{ArchiveRow, TestJob, run};
use crate::progress::ProgressReporter;

fn write(job: &TestJob) -> Write {
    let job = job.job();
    Write::new(
        &job,
        ChunkExtent::new(&job, 0, 1, Bucket::WHOLE),
        ProgressReporter::unwatched(),
    )
}

fn page(row: usize, html: &str) -> ArchiveRow {
    let time = format!("2011-10-01T00:00:{row:02}");
    ArchiveRow::page(&time, &format!("http://www.a.example/{row}"), html)
}

/// Runs all steps over these pages.
async fn written(job: &TestJob, pages: &[ArchiveRow]) -> UnitOutput {
    job.write_object("a.parquet", pages, 100);
    let rows = replayed(&steps(job), &[job.row_group("a.parquet", 0)]).await;
    let output = run(&write(job), vec![rows]).await.unwrap();
    assert_eq!(output.num_rows(), 1);
    from_bytes(output.bytes("output").unwrap().value(0)).unwrap()
}

/// Tables that have files.
fn tables(written: &UnitOutput) -> Vec<&str> {
    written.files.keys().map(|table| table.name()).collect()
}

/// Status, cause and rows of each count.
fn counts(written: &UnitOutput) -> Vec<(&str, &str, u64)> {
    let counts = written.accounting.counts();
    counts
        .map(|(_, status, cause, counts)| (status, cause, counts.rows))
        .collect()
}

#[tokio::test]
async fn every_row_is_in_its_tables_and_counted_once() {
    let missing = ArchiveRow {
        html: None,
        ..page(1, "")
    };
    let again = ArchiveRow {
        fetched_at: page(9, "").fetched_at,
        ..page(0, "<p>Again")
    };
    let job = TestJob::new(&[]);
    let written = written(&job, &[page(0, "<p>One"), missing, again]).await;
    assert_eq!(
        tables(&written),
        ["url_keys", "documents", "quarantine", "window_entries"]
    );
    assert_eq!(
        counts(&written),
        [
            ("duplicate", "identical_url", 1),
            ("quarantined", "missing_html", 1),
            ("unique", "", 1)
        ]
    );
}

#[tokio::test]
async fn a_quarantined_row_is_not_a_document() {
    let missing = ArchiveRow {
        html: None,
        ..page(0, "")
    };
    let job = TestJob::new(&[]);
    assert_eq!(
        tables(&written(&job, &[missing]).await),
        ["url_keys", "quarantine"]
    );
}

#[tokio::test]
async fn optional_tables_are_written_where_the_job_asks_for_them() {
    let pages = ["<p>One", "<p>Two"].map(|text| format!("<nav><a href=/>Home</a></nav>{text}"));
    let pages = [page(0, &pages[0]), page(1, &pages[1])];
    for optional in ["blocks", "links", "site_blocks"] {
        let job = TestJob::new(&[&format!("output.write={optional}")]);
        let written = written(&job, &pages).await;
        let expected = ["url_keys", "documents", optional, "window_entries"];
        assert_eq!(tables(&written), expected);
    }
}

#[tokio::test]
async fn a_page_that_came_without_texts_is_parsed_again() {
    let job = TestJob::new(&[]);
    let long = format!("<p>{}</p>", "word ".repeat(100_000));
    let written = written(&job, &[page(0, &long)]).await;
    assert_eq!(written.accounting.rows().text_bytes, 499_999);
}

#[tokio::test]
async fn a_page_that_changed_since_it_was_parsed_is_an_error() {
    let job = TestJob::new(&[]);
    let long = format!("<p>{}</p>", "word ".repeat(100_000));
    job.write_object("a.parquet", &[page(0, &long)], 100);
    let rows = replayed(&steps(&job), &[job.row_group("a.parquet", 0)]).await;
    job.write_object("a.parquet", &[page(0, &long), page(1, &long)], 100);
    let error = run(&write(&job), vec![rows]).await.unwrap_err();
    assert!(
        error.to_string().contains("a.parquet was changed"),
        "{error}"
    );
}
