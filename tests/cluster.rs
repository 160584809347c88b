//! A job on workers: other processes read the pages and write the files of its tables.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};

use crate::law::archive::{FIRST, LAST, busy_archive};
use crate::support::{Finished, Job, assert_same, contents, signal, start_urltree, urltree};

/// A worker process. It is killed when dropped.
struct Worker {
    process: Child,
    address: String,
    /// Address of its health and metrics.
    metrics: String,
}

impl Worker {
    fn start() -> Self {
        Self::with(&[])
    }

    fn with(arguments: &[&str]) -> Self {
        let given = "worker --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --threads 1 --memory 256MB";
        let given: Vec<&str> = given.split(' ').chain(arguments.iter().copied()).collect();
        let mut process = start_urltree(&given);
        let out = process.stdout.take().expect("a pipe");
        let mut lines = BufReader::new(out).lines();
        let mut address = |name: &str| {
            let line = lines.next().expect("a line").expect("a line of the worker");
            line.strip_prefix(name).expect("an address").to_owned()
        };
        let metrics = address("metrics on ");
        let address = address("listening on ");
        Self {
            process,
            address,
            metrics,
        }
    }

    /// Returns the status line and the body of a page of the metrics.
    fn page(&self, path: &str) -> (String, String) {
        let mut connection = TcpStream::connect(&self.metrics).expect("a connection");
        write!(connection, "GET {path} HTTP/1.0\r\n\r\n").expect("a request");
        let mut answer = String::new();
        connection.read_to_string(&mut answer).expect("an answer");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a body");
        let status = head.lines().next().unwrap_or_default();
        (status.to_owned(), body.to_owned())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Chunks of a few days.
fn job(archive: &Path) -> Job {
    Job::new()
        .reading(archive)
        .with("output.write_blocks=true")
        .with("run.threads=1")
        .with("run.chunk_bytes=500KB")
}

/// The same on workers. A worker that is silent for some seconds counts as gone.
fn job_on_workers(archive: &Path) -> Job {
    job(archive).with("run.stall_timeout=4s")
}

/// Days of five chunks.
fn days() -> String {
    format!("{FIRST}..2011-10-16")
}

fn on(workers: &[&Worker]) -> String {
    let addresses: Vec<&str> = workers.iter().map(|worker| &*worker.address).collect();
    addresses.join(",")
}

fn backfill(job: &Job, dates: &str, workers: &[&Worker]) -> Finished {
    let workers = on(workers);
    job.command("backfill", &["--dates", dates, "--workers", &workers])
}

#[test]
fn worker_processes_leave_the_tables_of_one_process() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let alone = job(archive.path());
    alone.run(&format!("{FIRST}..{LAST}"));
    let (one, two) = (Worker::start(), Worker::start());
    let workers = [&one, &two];
    let together = job_on_workers(archive.path());
    let arguments = ["--explain", "--dates", FIRST, "--workers", &on(&workers)];
    let plan = together.command("backfill", &arguments).stdout;
    assert!(plan.starts_with("DistributedExec"), "{plan}");
    let done = backfill(&together, &format!("{FIRST}..{LAST}"), &workers);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "two workers");
}

#[test]
fn chunks_of_a_worker_that_is_killed_run_on_the_others() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = days();
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let (mut run, mut messages) = begin(&together, &dates, &on(&[&one, &two]));
    until(&mut messages, "committed");
    until_busy(&two);
    signal(&two.process, "KILL");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains(&two.address), "{rest}");
    assert!(rest.contains("runs again on the workers"), "{rest}");
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "one worker left");
}

/// A stopped process keeps its connections open, and wakes up when its chunk was run elsewhere.
#[test]
fn chunks_of_a_worker_that_is_stopped_run_on_the_others() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = days();
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two, three) = (Worker::start(), Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let workers = on(&[&one, &two, &three]);
    let (mut run, mut messages) = begin(&together, &dates, &workers);
    until(&mut messages, "committed");
    until_busy(&two);
    signal(&two.process, "STOP");
    until(&mut messages, "runs again on the workers");
    until(&mut messages, "committed");
    signal(&two.process, "CONT");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(0), "{rest}");
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "a stopped worker");
}

#[test]
fn a_driver_that_is_killed_is_continued_by_the_same_command() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = days();
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    // The lease of a killed process ends after some heartbeats.
    let together = job_on_workers(archive.path()).with("run.heartbeat=1s");
    let (mut run, mut messages) = begin(&together, &dates, &on(&[&one, &two]));
    until(&mut messages, "committed");
    signal(&run, "KILL");
    run.wait().expect("a child to wait for");
    let done = backfill(&together, &dates, &[&one, &two]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "two drivers");
}

