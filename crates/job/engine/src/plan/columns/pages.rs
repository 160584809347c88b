//! Reads the columns that Site needs.

use std::borrow::Cow;

use arrow::array::RecordBatch;
use arrow::datatypes::{Date32Type, Int32Type, Int64Type, TimestampMicrosecondType};
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::{DataFusionError, Result};
use template::{BytesError, Layout, Outline, PagePaths};
use url_key::Branch;
use url_tree::{BlockHash, Entry};

use crate::plan::columns::page::{PageOutline, Pages};
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::columns::status::{Phase, Status};

/// A batch of rows that Site reads.
#[derive(Debug)]
pub(crate) struct ReplayBatch(pub(crate) RecordBatch);

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
    pub(crate) fn count(&self) -> usize {
        self.0.num_rows()
    }

    pub(crate) fn phase(&self, row: usize) -> Result<Phase> {
        Phase::from_i32(self.0.numbers::<Int32Type>("phase")?.value(row))
    }

    pub(crate) fn domain(&self, row: usize) -> Result<&str> {
        Ok(self.0.text("domain")?.value(row))
    }

    pub(crate) fn date(&self, row: usize) -> Result<i32> {
        Ok(self.0.numbers::<Date32Type>("date")?.value(row))
    }

    pub(crate) fn status(&self, row: usize) -> Result<Status> {
        self.0.statuses()?.get(row)
    }

    pub(crate) fn page(&self, row: usize) -> Result<PageRow<'_>> {
        let url_key = value_opt(self.0.text("url_key")?, row).ok_or_else(|| {
            internal_datafusion_err!("row {row} of a batch of pages has no URL key")
        })?;
        let bytes = self.0.bytes("hashes")?.value(row);
        let (hashes, rest) = bytes.as_chunks::<16>();
        if !rest.is_empty() {
            let bytes = bytes.len();
            return internal_err!(
                "{url_key}: {bytes} bytes are not a whole number of block hashes"
            );
        }
        let times = self.0.numbers::<TimestampMicrosecondType>("fetched_at")?;
        Ok(PageRow {
            status: self.status(row)?,
            time: times.value(row),
            url_key,
            hashes,
            position: self.0.numbers::<Int64Type>("row")?.value(row),
            page: Pages(self.0.bytes("page")?).outline(row)?,
            template: value_opt(self.0.bytes("template")?, row),
        })
    }
}

impl<'a> PageRow<'a> {
    /// Returns the branch of the page in the URL Tree.
    pub(crate) fn branch(&self) -> Branch<'a> {
        Branch::from_key(self.url_key)
    }

    /// Returns the entry of the page, whose branch is `branch`, in the URL Tree.
    pub(crate) fn entry<'b>(&'b self, branch: &'b Branch<'b>) -> Entry<'b, Cow<'b, str>> {
        Entry {
            time_micros: self.time,
            branch: branch.items(),
            hashes: self.hashes,
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
        let lengths = self.page.lengths.as_deref();
        lengths
            .ok_or_else(|| internal_datafusion_err!("{}: no lengths of its blocks", self.url_key))
    }
}
