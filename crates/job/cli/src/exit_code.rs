//! The exit code of a failed command.

use std::error::Error as StdError;
use std::io;

use cluster::ClusterError;
use engine::{EngineError, Failure};
use evaluation::{ImportError, InputError};
use export::ExportError;
use fetch::FetchError;
use sample::SampleError;
use serve::ServeError;
use tables::{Classified, ErrorClass};

use crate::Interrupted;
use crate::eval::ThresholdsMissed;
use crate::usage::{NotFound, Usage};

/// Quality is below its threshold.
const QUALITY: u8 = 1;
/// As in shells: 128 and the number of SIGINT.
const INTERRUPTED: u8 = 130;

/// Returns the exit code for an error.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
    if error.is::<Interrupted>() {
        return INTERRUPTED;
    }
    if error.is::<ThresholdsMissed>() {
        return QUALITY;
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
        .or_else(|| error.is::<InputError>().then_some(ErrorClass::Input))
        .or_else(|| error.downcast_ref().map(of_gold_import))
        .or_else(|| of::<import::ImportError>(error))
        .or_else(|| of::<ExportError>(error))
        .or_else(|| of::<FetchError>(error))
        .or_else(|| of::<SampleError>(error))
        .or_else(|| of::<Failure>(error))
        .or_else(|| of::<EngineError>(error))
        .or_else(|| of::<ClusterError>(error))
        .or_else(|| error.downcast_ref().map(of_server))
        .or_else(|| of::<io::Error>(error))
}

/// The class of an import of gold texts: its crate does not depend on the tables.
fn of_gold_import(error: &ImportError) -> ErrorClass {
    match error {
        ImportError::Write { .. } => ErrorClass::Storage,
        ImportError::Read { .. } | ImportError::Gold(_) | ImportError::Pair(_) => ErrorClass::Input,
    }
}

/// The class of a server of pages: its crate does not depend on the tables.
fn of_server(error: &ServeError) -> ErrorClass {
    match error {
        ServeError::Open { .. } | ServeError::Listen { .. } => ErrorClass::Usage,
        _ => ErrorClass::Internal,
    }
}
