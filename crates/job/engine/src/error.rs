//! The errors of a job, and who has to act on each.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use lease::{LeaseError, OwnerError, StoreError};
use parquet::errors::ParquetError;
use tables::{Classified, DateRange, ErrorClass, Partitioning, TableError, has_retryable_cause};

use crate::error_record::ErrorRecord;
use crate::spec::SpecError;
use crate::spill_disk::SpillError;
use crate::steps::step_name;

/// An error that ends a job.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The job spec is invalid.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The range of dates cuts a partition of the output tables.
    #[error(
        "the range {requested} cuts a {partitioning}, and a run replaces whole partitions \
         (output.partition); use {covering}, or output.partition=day for new tables"
    )]
    CutPartition {
        /// The requested range.
        requested: DateRange,
        /// The partitioning.
        partitioning: Partitioning,
        /// The smallest range of whole partitions around it.
        covering: DateRange,
    },
    /// The tables have other partitions than the job sets.
    #[error(
        "the tables at {location} have partitions by {found}, and the job sets output.partition={set}; remove the \
         setting, or choose another output.location"
    )]
    OtherPartition {
        /// The location of the tables.
        location: String,
        /// The partitions of the tables.
        found: Partitioning,
        /// The partitions of the job.
        set: Partitioning,
    },
    /// The tables were written with other settings.
    #[error(
        "{others} was run with other settings than the job has now, and its rows are the state that \
         this run starts from; undo the change, choose another output.location, or accept the \
         change with --change-settings"
    )]
    OtherSettings {
        /// The last dates that were run with other settings.
        others: DateRange,
    },
    /// The archive no longer has pages of a date that must be relabelled.
    #[error(
        "{date} must be relabelled, but the archive has {rows} rows of it now and had {before} when \
         the date was run; keep pages for tree.relabel_days, or run {date} itself to remove them"
    )]
    NeedsRelabelling {
        /// The date.
        date: NaiveDate,
        /// Rows of the date in the archive.
        rows: u64,
        /// Rows of the date in the `runs` table.
        before: u64,
    },
    /// A signal or the caller ended the run.
    #[error("interrupted; run the same command again to continue")]
    Interrupted,
    /// Another run committed dates that this run must relabel, after this run read `runs`.
    #[error(
        "another run committed while this one was starting, and some of its dates must be \
         relabelled; run the command again"
    )]
    ConcurrentRun,
    /// The archive has neither a Parquet nor a WARC object.
    #[error(
        "archive.location: no Parquet or WARC object (*.parquet, *.warc.gz) at {location}, only {others} other \
         objects; name the folder or file with the pages"
    )]
    EmptyArchive {
        /// The archive.
        location: String,
        /// Number of other objects.
        others: usize,
    },
    /// Objects of the archive cannot be opened.
    #[error(
        "{source_object} cannot be opened{}: {error}; copy it again, or accept its loss with --allow-missing: it \
         becomes a row of `quarantine`",
        others(*.count)
    )]
    UnreadableObjects {
        /// The first of the objects.
        source_object: String,
        /// Why it cannot be opened.
        error: String,
        /// Number of such objects.
        count: usize,
    },
    /// The archive has no rows on the dates of a run.
    #[error("the archive has no rows on {dates}{}", has(*.archive))]
    NoRows {
        /// The dates.
        dates: DateRange,
        /// The dates of the archive, if it has any.
        archive: Option<DateRange>,
    },
    /// The tables have pages of a date of which the archive has none any more.
    #[error(
        "the archive has no rows on {dates}, of which the tables have some, and the run would remove them; restore \
         the archive, or accept their loss with --allow-missing"
    )]
    EmptyDates {
        /// The first of these dates.
        dates: DateRange,
    },
    /// An object is not in a dated folder.
    #[error(
        "archive.layout = \"hive\", but {source_object} is not in a folder date=YYYY-MM-DD; move \
         it, or use archive.layout=flat"
    )]
    Undated {
        /// The object.
        source_object: String,
    },
    /// An object lacks a column.
    #[error(
        "{source_object} has no column `{column}`, only {found}; name the column in \
         {key}"
    )]
    MissingColumn {
        /// The object.
        source_object: String,
        /// The expected name.
        column: String,
        /// The key of the job that names the column.
        key: &'static str,
        /// The columns of the object.
        found: String,
    },
    /// A column has a type that cannot be read.
    #[error(
        "{source_object}: column `{column}` is {mismatch}; name another column in {key} \
         (of such a type: {others})"
    )]
    ColumnType {
        /// The object.
        source_object: String,
        /// The column.
        column: String,
        /// The type of the column and the expected one: `Int64, expected text`.
        mismatch: String,
        /// The key of the job that names the column.
        key: &'static str,
        /// The columns of the object that have an expected type.
        others: String,
    },
    /// The store of the archive failed.
    #[error("cannot {doing} {object}: {source}")]
    Store {
        /// The operation.
        doing: &'static str,
        /// The object or folder.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// An object of the archive changed after the census.
    #[error(
        "{source_object} was changed while the run was reading: {change}; nothing of this chunk \
         was committed. Run the dates again when no process writes to the archive"
    )]
    Changed {
        /// The object.
        source_object: String,
        /// The change.
        change: &'static str,
    },
    /// A row or row group that the plan refers to is not in its object.
    #[error("{source_object}: {problem}; nothing of this chunk was committed. This is a bug")]
    RowPosition {
        /// The object.
        source_object: String,
        /// The row or row group, and the rows that the object has.
        problem: String,
    },
    /// An output table failed.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The tables lack a table that a command reads.
    #[error("there is no table {table} at {location}; {remedy}")]
    NoTable {
        /// The table.
        table: &'static str,
        /// The folder of the tables.
        location: String,
        /// The run that writes the table.
        remedy: &'static str,
    },
    /// A page is explained with other settings than those of its run.
    #[error(
        "{date} was run with other settings than the job has now, so its labels cannot be explained; undo \
         the change of the job, or run the date again"
    )]
    ExplainedSettings {
        /// The date.
        date: NaiveDate,
    },
    /// A page would not get the labels that its run has given.
    #[error(
        "{url}: {difference}; the archive or the tables have changed since its date was run, or another \
         version of urltree ran it. Run the date again"
    )]
    Relabelled {
        /// The response URL.
        url: String,
        /// The first difference.
        difference: String,
    },
    /// The lease on the tables is another process's, or cannot be read or written.
    #[error(transparent)]
    Lease(#[from] LeaseError),
    /// The thread of the watchdog cannot be started.
    #[error("cannot start the thread of the watchdog: {0}")]
    Watchdog(#[source] std::io::Error),
    /// The plan of a chunk failed.
    #[error("{dates}: {}", cause(source))]
    Plan {
        /// The chunk.
        dates: DateRange,
        /// The cause.
        #[source]
        source: DataFusionError,
    },
    /// A step of the plan of a chunk failed in a worker.
    #[error("{dates}: {} (on a worker)", record.message)]
    Worker {
        /// The chunk.
        dates: DateRange,
        /// The record of the error.
        record: Box<ErrorRecord>,
        /// The error as it arrived.
        #[source]
        source: DataFusionError,
    },
    /// The sorts and joins of a plan need more memory than their share.
    #[error(
        "{dates}: run.memory_limit is too little for this chunk; raise it, or lower run.threads: {}",
        cause(source)
    )]
    Memory {
        /// The chunk.
        dates: DateRange,
        /// The reservations of the memory pool.
        #[source]
        source: DataFusionError,
    },
    /// A plan cannot spill.
    #[error("{dates}: {spill}")]
    Spill {
        /// The chunk.
        dates: DateRange,
        /// The cause.
        spill: SpillError,
        /// The error of the operator.
        #[source]
        source: DataFusionError,
    },
    /// Nothing moved in the plan of a chunk.
    #[error(
        "{dates}: no operator moved a row or a byte for {} (run.stall_timeout); waiting: \
         {waiting}. Nothing of this chunk was committed. Run the command again; if it stops \
         again, please report this message",
        humantime::format_duration(*timeout)
    )]
    Stalled {
        /// The chunk.
        dates: DateRange,
        /// `run.stall_timeout`.
        timeout: Duration,
        /// The operators that had begun and not ended, from the last to the first.
        waiting: String,
    },
    /// The number of rows written differs from the number read.
    #[error(
        "{date}: the archive has {archive} rows, but {written} rows were written; nothing of this \
         chunk was committed. This is a bug: please report it"
    )]
    Accounting {
        /// The date.
        date: NaiveDate,
        /// Rows that the census counted.
        archive: u64,
        /// Rows in the new data files.
        written: u64,
    },
    /// A query failed.
    #[error("{0}")]
    Query(#[source] DataFusionError),
    /// A query needs more memory than its share.
    #[error(
        "run.memory_limit is too little for this query; raise it, or select less: {}",
        cause(source)
    )]
    QueryMemory {
        /// The reservations of the memory pool.
        #[source]
        source: DataFusionError,
    },
    /// A query cannot spill.
    #[error("{spill}")]
    QuerySpill {
        /// The cause.
        spill: SpillError,
        /// The error of the operator.
        #[source]
        source: DataFusionError,
    },
    /// A statement that is not a query.
    #[error(
        "the statement is not a query, and nothing else is run ({}); write the rows of a query to \
         a file with `urltree sql --output FILE`",
        .0.message()
    )]
    NotAQuery(#[source] DataFusionError),
}

