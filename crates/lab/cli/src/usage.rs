//! Invalid arguments.

/// An invalid argument that clap cannot detect.
#[derive(Debug)]
pub(crate) struct Usage(String);

impl Usage {
    pub(crate) fn of(problem: impl ToString) -> Self {
        Self(problem.to_string())
    }
}

impl std::error::Error for Usage {}

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}
