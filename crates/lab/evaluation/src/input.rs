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
    /// The problem.
    #[source]
    pub problem: InputProblem,
}

/// The problem of a file.
#[derive(Debug, Error)]
pub enum InputProblem {
    /// The file cannot be read.
    #[error(transparent)]
    Read(#[from] std::io::Error),
    /// The file is not a Parquet file, or it is damaged.
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
    /// A line is not a JSON object with the expected keys.
    #[error("line {line}: {source}")]
    Line {
        /// Number of the line, from 1.
        line: usize,
        /// The problem.
        source: serde_json::Error,
    },
    /// A folder has no Parquet file.
    #[error("there is no .parquet file")]
    Empty,
}
