//! The error of a run, with its dates and stage.

use tables::{Classified, DateRange, ErrorClass};

use crate::error::EngineError;
use crate::progress::Stage;

/// The error of a run, with the dates that are left and the stage. It prints as its cause.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
#[non_exhaustive]
pub struct Failure {
    /// The dates that were not committed: running them again completes the work. Dates
    /// before them are committed. `None` if the run had not found its dates yet.
    pub dates: Option<DateRange>,
    /// The stage that failed.
    pub stage: Stage,
    /// The cause.
    #[source]
    pub source: Box<EngineError>,
}

impl Failure {
    /// Makes the failure of a run over `dates` at `stage`.
    pub fn new(stage: Stage, dates: Option<DateRange>, source: EngineError) -> Self {
        let stage = match stage {
            Stage::Plan(_) => Stage::Plan(source.step()),
            other => other,
        };
        Self {
            dates,
            stage,
            source: Box::new(source),
        }
    }

    /// Turns errors into failures of a run over `dates` at `stage`.
    pub(crate) fn at(stage: Stage, dates: DateRange) -> impl Fn(EngineError) -> Self + Clone {
        move |source| Self::new(stage, Some(dates), source)
    }

    /// Turns errors into failures at `stage` of a run that has not found its dates yet.
    pub(crate) fn before_dates(stage: Stage) -> impl Fn(EngineError) -> Self + Clone {
        move |source| Self::new(stage, None, source)
    }
}

impl Classified for Failure {
    fn class(&self) -> ErrorClass {
        self.source.class()
    }

    fn is_retryable(&self) -> bool {
        self.source.is_retryable()
    }
}
