//! SQL over the archive and the output tables of a job.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::datatypes::{DataType, SchemaRef};
use arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::SendableRecordBatchStream;
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::delta_datafusion::DeltaSessionContext;
use futures::StreamExt;
use tables::{Partitioning, Table};

use crate::error::EngineError;
use crate::job::Job;
use crate::plan::session::{runtime, spill_reservation};
use crate::state::register_parquet::register_parquet;
use crate::state::robots_allowed;
use crate::tables_state::delta_scan::open;

/// The table of the pages that a job reads.
const ARCHIVE: &str = "archive";

/// The rows of a query, batch by batch. The query runs while batches are taken, and stops when
/// this is dropped.
pub struct QueryRows {
    batches: SendableRecordBatchStream,
}

impl QueryRows {
    pub(crate) fn new(batches: SendableRecordBatchStream) -> Self {
        Self { batches }
    }

    /// Returns the columns of the rows.
    pub fn schema(&self) -> SchemaRef {
        self.batches.schema()
    }

    /// Returns the next rows, or `None` after the last. Batches may be empty.
    ///
    /// # Errors
    /// [`EngineError::Query`], [`EngineError::QueryMemory`] or [`EngineError::QuerySpill`] if the query
    /// fails.
    pub async fn next(&mut self) -> Option<Result<RecordBatch, EngineError>> {
        let batch = self.batches.next().await?;
        Some(batch.map_err(EngineError::query))
    }
}

impl std::fmt::Debug for QueryRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "QueryRows({:?})", self.schema())
    }
}

/// Runs `sql` as [`stream_query`] does, and returns all rows: at least one batch, which may be
/// empty.
///
/// # Errors
/// Those of [`stream_query`] and of [`QueryRows::next`].
pub async fn query(job: &Job, sql: &str) -> Result<Vec<RecordBatch>, EngineError> {
    let mut rows = stream_query(job, sql, None).await?;
    let mut batches = Vec::new();
    while let Some(batch) = rows.next().await {
        batches.push(batch?);
    }
    if batches.is_empty() {
        batches.push(RecordBatch::new_empty(rows.schema()));
    }
    Ok(batches)
}

/// Starts the query `sql`, with the output tables of `job` registered under their names, and its
/// input as `archive`. Only what the query names is opened. A table that does not exist is not
/// registered, except for `url_parameters`, which has no rows then. Returns at most `limit` rows.
/// Sorts, joins and aggregations have the memory of a run's plan and spill to its folder above that.
///
/// # Errors
/// [`EngineError::NotAQuery`] for a statement that changes something, and [`EngineError::Query`]
/// if the statement is invalid or cannot be started.
pub async fn stream_query(
    job: &Job,
    sql: &str,
    limit: Option<usize>,
) -> Result<QueryRows, EngineError> {
    let context = session(job).map_err(EngineError::query)?;
    let named = names(&context, sql).map_err(EngineError::query)?;
    let is_named = |table: &Table| named.contains(table.name());
    let tables = open_all(&context, job, Table::ALL.into_iter().filter(is_named)).await?;
    if !tables.contains(&Table::UrlParameters) {
        register_empty(&context, Table::UrlParameters)?;
    }
    if named.contains(ARCHIVE) {
        register_archive(&context, job).await;
    }
    register_robots(&context, job).await?;
    start(&context, sql, limit).await
}

/// Returns the names of the tables in the statement `sql`.
fn names(context: &SessionContext, sql: &str) -> Result<BTreeSet<String>, DataFusionError> {
    let state = context.state();
    let statement = state.sql_to_statement(sql, &state.config().options().sql_parser.dialect)?;
    let references = state.resolve_table_references(&statement)?;
    let names = references
        .iter()
        .map(|reference| reference.table().to_owned());
    Ok(names.collect())
}

/// Opens output tables and registers them in `context`. Returns those that exist.
///
/// The tables are opened at the same time: each waits for several requests to its store.
async fn open_all(
    context: &SessionContext,
    job: &Job,
    tables: impl IntoIterator<Item = Table>,
) -> Result<Vec<Table>, EngineError> {
    let opened = tables.into_iter().map(|table| async move {
        let is_there = open(context, job, table).await?;
        Ok::<_, EngineError>(is_there.then_some(table))
    });
    let opened = futures::future::try_join_all(opened).await?;
    Ok(opened.into_iter().flatten().collect())
}

