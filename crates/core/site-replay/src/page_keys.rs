//! URL keys and duplicates of a domain, one page after the other.
//!
//! Verdicts about parts of URLs change between two dates only. So at the first page of a date all
//! verdicts of the date are known, and if one has changed, the later keys of all earlier pages are
//! computed again: such a key is an alias of its page.

use url_key::{Keyer, PageUrl, PartKind, UrlKey, UrlParts};
use url_parameters::{
    ComparedPage, Evidence, Learner, Signature, Slot, SlotChange, Verdict, Verdicts, is_audited,
};

use crate::known_keys::KeyHash;
use crate::{AliasDates, FoundBy, KnownKeys, Lookback, SiteSettings};

/// The keys of the pages of a domain, which `P` names.
///
/// First come the rows of earlier runs: [`restore_slot`](Self::restore_slot), then
/// [`restore`](Self::restore). Then the pages come in time order. A call of [`begin`](Self::begin)
/// opens the date of a page, [`see`](Self::see) counts the parts of its URL, [`key`](Self::key) computes its key, and
/// [`classify`](Self::classify) decides whether it is a duplicate. Where the pages are cut into runs changes no decision.
///
/// Only the first page of a key is compared with pages of other keys. A later one has its content
/// looked at only if it is audited ([`is_audited`]).
#[derive(Debug)]
pub struct PageKeys<P> {
    known: KnownKeys<KnownPage<P>>,
    lookback: Lookback,
    /// `None` if the job learns nothing about parts of URLs.
    learned: Option<Learned<P>>,
}

/// The first page of a key.
#[derive(Clone, Debug)]
struct KnownPage<P> {
    page: P,
    /// The same page, or the earlier page with its content.
    original: P,
}

/// Verdicts about parts of URLs, and the pages that they depend on.
#[derive(Debug)]
struct Learned<P> {
    learner: Learner<P>,
    verdicts: Verdicts,
    /// Pages whose keys may change, in time order.
    changeable: Vec<ChangeablePage<P>>,
    /// Whether pages were restored whose later keys are not known yet.
    is_restored: bool,
    /// Changes of the dates that were ended.
    changes: Vec<SlotChange>,
}

/// A page whose key changes when a part of its URL becomes noise. Its URL is parsed again when a verdict changes:
/// a site can have a million of them.
#[derive(Debug)]
struct ChangeablePage<P> {
    key: KeyHash,
    date: i32,
    page: KnownPage<P>,
}

/// A page, as its key is decided.
#[derive(Debug)]
pub struct KeyedPage<'a, P> {
    /// The URL as it was fetched.
    pub address: &'a str,
    /// The parts of the URL: [`PageKeys::parts`].
    pub parts: Option<&'a UrlParts>,
    /// Its key: [`PageKeys::key`].
    pub key: &'a UrlKey,
    /// Days since 1970.
    pub date: i32,
    /// Microseconds since 1970.
    pub time_micros: i64,
    /// The page.
    pub id: &'a P,
}

/// A page that an earlier run stored: the first of its key, or a copy of another by its content.
#[derive(Debug)]
pub struct StoredPage<'a, P> {
    /// The page, with its key on its date.
    pub page: KeyedPage<'a, P>,
    /// The earlier page with its content.
    pub owner: Option<P>,
    /// [`Content::signature`]; empty if it was not stored.
    pub signature: Signature,
}

/// The content of a page, which is asked for where it decides.
pub trait Content {
    /// Whether the page has a text block.
    fn has_text(&mut self) -> bool;

    /// The title and the longest blocks, by which pages are compared; empty without text.
    fn signature(&mut self) -> Signature;
}

/// The decision about a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<P> {
    /// The first page of its key.
    First,
    /// A duplicate.
    Duplicate {
        /// The page that it repeats.
        original: P,
        /// The first page of its key: itself, the original, or another page with the original's content.
        first: P,
        /// The reason why it is one.
        found: FoundBy,
    },
}

impl<P> Default for Learned<P> {
    fn default() -> Self {
        Self {
            learner: Learner::default(),
            verdicts: Verdicts::default(),
            changeable: Vec::new(),
            is_restored: false,
            changes: Vec::new(),
        }
    }
}

impl<P: Clone> PageKeys<P> {
    /// Creates a domain of which nothing is known.
    pub fn new(settings: &SiteSettings) -> Self {
        Self {
            known: KnownKeys::new(settings.lookback, settings.batching),
            lookback: settings.lookback,
            learned: settings.learns().then(Learned::default),
        }
    }

