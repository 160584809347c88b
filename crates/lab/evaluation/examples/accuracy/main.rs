//! Measures the default method and the paper's `strict` on every kind of page, and counts the
//! words that each reason drops and keeps wrongly.
//!
//! ```sh
//! cargo build --release -p urltree-evaluation --example accuracy
//! target/release/examples/accuracy DATA --write after.tsv --before before.tsv
//! ```
//!
//! `DATA` has the folders `streams`, `pages` and `field`; each Parquet file is a gold set.
//! `--write` stores one line per page. `--before` reads such a file of an earlier build and
//! prints the sites whose F1 changed. `--leave-out NAME=FILE,FILE` reads such files of builds that differ
//! in one threshold, the one in use first, and measures nothing: it chooses the threshold for each
//! kind of page on all other kinds. The output does not depend on the number of threads.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod kinds;
mod leave_out;
mod measure;
mod row;
mod tables;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use crate::leave_out::Threshold;
use crate::row::Row;

const USAGE: &str = "usage: accuracy DATA [--write FILE] [--before FILE] [--only TEXT]\n\
    or: accuracy --leave-out NAME=FILE,FILE [--leave-out NAME=FILE,FILE]...";

/// The arguments of a command.
#[derive(Default)]
struct Arguments {
    data: PathBuf,
    write: Option<PathBuf>,
    before: Option<PathBuf>,
    /// Sets whose path has no such text are left out.
    only: Option<String>,
    /// Thresholds, each with its files.
    leave_out: Vec<String>,
}

fn main() -> ExitCode {
    match arguments().and_then(|arguments| run(&arguments)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("accuracy: {error}");
            ExitCode::FAILURE
        }
    }
}

fn arguments() -> Result<Arguments, String> {
    let mut arguments = Arguments::default();
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or(USAGE);
        match argument.as_str() {
            "--write" => arguments.write = Some(value()?.into()),
            "--before" => arguments.before = Some(value()?.into()),
            "--leave-out" => arguments.leave_out.push(value()?),
            "--only" => arguments.only = Some(value()?),
            _ => arguments.data = argument.into(),
        }
    }
    if arguments.data.as_os_str().is_empty() && arguments.leave_out.is_empty() {
        return Err(USAGE.to_owned());
    }
    Ok(arguments)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    if !arguments.leave_out.is_empty() {
        let thresholds = arguments.leave_out.iter().map(|text| threshold(text));
        let thresholds: Vec<Threshold> = thresholds.collect::<Result<_, _>>()?;
        print!("{}", leave_out::table(&thresholds));
        return Ok(());
    }
    let before = arguments.before.as_deref().map(read).transpose()?;
    let rows = measure::rows(&arguments.data, arguments.only.as_deref())?;
    if let Some(path) = &arguments.write {
        let lines: String = rows.iter().map(|row| row.line() + "\n").collect();
        std::fs::write(path, lines).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    print!("{}", tables::by_kind(&rows));
    print!("\n{}", tables::by_reason(&rows));
    match before {
        Some(before) => print!("\n{}", tables::changes(&before, &rows)),
        None => print!("\n{}", tables::by_site(&rows)),
    }
    Ok(())
}

/// Reads the files of a threshold, `NAME=FILE,FILE`.
fn threshold(text: &str) -> Result<Threshold, String> {
    let (name, files) = text.split_once('=').ok_or(USAGE)?;
    let variant = |file: &str| {
        let path = Path::new(file);
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        Ok((name.into_owned(), read(path)?))
    };
    let variants = files.split(',').map(variant);
    Ok(Threshold {
        name: name.to_owned(),
        variants: variants.collect::<Result<_, String>>()?,
    })
}

fn read(path: &Path) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| format!("{}: {error}", path.display()))?;
    let row = |(at, line): (usize, &str)| {
        let problem = || format!("{} line {}: not a line of --write", path.display(), at + 1);
        Row::parse(line).ok_or_else(problem)
    };
    text.lines().enumerate().map(row).collect()
}
