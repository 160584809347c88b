//! The records that are chosen, and why others are left out.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use url::Url;
use url_key::Keyer;

use crate::record::Record;
use crate::surt::{KeyRange, joined};
use crate::target::{Kind, Origin, ServerQuery, Target, domain_of, parts};

/// The records of some sites, by time and content.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    keyer: Keyer,
    targets: BTreeSet<Target>,
    all: bool,
    domains: BTreeSet<String>,
    hosts: BTreeSet<String>,
    prefixes: BTreeMap<Origin, Vec<String>>,
    /// First time, in seconds since 1970, UTC. Default: none.
    pub from: Option<i64>,
    /// First time that is too late, in seconds since 1970, UTC. Default: none.
    pub before: Option<i64>,
    /// The content of the records. Default: pages.
    pub content: Content,
}

/// The content of the records that are chosen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Content {
    /// HTML with status 200. Revisits are left out, because they have no content.
    #[default]
    Pages,
    /// Any type and status.
    Any,
}

/// The reason why a record is not chosen. The first that applies counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum LeftOut {
    /// The record has no URL.
    NoUrl,
    /// The URL cannot be read, or is not that of the web, such as `dns:example.com`.
    NotWeb,
    /// The URL is outside of the targets.
    OtherSite,
    /// The record has no time, and the selection has limits of time.
    NoTime,
    /// The time is outside of the limits.
    OtherTime,
    /// The record repeats another one, and has no content.
    Revisit,
    /// The status is not 200, or is missing.
    OtherStatus,
    /// The type is not that of HTML, or is missing.
    NotHtml,
}

impl LeftOut {
    /// A stable name, such as `other_site`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoUrl => "no_url",
            Self::NotWeb => "not_web",
            Self::OtherSite => "other_site",
            Self::NoTime => "no_time",
            Self::OtherTime => "other_time",
            Self::Revisit => "revisit",
            Self::OtherStatus => "other_status",
            Self::NotHtml => "not_html",
        }
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

/// Counts of the records of an index.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selected {
    /// Records that are chosen.
    pub chosen: u64,
    /// Records that are not, by reason.
    pub left_out: BTreeMap<LeftOut, u64>,
}

impl Selected {
    /// Counts the decision about a record.
    pub fn count(&mut self, left_out: Option<LeftOut>) {
        match left_out {
            None => self.chosen += 1,
            Some(reason) => *self.left_out.entry(reason).or_default() += 1,
        }
    }
}

impl Selection {
    /// The pages of `targets` at any time. Without targets, no record is chosen. The `keyer` finds the domain of a host.
    pub fn new(keyer: Keyer, targets: impl IntoIterator<Item = Target>) -> Self {
        let mut selection = Self {
            keyer,
            targets: targets.into_iter().collect(),
            ..Self::default()
        };
        for Target(kind) in selection.targets.clone() {
            match kind {
                Kind::All => selection.all = true,
                Kind::Domain(name) => {
                    selection.domains.insert(name);
                }
                Kind::Host(name) => {
                    selection.hosts.insert(name);
                }
                Kind::Prefix(origin, path) => {
                    selection.prefixes.entry(origin).or_default().push(path);
                }
            }
        }
        selection
    }

    /// Why a record is left out, or `None` if it is chosen. Its place is not looked at: [`Plan`](crate::Plan) does that.
    pub fn left_out(&self, record: &Record) -> Option<LeftOut> {
        let Some(url) = &record.url else {
            return Some(LeftOut::NoUrl);
        };
        match Url::parse(url) {
            Ok(url) => match parts(&url) {
                Some((origin, path)) if self.has(&origin, path) => {}
                Some(_) => return Some(LeftOut::OtherSite),
                None => return Some(LeftOut::NotWeb),
            },
            Err(_) => return Some(LeftOut::NotWeb),
        }
        if self.from.is_some() || self.before.is_some() {
            let Some(time) = record.time else {
                return Some(LeftOut::NoTime);
            };
            let is_early = self.from.is_some_and(|from| time < from);
            if is_early || self.before.is_some_and(|before| time >= before) {
                return Some(LeftOut::OtherTime);
            }
        }
        let mime = record.mime.as_deref();
        match self.content {
            Content::Any => None,
            Content::Pages if mime == Some("warc/revisit") => Some(LeftOut::Revisit),
            Content::Pages if record.status != Some(200) => Some(LeftOut::OtherStatus),
            Content::Pages if warc::is_html(mime) != Some(true) => Some(LeftOut::NotHtml),
            Content::Pages => None,
        }
    }

    /// The ranges of keys that have all chosen records, sorted, none overlapping. They hold for an index that is sorted by SURT.
    pub fn ranges(&self) -> Vec<KeyRange> {
        joined(self.targets.iter().flat_map(Target::ranges).collect())
    }

    /// The questions to a CDX server, in a fixed order. Two may have records in common. `None` if every site is chosen,
    /// for which no server has a question.
    pub fn queries(&self) -> Option<Vec<ServerQuery>> {
        self.targets.iter().map(Target::query).collect()
    }

    fn has(&self, origin: &Origin, path: &str) -> bool {
        let prefixes = self.prefixes.get(origin);
        self.all
            || self.hosts.contains(&origin.0)
            || prefixes.is_some_and(|paths| paths.iter().any(|start| path.starts_with(start)))
            || (!self.domains.is_empty() && self.has_domain(&origin.0))
    }

    fn has_domain(&self, host: &str) -> bool {
        domain_of(host, &self.keyer).is_some_and(|domain| self.domains.contains(&domain))
    }
}
