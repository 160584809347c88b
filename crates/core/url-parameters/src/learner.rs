//! Compares the pages of a domain that differ in undecided parts of their URLs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use url_key::{PartKind, UrlPart, UrlParts};

use crate::group::{Compared, Group};
use crate::{Evidence, Signature, Similarity, Slot, Verdict};

/// Parameters of a domain that are learned. A site that invents names of parameters must not take
/// all memory; the names after these stay in the key.
const MAX_SLOTS: usize = 4096;

/// The pages of a domain by base URL, and what they say about its parameters.
///
/// Give it the pages in time order, of each URL key the first only. A decision is a
/// function of the pages of that date and before: verdicts change between two dates.
#[derive(Debug)]
pub struct Learner<T> {
    date: i32,
    slots: BTreeMap<Slot, Evidence>,
    /// Slots with counts of the date.
    counted: BTreeSet<Slot>,
    /// By base URL.
    groups: HashMap<String, GroupOf<T>>,
    /// Pages in all groups.
    pages: usize,
    changes: Vec<SlotChange>,
    /// The date from which on a part is not noise any more. Given to the caller once.
    withdrawn: Option<i32>,
    /// Rows by date and slot that are not counted yet.
    seen: BTreeMap<i32, BTreeMap<Slot, u64>>,
}

/// The evidence of a slot at the end of a date on which it changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotChange {
    /// The date, in days since 1970.
    pub date: i32,
    /// The slot.
    pub slot: Slot,
    /// Its evidence up to the end of the date.
    pub evidence: Evidence,
}

/// A page, as the learner sees it.
#[derive(Clone, Debug)]
pub struct ComparedPage<T> {
    /// The date, in days since 1970.
    pub date: i32,
    /// The response URL.
    pub url: String,
    /// The parts of the URL.
    pub parts: UrlParts,
    /// Its text. A page without text is never compared.
    pub signature: Signature,
    /// The value that stands for the page in an [`Outcome`].
    pub page: T,
}

/// Whether a page is compared although all that differs from an earlier page is noise: one URL in
/// 64. Without such pages, nothing would tell of a verdict that is wrong.
pub fn is_audited(url: &str) -> bool {
    const ONE_IN: u32 = 64;
    let hash = url.bytes().fold(0x811c_9dc5, |hash: u32, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    // The low bits of FNV-1a depend on the low bits of the bytes only.
    (hash >> 16).is_multiple_of(ONE_IN)
}

/// The decision about a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome<T> {
    /// Another page.
    New,
    /// A page with the content of an earlier page.
    SameContent {
        /// The earlier page.
        original: T,
    },
    /// A page that differs from an earlier one in noise only.
    SameKey {
        /// The earlier page.
        original: T,
    },
}

impl<T> Default for Learner<T> {
    fn default() -> Self {
        Self {
            date: i32::MIN,
            slots: BTreeMap::new(),
            counted: BTreeSet::new(),
            groups: HashMap::new(),
            pages: 0,
            changes: Vec::new(),
            withdrawn: None,
            seen: BTreeMap::new(),
        }
    }
}

impl<T: Clone> Learner<T> {
    /// Adds the evidence that an earlier run stored.
    pub fn restore_slot(&mut self, slot: Slot, evidence: Evidence) {
        self.slots.insert(slot, evidence);
    }

    /// Adds a page that an earlier run found to be another page. In time order.
    pub fn restore_page(&mut self, page: ComparedPage<T>) {
        if !page.signature.is_empty() {
            self.add(page);
        }
    }

    /// The number of pages that later pages are compared with.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Adds rows of the archive with a part, before the pages of their date. If a date has more slots
    /// than can be learned, those that sort last are left out.
    pub fn see(&mut self, date: i32, slot: Slot, rows: u64) {
        let slots = self.seen.entry(date).or_default();
        *slots.entry(slot).or_default() += rows;
        if slots.len() > MAX_SLOTS {
            slots.pop_last();
        }
    }

