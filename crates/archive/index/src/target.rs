//! The sites and pages that are chosen.

use url::{Host, Position, Url};
use url_key::Keyer;

use crate::surt::{KeyRange, every_key, of_domain, of_host, of_prefix};

/// A site, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target(pub(crate) Kind);

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// Every site.
    All,
    /// A registrable domain: its hosts, with any port.
    Domain(String),
    /// One host, with any port.
    Host(String),
    /// URLs of one host and port that begin with a path.
    Prefix(Origin, String),
}

/// Host, and port if it is not the default of the scheme.
pub(crate) type Origin = (String, Option<u16>);

/// A question to a CDX server, as the parameters `url` and `matchType`. Servers answer for names with and without `www.` together,
/// and `host` leaves out other ports, so a [`Selection`](crate::Selection) decides about each record of the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerQuery {
    /// The parameter `url`, not escaped.
    pub url: String,
    /// The parameter `matchType`: `domain`, `host` or `prefix`.
    pub match_type: &'static str,
}

/// A text that names no site.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TargetError {
    /// Neither a host nor a URL.
    #[error("`{text}` is neither a host nor the beginning of a URL: {source}")]
    NotAUrl {
        /// The text.
        text: String,
        /// The error of the URL parser.
        source: url::ParseError,
    },
    /// Another scheme, such as `ftp`.
    #[error("`{text}` has another scheme than http or https")]
    Scheme {
        /// The text.
        text: String,
    },
    /// A host below a domain, or a public suffix.
    #[error("`{text}` is not a registrable domain such as example.co.uk; choose it as a host")]
    NotADomain {
        /// The text.
        text: String,
    },
}

impl Target {
    /// Every site, for an index that a query has cut down already.
    pub fn all() -> Self {
        Self(Kind::All)
    }

    /// All pages of a registrable domain, such as `bbc.co.uk`. The `keyer` has the rules of domains that the job will use.
    ///
    /// # Errors
    ///
    /// Returns a [`TargetError`] for a text that is not a domain by these rules.
    pub fn domain(name: &str, keyer: &Keyer) -> Result<Self, TargetError> {
        let host = host(name)?;
        if domain_of(&host, keyer).as_deref() != Some(&host) {
            let text = name.to_owned();
            return Err(TargetError::NotADomain { text });
        }
        Ok(Self(Kind::Domain(host)))
    }

    /// All pages of one host, with any port. `example.com` and `www.example.com` are two hosts.
    ///
    /// # Errors
    ///
    /// Returns a [`TargetError`] for a text that is not a host.
    pub fn host(name: &str) -> Result<Self, TargetError> {
        Ok(Self(Kind::Host(host(name)?)))
    }

    /// The URLs that begin with `prefix`, with either scheme or none. The path is compared letter by letter: `a.com/news` has
    /// `a.com/newsletter` too. Without a port, the ports are the defaults 80 and 443.
    ///
    /// # Errors
    ///
    /// Returns a [`TargetError`] for a text that does not begin a URL.
    pub fn prefix(prefix: &str) -> Result<Self, TargetError> {
        let trimmed = prefix.trim();
        let url = if trimmed.contains("://") {
            Url::parse(trimmed)
        } else if trimmed.starts_with('/') {
            // Browsers read the first name after any number of slashes as the host.
            Err(url::ParseError::EmptyHost)
        } else {
            Url::parse(&format!("http://{trimmed}"))
        };
        let text = || prefix.to_owned();
        let url = url.map_err(|source| TargetError::NotAUrl {
            text: text(),
            source,
        })?;
        let (origin, path) = parts(&url).ok_or_else(|| TargetError::Scheme { text: text() })?;
        Ok(Self(Kind::Prefix(origin, path.to_owned())))
    }

    /// A line of a list: a text with a slash is a prefix, a registrable domain is a domain, and another name is a host.
    ///
    /// # Errors
    ///
    /// Returns a [`TargetError`] for a text that is none of them.
    pub fn listed(text: &str, keyer: &Keyer) -> Result<Self, TargetError> {
        if text.contains('/') {
            return Self::prefix(text);
        }
        match Self::domain(text, keyer) {
            Err(TargetError::NotADomain { .. }) => Self::host(text),
            other => other,
        }
    }

    pub(crate) fn ranges(&self) -> Vec<KeyRange> {
        match &self.0 {
            Kind::All => vec![every_key()],
            Kind::Domain(name) => of_domain(name),
            Kind::Host(name) => of_host(name),
            Kind::Prefix((host, port), path) => of_prefix(host, *port, path),
        }
    }

    /// `None` for every site, which no server gives.
    pub(crate) fn query(&self) -> Option<ServerQuery> {
        let (url, match_type) = match &self.0 {
            Kind::All => return None,
            Kind::Domain(name) => (name.clone(), "domain"),
            Kind::Host(name) => (name.clone(), "host"),
            Kind::Prefix((host, Some(port)), path) => (format!("{host}:{port}{path}"), "prefix"),
            Kind::Prefix((host, None), path) => (format!("{host}{path}"), "prefix"),
        };
        Some(ServerQuery { url, match_type })
    }
}

/// Origin and path with query of a web address. Returns `None` for other schemes.
pub(crate) fn parts(url: &Url) -> Option<(Origin, &str)> {
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host).to_owned();
    let is_web = matches!(url.scheme(), "http" | "https");
    is_web.then(|| {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        ((host, url.port()), path)
    })
}

/// The domain of a host, or `None` for a public suffix.
pub(crate) fn domain_of(host: &str, keyer: &Keyer) -> Option<String> {
    let url = keyer.parse(&format!("http://{host}/")).ok()?;
    Some(url.domain().as_str().to_owned())
}

/// A host as URLs have it: in lower case and punycode.
fn host(name: &str) -> Result<String, TargetError> {
    let trimmed = name.trim();
    let parsed = Host::parse(trimmed.strip_suffix('.').unwrap_or(trimmed));
    let host = parsed.map_err(|source| TargetError::NotAUrl {
        text: name.to_owned(),
        source,
    })?;
    Ok(host.to_string())
}
