//! A page: how it was fetched, and the decision about it.

use serde::{Deserialize, Serialize};

/// A page as it was fetched.
#[derive(Clone, Copy, Debug)]
pub struct Fetched<'a> {
    /// The response URL.
    pub url: &'a str,
    /// The body. `None` is quarantined.
    pub html: Option<&'a [u8]>,
    /// The charset parameter of the Content-Type header.
    pub charset: Option<&'a str>,
    /// The title in the feed or the archive, if there is one.
    pub title: Option<&'a str>,
    /// Microseconds since 1970, UTC. `None`: the time of the page before, and 1970 for the first.
    pub fetched_at: Option<i64>,
}

/// The URL of a page and the time of its fetch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PageId {
    /// The response URL.
    pub url: String,
    /// Microseconds since 1970, UTC; `None` if it is unknown.
    pub fetched_at: Option<i64>,
}

/// The decision about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The first page of its URL key. It was inserted.
    Unique,
    /// Another page has its URL key or its content. It was not inserted.
    Duplicate,
    /// A duplicate with unseen text, which was inserted.
    Revision,
    /// The page itself was inserted before.
    Known,
    /// The page was labelled and not inserted, as the caller wanted.
    NotAdded,
    /// The blocklist covers the page.
    Blocklisted,
    /// The page has no URL key or no blocks: see `PageText::problem`.
    Quarantined,
}

impl Status {
    /// A stable name: `unique`, `duplicate`, `revision` and `quarantined` are values of `status` in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Unique => "unique",
            Self::Duplicate => "duplicate",
            Self::Revision => "revision",
            Self::Known => "known",
            Self::NotAdded => "not_added",
            Self::Blocklisted => "blocklisted",
            Self::Quarantined => "quarantined",
        }
    }
}
