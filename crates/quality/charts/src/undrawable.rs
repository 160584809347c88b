//! Numbers that are not what a chart shows.

use thiserror::Error;

/// Numbers that cannot be drawn as what they are said to be. Nothing is left out of
/// a chart in silence.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Undrawable {
    /// A score that is not from 0 to 1.
    #[error("{name:?}: {value} is not a score from 0 to 1")]
    Score {
        /// The line or extractor.
        name: String,
        /// The value.
        value: f64,
    },
    /// A standard deviation that is negative or not a finite number.
    #[error("{name:?}: {value} is not a standard deviation")]
    Deviation {
        /// The extractor.
        name: String,
        /// The value.
        value: f64,
    },
    /// A point of a line that is not after the one before it, or at document 0.
    #[error("{name:?}: document {document} comes after document {previous}")]
    Order {
        /// The line.
        name: String,
        /// The document of the point.
        document: usize,
        /// The document of the point before; 0 for the first one.
        previous: usize,
    },
    /// More duplicates than documents.
    #[error("more duplicates than the {documents} documents")]
    Duplicates {
        /// All documents.
        documents: usize,
    },
}

/// The value, if it is from 0 to 1.
pub(crate) fn score(name: &str, value: f64) -> Result<f64, Undrawable> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(Undrawable::Score {
        name: name.to_owned(),
        value,
    })
}
