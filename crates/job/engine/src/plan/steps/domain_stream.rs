//! One domain in the replay: archive rows in, labels out.

use datafusion::error::Result;
use site_replay::SiteStream;
use template::Outline;
use url_key::Domain;

use crate::plan::columns::labels::LabelledRow;
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
        let entry = page.entry(&branch);
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
        (self.stream).insert(page.entry(&branch), date, outline);
        Ok(())
    }

    /// Labels a unique page, or a duplicate that may be a revision.
    pub(crate) fn label(
        &mut self,
        page: &PageRow<'_>,
        date: i32,
        outline: Option<Outline>,
        settings: &Settings,
    ) -> Result<LabelledRow> {
        let is_unique = page.status == Status::Unique;
        let outline = match is_unique && self.stream.has_outline() {
            true => None,
            false => page.outline_unless(outline)?,
        };
        let branch = page.branch();
        let entry = page.entry(&branch);
        if is_unique {
            let labelled = self.stream.label_page(entry, date, outline);
            let (labels, ordinal) = (&labelled.labels, labelled.ordinal);
            let (entry, slots) = (page.hashes, labelled.slots);
            let status = Status::Unique;
            return LabelledRow::page(status, &branch, labels, ordinal, entry, slots, settings);
        }
        let lengths = page.utf16_lengths()?;
        let revision = (self.stream).label_duplicate(entry, date, lengths, outline.as_ref());
        let Some(revision) = revision else {
            return Ok(LabelledRow::pass(Status::Duplicate));
        };
        let (labels, ordinal) = (&revision.labels, revision.ordinal);
        let (status, entry) = (Status::Revision, &revision.hashes);
        LabelledRow::page(status, &branch, labels, ordinal, entry, None, settings)
    }
}
