//! The pages of one base URL that later pages are compared with.

use std::collections::{BTreeSet, HashMap, VecDeque};

use url_key::{PartKind, UrlPart};

use crate::Signature;

/// Pages that are kept: the last ones. A crawler trap, such as a calendar, has a page for every
/// value, and must not take all memory.
const MAX_PAGES: usize = 4096;

/// Pages that a page is compared with because they came last.
const RECENT: usize = 16;

/// Pages that a page is compared with because they have one of its blocks: the last ones. Blocks of
/// the content are on few pages, so a higher value adds comparisons with the site's template.
const PER_BLOCK: usize = 8;

/// A page that later pages are compared with.
#[derive(Debug)]
pub(crate) struct Compared<T> {
    pub(crate) url: String,
    pub(crate) parts: Vec<UrlPart>,
    pub(crate) signature: Signature,
    pub(crate) page: T,
}

/// Pages by their number, by their parts, and by the blocks of their signatures.
#[derive(Debug)]
pub(crate) struct Group<T> {
    pages: VecDeque<Compared<T>>,
    /// The number of the first of `pages`.
    first: u64,
    by_key: HashMap<Vec<UrlPart>, u64>,
    by_block: BTreeSet<(u32, u64)>,
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        Self {
            pages: VecDeque::new(),
            first: 0,
            by_key: HashMap::new(),
            by_block: BTreeSet::new(),
        }
    }
}

impl<T> Group<T> {
    /// Adds a page. Returns whether it took the place of an earlier one.
    pub(crate) fn add(&mut self, page: Compared<T>, is_noise: impl Fn(&PartKind) -> bool) -> bool {
        let evicted = self.pages.len() == MAX_PAGES;
        if evicted && let Some(oldest) = self.pages.pop_front() {
            for block in oldest.signature.block_hashes() {
                self.by_block.remove(&(block, self.first));
            }
            let key = kept(&oldest.parts, is_noise_of(&is_noise));
            if self.by_key.get(&key) == Some(&self.first) {
                self.by_key.remove(&key);
            }
            self.first += 1;
        }
        let number = self.first + self.pages.len() as u64;
        for block in page.signature.block_hashes() {
            self.by_block.insert((block, number));
        }
        let key = kept(&page.parts, is_noise_of(&is_noise));
        self.by_key.entry(key).or_insert(number);
        self.pages.push_back(page);
        evicted
    }

    /// Finds pages by their parts without noise from now on.
    pub(crate) fn rekey(&mut self, is_noise: impl Fn(&PartKind) -> bool) {
        self.by_key.clear();
        for (page, number) in self.pages.iter().zip(self.first..) {
            let key = kept(&page.parts, is_noise_of(&is_noise));
            self.by_key.entry(key).or_insert(number);
        }
    }

    /// Returns the page that differs from these parts in noise only.
    pub(crate) fn with_key(
        &self,
        parts: &[UrlPart],
        is_noise: impl Fn(&PartKind) -> bool,
    ) -> Option<&Compared<T>> {
        let number = self.by_key.get(&kept(parts, is_noise))?;
        self.page(*number)
    }

    /// Returns the pages that may have the content of this page, and some recent ones, in order.
    pub(crate) fn candidates(&self, signature: &Signature) -> impl Iterator<Item = &Compared<T>> {
        let end = self.first + self.pages.len() as u64;
        let recent = self.first.max(end.saturating_sub(RECENT as u64))..end;
        let mut numbers: BTreeSet<u64> = recent.collect();
        for block in signature.block_hashes() {
            let with_block = self.by_block.range((block, 0)..=(block, u64::MAX)).rev();
            numbers.extend(with_block.take(PER_BLOCK).map(|(_, number)| *number));
        }
        numbers.into_iter().filter_map(|number| self.page(number))
    }

    fn page(&self, number: u64) -> Option<&Compared<T>> {
        let index = usize::try_from(number.checked_sub(self.first)?).ok()?;
        self.pages.get(index)
    }
}

/// Borrows a function, so that it can be passed twice.
fn is_noise_of(is_noise: &impl Fn(&PartKind) -> bool) -> impl Fn(&PartKind) -> bool {
    move |kind| is_noise(kind)
}

/// The parts that are not noise.
fn kept(parts: &[UrlPart], is_noise: impl Fn(&PartKind) -> bool) -> Vec<UrlPart> {
    let kept = parts.iter().filter(|part| !is_noise(&part.kind));
    kept.cloned().collect()
}