#[test]
fn a_worker_that_is_added_to_the_file_joins_at_the_next_chunk() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = days();
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let folder = tempfile::tempdir().expect("a folder for the addresses");
    let file = folder.path().join("workers.txt");
    std::fs::write(&file, format!("{}\n{}\n", one.address, two.address)).expect("a file");
    let workers = format!("file:{}", file.display());
    let (mut run, mut messages) = begin(&together, &dates, &workers);
    until(&mut messages, "committed");
    let three = Worker::start();
    std::fs::write(&file, format!("{}\n{}\n", one.address, three.address)).expect("a file");
    let joined = until(&mut messages, "joins");
    assert!(joined.contains(&three.address), "{joined}");
    let (code, rest) = end(&mut run, &mut messages);
    assert_eq!(code, Some(0), "{rest}");
    assert!(!rest.contains("runs again"), "{rest}");
    assert!(rows_of(&three, "Block") > 0);
    assert_same(&contents(&alone), &contents(&together), "another worker");
}

/// Reads the rows that a step gave from the metrics of a worker.
fn rows_of(worker: &Worker, step: &str) -> u64 {
    let (status, text) = worker.page("/metrics");
    assert!(status.contains("200"), "{status}");
    let name = format!("urltree_step_rows_total{{step=\"{step}\"}} ");
    let rows = text.lines().find_map(|line| line.strip_prefix(&name));
    rows.map_or(0, |rows| rows.parse().expect("a number"))
}

#[test]
fn a_worker_tells_its_health_and_what_it_did() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let (one, two) = (Worker::start(), Worker::start());
    let workers = [&one, &two];
    for page in ["/healthz", "/readyz"] {
        assert!(one.page(page).0.contains("200"), "{page}");
    }
    assert!(one.page("/other").0.contains("404"));
    assert_eq!(rows_of(&one, "Block"), 0);
    let job = job_on_workers(archive.path());
    let done = backfill(&job, &days(), &workers);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let pages: usize = contents(&job)["documents"].len();
    let counted: u64 = workers.iter().map(|worker| rows_of(worker, "Replay")).sum();
    assert!(counted >= pages as u64, "{counted} of {pages} pages");
    let (_, text) = one.page("/metrics");
    for name in [
        "urltree_step_bytes_total{step=\"Block\"} ",
        "urltree_reserved_memory_bytes ",
        "urltree_spilled_bytes ",
        "urltree_peak_memory_bytes ",
        "# EOF",
    ] {
        assert!(text.contains(name), "{name}: {text}");
    }
    signal(&one.process, "TERM");
    let mut one = one;
    let status = one.process.wait().expect("a child to wait for");
    assert!(status.success(), "{status}");
}

/// Certificates of a new authority in a folder: `ca.pem`, and `NAME.pem` with `NAME.key`.
fn certificates(folder: &Path, names: &[&str]) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().expect("a key");
    let certificate = authority.self_signed(&key).expect("a certificate");
    std::fs::write(folder.join("ca.pem"), certificate.pem()).expect("a file");
    let issuer = Issuer::new(authority, key);
    for name in names {
        let key = KeyPair::generate().expect("a key");
        let leaf = CertificateParams::new(vec!["127.0.0.1".to_owned()]).expect("a name");
        let leaf = leaf.signed_by(&key, &issuer).expect("a certificate");
        std::fs::write(folder.join(format!("{name}.pem")), leaf.pem()).expect("a file");
        std::fs::write(folder.join(format!("{name}.key")), key.serialize_pem()).expect("a file");
    }
}

/// The options of a process that has the certificate `name` in `folder`.
fn tls(folder: &Path, name: &str) -> Vec<String> {
    let file = |name: String| -> String {
        let path: PathBuf = folder.join(name);
        path.display().to_string()
    };
    [
        ("--tls-certificate", format!("{name}.pem")),
        ("--tls-key", format!("{name}.key")),
        ("--tls-authority", "ca.pem".to_owned()),
    ]
    .into_iter()
    .flat_map(|(option, name)| [option.to_owned(), file(name)])
    .collect()
}

