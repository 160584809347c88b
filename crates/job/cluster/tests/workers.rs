//! Two workers leave the tables that one process leaves.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use bytesize::ByteSize;
use cluster::{Access, Cluster, listen, serve};
use datafusion::arrow::util::pretty::pretty_format_batches;
use engine::{
    Accepted, CancellationToken, Job, JobSpec, Progress, RowsAndBytes, WorkerResources, backfill,
    explain,
};
use query::query;
use sample::{SampleOptions, write_sample};
use tables::{DateRange, Location};

const TABLES: [&str; 5] = [
    "url_keys",
    "documents",
    "quarantine",
    "window_entries",
    "url_parameters",
];

fn resources(threads: usize) -> WorkerResources {
    WorkerResources {
        threads,
        memory: ByteSize::mb(256),
        spill_dir: None,
        spill_limit: ByteSize::gb(1),
    }
}

/// Starts a worker in this process, with `threads` partitions of each stage. Returns its address.
async fn worker(threads: usize, stop: &CancellationToken) -> String {
    let listener = listen("127.0.0.1:0", Access::Loopback).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let metrics = Arc::default();
    tokio::spawn(serve(
        listener,
        resources(threads),
        None,
        metrics,
        stop.clone(),
    ));
    address
}

fn job(folder: &Path, tables: &str) -> Job {
    let archive = folder.join("sample/pages").display().to_string();
    let tables = folder.join(tables).display().to_string();
    let mut spec = JobSpec::new(archive, tables);
    spec.run.threads = Some(2);
    spec.run.chunk_bytes = ByteSize::mb(4);
    Job::new(&spec).unwrap()
}

/// The progress of runs.
#[derive(Debug, Default)]
struct Seen {
    rows: AtomicU64,
    html_bytes: AtomicU64,
    processes: AtomicUsize,
}

impl Progress for Seen {
    fn report(&self, done: RowsAndBytes) {
        self.rows.fetch_add(done.rows, Ordering::Relaxed);
        self.html_bytes
            .fetch_add(done.html_bytes, Ordering::Relaxed);
    }

    fn processes(&self, count: usize) {
        self.processes.store(count, Ordering::Relaxed);
    }
}

/// Runs each of `runs`, and returns the sorted rows of all tables, and the progress.
async fn rows(job: &Job, runs: &[&str]) -> (Vec<String>, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    for dates in runs {
        let dates = dates.parse().unwrap();
        let (progress, stop) = (Arc::clone(&seen), CancellationToken::new());
        let run = backfill(job, dates, Accepted::default(), progress, &stop);
        run.await.unwrap();
    }
    let mut tables = Vec::new();
    for table in TABLES {
        let rows = query(job, &format!("SELECT * FROM {table}")).await.unwrap();
        let rows = pretty_format_batches(&rows).unwrap().to_string();
        let mut rows: Vec<&str> = rows.lines().collect();
        rows.sort_unstable();
        tables.push(rows.join("\n"));
    }
    (tables, seen)
}

/// The plan crosses the network above the step that writes: all steps are stages of workers.
async fn assert_workers_read_and_write(job: &Job) {
    let plan = explain(job, "2011-10-24".parse().unwrap()).await.unwrap();
    let line = |name: &str| plan.lines().position(|line| line.trim().starts_with(name));
    assert_eq!(line("DistributedExec"), Some(0), "{plan}");
    let network = line("NetworkCoalesceExec").or(line("[Stage"));
    assert!(network.unwrap() < line("WriteExec").unwrap(), "{plan}");
    assert!(line("WriteExec") < line("ScanExec"), "{plan}");
}

#[test]
fn workers_leave_the_tables_of_one_process() {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // Decoding a plan is recursive, and deep in a debug build.
        .thread_stack_size(32 << 20)
        .build()
        .unwrap();
    let compared = async || {
        let folder = tempfile::tempdir().unwrap();
        let sample = folder.path().join("sample").display().to_string();
        let dates: DateRange = "2011-10-24..2011-11-24".parse().unwrap();
        let options = SampleOptions {
            first: dates.first(),
            last: dates.last(),
            pages: 600,
            seed: 7,
        };
        let sample = Location::parse(&sample).unwrap();
        write_sample(&options, &sample).await.unwrap();
        let runs = [
            "2011-10-24..2011-11-13",
            "2011-11-14",
            "2011-11-15..2011-11-24",
        ];
        let (alone, seen_alone) = rows(&job(folder.path(), "alone"), &runs).await;
        let parsed = seen_alone.rows.load(Ordering::Relaxed);
        assert!(parsed > 0);
        assert_eq!(seen_alone.processes.load(Ordering::Relaxed), 0);
        let stop = CancellationToken::new();
        for (count, threads) in [(3, 2), (2, 16)] {
            let mut workers = Vec::new();
            for _ in 0..count {
                workers.push(worker(threads, &stop).await);
            }
            let job = job(folder.path(), &format!("by-{count}-{threads}"));
            let cluster = Cluster::connect(&job, &workers, None).await.unwrap();
            assert_eq!(cluster.workers().len(), count);
            let job = job.with_session_extension(Arc::new(cluster));
            assert_workers_read_and_write(&job).await;
            let (together, seen) = rows(&job, &runs).await;
            // The workers count the pages, and the driver asks them.
            assert_eq!(seen.rows.load(Ordering::Relaxed), parsed);
            assert!(seen.html_bytes.load(Ordering::Relaxed) > 0);
            assert_eq!(seen.processes.load(Ordering::Relaxed), count);
            for (table, (together, alone)) in TABLES.iter().zip(together.iter().zip(&alone)) {
                assert!(alone.lines().count() > 3, "{table} is empty");
                assert_eq!(
                    together, alone,
                    "{table} of {count} workers with {threads} partitions"
                );
            }
        }
        stop.cancel();
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(32 << 20);
        let run = thread.spawn_scoped(scope, || runtime.block_on(compared()));
        run.unwrap().join().unwrap();
    });
}
