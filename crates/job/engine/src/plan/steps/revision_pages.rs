//! Finds the page of a URL key among its revision candidates, if its first page has no text.
//!
//! With `dedup.revisions`, Block parses every copy in its own row group, and no copy is read again.
//! The sort before Replay brings the copies of a key together in time order. Before Replay inserts
//! them, the first candidate with text becomes the page of its key. Later candidates become
//! candidates of this page.

use std::collections::HashMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, Int32Array, RecordBatch, StringArray, TimestampMicrosecondArray,
};
use arrow::datatypes::{Int32Type, TimestampMicrosecondType};
use datafusion::error::Result;

use crate::plan::columns::schemas::{Phase, RecordBatchExt, Status, project_to, value_opt};
use crate::plan::steps::dedupe::Originals;
use crate::plan::steps::later_copies::FoundPage;
use crate::settings::Settings;

/// The keys of a domain whose first page has no text.
///
/// Rows come in the order of Replay. Quarantined first pages come before all pages of their domain,
/// and quarantined candidates after them: see `quarantine_batch` in [`Block`].
///
/// [`Block`]: crate::plan::steps::block::Block
#[derive(Default)]
pub(crate) struct RevisionPages {
    domain: String,
    /// By `source#row` of the first page: the page of the key, once it is found.
    keys: HashMap<String, Option<RevisionPage>>,
}

/// The page of a key.
struct RevisionPage {
    /// Time, URL, object and row: the order of copies.
    order: (i64, String, String, i64),
    page: FoundPage,
}

/// Changes of one row.
enum Change {
    None,
    /// The row is not a duplicate.
    NotDuplicate(Status),
    /// The row is a duplicate of another page: `merged_by` and `duplicate_of`.
    DuplicateOf(&'static str, String),
}

impl RevisionPages {
    /// Corrects `status`, `merged_by` and `duplicate_of` of the next rows.
    pub(crate) fn batch(&mut self, batch: RecordBatch, settings: &Settings) -> Result<RecordBatch> {
        let rows = Rows::new(&batch)?;
        let mut changes = Vec::new();
        for row in 0..batch.num_rows() {
            changes.push(self.row(&rows, row, settings)?);
        }
        if changes.iter().all(|change| matches!(change, Change::None)) {
            return Ok(batch);
        }
        let status: StringArray = (rows.statuses.iter().zip(&changes))
            .map(|(was, change)| match change {
                Change::NotDuplicate(status) => Some(status.as_str()),
                _ => was,
            })
            .collect();
        let merged_by: StringArray = (batch.text("merged_by")?.iter().zip(&changes))
            .map(|(was, change)| match change {
                Change::None => was,
                Change::NotDuplicate(_) => None,
                Change::DuplicateOf(step, _) => Some(*step),
            })
            .collect();
        let duplicate_of: StringArray = (rows.duplicate_of.iter().zip(&changes))
            .map(|(was, change)| match change {
                Change::None => was,
                Change::NotDuplicate(_) => None,
                Change::DuplicateOf(_, page) => Some(page.as_str()),
            })
            .collect();
        let given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(status)),
            ("merged_by", Arc::new(merged_by)),
            ("duplicate_of", Arc::new(duplicate_of)),
        ];
        project_to(&batch, &batch.schema(), given)
    }

    fn row(&mut self, rows: &Rows<'_>, row: usize, settings: &Settings) -> Result<Change> {
        if rows.phases.value(row) == Phase::WindowEntry as i32 || rows.keys.is_null(row) {
            return Ok(Change::None);
        }
        if self.domain != rows.domains.value(row) {
            rows.domains.value(row).clone_into(&mut self.domain);
            self.keys.clear();
        }
        let status = Status::from_name(rows.statuses.value(row))?;
        let has_text = match status {
            Status::Unique | Status::RevisionCandidate => !rows.hashes.value(row).is_empty(),
            Status::Quarantined => false,
            _ => return Ok(Change::None),
        };
        let Some(original) = value_opt(rows.duplicate_of, row) else {
            if !has_text {
                self.keys.insert(rows.pages.get(row).position, None);
            }
            return Ok(Change::None);
        };
        let Some(found) = self.keys.get_mut(original) else {
            return Ok(Change::None);
        };
        let (page, order) = (rows.pages.get(row), rows.order(row));
        let key = rows.keys.value(row);
        match found {
            Some(found) if found.order < order => {
                let reason = found.page.reason(settings, &page, key);
                let position = found.page.position().to_owned();
                Ok(Change::DuplicateOf(reason.as_str(), position))
            }
            _ if status == Status::Quarantined => Ok(Change::NotDuplicate(status)),
            _ => {
                if has_text {
                    let page = FoundPage::new(page, key);
                    *found = Some(RevisionPage { order, page });
                }
                Ok(Change::NotDuplicate(Status::Unique))
            }
        }
    }
}

/// Typed access to the columns that decide.
struct Rows<'a> {
    domains: &'a StringArray,
    keys: &'a StringArray,
    phases: &'a Int32Array,
    statuses: &'a StringArray,
    duplicate_of: &'a StringArray,
    hashes: &'a BinaryArray,
    times: &'a TimestampMicrosecondArray,
    pages: Originals<'a>,
}

impl<'a> Rows<'a> {
    fn new(batch: &'a RecordBatch) -> Result<Self> {
        Ok(Self {
            domains: batch.text("domain")?,
            keys: batch.text("url_key")?,
            phases: batch.numbers::<Int32Type>("phase")?,
            statuses: batch.text("status")?,
            duplicate_of: batch.text("duplicate_of")?,
            hashes: batch.bytes("hashes")?,
            times: batch.numbers::<TimestampMicrosecondType>("fetched_at")?,
            pages: Originals::new(batch)?,
        })
    }

    /// The place of a row among the copies of its key.
    fn order(&self, row: usize) -> (i64, String, String, i64) {
        let (url, source, position) = self.pages.order(row);
        let time = self.times.value(row);
        (time, url.to_owned(), source.to_owned(), position)
    }
}
