//! The dates in the output tables.

use chrono::NaiveDate;
use tables::{DateRange, Output, Partitioning};

use crate::error::EngineError;
use crate::tables_state::runs_table::RunDate;
use crate::tables_state::tables_snapshot::TablesSnapshot;

/// The dates in the output tables of a job.
#[derive(Debug)]
pub struct TableDates {
    /// The rows of `runs`, in order: the dates that are complete.
    pub runs: Vec<RunDate>,
    /// Partitions with rows but without a row in `runs`, in order: a run stopped while it
    /// committed them.
    pub unfinished: Vec<DateRange>,
    /// The partitions of the tables; of a job without tables those that it sets, or days.
    pub partitioning: Partitioning,
}

impl TableDates {
    /// Reads the dates in `output`. Tables that do not exist have none.
    ///
    /// # Errors
    /// [`EngineError`] if a table cannot be read.
    pub async fn read(output: &Output) -> Result<Self, EngineError> {
        let mut tables = TablesSnapshot::open(output, TablesSnapshot::DATED.to_vec()).await?;
        let all = DateRange::between(NaiveDate::MIN, NaiveDate::MAX);
        Ok(Self {
            runs: tables.runs(all).await?,
            unfinished: tables.unfinished(),
            partitioning: tables.partitioning(),
        })
    }
}
