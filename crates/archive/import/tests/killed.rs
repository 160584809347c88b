//! Processes that are killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use import::{Quiet, import_index};
use servers::{KeyPair, Server as Store};
use tables::Location;

use crate::common::{crawl, location, options, pages, plan, run, write_index};
use crate::server::{Reply, Server};

const INDEX: &str = "URLTREE_TEST_INDEX";
const OUTPUT: &str = "URLTREE_TEST_INDEX_OUTPUT";
const BASE: &str = "URLTREE_TEST_INDEX_BASE";

fn settings(base: Option<String>) -> import::IndexOptions {
    let mut options = options(6);
    options.base = base;
    options.commit_bytes = 6 << 10;
    options
}

/// The process of another test: an import by the index that a variable names.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_of_another_test() {
    let (Ok(index), Ok(output)) = (std::env::var(INDEX), std::env::var(OUTPUT)) else {
        return;
    };
    let options = settings(std::env::var(BASE).ok());
    let planned = plan(&index, &options).await;
    let output = Location::parse(&output).expect("a location");
    let report = import_index(&planned, &output, &options, &Quiet).await;
    report.unwrap_or_else(|error| panic!("{error}"));
}

fn process(index: &str, output: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "killed::a_process_of_another_test"])
        .env(INDEX, index)
        .env(OUTPUT, output)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// A process that imports the crawl in `folder` from a server.
fn local(folder: &Path, server: &Server) -> Command {
    let index = folder.join("index.cdxj").display().to_string();
    let output = folder.join("archive").display().to_string();
    let mut command = process(&index, &output);
    command.env(BASE, server.url());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_import_continues_with_no_page_twice_and_none_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 40, 6);
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |_| Reply::File);
    let options = settings(Some(server.url()));
    let expected = run(&index, &folder.path().join("expected"), &options).await;
    let expected_pages = pages(&folder.path().join("expected"));
    assert_eq!(expected_pages.len() as u64, expected.got);
    let archive = folder.path().join("archive");
    for point in [
        "import.object#1",
        "import.object#2",
        "import.object#9",
        "import.manifest#1",
        "import.manifest#5",
    ] {
        let _ = std::fs::remove_dir_all(&archive);
        let before = server.ranges().len();
        let mut command = local(folder.path(), &server);
        let status = command
            .env("URLTREE_FAIL_POINT", format!("KILL@{point}"))
            .status();
        assert_eq!(status.expect("a process").code(), None, "{point}");
        let of_killed = server.ranges().len() - before;
        assert!(of_killed < 40, "{point}: it was killed in the middle");
        let report = run(&index, &archive, &options).await;
        assert_eq!(report.asked, expected.asked, "{point}");
        assert_eq!(report.archive.pages, expected.got, "{point}");
        assert!(pages(&archive) == expected_pages, "{point}");
        let twice = server.ranges().len() - before - 40;
        assert!(twice <= 5, "{point}: {twice} requests were sent twice");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_is_killed_between_answers_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 40, 6);
    let index = write_index(folder.path(), &captured).display().to_string();
    let slow = |_: &_| Reply::Slow(Duration::from_millis(30));
    let server = Arc::new(Server::start(folder.path().to_owned(), slow));
    let mut child = local(folder.path(), &server).spawn().expect("a process");
    while server.ranges().len() < 23 {
        assert!(
            child.try_wait().expect("a process").is_none(),
            "it ended before"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("a process");
    let options = settings(Some(server.url()));
    let planned = plan(&index, &options).await;
    let output = location(&folder.path().join("archive"));
    let report = import_index(&planned, &output, &options, &Quiet).await;
    let report = report.expect("an import");
    assert!(report.asked_earlier > 0 && report.asked_earlier < report.asked);
    let mut rows = pages(&folder.path().join("archive"));
    assert_eq!(rows.len() as u64, report.got);
    rows.dedup();
    assert_eq!(rows.len() as u64, planned.totals().records);
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_a_killed_commit_are_gone_if_their_records_are_missing_later() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 12, 6);
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |_| Reply::File);
    let mut command = local(folder.path(), &server);
    let status = command
        .env("URLTREE_FAIL_POINT", "KILL@import.manifest#1")
        .status();
    assert_eq!(status.expect("a process").code(), None);
    let archive = folder.path().join("archive");
    let written = pages(&archive);
    assert!(
        written
            .iter()
            .any(|row| row.starts_with("fetched_at=2011-10-02")),
        "{written:?}"
    );
    // All files with pages of the second day.
    for record in captured
        .iter()
        .filter(|record| record.time.starts_with("20111002"))
    {
        let _ = std::fs::remove_file(folder.path().join(&record.file));
    }
    let report = run(&index, &archive, &settings(Some(server.url()))).await;
    let rows = pages(&archive);
    assert_eq!(rows.len() as u64, report.got);
    assert!(
        rows.iter()
            .all(|row| row.starts_with("fetched_at=2011-10-01")),
        "{rows:?}"
    );
}

#[test]
fn an_index_files_and_an_archive_in_a_store_are_those_on_a_disk() {
    let root = tempfile::tempdir().expect("a folder");
    let crawled = root.path().join("pages/crawl");
    let captured = crawl(&crawled, 8, 6);
    write_index(&crawled, &captured);
    std::fs::create_dir(root.path().join("text")).expect("a bucket");
    let keys = KeyPair {
        id: "KEYID",
        secret: "secret",
    };
    let store = Store::s3(root.path(), keys).expect("a server");
    let in_store = |point: Option<&str>| {
        let mut command = process("s3://pages/crawl/index.cdxj", "s3://text/archive");
        command
            .env("AWS_ENDPOINT_URL", format!("http://{}", store.address()))
            .env("AWS_ACCESS_KEY_ID", keys.id)
            .env("AWS_SECRET_ACCESS_KEY", keys.secret);
        if let Some(point) = point {
            command.env("URLTREE_FAIL_POINT", format!("KILL@{point}"));
        }
        command.status().expect("a process").code()
    };
    assert_eq!(in_store(Some("import.object#3")), None);
    assert_eq!(in_store(None), Some(0));
    let local = root.path().join("local").display().to_string();
    let index = crawled.join("index.cdxj").display().to_string();
    let status = process(&index, &local).status().expect("a process");
    assert_eq!(status.code(), Some(0));
    let folder = crawled.display().to_string();
    let expected = pages(&root.path().join("local"));
    assert!(expected.len() > 30);
    let expected: Vec<String> = (expected.iter())
        .map(|row| row.replace(&folder, "s3://pages/crawl"))
        .collect();
    assert!(pages(&root.path().join("text/archive")) == expected);
}
