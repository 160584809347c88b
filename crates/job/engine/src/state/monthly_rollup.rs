//! What months that are over left, in a few files.
//!
//! A night meets few old pages. To find them it would open the files of every
//! date there is, more every night. So the first run of a month puts the months
//! before it into two tables: `key_index`, which tells the dates whose `url_keys`
//! must be read, and `windows`, which stands for all of `window_entries` up to then. Both
//! are made from the output tables, and what they cannot answer is read there.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::AsArray;
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type};
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, SpillMetrics};
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use futures::TryStreamExt;
use tables::{
    DateRange, Output, Partitioning, Replacement, SinkSize, Table, TableError, add_adjacent,
    date_from_days,
};
use url_tree::WindowOptions;

use crate::error::EngineError;
use crate::job::Job;
use crate::plan::exec::row_spill::DiskSpill;
use crate::plan::session::session;
use crate::state::delta_scan::{external, register};
use crate::state::prior_state::{
    IS_FIRST_PAGE, PriorState, select_columns, semi_join_domains, windows_query,
};

/// The two tables as they were before the chunk; empty where they are of no use.
#[derive(Debug, Default)]
pub(crate) struct MonthlyRollup {
    index: Option<DeltaTable>,
    /// The months in the index, in order.
    indexed: Vec<DateRange>,
    windows: Option<(DeltaTable, NaiveDate)>,
}

/// What was there before `first`. Puts the months before its own into the tables,
/// if they are not there yet, with the fencing token `token`.
///
/// # Errors
/// [`EngineError`] where the tables cannot be read or written.
pub(crate) async fn roll_up_months(
    job: &Job,
    first: NaiveDate,
    token: i64,
) -> Result<PriorState, EngineError> {
    let prior = PriorState::open(job).await?;
    let this_month = Partitioning::Month.dates(first);
    let Some(until) = (this_month.first().pred_opt()).filter(|_| job.output.has_derived()) else {
        return Ok(prior);
    };
    let closing = Closing {
        job,
        token,
        until,
        prior,
    };
    let changed = [closing.index().await?, closing.windows().await?];
    if changed.contains(&Change::Made) {
        return Ok(PriorState::open(job).await?);
    }
    Ok(closing.prior)
}

/// What became of one of the tables.
#[derive(Debug, PartialEq, Eq)]
enum Change {
    Made,
    NotNeeded,
}

/// Takes away what the tables say of `dates`, and all that follows from them,
/// with the fencing token `token`. To be called before rows of these dates change.
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
                    // The windows of a month hang on all dates before its end.
                    && (table == Table::Windows || month.first() <= dates.last())
            })
        });
        if !months.is_empty() {
            replace(output, table, "reopened", token, months, Vec::new()).await?;
        }
    }
    Ok(())
}

/// Months that are over.
struct Closing<'a> {
    job: &'a Job,
    token: i64,
    /// The last day of the last of them.
    until: NaiveDate,
    prior: PriorState,
}

