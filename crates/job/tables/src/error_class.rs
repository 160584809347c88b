//! The class of an error: the party that has to act, and whether the same command may succeed later.
//!
//! An error type that ends a command implements [`Classified`] in the crate that defines it, if that crate
//! depends on this one. The binary maps the class to its exit code.
//!
//! ```
//! use std::io::{Error, ErrorKind};
//! use tables::{Classified, ErrorClass};
//!
//! let full = Error::from(ErrorKind::StorageFull);
//! assert_eq!(full.class(), ErrorClass::Storage);
//! assert!(!full.is_retryable());
//! assert_eq!(Error::from(ErrorKind::NotFound).class(), ErrorClass::Input);
//! assert!(Error::from(ErrorKind::TimedOut).is_retryable());
//! ```

use std::error::Error;
use std::io;

use serde::{Deserialize, Serialize};

/// The party that has to act on an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ErrorClass {
    /// The user: the command or the job spec is wrong.
    Usage,
    /// The owner of the input: it cannot be read.
    Input,
    /// The operator of a disk or store, or of another run on the same tables.
    Storage,
    /// The developers of this program.
    Internal,
}

/// An error with a class.
pub trait Classified: Error {
    /// Returns the party that has to act.
    fn class(&self) -> ErrorClass;

    /// Whether the same command may succeed later, although no person changes anything: a network
    /// recovers, another run ends. `false` if this is unknown.
    fn is_retryable(&self) -> bool;
}

/// An error of a file on this machine.
impl Classified for io::Error {
    fn class(&self) -> ErrorClass {
        match self.kind() {
            io::ErrorKind::NotFound => ErrorClass::Input,
            _ => ErrorClass::Storage,
        }
    }

    fn is_retryable(&self) -> bool {
        use io::ErrorKind as Kind;
        matches!(
            self.kind(),
            Kind::TimedOut
                | Kind::Interrupted
                | Kind::WouldBlock
                | Kind::ResourceBusy
                | Kind::ConnectionRefused
                | Kind::ConnectionReset
                | Kind::ConnectionAborted
                | Kind::HostUnreachable
                | Kind::NetworkUnreachable
                | Kind::NetworkDown
                | Kind::NotConnected
                | Kind::StaleNetworkFileHandle
        )
    }
}
