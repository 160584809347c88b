//! The error of a run, with the dates and the stage at which the run was.

use std::sync::Arc;

use tables::{Classified, DateRange, ErrorClass};

use crate::error::EngineError;
use crate::progress::{Progress, Stage};

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
        let stage = match (stage, &source) {
            (Stage::Plan(_), _) => Stage::Plan(source.step()),
            // Found with the tables, but it is the job or the command that has to change.
            (_, EngineError::CutPartition { .. } | EngineError::OtherSettings { .. }) => Stage::Job,
            (other, _) => other,
        };
        Self {
            dates,
            stage,
            source: Box::new(source),
        }
    }
}

/// Where a run is. Its error names the stage and the dates that are left.
pub(super) struct Position {
    pub(super) progress: Arc<dyn Progress>,
    pub(super) stage: Stage,
    /// `None` before the dates are known.
    pub(super) left: Option<DateRange>,
}

impl Position {
    /// Begins with the tables.
    pub(super) fn new(progress: Arc<dyn Progress>, left: Option<DateRange>) -> Self {
        Self {
            progress,
            stage: Stage::Tables,
            left,
        }
    }

    /// Begins a stage, and reports it for `dates`.
    pub(super) fn enter(&mut self, stage: Stage, dates: DateRange) {
        self.progress.entered(stage, dates);
        self.stage = stage;
    }

    /// Returns the failure of the run that ended here.
    pub(super) fn failure(&self, source: EngineError) -> Failure {
        Failure::new(self.stage, self.left, source)
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
