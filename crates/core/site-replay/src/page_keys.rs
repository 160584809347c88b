//! URL keys and duplicates of a domain, one page after the other.
//!
//! A job learns about parts of URLs before its plan, and gives pages their later keys as aliases
//! with dates. Here pages come one at a time. Verdicts change between two dates only, so at the
//! first page of a date all verdicts of the date are known, and if one has changed, the aliases
//! of all earlier pages are computed again.

use std::collections::HashSet;

use url_key::{Keyer, PageUrl, PartKind, UrlKey, UrlParts};
use url_parameters::{ComparedPage, Learner, Outcome, Signature, Verdict, Verdicts, is_audited};

use crate::{AliasDates, KnownKeys, Occurrence, SiteSettings};

/// The keys of the pages of a domain, which `P` names.
///
/// Pages come in time order. A call of [`begin`](Self::begin) opens the date of the next page, [`key`](Self::key)
/// computes its key, and [`classify`](Self::classify) decides whether it is a duplicate.
#[derive(Debug)]
pub struct PageKeys<P> {
    known: KnownKeys<P>,
    /// `None` if the job learns nothing about parts of URLs.
    learned: Option<Learned<P>>,
}

/// Verdicts about parts of URLs, and the pages that they depend on.
#[derive(Debug)]
struct Learned<P> {
    learner: Learner<P>,
    verdicts: Verdicts,
    /// Keys with all parts, of pages that were compared.
    full_keys: HashSet<String>,
    /// Pages whose keys may change, in time order, one of each key with all parts.
    changeable: Vec<ChangeablePage<P>>,
    changeable_keys: HashSet<String>,
}

#[derive(Debug)]
struct ChangeablePage<P> {
    url: PageUrl,
    parts: UrlParts,
    key: String,
    date: i32,
    page: P,
}

/// A page, as its key is decided.
#[derive(Debug)]
pub struct KeyedPage<'a, P> {
    /// The URL as it was fetched.
    pub address: &'a str,
    /// The parsed URL.
    pub url: &'a PageUrl,
    /// Its key: [`PageKeys::key`].
    pub key: &'a UrlKey,
    /// Days since 1970.
    pub date: i32,
    /// Microseconds since 1970.
    pub time_micros: i64,
    /// The page.
    pub id: &'a P,
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
    /// A duplicate of this page.
    Duplicate(P),
}

/// The parts of a URL, and its key with all of them.
struct Whole {
    parts: UrlParts,
    key: String,
}

impl Whole {
    /// `None` if a rule decides about the URL.
    fn of(keyer: &Keyer, url: &PageUrl) -> Option<Self> {
        Some(Self {
            parts: keyer.parts(url)?,
            key: keyer.key_with_parts(url, None, |_, _| false).text,
        })
    }
}

impl<P> Default for Learned<P> {
    fn default() -> Self {
        Self {
            learner: Learner::default(),
            verdicts: Verdicts::default(),
            full_keys: HashSet::new(),
            changeable: Vec::new(),
            changeable_keys: HashSet::new(),
        }
    }
}

impl<P> Default for Compared<P> {
    fn default() -> Self {
        Self {
            same_content: None,
            has_no_text: false,
        }
    }
}

/// The comparison of a page with earlier pages.
#[derive(Debug)]
struct Compared<P> {
    /// The earlier page with its content.
    same_content: Option<P>,
    /// Whether it was compared and has no text.
    has_no_text: bool,
}

impl<P: Clone> PageKeys<P> {
    /// Creates a domain of which nothing is known.
    pub fn new(settings: &SiteSettings) -> Self {
        Self {
            known: KnownKeys::new(settings.lookback, settings.batching),
            learned: settings.learns().then(Learned::default),
        }
    }

    /// Begins the date of the next page.
    pub fn begin(&mut self, keyer: &Keyer, date: i32) {
        if let Some(learned) = &mut self.learned
            && learned.begin(date)
        {
            self.known.clear_aliases();
            for page in &learned.changeable {
                for (dates, key) in learned.later_keys(keyer, page) {
                    self.known.add_alias(&key, dates, page.page.clone());
                }
            }
        }
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
        self.known.find(key, date)
    }

