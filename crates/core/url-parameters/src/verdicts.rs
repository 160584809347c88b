//! The verdicts of a stretch of dates.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use url_key::{PartKind, UrlParts, may_have_parts, plain_host};

use crate::Verdict;

/// A parameter of the pages of a site that are alike: host, shape of the path, and the name of the
/// part. The verdict about `page` at `/forum/thread.php` says nothing about `page` at `/news`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// The host of [`UrlParts::base`], with its port.
    pub host: String,
    /// [`UrlParts::shape`].
    pub shape: String,
    /// The text of the [`PartKind`].
    pub parameter: String,
}

impl Slot {
    /// The slot of a part of a URL.
    pub fn new(parts: &UrlParts, kind: &PartKind) -> Self {
        let parameter = kind.to_string();
        Self {
            host: parts.host.clone(),
            shape: parts.shape.clone(),
            parameter,
        }
    }
}

/// The verdicts of slots, each from a date on.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Verdicts {
    hosts: HashMap<String, HostVerdicts>,
    has_verdict: bool,
}

/// The verdicts about the URLs of a host.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct HostVerdicts {
    /// The dates on which a part became noise, or was not noise any more.
    key_changes: BTreeSet<i32>,
    /// Whether a part was noise by mistake.
    has_withdrawn: bool,
    /// By shape of the path.
    shapes: HashMap<String, ShapeVerdicts>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct ShapeVerdicts {
    has_undecided: bool,
    has_noise: bool,
    /// By the text of the [`PartKind`], then by their first dates.
    parameters: HashMap<String, BTreeMap<i32, Verdict>>,
}

/// Dates with one key of a URL: from `from` until before `until`, in days since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyDates {
    /// First date.
    pub from: i32,
    /// First date after them, or [`i32::MAX`].
    pub until: i32,
    /// Last date on which a dropped part became noise, or [`i32::MIN`]. The key has named the page
    /// at least since then.
    pub since: i32,
}

impl Verdicts {
    /// Sets the verdict of a slot from a date on.
    pub fn insert(&mut self, slot: Slot, since: i32, verdict: Verdict) {
        self.has_verdict = true;
        let host = self.hosts.entry(slot.host).or_default();
        let shape = host.shapes.entry(slot.shape).or_default();
        shape.has_noise |= verdict == Verdict::Noise;
        let dates = shape.parameters.entry(slot.parameter).or_default();
        dates.insert(since, verdict);
        if dates.values().any(|verdict| *verdict == Verdict::Noise) {
            host.key_changes.insert(since);
            host.has_withdrawn |= dates.values().any(|verdict| *verdict != Verdict::Noise);
        }
    }

    /// Adds a slot without a verdict.
    pub fn insert_undecided(&mut self, slot: Slot) {
        let host = self.hosts.entry(slot.host).or_default();
        host.shapes.entry(slot.shape).or_default().has_undecided = true;
    }

    /// Whether no slot has a verdict.
    pub fn is_empty(&self) -> bool {
        !self.has_verdict
    }

    /// Whether a part of URLs with this host and shape was undecided when the slots were read.
    pub fn has_undecided(&self, host: &str, shape: &str) -> bool {
        self.shape(host, shape)
            .is_some_and(|shape| shape.has_undecided)
    }

    /// Whether a part of URLs with this host and shape is noise, at any time.
    pub fn has_noise(&self, host: &str, shape: &str) -> bool {
        self.shape(host, shape).is_some_and(|shape| shape.has_noise)
    }

    /// Whether the page at `url`, whose key is `key` on `date`, may have another key later, up to
    /// `last`: a quick test that parses no URL.
    pub fn may_change(&self, (url, key): (&str, &str), date: i32, last: i32) -> bool {
        let Some(host) = plain_host(url) else {
            return self.has_verdict;
        };
        self.hosts.get(host).is_some_and(|host| {
            let change = host.key_changes.range(date.saturating_add(1)..).next();
            let is_changed = change.is_some_and(|change| *change <= last);
            // A key without parts has nothing that becomes noise.
            is_changed && (host.has_withdrawn || may_have_parts(key))
        })
    }

    /// The verdict about a part of a URL on `date`, in days since 1970.
    pub fn of(&self, parts: &UrlParts, kind: &PartKind, date: i32) -> Verdict {
        self.verdict(&parts.host, &parts.shape, &kind.text(), date)
    }

    /// The verdict about the part named `parameter` on `date`.
    pub fn verdict(&self, host: &str, shape: &str, parameter: &str, date: i32) -> Verdict {
        let Some(shape) = self.shape(host, shape) else {
            return Verdict::Undecided;
        };
        shape.since(parameter, date).1
    }

    /// Splits the dates from `first` until before `end` where the verdict about a part of the URL
    /// changes.
    pub fn key_dates(&self, parts: &UrlParts, first: i32, end: i32) -> Vec<KeyDates> {
        let none = ShapeVerdicts::default();
        let shape = self.shape(&parts.host, &parts.shape).unwrap_or(&none);
        let mut cuts: Vec<i32> = vec![first];
        for part in &parts.parts {
            let changes = shape.parameters.get(&*part.kind.text());
            let changes = changes
                .into_iter()
                .flat_map(|changes| changes.range(first..end));
            cuts.extend(changes.map(|(date, _)| *date));
        }
        cuts.sort_unstable();
        cuts.dedup();
        let ends = cuts.iter().skip(1).copied().chain([end]);
        let dates = cuts.iter().zip(ends).filter(|(from, until)| *from < until);
        dates
            .map(|(from, until)| {
                let noise = parts.parts.iter().filter_map(|part| {
                    let (since, verdict) = shape.since(&part.kind.text(), *from);
                    (verdict == Verdict::Noise).then_some(since)
                });
                KeyDates {
                    from: *from,
                    until,
                    since: noise.max().unwrap_or(i32::MIN),
                }
            })
            .collect()
    }

    fn shape(&self, host: &str, shape: &str) -> Option<&ShapeVerdicts> {
        self.hosts.get(host)?.shapes.get(shape)
    }
}

impl ShapeVerdicts {
    /// The verdict about a part on `date`, and its first date.
    fn since(&self, parameter: &str, date: i32) -> (i32, Verdict) {
        let changes = self.parameters.get(parameter);
        let last = changes.and_then(|changes| changes.range(..=date).next_back());
        last.map_or((i32::MIN, Verdict::Undecided), |(since, verdict)| {
            (*since, *verdict)
        })
    }
}
