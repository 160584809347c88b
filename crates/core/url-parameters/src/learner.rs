//! Compares the pages of a domain that differ in undecided parts of their URLs.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};
use url_key::{PartKind, UrlPart, UrlParts};

use crate::group::{Compared, Group};
use crate::{Evidence, Signature, Similarity, Slot, Verdict};

/// Parameters of a domain that are learned. A site that invents names of parameters must not take
/// all memory; the names after these stay in the key.
const MAX_SLOTS: usize = 4096;

/// The pages of a domain by base URL, and what they say about its parameters.
///
/// Give it the pages with text in time order, of each URL key the first only. A decision is a
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
}

/// The evidence of a slot at the end of a date on which it changed.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
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
    /// The value that stands for the page.
    pub page: T,
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

    /// Counts a row of the archive with this part. The parts after the first 4096 are not learned.
    pub fn see(&mut self, date: i32, slot: Slot) {
        self.begin(date);
        if let Some(evidence) = self.evidence(&slot) {
            evidence.rows = evidence.rows.saturating_add(1);
            self.counted.insert(slot);
        }
    }

    /// Adds the next page, and counts what it says about the undecided parts of its URL. Returns the
    /// earlier page with its content, or that differs from it in noise only.
    pub fn page(&mut self, page: ComparedPage<T>) -> Option<T> {
        self.begin(page.date);
        if page.signature.is_empty() {
            return None;
        }
        let comparison = self.compare(&page);
        if let Found::SameKey(original) = comparison.found {
            return Some(original);
        }
        self.count_all(&comparison.undecided, &page);
        match comparison.found {
            Found::SameKey(original) | Found::SameContent(original) => Some(original),
            Found::Nothing => {
                self.add(page);
                None
            }
        }
    }

    /// Whether [`audit`](Self::audit) counts something about pages with these parts on this date: one is
    /// noise, and none is undecided.
    pub fn audits(&self, parts: &UrlParts) -> bool {
        let mut verdicts = parts
            .parts
            .iter()
            .map(|part| self.verdict(parts, &part.kind));
        let is_noise = |verdict: Verdict| verdict == Verdict::Noise;
        verdicts.clone().any(is_noise) && verdicts.all(|verdict| verdict != Verdict::Undecided)
    }

    /// Counts what a page says about the noise of its URL. The page is one of those that [`is_audited`](crate::is_audited)
    /// selects.
    pub fn audit(&mut self, page: &ComparedPage<T>) {
        self.begin(page.date);
        if !page.signature.is_empty() && self.audits(&page.parts) {
            let comparison = self.compare(page);
            self.count_all(&comparison.noise, page);
        }
    }

    /// Ends the dates before `date`. Returns what changed on each date that was ended since the last call.
    pub fn changes_before(&mut self, date: i32) -> Vec<SlotChange> {
        self.begin(date);
        std::mem::take(&mut self.changes)
    }

    fn begin(&mut self, date: i32) {
        if date > self.date {
            self.end_date();
            self.date = date;
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
            found: Found::Nothing,
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
            comparison.found = Found::SameKey(twin.page.clone());
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
                let is_new = matches!(comparison.found, Found::Nothing);
                if is_new && similarity == Similarity::Same {
                    comparison.found = Found::SameContent(other.page.clone());
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

/// The earlier page that a page is a copy of.
enum Found<T> {
    Nothing,
    SameContent(T),
    /// It differs in noise only.
    SameKey(T),
}

struct Comparison<T> {
    found: Found<T>,
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
