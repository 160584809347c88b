//! How URLs become keys.

use crate::domain::Grouping;

/// Whether the scheme is part of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// `http` and `https` URLs of a page have one key, printed with `http`.
    #[default]
    Merge,
    /// Keys keep the scheme, as in the original [O A2].
    Separate,
}

/// How a URL is read where the original reads it otherwise than servers do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reading {
    /// Escapes of bytes that are not UTF-8 stay escapes, because other bytes are another address.
    /// Rules match the URL without the session ids in its path.
    #[default]
    Server,
    /// As in the original: invalid escapes are U+FFFD [O A5], and a session id is a part of the
    /// path that rules match.
    Original,
}

/// Options of a [`Keyer`](crate::Keyer).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyOptions {
    /// Whether the scheme is part of a key. Default: `http` and `https` have one key.
    pub scheme: Scheme,
    /// How escapes and session ids are read. Default: as servers read them.
    pub reading: Reading,
    /// The rule by which pages share a domain. Default: by registrable domain.
    pub grouping: Grouping,
    /// Suffixes in addition to the public-suffix list: `go.com` makes `abcnews.go.com` a domain,
    /// as in the evaluation of the paper [O B9]. Default: none.
    pub extra_suffixes: Vec<String>,
    /// Maximum length of a URL in bytes. Default 8192: the request line that servers commonly
    /// accept, and twenty times the length that the original stores [O F6]. A lower limit
    /// rejects more pages ([`UrlError::TooLong`](crate::UrlError::TooLong)); a higher one lets a URL cost more.
    pub max_url_bytes: usize,
    /// Maximum number of path segments, each of which is a node of a URL Tree. Default 256. A
    /// lower limit rejects more pages ([`UrlError::TooDeep`](crate::UrlError::TooDeep)); a higher one allows deeper trees.
    pub max_path_segments: usize,
}

impl Default for KeyOptions {
    fn default() -> Self {
        KeyOptions {
            scheme: Scheme::default(),
            reading: Reading::default(),
            grouping: Grouping::default(),
            extra_suffixes: Vec::new(),
            max_url_bytes: 8192,
            max_path_segments: 256,
        }
    }
}
