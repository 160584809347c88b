//! One domain in the replay: archive rows in, label columns out.

use datafusion::error::Result;
use site_replay::SiteStream;
use template::Outline;
use url_key::Domain;

use crate::plan::columns::labels::LabelColumns;
use crate::plan::columns::pages::PageRow;
use crate::plan::columns::status::Status;
use crate::settings::Settings;

/// The [`SiteStream`] of a domain, fed with rows.
pub(crate) struct DomainStream {
    pub(crate) name: String,
    pub(crate) stream: SiteStream,
}

impl DomainStream {
    /// `last` is the last date of the chunk, in days since 1970.
    pub(crate) fn new(name: &str, settings: &Settings, last: i32) -> Self {
        Self {
            name: name.to_owned(),
            stream: SiteStream::new(&Domain::from_name(name), &settings.site, last),
        }
    }

    /// Restores an entry of the window from the table `window_entries`.
    pub(crate) fn restore(&mut self, page: &PageRow<'_>) -> Result<()> {
        let branch = page.branch();
        let entry = page.entry(&branch, page.hashes);
        if page.status == Status::Revision {
            self.stream.restore_revision(entry, page.position);
        } else {
            let slots = page.slots()?;
            self.stream.restore_page(entry, &slots, page.position);
        }
        Ok(())
    }

    /// Inserts a unique page.
    pub(crate) fn insert(
        &mut self,
        page: &PageRow<'_>,
        date: i32,
        outline: Option<Outline>,
    ) -> Result<()> {
        let (branch, outline) = (page.branch(), page.outline_unless(outline)?);
        (self.stream).insert(page.entry(&branch, page.hashes), date, outline);
        Ok(())
    }

    /// Labels a unique page, or a duplicate that may be a revision.
    pub(crate) fn label(
        &mut self,
        page: &PageRow<'_>,
        date: i32,
        outline: Option<Outline>,
        settings: &Settings,
        out: &mut LabelColumns,
    ) -> Result<()> {
        let is_unique = page.status == Status::Unique;
        let outline = match is_unique && self.stream.has_outline() {
            true => None,
            false => page.outline_unless(outline)?,
        };
        let branch = page.branch();
        let entry = page.entry(&branch, page.hashes);
        if is_unique {
            let labelled = self.stream.label_page(entry, date, outline);
            let node = branch.node(labelled.labels.labels.node.depth.into());
            let (labels, ordinal) = (&labelled.labels, labelled.ordinal);
            out.page(
                Status::Unique,
                &node,
                labels,
                ordinal,
                page.hashes,
                settings,
            )?;
            out.learned(labelled.slots);
            return Ok(());
        }
        let lengths = page.utf16_lengths()?;
        let revision = (self.stream).label_duplicate(entry, date, lengths, outline.as_ref());
        let Some(revision) = revision else {
            out.pass(Status::Duplicate);
            return Ok(());
        };
        let node = branch.node(revision.labels.labels.node.depth.into());
        out.page(
            Status::Revision,
            &node,
            &revision.labels,
            revision.ordinal,
            &revision.hashes,
            settings,
        )?;
        out.learned(None);
        Ok(())
    }
}
