//! One domain whose pages are passing through the replay.

use datafusion::error::Result;
use site_replay::SiteReplay;
use template::Outline;
use url_key::Domain;
use url_tree::revision_hashes;

use crate::job::Settings;
use crate::plan::batch_clock::BatchClock;
use crate::plan::columns::labels::LabelColumns;
use crate::plan::columns::pages::PageRow;
use crate::plan::columns::schemas::Status;
use crate::spec::Batch;

/// The tree and the template of a domain, and how far it is in its batch.
pub(crate) struct DomainStream {
    pub(crate) name: String,
    site: SiteReplay,
    one_by_one: bool,
    clock: BatchClock,
    /// Entries of the domain before this batch.
    before: i64,
    inserted: i64,
    labelled: i64,
    revisions: i64,
}

impl DomainStream {
    pub(crate) fn new(name: &str, settings: &Settings) -> Self {
        let labels = Domain::from_name(name).labels();
        Self {
            name: name.to_owned(),
            site: SiteReplay::new(labels, settings.labelling, settings.window),
            one_by_one: settings.batch == Batch::Page,
            clock: BatchClock::new(settings.batch),
            before: 0,
            inserted: 0,
            labelled: 0,
            revisions: 0,
        }
    }

    /// A page of the window as the last run left it.
    pub(crate) fn remember(&mut self, page: &PageRow<'_>) -> Result<()> {
        let branch = page.branch();
        let entry = page.entry(&branch, page.hashes);
        if page.status == Status::Revision {
            self.site.insert_unseen(entry);
        } else {
            self.site.remember(entry, &page.slots()?);
        }
        self.clock.take_in(page.time);
        self.before = page.position + 1;
        Ok(())
    }

    /// What follows is of `batch`.
    pub(crate) fn enter(&mut self, batch: i64) {
        if self.clock.begins(batch) {
            self.end_batch();
        }
    }

    /// Forgets what left the window.
    fn end_batch(&mut self) {
        if let Some(newest) = self.clock.end() {
            self.site.end_batch(newest);
        }
        self.before += self.labelled + self.revisions;
        (self.inserted, self.labelled, self.revisions) = (0, 0, 0);
    }

    pub(crate) fn insert(&mut self, page: &PageRow<'_>, outline: Option<Outline>) -> Result<()> {
        let (branch, outline) = (page.branch(), page.outline_unless(outline)?);
        self.site.insert(page.entry(&branch, page.hashes), outline);
        self.clock.take_in(page.time);
        self.inserted += 1;
        Ok(())
    }

    /// Labels a page that was inserted, with what its batch brought; with batches of one
    /// page, inserts it first.
    pub(crate) fn label(
        &mut self,
        page: &PageRow<'_>,
        mut outline: Option<Outline>,
        settings: &Settings,
        out: &mut LabelColumns,
    ) -> Result<()> {
        if page.status == Status::Unique {
            if self.one_by_one {
                self.insert(page, outline)?;
            }
            outline = self.site.outline();
        }
        let outline = page.outline_unless(outline)?;
        let branch = page.branch();
        let labels = (self.site).label(branch.items(), page.hashes, outline.as_ref());
        let node = branch.node(labels.labels.node.depth.into());
        if page.status == Status::Unique {
            let ordinal = self.before + self.labelled;
            self.labelled += 1;
            out.page(
                Status::Unique,
                node,
                &labels,
                ordinal,
                page.hashes,
                settings,
            )?;
            out.learned(self.site.learned());
            return Ok(());
        }
        let lengths = page.utf16_lengths();
        let Some(unseen) = revision_hashes(&labels.labels, page.hashes, &lengths) else {
            out.pass(Status::Duplicate.as_str());
            return Ok(());
        };
        self.site.insert_unseen(page.entry(&branch, &unseen));
        self.clock.take_in(page.time);
        // In the order of insertion, which is the order of eviction [O F2]:
        // all new pages of the batch, then its revisions.
        let ordinal = self.before + self.inserted + self.revisions;
        self.revisions += 1;
        out.page(Status::Revision, node, &labels, ordinal, &unseen, settings)?;
        out.learned(None);
        Ok(())
    }
}
