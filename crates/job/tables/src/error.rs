use std::error::Error;
use std::io;

use deltalake::DeltaTableError;

use crate::error_class::{Classified, ErrorClass};

/// An error of an output table.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The table cannot be opened, read or written.
    #[error("table `{table}` at {location}: {source}")]
    Delta {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// The cause.
        #[source]
        source: Box<DeltaTableError>,
    },
    /// The table exists and has other columns or partitions.
    #[error(
        "table `{table}` at {location} was written with {found}, this job writes {expected}; \
         choose another output.location or the earlier setting"
    )]
    Layout {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// Columns and partition column that the job writes.
        expected: String,
        /// Columns and partition column of the table.
        found: String,
    },
    /// The table has a later fencing token than the commit.
    #[error(
        "table `{table}` at {location} refuses a commit with fencing token {token}: another \
         process took the tables over with token {later}"
    )]
    Superseded {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// Fencing token of the commit.
        token: i64,
        /// Fencing token of the table.
        later: i64,
    },
    /// A lease cannot be read or written.
    #[error("lease {object}: {source}")]
    Lease {
        /// The lease object, or the folder of the leases.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// Unreferenced data files cannot be listed or deleted.
    #[error("cannot {operation} {object}: {source}")]
    Files {
        /// The operation, as a verb.
        operation: &'static str,
        /// The folder of the table.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
}

impl TableError {
    /// Returns the location of the table, or the object, that the error is about.
    pub fn object(&self) -> &str {
        match self {
            Self::Delta { location, .. }
            | Self::Layout { location, .. }
            | Self::Superseded { location, .. } => location,
            Self::Lease { object, .. } | Self::Files { object, .. } => object,
        }
    }
}

impl Classified for TableError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Layout { .. } => ErrorClass::Input,
            Self::Delta { .. }
            | Self::Superseded { .. }
            | Self::Lease { .. }
            | Self::Files { .. } => ErrorClass::Storage,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Delta { source, .. } => has_retryable_cause(source.as_ref()),
            Self::Layout { .. } => false,
            // The process that took the tables over ends.
            Self::Superseded { .. } => true,
            Self::Lease { source, .. } | Self::Files { source, .. } => has_retryable_cause(source),
        }
    }
}

/// Whether `error` comes from a request to a store, or from a disk, and the same operation may
/// succeed later.
pub fn has_retryable_cause(error: &(dyn Error + 'static)) -> bool {
    let mut is_request = false;
    for error in std::iter::successors(Some(error), |error| (*error).source()) {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return error.is_retryable();
        }
        match error.downcast_ref::<object_store::Error>() {
            // A request that failed after all its retries, or an operation on a disk, whose
            // cause is an `io::Error`.
            Some(object_store::Error::Generic { .. }) => is_request = true,
            Some(_) => return false,
            None => {}
        }
    }
    is_request
}

#[cfg(test)]
mod tests {
    use super::*;

    fn generic(source: impl Into<Box<dyn Error + Send + Sync>>) -> object_store::Error {
        object_store::Error::Generic {
            store: "S3",
            source: source.into(),
        }
    }

    #[test]
    fn requests_that_a_network_or_server_failed_are_retryable() {
        let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let missing = object_store::Error::NotFound {
            path: "a".to_owned(),
            source: "no such key".into(),
        };
        let denied = object_store::Error::PermissionDenied {
            path: "a".to_owned(),
            source: "403".into(),
        };
        for (error, expected) in [
            (generic("503 after 10 retries"), true),
            (generic(refused), true),
            (generic(full), false),
            (missing, false),
            (denied, false),
        ] {
            let lease = TableError::Lease {
                object: "_leases".to_owned(),
                source: error,
            };
            assert_eq!(lease.is_retryable(), expected, "{lease}");
            assert_eq!(lease.class(), ErrorClass::Storage);
        }
    }
}
