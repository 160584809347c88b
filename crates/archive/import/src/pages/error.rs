//! Errors of lists.

use std::io;

use parquet::errors::ParquetError;

use crate::pages::columns::Column;

/// The reason why a list cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RowsError {
    /// The name has an unknown end.
    #[error(
        "its name does not end with .csv, .tsv, .jsonl or .ndjson (or these with .gz), or .parquet"
    )]
    UnknownFormat,
    /// Its pages are in its rows, so folders have no meaning.
    #[error("its pages are in its rows, so no folder can be given")]
    Folders,
    /// A web server lists no files.
    #[error("a web server lists no files, so --manifest must name a list of its pages")]
    NoListing,
    /// A mirror without a file.
    #[error("it has no file")]
    NoFile,
    /// A text of two bytes per letter.
    #[error("it is UTF-16; convert it: iconv -f UTF-16 -t UTF-8")]
    Utf16,
    /// A needed column is missing.
    #[error(
        "it has no column {names}, for {column}, but: {found}; --columns {column}=NAME names it \
         (the first line of CSV must name the columns)"
    )]
    NoColumn {
        /// The column.
        column: Column,
        /// The names that were looked for.
        names: String,
        /// The names in the list.
        found: String,
    },
    /// A column has a type that has no value of this kind.
    #[error(
        "its column for {column} has the type {found}; --columns {column}=NAME names another one"
    )]
    Type {
        /// The column.
        column: Column,
        /// The type.
        found: String,
    },
    /// The bytes cannot be read, or their compression is broken.
    #[error(transparent)]
    Read(io::Error),
    /// It is not Parquet.
    #[error(transparent)]
    Parquet(ParquetError),
    /// The store fails.
    #[error(transparent)]
    Store(object_store::Error),
}
