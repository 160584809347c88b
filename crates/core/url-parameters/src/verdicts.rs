//! The verdicts of a stretch of dates.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use url_key::{PartKind, UrlParts};

use crate::{Evidence, Verdict, is_audited};

/// A parameter of the pages of a site that are alike: host, shape of the path, and the name of the
/// part. The verdict about `page` at `/forum/thread.php` says nothing about `page` at `/news`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
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
    /// By host, then by shape of the path.
    hosts: HashMap<String, HashMap<String, ShapeVerdicts>>,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
struct ShapeVerdicts {
    /// Whether a stored slot is undecided.
    has_undecided: bool,
    /// Whether a stored slot may change keys.
    is_open: bool,
    /// By the text of the [`PartKind`], then by their first dates.
    parameters: HashMap<String, BTreeMap<i32, Verdict>>,
}

/// How later pages may change the key of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Openness {
    /// Nothing: all its parts identify pages.
    Settled,
    /// Its key, or the key of a page with the same base, was or may become another.
    Open,
    /// Like `Open`, and the page is compared with the pages of its base.
    Compared,
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
        let shapes = self.hosts.entry(slot.host).or_default();
        let shape = shapes.entry(slot.shape).or_default();
        let dates = shape.parameters.entry(slot.parameter).or_default();
        dates.insert(since, verdict);
    }

    /// Adds the evidence that an earlier run stored.
    pub fn restore(&mut self, slot: Slot, evidence: &Evidence) {
        let shapes = self.hosts.entry(slot.host.clone()).or_default();
        let shape = shapes.entry(slot.shape.clone()).or_default();
        shape.has_undecided |= evidence.verdict == Verdict::Undecided;
        shape.is_open |= evidence.verdict != Verdict::Identifies || evidence.revised;
        if evidence.verdict != Verdict::Undecided {
            self.insert(slot, evidence.since, evidence.verdict);
        }
    }

    /// Whether there is a slot of `host`.
    pub fn has_host(&self, host: &str) -> bool {
        self.hosts.contains_key(host)
    }

    /// Returns how the key of the page at `url` may change on `date` or later, by the stored slots.
    pub fn openness(&self, url: &str, parts: &UrlParts, date: i32) -> Openness {
        let shape = self.shape(&parts.host, &parts.shape);
        let (mut is_open, mut is_compared) =
            shape.map_or((false, false), |shape| (shape.is_open, shape.has_undecided));
        for part in &parts.parts {
            let verdict = self.of(parts, &part.kind, date);
            is_open |= verdict != Verdict::Identifies;
            is_compared |= verdict == Verdict::Undecided;
            is_compared |= verdict == Verdict::Noise && is_audited(url);
        }
        match (is_open, is_compared) {
            (_, true) => Openness::Compared,
            (true, false) => Openness::Open,
            (false, false) => Openness::Settled,
        }
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
        self.hosts.get(host)?.get(shape)
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
