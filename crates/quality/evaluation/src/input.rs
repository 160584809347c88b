//! Files that cannot be read.

use std::path::PathBuf;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;
use thiserror::Error;

/// A file of gold or of texts that cannot be read.
#[derive(Debug, Error)]
#[error("{}: {problem}", path.display())]
pub struct InputError {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    #[source]
    pub problem: InputProblem,
}

/// What is wrong with a file.
#[derive(Debug, Error)]
pub enum InputProblem {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// It is no Parquet file, or a broken one.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// A column has values of another type.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// A column is missing.
    #[error("there is no column `{0}`")]
    Column(&'static str),
    /// A row has no URL.
    #[error("row {0} has no url")]
    Url(usize),
    /// A line of JSON is not what it should be.
    #[error("line {line}: {source}")]
    Line {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        source: serde_json::Error,
    },
    /// A folder has no such file.
    #[error("there is no .parquet file")]
    Empty,
}
