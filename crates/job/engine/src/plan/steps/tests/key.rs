use super::steps;
use crate::plan::columns::schemas::SCANNED;
use crate::plan::test_support::{TestJob, TestRow, batch, days, nulls, run, statuses, texts};

fn row(url: &str) -> TestRow {
    TestRow::default()
        .with("source", "a.parquet")
        .with("row_group", 0)
        .with("row", 0)
        .with("date", days("2011-10-01"))
        .with("url", url)
}

#[tokio::test]
async fn rows_have_a_domain_and_a_url_key() {
    let urls = [
        "http://www.a.example/News/1.html?utm_source=x",
        "https://b.example/",
    ];
    let rows = batch(&SCANNED, &urls.map(row));
    let keyed = run(&steps(&TestJob::new(&[])).key, vec![rows])
        .await
        .unwrap();
    assert_eq!(statuses(&keyed), ["unique", "unique"]);
    assert_eq!(texts(&keyed, "domain"), ["a.example", "b.example"]);
    assert_eq!(nulls(&keyed, "url_key"), [false, false]);
    assert_eq!(texts(&keyed, "url"), urls, "the URL stays as it is");
}

#[tokio::test]
async fn two_spellings_of_a_url_have_one_key() {
    let urls = ["http://www.a.example/1", "https://www.a.example/1#top"];
    let rows = batch(&SCANNED, &urls.map(row));
    let keyed = run(&steps(&TestJob::new(&[])).key, vec![rows])
        .await
        .unwrap();
    let keys = texts(&keyed, "url_key");
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test]
async fn a_row_without_a_usable_url_is_quarantined() {
    let without = TestRow::default().with("row", 0);
    let rows = [without, row("mailto:x@a.example"), row("http://com/")];
    let rows = batch(&SCANNED, &rows);
    let keyed = run(&steps(&TestJob::new(&[])).key, vec![rows])
        .await
        .unwrap();
    assert_eq!(statuses(&keyed), ["quarantined"; 3]);
    assert_eq!(
        texts(&keyed, "reason"),
        ["missing_url", "invalid_url", "no_domain"]
    );
    assert_eq!(nulls(&keyed, "url_key"), [true; 3]);
}

#[tokio::test]
async fn the_request_url_replaces_a_missing_response_url() {
    let request = TestRow::default()
        .with("row", 0)
        .with("request_url", "http://www.a.example/1");
    let keyed = run(
        &steps(&TestJob::new(&[])).key,
        vec![batch(&SCANNED, &[request])],
    )
    .await
    .unwrap();
    assert_eq!(texts(&keyed, "url"), ["http://www.a.example/1"]);
    let from_request = keyed.column_by_name("url_from_request").unwrap();
    assert!(arrow::array::AsArray::as_boolean(from_request).value(0));
}

#[tokio::test]
async fn a_row_that_the_scan_quarantined_stays_quarantined() {
    let scanned = row("http://www.a.example/1")
        .with("reason", "http_status")
        .with("detail", "the response was 404");
    let keyed = run(
        &steps(&TestJob::new(&[])).key,
        vec![batch(&SCANNED, &[scanned])],
    )
    .await
    .unwrap();
    assert_eq!(statuses(&keyed), ["quarantined"]);
    assert_eq!(texts(&keyed, "reason"), ["http_status"]);
    assert_eq!(texts(&keyed, "detail"), ["the response was 404"]);
    assert_eq!(nulls(&keyed, "url_key"), [true]);
}

#[tokio::test]
async fn a_blocklisted_url_keeps_its_key() {
    let job = TestJob::new(&[]);
    let blocklist = format!("{}/blocklist", job.path());
    std::fs::write(&blocklist, "http://www.a.example/1\n").unwrap();
    let job = job.with_setting(&format!("url_key.blocklist={blocklist}"));
    let rows = batch(
        &SCANNED,
        &["http://www.a.example/1", "http://www.a.example/2"].map(row),
    );
    let keyed = run(&steps(&job).key, vec![rows]).await.unwrap();
    assert_eq!(statuses(&keyed), ["blocklisted", "unique"]);
    assert_eq!(nulls(&keyed, "url_key"), [false, false]);
}
