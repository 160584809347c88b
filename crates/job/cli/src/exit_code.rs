//! The exit code of a failed command.

use std::error::Error as StdError;
use std::io;

use cluster::ClusterError;
use engine::{EngineError, Failure};
use error_class::{Classified, ErrorClass};
use export::ExportError;
use fetch::FetchError;
use import::ImportError;
use serve::ServeError;

use crate::runtime::{INTERRUPTED, Interrupted};
use crate::usage::{NotFound, Usage};

/// Returns the exit code for an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Interrupted>() {
        return INTERRUPTED;
    }
    match error.chain().find_map(classified).map(Classified::class) {
        Some(ErrorClass::Usage) => 2,
        Some(ErrorClass::Input) => 3,
        Some(ErrorClass::Storage) => 4,
        Some(ErrorClass::Internal) | None => 5,
    }
}

/// Returns `error` if its type has a class. The outermost such error in a chain decides.
fn classified<'a>(error: &'a (dyn StdError + 'static)) -> Option<&'a dyn Classified> {
    fn is<'a, E: Classified + 'static>(
        error: &'a (dyn StdError + 'static),
    ) -> Option<&'a dyn Classified> {
        error.downcast_ref::<E>().map(|error| error as _)
    }
    is::<Usage>(error)
        .or_else(|| is::<NotFound>(error))
        .or_else(|| is::<ImportError>(error))
        .or_else(|| is::<ExportError>(error))
        .or_else(|| is::<FetchError>(error))
        .or_else(|| is::<Failure>(error))
        .or_else(|| is::<EngineError>(error))
        .or_else(|| is::<ClusterError>(error))
        .or_else(|| is::<ServeError>(error))
        .or_else(|| is::<io::Error>(error))
}
