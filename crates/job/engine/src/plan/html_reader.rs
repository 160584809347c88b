//! Reads the HTML of selected rows of the archive.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryViewArray, RecordBatch};
use arrow::datatypes::{DataType, Int32Type, Int64Type, UInt64Type};
use datafusion::error::Result;
use metadata::UseHeaders;
use parquet::errors::ParquetError;
use serde_json::{Value, json};
use site_replay::http_charset;

use crate::archive::{
    ArchiveSource, DecodedColumns, ObjectColumn, ObjectState, RowGroupRequest, RowGroupRows,
    decode_error,
};
use crate::plan::columns::schemas::{RecordBatchExt, object_of, value_opt};

/// Rows that Parquet decodes at a time. The size of the next page is unknown, and with more than
/// one row, a few pages of 100 MB exceed what an Arrow array can hold.
const PAGES_PER_BATCH: usize = 1;

/// Most pages that one task parses. A usual page has 60 KB, so [`PAGES_BYTES`] is reached at
/// about the same number.
const MAX_PAGES: usize = 32;

/// Bytes of HTML at which a group of pages is complete. A lower value starts more parse tasks; a
/// higher value keeps more HTML in memory.
pub(crate) const PAGES_BYTES: usize = 2 << 20;

/// The HTML of one page, and the columns beside it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageBytes<'a> {
    pub(crate) html: Option<&'a [u8]>,
    /// The charset label that the HTTP response declared.
    pub(crate) charset: Option<&'a str>,
    columns: &'a DecodedColumns,
    row: usize,
}

impl<'a> PageBytes<'a> {
    /// Returns the headers that speak of uses of the page.
    pub(crate) fn use_headers(self) -> UseHeaders<'a> {
        UseHeaders {
            x_robots_tag: self.columns.value(ObjectColumn::XRobotsTag, self.row),
            tdm_reservation: self.columns.value(ObjectColumn::TdmReservation, self.row),
        }
    }

    /// Returns the columns that are passed through, as an object of JSON without nulls. `names` are
    /// their names.
    pub(crate) fn passed_through(self, names: &[String]) -> String {
        let columns = (0..).zip(names).filter_map(|(position, name)| {
            let array = self.columns.get(ObjectColumn::PassedThrough(position))?;
            Some((name.clone(), json_value(array, self.row)?))
        });
        Value::Object(columns.collect()).to_string()
    }
}

/// Returns a value of a column that is passed through.
fn json_value(array: &ArrayRef, row: usize) -> Option<Value> {
    if array.is_null(row) {
        return None;
    }
    Some(match array.data_type() {
        DataType::Int64 => json!(array.as_primitive::<Int64Type>().value(row)),
        DataType::UInt64 => json!(array.as_primitive::<UInt64Type>().value(row)),
        DataType::Boolean => json!(array.as_boolean().value(row)),
        _ => json!(array.as_string_opt::<i32>()?.value(row)),
    })
}

/// Returns the request for the pages of `rows`: ascending positions in the object, all in
/// `row_group`.
pub(crate) fn page_request(
    archive: &ArchiveSource,
    object: ObjectState,
    row_group: i32,
    rows: Vec<i64>,
) -> RowGroupRequest {
    RowGroupRequest {
        object,
        row_group,
        columns: Arc::clone(&archive.page_columns),
        rows: Some(rows),
        batch_rows: PAGES_PER_BATCH,
    }
}

/// Returns the request for the pages of `rows` of a plan, all of one row group.
pub(crate) fn request(archive: &ArchiveSource, rows: &RecordBatch) -> Result<RowGroupRequest> {
    let row_group = rows.numbers::<Int32Type>("row_group")?.value(0);
    let positions = rows.numbers::<Int64Type>("row")?.values().to_vec();
    let object = object_of(rows, 0)?;
    Ok(page_request(archive, object, row_group, positions))
}

/// The requested pages, in order.
pub(crate) struct PageStream {
    rows: RowGroupRows,
    error: Option<ParquetError>,
}

impl PageStream {
    /// Creates the stream of the rows of a [`page_request`].
    pub(crate) fn new(rows: RowGroupRows) -> Self {
        Self { rows, error: None }
    }

    /// Reads the pages of `rows` of a plan, all of one row group.
    pub(crate) async fn of(archive: &ArchiveSource, rows: &RecordBatch) -> Result<Self> {
        let request = request(archive, rows)?;
        Ok(Self::new(request.read(archive).await?))
    }

    /// Returns the next group of pages. After an inner error, the remaining pages cannot be decoded.
    pub(crate) fn next(&mut self) -> Result<Option<std::result::Result<Pages, ParquetError>>> {
        let mut pages = Pages::default();
        while self.error.is_none() && pages.len() < MAX_PAGES && pages.bytes() < PAGES_BYTES {
            match self.rows.next() {
                Some(Ok(columns)) => pages.push(columns),
                Some(Err(error)) => self.error = Some(error),
                None => break,
            }
        }
        if pages.len() > 0 {
            return Ok(Some(Ok(pages)));
        }
        match self.error.take() {
            Some(error) => Ok(Some(Err(decode_error(error)?))),
            None => Ok(None),
        }
    }
}

/// A group of pages of one object.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    batches: Vec<DecodedColumns>,
    rows: usize,
    bytes: usize,
}

impl Pages {
    fn push(&mut self, columns: DecodedColumns) {
        self.rows += columns.rows();
        self.bytes += html(&columns).map_or(0, BinaryViewArray::total_bytes_len);
        self.batches.push(columns);
    }

    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// Returns the bytes of HTML.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = PageBytes<'_>> {
        self.batches.iter().flat_map(|columns| {
            let html = html(columns);
            (0..columns.rows()).map(move |row| PageBytes {
                html: html.and_then(|html| value_opt(html, row)),
                charset: http_charset(
                    columns.value(ObjectColumn::HttpCharset, row),
                    columns.value(ObjectColumn::ContentType, row),
                ),
                columns,
                row,
            })
        })
    }
}

fn html(columns: &DecodedColumns) -> Option<&BinaryViewArray> {
    columns.get(ObjectColumn::Html)?.as_binary_view_opt()
}
