//! The command `reproduce`: the tables and figures of the source papers.
//!
//! An experiment is one or more runs of `urltree-lab eval` with fixed options, and views of their
//! results. The report names these commands, so that each can be varied.

mod args;
mod experiments;
mod found;
mod list;

use anyhow::{Context, Result};

use crate::args::RowFormat;
use crate::rows;
use found::Reproduction;

pub(crate) use args::ReproduceArgs;

/// The figures of the papers.
const PUBLISHED: &str = include_str!("../../../../../tests/accuracy/published.toml");

/// Runs the experiment that the arguments name, or lists all. Returns its tables as text.
pub(crate) fn reproduce(args: &ReproduceArgs) -> Result<String> {
    let Some(name) = args.name.as_deref().filter(|_| !args.list) else {
        return rows::text(&list::table()?, args.format);
    };
    let experiment = list::by_name(name)?;
    experiment.check(args)?;
    let reproduction = Reproduction {
        args,
        published: toml::from_str(PUBLISHED).context("the published figures")?,
    };
    let found = (experiment.run)(&reproduction)?;
    for reason in &found.left_out {
        tracing::warn!("left out: {reason}");
    }
    let folder = args.output.join(experiment.name);
    let heading = format!("# {}\n\n{}.\n", experiment.source, experiment.shows);
    found.write(&heading, &folder)?;
    let mut text = String::new();
    for (title, table) in &found.tables {
        if args.format == RowFormat::Table {
            text.push_str(&format!("{title}\n"));
        }
        text.push_str(rows::text(table, args.format)?.trim_end());
        text.push('\n');
    }
    Ok(text)
}
