//! Builds the columns of parsed pages.

use arrow::array::RecordBatch;
use datafusion::error::Result;
use tables::Reason;
use url_parameters::Signature;

use crate::plan::columns::column::column;
use crate::plan::columns::page::{PageEncoding, ParsedPage};
use crate::plan::columns::schemas::{BLOCKED, project_to};
use crate::plan::columns::status::{Phase, Status};
use crate::settings::Settings;

/// The columns that [`crate::plan::steps::block::Block`] adds.
pub(crate) struct BlockColumns {
    encoding: PageEncoding,
    rows: Vec<BlockedRow>,
}

struct BlockedRow {
    status: Status,
    /// Sorts it among the rows of its domain.
    batch: i64,
    bytes: Option<i64>,
    problem: Option<(Reason, String)>,
    page: Option<BlockedPage>,
}

struct BlockedPage {
    signature: Vec<u8>,
    hashes: Vec<u8>,
    page: Vec<u8>,
}

impl BlockColumns {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            encoding: PageEncoding::new(settings),
            rows: Vec::new(),
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
        let hashes: Vec<[u8; 16]> = parsed.page.blocks.iter().map(|block| block.hash).collect();
        let page = BlockedPage {
            signature: Signature::new(&parsed.page).to_bytes(),
            hashes: hashes.into_flattened(),
            // The text of an audited page is not read.
            page: self.encoding.encode(parsed, status != Status::Audited)?,
        };
        self.rows.push(BlockedRow {
            status,
            batch,
            bytes,
            problem: None,
            page: Some(page),
        });
        Ok(())
    }

    /// Appends a row that is quarantined.
    pub(crate) fn problem(&mut self, batch: i64, reason: Reason, detail: &str, bytes: Option<i64>) {
        self.rows.push(BlockedRow {
            status: Status::Quarantined,
            batch,
            bytes,
            problem: Some((reason, detail.to_owned())),
            page: None,
        });
    }

    /// Adds the columns to `rows`.
    pub(crate) fn finish(self, rows: &RecordBatch) -> Result<RecordBatch> {
        let blocked = &self.rows;
        let phase = |row: &BlockedRow| match row.page {
            Some(_) => Phase::Page,
            None => Phase::PassThrough,
        };
        let reason = |row: &BlockedRow| Some(row.problem.as_ref()?.0.code());
        let of_page = |name, bytes: fn(&BlockedPage) -> &[u8]| {
            column(name, blocked, move |row| row.page.as_ref().map(bytes))
        };
        let given = vec![
            column("status", blocked, |row| Some(row.status as i32)),
            column("reason", blocked, reason),
            column("detail", blocked, |row| Some(&*row.problem.as_ref()?.1)),
            column("bytes", blocked, |row| row.bytes),
            column("batch", blocked, |row| Some(row.batch)),
            column("phase", blocked, |row| Some(phase(row) as i32)),
            of_page("signature", |page| &page.signature),
            of_page("hashes", |page| &page.hashes),
            of_page("page", |page| &page.page),
        ];
        project_to(rows, &BLOCKED, given)
    }
}
