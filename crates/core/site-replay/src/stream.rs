//! The stream of one domain: which pages are inserted before a label, what leaves the window, and the
//! ordinals of entries.

use template::{Outline, PagePaths};
use url_key::Domain;
use url_tree::{BlockHash, Entry, revision_hashes};

use crate::clock::{BatchClock, BatchStart};
use crate::{Batching, PageLabels, SiteReplay, SiteSettings};

/// The stream of one domain. It owns no page: pages that wait for their labels are in a queue of the caller,
/// which may spill.
///
/// ```text
/// for each page, in the order of (`fetched_at`, URL, position in the archive)
///     if it is the first of its key
///         expect(date), label the pages at the front of the queue that are due, insert(page)
///     push it to the queue
/// end(), label the rest
/// ```
///
/// With [`Batching::Page`] every page [is due](Self::is_due) at once, and is inserted when it is labelled.
#[derive(Debug)]
pub struct SiteStream {
    site: SiteReplay,
    batching: Batching,
    relabel_days: u32,
    /// The last date of the run, in days since 1970.
    last: i32,
    /// The batch of the next page that is inserted.
    expected: Option<i64>,
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
    /// The page's contribution to the template, with [`Labelling::Template`](crate::Labelling::Template).
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

impl SiteStream {
    /// Creates a domain of which nothing is known. `last` is the last date of the run, in days since 1970:
    /// no label waits for later pages.
    pub fn new(domain: &Domain, settings: &SiteSettings, last: i32) -> Self {
        let SiteSettings {
            labelling, window, ..
        } = *settings;
        let site = SiteReplay::new(domain.labels(), labelling, window)
            .with_constants(settings.constants)
            .with_marks(settings.marks.of(domain.as_str()).cloned())
            .with_page_kinds(settings.page_kinds);
        Self {
            site,
            batching: settings.batching,
            relabel_days: settings.relabel_days,
            last,
            expected: None,
            clock: BatchClock::new(settings.batching),
            before: 0,
            inserted: 0,
            labelled: 0,
            revisions: 0,
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

    /// Announces that the next page to insert is of `date`, in days since 1970. Returns whether its batch is
    /// another than that of the page before, so that pages may be due.
    pub fn expect(&mut self, date: i32) -> bool {
        let batch = Some(self.batching.batch_of(date));
        std::mem::replace(&mut self.expected, batch) != batch
    }

    /// Announces that no page follows.
    pub fn end(&mut self) {
        self.expected = Some(i64::MAX);
    }

    /// Whether all pages that decide the labels of a page of `date` are inserted.
    pub fn is_due(&self, date: i32) -> bool {
        self.is_one_by_one()
            || self
                .expected
                .is_some_and(|end| self.label_batch(date) < end)
    }

    /// The batch after whose insertion a page of `date` is labelled.
    fn label_batch(&self, date: i32) -> i64 {
        let Self {
            relabel_days, last, ..
        } = *self;
        self.batching.label_batch_of(date, relabel_days, last)
    }

    /// Begins the batch of `date` unless it is open. At the end of the batch before, evicts the
    /// entries that left the window.
    pub fn begin(&mut self, date: i32) {
        self.begin_batch(self.batching.batch_of(date));
    }

    fn begin_batch(&mut self, batch: i64) {
        let BatchStart::New { ended } = self.clock.begin(batch) else {
            return;
        };
        if let Some(newest) = ended {
            self.site.end_batch(newest);
        }
        self.before += self.labelled + self.revisions;
        (self.inserted, self.labelled, self.revisions) = (0, 0, 0);
    }

    /// Whether every page is labelled as soon as it is inserted: [`Batching::Page`].
    pub fn is_one_by_one(&self) -> bool {
        self.batching == Batching::Page
    }

    /// Inserts a unique page of `date` into the tree and the template. Not for a stream that
    /// [is one by one](Self::is_one_by_one).
    pub fn insert<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        date: i32,
        outline: Option<Outline>,
    ) {
        self.begin(date);
        self.clock.advance(page.time_micros);
        self.site.insert(page, outline);
        self.inserted += 1;
    }

    /// Inserts a unique page of `date` that no label waits for, and returns its outline: the caller stores no window
    /// and labels with [`label`](Self::label), as often as it likes.
    pub fn learn<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        date: i32,
        outline: Option<Outline>,
    ) -> Option<Outline> {
        self.insert(page, date, outline);
        let outline = self.site.take_outline();
        self.skip_page();
        outline
    }

    /// Whether the outline of the page that [`label_page`](Self::label_page) labels next was kept since its
    /// insertion.
    pub fn has_outline(&self) -> bool {
        self.site.has_outline()
    }

    /// Counts the oldest inserted page that is not labelled yet as labelled.
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

