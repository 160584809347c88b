//! Settings of a crawler.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use feeds::Schedule;

/// Bounds of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most bytes of a page, with and without its content encoding. The paper's limit is 10 MiB `[O H8]`.
    pub page_bytes: usize,
    /// Most bytes of a feed.
    pub feed_bytes: usize,
    /// Longest time of a feed or page, its redirects included. Waiting for the turn of a host is not counted.
    pub time: Duration,
    /// Most redirects of a feed or page.
    pub redirects: usize,
    /// Most pages of one feed in one poll. The next poll continues.
    pub pages_per_poll: usize,
    /// Time after which a poll of one feed begins no more pages, and the next poll continues. Without it,
    /// a host that is slow or asks for long delays would hold the commit of all other feeds.
    pub poll_time: Duration,
}

impl Default for Limits {
    /// 10 MiB, 30 seconds, 10 redirects, 100 pages, 10 minutes.
    fn default() -> Self {
        Self {
            page_bytes: 10 << 20,
            feed_bytes: 16 << 20,
            time: Duration::from_secs(30),
            redirects: 10,
            pages_per_poll: 100,
            poll_time: Duration::from_secs(600),
        }
    }
}

/// Settings of a crawler.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// The header `User-Agent`, with the contact.
    pub(crate) user_agent: String,
    /// Whether addresses that are not public may be requested.
    pub allow_private: bool,
    /// Hosts whose addresses are known, which are not checked.
    pub addresses: BTreeMap<String, SocketAddr>,
    /// Time between two requests to a host. robots.txt can ask for more.
    pub delay: Duration,
    /// Hosts of feeds that are polled at a time.
    pub hosts_at_a_time: NonZeroUsize,
    /// Time between polls.
    pub schedule: Schedule,
    /// Bounds of a request.
    pub limits: Limits,
    /// Feeds whose results are committed together. A killed process polls at most these again.
    pub feeds_per_commit: NonZeroUsize,
    /// Folder of temporary files, which have the HTML of a commit. Without it, they are in `TMPDIR`.
    pub spill_dir: Option<PathBuf>,
}

/// A contact that is neither a mail address nor a URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is neither a mail address nor an http or https URL; operators of sites need it to ask for changes"
)]
pub struct ContactError(String);

impl Options {
    /// Creates the default settings for a crawler with this contact: a mail address or a URL.
    ///
    /// # Errors
    /// [`ContactError`]
    pub fn new(contact: &str) -> Result<Self, ContactError> {
        let is_url = contact.starts_with("http://") || contact.starts_with("https://");
        let is_mail = (contact.split_once('@'))
            .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'));
        let is_plain = contact
            .chars()
            .all(|letter| letter.is_ascii_graphic() && !"()".contains(letter));
        if !(is_url || is_mail) || !is_plain {
            return Err(ContactError(contact.to_owned()));
        }
        Ok(Self {
            user_agent: format!("{AGENT}/{} (+{contact})", env!("CARGO_PKG_VERSION")),
            allow_private: false,
            addresses: BTreeMap::new(),
            delay: Duration::from_secs(1),
            hosts_at_a_time: NonZeroUsize::MIN.saturating_add(15),
            schedule: Schedule::default(),
            limits: Limits::default(),
            feeds_per_commit: NonZeroUsize::MIN.saturating_add(199),
            spill_dir: None,
        })
    }
}

/// The name of the crawler in robots.txt.
pub(crate) const AGENT: &str = "urltree";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_contact_is_a_mail_address_or_a_url() {
        for contact in ["a@b.example", "https://b.example/crawler"] {
            assert!(Options::new(contact).unwrap().user_agent.contains(contact));
        }
        for contact in [
            "",
            "me",
            "@b.example",
            "a@b",
            "a b@c.example",
            "a@b.example\r\nX: y",
            "ftp://b.example",
        ] {
            assert!(Options::new(contact).is_err(), "{contact}");
        }
    }
}
