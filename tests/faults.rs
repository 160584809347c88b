//! Object stores that fail. A run that can retry all faults writes the tables of an
//! undisturbed run. A run that cannot stops soon, reports the cause, and leaves the
//! tables unchanged.

mod changes;
mod commits;

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use servers::{Asked, Decide, Fault, Faults, Server};

use crate::support::{
    Job, KEYS, Row, Site, Snapshot, Store, assert_no_secret, assert_same, assert_silent, contents,
    files, kept, load, save, signing, write,
};

const SITES: [Site; 2] = [
    Site {
        host: "www.gazette.example",
    },
    Site {
        host: "www.courier.example",
    },
];

const MONTHLY: &str = "output.partition=month";
const OCTOBER: &str = "2011-10-01..2011-10-31";
const NOVEMBER: &str = "2011-11-01..2011-11-30";
const BOTH: &str = "2011-10-01..2011-11-30";

/// Pages of six days in October and six days in November.
fn rows(site: Site) -> Vec<Row> {
    let mut rows = site.daily_articles(12);
    for row in &mut rows[6..] {
        *row = row.after(31, 0);
    }
    rows
}

/// A store whose archive has one file per site.
fn store(faults: Faults) -> Store {
    let store = Store::failing(faults);
    write(&store.archive("a.parquet"), &rows(SITES[0]));
    write(&store.archive("b.parquet"), &rows(SITES[1]));
    store
}

fn job(store: &Store) -> Job {
    store
        .job()
        .with("output.write=blocks")
        .with("store.timeout=1s")
        .with_variable("URLTREE_LOG", "trace")
}

/// A job that reads the tables from the disk, so that no fault hits the read.
fn reader(store: &Store, settings: &[&str]) -> Job {
    let folder = store.tables();
    let reader = Job::new().writing(&folder.to_string_lossy(), folder.clone());
    (settings.iter()).fold(reader, |reader, setting| reader.with(setting))
}

fn tables(store: &Store, settings: &[&str]) -> Snapshot {
    let folder = store.tables();
    let reader = reader(store, settings);
    let mut tables = contents(&reader);
    if !folder.exists() {
        return tables;
    }
    if folder.join("runs").exists() {
        // `request_digest` covers the archive's objects, which differ between stores.
        let counts = "SELECT * EXCEPT (run_id, request_digest, started_at, seconds, peak_memory_bytes, spilled_bytes) FROM runs \
                      ORDER BY date";
        tables.insert("runs", reader.lines(counts));
    }
    for file in files(&folder) {
        let bytes = std::fs::read(&file).expect("a file");
        assert_no_secret(&file.to_string_lossy(), &bytes);
    }
    tables
}

/// A run without faults: settings, dates and the tables it writes.
struct Undisturbed {
    settings: &'static [&'static str],
    dates: &'static [&'static str],
    tables: Snapshot,
    requests: usize,
}

impl Undisturbed {
    fn new(
        name: &str,
        settings: &'static [&'static str],
        dates: &'static [&'static str],
        documents: usize,
    ) -> Self {
        let mut undisturbed = Self {
            settings,
            dates,
            tables: Snapshot::new(),
            requests: 0,
        };
        let folder = kept(name, |folder| {
            let store = store(Faults::new(|_| None));
            undisturbed.run(&store);
            save(&tables(&store, settings), &folder.join("tables"));
            let requests = store.server.requests().len();
            std::fs::write(folder.join("requests"), requests.to_string()).expect("a file");
        });
        undisturbed.tables = load(&folder.join("tables"));
        let requests = std::fs::read_to_string(folder.join("requests")).expect("a file");
        undisturbed.requests = requests.parse().expect("a number");
        assert_eq!(undisturbed.tables["documents"].len(), documents);
        undisturbed
    }

    fn run(&self, store: &Store) {
        let job = (self.settings.iter()).fold(job(store), |job, setting| job.with(setting));
        for dates in self.dates {
            let finished = job.run(dates);
            assert_silent(dates, &finished);
        }
    }

    /// Asserts that a run with `faults` writes the tables of the undisturbed run, and that
    /// each of the `expected` faults occurred.
    fn survives(&self, what: &str, expected: &[Fault], faults: Faults) {
        let store = store(faults);
        let started = Instant::now();
        self.run(&store);
        let asked = store.server.requests().len();
        let fired = store.server.fired();
        let seconds = started.elapsed().as_secs_f64();
        figures(&format!(
            "{what}: {fired:?}, {asked} requests, undisturbed {}, {seconds:.1} s",
            self.requests
        ));
        assert_same(&self.tables, &tables(&store, self.settings), what);
        for fault in expected {
            let times = fired.get(fault).copied().unwrap_or(0);
            assert!(times > 0, "{what}: no {fault:?}");
        }
        assert!(asked <= 2 * self.requests, "{what}: {asked} requests");
    }
}

