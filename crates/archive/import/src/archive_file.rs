//! Parquet files of pages, which are written a few pages at a time.

use std::fs::File;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use tables::archive_properties;

use crate::spool::TemporaryFolder;

/// HTML of a row group. A job reads HTML by row group: a higher value needs more memory where pages are large, and a lower
/// value more requests.
const ROW_GROUP_HTML_BYTES: usize = 32 << 20;
/// HTML that is encoded at a time, or one page.
const BATCH_HTML_BYTES: usize = 4 << 20;
/// Most rows that are encoded at a time. The writer calls itself for each row group of a batch: 300,000 pages without
/// HTML, as redirects are, took all of the stack.
const BATCH_ROWS: usize = 4000;

/// Writes `pages` to a temporary file, in the form that a run reads with few bytes. `bytes` is the size
/// of a page's HTML, and `batch` makes the rows of some pages.
///
/// # Errors
/// Those of `batch`, and those of the disk.
pub fn write_pages<P>(
    schema: &Arc<Schema>,
    pages: &[P],
    bytes: impl Fn(&P) -> usize,
    batch: impl Fn(&[P]) -> Result<RecordBatch, ParquetError>,
    folder: &TemporaryFolder,
) -> Result<File, ParquetError> {
    let mut writer = ArrowWriter::try_new(
        folder.file()?,
        Arc::clone(schema),
        Some(archive_properties()),
    )?;
    append(&mut writer, pages, bytes, batch)?;
    writer.into_inner()
}

/// Appends `pages` to a file, as [`write_pages`] does.
pub(crate) fn append<P>(
    writer: &mut ArrowWriter<File>,
    pages: &[P],
    bytes: impl Fn(&P) -> usize,
    batch: impl Fn(&[P]) -> Result<RecordBatch, ParquetError>,
) -> Result<(), ParquetError> {
    let mut rest = pages;
    // HTML of the row group that is not finished.
    let mut unfinished = 0;
    while !rest.is_empty() {
        let mut total = 0;
        let fits = |page: &&P| {
            total += bytes(page);
            total <= BATCH_HTML_BYTES
        };
        let rows = rest.iter().take(BATCH_ROWS).take_while(fits).count().max(1);
        let (now, later) = rest.split_at(rows);
        let rows_before = writer.in_progress_rows();
        writer.write(&batch(now)?)?;
        let begun = writer.in_progress_rows();
        unfinished = if begun == rows_before + rows {
            unfinished + now.iter().map(&bytes).sum::<usize>()
        } else {
            // The last rows began a row group, because the one before had as many rows as it may have.
            now[rows - begun..].iter().map(&bytes).sum()
        };
        if unfinished >= ROW_GROUP_HTML_BYTES {
            writer.flush()?;
            unfinished = 0;
        }
        rest = later;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use arrow::array::Int32Array;
    use arrow::datatypes::{DataType, Field};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use tables::temporary_properties;

    use super::*;

    #[test]
    fn any_number_of_pages_without_html_is_written() {
        let schema = Schema::new(vec![Field::new("number", DataType::Int32, false)]);
        let schema = Arc::new(schema);
        let pages: Vec<i32> = (0..400_000).collect();
        let file = TemporaryFolder::default().file().unwrap();
        let kept = file.try_clone().unwrap();
        let properties = Some(temporary_properties());
        let mut writer = ArrowWriter::try_new(file, Arc::clone(&schema), properties).unwrap();
        let batch = |pages: &[i32]| {
            let numbers = Arc::new(Int32Array::from(pages.to_vec()));
            Ok(RecordBatch::try_new(Arc::clone(&schema), vec![numbers])?)
        };
        append(&mut writer, &pages, |_| 0, batch).unwrap();
        writer.close().unwrap();
        let metadata = SerializedFileReader::new(kept).unwrap();
        assert_eq!(metadata.metadata().file_metadata().num_rows(), 400_000);
    }
}
