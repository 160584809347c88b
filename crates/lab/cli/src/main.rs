//! `urltree-lab`: measures what urltree extracts and what it costs.
//!
//! ```text
//! urltree-lab eval --gold gold.parquet --job jobs/backfill.toml
//! ```
//!
//! The program reads the tables of a job as any user of `urltree` does, and replays gold sets with the
//! settings of a job. It writes no table and no archive. Archives of invented sites are written by
//! `urltree-sample`.

mod args;
mod bench;
mod command;
mod eval;
mod exit_code;
mod extract;
mod gold_sets;
mod job;
mod replay_settings;
mod reproduce;
mod rows;
mod usage;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::Parser;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::{LevelFilter, filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use command::{Args, Command};
use exit_code::exit_code;

/// As in `urltree`, so that the costs of parsers are compared under one allocator.
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    let args = Args::parse();
    init_logs(&args);
    let done = match &args.command {
        Command::Eval(args) => eval::eval(args).and_then(|text| print(&text)),
        Command::Tune(args) => gold_sets::tune(args).and_then(|text| print(&text)),
        Command::Reproduce(args) => reproduce::reproduce(args).and_then(|text| print(&text)),
        Command::Extract(args) => extract::extract(args).and_then(|text| print(&text)),
        Command::Gold(args) => gold_sets::gold(args).and_then(|text| print(&text)),
        Command::Bench(args) => bench::bench(args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed stderr must not change the exit code.
            let _ = writeln!(std::io::stderr(), "error: {error:#}");
            ExitCode::from(exit_code(&error))
        }
    }
}

fn init_logs(args: &Args) {
    let level = match (args.quiet, args.verbose) {
        (true, _) => "error",
        (_, false) => "warn,urltree_lab=info,evaluation=info",
        (_, true) => "warn,urltree_lab=debug,evaluation=debug,engine=debug",
    };
    let filter = EnvFilter::try_from_env("URLTREE_LOG").unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .finish()
        // Debug lines of the libraries of stores have printed keys.
        .with(filter_fn(|event| {
            let ours = ["urltree_lab", "evaluation", "engine", "tables"];
            *event.level() <= LevelFilter::WARN
                || ours.contains(&event.target().split("::").next().unwrap_or_default())
        }))
        .init();
}

fn print(text: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match writeln!(out, "{}", text.trim_end()) {
        // A reader such as `head` has closed the pipe.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write the result"),
    }
}
