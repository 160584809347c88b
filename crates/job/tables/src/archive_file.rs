//! The form of the Parquet files of an archive.

use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};

/// Size limit of a data page of the HTML column, in bytes: about one web page each. A
/// reader that needs few rows then decompresses few data pages. With web pages of 25 KB
/// the file grows by 4 %.
const HTML_DATA_PAGE_BYTES: usize = 16 << 10;

/// Rows of a row group. A run reads HTML by row group, so a row group is also the HTML
/// that is in memory at a time: about 25 MB.
const ROW_GROUP_ROWS: usize = 1000;

/// Returns the properties of archive files that a run reads with few bytes: zstd, row groups of
/// 1,000 rows, and data pages of 16 KiB for the column `html`.
pub fn archive_properties() -> WriterProperties {
    WriterProperties::builder()
        .set_created_by(concat!("urltree ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(ROW_GROUP_ROWS))
        // Pages rarely repeat, so a dictionary does not help; minima of HTML are not used.
        .set_column_dictionary_enabled("html".into(), false)
        .set_column_statistics_enabled("html".into(), EnabledStatistics::None)
        .set_column_data_page_size_limit("html".into(), HTML_DATA_PAGE_BYTES)
        .build()
}

/// Rows of a row group of a temporary file: with 25 KB of HTML a row, as many bytes as a compressed row group of
/// an archive.
const TEMPORARY_ROW_GROUP_ROWS: usize = 250;

/// Returns the properties of temporary files of pages: those of [`archive_properties`] without compression, which takes
/// as long as reading a WARC file.
pub fn temporary_properties() -> WriterProperties {
    archive_properties()
        .into_builder()
        .set_compression(Compression::UNCOMPRESSED)
        .set_max_row_group_row_count(Some(TEMPORARY_ROW_GROUP_ROWS))
        .build()
}
