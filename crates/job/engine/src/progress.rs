//! The progress of a run, for a display.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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

    /// Called when rows are labelled and handed to the writers of data files.
    fn written(&self, rows: u64) {
        let _ = rows;
    }

    /// Called before each chunk with the number of processes that run parts of it, if others do.
    fn processes(&self, count: usize) {
        let _ = count;
    }

    /// Called when a chunk runs again because a process is gone. `count` are left.
    fn retried(&self, count: usize) {
        let _ = count;
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

/// Counts rows.
#[derive(Debug)]
struct CountedRows(Arc<AtomicU64>);

impl Progress for CountedRows {
    fn report(&self, done: RowsAndBytes) {
        self.0.fetch_add(done.rows, Ordering::Relaxed);
    }
}

/// Reports rows of row groups as [`RowsAndBytes`].
#[derive(Clone)]
pub(crate) struct ProgressReporter {
    pub(crate) progress: Arc<dyn Progress>,
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

    /// Makes a reporter that adds the rows to a counter.
    pub(crate) fn counting(rows: &Arc<AtomicU64>) -> Self {
        Self {
            progress: Arc::new(CountedRows(Arc::clone(rows))),
            groups: Arc::default(),
        }
    }

    /// Whether it reports the rows of a run's archive.
    pub(crate) fn is_watched(&self) -> bool {
        !self.groups.is_empty()
    }

    /// Reports `rows` of the rows of a chunk as done.
    pub(crate) fn report_share(&self, chunk: RowsAndBytes, rows: u64) {
        self.progress.report(RowsAndBytes {
            rows,
            html_bytes: share(chunk.html_bytes, rows, chunk.rows),
        });
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