    /// Adds what an earlier run learned about a part of the domain's URLs.
    pub fn restore_slot(&mut self, slot: Slot, evidence: Evidence) {
        if let Some(learned) = &mut self.learned {
            let verdict = evidence.verdict;
            if verdict != Verdict::Undecided {
                (learned.verdicts).insert(slot.clone(), evidence.since, verdict);
            }
            learned.learner.restore_slot(slot, evidence);
        }
    }

    /// Adds a page that an earlier run stored. In time order.
    pub fn restore(&mut self, stored: StoredPage<'_, P>) {
        let StoredPage {
            page,
            owner,
            signature,
        } = stored;
        let is_copy = owner.is_some();
        let owner = owner.unwrap_or_else(|| page.id.clone());
        let (key, time) = (&page.key.text, page.time_micros);
        (self.known).restore(key, page.date, time, page.known(&owner));
        if let Some(learned) = &mut self.learned
            && let Some(parts) = page.parts
        {
            if !is_copy {
                (learned.learner).restore_page(page.compared(parts, signature));
            }
            learned.may_change(&page, &owner);
            learned.is_restored = true;
        }
    }

    /// Begins the date of the next page. If a verdict has changed, asks for the URLs of earlier pages, as they were
    /// fetched.
    pub fn begin(&mut self, keyer: &Keyer, date: i32, address: impl Fn(&P) -> String) {
        let Some(learned) = &mut self.learned else {
            return;
        };
        if learned.begin(date) {
            self.known.clear_aliases();
            for page in &learned.changeable {
                let address = address(&page.page.page);
                for (dates, key) in learned.later_keys(keyer, page, &address) {
                    self.known.add_alias(&key, dates, page.page.clone());
                }
            }
        }
    }

    /// Counts the parts of the URL of a page, whatever is decided about it.
    pub fn see(&mut self, parts: &UrlParts, date: i32) {
        if let Some(learned) = &mut self.learned {
            for part in &parts.parts {
                (learned.learner).see(date, Slot::new(parts, &part.kind));
            }
        }
    }

    /// Returns the parts of a URL. `None` if a rule decides about it, or nothing is learned.
    pub fn parts(&self, keyer: &Keyer, url: &PageUrl) -> Option<UrlParts> {
        self.learned.as_ref().and_then(|_| keyer.parts(url))
    }

    /// Returns the key of a page on `date`.
    pub fn key(
        &self,
        settings: &SiteSettings,
        url: &PageUrl,
        title: Option<&str>,
        date: i32,
    ) -> UrlKey {
        match &self.learned {
            Some(learned) => learned.key(&settings.keyer, url, title, date),
            None => settings.unlearned_key(url, title),
        }
    }

    /// Returns the first page of a key, and changes nothing.
    pub fn find(&self, key: &str, date: i32) -> Option<&P> {
        self.known.find(key, date).map(|first| &first.original)
    }

    /// The bytes of the keys, roughly, without what `P` points to: 96 for each key, and 1024 for each page that later
    /// pages are compared with.
    pub fn bytes(&self) -> usize {
        let compared = self.learned.as_ref().map(|learned| learned.learner.pages());
        96 * self.known.len() + 1024 * compared.unwrap_or_default()
    }

    /// Whether [`classify`](Self::classify) asks for the content of a page.
    pub fn asks(&mut self, page: &KeyedPage<'_, P>) -> bool {
        let is_known = self.earlier(page).is_some();
        let learned = self.learned.as_ref();
        !is_known || learned.is_some_and(|learned| learned.audited(page).is_some())
    }

    /// Decides whether a page is a duplicate. Asks for its content if it is the first of its key, or audited.
    pub fn classify(&mut self, page: &KeyedPage<'_, P>, content: &mut impl Content) -> Role<P> {
        if let Some(learned) = &mut self.learned
            && let Some(parts) = learned.audited(page)
        {
            (learned.learner).audit(&page.compared(parts, content.signature()));
        }
        if let Some((first, found)) = self.earlier(page) {
            let KnownPage { page, original } = first.clone();
            return Role::Duplicate {
                original,
                first: page,
                found,
            };
        }
        let has_text = content.has_text();
        let mut owner = None;
        if has_text
            && let Some(learned) = &mut self.learned
            && let Some(parts) = page.parts
        {
            owner = (learned.learner).page(page.compared(parts, content.signature()));
            learned.may_change(page, owner.as_ref().unwrap_or(page.id));
        }
        if has_text || !self.lookback.rejects_pages_without_text() {
            let known = page.known(owner.as_ref().unwrap_or(page.id));
            (self.known).add(&page.key.text, page.time_micros, known);
        }
        match owner {
            Some(original) => Role::Duplicate {
                original,
                first: page.id.clone(),
                found: FoundBy::Content,
            },
            None => Role::First,
        }
    }

