//! A job on workers: other processes read the pages and write the files of its tables.

use std::io::{BufRead, BufReader, Read};
use std::process::Child;

use crate::law::archive::{FIRST, LAST, busy_archive};
use crate::support::{Finished, Job, assert_same, contents, signal, start_urltree, urltree};

/// A worker process. It is killed when dropped.
struct Worker {
    process: Child,
    address: String,
}

impl Worker {
    fn start() -> Self {
        let mut process = start_urltree(&[
            "worker",
            "--listen",
            "127.0.0.1:0",
            "--threads",
            "1",
            "--memory",
            "256MB",
        ]);
        let out = process.stdout.take().expect("a pipe");
        let mut line = String::new();
        BufReader::new(out)
            .read_line(&mut line)
            .expect("a line of the worker");
        let address = line.trim().strip_prefix("listening on ");
        let address = address.expect("an address").to_owned();
        Self { process, address }
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
fn job(archive: &std::path::Path) -> Job {
    Job::new()
        .reading(archive)
        .with("output.write_blocks=true")
        .with("run.threads=1")
        .with("run.chunk_bytes=500KB")
}

/// The same on workers. The driver is still while they work, and a chunk takes longer than the time-out.
fn job_on_workers(archive: &std::path::Path) -> Job {
    job(archive).with("run.stall_timeout=200ms")
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
    let dates = format!("{FIRST}..{LAST}");
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let workers = on(&[&one, &two]);
    let arguments = ["--dates", &dates, "--workers", &workers];
    let mut run = together.start("backfill", &arguments, None);
    let mut messages = BufReader::new(run.stderr.take().expect("a pipe"));
    until_committed(&mut messages);
    signal(&two.process, "KILL");
    let mut rest = String::new();
    messages
        .read_to_string(&mut rest)
        .expect("messages of the run");
    let code = run.wait().expect("a child to wait for").code();
    assert_eq!(code, Some(0), "{rest}");
    assert!(rest.contains(&two.address), "{rest}");
    assert!(rest.contains("runs again on the workers"), "{rest}");
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "one worker left");
}

#[test]
fn a_run_without_any_worker_left_ends_and_the_same_command_continues_it() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let dates = format!("{FIRST}..{LAST}");
    let alone = job(archive.path());
    alone.run(&dates);
    let (one, two) = (Worker::start(), Worker::start());
    let together = job_on_workers(archive.path());
    let workers = on(&[&one, &two]);
    let arguments = ["--dates", &dates, "--workers", &workers];
    let mut run = together.start("backfill", &arguments, None);
    let mut messages = BufReader::new(run.stderr.take().expect("a pipe"));
    until_committed(&mut messages);
    signal(&one.process, "KILL");
    signal(&two.process, "KILL");
    let mut rest = String::new();
    messages
        .read_to_string(&mut rest)
        .expect("messages of the run");
    let code = run.wait().expect("a child to wait for").code();
    assert!(matches!(code, Some(4 | 5)), "{code:?}: {rest}");
    assert!(rest.contains("error: "), "{rest}");
    let done = backfill(&together, &dates, &[&Worker::start(), &Worker::start()]);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    together.assert_accounts();
    assert_same(&contents(&alone), &contents(&together), "new workers");
}

/// Reads messages until the first chunk is committed.
fn until_committed(messages: &mut impl BufRead) {
    let mut line = String::new();
    while !line.contains("committed") {
        line.clear();
        let bytes = messages.read_line(&mut line).expect("messages of the run");
        assert!(bytes > 0, "the run ended before its first commit");
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
