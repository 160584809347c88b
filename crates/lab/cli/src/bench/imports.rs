//! Imports of WARC files beside other readers of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::pages::write_sample;
use super::runs::{Program, Runs};
use super::table::{median, table};

const DATES: [&str; 2] = ["2011-10-24", "2011-11-24"];
/// Other readers, as `tests/elsewhere/speed.py` names them, and their lines of the table.
const READERS: [(&str, &str); 3] = [
    ("parquet", "FastWARC with pyarrow: Parquet in time order"),
    ("fastwarc", "FastWARC, records are read and dropped"),
    ("warcio", "warcio, records are read and dropped"),
];

/// Imports the WARC files of a sample, and reads them with FastWARC and warcio. Returns the table.
pub(crate) fn measure(urltree: &Program, folder: &Path, rounds: usize) -> Result<String> {
    let sample = folder.join("crawl");
    write_sample(&sample, DATES, 8_000, true)?;
    let files = files(&sample.join("warc"))?;
    let input = sample.join("warc").to_string_lossy().into_owned();
    let mut runs = Runs::default();
    let mut others: Vec<(&str, Vec<f64>)> = Vec::new();
    for round in 0..rounds {
        let output = folder.join(format!("imported-{round}"));
        let output = output.to_string_lossy().into_owned();
        let arguments = [
            "warc", &input, "--output", &output, "--files", "1", "--format", "json",
        ];
        runs.push(urltree.run("import", &arguments)?);
        for (reader, name) in READERS {
            match read(reader, &files) {
                Ok(seconds) => match others.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, found)) => found.push(seconds),
                    None => others.push((name, vec![seconds])),
                },
                Err(error) => tracing::warn!("SKIPPED {name}: {error:#}"),
            }
        }
    }
    let html = runs.median(|run| run.number("/html_bytes"));
    let ours = runs.cpu_seconds();
    let row = |name: &str, seconds: f64| {
        vec![
            name.to_owned(),
            format!("{:.0}", html / 1e6 / seconds),
            format!("{:.2}", seconds / ours),
        ]
    };
    let first = row("urltree import warc: Parquet in time order", ours);
    let others = others.into_iter();
    let others = others.map(|(name, seconds)| row(name, median(seconds)));
    Ok(table(
        &["one core", "MB of HTML/s", "x the import"],
        [first].into_iter().chain(others),
    ))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let files: std::io::Result<Vec<PathBuf>> = entries.map(|entry| Ok(entry?.path())).collect();
    files.with_context(|| folder.display().to_string())
}

/// CPU seconds that another reader takes, without the start of its process.
fn read(reader: &str, files: &[PathBuf]) -> Result<f64> {
    let python = std::env::var("URLTREE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let mut command = Command::new(&python);
    command.arg("tests/elsewhere/speed.py").arg(reader);
    let output = command.args(files).output().context(python)?;
    let error = String::from_utf8_lossy(&output.stderr);
    let last = error.lines().last().unwrap_or_default();
    ensure!(output.status.success(), "{last}");
    let report: Value = serde_json::from_slice(&output.stdout)?;
    report["cpu_seconds"].as_f64().context("no cpu_seconds")
}
