//! What several pages list: counts by name, and pages.

use crate::format::{percent, time};

/// A name, and how often it occurs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Count {
    /// The name.
    pub name: String,
    /// The number.
    pub count: u64,
}

/// A page in a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListedPage {
    /// Response URL.
    pub url: String,
    /// `<title>`; empty if it has none.
    pub title: String,
    /// Public suffix and one label.
    pub domain: String,
    /// Microseconds since 1970.
    pub fetched_at: i64,
    /// Text blocks that are kept.
    pub content_blocks: u64,
    /// Text blocks.
    pub blocks: u64,
    /// Characters in content blocks.
    pub content_chars: u64,
    /// Characters in boilerplate blocks.
    pub boilerplate_chars: u64,
    /// The address of the page with its blocks, relative to that of the list.
    pub file: Option<String>,
}

impl ListedPage {
    pub(crate) fn share(&self) -> String {
        percent(
            self.content_chars,
            self.content_chars + self.boilerplate_chars,
        )
    }

    pub(crate) fn time(&self) -> String {
        time(self.fetched_at)
    }
}