/// Starts a checked query over the tables of `context`.
async fn start(
    context: &SessionContext,
    sql: &str,
    limit: Option<usize>,
) -> Result<QueryRows, EngineError> {
    let plan = checked_query(context, sql).await?;
    let frame = DataFrame::new(context.state(), plan);
    let limited = match limit {
        Some(_) => frame.limit(0, limit),
        None => Ok(frame),
    };
    let frame = limited.map_err(EngineError::query)?;
    let batches = frame.execute_stream().await.map_err(EngineError::query)?;
    Ok(QueryRows::new(batches))
}

/// The output tables of a job at one version each, for several queries.
pub struct TablesSession {
    context: SessionContext,
    tables: Vec<Table>,
}

impl std::fmt::Debug for TablesSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TablesSession({:?})", self.tables)
    }
}

impl TablesSession {
    /// Opens the tables that exist. The archive is not opened.
    ///
    /// # Errors
    /// [`EngineError`] if a table cannot be read.
    pub async fn open(job: &Job) -> Result<Self, EngineError> {
        let context = session(job).map_err(EngineError::query)?;
        let tables = open_all(&context, job, Table::ALL).await?;
        Ok(Self { context, tables })
    }

    /// Whether `table` exists.
    pub fn has(&self, table: Table) -> bool {
        self.tables.contains(&table)
    }

    /// Starts a query over the tables, as [`stream_query`] does.
    ///
    /// # Errors
    /// Those of [`stream_query`].
    pub async fn rows(&self, sql: &str) -> Result<QueryRows, EngineError> {
        start(&self.context, sql, None).await
    }
}

/// Returns the plan of the query `sql`.
///
/// # Errors
/// [`EngineError::NotAQuery`] for a statement that changes something, and [`EngineError::Query`] if it is
/// invalid.
pub(crate) async fn checked_query(
    context: &SessionContext,
    sql: &str,
) -> Result<LogicalPlan, EngineError> {
    let plan = context.state().create_logical_plan(sql).await;
    let plan = plan.map_err(EngineError::query)?;
    // The plan is made before it is checked: making a plan changes nothing.
    let queries_only = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    (queries_only.verify_plan(&plan)).map_err(EngineError::NotAQuery)?;
    Ok(plan)
}

/// Rows per batch of a query. Batches wait in every operator, and a row of `archive` has 60 KB
/// of HTML, so a batch has some 60 MB there. A lower value costs more calls per row.
const BATCH_ROWS: usize = 1024;

/// Creates a session for queries over Delta tables with the memory, disk and threads of `job`.
pub(crate) fn session(job: &Job) -> Result<SessionContext, DataFusionError> {
    let context = DeltaSessionContext::with_runtime_env(runtime(job)?).into_inner();
    let state = context.state_ref();
    let mut state = state.write();
    let config = (state.config().clone())
        .with_batch_size(BATCH_ROWS)
        .with_target_partitions(job.resources.threads)
        .with_sort_spill_reservation_bytes(spill_reservation(job));
    *state.config_mut() = config;
    drop(state);
    Ok(context)
}

/// Registers a table without rows: a run makes `url_parameters` with its first row.
pub(crate) fn register_empty(context: &SessionContext, table: Table) -> Result<(), EngineError> {
    let empty = MemTable::try_new(table.schema(Partitioning::Day), vec![vec![]]);
    let registered = empty.and_then(|empty| context.register_table(table.name(), Arc::new(empty)));
    registered.map(drop).map_err(EngineError::query)
}

/// Registers the archive and the rules of robots.txt files.
///
/// # Errors
/// Where the rules cannot be read.
pub(crate) async fn register_inputs(
    context: &SessionContext,
    job: &Job,
) -> Result<(), EngineError> {
    register_archive(context, job).await;
    register_robots(context, job).await
}

/// Registers the rules of robots.txt files.
async fn register_robots(context: &SessionContext, job: &Job) -> Result<(), EngineError> {
    robots_allowed::register_function(context);
    let Some(rules) = &job.robots else {
        return Ok(());
    };
    let registered = robots_allowed::register_rules(context, rules).await;
    registered.map_err(EngineError::query)
}

/// Registers the archive. An archive that cannot be read is only warned about, so that the tables
/// can be queried without it.
async fn register_archive(context: &SessionContext, job: &Job) {
    let by_date = job.archive.by_date;
    let folders = by_date.then(|| ("date".to_owned(), DataType::Date32));
    let location = &job.archive.location;
    if let Err(error) =
        register_parquet(context, ARCHIVE, location, folders.into_iter().collect()).await
    {
        tracing::warn!("the table `archive` is not available: {error}");
    }
}
