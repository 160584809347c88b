//! Builds the columns of parsed pages.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, Int32Builder, Int64Builder, RecordBatch, StringBuilder,
};
use datafusion::error::Result;
use tables::Reason;
use url_parameters::Signature;

use crate::plan::columns::page::{PageEncoding, ParsedPage};
use crate::plan::columns::schemas::{BLOCKED, project_to};
use crate::plan::columns::status::{Phase, Status};
use crate::settings::Settings;

/// The columns that [`crate::plan::steps::block::Block`] adds.
pub(crate) struct BlockColumns {
    encoding: PageEncoding,
    status: Int32Builder,
    reason: StringBuilder,
    detail: StringBuilder,
    bytes: Int64Builder,
    batch: Int64Builder,
    phase: Int32Builder,
    signature: BinaryBuilder,
    hashes: BinaryBuilder,
    page: BinaryBuilder,
}

impl BlockColumns {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            encoding: PageEncoding::new(settings),
            status: Int32Builder::new(),
            reason: StringBuilder::new(),
            detail: StringBuilder::new(),
            bytes: Int64Builder::new(),
            batch: Int64Builder::new(),
            phase: Int32Builder::new(),
            signature: BinaryBuilder::new(),
            hashes: BinaryBuilder::new(),
            page: BinaryBuilder::new(),
        }
    }

    /// Appends a page that was parsed.
    pub(crate) fn page(
        &mut self,
        status: Status,
        batch: i64,
        bytes: Option<i64>,
        parsed: &ParsedPage,
    ) -> Result<()> {
        // The text of an audited page is not read.
        let page = self.encoding.encode(parsed, status != Status::Audited)?;
        self.page.append_value(page);
        self.status.append_value(status as i32);
        self.reason.append_null();
        self.detail.append_null();
        self.bytes.append_option(bytes);
        self.batch.append_value(batch);
        self.phase.append_value(Phase::Page as i32);
        self.signature
            .append_value(Signature::new(&parsed.page).to_bytes());
        let hashes: Vec<[u8; 16]> = parsed.page.blocks.iter().map(|block| block.hash).collect();
        self.hashes.append_value(hashes.as_flattened());
        Ok(())
    }

    /// Appends a row that is quarantined. `batch` sorts it among the rows of its domain.
    pub(crate) fn problem(&mut self, batch: i64, reason: Reason, detail: &str, bytes: Option<i64>) {
        self.status.append_value(Status::Quarantined as i32);
        self.reason.append_value(reason.code());
        self.detail.append_value(detail);
        self.bytes.append_option(bytes);
        self.batch.append_value(batch);
        self.phase.append_value(Phase::PassThrough as i32);
        self.signature.append_null();
        self.hashes.append_null();
        self.page.append_null();
    }

    /// Adds the columns to `rows`.
    pub(crate) fn finish(mut self, rows: &RecordBatch) -> Result<RecordBatch> {
        let given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(self.status.finish())),
            ("reason", Arc::new(self.reason.finish())),
            ("detail", Arc::new(self.detail.finish())),
            ("bytes", Arc::new(self.bytes.finish())),
            ("batch", Arc::new(self.batch.finish())),
            ("phase", Arc::new(self.phase.finish())),
            ("signature", Arc::new(self.signature.finish())),
            ("hashes", Arc::new(self.hashes.finish())),
            ("page", Arc::new(self.page.finish())),
        ];
        project_to(rows, &BLOCKED, given)
    }
}
