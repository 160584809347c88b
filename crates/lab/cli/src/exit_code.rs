//! The exit code of a failed command.

use std::error::Error as StdError;
use std::io;

use engine::EngineError;
use evaluation::{ImportError, InputError};
use tables::{Classified, ErrorClass};

use crate::eval::ThresholdsMissed;
use crate::usage::Usage;

/// Quality is below its threshold.
const QUALITY: u8 = 1;

/// Returns the exit code for an error: those of `urltree`, and 1 for quality below a threshold.
pub(crate) fn exit_code(error: &anyhow::Error) -> u8 {
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
    (error.is::<Usage>().then_some(ErrorClass::Usage))
        .or_else(|| error.is::<InputError>().then_some(ErrorClass::Input))
        .or_else(|| error.downcast_ref().map(of_gold_import))
        .or_else(|| of::<EngineError>(error))
        .or_else(|| of::<io::Error>(error))
}

/// The class of an import of gold texts: its crate does not depend on the tables.
fn of_gold_import(error: &ImportError) -> ErrorClass {
    match error {
        ImportError::Write { .. } => ErrorClass::Storage,
        ImportError::Read { .. } | ImportError::Gold(_) | ImportError::Pair(_) => ErrorClass::Input,
    }
}
