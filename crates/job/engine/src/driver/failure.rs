use tables::DateRange;

use crate::error::EngineError;
use crate::progress::Stage;

/// A run that stopped before its end, and where. It prints as its cause.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub struct Failure {
    /// The dates that are not in the tables: running them again finishes the
    /// work. What the run had before them is committed. `None` where it was not
    /// known yet which dates to run.
    pub dates: Option<DateRange>,
    /// What it was doing.
    pub stage: Stage,
    /// The cause.
    #[source]
    pub source: Box<EngineError>,
}

impl Failure {
    pub(crate) fn at(stage: Stage, dates: DateRange) -> impl Fn(EngineError) -> Self + Clone {
        Self::of(stage, Some(dates))
    }

    pub(crate) fn before_dates(stage: Stage) -> impl Fn(EngineError) -> Self + Clone {
        Self::of(stage, None)
    }

    fn of(stage: Stage, dates: Option<DateRange>) -> impl Fn(EngineError) -> Self + Clone {
        move |source| {
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
    }
}