impl Closing<'_> {
    async fn index(&self) -> Result<Change, EngineError> {
        let Some(url_keys) = &self.prior.url_keys else {
            return Ok(Change::NotNeeded);
        };
        let missing: BTreeSet<String> = (url_keys.partitions.iter())
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
        let months = (missing.iter()).filter_map(|month| Partitioning::Month.parse_value(month));
        let query = format!(
            "SELECT date, domain, key_hash(url_key) AS key_hash FROM url_keys \
             WHERE ({months}) AND {IS_FIRST_PAGE} ORDER BY domain, key_hash, date",
            months = within(months),
        );
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
        let window = self.job.settings.window;
        let query = format!(
            "SELECT DATE '{}' AS date, * FROM ({}) ORDER BY domain, ordinal",
            self.until,
            windows_query("prior_window_entries", window),
        );
        let files = self.files(Table::Windows, &query).await?;
        // The windows of prior months are of no use any more.
        let mut months = self.job.output.partitions(Table::Windows).await?;
        months.insert(Partitioning::Month.value(self.until));
        self.replace(Table::Windows, &name_of(window), months, files)
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

    /// The rows of `query` over prior dates as data files of `table`.
    async fn files(&self, table: Table, query: &str) -> Result<Vec<String>, EngineError> {
        let files = async {
            let context = session(self.job)?;
            let end = self.until.succ_opt().unwrap_or(self.until);
            self.prior.register(&context, end).await?;
            let schema = table.schema(Partitioning::Day);
            let rows = select_columns(context.sql(query).await?, &schema, Vec::new())?;
            let rows = DataFrame::new(context.state(), rows);
            let mut rows = rows.execute_stream().await?;
            let metrics = SpillMetrics::new(&ExecutionPlanMetricsSet::new(), 0);
            let spill = DiskSpill::new(&context.task_ctx(), metrics);
            let output = &self.job.output;
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
        // The version that it makes: no change is one that was made before.
        transaction_version: version.map_or(0, |version| version.cast_signed() + 1),
        fencing_token: token,
    };
    output.replace(table, replacement).await?;
    Ok(())
}

/// Names windows of this kind.
fn name_of(window: WindowOptions) -> String {
    format!(
        "windows of {} to {} documents, {} us",
        window.min_pages, window.max_pages, window.max_age_micros
    )
}

impl MonthlyRollup {
    pub(crate) async fn open(output: &Output, window: WindowOptions) -> Result<Self, TableError> {
        if !output.has_derived() {
            return Ok(Self::default());
        }
        let ranges = |months: BTreeSet<String>| -> Vec<DateRange> {
            (months.iter())
                .filter_map(|month| Partitioning::Month.parse_value(month))
                .collect()
        };
        let mut months = Self::default();
        if let Some(index) = output.open(Table::KeyIndex).await? {
            months.indexed = ranges(output.partitions_of(Table::KeyIndex, &index).await?);
            months.index = Some(index);
        }
        if let Some(windows) = output.open(Table::Windows).await? {
            // Windows of another kind, made by another job, may lack rows.
            let made =
                (output.transaction_version(Table::Windows, &windows, &name_of(window))).await?;
            let is_last = made.map(i64::cast_unsigned) == windows.version();
            let month = ranges(output.partitions_of(Table::Windows, &windows).await?).pop();
            months.windows = month
                .filter(|_| is_last)
                .map(|month| (windows, month.last()));
        }
        Ok(months)
    }

    /// Makes what is there known to `context`, with `prior_window_entries` for the rows of
    /// `window_entries` before `end` that can be in a window then.
    pub(crate) async fn register(&self, context: &SessionContext, end: NaiveDate) -> Result<()> {
        if let Some(index) = &self.index {
            register(context, Table::KeyIndex, index).await?;
        }
        let columns = "domain, fetched_at, url_key, ordinal, entry, branch, hashes, template";
        let mut view = format!("SELECT {columns} FROM window_entries WHERE date < DATE '{end}'");
        if let Some((windows, until)) = self.windows.as_ref().filter(|(_, until)| *until < end) {
            register(context, Table::Windows, windows).await?;
            view =
                format!("{view} AND date > DATE '{until}' UNION ALL SELECT {columns} FROM windows");
        }
        let view = context.sql(&view).await?.into_view();
        context.register_table("prior_window_entries", view)?;
        Ok(())
    }

    /// A condition on `date` for those before `chunk` that may have the first
    /// page of a URL key of the chunk, or of any of its domains: of the months in the
    /// index the dates it tells, of others all.
    pub(crate) async fn candidate_dates(
        &self,
        context: &SessionContext,
        whole_domains: bool,
        chunk: DateRange,
    ) -> Result<String> {
        let before = format!("date < DATE '{}'", chunk.first());
        if self.indexed.is_empty() {
            return Ok(before);
        }
        let of_keys = match whole_domains {
            true => "",
            false => "WHERE chunk_contains_key(key_hash)",
        };
        let semi_join_domains = semi_join_domains("key_index");
        let query = format!("SELECT DISTINCT date FROM {semi_join_domains} {of_keys}");
        let mut found = BTreeSet::new();
        for batch in context.sql(&query).await?.collect().await? {
            let dates = cast(batch.column(0), &DataType::Date32)?;
            let dates = dates.as_primitive::<Date32Type>().values();
            found.extend(dates.iter().map(|days| date_from_days(*days)));
        }
        Ok(format!(
            "{before} AND (NOT ({}) OR {})",
            within(self.indexed.iter().copied()),
            within(found.into_iter().map(|date| Partitioning::Day.dates(date)))
        ))
    }
}

/// The condition that `date` is in one of `ranges`, which come in order.
fn within(ranges: impl IntoIterator<Item = DateRange>) -> String {
    let mut joined: Vec<DateRange> = Vec::new();
    for range in ranges {
        add_adjacent(&mut joined, range);
    }
    let conditions: Vec<_> = joined
        .iter()
        .map(|range| {
            format!(
                "date BETWEEN DATE '{}' AND DATE '{}'",
                range.first(),
                range.last()
            )
        })
        .collect();
    if conditions.is_empty() {
        return "false".to_owned();
    }
    format!("({})", conditions.join(" OR "))
}