impl EngineError {
    /// Makes the error of the plan of `dates`.
    pub(crate) fn plan(dates: DateRange, source: DataFusionError) -> Self {
        if let Some(spill) = SpillError::inside(&source).cloned() {
            return Self::Spill {
                dates,
                spill,
                source,
            };
        }
        if let Some(record) = ErrorRecord::find(&source) {
            return Self::Worker {
                dates,
                record: Box::new(record),
                source,
            };
        }
        match source.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::Memory { dates, source },
            _ => Self::Plan { dates, source },
        }
    }

    /// Makes the error of a query: of its memory, of the disk to which it spills, or of the query itself.
    pub fn query(source: DataFusionError) -> Self {
        if let Some(spill) = SpillError::inside(&source).cloned() {
            return Self::QuerySpill { spill, source };
        }
        match source.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::QueryMemory { source },
            _ => Self::Query(source),
        }
    }

    /// Returns the step that failed, if a plan failed.
    pub(crate) fn step(&self) -> Option<&'static str> {
        let (Self::Plan { source, .. }
        | Self::Worker { source, .. }
        | Self::Memory { source, .. }
        | Self::Spill { source, .. }) = self
        else {
            return None;
        };
        let names = chain(source).filter_map(|error| {
            let shared = error
                .downcast_ref::<Arc<DataFusionError>>()
                .map(Arc::as_ref);
            match error.downcast_ref::<DataFusionError>().or(shared)? {
                DataFusionError::Context(name, _) => step_name(name),
                _ => None,
            }
        });
        names.last()
    }

    /// Returns the object, table or folder that failed, if the error has one.
    pub fn object(&self) -> Option<String> {
        match self {
            Self::EmptyArchive { location, .. } => Some(location.clone()),
            Self::Undated { source_object }
            | Self::UnreadableObjects { source_object, .. }
            | Self::MissingColumn { source_object, .. }
            | Self::ColumnType { source_object, .. }
            | Self::Changed { source_object, .. }
            | Self::RowPosition { source_object, .. } => Some(source_object.clone()),
            Self::Store { object, .. } => Some(object.clone()),
            Self::Spill { spill, .. } | Self::QuerySpill { spill, .. } => {
                Some(spill.folder().to_owned())
            }
            Self::Table(error) => Some(error.object().to_owned()),
            Self::Lease(LeaseError::Store(error)) => Some(error.object.clone()),
            Self::Lease(LeaseError::Busy { location, .. })
            | Self::NoTable { location, .. }
            | Self::OtherPartition { location, .. } => Some(location.clone()),
            Self::Worker { record, .. } => record.object.clone(),
            Self::Plan { source, .. } => match (engine_error(source), self.class()) {
                (Some(cause), _) => cause.object(),
                (None, ErrorClass::Storage) => Some("tables of earlier dates".to_owned()),
                (None, _) => None,
            },
            _ => None,
        }
    }
}

