//! Servers that fail, and indexes that are wrong.

use std::time::Duration;

use import::{ImportError, PlanLimits, Quiet, import_index};
use tables::{Classified, ErrorClass};

use crate::common::{
    Captured, crawl, location, options, pages, plan, quarantined, rows, run, write_index,
};
use crate::server::{Reply, Server};

/// One request for each record.
const ALONE: PlanLimits = PlanLimits {
    gap_bytes: 0,
    request_bytes: 32 << 20,
};

fn html(captured: &[Captured]) -> Vec<Captured> {
    let html = captured.iter().filter(|record| record.mime == "text/html");
    html.cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_that_fail_are_sent_again_until_each_record_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 4, 8));
    let index = write_index(folder.path(), &captured).display().to_string();
    let mut options = options(8);
    options.plan_limits = ALONE;
    run(&index, &folder.path().join("expected"), &options).await;
    let server = Server::start(folder.path().to_owned(), |asked| match asked.number {
        2 => Reply::Status(503, "Retry-After: 1\r\n"),
        4 => Reply::Status(429, ""),
        6 => Reply::Reset,
        8 => Reply::Short(10),
        10 => Reply::Status(500, ""),
        12 => Reply::Status(403, ""),
        _ => Reply::File,
    });
    options.base = Some(server.url());
    let report = run(&index, &folder.path().join("archive"), &options).await;
    let records = captured.len() as u64;
    assert_eq!((report.asked, report.got), (records, records));
    assert_eq!(report.requests, records + 6, "each fault has happened");
    assert!(report.missing.is_empty() && report.wrong.is_empty());
    let without_place = |rows: Vec<String>| -> Vec<String> {
        let cut = |row: String| row.replace(&server.url(), &folder.path().display().to_string());
        rows.into_iter().map(cut).collect()
    };
    let found = without_place(pages(&folder.path().join("archive")));
    assert_eq!(found, pages(&folder.path().join("expected")));
}

