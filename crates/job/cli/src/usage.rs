//! Invalid arguments.

use std::fmt;

use tables::{Classified, ErrorClass};

/// An invalid argument that clap cannot detect.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl Usage {
    pub(crate) fn of(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }
}

impl std::error::Error for Usage {}

impl fmt::Display for Usage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Classified for Usage {
    fn class(&self) -> ErrorClass {
        ErrorClass::Usage
    }

    fn is_retryable(&self) -> bool {
        false
    }
}

/// Something that a user names is not there.
#[derive(Debug)]
pub(crate) struct NotFound(String);

impl NotFound {
    pub(crate) fn of(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }
}

impl std::error::Error for NotFound {}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Classified for NotFound {
    fn class(&self) -> ErrorClass {
        ErrorClass::Input
    }

    fn is_retryable(&self) -> bool {
        false
    }
}
