//! One domain's stream in batches: eviction at the end of each, and the ordinals of
//! what was inserted.

use std::sync::Arc;

use template::marks::SiteMarks;
use template::{Outline, PagePaths};
use url_tree::{BlockHash, Constants, Entry, WindowOptions, revision_hashes};

use crate::clock::{BatchClock, BatchStart};
use crate::{Batching, Labelling, PageLabels, SiteReplay};

/// A [`SiteReplay`] that knows when its batches end.
///
/// For each batch: [`begin`](Self::begin) it, [`insert`](Self::insert) its unique pages,
/// then label its pages in time order, unique ones with
/// [`label_page`](Self::label_page) and duplicates that may be revisions with
/// [`label_duplicate`](Self::label_duplicate). With [`Batching::Page`] `begin`, `insert`
/// and `label_page` follow each other for every page.
///
/// The caller decides how long labels wait: pages of a batch may be labelled when later
/// batches are inserted ([`Batching::label_batch_of`]).
#[derive(Debug)]
pub struct BatchedReplay {
    site: SiteReplay,
    clock: BatchClock,
    /// Entries of the domain before this batch.
    before: i64,
    inserted: i64,
    labelled: i64,
    revisions: i64,
}

/// A page with its labels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelledPage {
    /// The labels.
    pub labels: PageLabels,
    /// The page's number among all entries of the domain, in the order of insertion.
    pub ordinal: i64,
    /// The page's contribution to the template, with [`Labelling::Template`].
    pub slots: Option<PagePaths>,
}

/// A duplicate that brought unseen text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Revision {
    /// The labels of all its blocks.
    pub labels: PageLabels,
    /// The revision's number among all entries of the domain, in the order of insertion.
    pub ordinal: i64,
    /// The hashes of its unseen blocks, which were inserted.
    pub hashes: Vec<BlockHash>,
}

impl BatchedReplay {
    /// Creates a domain of which nothing is known. `domain_labels` is the number of
    /// leading items of its branches at or above the domain, as for
    /// [`SiteReplay::new`]. `constants` are those of a heuristic of the paper.
    pub fn new(
        domain_labels: usize,
        labelling: Labelling,
        constants: Constants,
        window: WindowOptions,
        batching: Batching,
    ) -> Self {
        Self {
            site: SiteReplay::new(domain_labels, labelling, window).with_constants(constants),
            clock: BatchClock::new(batching),
            before: 0,
            inserted: 0,
            labelled: 0,
            revisions: 0,
        }
    }

    /// Sets the DOM paths that are marked: see [`SiteReplay::with_marks`].
    #[must_use]
    pub fn with_marks(self, marks: Option<Arc<SiteMarks>>) -> Self {
        Self {
            site: self.site.with_marks(marks),
            ..self
        }
    }

