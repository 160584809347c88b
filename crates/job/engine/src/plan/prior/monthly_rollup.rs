//! Writes the monthly rollups of prior state.
//!
//! A nightly run sees few known pages, but to find them it would open the files of every earlier
//! date, more every night. So the first run of a month writes what later runs need of the closed
//! months into three tables:
//!
//! - `first_pages` has the first page of each URL key in a month, a month for itself.
//! - `windows` has the window entries at the end of the last closed month. It replaces all of
//!   `window_entries` up to then.
//! - `parameters` has the last row of each parameter up to the end of the last closed month.
//!
//! Each has the columns of the table that it is derived from. Dates that they do not cover are read there.

use std::collections::BTreeSet;
use std::num::NonZeroU32;
use std::sync::Arc;

use chrono::NaiveDate;
use datafusion::logical_expr::ident;
use datafusion::physical_plan::execute_stream;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::prelude::DataFrame;
use futures::TryStreamExt;
use tables::{Bucket, DateRange, Output, Partitioning, Replacement, SinkSize, Table};

use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::select::select_columns;
use crate::plan::exec::row_spill::DiskSpill;
use crate::plan::prior::key_hash::has_site;
use crate::plan::prior::learned::latest_parameters;
use crate::plan::prior::prior_table::{PriorTable, date_in, is_state_at_end, transaction};
use crate::plan::prior::state::{IS_FIRST_PAGE, PriorState, windows_query};
use crate::plan::session::session;
use crate::tables_state::table_files::external;

/// Opens the state prior to `first`. First adds the months before the month of `first` to the
/// rollup tables, if they are missing, in the files of as many `buckets` as the run has. `token` is the fencing token of
/// the commits.
///
/// # Errors
/// [`EngineError`] where the tables cannot be read or written.
pub(crate) async fn roll_up_months(
    job: &Job,
    first: NaiveDate,
    buckets: NonZeroU32,
    token: i64,
) -> Result<PriorState, EngineError> {
    let prior = PriorState::open(job).await?;
    let this_month = Partitioning::Month.dates(first);
    let Some(until) = this_month
        .first()
        .pred_opt()
        .filter(|_| job.output.has_derived())
    else {
        return Ok(prior);
    };
    let roll_up = RollUp {
        job,
        buckets,
        token,
        until,
        prior: &prior,
    };
    let mut is_changed = false;
    for table in prior.tables() {
        is_changed |= roll_up.add(table).await?;
    }
    if is_changed {
        return Ok(PriorState::open(job).await?);
    }
    Ok(prior)
}

/// Removes the rollups that contain or depend on rows of `dates`. Call it before these rows
/// change. `token` is the fencing token of the commits.
///
/// # Errors
/// [`EngineError`] where the tables cannot be read or written.
pub(crate) async fn discard_rollups(
    output: &Output,
    dates: DateRange,
    token: i64,
) -> Result<(), EngineError> {
    if !output.has_derived() {
        return Ok(());
    }
    for table in Table::DERIVED {
        let mut months = output.partitions(table).await?;
        months.retain(|month| {
            let month = Partitioning::Month.parse_value(month);
            month.is_some_and(|month| {
                dates.first() <= month.last()
                    && (is_state_at_end(table) || month.first() <= dates.last())
            })
        });
        if !months.is_empty() {
            replace(output, table, "reopened", token, months, Vec::new()).await?;
        }
    }
    Ok(())
}

/// Adds closed months to the rollup tables.
struct RollUp<'a> {
    job: &'a Job,
    buckets: NonZeroU32,
    token: i64,
    /// Last day of the last closed month.
    until: NaiveDate,
    prior: &'a PriorState,
}

