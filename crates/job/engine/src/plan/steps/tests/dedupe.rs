use arrow::array::RecordBatch;
use arrow::compute::filter_record_batch;

use super::steps;
use crate::plan::columns::schemas::KEYED;
use crate::plan::prior::key_hash::hash;
use crate::plan::steps::key::THIS_RUN;
use crate::plan::test_support::{
    TestJob, TestRow, batch, days, micros, numbers, run, sorted_for, statuses, texts,
};

/// A page with a key; `row` is its position in `a.parquet`.
fn page(key: &str, time: &str, row: i64) -> TestRow {
    TestRow::default()
        .with("source", "a.parquet")
        .with("row_group", 0)
        .with("row", row)
        .with("date", days(&time[..10]))
        .with("fetched_at", micros(time))
        .with("url", format!("http://{key}").as_str())
        .with("domain", "a.example")
        .with("url_key", key)
        .with("base_hash", hash(key))
        .with("status", "unique")
        .with("generation", i64::from(THIS_RUN))
}

/// The rows of the archive among those of the step.
fn without_bases(rows: &RecordBatch) -> RecordBatch {
    let kept = statuses(rows).into_iter().map(|status| status != "base");
    let kept: Vec<bool> = kept.collect();
    filter_record_batch(rows, &kept.into()).unwrap()
}

/// The statuses of `rows` after deduplication, and the row each duplicates, in the order
/// in which the step gets them.
async fn deduped(settings: &[&str], rows: &[TestRow]) -> (Vec<String>, Vec<String>) {
    let step = steps(&TestJob::new(settings)).dedupe;
    let rows = sorted_for(&step, &batch(&KEYED, rows));
    let deduped = without_bases(&run(&step, vec![rows]).await.unwrap());
    let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
    (
        owned(statuses(&deduped)),
        owned(texts(&deduped, "duplicate_of")),
    )
}

#[tokio::test]
async fn the_first_page_of_a_key_is_kept() {
    let rows = [
        page("a.example/1", "2011-10-02T00:00:00", 0),
        page("a.example/1", "2011-10-01T00:00:00", 1),
        page("a.example/2", "2011-10-03T00:00:00", 2),
    ];
    let (statuses, duplicate_of) = deduped(&[], &rows).await;
    assert_eq!(statuses, ["unique", "duplicate", "unique"]);
    assert_eq!(duplicate_of, ["-", "a.parquet#1", "-"]);
}

#[tokio::test]
async fn a_page_of_an_earlier_date_is_the_first_and_is_removed() {
    let earlier = page("a.example/1", "2011-09-01T00:00:00", 7)
        .with("generation", 0)
        .with("status", "known")
        .with("source", "earlier.parquet");
    let rows = [page("a.example/1", "2011-10-01T00:00:00", 0), earlier];
    let (statuses, duplicate_of) = deduped(&[], &rows).await;
    assert_eq!(statuses, ["duplicate"]);
    assert_eq!(duplicate_of, ["earlier.parquet#7"]);
}

/// `first_source#first_row` and `copy_order` of rows after deduplication, in its order.
async fn read_order(settings: &[&str], rows: &[TestRow]) -> Vec<(String, Option<i64>)> {
    let step = steps(&TestJob::new(settings)).dedupe;
    let rows = sorted_for(&step, &batch(&KEYED, rows));
    let deduped = without_bases(&run(&step, vec![rows]).await.unwrap());
    let (sources, rows) = (
        texts(&deduped, "first_source"),
        numbers(&deduped, "first_row"),
    );
    let order = numbers(&deduped, "copy_order");
    (0..deduped.num_rows())
        .map(|row| match rows[row] {
            Some(first) => (format!("{}#{first}", sources[row]), order[row]),
            None => (sources[row].to_owned(), order[row]),
        })
        .collect()
}

#[tokio::test]
async fn later_copies_are_read_behind_the_first_page_in_time_order() {
    let rows = [
        page("a.example/1", "2011-10-01T00:00:00", 5),
        page("a.example/1", "2011-10-03T00:00:00", 2).with("source", "c.parquet"),
        page("a.example/1", "2011-10-02T00:00:00", 9).with("source", "b.parquet"),
        page("a.example/2", "2011-10-02T00:00:00", 8),
    ];
    let own = |source: &str, row| (source.to_owned(), Some(row));
    let copy = |time| ("a.parquet#5".to_owned(), Some(micros(time)));
    let found = read_order(&[], &rows).await;
    assert_eq!(
        found,
        [
            own("a.parquet", 5),
            copy("2011-10-02T00:00:00"),
            copy("2011-10-03T00:00:00"),
            own("a.parquet", 8)
        ]
    );
    // Revision candidates are parsed in their own row group.
    let in_place = [
        own("a.parquet", 5),
        own("b.parquet", 9),
        own("c.parquet", 2),
        own("a.parquet", 8),
    ];
    assert_eq!(read_order(&["dedup.revisions=true"], &rows).await, in_place);
    assert_eq!(read_order(&["paper.lookback=9d"], &rows).await, in_place);
}

