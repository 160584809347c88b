//! Reading the HTML of chosen rows, wherever they lie.

use arrow::array::{Array, AsArray, BinaryArray};
use datafusion::error::Result;
use futures::StreamExt;
use parquet::arrow::arrow_reader::RowSelection;
use parquet::errors::ParquetError;

use crate::archive::{
    ArchiveSource, DecodedColumns, ObjectColumn, ObjectState, ObjectStream, OpenObject, OpenObjects,
};

/// Pages that are decoded at once. Batches are counted in rows, and there is no
/// telling how large the next page is: with more than one, some pages of 100 MB
/// would be more than an Arrow array holds.
const PAGES_PER_BATCH: usize = 1;

/// Pages that are handed on together: at most so many, and none after those that
/// have so many bytes. A usual page has 60 KB.
const MAX_PAGES: usize = 32;
pub(crate) const PAGES_BYTES: usize = 2 << 20;

const PAGE_COLUMNS: [ObjectColumn; 3] = [
    ObjectColumn::Html,
    ObjectColumn::ContentType,
    ObjectColumn::HttpCharset,
];

/// Reads pages of the archive.
pub(crate) struct PageReader(OpenObjects);

/// One page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageBytes<'a> {
    pub(crate) html: Option<&'a [u8]>,
    /// Label of the charset that HTTP declared.
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

/// An open object.
pub(crate) struct PageObject<'a>(&'a OpenObject);

impl<'a> PageObject<'a> {
    /// The pages of `rows` (positions in the object, ascending), all of which
    /// are in `row_group`.
    pub(crate) fn read(&self, row_group: i32, rows: &[i64]) -> Result<PageStream<'a>> {
        let group = usize::try_from(row_group).unwrap_or(0);
        let (first, count) = self.0.row_range(group);
        let offset = |row: i64| usize::try_from(row - first).unwrap_or(0);
        let ranges = rows
            .chunk_by(|a, b| a + 1 == *b)
            .map(|run| offset(run[0])..offset(run[run.len() - 1]) + 1);
        let selection =
            RowSelection::from_consecutive_ranges(ranges, usize::try_from(count).unwrap_or(0));
        let stream = (self.0).stream(group, &PAGE_COLUMNS, Some(selection), PAGES_PER_BATCH);
        let stream = match stream {
            Ok(stream) => Some(stream),
            Err(error) => return Ok(PageStream::failed(self.0, error)),
        };
        Ok(PageStream {
            object: self.0,
            stream,
            error: None,
        })
    }
}

/// Pages in the order they were asked for.
pub(crate) struct PageStream<'a> {
    object: &'a OpenObject,
    stream: Option<ObjectStream>,
    error: Option<ParquetError>,
}

impl<'a> PageStream<'a> {
    fn failed(object: &'a OpenObject, error: ParquetError) -> Self {
        Self {
            object,
            stream: None,
            error: Some(error),
        }
    }

    /// The next pages; after an inner error, the rest cannot be decoded.
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

/// Some pages of one object.
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

    /// Bytes of HTML.
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
                charset: text(ObjectColumn::HttpCharset, row)
                    .or_else(|| charset_parameter(text(ObjectColumn::ContentType, row)?)),
            })
        })
    }
}

fn html(columns: &DecodedColumns) -> Option<&BinaryArray> {
    columns.get(ObjectColumn::Html)?.as_binary_opt()
}

/// The charset of a Content-Type header.
fn charset_parameter(content_type: &str) -> Option<&str> {
    content_type.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        name.trim()
            .eq_ignore_ascii_case("charset")
            .then(|| value.trim().trim_matches(['"', '\'']))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_declares_its_charset() {
        for (header, charset) in [
            ("text/html; charset=ISO-8859-1", Some("ISO-8859-1")),
            ("text/html;boundary=x; Charset=\"utf-8\"", Some("utf-8")),
            ("text/html", None),
        ] {
            assert_eq!(charset_parameter(header), charset, "{header}");
        }
    }
}
