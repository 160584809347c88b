//! Reads the monthly rollups: the tables `key_index` and `windows`.

use std::collections::BTreeSet;

use arrow::datatypes::Date32Type;
use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::logical_expr::ident;
use datafusion::prelude::{DataFrame, SessionContext};
use deltalake::DeltaTable;
use futures::try_join;
use tables::{
    Bucket, DateRange, Location, Output, Partitioning, Table, TableError, add_adjacent,
    date_from_days,
};
use url_tree::WindowOptions;

use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::columns::select::select_columns;
use crate::plan::exec::step::apply;
use crate::plan::prior::chunk_keys::semi_join_domains;
use crate::plan::prior::known_rows::{INDEXED_KEYS, IndexedKeys};
use crate::plan::prior::shared_keys::SharedKeys;
use crate::running_plans::collect_watched;
use crate::tables_state::table_files::register_sites;

/// The rollup tables before the chunk is committed. `None` means that a table does not exist or
/// does not apply.
#[derive(Debug, Default)]
pub(crate) struct MonthlyRollup {
    index: Option<DeltaTable>,
    /// The months in `index`, in order.
    pub(crate) indexed: Vec<DateRange>,
    /// The table `windows`, and the last day of its month.
    pub(crate) windows: Option<(DeltaTable, NaiveDate)>,
}

impl MonthlyRollup {
    pub(crate) async fn open(output: &Output, window: WindowOptions) -> Result<Self, TableError> {
        if !output.has_derived() {
            return Ok(Self::default());
        }
        let ranges = |months: BTreeSet<String>| -> Vec<DateRange> {
            months
                .iter()
                .filter_map(|month| Partitioning::Month.parse_value(month))
                .collect()
        };
        let mut months = Self::default();
        let opened = try_join!(output.open(Table::KeyIndex), output.open(Table::Windows));
        let (index, windows) = opened?;
        if let Some(index) = index {
            months.indexed = ranges(output.partitions_of(Table::KeyIndex, &index).await?);
            months.index = Some(index);
        }
        if let Some(windows) = windows {
            // Windows with other options, written before a change of settings, can lack rows.
            let made = output
                .transaction_version(Table::Windows, &windows, &windows_transaction(window))
                .await?;
            let is_last = made.map(i64::cast_unsigned) == windows.version();
            let month = ranges(output.partitions_of(Table::Windows, &windows).await?).pop();
            months.windows = month
                .filter(|_| is_last)
                .map(|month| (windows, month.last()));
        }
        Ok(months)
    }

    /// Registers the rollup tables in `context`, without files that have no sites of `bucket`, and as
    /// `prior_window_entries` the rows of `window_entries` and `windows` that can be in a window at `end`.
    pub(crate) async fn register(
        &self,
        context: &SessionContext,
        location: &Location,
        end: NaiveDate,
        bucket: Bucket,
    ) -> Result<()> {
        if let Some(index) = &self.index {
            register_sites(context, location, Table::KeyIndex, index, bucket)?;
        }
        let columns = "domain, fetched_at, url_key, ordinal, entry, branch, hashes, template";
        let mut view = format!("SELECT {columns} FROM window_entries WHERE date < DATE '{end}'");
        if let Some((windows, until)) = self.windows.as_ref().filter(|(_, until)| *until < end) {
            register_sites(context, location, Table::Windows, windows, bucket)?;
            view =
                format!("{view} AND date > DATE '{until}' UNION ALL SELECT {columns} FROM windows");
        }
        let view = context.sql(&view).await?.into_view();
        context.register_table("prior_window_entries", view)?;
        Ok(())
    }

    /// Returns the SQL condition for dates before `chunk` that can have the first page of a URL key
    /// in `keys`, or without `keys`, of any key of the domains of the chunk. Of months in the index
    /// these are the dates in the index, of other months all dates.
    pub(crate) async fn candidate_dates(
        &self,
        context: &SessionContext,
        keys: Option<&SharedKeys>,
        chunk: DateRange,
    ) -> Result<String> {
        let before = format!("date < DATE '{}'", chunk.first());
        if self.indexed.is_empty() {
            return Ok(before);
        }
        let query = format!("SELECT key_index.* FROM {}", semi_join_domains("key_index"));
        let rows = context.sql(&query).await?;
        let mut rows = select_columns(rows, &INDEXED_KEYS, Vec::new())?;
        if let Some(keys) = keys {
            rows = apply(IndexedKeys::new(keys.clone()), rows)?;
        }
        let dates = DataFrame::new(context.state(), rows);
        let dates = dates.select(vec![ident("date")])?.distinct()?;
        let mut found = BTreeSet::new();
        for batch in collect_watched(dates).await? {
            let dates = batch.numbers::<Date32Type>("date")?.values();
            found.extend(dates.iter().map(|days| date_from_days(*days)));
        }
        Ok(format!(
            "{before} AND (NOT ({}) OR {})",
            date_in(self.indexed.iter().copied()),
            date_in(found.into_iter().map(|date| Partitioning::Day.dates(date)))
        ))
    }
}

/// Returns the transaction name for windows with these options.
pub(crate) fn windows_transaction(window: WindowOptions) -> String {
    format!(
        "windows of {} to {} pages, {} us",
        window.min_pages, window.max_pages, window.max_age_micros
    )
}

/// Returns the SQL condition that `date` is in one of `ranges`, which are in order.
pub(crate) fn date_in(ranges: impl IntoIterator<Item = DateRange>) -> String {
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