/// Two chunks, the second of which reads tables that the first wrote. Then the second
/// chunk again, so that its commits remove files.
static CHUNKS: LazyLock<Undisturbed> = LazyLock::new(|| {
    Undisturbed::new(
        "chunks",
        &[MONTHLY, "run.chunk_bytes=10KB"],
        &[BOTH, NOVEMBER],
        24,
    )
});

/// The pages of [`CHUNKS`] in one chunk, with fewer requests.
static CHUNK: LazyLock<Undisturbed> =
    LazyLock::new(|| Undisturbed::new("chunk", &[MONTHLY], &[BOTH], 24));

/// Prints figures that are not asserted, such as seconds. `eprintln!` would be captured,
/// and not shown for a test that passes.
fn figures(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Applies `fault` to every request whose number is `at` modulo `every`.
fn each(every: usize, at: usize, fault: Fault) -> impl Fn(&Asked) -> Option<Fault> {
    move |asked| (asked.number % every == at).then_some(fault)
}

/// Applies one of `faults`, in turn, to the first put-if-absent of every object.
fn first_puts(faults: &'static [Fault]) -> impl Fn(&Asked) -> Option<Fault> {
    let seen = Mutex::new(BTreeSet::new());
    move |asked| {
        let mut seen = seen.lock().expect("no test panics in here");
        let first = asked.if_absent && seen.insert(asked.path.clone());
        first.then(|| faults[seen.len() % faults.len()])
    }
}

#[test]
fn throttled_requests_are_retried() {
    let faults = Faults::new(each(20, 1, Fault::SlowDown));
    CHUNKS.survives("503", &[Fault::SlowDown], faults);
}

#[test]
fn requests_without_a_response_are_retried() {
    let faults = Faults::new(each(100, 1, Fault::Silence));
    CHUNKS.survives("silence", &[Fault::Silence], faults);
}

#[test]
fn a_body_that_is_cut_off_is_read_to_its_end() {
    let faults = Faults::new(each(10, 1, Fault::CutBody));
    CHUNKS.survives("reset in the body", &[Fault::CutBody], faults);
}

#[test]
fn a_commit_with_a_lost_response_is_made_once() {
    for fault in [&[Fault::LostAnswer], &[Fault::LostInSlowDown]] {
        let faults = Faults::new(first_puts(fault));
        CHUNKS.survives(&format!("{fault:?}"), fault, faults);
    }
    let faults = Faults::new(first_puts(&[Fault::LostInSilence]));
    CHUNK.survives("lost in silence", &[Fault::LostInSilence], faults);
}

#[test]
fn latency_changes_no_row() {
    let faults = Faults::new(|_| None).after(Duration::from_millis(100));
    CHUNK.survives("100 ms", &[], faults);
}

#[test]
fn all_faults_at_once_change_no_row() {
    const LOST: [Fault; 2] = [Fault::LostAnswer, Fault::LostInSlowDown];
    let lost = first_puts(&LOST);
    let slow = each(20, 2, Fault::SlowDown);
    let silent = each(61, 3, Fault::Silence);
    let cut = each(13, 4, Fault::CutBody);
    let decide = move |asked: &Asked| {
        (lost(asked).or_else(|| slow(asked)))
            .or_else(|| silent(asked))
            .or_else(|| cut(asked))
    };
    let faults = Faults::new(decide).after(Duration::from_millis(100));
    let expected = [
        LOST[0],
        LOST[1],
        Fault::SlowDown,
        Fault::Silence,
        Fault::CutBody,
    ];
    CHUNK.survives("all", &expected, faults);
}

/// Without an entity tag a read cannot resume, so the whole range is read again.
#[test]
fn a_range_cut_off_by_a_web_server_is_read_again() {
    let expected = Job::of(&rows(SITES[0]));
    expected.backfill(OCTOBER);
    // The run asks for the archive some six times, and every second answer is cut.
    let faults = Faults::new(each(2, 1, Fault::CutBody));
    let server = Server::failing_web(&expected.path("archive"), faults).expect("a server");
    let job = Job::new().with(&format!(
        "archive.location=http://{}/pages.parquet",
        server.address()
    ));
    job.backfill(OCTOBER);
    assert_same(&contents(&expected), &contents(&job), "over HTTP");
    assert!(server.fired()[&Fault::CutBody] > 2, "{:?}", server.fired());
}

/// A store with the tables of October. Later requests fail as `decide` says.
struct Failing {
    store: Store,
    /// Chooses the fault of each request; `None` for no faults.
    decide: Arc<Mutex<Option<Box<Decide>>>>,
}

impl Failing {
    fn new() -> Self {
        let decide = Arc::new(Mutex::new(None::<Box<Decide>>));
        let now = Arc::clone(&decide);
        let faults = Faults::new(move |asked| {
            let now = now.lock().expect("no test panics in here");
            now.as_ref().and_then(|decide| decide(asked))
        });
        let store = store(faults);
        job(&store).with(MONTHLY).run(OCTOBER);
        Self { store, decide }
    }

    /// Asserts that a run of November with faults stops soon, that its message contains
    /// `words`, and that it commits nothing.
    fn stops(
        &self,
        what: &str,
        decide: impl Fn(&Asked) -> Option<Fault> + Send + Sync + 'static,
        words: &[&str],
    ) {
        let server = &self.store.server;
        let (before, asked) = (commits(&self.store), server.requests().len());
        assert_eq!(before.len(), 11, "{:?}", before.keys());
        let fired: usize = server.fired().values().sum();
        *self.decide.lock().expect("no test panics in here") = Some(Box::new(decide));
        let started = Instant::now();
        let finished = job(&self.store)
            .with(MONTHLY)
            .with("store.retries=2")
            .with("store.timeout=2s")
            .command("backfill", &["--dates", NOVEMBER]);
        let (said, seconds) = (&finished.stderr, started.elapsed().as_secs_f64());
        let fired = server.fired().values().sum::<usize>() - fired;
        let asked = server.requests().len() - asked;
        figures(&format!(
            "{what}: {fired} faults, {asked} requests, {seconds:.1} s"
        ));
        assert_eq!(finished.code, Some(4), "{what}: {said}");
        assert!(fired > 0, "{what}");
        assert_silent(what, &finished);
        for word in words {
            assert!(said.contains(word), "{what}: no {word}: {said}");
        }
        assert_eq!(before, commits(&self.store), "{what}");
    }
}

/// The commit files of all tables. They determine the rows of each table.
fn commits(store: &Store) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = files(&store.tables()).into_iter();
    let commits = files.filter(|file| file.parent().is_some_and(|log| log.ends_with("_delta_log")));
    commits
        .map(|file| (file.clone(), std::fs::read(file).expect("a commit")))
        .collect()
}