    /// Labels the oldest inserted page that is not labelled yet. `outline` counts if none
    /// [was kept](Self::has_outline). A stream that is one by one inserts the page first.
    pub fn label_page<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        date: i32,
        outline: Option<Outline>,
    ) -> LabelledPage {
        let (branch, hashes) = (page.branch, page.hashes);
        let outline = if self.is_one_by_one() {
            self.insert(page, date, outline);
            self.site.take_outline()
        } else {
            self.begin_batch(self.label_batch(date));
            self.site.take_outline().or(outline)
        };
        let labels = self.site.label(branch, hashes, outline.as_ref());
        let ordinal = self.before + self.labelled;
        self.labelled += 1;
        LabelledPage {
            labels,
            ordinal,
            slots: self.site.take_slots(),
        }
    }

    /// Labels a duplicate of `date`. If it brings at least
    /// [`UNSEEN_CHARS`](url_tree::UNSEEN_CHARS) characters of unseen text, inserts its
    /// unseen blocks and returns the revision [O E3]; otherwise returns `None`.
    ///
    /// `utf16_lengths` are the lengths of its blocks in UTF-16 code units.
    pub fn label_duplicate<S: AsRef<str>>(
        &mut self,
        page: Entry<'_, S>,
        date: i32,
        utf16_lengths: &[usize],
        outline: Option<&Outline>,
    ) -> Option<Revision> {
        self.begin_batch(self.label_batch(date));
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
    use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
    use url_tree::WindowOptions;

    use super::*;

    const BRANCH: [&str; 2] = ["example", "news"];

    fn stream(batching: Batching, relabel_days: u32) -> SiteStream {
        let keyer = Keyer::new(
            KeyOptions::default(),
            RuleSet::default(),
            Blocklist::default(),
        );
        let mut settings = SiteSettings::new(keyer.unwrap());
        settings.window = WindowOptions {
            max_pages: 9,
            max_age_micros: 10,
            min_pages: 1,
        };
        settings.labelling = "strict-at-domain".parse().unwrap();
        (settings.batching, settings.relabel_days) = (batching, relabel_days);
        SiteStream::new(&Domain::from_name("news.example"), &settings, 10)
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
        let mut stream = stream(Batching::Date, 0);
        stream.restore_page(entry(0, &[[9; 16]]), &PagePaths::default(), 4);
        stream.insert(entry(1, &[[1; 16]]), 1, None);
        stream.insert(entry(3, &[[3; 16]]), 1, None);
        let first = stream.label_page(entry(1, &[[1; 16]]), 1, None);
        let revision = stream.label_duplicate(entry(2, &[[1; 16], [2; 16]]), 1, &[500, 100], None);
        let second = stream.label_page(entry(3, &[[3; 16]]), 1, None);
        let revision = revision.unwrap();
        assert_eq!((first.ordinal, second.ordinal), (5, 6));
        assert_eq!((revision.ordinal, revision.hashes), (7, vec![[2; 16]]));
        stream.insert(entry(4, &[[4; 16]]), 2, None);
        assert_eq!(stream.label_page(entry(4, &[[4; 16]]), 2, None).ordinal, 8);
    }

    #[test]
    fn a_duplicate_without_unseen_text_does_not_advance_the_clock() {
        let mut stream = stream(Batching::Page, 0);
        stream.label_page(entry(1, &[[1; 16]]), 0, None);
        stream.label_page(entry(2, &[[2; 16]]), 0, None);
        let late = stream.label_duplicate(entry(30, &[[1; 16]]), 0, &[500], None);
        assert!(late.is_none());
        stream.begin(0);
        // Both pages are in the window, though the duplicate came 29 later.
        let labels = stream.label(&BRANCH, &[], None);
        assert_eq!(labels.labels.node.support, 2);
    }

    #[test]
    fn a_page_is_due_when_the_pages_that_decide_its_labels_are_inserted() {
        let due = |stream: &SiteStream| [1, 2, 3, 10].map(|date| stream.is_due(date));
        let mut by_date = stream(Batching::Date, 0);
        assert_eq!(due(&by_date), [false; 4]);
        by_date.expect(3);
        assert_eq!(due(&by_date), [true, true, false, false]);
        by_date.end();
        assert_eq!(due(&by_date), [true; 4]);
        let mut relabelled = stream(Batching::Date, 1);
        relabelled.expect(3);
        assert_eq!(due(&relabelled), [true, false, false, false]);
        let mut at_end = stream(Batching::Run, 0);
        at_end.expect(10);
        assert_eq!(due(&at_end), [false; 4]);
        at_end.end();
        assert_eq!(due(&at_end), [true; 4]);
        assert_eq!(due(&stream(Batching::Page, 0)), [true; 4]);
    }
}