impl RollUp<'_> {
    /// Adds the closed months of `table` to its rollup. Returns whether any was missing.
    async fn add(&self, table: &PriorTable) -> Result<bool, EngineError> {
        let Some(rollup) = table.name().rollup() else {
            return Ok(false);
        };
        let missing = table.not_rolled_up(self.until);
        let mut months: BTreeSet<_> = missing
            .map(|date| Partitioning::Month.value(date))
            .collect();
        if months.is_empty() {
            return Ok(false);
        }
        let output = &self.job.output;
        let window = self.job.settings.site.window;
        let query = self.query(rollup, &months);
        if is_state_at_end(rollup) {
            // Replaces the state of earlier months, which no query needs any more.
            months = output.partitions(rollup).await?;
            months.insert(Partitioning::Month.value(self.until));
        }
        let files = self.files(rollup, &query).await?;
        let transaction = transaction(rollup, window);
        replace(output, rollup, &transaction, self.token, months, files).await?;
        Ok(true)
    }

    /// Returns the query for the rows of `rollup` in the closed months `missing`.
    fn query(&self, rollup: Table, missing: &BTreeSet<String>) -> String {
        let state = |rows: &str| {
            format!(
                "SELECT * REPLACE (DATE '{}' AS date) FROM {rows}",
                self.until
            )
        };
        match rollup {
            Table::Windows => {
                let window = self.job.settings.site.window;
                let rows = windows_query("window_entries", "window_entries", window);
                format!("{} ORDER BY domain, ordinal", state(&format!("({rows})")))
            }
            Table::Parameters => format!(
                "{} ORDER BY domain, host, path_shape, parameter",
                state(&latest_parameters("url_parameters"))
            ),
            _ => {
                let months = missing.iter();
                let months = months.filter_map(|month| Partitioning::Month.parse_value(month));
                format!(
                    "SELECT * FROM url_keys WHERE {} AND {IS_FIRST_PAGE} \
                     ORDER BY domain, fetched_at, source, row",
                    date_in(months)
                )
            }
        }
    }

    /// Writes the rows of `query` over the prior state to data files of `table`.
    async fn files(&self, table: Table, query: &str) -> Result<Vec<String>, EngineError> {
        let mut files = Vec::new();
        for bucket in Bucket::all(self.buckets) {
            files.extend(self.files_of(table, query, bucket).await?);
        }
        Ok(self.job.output.merge_small(table, files).await?)
    }

    async fn files_of(
        &self,
        table: Table,
        query: &str,
        bucket: Bucket,
    ) -> Result<Vec<String>, EngineError> {
        let files = async {
            let context = session(self.job)?;
            let end = self.until.succ_opt().unwrap_or(self.until);
            self.prior
                .register(&context, self.job.output.location(), end, bucket)
                .await?;
            let schema = table.schema(Partitioning::Day);
            let mut rows = context.sql(query).await?;
            if !bucket.is_whole() {
                rows = rows.filter(has_site(bucket).call(vec![ident("domain")]))?;
            }
            let rows = select_columns(rows, &schema, Vec::new())?;
            let rows = DataFrame::new(context.state(), rows);
            // The watchdog sees the plan as long as it lives.
            let plan = rows.create_physical_plan().await?;
            let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
            let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
            let spill = DiskSpill::new(&context.task_ctx(), metrics);
            let output = self.job.output.clone().of_sites(bucket);
            let mut sink = output.sink(table, SinkSize::default(), Arc::new(spill));
            while let Some(batch) = rows.try_next().await? {
                sink.write(&batch).await.map_err(external)?;
            }
            sink.close().await.map_err(external)
        };
        let month = Partitioning::Month.dates(self.until);
        files
            .await
            .map_err(|error| error.context(format!("table `{}`", table.name())))
            .map_err(|error| EngineError::plan(month, error))
    }
}

async fn replace(
    output: &Output,
    table: Table,
    transaction: &str,
    token: i64,
    partitions: BTreeSet<String>,
    files: Vec<String>,
) -> Result<(), EngineError> {
    let version = output.open_or_create(table).await?.version();
    let replacement = Replacement {
        partitions,
        files,
        transaction: transaction.to_owned(),
        // The version that the commit makes, so that no commit is taken for an earlier one.
        transaction_version: version.map_or(0, |version| version.cast_signed() + 1),
        fencing_token: token,
    };
    output.replace(table, replacement).await?;
    Ok(())
}