#[tokio::test(flavor = "multi_thread")]
async fn records_that_are_not_received_are_missing_or_wrong_with_a_row() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 1, 12));
    let index = write_index(folder.path(), &captured).display().to_string();
    let mut options = options(12);
    options.plan_limits = ALONE;
    options.attempts = 2;
    options.manners.at_once = 1;
    let server = Server::start(folder.path().to_owned(), |asked| match asked.number {
        1 => Reply::Whole,
        2 => Reply::Other,
        3 => Reply::Status(206, ""),
        4 => Reply::Status(404, ""),
        5 | 6 => Reply::Status(403, ""),
        7 | 8 => Reply::Reset,
        9 | 10 => Reply::Short(5),
        _ => Reply::File,
    });
    options.base = Some(server.url());
    let archive = folder.path().join("archive");
    let report = run(&index, &archive, &options).await;
    let records = captured.len() as u64;
    assert_eq!((report.asked, report.got), (records, records - 7));
    let expected = [
        ("no answer", 1),
        ("status 403", 1),
        ("the file ends before the record does", 1),
        ("no such file", 1),
    ];
    assert_eq!(
        report.missing,
        expected
            .map(|(name, count)| (name.to_owned(), count))
            .into()
    );
    let expected = [
        ("an answer without Content-Range", 1),
        ("another range", 1),
        ("the server ignores ranges", 1),
    ];
    assert_eq!(
        report.wrong,
        expected
            .map(|(name, count)| (name.to_owned(), count))
            .into()
    );
    assert_eq!(report.archive.quarantined, 7);
    assert_eq!(report.archive.reasons["missing: status 403"], 1);
    let lost = rows(&archive.join("_quarantine"));
    assert_eq!(lost.len(), 7);
    for record in &captured[..7] {
        let file = format!("warc_file={}/{} ", server.url(), record.file);
        let place = format!("{file}warc_offset={} ", record.offset);
        let is_of = |row: &&String| row.contains(&format!("url={} ", record.url));
        let row = lost.iter().find(is_of).expect("a row");
        assert!(row.starts_with(&place), "{row}: {place}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_index_that_is_wrong_gives_no_page_of_another_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 2, 14));
    let size = std::fs::metadata(folder.path().join(&captured[0].file))
        .expect("a file")
        .len();
    let mut wrong = captured.clone();
    wrong[0].offset += 1;
    wrong[1].digest = "A".repeat(32);
    wrong[2].url = "http://www.site2.com/other".to_owned();
    wrong[3].offset = size + 1000;
    // The last page of the first file.
    wrong[11].length += 50;
    wrong[5].time = "20111101000000".to_owned();
    wrong[6].file = "segments/00/none.warc.gz".to_owned();
    // The request before the page.
    wrong[7].offset -= 30;
    wrong[8].length -= 20;
    wrong[9].file = "../outside.warc.gz".to_owned();
    wrong[10].length = 0;
    let index = write_index(folder.path(), &wrong).display().to_string();
    for base in [
        None,
        Some(Server::start(folder.path().to_owned(), |_| Reply::File).url()),
    ] {
        let mut options = options(14);
        options.plan_limits = ALONE;
        options.base = base.clone();
        let archive = folder.path().join(format!("archive-{}", base.is_some()));
        let planned = plan(&index, &options).await;
        assert_eq!(planned.unreadable.lines, 1, "{:?}", planned.unreadable);
        assert!(planned.unreadable.examples[0].contains("../outside"));
        assert_eq!(planned.refused()["its length is 0"], 1);
        let report = run(&index, &archive, &options).await;
        let asked = captured.len() as u64 - 2;
        assert_eq!(report.asked, asked);
        let expected = [
            ("the file ends before the record begins", 1),
            ("the file ends before the record does", 1),
            ("no such file", 1),
        ];
        assert_eq!(
            report.missing,
            expected
                .map(|(name, count)| (name.to_owned(), count))
                .into()
        );
        let expected = [
            ("another URL", 1),
            ("another digest", 1),
            ("another time", 1),
            ("no record begins here", 2),
        ];
        assert_eq!(
            report.wrong,
            expected
                .map(|(name, count)| (name.to_owned(), count))
                .into()
        );
        // The record that is cut off is the one of the index, and unusable.
        assert_eq!(
            report.archive.reasons["truncated"], 1,
            "{:?}",
            report.archive.reasons
        );
        assert_eq!(report.archive.pages, asked - 9);
        assert_eq!(report.got, asked - 8);
        let reasons = quarantined(&archive);
        assert_eq!(reasons.values().sum::<usize>(), 10, "{reasons:?}");
        let rows = pages(&archive);
        for record in captured[..4].iter().chain(&captured[5..12]) {
            let url = format!("url={} ", record.url);
            assert!(!rows.iter().any(|row| row.contains(&url)), "{url}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ignores_ranges_gives_no_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 3, 5));
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |_| Reply::Whole);
    let mut options = options(5);
    options.base = Some(server.url());
    let report = run(&index, &folder.path().join("archive"), &options).await;
    assert!(report.is_unusable());
    assert_eq!(
        report.wrong["the server ignores ranges"],
        captured.len() as u64
    );
    assert_eq!(report.received_bytes, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_is_down_ends_the_call_and_the_next_one_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 20, 5));
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |asked| match asked.number {
        0..=8 => Reply::File,
        9..=28 => Reply::Reset,
        _ => Reply::File,
    });
    let mut options = options(5);
    options.base = Some(server.url());
    options.commit_bytes = 1;
    let planned = plan(&index, &options).await;
    let output = location(&folder.path().join("archive"));
    let failed = import_index(&planned, &output, &options, &Quiet).await;
    let error = failed.expect_err("the host is down");
    assert!(matches!(error, ImportError::Host { .. }), "{error}");
    assert_eq!(
        (error.class(), error.is_retryable()),
        (ErrorClass::Storage, true)
    );
    let report = run(&index, &folder.path().join("archive"), &options).await;
    assert!(report.asked_earlier > 0);
    assert_eq!(
        (report.asked, report.got),
        (captured.len() as u64, captured.len() as u64)
    );
    assert_eq!(pages(&folder.path().join("archive")).len(), captured.len());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_of_a_day_is_not_exceeded_by_a_second_call() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 5, 5));
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |_| Reply::File);
    let mut options = options(5);
    options.base = Some(server.url());
    options.commit_bytes = 1;
    let planned = plan(&index, &options).await;
    let requests = planned.totals().requests;
    let most = planned.totals().request_bytes / requests;
    options.manners.bytes_a_day = Some(2 * most + most / 2);
    let planned = plan(&index, &options).await;
    let output = location(&folder.path().join("archive"));
    for _ in 0..2 {
        let call = import_index(&planned, &output, &options, &Quiet);
        let ended = tokio::time::timeout(Duration::from_millis(700), call).await;
        assert!(ended.is_err(), "it waits for the next day");
        assert_eq!(server.ranges().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn another_plan_waits_until_the_first_is_finished() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = html(&crawl(folder.path(), 20, 5));
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |asked| match asked.number {
        0..=30 => Reply::Reset,
        _ => Reply::File,
    });
    let output = location(&folder.path().join("archive"));
    let mut of_two = options(2);
    of_two.base = Some(server.url());
    let planned = plan(&index, &of_two).await;
    let failed = import_index(&planned, &output, &of_two, &Quiet).await;
    failed.expect_err("the host is down");
    let local = options(5);
    let other = plan(&index, &local).await;
    let refused = import_index(&other, &output, &local, &Quiet).await;
    let error = refused.expect_err("another plan").to_string();
    assert!(
        error.contains("not finished") && error.contains("_index/index-"),
        "{error}"
    );
    let first = run(&index, &folder.path().join("archive"), &of_two).await;
    let second = run(&index, &folder.path().join("archive"), &local).await;
    assert_eq!(second.got, captured.len() as u64);
    let found = pages(&folder.path().join("archive")).len() as u64;
    assert_eq!(found, first.got + second.got);
}
