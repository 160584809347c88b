//! `urltree fetch` into an object store.

use std::path::PathBuf;
use std::process::Command;

use crate::fetch::{command, report, site};
use crate::support::{Job, KEYS, Store, credentials, finished};
use servers::{Faults, Scripted};

/// The command with an S3 store as its output.
fn fetching(job: &Job, server: &Scripted, store: &Store, now: &str) -> Command {
    let list = "http://site.example/rss\n";
    let options = ["--now", now];
    let local = command(job, server, &["site.example"], list, &options);
    let words: Vec<String> = (local.get_args())
        .map(|word| word.to_string_lossy().into_owned())
        .map(|word| {
            if word == "archive" {
                "s3://text/feeds".to_owned()
            } else {
                word
            }
        })
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut command = job.urltree(&words);
    command.envs(credentials(&store.server, KEYS.secret));
    command
}

/// Names of the objects, without the files that the server of the test keeps beside them.
fn names(store: &Store) -> Vec<String> {
    let folder: PathBuf = store.tables().with_file_name("feeds");
    let names = crate::import::objects(&folder).into_keys();
    let mut names: Vec<String> = names.map(|name| name.display().to_string()).collect();
    names.retain(|name| !name.contains(".s3s"));
    names
}

#[test]
fn rows_and_state_are_committed_to_an_object_store() {
    let store = Store::failing(Faults::new(|_| None));
    let (job, server) = (Job::new(), site());
    let mut killed = fetching(&job, &server, &store, "2011-10-24T08:00:00Z");
    killed.env("URLTREE_FAIL_POINT", "KILL@fetch.committed#1");
    assert_eq!(finished(&mut killed).signal, Some(9));
    assert!(!names(&store).iter().any(|name| name.starts_with("date=")));

    let again = report(&finished(&mut fetching(
        &job,
        &server,
        &store,
        "2011-10-24T08:01:00Z",
    )));
    assert_eq!(again["polled"], 0, "{again}");
    let date = "date=2011-10-24/feeds-0000000001.parquet";
    let failures = "_feeds/failures/feeds-0000000001.parquet";
    assert_eq!(
        names(&store),
        [failures, "_feeds/state-0000000001.parquet", date]
    );

    // The page that failed is tried again, and the number of the state grows.
    let later = report(&finished(&mut fetching(
        &job,
        &server,
        &store,
        "2011-10-24T09:00:00Z",
    )));
    assert_eq!(
        (&later["polled"], &later["pages"]),
        (&1.into(), &0.into()),
        "{later}"
    );
    let more = "_feeds/failures/feeds-0000000002.parquet";
    assert_eq!(
        names(&store),
        [failures, more, "_feeds/state-0000000002.parquet", date]
    );
}

#[test]
fn of_two_fetches_into_a_store_one_stops() {
    let store = Store::failing(Faults::new(|_| None));
    let (job, server) = (Job::new(), site());
    let mut waiting = fetching(&job, &server, &store, "2011-10-24T08:00:00Z");
    waiting.env("URLTREE_FAIL_POINT", "WAIT@fetch.state#1");
    waiting.stdin(std::process::Stdio::piped());
    waiting
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped());
    let waiting = waiting.spawn().expect("the binary can be started");
    while !server.paths().iter().any(|path| path == "/5") {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let first = report(&finished(&mut fetching(
        &job,
        &server,
        &store,
        "2011-10-24T08:00:00Z",
    )));
    assert_eq!(first["pages"], 4, "{first}");
    let stopped = crate::support::Finished::wait(waiting);
    assert_eq!(stopped.code, Some(4), "{}", stopped.stderr);
    assert!(
        stopped.stderr.contains("another fetch has written"),
        "{}",
        stopped.stderr
    );
}
