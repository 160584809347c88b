//! Learns which parts of URLs identify a page, as a job does before its plan.
//!
//! A job selects the pages to compare with hashes and compares them in rounds. Here all are in
//! memory, and the rule is the same: of the pages with one base URL, the first of each key.

use std::collections::{BTreeMap, HashMap, HashSet};

use site_replay::{AliasDates, Lookback, Queries};
use url_key::{PageUrl, UrlParts};
use url_parameters::{ComparedPage, Learner, Outcome, Signature, Verdict, Verdicts, is_audited};

use super::page::{Dates, for_each_page};
use crate::{GoldPage, GoldSet, InputError, ReplaySettings};

/// The verdicts of a set about the parts of its URLs.
#[derive(Default)]
pub(super) struct Learned {
    verdicts: Verdicts,
    /// The page with the content of a page, by index.
    pub(super) same_content: HashMap<usize, usize>,
    /// Pages that were compared and have no text.
    pub(super) without_text: HashSet<usize>,
    parts: HashMap<usize, UrlParts>,
}

/// A URL with parts, or the page of such a URL without them.
struct Variant<'a> {
    index: usize,
    url: &'a PageUrl,
    parts: UrlParts,
    /// The key with all parts.
    full_key: String,
}

impl Learned {
    /// Learns from pages in time order. `urls` has their parsed URLs, by index.
    pub(super) fn new(
        set: &GoldSet,
        pages: &[GoldPage],
        urls: &[Result<PageUrl, String>],
        dates: &Dates,
        settings: &ReplaySettings,
    ) -> Result<Self, InputError> {
        let mut learned = Self::default();
        if settings.queries == Queries::Drop || settings.lookback != Lookback::All {
            return Ok(learned);
        }
        let variants = variants(urls, settings);
        for variant in &variants {
            learned.parts.insert(variant.index, variant.parts.clone());
        }
        let wanted: HashSet<usize> = variants.iter().map(|variant| variant.index).collect();
        let mut signatures: HashMap<usize, Signature> = HashMap::new();
        for_each_page(set, pages, &wanted, |index, page| {
            let parsed = page
                .html
                .and_then(|html| html_blocks::page(html, page.http_charset, &settings.blocks).ok());
            let signature = parsed.map(|page| Signature::new(&page));
            signatures.insert(index, signature.unwrap_or_default());
        })?;
        let mut domains: BTreeMap<&str, Vec<Variant<'_>>> = BTreeMap::new();
        for variant in variants {
            let domain = variant.url.domain().as_str();
            domains.entry(domain).or_default().push(variant);
        }
        for variants in domains.into_values() {
            learned.domain(variants, &signatures, pages, dates);
        }
        Ok(learned)
    }

    fn domain(
        &mut self,
        variants: Vec<Variant<'_>>,
        signatures: &HashMap<usize, Signature>,
        pages: &[GoldPage],
        dates: &Dates,
    ) {
        let mut learner = Learner::default();
        let mut known: HashSet<String> = HashSet::new();
        for variant in variants {
            let Variant {
                index,
                parts,
                full_key,
                ..
            } = variant;
            let date = dates.of_pages[index];
            for change in learner.changes_before(date) {
                let evidence = change.evidence;
                self.verdicts
                    .insert(change.slot, evidence.since, evidence.verdict);
            }
            let page = ComparedPage {
                date,
                url: pages[index].url.clone(),
                signature: signatures.get(&index).cloned().unwrap_or_default(),
                parts,
                page: index,
            };
            if is_audited(&page.url) {
                learner.audit(&page);
            }
            if known.contains(&full_key) {
                continue;
            }
            if page.signature.is_empty() {
                self.without_text.insert(index);
                continue;
            }
            match learner.page(page) {
                Outcome::New => {
                    known.insert(full_key);
                }
                Outcome::SameContent { original } => {
                    known.insert(full_key);
                    self.same_content.insert(index, original);
                }
                Outcome::SameKey { .. } => {}
            }
        }
    }

    /// Whether a part of a page's URL is noise on the date of the page.
    pub(super) fn is_noise(&self, index: usize, date: i32, kind: &url_key::PartKind) -> bool {
        let verdict = |parts| self.verdicts.of(parts, kind, date);
        self.parts.get(&index).map(verdict) == Some(Verdict::Noise)
    }

    /// The keys of a page on dates after `date`.
    pub(super) fn later_keys(
        &self,
        index: usize,
        url: &PageUrl,
        date: i32,
        settings: &ReplaySettings,
    ) -> Vec<(AliasDates, String)> {
        let parts = self.parts.get(&index);
        let Some(parts) = parts.filter(|_| !self.without_text.contains(&index)) else {
            return Vec::new();
        };
        let dates = self
            .verdicts
            .key_dates(parts, date.saturating_add(1), i32::MAX);
        let keys = dates.into_iter().map(|dates| {
            let is_noise = |_: &_, kind: &_| self.is_noise(index, dates.from, kind);
            let key = settings.keyer.key_with_parts(url, None, is_noise);
            let dates = AliasDates {
                from: dates.from,
                until: dates.until,
                since: dates.since,
            };
            (dates, key.text)
        });
        keys.collect()
    }
}

/// The pages whose base URLs have several keys, one of them with parts.
fn variants<'a>(
    urls: &'a [Result<PageUrl, String>],
    settings: &ReplaySettings,
) -> Vec<Variant<'a>> {
    let keyer = &settings.keyer;
    let mut variants: Vec<Variant<'_>> = Vec::new();
    for (index, url) in urls.iter().enumerate() {
        let Ok(url) = url else { continue };
        let Some(parts) = keyer.parts(url) else {
            continue;
        };
        let full_key = keyer.key_with_parts(url, None, |_, _| false).text;
        variants.push(Variant {
            index,
            url,
            parts,
            full_key,
        });
    }
    let mut bases: HashMap<&str, (HashSet<&str>, bool)> = HashMap::new();
    for variant in &variants {
        let (keys, has_parts) = bases.entry(&variant.parts.base).or_default();
        keys.insert(&variant.full_key);
        *has_parts |= !variant.parts.parts.is_empty();
    }
    let compared: HashSet<String> = (bases.into_iter())
        .filter(|(_, (keys, has_parts))| *has_parts && keys.len() > 1)
        .map(|(base, _)| base.to_owned())
        .collect();
    variants.retain(|variant| compared.contains(&variant.parts.base));
    variants
}
