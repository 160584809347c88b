//! The exit code of a failed command.

use std::error::Error as StdError;
use std::io;

use cluster::ClusterError;
use engine::{EngineError, Failure};
use export::ExportError;
use fetch::FetchError;
use import::ImportError;
use serve::ServeError;
use tables::{Classified, ErrorClass};

use crate::runtime::{INTERRUPTED, Interrupted};
use crate::usage::{NotFound, Usage};

/// Returns the exit code for an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Interrupted>() {
        return INTERRUPTED;
    }
    match error.chain().find_map(class) {
        Some(ErrorClass::Usage) => 2,
        Some(ErrorClass::Input) => 3,
        Some(ErrorClass::Storage) => 4,
        Some(ErrorClass::Internal) | None => 5,
    }
}

/// Returns the class of `error` if its type has one. The outermost such error in a chain decides.
fn class(error: &(dyn StdError + 'static)) -> Option<ErrorClass> {
    fn of<E: Classified + 'static>(error: &(dyn StdError + 'static)) -> Option<ErrorClass> {
        error.downcast_ref::<E>().map(Classified::class)
    }
    of::<Usage>(error)
        .or_else(|| of::<NotFound>(error))
        .or_else(|| of::<ImportError>(error))
        .or_else(|| of::<ExportError>(error))
        .or_else(|| of::<FetchError>(error))
        .or_else(|| of::<Failure>(error))
        .or_else(|| of::<EngineError>(error))
        .or_else(|| of::<ClusterError>(error))
        .or_else(|| error.downcast_ref().map(of_server))
        .or_else(|| of::<io::Error>(error))
}

/// The class of a server of pages: its crate does not depend on the tables.
fn of_server(error: &ServeError) -> ErrorClass {
    match error {
        ServeError::Open { .. } | ServeError::Listen { .. } => ErrorClass::Usage,
        _ => ErrorClass::Internal,
    }
}