#[test]
fn denied_access_stops_the_run() {
    let store = Failing::new();
    let denied = Some(Fault::Denied);
    store.stops(
        "403 on everything",
        move |_| denied,
        &["GET http://", "/text?", "403", "s3://text/tables/"],
    );
    store.stops(
        "403 on the archive",
        move |asked| denied.filter(|_| asked.path.starts_with("/pages")),
        &["list s3://pages/crawl", "GET http://", "403"],
    );
    store.stops(
        "403 on writes",
        move |asked| denied.filter(|_| asked.method == "PUT"),
        &["PUT http://", "/text/tables/", "403", "s3://text/tables/"],
    );
    store.stops(
        "403 on one object",
        move |asked| denied.filter(|_| asked.path == "/pages/crawl/b.parquet"),
        &["read b.parquet", "GET http://", "403", "object b.parquet"],
    );
    store.stops(
        "403 on the pages of earlier dates",
        move |asked| {
            let earlier =
                asked.path.contains("/window_entries/") && asked.path.ends_with(".parquet");
            denied.filter(|_| earlier && asked.method == "GET")
        },
        &["/window_entries/", "403", "object tables of earlier dates"],
    );
}

#[test]
fn permanent_throttling_or_silence_stops_the_run() {
    let store = Failing::new();
    let slow = Some(Fault::SlowDown);
    let again = "after 2 retries";
    store.stops(
        "503 on everything",
        move |_| slow,
        &["GET http://", "503", again, "s3://text/tables/"],
    );
    store.stops(
        "503 on one object",
        move |asked| slow.filter(|_| asked.path == "/pages/crawl/b.parquet"),
        &["read b.parquet", "GET http://", "503", again],
    );
    store.stops(
        "503 on data files",
        move |asked| slow.filter(|_| asked.method == "PUT"),
        &["PUT http://", "503", again, "s3://text/tables/"],
    );
    store.stops(
        "silence on the archive",
        move |asked| Some(Fault::Silence).filter(|_| asked.path == "/pages/crawl/a.parquet"),
        &["read a.parquet", "GET http://", again, "timed out"],
    );
}

