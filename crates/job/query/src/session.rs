//! Sessions for queries, and the tables in them.

use datafusion::prelude::{SessionConfig, SessionContext};
use deltalake::DeltaTable;
use engine::{EngineError, Job, plan_runtime, register_table, spill_reservation};
use tables::Table;

/// Rows per batch of a query. Batches wait in every operator, and a row of `archive` has 60 KB
/// of HTML, so a batch has some 60 MB there. A lower value costs more calls per row.
const BATCH_ROWS: usize = 1024;

/// The remedy for a table that every run writes.
pub(crate) const RUN_FIRST: &str =
    "run dates of the job first: urltree backfill, or urltree run ARCHIVE";

/// Creates a session for queries over the output tables with the memory, disk and threads of `job`.
pub(crate) fn session(job: &Job) -> Result<SessionContext, EngineError> {
    let runtime = plan_runtime(job)?;
    let config = SessionConfig::new()
        .with_batch_size(BATCH_ROWS)
        .with_information_schema(true)
        .with_target_partitions(job.resources.threads)
        .with_sort_spill_reservation_bytes(spill_reservation(job));
    Ok(SessionContext::new_with_config_rt(config, runtime))
}

/// Opens `table` and registers it in `context` under its name. Returns `None` if the table does
/// not exist.
pub(crate) async fn open(
    context: &SessionContext,
    job: &Job,
    table: Table,
) -> Result<Option<DeltaTable>, EngineError> {
    let opened = job.output.open(table).await?;
    if let Some(opened) = &opened {
        register_table(context, job.output.location(), table, opened)?;
    }
    Ok(opened)
}

/// Opens a table as [`open`] does. A table that does not exist is an error, whose `remedy` is the run that writes
/// the table.
pub(crate) async fn open_existing(
    context: &SessionContext,
    job: &Job,
    table: Table,
    remedy: &'static str,
) -> Result<DeltaTable, EngineError> {
    let opened = open(context, job, table).await?;
    opened.ok_or_else(|| missing(job, table, remedy))
}

/// The error of a table that does not exist.
pub(crate) fn missing(job: &Job, table: Table, remedy: &'static str) -> EngineError {
    EngineError::NoTable {
        table: table.name(),
        location: job.output.location().to_string(),
        remedy,
    }
}

/// Opens those of `tables` that exist and registers them, all at the same time: each waits for several requests to
/// its store.
pub(crate) async fn open_all(
    context: &SessionContext,
    job: &Job,
    tables: impl IntoIterator<Item = Table>,
) -> Result<Vec<(Table, DeltaTable)>, EngineError> {
    let opened = tables.into_iter().map(|table| async move {
        let opened = open(context, job, table).await?;
        Ok::<_, EngineError>(opened.map(|opened| (table, opened)))
    });
    let opened = futures::future::try_join_all(opened).await?;
    Ok(opened.into_iter().flatten().collect())
}
