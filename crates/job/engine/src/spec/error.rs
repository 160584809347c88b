//! Errors of a job spec, which name the key.

use std::path::PathBuf;

use crate::{Classified, ErrorClass};

/// An error of a job spec.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SpecError {
    /// The file cannot be opened.
    #[error("cannot open the job file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The file is not TOML.
    #[error("the job file {} is not TOML: {source}", path.display())]
    NotToml {
        /// The file.
        path: PathBuf,
        /// The line and the cause.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// An override has no `=`, or its key is below a value that is not a section.
    #[error("--set {text}: expected KEY=VALUE with a key such as window.max_age")]
    BadOverride {
        /// The override.
        text: String,
    },
    /// A key is unknown or missing, or its value is invalid.
    #[error("{key}: {expected}")]
    Key {
        /// The key, in dotted form.
        key: String,
        /// The value that was found and the value that is expected.
        expected: String,
    },
}

impl SpecError {
    /// Makes the error of a key, with the value that was found and the value that is expected.
    pub fn key(key: &str, expected: impl Into<String>) -> Self {
        Self::Key {
            key: key.to_owned(),
            expected: expected.into(),
        }
    }
}

impl Classified for SpecError {
    fn class(&self) -> ErrorClass {
        ErrorClass::Usage
    }

    fn is_retryable(&self) -> bool {
        false
    }
}
