//! The exit code of a failed command.

use std::io;

use anyhow::Error;
use engine::{EngineError, ErrorClass, Failure};
use evaluation::{ImportError, InputError};
use sample::SampleError;

use crate::Interrupted;
use crate::eval::ThresholdsMissed;
use crate::usage::Usage;

/// The exit codes of failed commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum ExitCode {
    Quality = 1,
    Usage = 2,
    Input = 3,
    Storage = 4,
    Internal = 5,
    /// As in shells: 128 and the number of SIGINT.
    Interrupted = 130,
}

/// An error that determines the exit code.
trait HasExitCode {
    fn exit_code(&self) -> ExitCode;
}

/// Returns the exit code for an error.
pub(crate) fn exit_code(error: &Error) -> u8 {
    let exit_code = code::<Interrupted>(error)
        .or_else(|| code::<ThresholdsMissed>(error))
        .or_else(|| code::<Usage>(error))
        .or_else(|| code::<InputError>(error))
        .or_else(|| code::<ImportError>(error))
        .or_else(|| code::<SampleError>(error))
        .or_else(|| code::<Failure>(error))
        .or_else(|| code::<EngineError>(error))
        .or_else(|| code::<io::Error>(error));
    exit_code.unwrap_or(ExitCode::Internal) as u8
}

fn code<E>(error: &Error) -> Option<ExitCode>
where
    E: HasExitCode + std::error::Error + Send + Sync + 'static,
{
    error.downcast_ref::<E>().map(E::exit_code)
}

impl HasExitCode for Interrupted {
    fn exit_code(&self) -> ExitCode {
        ExitCode::Interrupted
    }
}

impl HasExitCode for ThresholdsMissed {
    fn exit_code(&self) -> ExitCode {
        ExitCode::Quality
    }
}

impl HasExitCode for Usage {
    fn exit_code(&self) -> ExitCode {
        ExitCode::Usage
    }
}

impl HasExitCode for InputError {
    fn exit_code(&self) -> ExitCode {
        ExitCode::Input
    }
}

impl HasExitCode for ImportError {
    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Write { .. } => ExitCode::Storage,
            _ => ExitCode::Input,
        }
    }
}

impl HasExitCode for SampleError {
    fn exit_code(&self) -> ExitCode {
        match self {
            Self::Occupied { .. } => ExitCode::Usage,
            Self::Store { .. } => ExitCode::Storage,
            Self::Encode { .. } => ExitCode::Internal,
        }
    }
}

impl HasExitCode for Failure {
    fn exit_code(&self) -> ExitCode {
        self.source.exit_code()
    }
}

impl HasExitCode for EngineError {
    fn exit_code(&self) -> ExitCode {
        match self.class() {
            ErrorClass::Usage => ExitCode::Usage,
            ErrorClass::Input => ExitCode::Input,
            ErrorClass::Storage => ExitCode::Storage,
            ErrorClass::Internal => ExitCode::Internal,
        }
    }
}

/// An error of a file on the command line.
impl HasExitCode for io::Error {
    fn exit_code(&self) -> ExitCode {
        match self.kind() {
            io::ErrorKind::NotFound => ExitCode::Input,
            _ => ExitCode::Storage,
        }
    }
}
