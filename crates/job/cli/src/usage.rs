//! Arguments that make no sense.

use std::fmt;

/// What is wrong with an argument, where clap could not know.
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
