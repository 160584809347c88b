use std::error::Error;
use std::io;

use deltalake::DeltaTableError;
use lease::LeaseError;

use crate::error_class::{Classified, ErrorClass};
use crate::location::Location;

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
    /// The disk of a table is full.
    #[error(
        "no space is left at {location} for the table `{table}`: {source}; free space and run the same command \
         again"
    )]
    DiskFull {
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
         choose another output.location"
    )]
    Layout {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// Columns or partitions that the job writes.
        expected: String,
        /// Columns or partitions of the table.
        found: String,
    },
    /// The folder of a table that does not exist has files of others.
    #[error(
        "table `{table}` cannot begin at {location}, which has {file}, a file that is not of urltree; choose another \
         output.location"
    )]
    ForeignFile {
        /// Name of the table.
        table: &'static str,
        /// Location of the table.
        location: String,
        /// The first such file, below the location.
        file: String,
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
    /// Makes the error of a table at `location`.
    pub fn delta(table: &'static str, location: String, source: DeltaTableError) -> Self {
        let source = Box::new(source);
        match is_disk_full(source.as_ref()) {
            true => Self::DiskFull {
                table,
                location,
                source,
            },
            false => Self::Delta {
                table,
                location,
                source,
            },
        }
    }

    /// Makes the errors of files in a folder.
    pub(crate) fn files(
        operation: &'static str,
        folder: &Location,
    ) -> impl Fn(object_store::Error) -> Self {
        move |source| Self::Files {
            operation,
            object: folder.to_string(),
            source,
        }
    }

    /// Returns the location of the table, or the object, that the error is about.
    pub fn object(&self) -> &str {
        match self {
            Self::Delta { location, .. }
            | Self::DiskFull { location, .. }
            | Self::Layout { location, .. }
            | Self::ForeignFile { location, .. }
            | Self::Superseded { location, .. } => location,
            Self::Files { object, .. } => object,
        }
    }
}

impl Classified for TableError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Layout { .. } | Self::ForeignFile { .. } => ErrorClass::Input,
            Self::Delta { .. }
            | Self::DiskFull { .. }
            | Self::Superseded { .. }
            | Self::Files { .. } => ErrorClass::Storage,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Delta { source, .. } => has_retryable_cause(source.as_ref()),
            Self::DiskFull { .. } | Self::Layout { .. } | Self::ForeignFile { .. } => false,
            // The process that took the tables over ends.
            Self::Superseded { .. } => true,
            Self::Files { source, .. } => has_retryable_cause(source),
        }
    }
}

impl Classified for LeaseError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Heartbeat(_) => ErrorClass::Internal,
            _ => ErrorClass::Storage,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            // The other process ends.
            Self::Busy { .. } | Self::TakenOver { .. } => true,
            Self::Store(error) => has_retryable_cause(&error.source),
            _ => false,
        }
    }
}

fn is_disk_full(error: &(dyn Error + 'static)) -> bool {
    let mut causes = std::iter::successors(Some(error), |error| (*error).source());
    causes.any(|error| {
        error.downcast_ref::<io::Error>().is_some_and(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded
            )
        })
    })
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
    use lease::StoreError;

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
            let lease = LeaseError::from(StoreError {
                object: "_leases".to_owned(),
                source: error,
            });
            assert_eq!(lease.is_retryable(), expected, "{lease}");
            assert_eq!(lease.class(), ErrorClass::Storage);
        }
    }
}