#[test]
fn a_store_that_goes_down_stops_the_run() {
    let at = |part: &'static str, method: &'static str| {
        move |asked: &Asked| {
            let hit = asked.path.contains(part)
                && asked.path.ends_with(".parquet")
                && asked.method == method;
            hit.then_some(Fault::Down)
        }
    };
    let refused = "Connection refused";
    let again = "after 2 retries";
    Failing::new().stops(
        "down at the census",
        at("/pages/", "GET"),
        &["read ", ".parquet", again, refused],
    );
    Failing::new().stops(
        "down at earlier dates",
        at("/url_keys/", "GET"),
        &["GET http://", again, refused],
    );
    Failing::new().stops(
        "down at a data file",
        at("/text/", "PUT"),
        &["PUT http://", again, refused],
    );
}

#[test]
fn an_unreachable_store_stops_the_run() {
    let gone = Server::s3(&std::env::temp_dir(), KEYS).expect("a server");
    let job = |location: &str| {
        let job = Job::of(&rows(SITES[0]))
            .with("store.retries=2")
            .with(location);
        signing(job, &gone, KEYS.secret).with_variable("URLTREE_LOG", "trace")
    };
    let jobs = [
        (job("archive.location=s3://pages/crawl"), "s3://pages/crawl"),
        (job("output.location=s3://text/tables"), "s3://text/tables/"),
    ];
    drop(gone);
    for (job, named) in jobs {
        let finished = job.command("backfill", &["--dates", OCTOBER]);
        assert_eq!(finished.code, Some(4), "{}", finished.stderr);
        assert_silent(named, &finished);
        for word in [
            named,
            "GET http://",
            "after 2 retries",
            "Connection refused",
        ] {
            assert!(
                finished.stderr.contains(word),
                "{word}: {}",
                finished.stderr
            );
        }
        assert!(!job.has_tables());
    }
}

#[test]
fn a_missing_bucket_stops_the_run() {
    let store = store(Faults::new(|_| None));
    for setting in [
        "archive.location=s3://no-such-bucket/a",
        "output.location=s3://no-such-bucket/a",
    ] {
        let finished = job(&store)
            .with(setting)
            .command("backfill", &["--dates", OCTOBER]);
        assert_eq!(finished.code, Some(4), "{setting}: {}", finished.stderr);
        assert!(
            finished.stderr.contains("s3://no-such-bucket/a"),
            "{}",
            finished.stderr
        );
        assert_silent(setting, &finished);
    }
    assert_eq!(tables(&store, &[]), Snapshot::new());
}

#[test]
fn a_denied_query_is_reported_as_a_store_error() {
    let store = store(Faults::new(|_| Some(Fault::Denied)));
    for command in [&["sql", "SELECT * FROM runs"][..], &["status"]] {
        let finished = job(&store).command(command[0], &command[1..]);
        assert_eq!(finished.code, Some(4), "{command:?}: {}", finished.stderr);
        assert!(finished.stderr.contains("403"), "{}", finished.stderr);
        assert_silent(command[0], &finished);
    }
}

#[test]
fn invalid_retry_settings_are_refused() {
    for (setting, expected) in [
        ("store.timeout=0s", "expected a time such as 30s"),
        ("store.retry_timeout=1h", "fixed now; remove it"),
    ] {
        let error = Job::of(&rows(SITES[0])).with(setting).refused(OCTOBER, 2);
        let key = setting.split('=').next().unwrap_or_default();
        assert!(error.contains(key) && error.contains(expected), "{error}");
    }
}