    /// Decides about the next page, and counts what it says about the undecided parts of its URL.
    pub fn page(&mut self, page: ComparedPage<T>) -> Outcome<T> {
        self.begin(page.date);
        if page.signature.is_empty() {
            return Outcome::New;
        }
        let comparison = self.compare(&page);
        match comparison.outcome {
            Outcome::SameKey { .. } => {}
            Outcome::SameContent { .. } => self.count_all(&comparison.undecided, &page),
            Outcome::New => {
                self.count_all(&comparison.undecided, &page);
                self.add(page);
            }
        }
        comparison.outcome
    }

    /// Counts what a page says about the noise of its URL, if there is some and nothing is
    /// undecided. The page is one of those that [`is_audited`] selects.
    pub fn audit(&mut self, page: &ComparedPage<T>) {
        self.begin(page.date);
        let has = |verdict: Verdict| {
            let mut parts = page.parts.parts.iter();
            parts.any(|part| self.verdict(&page.parts, &part.kind) == verdict)
        };
        let is_decided = has(Verdict::Noise) && !has(Verdict::Undecided);
        if !page.signature.is_empty() && is_decided {
            let comparison = self.compare(page);
            self.count_all(&comparison.noise, page);
        }
    }

    /// Whether a part of the domain's URLs is noise.
    pub fn has_noise(&self) -> bool {
        let mut slots = self.slots.values();
        slots.any(|evidence| evidence.verdict == Verdict::Noise)
    }

    /// The base URL and the parts without noise of each page that later pages are compared with.
    pub fn keys(&self) -> impl Iterator<Item = (&str, &[UrlPart])> {
        self.groups
            .iter()
            .flat_map(|(base, group)| group.pages.keys().map(move |key| (&**base, key)))
    }

    /// Ends the dates before `date`, unless a part that was noise is not any more: then ends the
    /// dates before this change only, and returns the first date that follows it. A caller that
    /// left out pages because they differ in this part has to give them again, from this date on.
    pub fn advance_to(&mut self, date: i32) -> Option<i32> {
        while let Some((&seen_on, _)) = self.seen.first_key_value()
            && seen_on <= date
        {
            self.advance(seen_on);
            if self.withdrawn.is_some() {
                return self.withdrawn.take();
            }
            for (slot, rows) in self.seen.remove(&seen_on).unwrap_or_default() {
                self.count_rows(slot, rows);
            }
        }
        self.advance(date);
        self.withdrawn.take()
    }

    /// Ends the last date. Returns the changes of every date, in order.
    pub fn finish(mut self) -> Vec<SlotChange> {
        self.begin(i32::MAX);
        self.changes
    }

    /// Ends the dates before `date`, and returns their changes.
    pub fn changes_before(&mut self, date: i32) -> Vec<SlotChange> {
        self.begin(date);
        self.take_changes()
    }

    /// Returns the changes of the dates that were ended since the last call.
    pub fn take_changes(&mut self) -> Vec<SlotChange> {
        std::mem::take(&mut self.changes)
    }

    fn begin(&mut self, date: i32) {
        while self.advance_to(date).is_some() {}
    }

    fn advance(&mut self, date: i32) {
        if date > self.date {
            self.end_date();
            self.date = self.withdrawn.map_or(date, |since| since.min(date));
        }
    }

    fn end_date(&mut self) {
        let mut noise_changed = false;
        for slot in std::mem::take(&mut self.counted) {
            if let Some(evidence) = self.slots.get_mut(&slot) {
                let before = evidence.verdict;
                evidence.judge(self.date);
                let verdicts = [before, evidence.verdict];
                noise_changed |= before != evidence.verdict && verdicts.contains(&Verdict::Noise);
                if before == Verdict::Noise && before != evidence.verdict {
                    self.withdrawn = Some(self.date.saturating_add(1));
                }
                self.changes.push(SlotChange {
                    date: self.date,
                    evidence: evidence.clone(),
                    slot,
                });
            }
        }
        if noise_changed {
            for group in self.groups.values_mut() {
                let GroupOf { host, shape, pages } = group;
                pages.rekey(|kind| is_noise(&self.slots, host, shape, kind));
            }
        }
    }

