//! Runs of the binary, with their cost.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use wait4::Wait4;

use super::table::median;

/// A program whose cost is measured.
pub(crate) struct Program(PathBuf);

/// The cost and the output of one run.
pub(crate) struct Run {
    /// CPU time of all threads, user and system.
    pub(crate) cpu_seconds: f64,
    /// Elapsed time.
    pub(crate) seconds: f64,
    /// Largest resident set, also of the process that started it: a child begins as its copy.
    peak_bytes: u64,
    /// The lines of standard output that are JSON.
    pub(crate) lines: Vec<Value>,
}

impl Program {
    /// This program.
    pub(crate) fn this() -> Result<Self> {
        Ok(Self(std::env::current_exe()?))
    }

    pub(crate) fn at(path: &Path) -> Result<Self> {
        let path = std::path::absolute(path)?;
        ensure!(
            path.is_file(),
            "the binary {} does not exist; `make bench` builds it",
            path.display()
        );
        Ok(Self(path))
    }

    /// Processes the dates of `archive` that the tables in `output` do not have yet. Without
    /// tables these are all dates.
    pub(crate) fn job(&self, archive: &Path, output: &Path, settings: &[&str]) -> Result<Run> {
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

    pub(crate) fn run(&self, subcommand: &str, arguments: &[&str]) -> Result<Run> {
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
            bail!("{subcommand} {}: {}", arguments.join(" "), ended.status);
        }
        let printed = std::fs::read_to_string(out.path())?;
        Ok(Run {
            cpu_seconds: (ended.rusage.utime + ended.rusage.stime).as_secs_f64(),
            seconds,
            peak_bytes: ended.rusage.maxrss,
            lines: printed
                .lines()
                .filter_map(|line| serde_json::from_str(line).ok())
                .collect(),
        })
    }
}

impl Run {
    /// Returns a number from the report of a job, or 0 if it is missing.
    pub(crate) fn number(&self, path: &str) -> f64 {
        let found = self.lines.first().and_then(|report| report.pointer(path));
        found.and_then(Value::as_f64).unwrap_or(0.0)
    }
}

/// Several runs of the same job. Each figure is the median over the runs.
#[derive(Default)]
pub(crate) struct Runs(Vec<Run>);

impl Runs {
    pub(crate) fn push(&mut self, run: Run) {
        self.0.push(run);
    }

    pub(crate) fn median(&self, figure: impl Fn(&Run) -> f64) -> f64 {
        median(self.0.iter().map(figure).collect())
    }

    pub(crate) fn cpu_seconds(&self) -> f64 {
        self.median(|run| run.cpu_seconds)
    }

    pub(crate) fn seconds(&self) -> f64 {
        self.median(|run| run.seconds)
    }

    /// Most resident memory: of the report, which is that of the run alone.
    pub(crate) fn peak_bytes(&self) -> f64 {
        self.median(|run| match run.number("/peak_memory_bytes") {
            0.0 => run.peak_bytes as f64,
            reported => reported,
        })
    }

    /// Returns a metric of an operator of the plan.
    pub(crate) fn operator(&self, name: &str, metric: &str) -> f64 {
        self.median(|run| run.number(&format!("/operators/{name}/{metric}")))
    }
}

/// Returns the bytes of all files below a folder.
pub(crate) fn bytes_below(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let about = entry.metadata()?;
        bytes += if about.is_dir() {
            bytes_below(&entry.path())?
        } else {
            about.len()
        };
    }
    Ok(bytes)
}
