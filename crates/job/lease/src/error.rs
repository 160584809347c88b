use std::error::Error;

/// An error of a lease.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeaseError {
    /// Another process holds the lease.
    #[error(
        "{owner} holds the lease on the tables at {location}; wait until it ends, or end it, and \
         run the command again"
    )]
    Busy {
        /// The folder of the tables.
        location: String,
        /// The purpose of the other process, its number, and its host.
        owner: String,
    },
    /// Another process acquired the lease of this process.
    #[error(
        "this run missed its heartbeat, and the tables were taken over by {by}; committed chunks \
         are kept. Run the command again when the other process has ended"
    )]
    TakenOver {
        /// The purpose of the other process, its number, and its host.
        by: String,
    },
    /// The thread of the heartbeat cannot be started.
    #[error("cannot start the thread of the heartbeat: {0}")]
    Heartbeat(#[source] Box<dyn Error + Send + Sync>),
    /// A lease cannot be read or written.
    #[error(transparent)]
    Store(Box<StoreError>),
}

/// A lease that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[error("lease {object}: {source}")]
pub struct StoreError {
    /// The lease object, or the folder of the leases.
    pub object: String,
    /// The cause.
    #[source]
    pub source: object_store::Error,
}

impl From<StoreError> for LeaseError {
    fn from(error: StoreError) -> Self {
        Self::Store(Box::new(error))
    }
}

/// An error of a process that owns a lease, or asks for one. `E` is the error of its tables.
#[derive(Debug, thiserror::Error)]
pub enum OwnerError<E: Error + 'static> {
    /// The lease failed, or is another's.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// A table failed.
    #[error(transparent)]
    Tables(E),
}

/// The error of a commit.
#[derive(Debug)]
pub enum CommitError<E> {
    /// Another commit to the same version was first. The table is as that commit left it.
    Conflict(E),
    /// The store failed. The commit may have been made without an answer.
    Failed(E),
}

impl<E> CommitError<E> {
    /// Returns the error of the table.
    pub fn into_inner(self) -> E {
        match self {
            Self::Conflict(error) | Self::Failed(error) => error,
        }
    }
}
