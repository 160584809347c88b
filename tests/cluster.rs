//! A job on workers: other processes read the pages and write the files of its tables.

mod faults;
pub(crate) mod worker;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::Value;

use crate::plain_folders::listed;
use crate::support::busy::{FIRST, busy_archive, busy_rows};
use crate::support::{
    Job, assert_same, contents, contents_anywhere, signal, urltree, write_groups,
};
use worker::{Worker, backfill, begin, days, end, job, job_on_workers, on, rows_of, until};

#[test]
fn worker_processes_leave_the_tables_of_one_process() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let alone = job(archive.path());
    alone.run(&days());
    let (one, two) = (Worker::start(), Worker::start());
    let workers = [&one, &two];
    let together = job_on_workers(archive.path());
    let arguments = ["--plan", "--dates", FIRST, "--workers", &on(&workers)];
    let plan = together.command("backfill", &arguments).stdout;
    assert!(plan.starts_with("DistributedExec"), "{plan}");
    for cut in [
        together,
        job_on_workers(archive.path()).with("run.buckets=3"),
    ] {
        let done = backfill(&cut, &days(), &workers);
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        cut.assert_accounts();
        assert_same(&contents(&alone), &contents(&cut), "two workers");
    }
}

/// Files with other names, so that they are listed and divided in another order.
#[test]
fn workers_leave_the_same_tables_for_shuffled_files() {
    let rows = busy_rows();
    let parts: Vec<_> = rows.chunks(rows.len().div_ceil(5)).collect();
    let archive = |names: [&str; 5]| {
        let folder = tempfile::tempdir().expect("a folder for the archive");
        for (name, part) in names.iter().zip(&parts) {
            write_groups(&folder.path().join(format!("{name}.parquet")), part, 97);
        }
        folder
    };
    let (sorted, shuffled) = (
        archive(["a", "b", "c", "d", "e"]),
        archive(["d", "a", "e", "c", "b"]),
    );
    let alone = job(sorted.path());
    alone.run(&days());
    let workers = [Worker::start(), Worker::start(), Worker::start()];
    let alone = contents_anywhere(&alone);
    for buckets in ["run.buckets=1", "run.buckets=3"] {
        let together = job_on_workers(shuffled.path()).with(buckets);
        let done = backfill(&together, &days(), &workers.each_ref());
        assert_eq!(done.code, Some(0), "{}", done.stderr);
        together.assert_accounts();
        let cut = job(shuffled.path()).with(buckets);
        cut.run(&days());
        for job in [&together, &cut] {
            assert_same(&alone, &contents_anywhere(job), buckets);
        }
    }
}

/// Workers write data files to the folder of staged files, and the driver moves them.
#[test]
fn workers_leave_plain_folders() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let workers = [Worker::start(), Worker::start()];
    let job = job_on_workers(archive.path()).with("output.format=parquet");
    for time in ["once", "twice"] {
        let done = backfill(&job, &days(), &workers.each_ref());
        assert_eq!(done.code, Some(0), "{time}: {}", done.stderr);
        for table in ["documents", "url_keys"] {
            let listed: usize = listed(job.tables(), table).values().sum();
            let rows = job.row(&format!("SELECT count(*) AS n FROM {table}"));
            assert_eq!(rows["n"], listed, "{table} {time}");
        }
    }
}

/// The report has the CPU time of workers, and the bytes that crossed the network.
#[test]
fn a_run_reports_the_costs_of_its_workers() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let workers = [Worker::start(), Worker::start()];
    let job = job_on_workers(archive.path());
    let workers = on(&workers.each_ref());
    let arguments = [
        "--dates",
        &days(),
        "--format",
        "json",
        "--workers",
        &workers,
    ];
    let done = job.command("backfill", &arguments);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let report: Value = serde_json::from_str(&done.stdout).expect("a report in JSON");
    let seconds = |step: &str| report["operators"][step]["seconds"].as_f64();
    for step in ["Scan", "Key", "Dedupe", "Block", "Site", "Write"] {
        assert!(seconds(step) > Some(0.0), "{step}: {report}");
    }
    let received = |step: &str| {
        let name = format!("NetworkShuffleExec of {step}");
        report["operators"][name]["network_bytes"].as_u64()
    };
    let html = report["html_bytes"].as_u64();
    for step in ["Key", "Dedupe", "Block"] {
        assert!(received(step) > Some(0), "{step}: {report}");
        assert!(received(step) < html, "{step}: {report}");
    }
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

#[test]
fn a_worker_tells_its_health_and_what_it_did() {
    let archive = tempfile::tempdir().expect("a folder for the archive");
    busy_archive(archive.path());
    let (one, two) = (Worker::start(), Worker::start());
    let workers = [&one, &two];
    assert!(one.page("/healthz").0.contains("200"));
    let begun = Instant::now();
    while !one.page("/readyz").0.contains("200") {
        assert!(begun.elapsed() < Duration::from_secs(30), "not ready");
    }
    assert!(one.page("/other").0.contains("404"));
    assert_eq!(rows_of(&one, "Block"), 0);
    let job = job_on_workers(archive.path());
    let done = backfill(&job, &days(), &workers);
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    let pages: usize = contents(&job)["documents"].len();
    let counted: u64 = workers.iter().map(|worker| rows_of(worker, "Site")).sum();
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
