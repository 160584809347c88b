//! Imports WARC files, ARC files and lists of pages into an archive: Parquet files that a job reads.
//!
//! [`import`] reads files, folders, patterns, lists of paths, object storage, web servers and standard
//! input, several at a time. Each input gives one object per UTC date below the output:
//!
//! ```text
//! OUTPUT/date=2011-10-24/NAME.parquet    pages by site and time, with the columns of Page
//! OUTPUT/_quarantine/NAME.parquet        records and rows that cannot be used: place and reason
//! OUTPUT/_revisits/NAME.parquet          revisits of pages in other inputs: URL, time, digest
//! OUTPUT/_imports/NAME.json              the manifest: the input is imported
//! ```
//!
//! An object has its final name only when it is whole, and the manifest of an input is written last.
//! An import that was killed continues with the inputs that have no manifest. A second import of
//! inputs that did not change writes nothing. An input gives the same bytes for any
//! [`Options::files_at_a_time`].
//!
//! HTML becomes rows: `text/html`, `application/xhtml+xml`, pages without a type that begin as HTML
//! does, and whole documents of HTML whatever their type says. Responses, resources and conversions
//! can be HTML. All records are counted by type, and each is a row, a row of `_quarantine` or
//! `_revisits`, or counted in [`Report::not_pages`].
//!
//! A revisit says that a page was as in an earlier capture. If that is before it in the same input, the
//! revisit is a row with the HTML of the capture. Otherwise it is a row of `_revisits`, and its
//! `payload_digest` is that of the row that it repeats, wherever that is.
//!
//! [`import_pages`] reads lists: CSV, JSON Lines or Parquet with URL, time, and the page or the path of
//! its file. Each list is an input. Its state is that of the list, of all files in the folders, and the
//! settings. Rows that are not pages are quarantined, and a row that repeats an earlier one is only
//! counted. Without a list, folders are mirrors of `wget -r` or HTTrack: the path of a file is the
//! address of its page.
//!
//! [`plan_index`] reads an index of a crawl, and [`import_index`] gets the chosen records by ranges of bytes. Its objects have the
//! records of one commit, which may be of many files, and `OUTPUT/_index/NAME.json` is its state.
//!
//! An input is known by its URL, and its objects have its file name and a digest of the URL. Files that
//! were moved after an import are new inputs, so import them into a new archive.
//!
//! Bodies wait for their turn by date, site and time in an unnamed temporary file, so memory holds some 10 MB of records
//! or a few large ones per input, some 400 bytes per page, and one row group. One thread reads and decompresses an input,
//! two read the content of its records, and one keeps the pages.
//!
//! ```
//! # let folder = tempfile::tempdir()?;
//! # let file = folder.path().join("a.warc");
//! # let block = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>Hi";
//! # std::fs::write(&file, format!("WARC/1.1\r\nWARC-Type: response\r\n\
//! #     WARC-Target-URI: http://a.example/\r\nWARC-Date: 2011-10-24T12:00:00Z\r\n\
//! #     Content-Type: application/http\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n", block.len()))?;
//! # let inputs = [file.display().to_string()];
//! # let archive = folder.path().join("archive").display().to_string();
//! use import::{Options, Quiet, import};
//! use tables::Location;
//!
//! let runtime = tokio::runtime::Runtime::new()?;
//! let output = Location::parse(&archive)?;
//! let options = Options::default();
//! let report = runtime.block_on(import(&inputs, &output, &options, &Quiet))?;
//! assert_eq!((report.files, report.pages), (1, 1));
//! let again = runtime.block_on(import(&inputs, &output, &options, &Quiet))?;
//! assert_eq!((again.files, again.already_imported), (0, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate extracts no text, follows no link and writes no WARC file. It needs a runtime with more
//! than one thread.

mod archive_file;
mod error;
mod found;
mod index;
mod inputs;
mod manifest;
mod options;
mod ordered;
mod page;
mod pages;
mod parquet_file;
mod quarantine;
mod sites;
mod source;
mod spool;
mod store;
mod temporary;
mod wacz;
mod warc_file;
mod write;

/// Temporary files, Parquet files of pages and whole objects, for other ways into an archive.
pub mod output {
    pub use crate::archive_file::write_pages;
    pub use crate::spool::{Body, Spool, SpooledBodies, TemporaryFolder};
    pub use crate::store::{delete, path, put_file};
    pub use warc::{begins_as_html, is_html};
}

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use chrono::NaiveDate;
use futures::{StreamExt, TryStreamExt};
use tables::Location;
use tokio::sync::mpsc::UnboundedSender;

use inputs::Input;

pub use crawl_index::{Content, Manners, PlanLimits, Selection, Target, TargetError, Totals};
pub use error::{ImportError, WaczError};
pub use index::{IndexOptions, IndexPlan, IndexReport, Unreadable, import_index, plan_index};
pub use inputs::is_warc_file;
pub use manifest::Manifest;
pub use options::Options;
pub use pages::{
    Column, ColumnError, ColumnName, Columns, PageOptions, PageTime, PageTimeError, RowsError,
    import_pages,
};
pub use sites::{SITE_HASH, SITE_RULES, site_hash};
pub use temporary::{FilePages, PROBLEM, file_pages};
pub use warc::Limits;

