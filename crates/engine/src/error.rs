use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use tables::{DateRange, Partitioning, TableError};

use crate::spec::SpecError;

/// What can stop a job.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The job spec is wrong.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The range of dates cuts a partition of the output tables.
    #[error(
        "the range {asked} cuts a {partitioning} of output.partition, and a run replaces whole \
         partitions; use {covering}, or output.partition=day"
    )]
    CutPartition {
        /// The range that was asked for.
        asked: DateRange,
        /// The partitioning.
        partitioning: Partitioning,
        /// The range of whole partitions.
        covering: DateRange,
    },
    /// There is nothing to read.
    #[error(
        "archive.location: no Parquet object (*.parquet) at {location}; {others} other objects are \
         there"
    )]
    EmptyArchive {
        /// The archive.
        location: String,
        /// Number of objects that are no Parquet.
        others: usize,
    },
    /// An object is outside dated folders.
    #[error(
        "archive.layout = \"date\", but {source_object} is in no folder date=YYYY-MM-DD; use \
         archive.layout=any"
    )]
    Undated {
        /// The object.
        source_object: String,
    },
    /// An object lacks a column.
    #[error(
        "{source_object} has no column `{column}`; it has {found}. Name the column in \
         archive.columns.{key}"
    )]
    MissingColumn {
        /// The object.
        source_object: String,
        /// The name that was looked for.
        column: String,
        /// The key that maps it.
        key: &'static str,
        /// The columns that are there.
        found: String,
    },
    /// A column has another type.
    #[error("{source_object}: column `{column}` is {found}, expected {expected}")]
    ColumnType {
        /// The object.
        source_object: String,
        /// The column.
        column: String,
        /// What it should be.
        expected: &'static str,
        /// What it is.
        found: String,
    },
    /// The store of the archive fails.
    #[error("cannot {doing} {object}: {source}")]
    Store {
        /// The operation.
        doing: &'static str,
        /// What it was about.
        object: String,
        /// The cause.
        #[source]
        source: object_store::Error,
    },
    /// An output table fails.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The plan fails.
    #[error("{dates}: {source}")]
    Plan {
        /// The chunk.
        dates: DateRange,
        /// The cause.
        #[source]
        source: DataFusionError,
    },
    /// The sorts and joins of the plan need more memory than they may have.
    #[error(
        "{dates}: run.memory is too little for this chunk; raise it, or lower run.threads: {source}"
    )]
    Memory {
        /// The chunk.
        dates: DateRange,
        /// Who held how much.
        #[source]
        source: DataFusionError,
    },
    /// The rows that were written do not add up to those that were read. The
    /// chunk is not committed.
    #[error(
        "{date}: the archive has {archive} rows, the tables would have {written}; nothing of this \
         chunk was committed. This is a bug"
    )]
    Accounting {
        /// The date.
        date: NaiveDate,
        /// Rows by the census.
        archive: u64,
        /// Rows in the output.
        written: u64,
    },
    /// A query fails.
    #[error("{0}")]
    Query(#[source] DataFusionError),
}

/// Whose turn it is when a job stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorClass {
    /// The command or the job spec.
    Usage,
    /// The archive.
    Input,
    /// A store.
    Storage,
    /// This program.
    Internal,
}

impl EngineError {
    /// The failure of the plan of `dates`.
    pub(crate) fn plan(dates: DateRange, source: DataFusionError) -> Self {
        match source.find_root() {
            DataFusionError::ResourcesExhausted(_) => Self::Memory { dates, source },
            _ => Self::Plan { dates, source },
        }
    }

    /// Whose turn it is.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Spec(_) | Self::CutPartition { .. } | Self::Query(_) | Self::Memory { .. } => {
                ErrorClass::Usage
            }
            Self::EmptyArchive { .. }
            | Self::Undated { .. }
            | Self::MissingColumn { .. }
            | Self::ColumnType { .. }
            | Self::Table(TableError::Layout { .. }) => ErrorClass::Input,
            Self::Store { .. } | Self::Table(TableError::Delta { .. }) => ErrorClass::Storage,
            Self::Plan { source, .. } => plan_class(source),
            Self::Accounting { .. } => ErrorClass::Internal,
        }
    }
}

/// A step wraps its own errors into the engine's.
fn plan_class(error: &DataFusionError) -> ErrorClass {
    match error.find_root() {
        DataFusionError::External(cause) => match cause.downcast_ref::<EngineError>() {
            Some(cause) => cause.class(),
            None => ErrorClass::Internal,
        },
        DataFusionError::ObjectStore(_) | DataFusionError::IoError(_) => ErrorClass::Storage,
        _ => ErrorClass::Internal,
    }
}

impl From<EngineError> for DataFusionError {
    fn from(error: EngineError) -> Self {
        Self::External(Box::new(error))
    }
}
