//! Objects of the archive that change while a run reads them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use servers::Faults;

use super::{MONTHLY, OCTOBER, commits, job, rows, store};
use crate::support::{Finished, Site, Store, write};

const LATE: Site = Site {
    host: "www.herald.example",
};

/// A change of the object `b.parquet` after the census, before one of the requests that
/// read it.
#[derive(Debug, Clone, Copy)]
enum Change {
    Nothing,
    Gone,
    Shorter,
    Replaced,
}

/// Runs an archive whose object changes before its request number `at` after the census.
/// Returns the output of the run, the number of such requests, and the store.
fn changing(change: Change, at: usize) -> (Finished, usize, Store) {
    let path = Arc::new(Mutex::new(None::<PathBuf>));
    let object = Arc::clone(&path);
    let writes = AtomicBool::new(false);
    let reads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&reads);
    let faults = Faults::new(move |asked| {
        if asked.method == "PUT" {
            // Tables are created after the census and before the plan.
            writes.store(true, Ordering::SeqCst);
        }
        let read = asked.path == "/pages/crawl/b.parquet" && writes.load(Ordering::SeqCst);
        if read && counted.fetch_add(1, Ordering::SeqCst) + 1 == at {
            let path = object.lock().expect("no test panics in here");
            apply(change, path.as_deref().expect("the store is made"));
        }
        None
    });
    let store = store(faults);
    *path.lock().expect("no test panics in here") = Some(store.archive("b.parquet"));
    let finished = job(&store)
        .with(MONTHLY)
        // Requests are counted, so none may be retried, and their order may not depend
        // on threads.
        .with("store.timeout=30s")
        .with("run.threads=1")
        .command("backfill", &["--dates", OCTOBER]);
    let requests = reads.load(Ordering::SeqCst);
    (finished, requests, store)
}

/// Changes the object atomically, as S3 does: a concurrent request reads the old bytes or
/// the new ones.
fn apply(change: Change, object: &Path) {
    let successor = object.with_extension("successor");
    match change {
        Change::Nothing => return,
        Change::Gone => return std::fs::remove_file(object).expect("the object is there"),
        Change::Shorter => {
            let bytes = std::fs::read(object).expect("the object is there");
            std::fs::write(&successor, &bytes[..bytes.len() / 2]).expect("its folder is there");
        }
        Change::Replaced => write(&successor, &rows(LATE)),
    }
    std::fs::rename(successor, object).expect("both are in one folder");
}

#[test]
fn an_object_changed_during_the_run_stops_it_without_commits() {
    let (finished, requests, store) = changing(Change::Nothing, 0);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(commits(&store).len(), 11);
    // For its narrow columns, and for its pages.
    assert!(requests >= 2, "{requests} requests for the object");
    let mut cases: Vec<_> = (1..=requests).map(|at| (Change::Replaced, at)).collect();
    for at in [1, requests] {
        cases.extend([(Change::Gone, at), (Change::Shorter, at)]);
    }
    for (change, at) in cases {
        let (finished, seen, store) = changing(change, at);
        let said = &finished.stderr;
        let case = format!("{change:?} before request {at} of {requests}: {said}");
        assert!(seen >= at, "it did not change: {case}");
        assert_eq!(finished.code, Some(3), "{case}");
        for word in [
            "b.parquet was changed while the run was reading",
            "object b.parquet",
        ] {
            assert!(said.contains(word), "{case}");
        }
        // The only commit of each table is the one that created it.
        let commits: BTreeSet<_> = commits(&store).into_keys().collect();
        assert_eq!(commits.len(), 6, "{case}");
        for commit in commits {
            assert!(commit.ends_with("00000000000000000000.json"), "{case}");
        }
    }
}
