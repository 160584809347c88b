//! What the normalisation of URLs finds, from a job's table.

use std::collections::BTreeMap;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type};
use arrow::error::ArrowError;
use charts::{ChartError, Duplicates, Step};
use url_key::DuplicateReason;

use crate::Plot;

/// Pages, and how many of them each step of the normalisation told to be duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DuplicatesFound {
    pages: usize,
    by_step: BTreeMap<String, usize>,
}

impl DuplicatesFound {
    /// What gives the rows that [`of`](Self::of) reads.
    pub const QUERY: &str = "SELECT merged_by, count(*) AS pages FROM url_keys GROUP BY merged_by";

    /// The answer to [`QUERY`](Self::QUERY).
    ///
    /// # Errors
    /// Where the columns are of other types.
    pub fn of(rows: &[RecordBatch]) -> Result<Self, ArrowError> {
        let mut found = Self {
            pages: 0,
            by_step: BTreeMap::new(),
        };
        for batch in rows {
            let steps = cast(&batch["merged_by"], &DataType::Utf8)?;
            let counts = cast(&batch["pages"], &DataType::Int64)?;
            let counts = counts.as_primitive::<Int64Type>().values();
            for (step, count) in steps.as_string::<i32>().iter().zip(counts) {
                let count = usize::try_from(*count).unwrap_or_default();
                found.pages += count;
                if let Some(step) = step {
                    *found.by_step.entry(step.to_owned()).or_default() += count;
                }
            }
        }
        Ok(found)
    }

    /// The chart `duplicates.svg` [P figure 2].
    ///
    /// # Errors
    /// [`ChartError`] where there are more duplicates than pages.
    pub fn plot(&self) -> Result<Plot, ChartError> {
        let steps = DuplicateReason::ALL.map(|step| Step {
            name: step.as_str(),
            found: self.by_step.get(step.as_str()).copied().unwrap_or(0),
        });
        let chart = Duplicates {
            title: "Duplicates by step of the normalisation",
            documents: self.pages,
            steps: steps.to_vec(),
        };
        Ok(Plot::new("duplicates.svg", chart.to_svg()?))
    }
}