#[tokio::test]
async fn a_copy_of_a_page_of_an_earlier_date_is_read_in_place() {
    let earlier = TestRow::default()
        .with("source", "earlier.parquet")
        .with("row", 7)
        .with("date", days("2011-09-01"))
        .with("fetched_at", micros("2011-09-01T00:00:00"))
        .with("url", "http://a.example/1")
        .with("url_key", "a.example/1")
        .with("base_hash", hash("a.example/1"))
        .with("generation", 0)
        .with("status", "known");
    let rows = [page("a.example/1", "2011-10-01T00:00:00", 3), earlier];
    let found = read_order(&[], &rows).await;
    assert_eq!(found, [("a.parquet".to_owned(), Some(3))]);
}

#[tokio::test]
async fn quarantined_and_blocklisted_rows_pass_through() {
    let rows = [
        page("a.example/1", "2011-10-01T00:00:00", 0).with("status", "blocklisted"),
        page("a.example/1", "2011-10-02T00:00:00", 1).with("status", "quarantined"),
        page("a.example/1", "2011-10-03T00:00:00", 2),
    ];
    let (statuses, duplicate_of) = deduped(&[], &rows).await;
    assert_eq!(statuses, ["blocklisted", "quarantined", "unique"]);
    assert_eq!(duplicate_of, ["-", "-", "-"]);
}

#[tokio::test]
async fn with_revisions_a_duplicate_is_a_candidate() {
    let rows = [
        page("a.example/1", "2011-10-01T00:00:00", 0),
        page("a.example/1", "2011-10-02T00:00:00", 1),
    ];
    let (statuses, _) = deduped(&["dedup.revisions=true"], &rows).await;
    assert_eq!(statuses, ["unique", "revision_candidate"]);
}

#[tokio::test]
async fn after_the_lookback_a_page_is_unique_again() {
    let rows = [
        page("a.example/1", "2011-10-01T00:00:00", 0),
        page("a.example/1", "2011-10-02T00:00:00", 1),
        page("a.example/1", "2011-10-02T00:00:01", 2),
    ];
    let (statuses, duplicate_of) = deduped(&["paper.lookback=1d"], &rows).await;
    assert_eq!(statuses, ["unique", "duplicate", "unique"]);
    assert_eq!(duplicate_of, ["-", "a.parquet#0", "-"]);
}

#[tokio::test]
async fn a_key_that_left_the_window_is_unique_again() {
    let settings = [
        "paper.lookback=window",
        "window.max_pages=1",
        "window.min_pages=1",
    ];
    let rows = [
        page("a.example/1", "2011-10-01T00:00:00", 0),
        page("a.example/2", "2011-10-02T00:00:00", 1),
        page("a.example/1", "2011-10-03T00:00:00", 2),
    ];
    let (statuses, _) = deduped(&settings, &rows).await;
    assert_eq!(statuses, ["unique", "unique", "unique"]);
    let (statuses, _) = deduped(&["paper.lookback=window"], &rows).await;
    assert_eq!(statuses, ["unique", "unique", "duplicate"]);
}

#[tokio::test]
async fn an_open_base_with_several_rows_is_announced_once() {
    let announced = async |rows: &[(&str, i64)]| {
        let page = |(row, (key, openness)): (usize, &(&str, i64))| {
            page(key, "2011-10-01T00:00:00", row as i64)
                .with("base_hash", 7)
                .with("openness", *openness)
        };
        let rows: Vec<TestRow> = rows.iter().enumerate().map(page).collect();
        let step = steps(&TestJob::new(&[])).dedupe;
        let rows = sorted_for(&step, &batch(&KEYED, &rows));
        let deduped = run(&step, vec![rows]).await.unwrap();
        let statuses = statuses(&deduped).into_iter();
        statuses.filter(|status| *status == "base").count()
    };
    assert_eq!(announced(&[("a?1", 0), ("a?2", 2), ("a?3", 2)]).await, 1);
    assert_eq!(announced(&[("a?1", 2), ("a?1", 2)]).await, 1);
    assert_eq!(announced(&[("a?1", 0), ("a?2", 0)]).await, 0);
    assert_eq!(announced(&[("a?1", 2)]).await, 0);
}