    /// Inserts a page of the window that an earlier run stored, with its
    /// [`slots`](LabelledPage::slots) and its ordinal.
    pub fn restore_page<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        slots: &PagePaths,
        ordinal: i64,
    ) {
        self.clock.advance(page.time_micros);
        self.site.restore(page, slots);
        self.before = ordinal + 1;
    }

    /// Inserts a revision of the window that an earlier run stored, with its ordinal.
    pub fn restore_revision<S: AsRef<str>>(&mut self, revision: Entry<'_, S>, ordinal: i64) {
        self.clock.advance(revision.time_micros);
        self.site.insert_revision(revision);
        self.before = ordinal + 1;
    }

    /// Begins `batch` unless it is open. At the end of the batch before, evicts the
    /// entries that left the window. `batch` is [`Batching::batch_of`] a date.
    pub fn begin(&mut self, batch: i64) {
        let BatchStart::New { ended } = self.clock.begin(batch) else {
            return;
        };
        if let Some(newest) = ended {
            self.site.end_batch(newest);
        }
        self.before += self.labelled + self.revisions;
        (self.inserted, self.labelled, self.revisions) = (0, 0, 0);
    }

    /// Inserts a unique page into the tree and the template.
    pub fn insert<S: AsRef<str>>(&mut self, page: Entry<'_, S>, outline: Option<Outline>) {
        self.clock.advance(page.time_micros);
        self.site.insert(page, outline);
        self.inserted += 1;
    }

    /// Takes the outline of the page that [`label_page`](Self::label_page) labels next,
    /// if it was kept since the page's insertion.
    pub fn take_outline(&mut self) -> Option<Outline> {
        self.site.take_outline()
    }

    /// Counts the oldest inserted page that is not labelled yet as labelled: a caller that stores no
    /// window labels its pages with [`label`](Self::label), in any order and any number of times.
    pub fn skip_page(&mut self) {
        self.labelled += 1;
        drop(self.site.take_slots());
    }

    /// Labels the blocks of a page by the current counts, and changes nothing.
    pub fn label<S: AsRef<str>>(
        &self,
        branch: &[S],
        hashes: &[BlockHash],
        outline: Option<&Outline>,
    ) -> PageLabels {
        self.site.label(branch, hashes, outline)
    }

    /// Labels the oldest inserted page that is not labelled yet.
    pub fn label_page<S: AsRef<str>>(
        &mut self,
        branch: &[S],
        hashes: &[BlockHash],
        outline: Option<&Outline>,
    ) -> LabelledPage {
        let labels = self.site.label(branch, hashes, outline);
        let ordinal = self.before + self.labelled;
        self.labelled += 1;
        LabelledPage {
            labels,
            ordinal,
            slots: self.site.take_slots(),
        }
    }

    /// Labels a duplicate. If it brings at least
    /// [`UNSEEN_CHARS`](url_tree::UNSEEN_CHARS) characters of unseen text, inserts its
    /// unseen blocks and returns the revision [O E3]; otherwise returns `None`.
    ///
    /// `utf16_lengths` are the lengths of its blocks in UTF-16 code units.
    pub fn label_duplicate<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        utf16_lengths: &[usize],
        outline: Option<&Outline>,
    ) -> Option<Revision> {
        let labels = self.site.label(page.branch, page.hashes, outline);
        let hashes = revision_hashes(&labels.labels, page.hashes, utf16_lengths)?;
        self.clock.advance(page.time_micros);
        self.site.insert_revision(Entry {
            hashes: &hashes,
            ..page
        });
        // Entries leave the window in the order of insertion [O F2]: all new pages of
        // the batch, then its revisions.
        let ordinal = self.before + self.inserted + self.revisions;
        self.revisions += 1;
        Some(Revision {
            labels,
            ordinal,
            hashes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRANCH: [&str; 2] = ["example", "news"];

    fn replay(batching: Batching) -> BatchedReplay {
        let window = WindowOptions {
            max_pages: 9,
            max_age_micros: 10,
            min_pages: 1,
        };
        let strict = "strict-at-domain".parse().unwrap();
        BatchedReplay::new(2, strict, Constants::default(), window, batching)
    }

    fn entry(time_micros: i64, hashes: &[BlockHash]) -> Entry<'_, &'static str> {
        Entry {
            time_micros,
            branch: &BRANCH,
            hashes,
        }
    }

    #[test]
    fn revisions_are_numbered_after_all_new_pages_of_their_batch() {
        let mut replay = replay(Batching::Date);
        replay.restore_page(entry(0, &[[9; 16]]), &PagePaths::default(), 4);
        replay.begin(1);
        replay.insert(entry(1, &[[1; 16]]), None);
        replay.insert(entry(3, &[[3; 16]]), None);
        let first = replay.label_page(&BRANCH, &[[1; 16]], None);
        let revision = replay.label_duplicate(entry(2, &[[1; 16], [2; 16]]), &[500, 100], None);
        let second = replay.label_page(&BRANCH, &[[3; 16]], None);
        let revision = revision.unwrap();
        assert_eq!((first.ordinal, second.ordinal), (5, 6));
        assert_eq!((revision.ordinal, revision.hashes), (7, vec![[2; 16]]));
        replay.begin(2);
        replay.insert(entry(4, &[[4; 16]]), None);
        assert_eq!(replay.label_page(&BRANCH, &[[4; 16]], None).ordinal, 8);
    }

    #[test]
    fn a_duplicate_without_unseen_text_does_not_advance_the_clock() {
        let mut replay = replay(Batching::Page);
        replay.begin(0);
        replay.insert(entry(1, &[[1; 16]]), None);
        replay.label_page(&BRANCH, &[[1; 16]], None);
        replay.begin(0);
        replay.insert(entry(2, &[[2; 16]]), None);
        replay.label_page(&BRANCH, &[[2; 16]], None);
        replay.begin(0);
        let late = replay.label_duplicate(entry(30, &[[1; 16]]), &[500], None);
        assert!(late.is_none());
        replay.begin(0);
        // Both pages are in the window, though the duplicate came 29 later.
        let labels = replay.site.label(&BRANCH, &[], None);
        assert_eq!(labels.labels.node.support, 2);
    }
}
