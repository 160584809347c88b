//! Whole runs of the binary.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wait4::Wait4;

use crate::pages::Archive;
use crate::parsers::Parsers;
use crate::table::{median, table};

/// The binary.
pub(crate) struct Urltree(PathBuf);

/// What one run took.
pub(crate) struct Ran {
    /// Of the processor, all threads, user and system.
    pub(crate) cpu_seconds: f64,
    pub(crate) seconds: f64,
    pub(crate) peak_bytes: u64,
    /// What it printed: a line of JSON each.
    pub(crate) lines: Vec<Value>,
}

impl Urltree {
    pub(crate) fn at(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path)?;
        ensure!(
            path.is_file(),
            "{}: no binary; make bench builds it",
            path.display()
        );
        Ok(Self(path))
    }

    /// Writes a sample archive of these dates below `folder`, of about so many pages.
    pub(crate) fn sample(&self, folder: &Path, dates: &str, pages: u64) -> Result<()> {
        let (folder, pages) = (folder.to_string_lossy(), pages.to_string());
        let of = ["--output", &folder, "--dates", dates, "--pages", &pages];
        self.run("sample", &of).map(drop)
    }

    /// Runs the dates of `archive` that are new to the tables in `output`, all of them
    /// where there are none.
    pub(crate) fn job(&self, archive: &Path, output: &Path, settings: &[&str]) -> Result<Ran> {
        let job = output.with_extension("toml");
        let spec = serde_json::json!({
            "archive": archive.to_string_lossy(),
            "output": output.to_string_lossy(),
        });
        let text = format!(
            "archive.location = {}\noutput.location = {}\n",
            spec["archive"], spec["output"]
        );
        std::fs::write(&job, text).with_context(|| job.display().to_string())?;
        let job = job.to_string_lossy().into_owned();
        let mut arguments = vec!["--format", "json", "--job", &job];
        settings
            .iter()
            .for_each(|setting| arguments.extend(["--set", setting]));
        self.run("update", &arguments)
    }

    pub(crate) fn run(&self, subcommand: &str, arguments: &[&str]) -> Result<Ran> {
        let out = tempfile::NamedTempFile::new()?;
        let started = Instant::now();
        let child = Command::new(&self.0)
            .arg(subcommand)
            .args(arguments)
            .arg("-q")
            .stdout(Stdio::from(out.reopen()?))
            .spawn()?;
        let ended = child.wait4()?;
        let seconds = started.elapsed().as_secs_f64();
        if !ended.status.success() {
            bail!(
                "urltree {subcommand} {}: {}",
                arguments.join(" "),
                ended.status
            );
        }
        let printed = std::fs::read_to_string(out.path())?;
        Ok(Ran {
            cpu_seconds: (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
            seconds,
            peak_bytes: ended.rusage.maxrss,
            lines: (printed.lines())
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect(),
        })
    }
}

impl Ran {
    /// A number of the report of a job.
    pub(crate) fn number(&self, path: &str) -> f64 {
        let found = self.lines.first().and_then(|report| report.pointer(path));
        found.and_then(Value::as_f64).unwrap_or(0.0)
    }
}

/// Runs of the same job; of each figure the median counts.
#[derive(Default)]
pub(crate) struct Runs(Vec<Ran>);

impl Runs {
    pub(crate) fn push(&mut self, ran: Ran) {
        self.0.push(ran);
    }

    pub(crate) fn median(&self, of: impl Fn(&Ran) -> f64) -> f64 {
        median(self.0.iter().map(of).collect())
    }

    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.median(|run| run.cpu_seconds)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.median(|run| run.seconds)
    }

    pub(crate) fn peak_bytes(&self) -> f64 {
        self.median(|run| run.peak_bytes as f64)
    }

    /// What an operator tells.
    pub(crate) fn operator(&self, name: &str, what: &str) -> f64 {
        self.median(|run| run.number(&format!("/operators/{name}/{what}")))
    }
}

/// Runs of the whole archive.
pub(crate) struct Jobs(Vec<Job>);

