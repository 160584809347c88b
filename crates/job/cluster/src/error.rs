//! Errors of workers, and of a driver that looks for them.

use std::net::SocketAddr;
use std::path::PathBuf;

use datafusion::error::DataFusionError;
use engine::{Classified, ErrorClass};

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
    /// A name or a file with the addresses of workers cannot be read.
    #[error("the workers of {place} cannot be found: {source}")]
    Members {
        /// The name or the file.
        place: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// A file with a certificate or a key cannot be read.
    #[error("{}: {source}", path.display())]
    TlsFile {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
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
         the credentials of the worker; listen on 127.0.0.1, give --tls-certificate, --tls-key and \
         --tls-authority, or listen on a closed network with --insecure"
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
    /// The certificates or the key are not usable.
    #[error("the certificate, the key or the authority is not usable: {0}")]
    Tls(#[source] tonic::transport::Error),
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
            | Self::TlsFile { .. }
            | Self::Version { .. }
            | Self::Open { .. }
            | Self::Listen { .. }
            | Self::Tls(_)
            | Self::Resources(_) => ErrorClass::Usage,
            Self::Unreachable { .. } | Self::Members { .. } => ErrorClass::Storage,
            Self::Document(_) | Self::Server(_) => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Members { .. })
    }
}
