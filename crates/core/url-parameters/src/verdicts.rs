//! The verdicts of a stretch of dates.

use std::collections::{BTreeMap, HashMap, HashSet};

use url_key::{PartKind, UrlParts};

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
#[derive(Clone, Debug, Default)]
pub struct Verdicts {
    slots: HashMap<Slot, BTreeMap<i32, Verdict>>,
    /// Hosts and shapes with noise.
    with_noise: HashSet<(String, String)>,
    /// Hosts and shapes with undecided slots.
    undecided: HashSet<(String, String)>,
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
        if verdict == Verdict::Noise {
            let shape = (slot.host.clone(), slot.shape.clone());
            self.with_noise.insert(shape);
        }
        self.slots.entry(slot).or_default().insert(since, verdict);
    }

    /// Adds a slot without a verdict.
    pub fn insert_undecided(&mut self, slot: Slot) {
        self.undecided.insert((slot.host, slot.shape));
    }

    /// Whether a part of URLs with the host and the shape of this one was undecided when the slots
    /// were read.
    pub fn has_undecided_like(&self, parts: &UrlParts) -> bool {
        let shape = (parts.host.clone(), parts.shape.clone());
        self.undecided.contains(&shape)
    }

    /// Whether no slot has a verdict.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether a part of URLs with the host and the shape of this one is noise, at any time.
    pub fn has_noise_like(&self, parts: &UrlParts) -> bool {
        let shape = (parts.host.clone(), parts.shape.clone());
        self.with_noise.contains(&shape)
    }

    /// The verdict about a part of a URL on `date`, in days since 1970.
    pub fn of(&self, parts: &UrlParts, kind: &PartKind, date: i32) -> Verdict {
        self.since(parts, kind, date).1
    }

    /// Splits the dates from `first` until before `end` where the verdict about a part of the URL
    /// changes.
    pub fn key_dates(&self, parts: &UrlParts, first: i32, end: i32) -> Vec<KeyDates> {
        let mut cuts: Vec<i32> = vec![first];
        for part in &parts.parts {
            let slot = self.slots.get(&Slot::new(parts, &part.kind));
            let changes = slot
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
                    let (since, verdict) = self.since(parts, &part.kind, *from);
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

    /// The verdict about a part on `date`, and its first date.
    fn since(&self, parts: &UrlParts, kind: &PartKind, date: i32) -> (i32, Verdict) {
        if self.slots.is_empty() {
            return (i32::MIN, Verdict::Undecided);
        }
        let changes = self.slots.get(&Slot::new(parts, kind));
        let last = changes.and_then(|changes| changes.range(..=date).next_back());
        last.map_or((i32::MIN, Verdict::Undecided), |(since, verdict)| {
            (*since, *verdict)
        })
    }
}
