use arrow::array::{AsArray, RecordBatch};
use arrow::datatypes::Int32Type;

use super::{deduped, steps};
use crate::plan::columns::page::Pages;
use crate::plan::columns::schemas::{RecordBatchExt, project_to};
use crate::plan::columns::status::Phase;
use crate::plan::test_support::{
    ArchiveRow, TestJob, nulls, page_texts, run, sorted_by, sorted_for, statuses, texts,
};

fn page(row: usize, html: &str) -> ArchiveRow {
    let time = format!("2011-10-01T00:00:{row:02}");
    ArchiveRow::page(&time, &format!("http://www.a.example/{row}"), html)
}

/// A job whose archive has one object with these pages, two to a row group.
fn job(settings: &[&str], pages: &[ArchiveRow]) -> TestJob {
    let job = TestJob::new(settings);
    job.write_object("a.parquet", pages, 2);
    job
}

/// The rows of the first `row_groups` row groups with their blocks, in row order.
async fn blocked(job: &TestJob, row_groups: i32) -> RecordBatch {
    let steps = steps(job);
    let row_groups: Vec<_> = (0..row_groups)
        .map(|row_group| job.row_group("a.parquet", row_group))
        .collect();
    let rows = sorted_for(&steps.block, &deduped(&steps, &row_groups).await);
    let blocked = run(&steps.block, vec![rows]).await.unwrap();
    in_archive_order(&blocked)
}

/// Rows in the order of the archive: pages are parsed in parallel and come as they are done.
fn in_archive_order(rows: &RecordBatch) -> RecordBatch {
    sorted_by(&["source", "row"], rows)
}

fn phases(rows: &RecordBatch) -> Vec<i32> {
    let phases = rows.column_by_name("phase").unwrap();
    phases.as_primitive::<Int32Type>().values().to_vec()
}

#[tokio::test]
async fn a_page_is_cut_into_blocks_with_one_hash_each() {
    let pages = [
        page(0, "<title>T</title><p>One</p><p>Two words</p>"),
        page(1, "<p>Three</p>"),
        page(2, "<p>Four"),
    ];
    let rows = blocked(&job(&[], &pages), 2).await;
    assert_eq!(page_texts(&rows), ["One|Two words", "Three", "Four"]);
    let pages = Pages(rows.bytes("page").unwrap());
    let titles = [0, 1, 2].map(|row| pages.rest(row).unwrap().unwrap().title);
    assert_eq!(titles, [Some("T"), None, None]);
    let hashes = rows.column_by_name("hashes").unwrap().as_binary::<i32>();
    let lengths: Vec<usize> = hashes.iter().flatten().map(<[u8]>::len).collect();
    assert_eq!(lengths, [32, 16, 16]);
    assert_eq!(phases(&rows), [Phase::Page as i32; 3]);
}

#[tokio::test]
async fn a_page_without_html_is_quarantined() {
    let missing = ArchiveRow {
        html: None,
        ..page(0, "")
    };
    let rows = blocked(
        &job(&[], &[missing, page(1, " "), page(2, "%PDF-1.4 binary")]),
        2,
    )
    .await;
    assert_eq!(statuses(&rows), ["quarantined"; 3]);
    assert_eq!(
        texts(&rows, "reason"),
        ["missing_html", "empty_html", "binary_html"]
    );
    assert_eq!(phases(&rows), [Phase::PassThrough as i32; 3]);
}

#[tokio::test]
async fn a_page_over_a_limit_has_a_warning() {
    let pages = [page(0, "<p>One<p>Two<p>Three"), page(1, "<p>One<p>Two")];
    let rows = blocked(&job(&["limits.page_bytes=12"], &pages), 1).await;
    let pages = Pages(rows.bytes("page").unwrap());
    let [limited, other] = [0, 1].map(|row| pages.rest(row).unwrap().unwrap().warnings);
    assert!(limited[0].contains('2'), "{limited:?}");
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(page_texts(&rows), ["One|Two"; 2]);
}

#[tokio::test]
async fn a_duplicate_passes_through_without_its_html() {
    let again = ArchiveRow {
        fetched_at: page(9, "").fetched_at,
        ..page(0, "<p>Again")
    };
    let rows = blocked(&job(&[], &[page(0, "<p>One"), again]), 1).await;
    assert_eq!(statuses(&rows), ["unique", "duplicate"]);
    assert_eq!(page_texts(&rows), ["One", "-"]);
    assert_eq!(
        phases(&rows),
        [Phase::Page as i32, Phase::PassThrough as i32]
    );
}

#[tokio::test]
async fn a_very_long_page_travels_without_its_texts() {
    let long = format!("<p>{}</p>", "word ".repeat(100_000));
    let rows = blocked(&job(&[], &[page(0, &long)]), 1).await;
    assert_eq!(statuses(&rows), ["unique"]);
    assert_eq!(page_texts(&rows), ["-"]);
    assert_eq!(nulls(&rows, "page"), [false]);
    assert_eq!(nulls(&rows, "hashes"), [false]);
}

#[tokio::test]
async fn a_row_outside_of_its_row_group_is_an_error() {
    let job = job(
        &[],
        &[page(0, "<p>One"), page(1, "<p>Two"), page(2, "<p>Three")],
    );
    let steps = steps(&job);
    let rows = deduped(&steps, &[job.row_group("a.parquet", 1)]).await;
    for (row, row_group, expected) in [
        (
            2,
            0,
            "a.parquet: row 2 is not in row group 0, which has 2 rows from row 0",
        ),
        (
            0,
            1,
            "a.parquet: row 0 is not in row group 1, which has 1 rows from row 2",
        ),
        (2, -1, "a.parquet: it has no row group -1, only 2"),
    ] {
        let moved: Vec<(&str, arrow::array::ArrayRef)> = vec![
            (
                "row",
                std::sync::Arc::new(arrow::array::Int64Array::from(vec![row])),
            ),
            (
                "row_group",
                std::sync::Arc::new(arrow::array::Int32Array::from(vec![row_group])),
            ),
        ];
        let moved = project_to(&rows, &rows.schema(), moved).unwrap();
        let error = run(&steps.block, vec![moved])
            .await
            .unwrap_err()
            .to_string();
        assert!(error.contains(expected), "{error}");
    }
}
