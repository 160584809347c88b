//! The settings of a job that a replay needs.

use std::sync::Arc;

use html_blocks::BlockOptions;
use site_replay::{Batching, Lookback, Queries, TitleSource};
use template::marks::Marks;
use url_key::Keyer;
use url_tree::{Constants, WindowOptions};

/// The settings of a job that decide its texts, except the heuristic.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReplaySettings {
    /// `[url_key]` and `[domain]`: scheme, rules, blocklist, suffixes.
    pub keyer: Keyer,
    /// `paper.title`
    pub title: TitleSource,
    /// `paper.lookback`
    pub lookback: Lookback,
    /// `paper.queries`
    pub queries: Queries,
    /// `dedup.revisions`
    pub revisions: bool,
    /// `paper.split`, `paper.joining` and `[limits]`
    pub blocks: BlockOptions,
    /// `paper.n_min` and `paper.c_max`
    pub constants: Constants,
    /// `tree.paths`: DOM paths that are marked, for the heuristic `template`.
    pub marks: Arc<Marks>,
    /// `paper.batching`
    pub batching: Batching,
    /// `tree.relabel_days`
    pub relabel_days: u32,
    /// `[window]`
    pub window: WindowOptions,
}

impl ReplaySettings {
    /// Returns the defaults of a job with this keyer. A job's default keyer has rules:
    /// see `url_key.rules`.
    pub fn new(keyer: Keyer) -> Self {
        Self {
            keyer,
            title: TitleSource::default(),
            lookback: Lookback::All,
            queries: Queries::default(),
            revisions: false,
            blocks: BlockOptions::default(),
            constants: Constants::default(),
            marks: Arc::default(),
            batching: Batching::default(),
            relabel_days: 0,
            window: WindowOptions::default(),
        }
    }
}
