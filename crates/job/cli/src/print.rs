//! Prints results and errors.

use std::io::Write;

use anyhow::{Context, Result};
use engine::{EngineError, Failure};
use export::ExportError;
use fetch::FetchError;
use import::ImportError;
use serve::ServeError;

/// Prints a result to standard output.
pub(crate) fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()) {
        // A reader such as `head` has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the result"),
    }
}

/// Returns a text of a crawled page for a terminal: control characters are replaced, and lines stay.
pub(crate) fn visible_lines(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(report::visible).collect();
    lines.join("\n")
}

/// Formats an error. Errors of the engine, of imports, fetches and servers include their causes,
/// others do not.
pub(crate) fn message(error: &anyhow::Error) -> String {
    if error.is::<Failure>()
        || error.is::<EngineError>()
        || error.is::<ExportError>()
        || error.is::<ImportError>()
        || error.is::<FetchError>()
        || error.is::<ServeError>()
    {
        error.to_string()
    } else {
        format!("{error:#}")
    }
}
