//! Makes the rows of all tables from rows that Site has labelled.

use std::collections::BTreeMap;

use arrow::array::{Array, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::Result;
use tables::{Reason, Table, date_from_days};

use crate::accounting::{RowAccounting, RowCounts, UNREADABLE_OBJECT};
use crate::plan::columns::block_rows::block_rows;
use crate::plan::columns::link_rows::link_rows;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::columns::site_blocks::{SiteBlocks, site_blocks};
use crate::plan::columns::status::Status;
use crate::plan::columns::table_rows::{
    DocumentText, PageRows, document_texts, documents, quarantine, url_keys, window_entries,
};
use crate::plan::columns::url_parameters::url_parameters;
use crate::settings::Settings;

/// Rows of tables, and what they count.
pub(super) struct Rendered {
    pub(super) tables: Vec<(Table, RecordBatch)>,
    /// What the pages repeat, by site and date. Later rows may have more of the last one.
    pub(super) site_blocks: Vec<SiteBlocks>,
    pub(super) counts: RowAccounting,
}

impl Rendered {
    /// Makes the rows of all tables from rows that have all columns.
    pub(super) fn new(batch: &RecordBatch, settings: &Settings) -> Result<Self> {
        let rows = TableRows::new(batch)?;
        let entries = window_entries(batch, &rows.pages)?;
        let pages = PageRows::new(batch, rows.pages)?;
        let texts = document_texts(&pages, settings)?;
        let counts = row_counts(batch, &pages.rows, &texts)?;
        let documents = documents(batch, &pages, &texts, settings)?;
        let mut tables = vec![
            (Table::UrlKeys, url_keys(batch, &rows.keyed)?),
            (Table::Quarantine, quarantine(batch, &rows.quarantined)?),
            (Table::WindowEntries, entries),
            (Table::UrlParameters, url_parameters(batch, &rows.learned)?),
            (Table::Documents, documents),
        ];
        if settings.writes(Table::Blocks) {
            let blocks = block_rows(batch, &pages)?;
            tables.extend(blocks.into_iter().map(|blocks| (Table::Blocks, blocks)));
        }
        let links = link_rows(batch, &pages)?;
        tables.extend(links.into_iter().map(|links| (Table::Links, links)));
        let site_blocks = match settings.writes(Table::SiteBlocks) {
            true => site_blocks(batch, &pages)?,
            false => Vec::new(),
        };
        Ok(Self {
            tables,
            site_blocks,
            counts,
        })
    }
}

/// Returns the counts of the rows of a batch. `pages` are the rows of `texts`.
fn row_counts(batch: &RecordBatch, pages: &[u32], texts: &[DocumentText]) -> Result<RowAccounting> {
    let dates = batch.numbers::<Date32Type>("date")?;
    let (statuses, reasons) = (batch.statuses()?, batch.text("reason")?);
    let merged_by = batch.text("merged_by")?;
    let bytes = batch.numbers::<Int64Type>("bytes")?;
    let text_bytes = texts.iter().map(|text| text.text.len() as u64);
    let text_bytes: BTreeMap<u32, u64> = pages.iter().copied().zip(text_bytes).collect();
    let mut counted = RowAccounting::default();
    for row in 0..batch.num_rows() {
        let status = statuses.get(row)?;
        if status == Status::Learned {
            continue;
        }
        let reason = value_opt(reasons, row);
        let whole_object = reason == Some(Reason::UnreadableObject.code());
        let status = if whole_object {
            UNREADABLE_OBJECT
        } else {
            status.as_str()
        };
        let html_bytes = value_opt(bytes, row).filter(|_| !whole_object);
        let text_bytes = text_bytes.get(&(row as u32)).copied().unwrap_or(0);
        let cause = reason.or_else(|| value_opt(merged_by, row));
        let counts = RowCounts::new(1, html_bytes.unwrap_or(0).unsigned_abs(), text_bytes);
        counted.add(date_from_days(dates.value(row)), status, cause, counts);
    }
    Ok(counted)
}

/// The rows of a batch by table.
#[derive(Default)]
struct TableRows {
    keyed: Vec<u32>,
    quarantined: Vec<u32>,
    pages: Vec<u32>,
    learned: Vec<u32>,
}

impl TableRows {
    fn new(batch: &RecordBatch) -> Result<Self> {
        let (statuses, keys) = (batch.statuses()?, batch.text("url_key")?);
        let mut rows = Self::default();
        for row in 0..batch.num_rows() {
            let index = row as u32;
            if keys.is_valid(row) {
                rows.keyed.push(index);
            }
            match statuses.get(row)? {
                Status::Unique | Status::Revision => rows.pages.push(index),
                Status::Quarantined => rows.quarantined.push(index),
                Status::Learned => rows.learned.push(index),
                _ => {}
            }
        }
        Ok(rows)
    }
}
