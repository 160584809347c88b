//! Ways into an archive: what writes the Parquet files that a job reads.
//!
//! An archive is a folder `date=YYYY-MM-DD/` per UTC day with Parquet objects
//! of the columns in `schemas/archive.sql`, in time order. [`write_sample`]
//! writes one of sites that do not exist, with the text of every article beside
//! it, so that a job can be tried and its text measured.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = tempfile::tempdir()?;
//! # let output = folder.path().display().to_string();
//! use archive::write_sample;
//! use sample::SampleOptions;
//! use tables::Location;
//!
//! let options = SampleOptions {
//!     first: "2011-10-24".parse()?,
//!     last: "2011-10-25".parse()?,
//!     pages: 40,
//!     seed: 1,
//! };
//! let written = write_sample(&options, &Location::parse(&output)?).await?;
//! assert_eq!(written.objects, 4); // pages and gold of two days
//! # Ok(())
//! # }
//! ```
//!
//! What the pages look like is decided in `sample`. This crate reads no archive
//! and knows no job.

mod columns;
mod sample_archive;

pub use sample_archive::{SampleError, Written, write_sample};