#[test]
fn only_drivers_with_a_certificate_of_the_authority_reach_workers_that_ask_for_one() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let ours = tempfile::tempdir().expect("a folder for certificates");
    certificates(ours.path(), &["one", "two", "driver"]);
    let theirs = tempfile::tempdir().expect("a folder for certificates");
    certificates(theirs.path(), &["driver"]);
    let worker = |name: &str| {
        let options = tls(ours.path(), name);
        Worker::with(&options.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let (one, two) = (worker("one"), worker("two"));
    let workers = on(&[&one, &two]);
    let dates = days();
    let run = |job: &Job, options: &[String]| {
        let given = ["--dates", &dates, "--workers", &workers].map(str::to_owned);
        let arguments: Vec<String> = given.into_iter().chain(options.iter().cloned()).collect();
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        job.command("backfill", &arguments)
    };
    let together = job_on_workers(archive.path());
    for options in [Vec::new(), tls(theirs.path(), "driver")] {
        let refused = run(&together, &options);
        assert_eq!(refused.code, Some(4), "{}", refused.stderr);
        assert!(
            refused.stderr.contains("does not answer"),
            "{}",
            refused.stderr
        );
        assert!(!together.has_tables());
    }
    let missing = run(&together, &tls(ours.path(), "nobody"));
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(missing.stderr.contains("nobody.pem"), "{}", missing.stderr);
    let done = run(&together, &tls(ours.path(), "driver"));
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert!(rows_of(&one, "Block") > 0 && rows_of(&two, "Block") > 0);
    let alone = job(archive.path());
    alone.run(&dates);
    assert_same(&contents(&alone), &contents(&together), "encrypted");
}

#[test]
fn a_run_without_any_worker_left_ends_and_the_same_command_continues_it() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = days();
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let (mut run, mut messages) = begin(&together, &dates, &on(&[&one, &two]));
    until(&mut messages, "committed");
    signal(&one.process, "KILL");
    signal(&two.process, "KILL");
    let (code, rest) = end(&mut run, &mut messages);
    assert!(matches!(code, Some(4 | 5)), "{code:?}: {rest}");
    assert!(rest.contains("error: "), "{rest}");
    let done = backfill(&together, &dates, &[&Worker::start(), &Worker::start()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "new workers");
}

/// Starts a backfill. Returns it and its messages.
fn begin(job: &Job, dates: &str, workers: &str) -> (Child, BufReader<ChildStderr>) {
    let arguments = ["--dates", dates, "--workers", workers];
    let mut run = job.start("backfill", &arguments, None);
    let messages = BufReader::new(run.stderr.take().expect("a pipe"));
    (run, messages)
}

/// Waits for the end of a run. Returns its code and the rest of its messages.
fn end(run: &mut Child, messages: &mut impl BufRead) -> (Option<i32>, String) {
    let mut rest = String::new();
    messages
        .read_to_string(&mut rest)
        .expect("messages of the run");
    (run.wait().expect("a child to wait for").code(), rest)
}

/// Waits until a worker runs a part of the next chunk.
fn until_busy(worker: &Worker) {
    let before = rows_of(worker, "Scan");
    let begun = Instant::now();
    while rows_of(worker, "Scan") == before {
        assert!(begun.elapsed() < Duration::from_secs(60), "no work");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Reads messages until one has `text`, and returns it.
fn until(messages: &mut impl BufRead, text: &str) -> String {
    let mut all = String::new();
    loop {
        let mut line = String::new();
        let bytes = messages.read_line(&mut line).expect("messages of the run");
        assert!(bytes > 0, "the run ended without {text}: {all}");
        if line.contains(text) {
            return line;
        }
        all += &line;
    }
}

#[test]
fn addresses_without_a_worker_and_open_addresses_are_refused() {
    let (there, ended) = (Worker::start(), Worker::start());
    let gone = ended.address.clone();
    drop(ended);
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let job = job(archive.path());
    let command =
        |workers: &str| job.command("backfill", &["--dates", FIRST, "--workers", workers]);
    let done = command(&format!("{},{gone}", there.address));
    assert_eq!(done.code, Some(4), "{}", done.stderr);
    assert!(done.stderr.contains(&gone), "{}", done.stderr);
    let done = command(&there.address);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("two or more"), "{}", done.stderr);
    let done = command("nowhere,nobody");
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("HOST:PORT"), "{}", done.stderr);
    assert!(!job.has_tables());
    let done = urltree(&["worker", "--listen", "0.0.0.0:0"]);
    assert_eq!(done.code, Some(2), "{}", done.stderr);
    assert!(done.stderr.contains("--insecure"), "{}", done.stderr);
}
