//! Processes that are killed.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use crate::common::{crawl, location, options, pages, plan, run, write_index};
use crate::server::{Reply, Server};

const FOLDER: &str = "URLTREE_TEST_INDEX_FOLDER";
const BASE: &str = "URLTREE_TEST_INDEX_BASE";

fn settings(base: String) -> import::IndexOptions {
    let mut options = options(6);
    options.base = Some(base);
    options.commit_bytes = 6 << 10;
    options
}

/// The process that is killed: an import of the folder that a variable names.
#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_another_test_kills() {
    let (Ok(folder), Ok(base)) = (std::env::var(FOLDER), std::env::var(BASE)) else {
        return;
    };
    let folder = Path::new(&folder);
    let index = folder.join("index.cdxj").display().to_string();
    run(&index, &folder.join("archive"), &settings(base)).await;
}

fn process(folder: &Path, base: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command
        .args(["--exact", "killed::a_process_that_another_test_kills"])
        .env(FOLDER, folder)
        .env(BASE, base)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

#[tokio::test(flavor = "multi_thread")]
async fn a_killed_import_continues_with_no_page_twice_and_none_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let captured = crawl(folder.path(), 40, 6);
    let index = write_index(folder.path(), &captured).display().to_string();
    let server = Server::start(folder.path().to_owned(), |_| Reply::File);
    let options = settings(server.url());
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
        let mut command = process(folder.path(), &server.url());
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
    let mut child = process(folder.path(), &server.url())
        .spawn()
        .expect("a process");
    while server.ranges().len() < 23 {
        assert!(
            child.try_wait().expect("a process").is_none(),
            "it ended before"
        );
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    child.kill().expect("SIGKILL");
    child.wait().expect("a process");
    let options = settings(server.url());
    let planned = plan(&index, &options).await;
    let output = location(&folder.path().join("archive"));
    let report = import::import_index(&planned, &output, &options, &import::Quiet).await;
    let report = report.expect("an import");
    assert!(report.asked_earlier > 0 && report.asked_earlier < report.asked);
    let mut rows = pages(&folder.path().join("archive"));
    assert_eq!(rows.len() as u64, report.got);
    rows.dedup();
    assert_eq!(rows.len() as u64, planned.totals().records);
}