/// Sees how far an import is.
pub trait Progress: Sync {
    /// The inputs that are imported, and their bytes as far as they are known.
    fn planned(&self, files: u64, bytes: u64);
    /// These bytes of an input were read.
    fn read(&self, bytes: u64);
    /// No request to this host for so many seconds: it has asked for time, or the budget of the day is used.
    fn waits(&self, _host: &str, _seconds: u64) {}
}

/// Shows no progress.
#[derive(Debug, Clone, Copy)]
pub struct Quiet;

impl Progress for Quiet {
    fn planned(&self, _: u64, _: u64) {}
    fn read(&self, _: u64) {}
}

/// The counts of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Inputs that were imported.
    pub files: u64,
    /// Inputs that an earlier import has done.
    pub already_imported: u64,
    /// Bytes of the inputs that were imported.
    pub bytes: u64,
    /// Records by type.
    pub records: BTreeMap<String, u64>,
    /// Records that are not pages, by their type and that of their content: `response image/png`.
    pub not_pages: BTreeMap<String, u64>,
    /// Records in a form that the standards do not have, by form. They were read nevertheless.
    pub warnings: BTreeMap<String, u64>,
    /// Records that cannot be used.
    pub quarantined: u64,
    /// Records that cannot be used, by kind of the reason.
    pub reasons: BTreeMap<String, u64>,
    /// Revisits of pages that are not before them in the same input.
    pub revisits: u64,
    /// Rows of the archive.
    pub pages: u64,
    /// Bytes of HTML in the rows.
    pub html_bytes: u64,
    /// Parquet objects of pages.
    pub objects: u64,
    /// First and last UTC date of the pages of all inputs, those of an earlier import too.
    pub dates: Option<(NaiveDate, NaiveDate)>,
}

/// Imports `inputs` into the archive at `output`. See the crate for the layout.
///
/// # Errors
/// [`ImportError`]. Inputs that were done before the error are kept, and the same call continues.
pub async fn import(
    inputs: &[String],
    output: &Location,
    options: &Options,
    progress: &impl Progress,
) -> Result<Report, ImportError> {
    let inputs = inputs::expand(inputs, options.base.as_deref()).await?;
    let import = |input, before, sender| {
        warc_file::import(input, before, output.clone(), options.clone(), sender)
    };
    import_inputs(inputs, output, options.files_at_a_time, progress, import).await
}

/// Imports the inputs that are not imported, with `import`.
async fn import_inputs<I: Future<Output = Result<Manifest, ImportError>>>(
    inputs: Vec<Input>,
    output: &Location,
    at_a_time: NonZeroUsize,
    progress: &impl Progress,
    import: impl Fn(Input, Option<Manifest>, UnboundedSender<u64>) -> I,
) -> Result<Report, ImportError> {
    let mut report = Report::default();
    let mut left = Vec::new();
    let manifests = inputs.into_iter().map(|input| async move {
        let before = manifest::read(output, &input.name).await?;
        Ok::<_, ImportError>((input, before))
    });
    let manifests = futures::stream::iter(manifests).buffered(inputs::REQUESTS_AT_A_TIME);
    for (input, before) in manifests.try_collect::<Vec<_>>().await? {
        match before {
            Some(before) if before.is_of(&input) => {
                report.already_imported += 1;
                report.add_dates(&before);
            }
            before => left.push((input, before)),
        }
    }
    let bytes = left.iter().filter_map(|(input, _)| input.bytes).sum();
    progress.planned(left.len() as u64, bytes);
    let (sender, mut read) = tokio::sync::mpsc::unbounded_channel();
    let done = futures::stream::iter(left)
        .map(|(input, before)| import(input, before, sender.clone()))
        .buffer_unordered(at_a_time.get())
        .try_for_each(|manifest| {
            report.add(&manifest);
            std::future::ready(Ok(()))
        });
    let mut done = std::pin::pin!(done);
    loop {
        tokio::select! {
            done = &mut done => {
                done?;
                break;
            }
            Some(bytes) = read.recv() => progress.read(bytes),
        }
    }
    Ok(report)
}

impl Report {
    /// Whether inputs were imported, and nothing in them is a page or repeats one.
    pub fn is_unusable(&self) -> bool {
        self.files > 0 && self.already_imported == 0 && self.pages == 0 && self.revisits == 0
    }

    fn add(&mut self, manifest: &Manifest) {
        self.files += 1;
        self.bytes += manifest.input_bytes;
        for (sums, counts) in [
            (&mut self.records, &manifest.records),
            (&mut self.not_pages, &manifest.not_pages),
            (&mut self.warnings, &manifest.warnings),
            (&mut self.reasons, &manifest.reasons),
        ] {
            for (name, count) in counts {
                *sums.entry(name.clone()).or_default() += count;
            }
        }
        self.quarantined += manifest.quarantined;
        self.revisits += manifest.revisits;
        self.pages += manifest.pages;
        self.html_bytes += manifest.html_bytes;
        self.objects += manifest.objects.len() as u64;
        self.add_dates(manifest);
    }

    fn add_dates(&mut self, manifest: &Manifest) {
        for date in manifest.dates() {
            self.dates = Some(match self.dates {
                Some((first, last)) => (first.min(date), last.max(date)),
                None => (date, date),
            });
        }
    }
}

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
