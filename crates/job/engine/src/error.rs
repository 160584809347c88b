use std::error::Error;
use std::fmt;
use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use parquet::errors::ParquetError;
use tables::{DateRange, Partitioning, TableError};

use crate::spec::SpecError;
use crate::steps::step_name;

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
    /// The settings are others than those the tables were written with.
    #[error(
        "{others} was run with other settings than the job has now; tables of two settings are not \
         one stream. Undo the change, choose another output.location, or ask for it with \
         --change-settings"
    )]
    OtherSettings {
        /// The last dates with other settings.
        others: DateRange,
    },
    /// Pages whose labels are not final are gone from the archive.
    #[error(
        "{date}: the archive has {rows} rows, and had {before} when the date was run; its labels \
         cannot be settled without them. Keep pages for tree.relabel_days, or run {date} itself"
    )]
    Unsettled {
        /// The date whose labels were to be written again.
        date: NaiveDate,
        /// Rows of it now.
        rows: u64,
        /// Rows of it by the `runs` table.
        before: u64,
    },
    /// Dates whose labels this run should settle have come, or changed, since it began.
    #[error("another run ended while this one began, and its dates are to be settled; try again")]
    Overtaken,
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
        "archive.layout = \"hive\", but {source_object} is in no folder date=YYYY-MM-DD; use \
         archive.layout=flat"
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
    /// An object of the archive is not what the run counted.
    #[error(
        "{source_object} was changed while the run was reading: {change}; nothing of this chunk \
         was committed. Run it again when nothing writes to the archive"
    )]
    Changed {
        /// The object.
        source_object: String,
        /// What became of it.
        change: &'static str,
    },
    /// An output table fails.
    #[error(transparent)]
    Table(#[from] TableError),
    /// Another process is changing the tables.
    #[error(
        "{owner} is at work on the tables at {location}; wait until it ends, or end it, and try \
         again"
    )]
    Busy {
        /// The tables.
        location: String,
        /// Who it is.
        owner: String,
    },
    /// Another process took the tables over.
    #[error(
        "the tables were taken over by {by}: this run showed no sign of life for a while. What it \
         committed before is there, the rest is for the other to do"
    )]
    TakenOver {
        /// Who it is.
        by: String,
    },
    /// The thread that says that a run is alive cannot be started.
    #[error("cannot start the heartbeat: {0}")]
    Thread(#[source] Box<dyn Error + Send + Sync>),
    /// The plan fails.
    #[error("{dates}: {}", cause(source))]
    Plan {
        /// The chunk.
        dates: DateRange,
        /// The cause.
        #[source]
        source: DataFusionError,
    },
    /// The sorts and joins of the plan need more memory than they may have.
    #[error(
        "{dates}: run.memory_limit is too little for this chunk; raise it, or lower run.threads: {}",
        cause(source)
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

    /// The step of the plan that failed, where a plan did.
    pub(crate) fn step(&self) -> Option<&'static str> {
        let (Self::Plan { source, .. } | Self::Memory { source, .. }) = self else {
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

    /// The object, table or place that it is about, where it is about one.
    pub fn object(&self) -> Option<String> {
        match self {
            Self::EmptyArchive { location, .. } => Some(location.clone()),
            Self::Undated { source_object }
            | Self::MissingColumn { source_object, .. }
            | Self::ColumnType { source_object, .. }
            | Self::Changed { source_object, .. } => Some(source_object.clone()),
            Self::Store { object, .. } => Some(object.clone()),
            Self::Table(error) => Some(error.object().to_owned()),
            Self::Busy { location, .. } => Some(location.clone()),
            Self::Plan { source, .. } => match (engine_error(source), self.class()) {
                (Some(cause), _) => cause.object(),
                (None, ErrorClass::Storage) => Some("tables of earlier dates".to_owned()),
                (None, _) => None,
            },
            Self::Spec(_)
            | Self::CutPartition { .. }
            | Self::OtherSettings { .. }
            | Self::Unsettled { .. }
            | Self::Overtaken
            | Self::Memory { .. }
            | Self::TakenOver { .. }
            | Self::Thread(_)
            | Self::Accounting { .. }
            | Self::Query(_) => None,
        }
    }

    /// Whose turn it is.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Spec(_)
            | Self::CutPartition { .. }
            | Self::OtherSettings { .. }
            | Self::Memory { .. } => ErrorClass::Usage,
            Self::EmptyArchive { .. }
            | Self::Unsettled { .. }
            | Self::Undated { .. }
            | Self::MissingColumn { .. }
            | Self::ColumnType { .. }
            | Self::Changed { .. }
            | Self::Table(TableError::Layout { .. }) => ErrorClass::Input,
            Self::Store { .. }
            | Self::Busy { .. }
            | Self::Overtaken
            | Self::TakenOver { .. }
            | Self::Table(_) => ErrorClass::Storage,
            Self::Plan { source, .. } => plan_class(source),
            Self::Query(source) => match plan_class(source) {
                ErrorClass::Internal => ErrorClass::Usage,
                class => class,
            },
            Self::Accounting { .. } | Self::Thread(_) => ErrorClass::Internal,
        }
    }
}

/// A step wraps its own errors into the engine's; what is left of a store is what
/// DataFusion reads of the tables. It turns some errors of a store into text, but
/// none of them into anything else than an error of Parquet.
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

/// What a person wants to read of the failure of a plan: not through how many
/// nodes it came.
fn cause(error: &DataFusionError) -> &dyn fmt::Display {
    match engine_error(error) {
        Some(cause) => cause,
        None => error.find_root(),
    }
}

/// The error of a step in the failure of the plan.
fn engine_error(error: &DataFusionError) -> Option<&EngineError> {
    chain(error).find_map(|error| error.downcast_ref::<EngineError>())
}

fn chain(error: &DataFusionError) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |error| (*error).source())
}

impl From<EngineError> for DataFusionError {
    fn from(error: EngineError) -> Self {
        Self::External(Box::new(error))
    }
}
