//! The pages on which everything is measured.

use std::fmt;
use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::DataType;
use chrono::NaiveDate;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use sample::SampleOptions;
use tables::Location;

/// The dates of the sample: one hundred days of equal size, each with 1 % of the pages.
pub(crate) const SAMPLE_DATES: [&str; 2] = ["2011-10-01", "2012-01-08"];

/// An archive on disk.
#[derive(Clone, Debug)]
pub(crate) struct Archive {
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) pages: usize,
    pub(crate) html_bytes: u64,
}

impl Archive {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let archive = Archive {
            name: name.into_owned(),
            // A job takes a relative path from the folder of its file.
            path: std::path::absolute(path)?,
            pages: 0,
            html_bytes: 0,
        };
        let (mut pages, mut html_bytes) = (0, 0);
        archive.for_each(|html| {
            pages += 1;
            html_bytes += html.len() as u64;
        })?;
        ensure!(
            pages > 0,
            "{} has no Parquet file with a page",
            path.display()
        );
        Ok(Archive {
            pages,
            html_bytes,
            ..archive
        })
    }

    /// Generates a sample of about 20,000 pages on a hundred days.
    pub(crate) fn sample(folder: &Path) -> Result<Self> {
        write_sample(folder, SAMPLE_DATES, 20_000, false)?;
        Self::open(&folder.join("pages"))
            .map(|archive| Archive {
                name: "sample".to_owned(),
                ..archive
            })
            .context("cannot read the sample")
    }

    /// Calls `each` with the HTML of every page that has some.
    pub(crate) fn for_each(&self, mut each: impl FnMut(&[u8])) -> Result<()> {
        for file in parquet_files(&self.path)? {
            let place = || file.display().to_string();
            let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&file)?);
            let builder = builder.with_context(place)?;
            let html = ProjectionMask::columns(builder.parquet_schema(), ["html"]);
            let batches = builder.with_projection(html).with_batch_size(64).build()?;
            for batch in batches {
                let batch = batch.with_context(place)?;
                let html = batch.column_by_name("html").with_context(place)?;
                let html = cast(html, &DataType::LargeBinary)?;
                html.as_binary::<i64>().iter().flatten().for_each(&mut each);
            }
        }
        Ok(())
    }
}

/// Writes a sample of about `pages` pages below `folder`, as Parquet and, with `is_warc`, also as WARC files.
pub(super) fn write_sample(
    folder: &Path,
    dates: [&str; 2],
    pages: u64,
    is_warc: bool,
) -> Result<()> {
    let [first, last] = dates.map(str::parse::<NaiveDate>);
    let options = SampleOptions {
        first: first?,
        last: last?,
        pages,
        seed: 1,
    };
    let output = Location::parse(&folder.to_string_lossy())?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        sample::write_sample(&options, &output).await?;
        if is_warc {
            sample::write_sample_warc(&options, &output).await?;
        }
        Ok(())
    })
}

/// Returns the Parquet files at or below a path, sorted by name.
fn parquet_files(path: &Path) -> Result<Vec<PathBuf>> {
    if path.is_file() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    let entries = std::fs::read_dir(path).with_context(|| path.display().to_string())?;
    for entry in entries {
        let path = entry?.path();
        if path.is_dir() || path.extension().is_some_and(|end| end == "parquet") {
            files.extend(parquet_files(&path)?);
        }
    }
    files.sort();
    Ok(files)
}

impl fmt::Display for Archive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.html_bytes as f64 / 1e6;
        write!(f, "{} ({} pages, {megabytes:.0} MB)", self.name, self.pages)
    }
}
