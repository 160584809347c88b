//! The plan of an import by an index.

use std::collections::BTreeMap;

use crawl_index::{Plan, RefusedReason, Totals};

use crate::error::ImportError;
use crate::index::answer::Client;
use crate::index::bases::Bases;
use crate::index::chooser::{Chooser, Origin, Unreadable};
use crate::index::hosts::Hosts;
use crate::index::inputs::{Kind, expand};
use crate::index::options::IndexOptions;
use crate::index::{blocks, columns, server, text};
use crate::{Progress, Quiet};

/// The requests that get the chosen records. It is in memory: some 500 bytes for each record of Common Crawl, and
/// 660 while it is made.
#[derive(Debug)]
pub struct IndexPlan {
    pub(crate) plan: Plan,
    pub(crate) bases: Bases,
    /// Indexes that were read.
    pub indexes: u64,
    /// Records that are not chosen, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Lines of the indexes that cannot be read.
    pub unreadable: Unreadable,
}

impl IndexPlan {
    /// The sums of the plan.
    pub fn totals(&self) -> Totals {
        self.plan.totals()
    }

    /// Chosen records that another line of the indexes has too.
    pub fn duplicates(&self) -> u64 {
        self.plan.duplicates
    }

    /// Chosen records that cannot be asked for, by reason.
    pub fn refused(&self) -> BTreeMap<String, u64> {
        let mut refused = BTreeMap::new();
        for record in &self.plan.refused {
            *refused.entry(name(record.reason)).or_default() += 1;
        }
        refused
    }
}

/// The reason by which records that cannot be asked for are counted.
pub(crate) fn name(reason: RefusedReason) -> String {
    match reason {
        RefusedReason::TooLong { .. } => "it is larger than a request may be".to_owned(),
        other => other.to_string(),
    }
}

/// Reads indexes, and plans the requests for the chosen records. Nothing is written.
///
/// An index is a file, or a folder of files: CDX or CDXJ with gzip or without, a Parquet file with the columns of Common Crawl's
/// index, a WACZ file. Of a `.idx` file of `ZipNum`, the blocks that may have chosen records are read. Or it is the URL of a CDX server.
///
/// # Errors
/// [`ImportError`] if an index cannot be read. A line that cannot be read is counted.
pub async fn plan_index(
    indexes: &[String],
    options: &IndexOptions,
) -> Result<IndexPlan, ImportError> {
    plan(indexes, options, &Quiet).await
}

async fn plan(
    names: &[String],
    options: &IndexOptions,
    progress: &impl Progress,
) -> Result<IndexPlan, ImportError> {
    let (indexes, bases) = expand(names, options.base.as_deref()).await?;
    let ranges = options.selection.ranges();
    let client = Client::new()?;
    let hosts = Hosts::new(options.manners, options.attempts, BTreeMap::new());
    let mut chooser = Chooser::new(options.selection.clone());
    let count = indexes.len() as u64;
    for index in indexes {
        let origin = Origin {
            index: index.label,
            base: index.base,
            // The index in a WACZ file has all lines.
            may_point: matches!(&index.kind, Kind::Lines { input, .. } if input.range.is_none()),
            is_server: matches!(index.kind, Kind::Server(_)),
        };
        chooser = match index.kind {
            Kind::Lines { input, is_deflated } => {
                let mut read = text::read(&input, is_deflated, origin.clone(), chooser).await?;
                let found = read.blocks.take();
                let origin = Origin {
                    may_point: false,
                    ..origin
                };
                blocks::read(found, &origin, read).await?
            }
            Kind::Columns { location, bytes } => {
                columns::read(&location, bytes, &ranges, &origin, chooser).await?
            }
            Kind::Server(url) => {
                let asks = (&client, &hosts);
                server::read(&url, &options.selection, &origin, asks, chooser, progress).await?
            }
        };
    }
    let left_out = chooser.left_out();
    Ok(IndexPlan {
        plan: Plan::new(chooser.records, options.plan_limits()),
        bases,
        indexes: count,
        left_out,
        unreadable: chooser.unreadable,
    })
}
