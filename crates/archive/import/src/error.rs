use std::io;

use parquet::errors::ParquetError;
use tables::{Classified, ErrorClass, LocationError, has_retryable_cause};

use crate::pages::error::RowsError;

/// An error that ends an import.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// An input or the base of a list is not a location.
    #[error(transparent)]
    Location(#[from] LocationError),
    /// A folder or a pattern has no WARC file.
    #[error(
        "{input} has no file that ends with .warc, .arc, .warc.gz, .arc.gz, .warc.zst or .wacz"
    )]
    NoFile {
        /// The input.
        input: String,
    },
    /// A list of paths cannot be read.
    #[error("{list} is not a list of paths: {problem}")]
    List {
        /// The list.
        list: String,
        /// The problem.
        problem: String,
    },
    /// A WACZ file cannot be read.
    #[error("{file} cannot be read as WACZ: {problem}")]
    Wacz {
        /// The file.
        file: String,
        /// The problem.
        #[source]
        problem: WaczError,
    },
    /// A list of pages cannot be read.
    #[error("{list} cannot be read as a list of pages: {problem}")]
    Rows {
        /// The list.
        list: String,
        /// The problem.
        #[source]
        problem: RowsError,
    },
    /// A store cannot be read or written.
    #[error("cannot {doing} {object}: {source}")]
    Store {
        /// The operation.
        doing: &'static str,
        /// The object or the folder.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// A manifest has another form.
    #[error(
        "{object} is not a manifest of an import: {source}; remove it to import its input again"
    )]
    Manifest {
        /// The object.
        object: String,
        /// The cause.
        #[source]
        source: serde_json::Error,
    },
    /// The temporary files of an import.
    #[error(
        "cannot write the temporary files of {input} (--spill-dir, run.spill_dir of a job, or TMPDIR names their \
         folder): {source}"
    )]
    Spool {
        /// The input.
        input: String,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// Rows cannot be encoded.
    #[error("cannot encode the pages of {input} as Parquet: {source}")]
    Encode {
        /// The input.
        input: String,
        /// The cause.
        #[source]
        source: ParquetError,
    },
    /// An index of a crawl cannot be read.
    #[error("{index} cannot be read as an index of a crawl: {problem}")]
    Index {
        /// The index.
        index: String,
        /// The problem.
        problem: String,
    },
    /// A server of an index does not say where the files are.
    #[error("{index} is a server, whose answers name files: --base says where these are")]
    NoBase {
        /// The index.
        index: String,
    },
    /// The archive has an import of other records that is not finished.
    #[error(
        "{object} is an import that is not finished, of another index, selection or base: give its command again, name \
         another --output, or delete the object to leave that import as it is"
    )]
    OtherPlan {
        /// The object with the state.
        object: String,
    },
    /// The outcomes of records cannot be continued.
    #[error("the manifests of {import} cannot be continued: {source}")]
    Outcomes {
        /// The name of the import.
        import: String,
        /// The cause.
        #[source]
        source: crawl_index::ProgressError,
    },
    /// A host answers no request any more.
    #[error(
        "{host} has failed {failures} times in a row, the last time with {last}; what is imported is kept, and the same \
         command continues"
    )]
    Host {
        /// The host.
        host: String,
        /// Failures in a row.
        failures: u32,
        /// The last answer.
        last: String,
    },
    /// The client for web servers.
    #[error("the client for web servers cannot be set up: {0}")]
    Client(#[source] reqwest::Error),
    /// A thread ended early.
    #[error("the import of {input} ended without a result")]
    Task {
        /// The input.
        input: String,
    },
}

/// The reason why a WACZ file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WaczError {
    /// The end of the directory is missing.
    #[error("it has no directory of a zip file, so it is truncated or another format")]
    NoDirectory,
    /// The directory has another form.
    #[error("its directory of files is broken")]
    Directory,
    /// The directory is larger than the limit.
    #[error("its directory has {0} bytes")]
    TooLarge(u64),
    /// A WARC file is compressed.
    #[error("its WARC files are compressed by zip, which WACZ forbids; unpack it")]
    Compressed,
    /// The folder has other files only.
    #[error("its folder archive/ has no WARC file")]
    NoFile,
}

impl Classified for ImportError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Location(_)
            | Self::NoBase { .. }
            | Self::OtherPlan { .. }
            | Self::Rows {
                problem: RowsError::Folders | RowsError::NoListing,
                ..
            } => ErrorClass::Usage,
            Self::NoFile { .. }
            | Self::List { .. }
            | Self::Manifest { .. }
            | Self::Index { .. }
            | Self::Outcomes { .. } => ErrorClass::Input,
            Self::Store {
                doing: "find",
                source: object_store::Error::NotFound { .. },
                ..
            } => ErrorClass::Input,
            Self::Rows {
                problem: RowsError::Store(_),
                ..
            } => ErrorClass::Storage,
            Self::Rows { .. } | Self::Wacz { .. } => ErrorClass::Input,
            Self::Store { .. } | Self::Spool { .. } | Self::Host { .. } => ErrorClass::Storage,
            Self::Encode { .. } | Self::Task { .. } | Self::Client(_) => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Store { source, .. } => has_retryable_cause(source),
            Self::Rows {
                problem: RowsError::Store(source),
                ..
            } => has_retryable_cause(source),
            Self::Host { .. } => true,
            _ => false,
        }
    }
}
