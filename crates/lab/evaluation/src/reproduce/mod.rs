//! The tables and figures of the source papers, from results.
//!
//! Each function is the view of one experiment: it takes what [`compare`](crate::compare) measured
//! and returns the rows that the paper printed. P is Sluban and Grčar 2013, K Kovačič 2012,
//! A Alarte et al. 2018, N Laber et al. 2009 (NCE).

mod alarte;
mod kovacic;
mod markdown;
mod memory;
mod nce;
mod url_tree;

pub use alarte::{methods_table, run_times, sites_table};
pub use kovacic::{cases_table, means_table};
pub use markdown::markdown;
pub use memory::{DomainMemory, memory_table, tree_memory};
pub use nce::{ALL_TEXT, ablation_table, all_text, relevance_table};
pub use url_tree::{algorithms_table, domains_table, finals_table, test_part};

use scoring::{Outcome, Score, Summary};

use crate::{PageResult, PublishedFigure};

/// The figure that a source published for an extractor of today.
fn published<'f>(
    figures: &'f [PublishedFigure],
    source: &str,
    extractor: &str,
) -> Option<&'f PublishedFigure> {
    let found = |figure: &&PublishedFigure| {
        figure.source.starts_with(source) && figure.extractor == extractor
    };
    figures.iter().find(found)
}

/// The mean over all pages that count.
fn mean<'r>(results: impl IntoIterator<Item = &'r &'r PageResult>) -> Option<Score> {
    let outcomes = results.into_iter().map(|page| page.outcome);
    Some(Summary::from_outcomes(outcomes).spread?.mean)
}

/// Whether a page has a score that the thesis averages.
fn is_measured(page: &PageResult) -> bool {
    matches!(page.outcome, Outcome::Measured(_))
}

/// A number with four decimals.
fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
