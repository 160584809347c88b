use super::steps;
use crate::plan::columns::schemas::KEYED;
use crate::plan::steps::key::THIS_RUN;
use crate::plan::test_support::{TestJob, TestRow, batch, days, micros, run, sorted_for, texts};

/// A page with a key; `row` is its position in `a.parquet`.
fn page(key: &str, time: &str, row: i64) -> TestRow {
    TestRow::default()
        .with("source", "a.parquet")
        .with("row", row)
        .with("date", days(&time[..10]))
        .with("fetched_at", micros(time))
        .with("url", format!("http://{key}").as_str())
        .with("domain", "a.example")
        .with("url_key", key)
        .with("status", "unique")
        .with("generation", i64::from(THIS_RUN))
}

/// The statuses of `rows` after deduplication, and the row each duplicates, in the order
/// in which the step gets them.
async fn deduped(settings: &[&str], rows: &[TestRow]) -> (Vec<String>, Vec<String>) {
    let step = steps(&TestJob::new(settings)).dedupe;
    let rows = sorted_for(&step, &batch(&KEYED, rows));
    let deduped = run(&step, vec![rows]).await.unwrap();
    let owned = |column: &str| (texts(&deduped, column).into_iter().map(str::to_owned)).collect();
    (owned("status"), owned("duplicate_of"))
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
    let (statuses, duplicate_of) = deduped(&["dedup.lookback=1d"], &rows).await;
    assert_eq!(statuses, ["unique", "duplicate", "unique"]);
    assert_eq!(duplicate_of, ["-", "a.parquet#0", "-"]);
}

#[tokio::test]
async fn a_key_that_left_the_window_is_unique_again() {
    let settings = [
        "dedup.lookback=window",
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
    let (statuses, _) = deduped(&["dedup.lookback=window"], &rows).await;
    assert_eq!(statuses, ["unique", "unique", "duplicate"]);
}
