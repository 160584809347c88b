//! The exit code of a failed command.

use std::error::Error as StdError;
use std::io;

use engine::EngineError;
use error_class::{Classified, ErrorClass};
use evaluation::{ImportError, InputError};

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
        .or_else(|| of::<InputError>(error))
        .or_else(|| of::<ImportError>(error))
        .or_else(|| of::<EngineError>(error))
        .or_else(|| of::<io::Error>(error))
}
