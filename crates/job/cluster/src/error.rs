//! Errors of workers, and of a driver that looks for them.

use std::net::SocketAddr;

use datafusion::error::DataFusionError;
use error_class::{Classified, ErrorClass};

/// An error of a worker, or of a driver before a run begins.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// An address is not `HOST:PORT`.
    #[error("`{address}` is not the address of a worker; expected HOST:PORT")]
    Address {
        /// The text.
        address: String,
    },
    /// The engine runs a plan in the driver itself if there is a single worker.
    #[error("{given} worker given; expected two or more, or none: then this process does the work")]
    TooFew {
        /// Number of addresses.
        given: usize,
    },
    /// A worker does not answer.
    #[error("the worker at {address} does not answer: {source}")]
    Unreachable {
        /// Its address.
        address: String,
        /// The cause.
        #[source]
        source: DataFusionError,
    },
    /// A worker has another version.
    #[error(
        "the worker at {address} has version {found}, and this driver {expected}; start workers and \
         driver from one release"
    )]
    Version {
        /// Its address.
        address: String,
        /// Its version.
        found: String,
        /// The version of the driver.
        expected: &'static str,
    },
    /// The job cannot be sent to workers.
    #[error("the job cannot be sent to workers: {0}")]
    Document(String),
    /// Anybody who reaches the address could run plans with the credentials of the worker.
    #[error(
        "{address} can be reached from other machines, and every client reads and writes with \
         the credentials of the worker; listen on 127.0.0.1, or on a closed network with --insecure"
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The resources of the worker are not usable.
    #[error("{0}")]
    Resources(DataFusionError),
    /// The server of a worker stopped.
    #[error("the worker stopped: {0}")]
    Server(#[from] tonic::transport::Error),
}

impl Classified for ClusterError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Address { .. }
            | Self::TooFew { .. }
            | Self::Version { .. }
            | Self::Open { .. }
            | Self::Listen { .. }
            | Self::Resources(_) => ErrorClass::Usage,
            Self::Unreachable { .. } => ErrorClass::Storage,
            Self::Document(_) | Self::Server(_) => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { .. })
    }
}
