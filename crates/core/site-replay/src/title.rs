//! The title that a page's content id is made of.

use serde::{Deserialize, Serialize};
use url_key::{Keyer, PageUrl};

/// Source of the title whose hash is the content id: `paper.title` of a job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TitleSource {
    /// The archive's title if it has one, else the page's `<title>`.
    #[default]
    Auto,
    /// The archive's `title` column: the feed item's title, as in the paper.
    Feed,
    /// The page's `<title>`.
    Html,
}

impl TitleSource {
    /// Returns the archive's title if this setting uses it.
    pub fn feed_title(self, title: Option<&str>) -> Option<&str> {
        match self {
            Self::Auto | Self::Feed => title,
            Self::Html => None,
        }
    }

    /// Whether the key of a page depends on its `<title>`: the rule that applies to
    /// `url` retains the content id, and the archive's title is missing or not used.
    pub fn needs_html(self, keyer: &Keyer, url: &PageUrl, title: Option<&str>) -> bool {
        self != Self::Feed && self.feed_title(title).is_none() && keyer.needs_title(url)
    }
}
