use arrow::error::ArrowError;
use import::ImportError;
use parquet::errors::ParquetError;
use tables::{Classified, ErrorClass, has_retryable_cause};

/// An error that ends a fetch. Earlier commits stay.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FetchError {
    /// Objects or temporary files cannot be written.
    #[error(transparent)]
    Output(#[from] ImportError),
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
    /// The state of the feeds has another form.
    #[error(
        "{object} is not a state of feeds: {problem}; remove it to continue from the one before, or to poll all feeds as new"
    )]
    State {
        /// The object.
        object: String,
        /// The problem.
        problem: String,
    },
    /// Another process committed.
    #[error("another fetch has written {object}; let one at a time write to an archive")]
    Conflict {
        /// The object of the state.
        object: String,
    },
    /// Rows cannot be encoded.
    #[error("cannot encode rows as Parquet: {0}")]
    Encode(#[from] ParquetError),
    /// The client cannot be created.
    #[error("cannot create an HTTP client: {0}")]
    Client(#[source] reqwest::Error),
    /// A thread ended early.
    #[error("the encoding of rows ended without a result")]
    Task,
}

impl From<ArrowError> for FetchError {
    fn from(error: ArrowError) -> Self {
        Self::Encode(error.into())
    }
}

impl Classified for FetchError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Output(error) => error.class(),
            Self::Store { .. } | Self::Conflict { .. } => ErrorClass::Storage,
            Self::State { .. } => ErrorClass::Input,
            Self::Encode(_) | Self::Client(_) | Self::Task => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Output(error) => error.is_retryable(),
            Self::Store { source, .. } => has_retryable_cause(source),
            _ => false,
        }
    }
}
