//! Runs one extractor over the pages on standard input, as a worker of `../README.md`:
//! `urltree-peers NAME`.

mod extractors;

use std::any::Any;
use std::error::Error;
use std::io::{BufRead, Write, stdin, stdout};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};
use std::process::ExitCode;

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use extractors::{EXTRACTORS, Extraction, Extractor};

#[derive(Serialize)]
struct Header {
    extractor: &'static str,
    version: &'static str,
    runtime: &'static str,
}

#[derive(Deserialize)]
struct Page {
    page: u64,
    url: String,
    html: String,
}

#[derive(Serialize)]
struct Answer {
    page: u64,
    #[serde(flatten)]
    outcome: Outcome,
    cpu_seconds: f64,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Outcome {
    Extracted(Extraction),
    Failed { error: String },
}

fn main() -> ExitCode {
    let name = std::env::args().nth(1).unwrap_or_default();
    let Some(extractor) = EXTRACTORS.iter().find(|extractor| extractor.name == name) else {
        let known: Vec<_> = EXTRACTORS.iter().map(|extractor| extractor.name).collect();
        eprintln!("usage: urltree-peers {}", known.join("|"));
        return ExitCode::from(2);
    };
    match answer_all(extractor) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::FAILURE
        }
    }
}

fn answer_all(extractor: &Extractor) -> Result<(), Box<dyn Error>> {
    // A panic is reported as the error of its page, not on standard error.
    set_hook(Box::new(|_| {}));
    let mut out = stdout().lock();
    let header = Header {
        extractor: extractor.name,
        version: locked_version(extractor.package),
        runtime: concat!("Rust ", env!("RUSTC_VERSION")),
    };
    writeln!(out, "{}", serde_json::to_string(&header)?)?;
    for line in stdin().lock().lines() {
        let page: Page = serde_json::from_str(&line?)?;
        writeln!(out, "{}", serde_json::to_string(&answer(extractor, &page))?)?;
        out.flush()?;
    }
    Ok(())
}

fn answer(extractor: &Extractor, page: &Page) -> Answer {
    let start = cpu_seconds();
    let result = catch_unwind(AssertUnwindSafe(|| {
        (extractor.extract)(&page.html, &page.url)
    }));
    let cpu_seconds = cpu_seconds() - start;
    let outcome = match result {
        Ok(Ok(extraction)) => Outcome::Extracted(extraction),
        Ok(Err(error)) => Outcome::Failed {
            error: error.to_string(),
        },
        Err(panic) => Outcome::Failed {
            error: format!("panicked: {}", message(panic.as_ref())),
        },
    };
    Answer {
        page: page.page,
        outcome,
        cpu_seconds,
    }
}

/// Returns the user and system time of this process so far.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn message(panic: &(dyn Any + Send)) -> &str {
    panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied())
        .unwrap_or("no message")
}

/// Returns the version of a package from the lock file of this build.
fn locked_version(package: &str) -> &'static str {
    include_str!("../Cargo.lock")
        .split_once(&format!("name = \"{package}\"\nversion = \""))
        .and_then(|(_, rest)| rest.split_once('"'))
        .map_or("unknown", |(version, _)| version)
}
