//! Writes the monthly rollups of prior state.
//!
//! A nightly run sees few known pages, but to find them it would open the files of every earlier
//! date, more every night. So the first run of a month writes the closed months into two tables:
//!
//! - `key_index` has the dates on which each URL key of a closed month occurs. Only these dates of
//!   `url_keys` are read.
//! - `windows` has the window entries at the end of the last closed month. It replaces all of
//!   `window_entries` up to then.
//!
//! Both are derived from the output tables. Dates that they do not cover are read there.

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
use crate::plan::prior::rollup_tables::{date_in, windows_transaction};
use crate::plan::prior::state::{IS_FIRST_PAGE, PriorState, windows_query};
use crate::plan::session::session;
use crate::spec::Queries;
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
        prior,
    };
    let changed = [roll_up.index().await?, roll_up.windows().await?];
    if changed.contains(&Change::Made) {
        return Ok(PriorState::open(job).await?);
    }
    Ok(roll_up.prior)
}

/// The change of one rollup table.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Made,
    NotNeeded,
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
                    // The windows of a month depend on all dates before its end.
                    && (table == Table::Windows || month.first() <= dates.last())
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
    prior: PriorState,
}

impl RollUp<'_> {
    async fn index(&self) -> Result<Change, EngineError> {
        let Some(url_keys) = &self.prior.url_keys else {
            return Ok(Change::NotNeeded);
        };
        let missing: BTreeSet<String> = url_keys
            .partitions
            .iter()
            .filter_map(|date| Partitioning::Day.parse_value(date))
            .filter(|date| date.last() <= self.until)
            .filter(|date| {
                !(self.prior.rollup.indexed.iter()).any(|month| month.contains(date.last()))
            })
            .map(|date| Partitioning::Month.value(date.first()))
            .collect();
        if missing.is_empty() {
            return Ok(Change::NotNeeded);
        }
        let months = missing
            .iter()
            .filter_map(|month| Partitioning::Month.parse_value(month));
        // A page whose URL has parts may get the key of its base URL later.
        let rows = |select: &str, hash: &str| {
            format!(
                "{select} date, domain, {hash} AS key_hash FROM url_keys \
                 WHERE ({months}) AND {IS_FIRST_PAGE} AND {hash} IS NOT NULL",
                months = date_in(months.clone()),
            )
        };
        let query = match self.job.settings.site.queries {
            Queries::Drop => rows("SELECT", "key_hash(url_key)"),
            Queries::Learn => format!(
                "{} UNION ALL {}",
                rows("SELECT", "key_hash(url_key)"),
                rows("SELECT DISTINCT", "base_hash(url)")
            ),
        };
        let query = format!("{query} ORDER BY domain, key_hash, date");
        let files = self.files(Table::KeyIndex, &query).await?;
        self.replace(Table::KeyIndex, "keys", missing, files).await
    }

    async fn windows(&self) -> Result<Change, EngineError> {
        let Some(window_entries) = &self.prior.window_entries else {
            return Ok(Change::NotNeeded);
        };
        let known = self.prior.rollup.windows.as_ref();
        if known.is_some_and(|(_, until)| *until >= self.until) {
            return Ok(Change::NotNeeded);
        }
        let dates = window_entries.partitions.iter();
        let first = dates.filter_map(|date| Partitioning::Day.parse_value(date));
        if first
            .map(DateRange::first)
            .min()
            .is_none_or(|first| first > self.until)
        {
            return Ok(Change::NotNeeded);
        }
        let window = self.job.settings.site.window;
        let query = format!(
            "SELECT DATE '{}' AS date, * FROM ({}) ORDER BY domain, ordinal",
            self.until,
            windows_query("prior_window_entries", window),
        );
        let files = self.files(Table::Windows, &query).await?;
        // Replaces the windows of earlier months, which no query needs any more.
        let mut months = self.job.output.partitions(Table::Windows).await?;
        months.insert(Partitioning::Month.value(self.until));
        self.replace(Table::Windows, &windows_transaction(window), months, files)
            .await
    }

    async fn replace(
        &self,
        table: Table,
        transaction: &str,
        months: BTreeSet<String>,
        files: Vec<String>,
    ) -> Result<Change, EngineError> {
        let output = &self.job.output;
        replace(output, table, transaction, self.token, months, files).await?;
        Ok(Change::Made)
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
