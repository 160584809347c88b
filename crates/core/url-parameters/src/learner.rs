//! Compares the pages of a domain that differ in undecided parts of their URLs.

use std::collections::{BTreeMap, HashMap, VecDeque};

use url_key::{PartKind, UrlPart, UrlParts};

use crate::{Evidence, Signature, Similarity, Slot, Verdict};

/// Pages of one base URL that a page is compared with: the last ones. A crawler trap, such as a
/// calendar, has a page for every value, and must not take all memory.
const MAX_COMPARED: usize = 1024;

/// Parameters of a domain that are learned. A site that invents names of parameters must not take
/// all memory; the names after these stay in the key.
const MAX_SLOTS: usize = 4096;

/// The pages of a domain by base URL, and what they say about its parameters.
///
/// Give it the pages in time order, of each URL key the first only. What it decides on a date is a
/// function of the pages of that date and before: verdicts change between two dates.
#[derive(Debug)]
pub struct Learner<T> {
    date: i32,
    slots: BTreeMap<Slot, Evidence>,
    /// Slots with counts of the date.
    counted: BTreeMap<Slot, ()>,
    groups: HashMap<String, VecDeque<Compared<T>>>,
    /// Pages in all groups.
    pages: usize,
    changes: Vec<SlotChange>,
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

#[derive(Debug)]
struct Compared<T> {
    url: String,
    parts: Vec<UrlPart>,
    signature: Signature,
    page: T,
}

impl<T> Default for Learner<T> {
    fn default() -> Self {
        Self {
            date: i32::MIN,
            slots: BTreeMap::new(),
            counted: BTreeMap::new(),
            groups: HashMap::new(),
            pages: 0,
            changes: Vec::new(),
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

    /// Adds a row of the archive with a part, before the pages of its date. If a date has more slots
    /// than can be learned, those that sort last are left out.
    pub fn see(&mut self, date: i32, slot: Slot) {
        let slots = self.seen.entry(date).or_default();
        *slots.entry(slot).or_default() += 1;
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

    /// Counts what a page says about the noise of its URL, if nothing about it is undecided. The
    /// page is one of those that [`is_audited`] selects.
    pub fn audit(&mut self, page: &ComparedPage<T>) {
        self.begin(page.date);
        let verdict = |part: &UrlPart| self.verdict(&page.parts, &part.kind);
        let has_undecided = page
            .parts
            .parts
            .iter()
            .any(|part| verdict(part) == Verdict::Undecided);
        if !page.signature.is_empty() && !has_undecided {
            let comparison = self.compare(page);
            self.count_all(&comparison.noise, page);
        }
    }

    /// Ends the last date. Returns the changes of every date, in order.
    pub fn finish(mut self) -> Vec<SlotChange> {
        self.begin(i32::MAX);
        self.changes
    }

    /// Ends the dates before `date`, and returns their changes.
    pub fn changes_before(&mut self, date: i32) -> Vec<SlotChange> {
        self.begin(date);
        std::mem::take(&mut self.changes)
    }

    fn begin(&mut self, date: i32) {
        while let Some(entry) = self.seen.first_entry()
            && *entry.key() <= date
        {
            let (seen_on, slots) = entry.remove_entry();
            self.advance(seen_on);
            for (slot, rows) in slots {
                self.count_rows(slot, rows);
            }
        }
        self.advance(date);
    }

    fn advance(&mut self, date: i32) {
        if date > self.date {
            self.end_date();
            self.date = date;
        }
    }

    fn end_date(&mut self) {
        for (slot, ()) in std::mem::take(&mut self.counted) {
            if let Some(evidence) = self.slots.get_mut(&slot) {
                evidence.judge(self.date);
                self.changes.push(SlotChange {
                    date: self.date,
                    evidence: evidence.clone(),
                    slot,
                });
            }
        }
    }

    fn verdict(&self, parts: &UrlParts, kind: &PartKind) -> Verdict {
        self.slots
            .get(&Slot::new(parts, kind))
            .map_or_else(Verdict::default, |evidence| evidence.verdict)
    }

    fn compare(&self, page: &ComparedPage<T>) -> Comparison<T> {
        let verdicts: HashMap<PartKind, Verdict> = HashMap::new();
        let mut verdicts = Verdicts {
            learner: self,
            parts: &page.parts,
            known: verdicts,
        };
        let mut same: Option<&Compared<T>> = None;
        let mut noise_twin: Option<&Compared<T>> = None;
        let (mut of_noise, mut of_undecided) = (BTreeMap::new(), BTreeMap::new());
        let group = self.groups.get(&page.parts.base);
        for other in group.into_iter().flatten() {
            let differing = differing(&page.parts.parts, &other.parts);
            if differing
                .iter()
                .any(|kind| verdicts.of(kind) == Verdict::Identifies)
            {
                continue;
            }
            let (noise, undecided): (Vec<&PartKind>, Vec<&PartKind>) =
                (differing.iter().copied()).partition(|kind| verdicts.of(kind) == Verdict::Noise);
            let editions = differing.iter().all(|kind| kind.is_edition());
            let similarity = page.signature.compare(&other.signature, editions);
            if undecided.is_empty() {
                noise_twin = noise_twin.or(Some(other));
            } else if similarity == Similarity::Same {
                same = same.or(Some(other));
            }
            // If one part differs, the comparison is about it.
            let (differs, counts) = if undecided.is_empty() {
                (noise, &mut of_noise)
            } else {
                (undecided, &mut of_undecided)
            };
            if let [kind] = differs[..] {
                let counts = counts.entry(kind.clone()).or_insert_with(Counts::default);
                counts.add(similarity, other);
            }
        }
        of_noise.retain(|_, counts: &mut Counts| counts.is_telling());
        of_undecided.retain(|_, counts: &mut Counts| counts.is_telling());
        let outcome = match (noise_twin, same) {
            (Some(other), _) => Outcome::SameKey {
                original: other.page.clone(),
            },
            (None, Some(other)) => Outcome::SameContent {
                original: other.page.clone(),
            },
            (None, None) => Outcome::New,
        };
        Comparison {
            outcome,
            undecided: of_undecided,
            noise: of_noise,
        }
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
        self.counted.insert(slot, ());
    }

    fn count_rows(&mut self, slot: Slot, rows: u64) {
        if let Some(evidence) = self.evidence(&slot) {
            evidence.rows = evidence.rows.saturating_add(rows);
            self.counted.insert(slot, ());
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
        let group = self.groups.entry(page.parts.base).or_default();
        if group.len() == MAX_COMPARED {
            group.pop_front();
        } else {
            self.pages += 1;
        }
        group.push_back(Compared {
            url: page.url,
            parts: page.parts.parts,
            signature: page.signature,
            page: page.page,
        });
    }
}

struct Comparison<T> {
    outcome: Outcome<T>,
    /// By the only part in which pages differ.
    undecided: BTreeMap<PartKind, Counts>,
    /// The same for noise.
    noise: BTreeMap<PartKind, Counts>,
}

/// The verdicts about the parts of one page and of the pages with its base URL, looked up once.
struct Verdicts<'a, T> {
    learner: &'a Learner<T>,
    parts: &'a UrlParts,
    known: HashMap<PartKind, Verdict>,
}

impl<T: Clone> Verdicts<'_, T> {
    fn of(&mut self, kind: &PartKind) -> Verdict {
        if let Some(verdict) = self.known.get(kind) {
            return *verdict;
        }
        let verdict = self.learner.verdict(self.parts, kind);
        self.known.insert(kind.clone(), verdict);
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
