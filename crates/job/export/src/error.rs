use std::fmt;

use arrow::error::ArrowError;
use parquet::errors::ParquetError;
use tables::{Classified, ErrorClass, has_retryable_cause};

/// An error that ends an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The rows cannot be read.
    #[error("{0}")]
    Source(Box<dyn Classified + Send + Sync>),
    /// A column is missing, or two columns have its name.
    #[error(
        "the rows have {found} named `{column}`; an export needs one of each of id, text, url and date \
         (such as `SELECT document_id AS id, text, url, fetched_at AS date FROM documents`)"
    )]
    Column {
        /// The name.
        column: &'static str,
        /// The columns with that name.
        found: &'static str,
    },
    /// Two columns of the metadata have one name.
    #[error("the rows have two columns named `{column}`; give one of them another name with AS")]
    RepeatedColumn {
        /// The name.
        column: String,
    },
    /// A column has a type that the field cannot have.
    #[error("the column `{column}` has the type {found}; expected {expected}")]
    ColumnType {
        /// The name.
        column: &'static str,
        /// The type.
        found: String,
        /// The types that it can have.
        expected: &'static str,
    },
    /// A field of a document is null.
    #[error("`{column}` is null in row {row} of {part}{url}; {remedy}")]
    Null {
        /// The column.
        column: &'static str,
        /// The row, from 1.
        row: u64,
        /// The date or the query that the row is of.
        part: String,
        /// ` (URL)`, if it is known.
        url: String,
        /// The remedy.
        remedy: &'static str,
    },
    /// A date that a WARC file cannot have.
    #[error("`date` is {text:?} in row {row} of {part}; WET needs a date or a time of ISO 8601")]
    Date {
        /// The value.
        text: String,
        /// The row, from 1.
        row: u64,
        /// The date or the query that the row is of.
        part: String,
    },
    /// Rows cannot be encoded.
    #[error("cannot encode rows as {format}: {source}")]
    Encode {
        /// The format.
        format: crate::Format,
        /// The cause.
        #[source]
        source: EncodeError,
    },
    /// The folder has objects that no export wrote.
    #[error("{folder} has {object}, which no export wrote; export to a new or empty folder")]
    Foreign {
        /// The folder.
        folder: String,
        /// An object in it.
        object: String,
    },
    /// The folder has an export with other arguments.
    #[error(
        "{folder} has another export: its {field} is {found}, not {expected}; export to another folder, \
         or replace the export with --replace"
    )]
    OtherExport {
        /// The folder.
        folder: String,
        /// The argument that differs.
        field: String,
        /// Its value in the folder.
        found: String,
        /// The value that was asked for.
        expected: String,
    },
    /// The tables have changed since the export in the folder began.
    #[error(
        "the tables have changed since the export in {folder} began: {change}; replace the export with \
         --replace, or export to another folder"
    )]
    TablesChanged {
        /// The folder.
        folder: String,
        /// The table and its versions.
        change: String,
    },
    /// The rows of a resumed export are others than those of its first start.
    #[error(
        "row {row} of {part} is not the one of the export in {folder} that stopped: its query gives other rows \
         or another order each time. Sort by columns that make a row unique, and start anew with --replace"
    )]
    OtherRows {
        /// The folder.
        folder: String,
        /// The date or the query that the row is of.
        part: String,
        /// The last row that was compared, from 1.
        row: u64,
    },
    /// An object of an earlier start has another form.
    #[error("{object} is not of an export: {source}")]
    Record {
        /// The object.
        object: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// A store cannot be read or written.
    #[error("cannot {doing} {object}: {source}")]
    Store {
        /// The operation, as a verb.
        doing: &'static str,
        /// The object or the folder.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}

/// The reason why rows cannot be encoded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EncodeError {
    /// A column cannot be converted.
    #[error(transparent)]
    Arrow(#[from] ArrowError),
    /// Parquet has no such rows.
    #[error(transparent)]
    Parquet(#[from] ParquetError),
    /// A compressor failed.
    #[error(transparent)]
    Compress(#[from] std::io::Error),
}

impl ExportError {
    pub(crate) fn store(
        doing: &'static str,
        object: impl fmt::Display,
    ) -> impl FnOnce(object_store::Error) -> Self {
        let object = object.to_string();
        move |source| Self::Store {
            doing,
            object,
            source,
        }
    }
}

impl Classified for ExportError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Source(error) => error.class(),
            Self::Column { .. }
            | Self::RepeatedColumn { .. }
            | Self::ColumnType { .. }
            | Self::Foreign { .. }
            | Self::OtherExport { .. }
            | Self::TablesChanged { .. }
            | Self::OtherRows { .. } => ErrorClass::Usage,
            Self::Null { .. } | Self::Date { .. } | Self::Record { .. } => ErrorClass::Input,
            Self::Store { .. } => ErrorClass::Storage,
            Self::Encode { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Source(error) => error.is_retryable(),
            Self::Store { source, .. } => has_retryable_cause(source),
            _ => false,
        }
    }
}
