//! Reads the HTML of selected rows of the archive.

use arrow::array::{Array, AsArray, BinaryArray};
use datafusion::error::Result;
use futures::StreamExt;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::errors::ParquetError;
use site_replay::http_charset;

use crate::archive::{
    ArchiveSource, DecodedColumns, ObjectColumn, ObjectState, ObjectStream, OpenObject, OpenObjects,
};

/// Rows that Parquet decodes at a time. The size of the next page is unknown, and with more than
/// one row, a few pages of 100 MB exceed what an Arrow array can hold.
const PAGES_PER_BATCH: usize = 1;

/// Most pages that one task parses. A usual page has 60 KB, so [`PAGES_BYTES`] is reached at
/// about the same number.
const MAX_PAGES: usize = 32;

/// Bytes of HTML at which a group of pages is complete. A lower value starts more parse tasks; a
/// higher value keeps more HTML in memory.
pub(crate) const PAGES_BYTES: usize = 2 << 20;

const PAGE_COLUMNS: [ObjectColumn; 3] = [
    ObjectColumn::Html,
    ObjectColumn::ContentType,
    ObjectColumn::HttpCharset,
];

/// Opens objects of the archive to read pages.
pub(crate) struct PageReader(OpenObjects);

/// The HTML of one page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageBytes<'a> {
    pub(crate) html: Option<&'a [u8]>,
    /// The charset label that the HTTP response declared.
    pub(crate) charset: Option<&'a str>,
}

impl PageReader {
    pub(crate) fn new(archive: ArchiveSource) -> Self {
        Self(OpenObjects::new(archive))
    }

    pub(crate) async fn object(&mut self, found: &ObjectState) -> Result<PageObject<'_>> {
        Ok(PageObject(self.0.get(found).await?))
    }
}

/// An open object of the archive.
pub(crate) struct PageObject<'a>(&'a OpenObject);

impl<'a> PageObject<'a> {
    /// Reads the pages of `rows`: ascending positions in the object, all in `row_group`.
    ///
    /// # Errors
    /// Where the object has no such row group, or a row is outside of it.
    pub(crate) fn read(&self, row_group: i32, rows: &[i64]) -> Result<PageStream<'a>> {
        let row_group = self.0.row_group(row_group)?;
        let mut ranges = Vec::new();
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (run[0], run[run.len() - 1]);
            ranges.push(row_group.offset(first)?..row_group.offset(last)? + 1);
        }
        let selection = RowSelection::from_consecutive_ranges(ranges.into_iter(), row_group.rows);
        let stream = self.0.stream(
            row_group.index,
            &PAGE_COLUMNS,
            Some(selection),
            PAGES_PER_BATCH,
        );
        let (stream, error) = match stream {
            Ok(stream) => (Some(stream), None),
            Err(error) => (None, Some(error)),
        };
        Ok(PageStream {
            object: self.0,
            stream,
            error,
        })
    }
}

/// The requested pages, in order.
pub(crate) struct PageStream<'a> {
    object: &'a OpenObject,
    stream: Option<ObjectStream>,
    error: Option<ParquetError>,
}

impl PageStream<'_> {
    /// Reads the next group of pages. After an inner error, the remaining pages cannot be decoded.
    pub(crate) async fn next(
        &mut self,
    ) -> Result<Option<std::result::Result<Pages, ParquetError>>> {
        let mut pages = Pages::default();
        while self.error.is_none() && pages.len() < MAX_PAGES && pages.bytes() < PAGES_BYTES {
            let Some(stream) = &mut self.stream else {
                break;
            };
            match stream.next().await {
                None => self.stream = None,
                Some(batch) => match batch.and_then(|batch| self.object.columns(&batch)) {
                    Ok(columns) => pages.push(columns),
                    Err(error) => {
                        self.stream = None;
                        self.error = Some(error);
                    }
                },
            }
        }
        if pages.len() > 0 {
            return Ok(Some(Ok(pages)));
        }
        match self.error.take() {
            Some(error) => Ok(Some(Err(self.object.decode_error(error)?))),
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
        self.bytes += html(&columns).map_or(0, |html| html.value_data().len());
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
            let text = |column, row| {
                let array = columns.get(column)?.as_string_opt::<i32>()?;
                array.is_valid(row).then(|| array.value(row))
            };
            (0..columns.rows()).map(move |row| PageBytes {
                html: html.and_then(|html| html.is_valid(row).then(|| html.value(row))),
                charset: http_charset(
                    text(ObjectColumn::HttpCharset, row),
                    text(ObjectColumn::ContentType, row),
                ),
            })
        })
    }
}

fn html(columns: &DecodedColumns) -> Option<&BinaryArray> {
    columns.get(ObjectColumn::Html)?.as_binary_opt()
}
