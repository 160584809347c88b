//! The progress of a run, for a display.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::display::DisplayableExecutionPlan;
use tables::DateRange;

use crate::archive::{Census, share};

/// A number of archive rows and the bytes of HTML in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RowsAndBytes {
    /// Archive rows.
    pub rows: u64,
    /// Bytes of HTML after decompression, from the footers of the archive: each row
    /// counts as the mean of its row group, read or not.
    pub html_bytes: u64,
}

/// The stage of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// Reads the job and checks the range of dates.
    Job,
    /// Counts the rows of the archive.
    Census,
    /// Opens the output tables.
    Tables,
    /// Runs the plan of a chunk; names the step that failed, if one did.
    Plan(Option<&'static str>),
    /// Compares the rows that were written with the rows that were read.
    Accounting,
    /// Commits the tables.
    Commit,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Job => "job",
            Self::Census => "census",
            Self::Tables => "tables",
            Self::Plan(step) => step.unwrap_or("plan"),
            Self::Accounting => "accounting",
            Self::Commit => "commit",
        })
    }
}

/// Receives the progress of a run. Calls come from many threads and must not block.
pub trait Progress: Send + Sync + fmt::Debug {
    /// Called once, with the rows that the run will read.
    fn planned(&self, total: RowsAndBytes) {
        let _ = total;
    }

    /// Called when pages leave the step that parses them, which takes most of a run's time.
    fn report(&self, done: RowsAndBytes) {
        let _ = done;
    }

    /// Called when the chunk of `dates` enters `stage`.
    fn entered(&self, stage: Stage, dates: DateRange) {
        let _ = (stage, dates);
    }

    /// Called when a plan of the chunk of `dates` was executed. `plan` prints its operators with
    /// their metrics.
    fn executed(&self, dates: DateRange, plan: &dyn fmt::Display) {
        let _ = (dates, plan);
    }
}

/// Ignores all progress.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Progress for Unwatched {}

/// Reports rows of row groups as [`RowsAndBytes`].
#[derive(Clone)]
pub(crate) struct ProgressReporter {
    progress: Arc<dyn Progress>,
    /// By object, then row group: its rows and their bytes of HTML.
    groups: Arc<HashMap<String, Vec<RowsAndBytes>>>,
}

impl ProgressReporter {
    pub(crate) fn new(progress: Arc<dyn Progress>, census: &Census) -> Self {
        let groups = census.objects().iter().filter_map(|object| {
            let groups = object.row_groups.as_ref().ok()?.iter();
            let groups = groups.map(|group| RowsAndBytes {
                rows: group.rows,
                html_bytes: group.html_bytes,
            });
            Some((object.object.source.clone(), groups.collect()))
        });
        Self {
            progress,
            groups: Arc::new(groups.collect()),
        }
    }

    /// Makes a reporter that reports nothing.
    pub(crate) fn unwatched() -> Self {
        Self {
            progress: Arc::new(Unwatched),
            groups: Arc::default(),
        }
    }

    /// Reports a plan as executed.
    pub(crate) fn executed(&self, dates: DateRange, plan: &dyn ExecutionPlan) {
        let plan = DisplayableExecutionPlan::with_metrics(plan);
        self.progress.executed(dates, &plan.indent(false));
    }

    /// Reports `rows` of a row group as done.
    pub(crate) fn report(&self, source: &str, row_group: i32, rows: usize) {
        let groups = self.groups.get(source);
        let group = groups.and_then(|groups| groups.get(usize::try_from(row_group).ok()?));
        let rows = rows as u64;
        self.progress.report(RowsAndBytes {
            rows,
            html_bytes: group.map_or(0, |group| share(group.html_bytes, rows, group.rows)),
        });
    }
}

impl fmt::Debug for ProgressReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressReporter")
    }
}
