//! Dedupe, Block and Site where the first copy of a URL key has no text.

use arrow::array::RecordBatch;

use super::{deduped, steps};
use crate::plan::test_support::{
    ArchiveRow, TestJob, numbers, page_texts, run, sorted_by, sorted_for, statuses, texts,
};

const GOOD: Option<&str> = Some("<p>One</p>");
const BAD: [Option<&str>; 3] = [None, Some(" "), Some("%PDF-1.4 binary")];
/// A page that can be parsed and has no text block.
const EMPTY: Option<&str> = Some("<title>One</title><script>wait()</script>");

/// Copies of one page, a day apart; every second URL has a query that the key drops.
fn copies(html: &[Option<&str>]) -> Vec<ArchiveRow> {
    let copy = |(day, html): (usize, &Option<&str>)| {
        let url = ["http://a.example/1", "http://a.example/1?utm_source=feed"][day % 2];
        ArchiveRow {
            html: html.map(str::to_owned),
            ..ArchiveRow::page(&format!("2011-10-{:02}T00:00:00", day + 1), url, "")
        }
    };
    html.iter().enumerate().map(copy).collect()
}

/// A page with another key.
fn other(number: usize, html: Option<&str>) -> ArchiveRow {
    ArchiveRow {
        html: html.map(str::to_owned),
        ..ArchiveRow::page(
            "2011-10-20T00:00:00",
            &format!("http://a.example/other/{number}"),
            "",
        )
    }
}

/// Writes the objects with so many rows per row group, and returns all rows after Block in archive
/// order.
async fn blocked(
    settings: &[&str],
    objects: &[(&str, &[ArchiveRow])],
    rows_per_group: usize,
) -> RecordBatch {
    let job = TestJob::new(settings);
    let mut row_groups = Vec::new();
    for (name, rows) in objects {
        job.write_object(name, rows, rows_per_group);
        let count = rows.len().div_ceil(rows_per_group) as i32;
        row_groups.extend((0..count).map(|row_group| job.row_group(name, row_group)));
    }
    let steps = steps(&job);
    let rows = sorted_for(&steps.block, &deduped(&steps, &row_groups).await);
    // Small batches: copies and their first page come in different ones.
    let batches = (0..rows.num_rows()).step_by(2);
    let batches = batches.map(|row| rows.slice(row, 2.min(rows.num_rows() - row)));
    let blocked = run(&steps.block, batches.collect()).await.unwrap();
    sorted_by(&["source", "row"], &blocked)
}

/// Status, original and step of each row.
fn outcomes(rows: &RecordBatch) -> Vec<[&str; 3]> {
    let [of, by] = ["duplicate_of", "merged_by"].map(|column| texts(rows, column));
    let statuses = statuses(rows).into_iter().enumerate();
    statuses
        .map(|(row, status)| [status, of[row], by[row]])
        .collect()
}

const QUARANTINED: [&str; 3] = ["quarantined", "-", "-"];
const UNIQUE: [&str; 3] = ["unique", "-", "-"];

#[tokio::test]
async fn a_later_copy_in_the_same_row_group_becomes_the_page() {
    for bad in BAD {
        let rows = copies(&[bad, GOOD, GOOD, GOOD]);
        let rows = blocked(&[], &[("a.parquet", &rows)], 10).await;
        let expected = [
            QUARANTINED,
            UNIQUE,
            ["duplicate", "a.parquet#1", "dropped_query"],
            ["duplicate", "a.parquet#1", "identical_url"],
        ];
        assert_eq!(outcomes(&rows), expected, "{bad:?}");
        assert_eq!(page_texts(&rows), ["-", "One", "-", "-"]);
    }
}

#[tokio::test]
async fn a_later_copy_in_another_row_group_becomes_the_page() {
    for rows_per_group in 1..=3 {
        let rows = copies(&[BAD[0], GOOD, GOOD]);
        let rows = blocked(&[], &[("a.parquet", &rows)], rows_per_group).await;
        let expected = [
            QUARANTINED,
            UNIQUE,
            ["duplicate", "a.parquet#1", "dropped_query"],
        ];
        assert_eq!(outcomes(&rows), expected, "{rows_per_group}");
    }
}

#[tokio::test]
async fn a_later_copy_in_another_object_becomes_the_page() {
    let rows = copies(&[BAD[1], GOOD, GOOD]);
    // The first copy is in the last object.
    let objects: [(&str, &[ArchiveRow]); 3] = [
        ("a.parquet", &rows[2..]),
        ("b.parquet", &rows[1..2]),
        ("c.parquet", &rows[..1]),
    ];
    let rows = blocked(&[], &objects, 10).await;
    let expected = [
        ["duplicate", "b.parquet#0", "dropped_query"],
        UNIQUE,
        QUARANTINED,
    ];
    assert_eq!(outcomes(&rows), expected);
}

#[tokio::test]
async fn copies_are_tried_until_one_has_text() {
    let mut html = BAD.to_vec();
    html.extend([GOOD, BAD[0], GOOD]);
    let rows = copies(&html);
    for rows_per_group in [1, 4, 10] {
        let rows = blocked(&[], &[("a.parquet", &rows)], rows_per_group).await;
        let duplicate = |step| ["duplicate", "a.parquet#3", step];
        let expected = [
            QUARANTINED,
            QUARANTINED,
            QUARANTINED,
            UNIQUE,
            duplicate("dropped_query"),
            duplicate("identical_url"),
        ];
        assert_eq!(outcomes(&rows), expected, "{rows_per_group}");
    }
}

