//! The settings of a job that decide the text of a page.

use std::sync::Arc;

use html_blocks::BlockOptions;
use template::marks::Marks;
use url_key::{Keyer, PageUrl, UrlKey};
use url_tree::{Constants, WindowOptions};

use crate::{Batching, Labelling, Lookback, Queries, TitleSource};

/// The settings of a job that decide the text of a page: of a job, of an evaluation, of Python, and of
/// an explained page.
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
    /// `dedup.revisions`: keep duplicates that have new text.
    pub revisions: bool,
    /// `paper.split`, `paper.joining` and `[limits]`
    pub blocks: BlockOptions,
    /// `paper.heuristic`
    pub labelling: Labelling,
    /// `paper.n_min` and `paper.c_max`
    pub constants: Constants,
    /// Whether each page gets its kind, with [`Labelling::Template`]. It takes the time of the prior on all pages, which
    /// otherwise only those of unknown sites take.
    pub page_kinds: bool,
    /// `tree.paths`: DOM paths that are marked, with [`Labelling::Template`].
    pub marks: Arc<Marks>,
    /// `paper.batching`
    pub batching: Batching,
    /// `tree.relabel_days`: days after a date whose pages decide its labels too.
    pub relabel_days: u32,
    /// `[window]`
    pub window: WindowOptions,
}

impl SiteSettings {
    /// Returns the defaults of a job with this keyer. A job's default keyer has rules: see `url_key.rules`.
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
            page_kinds: false,
            marks: Arc::default(),
            batching: Batching::default(),
            relabel_days: 0,
            window: WindowOptions::default(),
        }
    }

    /// Returns the key of a page of whose site nothing is learned: undecided parts stay.
    pub fn unlearned_key(&self, url: &PageUrl, title: Option<&str>) -> UrlKey {
        match self.queries {
            Queries::Drop => self.keyer.key(url, title),
            Queries::Learn => self.keyer.key_with_parts(url, title, |_, _| false),
        }
    }

    /// Whether pages that differ in undecided parts of their URLs are compared. A page that is compared with
    /// all earlier ones cannot be a new page after some days, so a limited lookback leaves all parts in the
    /// keys, and compares nothing.
    pub fn learns(&self) -> bool {
        self.queries == Queries::Learn && self.lookback == Lookback::All
    }
}
