//! The cost of a job over a whole archive.

use anyhow::Result;

use super::pages::Archive;
use super::parsers::Parsers;
use super::runs::{Program, Runs, bytes_below};
use super::table::table;

/// The jobs that are run over the whole archive.
pub(crate) struct Jobs(Vec<Job>);

struct Job {
    name: &'static str,
    settings: [&'static str; 2],
    runs: Runs,
    output_bytes: u64,
}

impl Jobs {
    /// Creates the jobs: on one core, on two cores, and with the paper's heuristic.
    pub(crate) fn new() -> Self {
        let job = |name, settings| Job {
            name,
            settings,
            runs: Runs::default(),
            output_bytes: 0,
        };
        Self(vec![
            job("one core", ["run.threads=1", "method=template"]),
            job("two cores", ["run.threads=2", "method=template"]),
            job("one core, paper", ["run.threads=1", "method=paper"]),
        ])
    }

    /// Runs each job once over the archive.
    pub(crate) fn round(&mut self, urltree: &Program, archive: &Archive) -> Result<()> {
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

    /// The CPU time of the job on one core.
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
                format!("{:.2}", cpu * 1e3 / archive.pages as f64),
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
            "CPU, ms a page",
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
            ("keys in time order, labels", step("Site")),
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