    fn verdict(&self, parts: &UrlParts, kind: &PartKind) -> Verdict {
        verdict(&self.slots, &parts.host, &parts.shape, kind)
    }

    fn compare(&self, page: &ComparedPage<T>) -> Comparison<T> {
        let mut comparison = Comparison {
            outcome: Outcome::New,
            undecided: BTreeMap::new(),
            noise: BTreeMap::new(),
        };
        let parts = &page.parts;
        let Some(group) = self.groups.get(&parts.base) else {
            return comparison;
        };
        let mut verdicts = KnownVerdicts::default();
        let is_noise = |kind: &_| self.verdict(parts, kind) == Verdict::Noise;
        if let Some(twin) = group.pages.with_key(&parts.parts, is_noise) {
            comparison.outcome = Outcome::SameKey {
                original: twin.page.clone(),
            };
            if let [kind] = differing(&parts.parts, &twin.parts)[..] {
                let similarity = page.signature.compare(&twin.signature, kind.is_edition());
                let counts = comparison.noise.entry(kind.clone()).or_default();
                counts.add(similarity, twin);
            }
        } else {
            for other in group.pages.candidates(&page.signature) {
                let differing = differing(&parts.parts, &other.parts);
                let mut of =
                    |kind: &&PartKind| verdicts.get(kind, |kind| self.verdict(parts, kind));
                if differing.iter().any(|kind| of(kind) == Verdict::Identifies) {
                    continue;
                }
                let editions = differing.iter().all(|kind| kind.is_edition());
                let similarity = page.signature.compare(&other.signature, editions);
                let is_new = matches!(comparison.outcome, Outcome::New);
                if is_new && similarity == Similarity::Same {
                    comparison.outcome = Outcome::SameContent {
                        original: other.page.clone(),
                    };
                }
                let mut undecided = differing.iter().filter(|kind| of(kind) != Verdict::Noise);
                // If one part differs, the comparison is about it.
                if let (Some(kind), None) = (undecided.next(), undecided.next()) {
                    let counts = comparison.undecided.entry((*kind).clone()).or_default();
                    counts.add(similarity, other);
                }
            }
        }
        comparison.undecided.retain(|_, counts| counts.is_telling());
        comparison.noise.retain(|_, counts| counts.is_telling());
        comparison
    }

    fn count_all(&mut self, counts: &BTreeMap<PartKind, Counts>, page: &ComparedPage<T>) {
        for (kind, counts) in counts {
            self.count(Slot::new(&page.parts, kind), counts, page);
        }
    }

    fn count(&mut self, slot: Slot, counts: &Counts, page: &ComparedPage<T>) {
        let Some(evidence) = self.evidence(&slot) else {
            return;
        };
        match &counts.same {
            Some((content, url)) if page.signature.is_telling() => {
                evidence.same = evidence.same.saturating_add(1);
                evidence.contents |= 1 << (content % 64);
                evidence.example = Some([page.url.clone(), url.clone()]);
            }
            None => {
                evidence.differs = evidence.differs.saturating_add(1);
                evidence.example = counts.other.clone().map(|url| [page.url.clone(), url]);
            }
            Some(_) => return,
        }
        self.counted.insert(slot);
    }

    fn count_rows(&mut self, slot: Slot, rows: u64) {
        if let Some(evidence) = self.evidence(&slot) {
            evidence.rows = evidence.rows.saturating_add(rows);
            self.counted.insert(slot);
        }
    }

