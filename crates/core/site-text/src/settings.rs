//! The settings of a job that decide the text of a page.

use std::sync::Arc;

use html_blocks::BlockOptions;
use site_replay::{Batching, Labelling, Lookback, Queries, TitleSource};
use template::marks::Marks;
use url_key::Keyer;
use url_tree::{Constants, WindowOptions};

/// The settings of a job that decide the text of a page.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SiteSettings {
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
    /// `paper.heuristic`
    pub labelling: Labelling,
    /// `paper.n_min` and `paper.c_max`
    pub constants: Constants,
    /// `tree.paths`: DOM paths that are marked, with [`Labelling::Template`].
    pub marks: Arc<Marks>,
    /// `paper.batching`
    pub batching: Batching,
    /// `[window]`
    pub window: WindowOptions,
}

impl SiteSettings {
    /// Returns the defaults of a job with this keyer.
    pub fn new(keyer: Keyer) -> Self {
        Self {
            keyer,
            title: TitleSource::default(),
            lookback: Lookback::All,
            queries: Queries::default(),
            revisions: false,
            blocks: BlockOptions::default(),
            labelling: Labelling::default(),
            constants: Constants::default(),
            marks: Arc::default(),
            batching: Batching::default(),
            window: WindowOptions::default(),
        }
    }
}
