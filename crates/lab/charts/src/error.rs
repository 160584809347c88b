//! Errors of charts.

use thiserror::Error;

/// Numbers that cannot be drawn. A chart is refused instead of leaving them out.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum ChartError {
    /// A score that is not from 0 to 1.
    #[error("{name:?}: {value} is not a score from 0 to 1")]
    Score {
        /// The line or the extractor.
        name: String,
        /// The value.
        value: f64,
    },
    /// A standard deviation that is negative or not a finite number.
    #[error("{name:?}: the standard deviation {value} is negative or not finite")]
    Deviation {
        /// The extractor.
        name: String,
        /// The value.
        value: f64,
    },
    /// A number of a page that is negative or not finite.
    #[error("{name:?}: {value} is negative or not finite")]
    Number {
        /// The name of the number.
        name: String,
        /// The value.
        value: f64,
    },
    /// A point whose document number is not larger than that of the point before, or is 0.
    #[error("{name:?}: document numbers must increase from 1, but {document} follows {previous}")]
    Order {
        /// The line.
        name: String,
        /// The document number of the point.
        document: usize,
        /// The document number of the point before; 0 for the first point.
        previous: usize,
    },
    /// More duplicates than documents.
    #[error("a step has more duplicates than there are documents ({documents})")]
    Duplicates {
        /// The number of documents.
        documents: usize,
    },
}

/// Returns the value if it is from 0 to 1.
pub(crate) fn score(name: &str, value: f64) -> Result<f64, ChartError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(value);
    }
    Err(ChartError::Score {
        name: name.to_owned(),
        value,
    })
}