#[tokio::test]
async fn a_copy_without_any_block_stays_unique_and_has_no_duplicates() {
    let rows = copies(&[EMPTY, EMPTY, BAD[0], GOOD, EMPTY, GOOD]);
    for rows_per_group in [1, 2, 10] {
        let rows = blocked(&[], &[("a.parquet", &rows)], rows_per_group).await;
        let duplicate = |step| ["duplicate", "a.parquet#3", step];
        let expected = [
            UNIQUE,
            UNIQUE,
            QUARANTINED,
            UNIQUE,
            duplicate("dropped_query"),
            duplicate("identical_url"),
        ];
        assert_eq!(outcomes(&rows), expected, "{rows_per_group}");
        assert_eq!(page_texts(&rows), ["", "", "-", "One", "-", "-"]);
    }
}

#[tokio::test]
async fn copies_without_text_are_duplicates_of_no_page() {
    let rows = copies(&[BAD[0], BAD[1], BAD[2], BAD[0]]);
    let rows = blocked(&[], &[("a.parquet", &rows)], 3).await;
    assert_eq!(outcomes(&rows), [QUARANTINED; 4]);
    let reasons = ["missing_html", "empty_html", "binary_html", "missing_html"];
    assert_eq!(texts(&rows, "reason"), reasons);
}

#[tokio::test]
async fn other_keys_of_the_row_group_are_unchanged() {
    let mut rows = vec![other(0, GOOD), other(0, GOOD), other(1, BAD[0])];
    rows.extend(copies(&[BAD[0], GOOD]));
    rows.extend([other(0, BAD[0]), other(2, GOOD)]);
    for rows_per_group in [1, 2, 10] {
        let rows = blocked(&[], &[("a.parquet", &rows)], rows_per_group).await;
        let duplicate = ["duplicate", "a.parquet#0", "identical_url"];
        let expected = [
            UNIQUE,
            duplicate,
            QUARANTINED,
            QUARANTINED,
            UNIQUE,
            duplicate,
            UNIQUE,
        ];
        assert_eq!(outcomes(&rows), expected, "{rows_per_group}");
    }
}

#[tokio::test]
async fn with_days_or_a_window_the_first_copy_decides() {
    for lookback in ["paper.lookback=9d", "paper.lookback=window"] {
        let rows = copies(&[BAD[0], GOOD]);
        let rows = blocked(&[lookback], &[("a.parquet", &rows)], 10).await;
        let duplicate = ["duplicate", "a.parquet#0", "dropped_query"];
        assert_eq!(outcomes(&rows), [QUARANTINED, duplicate], "{lookback}");
    }
}

/// The rows of one object after Site, in archive order.
async fn revised(rows: &[ArchiveRow]) -> RecordBatch {
    let settings = ["dedup.revisions=true"];
    let blocked = blocked(&settings, &[("a.parquet", rows)], 2).await;
    let step = steps(&TestJob::new(&settings)).site;
    let replayed = run(&step, vec![sorted_for(&step, &blocked)]).await.unwrap();
    sorted_by(&["source", "row"], &replayed)
}

#[tokio::test]
async fn a_revision_candidate_with_text_becomes_the_page() {
    let rows = copies(&[BAD[0], BAD[1], GOOD, BAD[2], GOOD, EMPTY]);
    let duplicate = |step| ["duplicate", "a.parquet#2", step];
    let expected = [
        QUARANTINED,
        QUARANTINED,
        UNIQUE,
        ["quarantined", "a.parquet#2", "dropped_query"],
        duplicate("identical_url"),
        duplicate("dropped_query"),
    ];
    let rows = revised(&rows).await;
    assert_eq!(outcomes(&rows), expected);
    let ordinals = [None, None, Some(0), None, None, None];
    assert_eq!(numbers(&rows, "ordinal"), ordinals);
}

#[tokio::test]
async fn a_revision_of_a_page_that_was_tried_later_keeps_its_new_text() {
    let update = "word ".repeat(100);
    let update = format!("<p>One</p><p>{update}</p>");
    let rows = copies(&[BAD[0], GOOD, Some(&update)]);
    let rows = revised(&rows).await;
    let revision = ["revision", "a.parquet#1", "dropped_query"];
    assert_eq!(outcomes(&rows), [QUARANTINED, UNIQUE, revision]);
}

#[tokio::test]
async fn revision_candidates_without_any_block_are_unique_until_one_has_text() {
    let rows = copies(&[EMPTY, BAD[0], EMPTY, GOOD, GOOD]);
    let duplicate = ["duplicate", "a.parquet#3", "dropped_query"];
    let expected = [UNIQUE, QUARANTINED, UNIQUE, UNIQUE, duplicate];
    let rows = revised(&rows).await;
    assert_eq!(outcomes(&rows), expected);
    let ordinals = [Some(0), None, Some(1), Some(2), None];
    assert_eq!(numbers(&rows, "ordinal"), ordinals);
}

#[tokio::test]
async fn revision_candidates_without_text_are_duplicates_of_no_page() {
    let rows = revised(&copies(&BAD)).await;
    assert_eq!(outcomes(&rows), [QUARANTINED; 3]);
}
