//! Stores that fail at the end of a multipart upload, or at the commit of a table.

use std::sync::atomic::{AtomicUsize, Ordering};

use servers::{Asked, Fault, Faults};

use super::{CHUNK, Failing, MONTHLY, NOVEMBER, OCTOBER, job, reader, tables};
use crate::support::{
    GAMMA, Job, Row, Store, assert_same, assert_silent, contents, files, mix, write,
};

/// A page of 2 MB that does not compress. Seven of them give a data file above 10 MB, the
/// limit of an upload in one request.
fn large_page(number: u64) -> Row {
    let mut text = String::from("<p>");
    let mut state = number << 32;
    while text.len() < 2_000_000 {
        state = state.wrapping_add(GAMMA);
        text += &format!("{:016x}{:016x} ", mix(state), mix(!state));
    }
    let url = format!("http://www.gazette.example/{number}.html");
    Row::page("2011-10-01T12:00:00", url, text)
}

fn ends_upload(asked: &Asked) -> bool {
    asked.method == "POST" && asked.query.starts_with("uploadId=")
}

#[test]
fn an_upload_with_a_lost_last_response_is_made_once() {
    let rows: Vec<_> = (0..12).map(large_page).collect();
    let expected = Job::of(&rows);
    expected.backfill(OCTOBER);
    for fault in [Fault::LostAnswer, Fault::LostInSlowDown] {
        let faults = Faults::new(move |asked| ends_upload(asked).then_some(fault));
        let store = Store::failing(faults);
        write(&store.archive("pages.parquet"), &rows);
        // Every response of a completion is lost, also that of a retry. The first request
        // has completed the upload.
        let job = job(&store).with("output.write=");
        assert_silent("upload", &job.with("store.retries=2").run(OCTOBER));
        let fired = store.server.fired();
        assert!(fired[&fault] > 0, "{fired:?}");
        let made = contents(&reader(&store, &[]));
        assert_same(&contents(&expected), &made, &format!("{fault:?}"));
    }
}

#[test]
fn an_upload_that_cannot_be_completed_stops_the_run() {
    let faults = Faults::new(|asked| ends_upload(asked).then_some(Fault::Denied));
    let store = Store::failing(faults);
    write(
        &store.archive("a.parquet"),
        &(0..12).map(large_page).collect::<Vec<_>>(),
    );
    let finished = job(&store).command("backfill", &["--dates", OCTOBER]);
    assert_eq!(finished.code, Some(4), "{}", finished.stderr);
    assert!(store.server.fired()[&Fault::Denied] > 0);
    for word in ["POST http://", "/documents/", "403"] {
        assert!(
            finished.stderr.contains(word),
            "{word}: {}",
            finished.stderr
        );
    }
    let left = files(&store.tables()).into_iter();
    let named = left.filter(|file| file.to_string_lossy().contains("/documents/date="));
    assert_eq!(named.count(), 0, "an incomplete upload is not an object");
}

/// Whether the request commits a table.
fn commits(asked: &Asked) -> bool {
    asked.if_absent && asked.path.contains("/_delta_log/")
}

/// Loses the response of commit number `last`, which takes effect. Denies every later
/// write.
fn fails_after(last: usize) -> impl Fn(&Asked) -> Option<Fault> {
    let seen = AtomicUsize::new(0);
    move |asked| {
        let commit = usize::from(commits(asked));
        let number = seen.fetch_add(commit, Ordering::SeqCst) + commit;
        match number {
            _ if asked.method != "PUT" || number < last.max(1) => None,
            _ if number == last && commit == 1 => Some(Fault::LostInSlowDown),
            _ => Some(Fault::Denied),
        }
    }
}

#[test]
fn the_same_command_resumes_after_a_failure_at_any_commit() {
    for last in 0.. {
        let what = format!("after commit {last}");
        let Failing { store, decide } = Failing::new();
        let now = |faults| *decide.lock().expect("no test panics in here") = faults;
        let run = || {
            // The next run waits for the lease of the failed one, some heartbeats.
            let job = job(&store).with(MONTHLY).with("store.retries=1");
            let job = job.with("run.heartbeat=500ms");
            job.command("backfill", &["--dates", NOVEMBER])
        };
        now(Some(Box::new(fails_after(last))));
        let finished = run();
        if finished.code == Some(0) {
            // One commit removes the dates from `runs`, three are of other tables, and one
            // adds the dates again.
            assert_eq!(last, 6);
            return;
        }
        assert_eq!(finished.code, Some(4), "{what}: {}", finished.stderr);
        assert_silent(&what, &finished);
        // A date is in `runs` only when it is complete in all tables.
        if last < 5 {
            let months = "SELECT DISTINCT date_part('month', date) AS month FROM runs";
            let months = reader(&store, &[MONTHLY]).lines(months);
            assert_eq!(months, [r#"{"month":10}"#], "{what}");
            now(None);
            let finished = run();
            assert_eq!(finished.code, Some(0), "{what}: {}", finished.stderr);
        }
        assert_same(&CHUNK.tables, &tables(&store, &[MONTHLY]), &what);
    }
}