struct Job {
    name: &'static str,
    settings: [&'static str; 2],
    runs: Runs,
    output_bytes: u64,
}

impl Jobs {
    /// The job on one core and on two, and with the paper's heuristic.
    pub(crate) fn new() -> Self {
        let job = |name, settings| Job {
            name,
            settings,
            runs: Runs::default(),
            output_bytes: 0,
        };
        Self(vec![
            job("one core", ["run.threads=1", "tree.heuristic=template"]),
            job("two cores", ["run.threads=2", "tree.heuristic=template"]),
            job(
                "one core, strict",
                ["run.threads=1", "tree.heuristic=strict"],
            ),
        ])
    }

    /// Runs each once over the archive.
    pub(crate) fn round(&mut self, urltree: &Urltree, archive: &Archive) -> Result<()> {
        for job in &mut self.0 {
            let folder = tempfile::tempdir()?;
            let output = folder.path().join("tables");
            let [threads, heuristic] = job.settings;
            let settings = [threads, heuristic, "output.partition=year"];
            job.runs
                .push(urltree.job(&archive.path, &output, &settings)?);
            job.output_bytes = bytes_below(&output)?;
        }
        Ok(())
    }

    /// On one core.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.0[0].runs.cpu_seconds()
    }

    pub(crate) fn table(&self, archive: &Archive, parsers: &Parsers) -> String {
        let html = archive.html_bytes as f64;
        let one = self.0[0].runs.seconds();
        let rows = self.0.iter().map(|job| {
            let (cpu, seconds) = (job.runs.cpu_seconds(), job.runs.seconds());
            let shuffled = job.runs.operator("RepartitionExec", "bytes");
            vec![
                job.name.to_owned(),
                format!("{:.0}", archive.pages as f64 / seconds),
                format!("{:.0}", html / 1e6 / cpu),
                format!("{:.2}", parsers.html5ever() / cpu),
                format!("{:.2}", one / seconds),
                format!("{:.0}", job.runs.peak_bytes() / 1e6),
                format!("{:.3}", shuffled / html),
                format!("{:.3}", job.output_bytes as f64 / html),
            ]
        });
        let head = [
            "whole job",
            "pages/s",
            "MB/s of a core",
            "x html5ever",
            "x one core",
            "peak MB",
            "shuffled / HTML",
            "output / HTML",
        ];
        format!("{archive}.\n\n{}", table(&head, rows))
    }

    pub(crate) fn stages(&self, parsers: &Parsers) -> String {
        let runs = &self.0[0].runs;
        let all = runs.cpu_seconds();
        let step = |name| runs.operator(name, "seconds");
        let block = step("Block");
        let (hashes, reading) = (parsers.hashes(), parsers.reading());
        let narrow = step("Scan") + step("Key") + step("Dedupe");
        let moving = step("RepartitionExec") + step("SortExec");
        let parsing = parsers.blocks() - hashes;
        let stages = [
            ("URLs: read, key, look for duplicates", narrow),
            ("HTML: decompress, decode (measured alone)", reading),
            ("HTML: tokenise, blocks (measured alone)", parsing),
            ("hash (measured alone)", hashes),
            ("blocks to columns", block - parsing - hashes - reading),
            ("shuffle, sort", moving),
            ("replay", step("Replay")),
            ("write", step("Write")),
        ];
        let known: f64 = stages.iter().map(|(_, seconds)| seconds).sum();
        let rest = [("the rest: commit, allocation, threads", all - known)];
        let rows = stages.iter().chain(&rest).map(|(stage, seconds)| {
            vec![
                (*stage).to_owned(),
                format!("{:.2}", seconds),
                format!("{:.1} %", seconds / all * 100.0),
            ]
        });
        table(&["one core", "seconds", "share"], rows)
    }
}

/// Bytes of all files below a folder.
pub(crate) fn bytes_below(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += match about.is_dir() {
            true => bytes_below(&entry.path())?,
            false => about.len(),
        };
    }
    Ok(bytes)
}