fn others(count: usize) -> String {
    match count {
        0 | 1 => String::new(),
        count => format!(", nor can {} more", count - 1),
    }
}

fn has(archive: Option<DateRange>) -> String {
    archive.map_or_else(String::new, |dates| format!("; it has {dates}"))
}

impl Classified for EngineError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Spec(error) => error.class(),
            Self::Interrupted
            | Self::CutPartition { .. }
            | Self::OtherSettings { .. }
            | Self::ExplainedSettings { .. }
            | Self::NoTable { .. }
            | Self::Memory { .. }
            | Self::QueryMemory { .. }
            | Self::NotAQuery(_) => ErrorClass::Usage,
            Self::EmptyArchive { .. }
            | Self::UnreadableObjects { .. }
            | Self::NoRows { .. }
            | Self::EmptyDates { .. }
            | Self::OtherPartition { .. }
            | Self::NeedsRelabelling { .. }
            | Self::Relabelled { .. }
            | Self::Undated { .. }
            | Self::MissingColumn { .. }
            | Self::ColumnType { .. }
            | Self::Changed { .. } => ErrorClass::Input,
            Self::Store { .. } | Self::ConcurrentRun => ErrorClass::Storage,
            Self::Lease(error) => error.class(),
            Self::Table(error) => error.class(),
            Self::Spill { spill, .. } | Self::QuerySpill { spill, .. } => spill.class(),
            Self::Plan { source, .. } => plan_class(source),
            Self::Worker { record, .. } => record.class,
            Self::Query(source) => match plan_class(source) {
                ErrorClass::Internal => ErrorClass::Usage,
                class => class,
            },
            Self::Accounting { .. }
            | Self::RowPosition { .. }
            | Self::Watchdog(_)
            | Self::Stalled { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            // Another process ends, an object is no longer written, or tasks run in another order.
            Self::Interrupted
            | Self::ConcurrentRun
            | Self::Changed { .. }
            | Self::Stalled { .. } => true,
            Self::Lease(error) => error.is_retryable(),
            Self::Spill { spill, .. } | Self::QuerySpill { spill, .. } => spill.is_retryable(),
            Self::Store { source, .. } => has_retryable_cause(source),
            Self::Worker { record, .. } => record.is_retryable,
            Self::Table(error) => error.is_retryable(),
            Self::Plan { source, .. } | Self::Query(source) => match engine_error(source) {
                Some(cause) => cause.is_retryable(),
                None => has_retryable_cause(source),
            },
            // Nothing changes by itself.
            _ => false,
        }
    }
}

