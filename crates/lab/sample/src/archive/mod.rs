//! Writes the sample as Parquet files that a job reads.
//!
//! An archive has a folder `date=YYYY-MM-DD/` per UTC day, with Parquet objects of the
//! columns in `schemas/archive.sql`, in time order. The gold texts are in a second folder.

mod columns;
mod warc_file;

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use chrono::NaiveDate;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};
use parquet::errors::ParquetError;
use tables::{Classified, ErrorClass, Location, has_retryable_cause};

use crate::options::SampleOptions;

pub use warc_file::write_sample_warc;

/// The counts of a sample written by [`write_sample`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SampleCounts {
    /// Rows of the archive.
    pub pages: u64,
    /// Bytes of HTML in the rows.
    pub html_bytes: u64,
    /// Rows with a gold text.
    pub gold: u64,
    /// Parquet objects.
    pub objects: u64,
}

/// An error while writing a sample.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The folder has an object that the sample would not replace, and the pages of two
    /// samples would become one archive.
    #[error("{location} already holds {object}; remove it, or choose another folder")]
    Occupied {
        /// The folder of the pages or of the gold texts.
        location: String,
        /// The other object.
        object: String,
    },
    /// The store cannot be written or listed.
    #[error("cannot write {object}: {source}")]
    Store {
        /// The object that is written, or the folder that is listed.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// The rows cannot be encoded as Parquet.
    #[error("cannot encode the pages of {date} as Parquet: {source}")]
    Encode {
        /// The day.
        date: NaiveDate,
        /// The cause.
        #[source]
        source: ParquetError,
    },
}

impl Classified for SampleError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Occupied { .. } => ErrorClass::Usage,
            Self::Store { .. } => ErrorClass::Storage,
            Self::Encode { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Store { source, .. } if has_retryable_cause(source))
    }
}

/// Writes the sample of `options` below `output`.
///
/// `pages/date=…/pages.parquet` is the archive. `gold/date=…/gold.parquet` has the gold
/// texts (`fetched_at`, `url`, `lang`, `gold_text`), with the first two columns as the
/// key of the page, and the pages themselves (`html` and the columns that a replay reads), so
/// that it is a gold set on its own. The objects of an existing sample with the same dates are replaced.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let output = folder.path().display().to_string();
/// use sample::{SampleOptions, write_sample};
/// use tables::Location;
///
/// let options = SampleOptions {
///     first: "2011-10-24".parse()?,
///     last: "2011-10-25".parse()?,
///     pages: 40,
///     seed: 1,
/// };
/// let written = write_sample(&options, &Location::parse(&output)?).await?;
/// assert_eq!(written.objects, 4); // pages and gold of two days
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// [`SampleError`]. Objects written before the error are kept.
pub async fn write_sample(
    options: &SampleOptions,
    output: &Location,
) -> Result<SampleCounts, SampleError> {
    let (pages, gold) = (output.child("pages"), output.child("gold"));
    for folder in [&pages, &gold] {
        refuse_others(folder, options).await?;
    }
    let mut written = SampleCounts::default();
    for (date, rows) in crate::days::Days::new(options) {
        written.pages += rows.len() as u64;
        written.html_bytes += rows.iter().map(|page| page.html.len() as u64).sum::<u64>();
        put(&pages, &object(date, "pages"), date, columns::pages(&rows)).await?;
        let articles = columns::gold(&rows);
        written.gold += articles.as_ref().map_or(0, |rows| rows.num_rows() as u64);
        put(&gold, &object(date, "gold"), date, articles).await?;
        written.objects += 2;
    }
    Ok(written)
}

fn object(date: NaiveDate, name: &str) -> String {
    format!("date={date}/{name}.parquet")
}

/// Returns an error if the folder has objects that this sample would not replace.
async fn refuse_others(folder: &Location, options: &SampleOptions) -> Result<(), SampleError> {
    let failed = |source| SampleError::Store {
        object: folder.to_string(),
        source,
    };
    let mut objects = folder.store().list(Some(folder.path()));
    while let Some(found) = objects.try_next().await.map_err(failed)? {
        let ours = found
            .location
            .prefix_match(folder.path())
            .and_then(|mut parts| parts.next())
            .and_then(|day| {
                day.as_ref()
                    .strip_prefix("date=")?
                    .parse::<NaiveDate>()
                    .ok()
            })
            .is_some_and(|date| options.first <= date && date <= options.last);
        if !ours {
            return Err(SampleError::Occupied {
                location: folder.to_string(),
                object: found.location.to_string(),
            });
        }
    }
    Ok(())
}

async fn put(
    folder: &Location,
    name: &str,
    date: NaiveDate,
    rows: Result<RecordBatch, ArrowError>,
) -> Result<(), SampleError> {
    let encoded = rows
        .map_err(ParquetError::from)
        .and_then(|rows| columns::parquet(&rows));
    let bytes = encoded.map_err(|source| SampleError::Encode { date, source })?;
    let path = Path::from_iter(folder.path().parts().chain(Path::from(name).parts()));
    let put = folder.store().put(&path, bytes.into()).await;
    put.map_err(|source| SampleError::Store {
        object: format!("{folder}/{name}"),
        source,
    })?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(first: &str, last: &str) -> SampleOptions {
        SampleOptions {
            first: first.parse().unwrap(),
            last: last.parse().unwrap(),
            pages: 60,
            seed: 1,
        }
    }

    #[tokio::test]
    async fn equal_options_write_equal_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = Vec::new();
        for name in ["a", "b", "a"] {
            let output = Location::parse(&folder.path().join(name).display().to_string()).unwrap();
            let options = options("2011-10-24", "2011-10-25");
            let written = write_sample(&options, &output).await.unwrap();
            assert!(written.pages > 0 && written.gold > 0, "{written:?}");
            let path = folder
                .path()
                .join(name)
                .join("pages/date=2011-10-25/pages.parquet");
            bytes.push(std::fs::read(path).unwrap());
        }
        assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]));
    }

    #[tokio::test]
    async fn a_folder_with_a_sample_of_other_dates_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let output = Location::parse(&folder.path().display().to_string()).unwrap();
        let first = options("2011-10-24", "2011-10-25");
        write_sample(&first, &output).await.unwrap();
        let refused = write_sample(&options("2011-10-25", "2011-10-26"), &output).await;
        let message = refused.unwrap_err().to_string();
        assert!(
            message.contains("date=2011-10-24/pages.parquet"),
            "{message}"
        );
        assert!(!folder.path().join("pages/date=2011-10-26").exists());
    }
}
