//! One domain in the replay: archive rows in, label columns out.

use datafusion::error::Result;
use site_replay::{BatchedReplay, Batching};
use template::Outline;
use url_key::Domain;

use crate::plan::columns::labels::LabelColumns;
use crate::plan::columns::pages::PageRow;
use crate::plan::columns::schemas::Status;
use crate::settings::Settings;

/// The [`BatchedReplay`] of a domain, fed with rows.
pub(crate) struct DomainStream {
    pub(crate) name: String,
    replay: BatchedReplay,
    one_by_one: bool,
}

impl DomainStream {
    pub(crate) fn new(name: &str, settings: &Settings) -> Self {
        let labels = Domain::from_name(name).labels();
        let (window, batching) = (settings.window, settings.batching);
        Self {
            name: name.to_owned(),
            replay: BatchedReplay::new(
                labels,
                settings.labelling,
                settings.constants,
                window,
                batching,
            )
            .with_marks(settings.marks.of(name).cloned()),
            one_by_one: batching == Batching::Page,
        }
    }

    /// Restores an entry of the window from the table `window_entries`.
    pub(crate) fn restore(&mut self, page: &PageRow<'_>) -> Result<()> {
        let branch = page.branch();
        let entry = page.entry(&branch, page.hashes);
        if page.status == Status::Revision {
            self.replay.restore_revision(entry, page.position);
        } else {
            let slots = page.slots()?;
            self.replay.restore_page(entry, &slots, page.position);
        }
        Ok(())
    }

    /// Begins `batch` unless it is open.
    pub(crate) fn begin(&mut self, batch: i64) {
        self.replay.begin(batch);
    }

    /// Inserts a unique page.
    pub(crate) fn insert(&mut self, page: &PageRow<'_>, outline: Option<Outline>) -> Result<()> {
        let (branch, outline) = (page.branch(), page.outline_unless(outline)?);
        (self.replay).insert(page.entry(&branch, page.hashes), outline);
        Ok(())
    }

    /// Labels a unique page, or a duplicate that may be a revision. With batches of one
    /// page, a unique page is inserted here.
    pub(crate) fn label(
        &mut self,
        page: &PageRow<'_>,
        mut outline: Option<Outline>,
        settings: &Settings,
        out: &mut LabelColumns,
    ) -> Result<()> {
        let is_unique = page.status == Status::Unique;
        if is_unique {
            if self.one_by_one {
                self.insert(page, outline)?;
            }
            outline = self.replay.take_outline();
        }
        let outline = page.outline_unless(outline)?;
        let branch = page.branch();
        if is_unique {
            let labelled = (self.replay).label_page(branch.items(), page.hashes, outline.as_ref());
            let node = branch.node(labelled.labels.labels.node.depth.into());
            let (labels, ordinal) = (&labelled.labels, labelled.ordinal);
            out.page(Status::Unique, node, labels, ordinal, page.hashes, settings)?;
            out.learned(labelled.slots);
            return Ok(());
        }
        let entry = page.entry(&branch, page.hashes);
        let revision =
            (self.replay).label_duplicate(entry, &page.utf16_lengths()?, outline.as_ref());
        let Some(revision) = revision else {
            out.pass(Status::Duplicate.as_str());
            return Ok(());
        };
        let node = branch.node(revision.labels.labels.node.depth.into());
        out.page(
            Status::Revision,
            node,
            &revision.labels,
            revision.ordinal,
            &revision.hashes,
            settings,
        )?;
        out.learned(None);
        Ok(())
    }
}
