//! Writes documents for the tools that read them: JSON Lines, Parquet and WET files.
//!
//! [`export`] takes rows from a [`Source`], makes documents of them and writes them to shards below a folder:
//!
//! ```text
//! OUTPUT/documents/part-00000.jsonl.zst    a shard, closed by the document with which it has its size
//! OUTPUT/README.md                         the card of a data set of Hugging Face: files, types, counts, languages
//! OUTPUT/manifest.json                     the last object: shards with rows, bytes and SHA-256, table versions
//! OUTPUT/_progress/                        request and finished shards of an export that is not complete
//! ```
//!
//! A document has the fields that datatrove, Dolma and Hugging Face expect: `id`, `text`, `source`, `url`,
//! `date`, `added`, `created` and `metadata`. Rows need the columns `id`, `text`, `url` and `date`; all other
//! columns are `metadata`. `added` is `date`, and `created` is the column `published_at` or, where that is
//! null, `date`. [`Format::FineWeb`] has these as the flat columns of FineWeb instead.
//!
//! A shard appears when it is whole. An export that was killed continues after its last shard, with the same
//! bytes, because shards and groups of rows are cut by the rows alone. The rows that are left out then are
//! compared with those of the first start by a digest.
//!
//! ```
//! use std::collections::BTreeMap;
//! use std::sync::Arc;
//!
//! use arrow::array::{ArrayRef, RecordBatch, StringArray};
//! use export::{Existing, Format, Part, Request, Rows, Source, export};
//! use futures::StreamExt;
//! use tables::Location;
//!
//! struct Two;
//!
//! impl Source for Two {
//!     type Error = std::io::Error;
//!
//!     fn parts(&self) -> &[Part] {
//!         &[Part::Query]
//!     }
//!
//!     async fn rows(&self, _: Part) -> Result<Rows<Self::Error>, Self::Error> {
//!         let column = |values: [&str; 2]| -> ArrayRef { Arc::new(StringArray::from(values.to_vec())) };
//!         let batch = RecordBatch::try_from_iter([
//!             ("id", column(["1", "2"])),
//!             ("text", column(["Trees fell.", "Calm."])),
//!             ("url", column(["http://a.example/1", "http://a.example/2"])),
//!             ("date", column(["2011-10-24", "2011-10-25"])),
//!             ("title", column(["Storm", "Sea"])),
//!         ])
//!         .map_err(std::io::Error::other)?;
//!         Ok(Rows {
//!             schema: batch.schema(),
//!             batches: futures::stream::iter([Ok(batch)]).boxed(),
//!         })
//!     }
//! }
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("out");
//! let output = Location::parse(&path.display().to_string())?;
//! let request = Request {
//!     format: Format::JsonLines,
//!     documents_of: BTreeMap::new(),
//!     source: "urltree".to_owned(),
//!     shard_bytes: 1 << 20,
//!     tables: BTreeMap::new(),
//!     written_by: "an example".to_owned(),
//! };
//! let runtime = tokio::runtime::Builder::new_current_thread().build()?;
//! let report = runtime.block_on(export(&Two, &output, &request, Existing::Keep))?;
//! assert_eq!(report.manifest.documents, 2);
//! let lines = std::fs::read_to_string(path.join("documents/part-00000.jsonl"))?;
//! assert!(lines.starts_with(r#"{"id":"1","text":"Trees fell.","source":"urltree""#));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The crate selects no documents and sorts none: its source does. It filters nothing by quality.

mod card;
mod documents;
mod encode;
mod error;
mod fineweb;
mod format;
mod groups;
mod source;
mod state;
mod store;
mod wet;
mod write;

use tables::Location;

pub use error::{EncodeError, ExportError};
pub use format::Format;
pub use source::{Part, Rows, Source};
pub use state::{Existing, Manifest, Request, Shard, TableVersion};

/// The result of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// The manifest.
    pub manifest: Manifest,
    /// Shards that an earlier start had written.
    pub kept_shards: usize,
    /// Whether an earlier export with the same request was complete, so that nothing was written.
    pub was_complete: bool,
}

/// Writes the documents of `source` below `output`, or continues an export with the same `request`.
///
/// # Errors
/// [`ExportError`]. Shards that are whole are kept, and the same call continues after them.
pub async fn export(
    source: &impl Source,
    output: &Location,
    request: &Request,
    existing: Existing,
) -> Result<Report, ExportError> {
    match state::begin(output, request, existing).await? {
        state::State::Complete(manifest) => Ok(Report {
            kept_shards: manifest.shards.len(),
            manifest,
            was_complete: true,
        }),
        state::State::Begun(records) => {
            let kept_shards = records.len();
            let written = write::shards(source, output, request, records).await?;
            let manifest = Manifest::of(request, written.shards);
            let card = (written.columns).and_then(|columns| card::card(&columns, &manifest));
            state::complete(output, &manifest, card).await?;
            Ok(Report {
                manifest,
                kept_shards,
                was_complete: false,
            })
        }
    }
}

/// Compiles the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
