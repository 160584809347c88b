//! Archives with many duplicates, whose HTML need not be read.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray, TimestampMicrosecondArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::pages::Archive;
use super::runs::{Program, Runs, bytes_below};
use super::table::table;

/// Pages of each archive.
const PAGES: usize = 6_000;
/// Shares of duplicates in percent.
const SHARES: [usize; 3] = [0, 50, 90];

/// The layout of the HTML column in data pages.
#[derive(Clone, Copy)]
pub(super) enum HtmlLayout {
    /// The default of Parquet writers: data pages of some megabytes.
    Large,
    /// One web page in each data page, so that a reader can skip single ones.
    Single,
}

pub(crate) fn measure(
    urltree: &Program,
    sample: &Archive,
    folder: &Path,
    rounds: usize,
) -> Result<String> {
    let mut pages: Vec<Vec<u8>> = Vec::new();
    sample.for_each(|html| {
        if pages.len() < PAGES {
            pages.push(html.to_vec());
        }
    })?;
    let mut rows = Vec::new();
    let mut full = 0.0;
    for (name, layout) in [
        ("a page each", HtmlLayout::Single),
        ("large", HtmlLayout::Large),
    ] {
        for share in SHARES {
            let archive = folder.join(format!("{name}-{share}"));
            std::fs::create_dir(&archive)?;
            write(&archive.join("pages.parquet"), &pages, share, layout)?;
            let mut runs = Runs::default();
            for round in 0..rounds {
                let output = folder.join(format!("{name}-{share}-{round}"));
                runs.push(urltree.job(&archive, &output, &["run.threads=1"])?);
            }
            let seconds = runs.cpu_seconds();
            let html_bytes = runs.median(|run| run.number("/html_bytes"));
            if share == 0 {
                full = seconds;
            }
            rows.push(vec![
                format!("{share} % duplicates, data pages {name}"),
                format!("{:.1}", bytes_below(&archive)? as f64 / 1e6),
                format!("{:.1}", html_bytes / 1e6),
                format!("{seconds:.2}"),
                format!("{:.2}", seconds / full),
            ]);
        }
    }
    let head = [
        "6,000 pages, one core",
        "file, MB",
        "HTML parsed, MB",
        "CPU, s",
        "of 0 %",
    ];
    Ok(table(&head, rows))
}

/// Writes a row for each page. `share` percent of the rows, evenly scattered, have the URL
/// of an earlier row.
pub(super) fn write(
    path: &Path,
    pages: &[Vec<u8>],
    share: usize,
    layout: HtmlLayout,
) -> Result<()> {
    let unique = |row: usize| row * 37 % 100 >= share;
    let mut last = 0;
    let urls = (0..pages.len()).map(|row| {
        if unique(row) || row == 0 {
            last = row;
        }
        format!("http://www.site{}.example/news/{last}.html", last % 20)
    });
    let start = 1_317_427_200_000_000_i64;
    let times = (0..pages.len() as i64).map(|row| start + row * 1_000_000);
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("url", Arc::new(StringArray::from_iter_values(urls))),
        ("html", Arc::new(BinaryArray::from_iter_values(pages))),
        (
            "fetched_at",
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        ),
    ];
    let batch = RecordBatch::try_from_iter(columns)?;
    let zstd = Compression::ZSTD(ZstdLevel::default());
    let mut properties = WriterProperties::builder()
        .set_compression(zstd)
        .set_max_row_group_row_count(Some(2_000));
    if matches!(layout, HtmlLayout::Single) {
        let html = ColumnPath::from("html");
        properties = properties
            .set_column_dictionary_enabled(html.clone(), false)
            .set_column_statistics_enabled(html.clone(), EnabledStatistics::None)
            .set_column_data_page_size_limit(html, 1)
            .set_write_batch_size(1);
    }
    let mut writer = ArrowWriter::try_new(
        File::create(path)?,
        batch.schema(),
        Some(properties.build()),
    )?;
    writer.write(&batch)?;
    writer.close()?;
    Ok(())
}
