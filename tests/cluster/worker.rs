//! Worker processes, and jobs that run on them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::busy::FIRST;
use crate::support::{Finished, Job, urltree_command};

/// A worker process. It is killed when dropped.
pub(crate) struct Worker {
    pub(super) process: Child,
    pub(super) address: String,
    /// Address of its health and metrics.
    metrics: String,
}

impl Worker {
    pub(crate) fn start() -> Self {
        Self::with(&[])
    }

    pub(super) fn with(arguments: &[&str]) -> Self {
        Self::spawn(&mut Self::command("256MB", arguments))
    }

    /// The command of a worker with one thread.
    pub(super) fn command(memory: &str, arguments: &[&str]) -> Command {
        let given = "worker --listen 127.0.0.1:0 --metrics 127.0.0.1:0 --threads 1 --memory";
        let given = given.split(' ').chain([memory]);
        let given: Vec<&str> = given.chain(arguments.iter().copied()).collect();
        urltree_command(&given)
    }

    pub(super) fn spawn(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = command.spawn().expect("the binary can be started");
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
    pub(super) fn page(&self, path: &str) -> (String, String) {
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
pub(super) fn job(archive: &Path) -> Job {
    Job::new()
        .reading(archive)
        .with("output.write=blocks")
        .with("run.threads=1")
        .with("run.chunk_bytes=500KB")
}

/// Returns a job for workers, of which one that is silent for some seconds counts as gone.
pub(super) fn job_on_workers(archive: &Path) -> Job {
    job(archive).with("run.stall_timeout=4s")
}

/// Days of five chunks.
pub(super) fn days() -> String {
    format!("{FIRST}..2011-10-16")
}

pub(super) fn on(workers: &[&Worker]) -> String {
    let addresses: Vec<&str> = workers.iter().map(|worker| &*worker.address).collect();
    addresses.join(",")
}

pub(crate) fn backfill(job: &Job, dates: &str, workers: &[&Worker]) -> Finished {
    let workers = on(workers);
    job.command("backfill", &["--dates", dates, "--workers", &workers])
}

/// Reads the rows that a step gave from the metrics of a worker.
pub(super) fn rows_of(worker: &Worker, step: &str) -> u64 {
    metric_of(
        worker,
        &format!("urltree_step_rows_total{{step=\"{step}\"}}"),
    )
}

/// Reads a number from the metrics of a worker, 0 if it is missing.
pub(super) fn metric_of(worker: &Worker, name: &str) -> u64 {
    let (status, text) = worker.page("/metrics");
    assert!(status.contains("200"), "{status}");
    let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
    let value = values.next().map(str::trim);
    value.map_or(0, |value| value.parse().expect("a number"))
}

/// Starts a backfill. Returns it and its messages.
pub(super) fn begin(job: &Job, dates: &str, workers: &str) -> (Child, BufReader<ChildStderr>) {
    let arguments = ["--dates", dates, "--workers", workers];
    let mut run = job.start("backfill", &arguments, None);
    let messages = BufReader::new(run.stderr.take().expect("a pipe"));
    (run, messages)
}

/// Waits for the end of a run. Returns its code and the rest of its messages.
pub(super) fn end(run: &mut Child, messages: &mut impl BufRead) -> (Option<i32>, String) {
    let mut rest = String::new();
    messages
        .read_to_string(&mut rest)
        .expect("messages of the run");
    (run.wait().expect("a child to wait for").code(), rest)
}

/// Waits until a worker runs a part of the next chunk.
pub(super) fn until_busy(worker: &Worker) {
    let before = rows_of(worker, "Scan");
    let begun = Instant::now();
    while rows_of(worker, "Scan") == before {
        assert!(begun.elapsed() < Duration::from_secs(60), "no work");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Reads messages until one has `text`, and returns it.
pub(super) fn until(messages: &mut impl BufRead, text: &str) -> String {
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
