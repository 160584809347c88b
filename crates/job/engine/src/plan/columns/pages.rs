//! Reads the columns that Site needs.

use std::borrow::Cow;
use std::sync::Arc;

use arrow::array::{
    Array, BinaryArray, Date32Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use datafusion::error::{DataFusionError, Result};
use template::{BytesError, Layout, Outline, PagePaths};
use url_key::Branch;
use url_tree::{BlockHash, Entry};

use crate::plan::columns::page::{PageOutline, Pages};
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::columns::status::{Phase, Status, Statuses};

/// A batch with typed access to the columns that Site needs.
#[derive(Debug)]
pub(crate) struct ReplayBatch {
    pub(crate) batch: RecordBatch,
    domains: StringArray,
    phases: Int32Array,
    dates: Date32Array,
    statuses: Int32Array,
    times: TimestampMicrosecondArray,
    keys: StringArray,
    hashes: BinaryArray,
    pages: BinaryArray,
    templates: BinaryArray,
    positions: Int64Array,
}

/// A page of a [`ReplayBatch`].
pub(crate) struct PageRow<'a> {
    pub(crate) status: Status,
    pub(crate) time: i64,
    pub(crate) url_key: &'a str,
    pub(crate) hashes: &'a [BlockHash],
    /// Row in the archive object. For a window entry, its ordinal.
    pub(crate) position: i64,
    page: PageOutline<'a>,
    template: Option<&'a [u8]>,
}

impl ReplayBatch {
    pub(crate) fn new(batch: RecordBatch) -> Result<Arc<Self>> {
        Ok(Arc::new(Self {
            domains: batch.text("domain")?.clone(),
            phases: batch.numbers::<Int32Type>("phase")?.clone(),
            dates: batch.numbers::<Date32Type>("date")?.clone(),
            statuses: batch.numbers::<Int32Type>("status")?.clone(),
            times: batch
                .numbers::<TimestampMicrosecondType>("fetched_at")?
                .clone(),
            keys: batch.text("url_key")?.clone(),
            hashes: batch.bytes("hashes")?.clone(),
            pages: batch.bytes("page")?.clone(),
            templates: batch.bytes("template")?.clone(),
            positions: batch.numbers::<Int64Type>("row")?.clone(),
            batch,
        }))
    }

    pub(crate) fn count(&self) -> usize {
        self.batch.num_rows()
    }

    pub(crate) fn phase(&self, row: usize) -> Result<Phase> {
        Phase::from_i32(self.phases.value(row))
    }

    pub(crate) fn domain(&self, row: usize) -> &str {
        self.domains.value(row)
    }

    pub(crate) fn date(&self, row: usize) -> i32 {
        self.dates.value(row)
    }

    pub(crate) fn status(&self, row: usize) -> Result<Status> {
        Statuses::new(&self.statuses).get(row)
    }

    pub(crate) fn page(&self, row: usize) -> Result<PageRow<'_>> {
        let (hashes, rest) = self.hashes.value(row).as_chunks::<16>();
        if !rest.is_empty() {
            return Err(DataFusionError::Internal(format!(
                "{}: {} bytes are not a whole number of block hashes",
                self.keys.value(row),
                self.hashes.value(row).len()
            )));
        }
        Ok(PageRow {
            status: self.status(row)?,
            time: self.times.value(row),
            url_key: value_opt(&self.keys, row).ok_or_else(|| {
                DataFusionError::Internal(format!("row {row} of a batch of pages has no URL key"))
            })?,
            hashes,
            position: self.positions.value(row),
            page: Pages(&self.pages).outline(row)?,
            template: self
                .templates
                .is_valid(row)
                .then(|| self.templates.value(row)),
        })
    }
}

impl<'a> PageRow<'a> {
    /// Returns the branch of the page in the URL Tree.
    pub(crate) fn branch(&self) -> Branch<'a> {
        Branch::from_key(self.url_key)
    }

    pub(crate) fn entry<'b>(
        &self,
        branch: &'b Branch<'b>,
        hashes: &'b [BlockHash],
    ) -> Entry<'b, Cow<'b, str>> {
        Entry {
            time_micros: self.time,
            branch: branch.items(),
            hashes,
        }
    }

    /// Computes the outline. Returns `None` for a page without a layout.
    pub(crate) fn outline(&self) -> Result<Option<Outline>> {
        let layout = self.page.layout.map(Layout::from_bytes).transpose();
        let layout = layout.map_err(|error| self.broken("layout", &error))?;
        Ok(layout.map(|layout| layout.outline()))
    }

    /// Returns `made`, or computes the outline.
    pub(crate) fn outline_unless(&self, made: Option<Outline>) -> Result<Option<Outline>> {
        match made {
            Some(outline) => Ok(Some(outline)),
            None => self.outline(),
        }
    }

    /// Returns the DOM paths that a window entry added to the template. An entry that another
    /// heuristic labelled has none.
    pub(crate) fn slots(&self) -> Result<PagePaths> {
        let slots = PagePaths::from_bytes(self.template.unwrap_or_default());
        slots.map_err(|error| self.broken("template", &error))
    }

    fn broken(&self, column: &str, error: &BytesError) -> DataFusionError {
        DataFusionError::Execution(format!("{column} of {}: {error}", self.url_key))
    }

    /// Returns the lengths of the blocks in UTF-16 units [O D8].
    ///
    /// # Errors
    /// If the row does not have them.
    pub(crate) fn utf16_lengths(&self) -> Result<&[usize]> {
        self.page.lengths.as_deref().ok_or_else(|| {
            DataFusionError::Internal(format!("{}: no lengths of its blocks", self.url_key))
        })
    }
}
