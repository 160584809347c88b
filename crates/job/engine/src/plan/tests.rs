//! Snapshots of the physical plan of a chunk.
//!
//! `INSTA_UPDATE=always cargo nextest run -p urltree-engine plan::tests` writes them again
//! after a change that is meant.

use std::sync::Arc;

use tables::DateRange;

use super::test_support::{ArchiveRow, TestJob};
use crate::driver::backfill::{Accepted, backfill, explain};
use crate::progress::Unwatched;
use tokio_util::sync::CancellationToken;

/// Three pages a day of two sites, in row groups of two rows.
fn write_dates(job: &TestJob, dates: &[&str]) {
    for date in dates {
        let rows: Vec<ArchiveRow> = (0..3)
            .map(|hour| {
                let host = ["a", "b"][hour % 2];
                let url = format!("http://{host}.example/{date}/{hour}");
                let html = format!("<body><p>Menu</p><p>Article {hour} of {date}</p>");
                ArchiveRow::page(&format!("{date}T0{hour}:00:00"), &url, &html)
            })
            .collect();
        job.write_object(&format!("{date}.parquet"), &rows, 2);
    }
}

async fn run(job: &TestJob, dates: &str) {
    let unwatched = Arc::new(Unwatched);
    let dates: DateRange = dates.parse().unwrap();
    let stop = CancellationToken::new();
    backfill(&job.job(), dates, Accepted::default(), unwatched, &stop)
        .await
        .unwrap();
}

/// The plan of `dates`, with data files named by table and partition only.
async fn plan(job: &TestJob, dates: &str) -> String {
    let plan = explain(&job.job(), dates.parse().unwrap()).await.unwrap();
    let tables = format!("{}/tables/", job.path());
    let mut parts = plan.split(tables.trim_start_matches('/'));
    let mut redacted = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (partition, rest) = part.split_once("/part-").unwrap();
        let (_, rest) = rest.split_once(".parquet").unwrap();
        redacted.push_str(partition);
        redacted.push_str(rest);
    }
    redacted
}

#[tokio::test(flavor = "multi_thread")]
async fn two_partitions_without_prior_state() {
    let job = TestJob::new(&[]);
    write_dates(&job, &["2011-10-01", "2011-10-02"]);
    insta::assert_snapshot!(plan(&job, "2011-10-01..2011-10-02").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_partition_without_prior_state() {
    let job = TestJob::new(&["run.threads=1"]);
    write_dates(&job, &["2011-10-01", "2011-10-02"]);
    insta::assert_snapshot!(plan(&job, "2011-10-01..2011-10-02").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_with_prior_state() {
    let job = TestJob::new(&[]);
    write_dates(&job, &["2011-10-01", "2011-10-02"]);
    run(&job, "2011-10-01").await;
    insta::assert_snapshot!(plan(&job, "2011-10-02").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backfill_with_rollups_of_earlier_months() {
    let job = TestJob::new(&[]);
    write_dates(&job, &["2011-09-30", "2011-10-01", "2011-10-02"]);
    run(&job, "2011-09-30").await;
    run(&job, "2011-10-01").await;
    insta::assert_snapshot!(plan(&job, "2011-10-02").await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lookback_of_the_window_dedupes_by_domain() {
    let job = TestJob::new(&["paper.lookback=window"]);
    write_dates(&job, &["2011-09-30", "2011-10-01", "2011-10-02"]);
    run(&job, "2011-09-30").await;
    run(&job, "2011-10-01").await;
    insta::assert_snapshot!(plan(&job, "2011-10-02").await);
}
