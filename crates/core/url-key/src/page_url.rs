//! Parsing of a page's URL.

use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;

use url::{Host, Url};

use crate::address::without_noise;
use crate::domain::{Domain, Suffixes};
use crate::escape::{Decoded, Place};
use crate::options::{KeyOptions, Reading, Scheme};
use crate::query::Query;
use crate::rules::Rule;

/// A URL parsed by a [`Keyer`](crate::Keyer), with the rule that applies to it.
#[derive(Clone, Debug)]
pub struct PageUrl {
    /// `scheme://host[:port]/segments`, without query.
    pub(crate) address: String,
    pub(crate) domain: Domain,
    pub(crate) query: Query,
    pub(crate) rule: Option<Arc<Rule>>,
    pub(crate) blocklisted: bool,
}

impl PageUrl {
    /// The domain of the page.
    pub fn domain(&self) -> &Domain {
        &self.domain
    }

    /// The names of the parameters, each in the first spelling of the URL, which a rule must use.
    pub fn parameter_names(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.query.names()
    }
}

/// The reason why a URL has no key.
///
/// The job writes the `Display` text into its quarantine table, so the texts are stable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UrlError {
    /// The URL is longer than [`KeyOptions::max_url_bytes`].
    #[error("the URL has {seen} bytes, the limit is {limit}")]
    TooLong {
        /// The limit in bytes.
        limit: usize,
        /// The length of the URL in bytes.
        seen: usize,
    },
    /// The path has more segments than [`KeyOptions::max_path_segments`].
    #[error("the path has {seen} segments, the limit is {limit}")]
    TooDeep {
        /// The limit.
        limit: usize,
        /// The number of segments.
        seen: usize,
    },
    /// The text is not an absolute URL.
    #[error("not a URL: {source}")]
    Unparsable {
        /// The error of the URL parser.
        source: url::ParseError,
    },
    /// The scheme is neither `http` nor `https`.
    #[error("`{scheme}` is not a scheme of web pages, which have http or https")]
    UnsupportedScheme {
        /// The scheme, in lower case.
        scheme: String,
    },
    /// The host is not a name of the domain name system: it has an empty label or more than 253
    /// bytes.
    #[error("`{host}` is not a host name")]
    InvalidHost {
        /// The host as parsed.
        host: String,
    },
    /// The host is itself a suffix of a registry, such as `co.uk`.
    #[error("`{host}` is a public suffix and belongs to no domain")]
    NoDomain {
        /// The host.
        host: String,
    },
}

/// Maximum length of a host name in bytes (RFC 1035).
const MAX_HOST_BYTES: usize = 253;

/// The parts of a URL, before rules and blocklist are applied.
pub(crate) struct Parts {
    scheme: &'static str,
    host: String,
    /// `None` for the default port of the scheme that the key is printed with.
    port: Option<u16>,
    domain: Domain,
    /// Decoded, none of them empty.
    segments: Vec<Decoded>,
    query: Query,
    reading: Reading,
}

impl Parts {
    pub(crate) fn parse(
        text: &str,
        options: &KeyOptions,
        suffixes: &Suffixes,
    ) -> Result<Self, UrlError> {
        if text.len() > options.max_url_bytes {
            return Err(UrlError::TooLong {
                limit: options.max_url_bytes,
                seen: text.len(),
            });
        }
        let url = Url::parse(text).map_err(|source| UrlError::Unparsable { source })?;
        let scheme = match (url.scheme(), options.scheme) {
            ("http", _) | ("https", Scheme::Merge) => "http",
            ("https", Scheme::Separate) => "https",
            (other, _) => {
                return Err(UrlError::UnsupportedScheme {
                    scheme: other.to_owned(),
                });
            }
        };
        let (host, domain) = place(&url, suffixes)?;
        let segments: Vec<Decoded> = url
            .path()
            .split('/')
            .map(|segment| Decoded::new(segment, options.reading))
            .filter(|segment| !segment.is_empty())
            .collect();
        if segments.len() > options.max_path_segments {
            return Err(UrlError::TooDeep {
                limit: options.max_path_segments,
                seen: segments.len(),
            });
        }
        Ok(Parts {
            scheme,
            host,
            // Port 80 is not the default of `https`, but becomes it when the scheme changes.
            port: url.port().filter(|&port| scheme == "https" || port != 80),
            domain,
            segments,
            query: (url.query())
                .map(|query| Query::parse(query, options.reading))
                .unwrap_or_default(),
            reading: options.reading,
        })
    }

    pub(crate) fn query(&self) -> &Query {
        &self.query
    }

    /// The spellings that rules and blocklist are matched with: the whole URL with scheme `http`,
    /// and for port 80 both with and without it. A URL with a session id in its path is matched
    /// without it.
    pub(crate) fn spellings(&self) -> Vec<String> {
        /// A placeholder, so that the title never decides which rule applies.
        const SOME_CONTENT_ID: &str = "00000000000000000000000000000000";

        let spelling = |port: Option<u16>| {
            let mut url = self.address("http", port);
            if self.reading == Reading::Server {
                url = without_noise(&url).unwrap_or(url);
            }
            self.query.print(&mut url, Some(SOME_CONTENT_ID));
            url
        };
        match self.port {
            None | Some(80) => vec![spelling(Some(80)), spelling(None)],
            port => vec![spelling(port)],
        }
    }

    pub(crate) fn into_page_url(self, rule: Option<Arc<Rule>>, blocklisted: bool) -> PageUrl {
        PageUrl {
            address: self.address(self.scheme, self.port),
            domain: self.domain,
            query: self.query,
            rule,
            blocklisted,
        }
    }

    /// `scheme://host[:port]/segments`.
    fn address(&self, scheme: &str, port: Option<u16>) -> String {
        // Capacity for the address and a query of common length.
        let path: usize = self.segments.iter().map(|segment| segment.len() + 1).sum();
        let mut address = String::with_capacity(self.host.len() + path + 64);
        for part in [scheme, "://", &self.host] {
            address.push_str(part);
        }
        if let Some(port) = port {
            // Writing to a String cannot fail.
            let _ = write!(address, ":{port}");
        }
        for segment in &self.segments {
            address.push('/');
            segment.print(&mut address, Place::Path);
        }
        address
    }
}

/// The host as printed, and its domain.
fn place(url: &Url, suffixes: &Suffixes) -> Result<(String, Domain), UrlError> {
    match url.host() {
        Some(Host::Domain(name)) => {
            let host = name.strip_suffix('.').unwrap_or(name).to_owned();
            if host.len() > MAX_HOST_BYTES || host.split('.').any(str::is_empty) {
                return Err(UrlError::InvalidHost { host });
            }
            let Some(domain) = suffixes.domain(&host) else {
                return Err(UrlError::NoDomain { host });
            };
            Ok((host, domain))
        }
        Some(address) => {
            let host = address.to_string();
            let domain = Domain::from_name(&host);
            Ok((host, domain))
        }
        // Not reached: a URL with one of these schemes has a host.
        None => Err(UrlError::InvalidHost {
            host: String::new(),
        }),
    }
}
