//! A value with its source.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a value was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// A script with schema.org data.
    JsonLd,
    /// `<meta property="og:...">` and `article:...`.
    OpenGraph,
    /// Another `<meta>`.
    Meta,
    /// `rel="canonical"` and `rel="license"`.
    Link,
    /// An element with an `itemprop`.
    Microdata,
    /// A `<time>` element.
    Time,
    /// The page's address.
    Url,
    /// An element whose class or id names a date or an author.
    Class,
    /// The text near the first heading.
    Text,
    /// A link whose `rel` says nothing.
    Anchor,
}

impl Source {
    /// A stable code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::JsonLd => "json_ld",
            Self::OpenGraph => "open_graph",
            Self::Meta => "meta",
            Self::Link => "link",
            Self::Microdata => "microdata",
            Self::Time => "time",
            Self::Url => "url",
            Self::Class => "class",
            Self::Text => "text",
            Self::Anchor => "anchor",
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A value and its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found<T> {
    /// The value.
    pub value: T,
    /// Where it was found.
    pub source: Source,
}

impl<T> Found<T> {
    pub(crate) fn new(value: T, source: Source) -> Self {
        Self { value, source }
    }
}