    /// The evidence of a slot, to count on the current date. `None` if the domain has too many.
    fn evidence(&mut self, slot: &Slot) -> Option<&mut Evidence> {
        if self.slots.len() >= MAX_SLOTS && !self.slots.contains_key(slot) {
            return None;
        }
        let date = self.date;
        let evidence = self.slots.entry(slot.clone()).or_insert_with(|| Evidence {
            first: date,
            ..Evidence::default()
        });
        evidence.last = date;
        Some(evidence)
    }

    fn add(&mut self, page: ComparedPage<T>) {
        let UrlParts {
            base,
            host,
            shape,
            parts,
            ..
        } = page.parts;
        let group = self.groups.entry(base).or_insert_with(|| GroupOf {
            host,
            shape,
            pages: Group::default(),
        });
        let GroupOf { host, shape, pages } = group;
        let compared = Compared {
            url: page.url,
            parts,
            signature: page.signature,
            page: page.page,
        };
        let evicted = pages.add(compared, |kind| is_noise(&self.slots, host, shape, kind));
        self.pages += usize::from(!evicted);
    }
}

/// The pages of a base URL.
#[derive(Debug)]
struct GroupOf<T> {
    host: String,
    shape: String,
    pages: Group<T>,
}

fn is_noise(slots: &BTreeMap<Slot, Evidence>, host: &str, shape: &str, kind: &PartKind) -> bool {
    verdict(slots, host, shape, kind) == Verdict::Noise
}

fn verdict(slots: &BTreeMap<Slot, Evidence>, host: &str, shape: &str, kind: &PartKind) -> Verdict {
    let slot = Slot {
        host: host.to_owned(),
        shape: shape.to_owned(),
        parameter: kind.to_string(),
    };
    let evidence = slots.get(&slot);
    evidence.map_or_else(Verdict::default, |evidence| evidence.verdict)
}

struct Comparison<T> {
    outcome: Outcome<T>,
    /// By the only part in which pages differ.
    undecided: BTreeMap<PartKind, Counts>,
    /// By the only part in which an audited page differs.
    noise: BTreeMap<PartKind, Counts>,
}

/// Verdicts about the parts of one page and of the pages with its base URL, looked up once.
#[derive(Default)]
struct KnownVerdicts(Vec<(PartKind, Verdict)>);

impl KnownVerdicts {
    fn get(&mut self, kind: &PartKind, look_up: impl FnOnce(&PartKind) -> Verdict) -> Verdict {
        if let Some((_, verdict)) = self.0.iter().find(|(known, _)| known == kind) {
            return *verdict;
        }
        let verdict = look_up(kind);
        self.0.push((kind.clone(), verdict));
        verdict
    }
}

/// The pages that differ from one page in one part only.
#[derive(Debug, Default)]
struct Counts {
    /// Hash of the content, and URL, of the first with equal content.
    same: Option<(u64, String)>,
    /// The URL of the last with other content.
    other: Option<String>,
    /// Whether the content of one is neither equal nor clearly other.
    unclear: bool,
}

impl Counts {
    fn add<T>(&mut self, similarity: Similarity, page: &Compared<T>) {
        match similarity {
            Similarity::Same if self.same.is_none() => {
                self.same = Some((page.signature.content_hash(), page.url.clone()));
            }
            Similarity::Same => {}
            Similarity::Unclear => self.unclear = true,
            Similarity::Different => self.other = Some(page.url.clone()),
        }
    }

    /// Whether the pages say something: one has equal content, or all have other content.
    fn is_telling(&self) -> bool {
        self.same.is_some() || (self.other.is_some() && !self.unclear)
    }
}

/// The kinds of the parts that two URLs with one base do not share.
fn differing<'a>(a: &'a [UrlPart], b: &'a [UrlPart]) -> Vec<&'a PartKind> {
    let only = |left: &'a [UrlPart], right: &'a [UrlPart]| {
        left.iter()
            .filter(|part| !right.contains(part))
            .map(|part| &part.kind)
            .collect::<Vec<_>>()
    };
    let mut kinds = only(a, b);
    kinds.extend(only(b, a));
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}
