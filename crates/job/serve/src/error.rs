//! Errors of a server.

use std::net::SocketAddr;

/// A server cannot begin, or stops.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Other machines could read the tables and run queries.
    #[error(
        "--listen {address}: other machines can reach this address, and the pages have no authentication: \
         everybody could read the tables and run queries. Listen on 127.0.0.1, and forward the port to look \
         from another machine: ssh -L {port}:127.0.0.1:{port} HOST",
        port = address.port()
    )]
    Open {
        /// The address.
        address: SocketAddr,
    },
    /// The address cannot be listened on.
    #[error("--listen {address}: {source}; port 0 is any free port")]
    Listen {
        /// The address.
        address: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// Connections cannot be accepted any more.
    #[error("the server stopped: {0}")]
    Stopped(#[source] std::io::Error),
}