    /// Ends the last date. Returns what the pages showed about parts of URLs, in the order of the dates.
    pub fn finish(&mut self) -> Vec<SlotChange> {
        let Some(learned) = &mut self.learned else {
            return Vec::new();
        };
        learned.begin(i32::MAX);
        std::mem::take(&mut learned.changes)
    }

    fn earlier(&mut self, page: &KeyedPage<'_, P>) -> Option<(&KnownPage<P>, FoundBy)> {
        let (key, time) = (&page.key.text, page.time_micros);
        self.known.earlier(key, page.date, time)
    }
}

impl<P: Clone> KeyedPage<'_, P> {
    fn known(&self, original: &P) -> KnownPage<P> {
        KnownPage {
            page: self.id.clone(),
            original: original.clone(),
        }
    }

    fn compared(&self, parts: &UrlParts, signature: Signature) -> ComparedPage<P> {
        ComparedPage {
            date: self.date,
            url: self.address.to_owned(),
            parts: parts.clone(),
            signature,
            page: self.id.clone(),
        }
    }
}

impl<P: Clone> Learned<P> {
    /// Ends the dates before `date`. Returns whether the key of an earlier page changes.
    fn begin(&mut self, date: i32) -> bool {
        let mut changes_keys = std::mem::take(&mut self.is_restored);
        for change in self.learner.changes_before(date) {
            let (slot, verdict) = (change.slot.clone(), change.evidence.verdict);
            let before = self
                .verdicts
                .verdict(&slot.host, &slot.shape, &slot.parameter, i32::MAX);
            let is_noise = |verdict: Verdict| verdict == Verdict::Noise;
            changes_keys |= is_noise(before) != is_noise(verdict);
            (self.verdicts).insert(slot, change.evidence.since, verdict);
            self.changes.push(change);
        }
        changes_keys
    }

    fn key(&self, keyer: &Keyer, url: &PageUrl, title: Option<&str>, date: i32) -> UrlKey {
        let is_noise = |parts: &UrlParts, kind: &PartKind| {
            self.verdicts.of(parts, kind, date) == Verdict::Noise
        };
        keyer.key_with_parts(url, title, is_noise)
    }

    /// Returns the parts of a page that is compared although its key is known.
    fn audited<'a>(&self, page: &KeyedPage<'a, P>) -> Option<&'a UrlParts> {
        let parts = page.parts.filter(|_| is_audited(page.address))?;
        self.learner.audits(parts).then_some(parts)
    }

    /// Notes a page whose key changes when a part of its URL becomes noise. Its later keys lead to
    /// `owner`.
    fn may_change(&mut self, page: &KeyedPage<'_, P>, owner: &P) {
        if page.parts.is_some_and(|parts| !parts.parts.is_empty()) {
            self.changeable.push(ChangeablePage {
                key: KeyHash::of(&page.key.text),
                date: page.date,
                page: page.known(owner),
            });
        }
    }

    /// The keys of a page on the dates after its own, by the verdicts so far.
    fn later_keys(
        &self,
        keyer: &Keyer,
        page: &ChangeablePage<P>,
        address: &str,
    ) -> Vec<(AliasDates, String)> {
        let Ok(url) = keyer.parse(address) else {
            return Vec::new();
        };
        let Some(parts) = keyer.parts(&url) else {
            return Vec::new();
        };
        let first = page.date.saturating_add(1);
        let dates = self.verdicts.key_dates(&parts, first, i32::MAX);
        let keys = dates.into_iter().map(|dates| {
            let key = self.key(keyer, &url, None, dates.from).text;
            let dates = AliasDates {
                from: dates.from,
                until: dates.until,
                since: dates.since,
            };
            (dates, key)
        });
        keys.filter(|(_, key)| KeyHash::of(key) != page.key)
            .collect()
    }
}
