//! SQL over the archive and the output tables of a job.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::record_batch::RecordBatch;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SQLOptions;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use engine::{EngineError, Job};
use tables::{Partitioning, Table};

use crate::inputs::{ARCHIVE, register_archive};
use crate::query_rows::QueryRows;
use crate::robots_allowed::register_robots;
use crate::session::{RUN_FIRST, missing, open_all, session};

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
/// input as `archive`. Only what the query names is opened. A table that does not exist is an error, except for
/// `url_parameters`, which has no rows then. Returns at most `limit` rows.
/// Sorts, joins and aggregations have the memory of a run's plan and spill to its folder above that.
///
/// # Errors
/// [`EngineError::NotAQuery`] for a statement that changes something, [`EngineError::NoTable`] for an output table
/// that does not exist, and [`EngineError::Query`] if the statement is invalid or cannot be started.
pub async fn stream_query(
    job: &Job,
    sql: &str,
    limit: Option<usize>,
) -> Result<QueryRows, EngineError> {
    let context = session(job)?;
    if is_show_tables(sql) {
        open_all(&context, job, Table::ALL).await?;
        return start(&context, TABLE_NAMES, limit).await;
    }
    open_named(&context, job, sql).await?;
    start(&context, sql, limit).await
}

/// The table that a run makes with its first row. Without it, it has no rows.
const EMPTY: Table = Table::UrlParameters;

/// Opens what the query `sql` names. Returns the output tables among it.
///
/// # Errors
/// [`EngineError::NoTable`] for an output table that does not exist.
pub(crate) async fn open_named(
    context: &SessionContext,
    job: &Job,
    sql: &str,
) -> Result<Vec<(Table, DeltaTable)>, EngineError> {
    let named = names(context, sql)?;
    let is_named = |table: &Table| named.contains(table.name());
    let asked: Vec<Table> = Table::ALL.into_iter().filter(is_named).collect();
    let opened = open_all(context, job, asked.iter().copied()).await?;
    if opened.iter().all(|(table, _)| *table != EMPTY) {
        let empty = MemTable::try_new(EMPTY.schema(Partitioning::Day), vec![vec![]])?;
        context.register_table(EMPTY.name(), Arc::new(empty))?;
    }
    for table in asked {
        if !context.table_exist(table.name())? {
            return Err(missing(job, table, remedy(table)));
        }
    }
    if named.contains(ARCHIVE) {
        register_archive(context, job).await;
    }
    register_robots(context, job).await?;
    Ok(opened)
}

/// The run that writes a table.
fn remedy(table: Table) -> &'static str {
    match table {
        Table::Blocks => "add blocks to output.write, and run the dates again: urltree backfill",
        _ => RUN_FIRST,
    }
}

/// The query that `SHOW TABLES` stands for. `archive` is there too, and is listed without a look at it.
const TABLE_NAMES: &str = "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' \
     UNION ALL SELECT 'archive' ORDER BY table_name";

fn is_show_tables(sql: &str) -> bool {
    let words = sql.trim().trim_end_matches(';').split_whitespace();
    words.map(str::to_ascii_lowercase).eq(["show", "tables"])
}

/// Returns the names of the tables in the statement `sql`.
fn names(context: &SessionContext, sql: &str) -> Result<BTreeSet<String>, DataFusionError> {
    let state = context.state();
    let statement = state.sql_to_statement(sql, &state.config().options().sql_parser.dialect)?;
    let references = state.resolve_table_references(&statement)?;
    let names = references.iter().map(|name| name.table().to_owned());
    Ok(names.collect())
}

/// Starts a checked query over the tables of `context`.
async fn start(
    context: &SessionContext,
    sql: &str,
    limit: Option<usize>,
) -> Result<QueryRows, EngineError> {
    let plan = checked_query(context, sql).await?;
    let frame = DataFrame::new(context.state(), plan);
    QueryRows::start(frame.limit(0, limit)?).await
}

/// The output tables of a job at one version each, for several queries.
pub struct TablesSession {
    context: SessionContext,
}

impl std::fmt::Debug for TablesSession {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TablesSession").finish_non_exhaustive()
    }
}

impl TablesSession {
    /// Opens the tables that exist. The archive is not opened.
    ///
    /// # Errors
    /// [`EngineError`] if a table cannot be read.
    pub async fn open(job: &Job) -> Result<Self, EngineError> {
        let context = session(job)?;
        open_all(&context, job, Table::ALL).await?;
        Ok(Self { context })
    }

    /// Whether `table` exists.
    pub fn has(&self, table: Table) -> bool {
        self.context.table_exist(table.name()).unwrap_or_default()
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
    let plan = context.state().create_logical_plan(sql).await?;
    // The plan is made before it is checked: making a plan changes nothing.
    let queries_only = SQLOptions::new()
        .with_allow_ddl(false)
        .with_allow_dml(false)
        .with_allow_statements(false);
    (queries_only.verify_plan(&plan)).map_err(EngineError::NotAQuery)?;
    Ok(plan)
}
