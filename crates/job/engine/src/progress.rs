//! How far a run is, for whoever shows it.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tables::DateRange;

use crate::archive::{Census, share};

/// Rows of the archive and the HTML in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Archive rows.
    pub rows: u64,
    /// Bytes of HTML after decompression, by the footers of the archive: a row
    /// counts as the mean of its row group, read or not.
    pub html_bytes: u64,
}

/// Where a run is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The job is read and the range checked.
    Job,
    /// The rows of the archive are counted.
    Census,
    /// The output tables are opened.
    Tables,
    /// The plan of a chunk runs; the step that is meant, where one is.
    Plan(Option<&'static str>),
    /// The rows that were written are compared with those that were read.
    Account,
    /// The tables are changed.
    Commit,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Job => "job",
            Self::Census => "census",
            Self::Tables => "tables",
            Self::Plan(step) => step.unwrap_or("plan"),
            Self::Account => "account",
            Self::Commit => "commit",
        })
    }
}

/// Whoever watches a run. Calls come from many threads and must not block.
pub trait Progress: Send + Sync + fmt::Debug {
    /// The run will see this much.
    fn planned(&self, total: Work) {
        let _ = total;
    }

    /// Pages left the step that parses them, where a run's time goes.
    fn advanced(&self, done: Work) {
        let _ = done;
    }

    /// The chunk of `dates` is at `stage` now.
    fn entered(&self, stage: Stage, dates: DateRange) {
        let _ = (stage, dates);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;

impl Progress for Unwatched {}

/// Turns rows of row groups into [`Work`].
#[derive(Clone)]
pub(crate) struct Gauge {
    progress: Arc<dyn Progress>,
    /// By object, then row group: its rows and their bytes of HTML.
    groups: Arc<HashMap<String, Vec<Work>>>,
}

impl Gauge {
    pub(crate) fn new(progress: Arc<dyn Progress>, census: &Census) -> Self {
        let groups = (census.objects().iter()).filter_map(|object| {
            let groups = object.row_groups.as_ref().ok()?.iter();
            let work = groups.map(|group| Work {
                rows: group.rows,
                html_bytes: group.html_bytes,
            });
            Some((object.object.source.clone(), work.collect()))
        });
        Self {
            progress,
            groups: Arc::new(groups.collect()),
        }
    }

    /// `rows` of a row group are through.
    pub(crate) fn advance(&self, source: &str, row_group: i32, rows: usize) {
        let groups = self.groups.get(source);
        let group = groups.and_then(|groups| groups.get(usize::try_from(row_group).ok()?));
        let rows = rows as u64;
        self.progress.advanced(Work {
            rows,
            html_bytes: group.map_or(0, |group| share(group.html_bytes, rows, group.rows)),
        });
    }
}

impl fmt::Debug for Gauge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gauge")
    }
}