/// Returns the party that has to act on the error of a plan. The errors of steps are in it as
/// [`EngineError`]. Other errors of a store come from the tables that DataFusion reads: it
/// turns some of them into text, but only inside errors of Parquet.
fn plan_class(error: &DataFusionError) -> ErrorClass {
    let of_store = |error: &(dyn Error + 'static)| {
        error.is::<object_store::Error>()
            || error.is::<std::io::Error>()
            || error.is::<ParquetError>()
    };
    match engine_error(error) {
        Some(cause) => cause.class(),
        None if chain(error).any(of_store) => ErrorClass::Storage,
        None => ErrorClass::Internal,
    }
}

/// Returns the cause of the error of a plan, without the contexts of the operators above.
fn cause(error: &DataFusionError) -> &dyn fmt::Display {
    match engine_error(error) {
        Some(cause) => cause,
        None => error.find_root(),
    }
}

/// Returns the error of a step inside the error of a plan.
pub(crate) fn engine_error(error: &DataFusionError) -> Option<&EngineError> {
    chain(error).find_map(|error| error.downcast_ref::<EngineError>())
}

fn chain(error: &DataFusionError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |error| (*error).source())
}

impl From<StoreError> for EngineError {
    fn from(error: StoreError) -> Self {
        LeaseError::from(error).into()
    }
}

impl From<OwnerError<TableError>> for EngineError {
    fn from(error: OwnerError<TableError>) -> Self {
        match error {
            OwnerError::Lease(error) => Self::Lease(error),
            OwnerError::Tables(error) => Self::Table(error),
        }
    }
}

impl From<EngineError> for DataFusionError {
    fn from(error: EngineError) -> Self {
        Self::External(Box::new(error))
    }
}

impl From<DataFusionError> for EngineError {
    fn from(error: DataFusionError) -> Self {
        Self::query(error)
    }
}