    /// Decides whether a page is a duplicate. Parses it if it has to be compared, and if it is the first
    /// of its key.
    pub fn classify(
        &mut self,
        keyer: &Keyer,
        page: &KeyedPage<'_, P>,
        content: &mut impl Content,
    ) -> Role<P> {
        let learned = self.learned.as_mut();
        let mut learned = learned.and_then(|learned| Some((learned, Whole::of(keyer, page.url)?)));
        let compared = match &mut learned {
            Some((learned, whole)) => learned.compare(page, whole, content),
            None => Compared::default(),
        };
        let same_content = compared.same_content.clone();
        let key = &page.key.text;
        let id = page.id.clone();
        let occurrence =
            (self.known).classify(key, page.date, page.time_micros, id, compared.same_content);
        let role = match occurrence {
            Occurrence::First => Role::First,
            Occurrence::Duplicate { original, .. } => Role::Duplicate(original.clone()),
        };
        let is_rejected =
            matches!(role, Role::First) && (compared.has_no_text || !content.has_text());
        if is_rejected {
            self.known.reject(key);
        }
        if let Some((learned, whole)) = learned
            && !is_rejected
            && !compared.has_no_text
        {
            let owner = same_content.as_ref().unwrap_or(page.id);
            learned.may_change(page, whole, owner);
        }
        role
    }
}

impl<P: Clone> Learned<P> {
    /// Ends the dates before `date`. Returns whether the key of an earlier page changes.
    fn begin(&mut self, date: i32) -> bool {
        let mut changes_keys = false;
        for change in self.learner.changes_before(date) {
            let (slot, evidence) = (change.slot, change.evidence);
            let before = self
                .verdicts
                .verdict(&slot.host, &slot.shape, &slot.parameter, i32::MAX);
            let is_noise = |verdict: Verdict| verdict == Verdict::Noise;
            changes_keys |= is_noise(before) != is_noise(evidence.verdict);
            self.verdicts.insert(slot, evidence.since, evidence.verdict);
        }
        changes_keys
    }

    fn key(&self, keyer: &Keyer, url: &PageUrl, title: Option<&str>, date: i32) -> UrlKey {
        let is_noise = |parts: &UrlParts, kind: &PartKind| {
            self.verdicts.of(parts, kind, date) == Verdict::Noise
        };
        keyer.key_with_parts(url, title, is_noise)
    }

    fn compare(
        &mut self,
        page: &KeyedPage<'_, P>,
        whole: &Whole,
        content: &mut impl Content,
    ) -> Compared<P> {
        let mut compared = Compared::default();
        let is_known = self.full_keys.contains(&whole.key);
        let audited = is_audited(page.address);
        if is_known && !audited {
            return compared;
        }
        let page = ComparedPage {
            date: page.date,
            url: page.address.to_owned(),
            parts: whole.parts.clone(),
            signature: content.signature(),
            page: page.id.clone(),
        };
        if audited {
            self.learner.audit(&page);
        }
        if is_known {
            return compared;
        }
        if page.signature.is_empty() {
            compared.has_no_text = true;
            return compared;
        }
        match self.learner.page(page) {
            Outcome::New => {
                self.full_keys.insert(whole.key.clone());
            }
            Outcome::SameContent { original } => {
                self.full_keys.insert(whole.key.clone());
                compared.same_content = Some(original);
            }
            Outcome::SameKey { .. } => {}
        }
        compared
    }

    /// Notes a page whose key changes when a part of its URL becomes noise. Its later keys lead to
    /// `owner`.
    fn may_change(&mut self, page: &KeyedPage<'_, P>, whole: Whole, owner: &P) {
        if !whole.parts.parts.is_empty() && self.changeable_keys.insert(whole.key) {
            self.changeable.push(ChangeablePage {
                url: page.url.clone(),
                parts: whole.parts,
                key: page.key.text.clone(),
                date: page.date,
                page: owner.clone(),
            });
        }
    }

    /// The keys of a page on the dates after its own, by the verdicts so far.
    fn later_keys(&self, keyer: &Keyer, page: &ChangeablePage<P>) -> Vec<(AliasDates, String)> {
        let first = page.date.saturating_add(1);
        let dates = self.verdicts.key_dates(&page.parts, first, i32::MAX);
        let keys = dates.into_iter().map(|dates| {
            let key = self.key(keyer, &page.url, None, dates.from).text;
            let dates = AliasDates {
                from: dates.from,
                until: dates.until,
                since: dates.since,
            };
            (dates, key)
        });
        keys.filter(|(_, key)| *key != page.key).collect()
    }
}
