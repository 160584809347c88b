//! A table of the prior state, with its monthly rollup.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use datafusion::error::Result;
use datafusion::prelude::SessionContext;
use deltalake::DeltaTable;
use futures::try_join;
use tables::{Bucket, DateRange, Location, Output, Partitioning, Table, TableError, add_adjacent};
use url_tree::WindowOptions;

use crate::tables_state::table_files::register_files;

/// A table of the prior state before the chunk is committed. It has rows.
#[derive(Debug)]
pub(crate) struct PriorTable {
    table: Table,
    by_date: DeltaTable,
    /// The values of its partitions.
    partitions: BTreeSet<String>,
    rollup: Option<Rollup>,
}

/// A rollup with rows.
#[derive(Debug)]
struct Rollup {
    table: Table,
    opened: DeltaTable,
    /// The months of its partitions, in order.
    months: Vec<DateRange>,
}

impl PriorTable {
    /// Opens `table` and its rollup. `None` means that the table does not exist or has no rows.
    pub(crate) async fn open(
        output: &Output,
        table: Table,
        window: WindowOptions,
    ) -> Result<Option<Self>, TableError> {
        let rollup = Rollup::open(output, table, window);
        let (by_date, rollup) = try_join!(output.open(table), rollup)?;
        let Some(by_date) = by_date else {
            return Ok(None);
        };
        let partitions = output.partitions_of(table, &by_date).await?;
        Ok((!partitions.is_empty()).then_some(Self {
            table,
            by_date,
            partitions,
            rollup,
        }))
    }

    /// Which table it is.
    pub(crate) fn name(&self) -> Table {
        self.table
    }

    /// Registers the rows before `end` in `context` under the name of the table, without files that have no sites of
    /// `bucket`. Rows of months in the rollup are those of the rollup.
    pub(crate) async fn register(
        &self,
        context: &SessionContext,
        location: &Location,
        end: NaiveDate,
        bucket: Bucket,
    ) -> Result<()> {
        let name = self.table.name();
        let by_date = format!("{name}_by_date");
        let register_files = |table, name: &str, opened| {
            register_files(context, location, (table, name), opened, bucket)
        };
        register_files(self.table, &by_date, &self.by_date)?;
        let mut rows = format!("SELECT * FROM {by_date} WHERE date < DATE '{end}'");
        if let Some(rollup) = self.rollup.as_ref().filter(|rollup| rollup.is_before(end)) {
            let name = rollup.table.name();
            register_files(rollup.table, name, &rollup.opened)?;
            rows = format!(
                "{rows} AND NOT ({}) \
                 UNION ALL BY NAME SELECT * FROM {name} WHERE date < DATE '{end}'",
                rollup.covered(),
            );
        }
        let view = context.sql(&rows).await?.into_view();
        context.register_table(name, view)?;
        Ok(())
    }

    /// Returns the dates up to `until` that the rollup lacks.
    pub(crate) fn not_rolled_up(&self, until: NaiveDate) -> impl Iterator<Item = NaiveDate> {
        let dates = self.partitions.iter();
        let dates = dates.filter_map(|date| Partitioning::Day.parse_value(date));
        let is_lacking = move |date: &NaiveDate| {
            let rollup = self.rollup.as_ref();
            *date <= until && !rollup.is_some_and(|rollup| rollup.has(*date))
        };
        dates.map(DateRange::last).filter(is_lacking)
    }
}

impl Rollup {
    async fn open(
        output: &Output,
        table: Table,
        window: WindowOptions,
    ) -> Result<Option<Self>, TableError> {
        let table = table.rollup().filter(|_| output.has_derived());
        let Some(table) = table else { return Ok(None) };
        let Some(opened) = output.open(table).await? else {
            return Ok(None);
        };
        if table == Table::Windows {
            // Windows with other options, written before a change of settings, can lack rows.
            let made = output
                .transaction_version(table, &opened, &transaction(table, window))
                .await?;
            if made.map(i64::cast_unsigned) != opened.version() {
                return Ok(None);
            }
        }
        let months = output.partitions_of(table, &opened).await?;
        let months = months.iter();
        let months: Vec<_> = months
            .filter_map(|month| Partitioning::Month.parse_value(month))
            .collect();
        Ok((!months.is_empty()).then_some(Self {
            table,
            opened,
            months,
        }))
    }

    /// Whether rows before `end` can be read from the rollup.
    fn is_before(&self, end: NaiveDate) -> bool {
        !is_state_at_end(self.table) || self.months.iter().all(|month| month.last() < end)
    }

    /// Whether the rollup has the rows of `date`.
    fn has(&self, date: NaiveDate) -> bool {
        let is_state = is_state_at_end(self.table);
        let has = |month: &DateRange| month.contains(date) || (is_state && date <= month.last());
        self.months.iter().any(has)
    }

    /// Returns the SQL condition for rows of the dates that the rollup has.
    fn covered(&self) -> String {
        match self.months.last() {
            Some(month) if is_state_at_end(self.table) => {
                format!("date <= DATE '{}'", month.last())
            }
            _ => date_in(self.months.iter().copied()),
        }
    }
}

/// Whether a month of `rollup` has the state of all dates up to its end, not only its own rows.
pub(crate) fn is_state_at_end(rollup: Table) -> bool {
    rollup != Table::FirstPages
}

/// Returns the name of the transaction that writes `rollup` with these options.
pub(crate) fn transaction(rollup: Table, window: WindowOptions) -> String {
    match rollup {
        Table::Windows => format!(
            "windows of {} to {} pages, {} us",
            window.min_pages, window.max_pages, window.max_age_micros
        ),
        _ => "closed months".to_owned(),
    }
}

/// Returns the SQL condition that `date` is in one of `ranges`, which are in order.
pub(crate) fn date_in(ranges: impl IntoIterator<Item = DateRange>) -> String {
    let mut joined: Vec<DateRange> = Vec::new();
    for range in ranges {
        add_adjacent(&mut joined, range);
    }
    let condition = |range: &DateRange| {
        let (first, last) = (range.first(), range.last());
        format!("date BETWEEN DATE '{first}' AND DATE '{last}'")
    };
    let conditions: Vec<_> = joined.iter().map(condition).collect();
    format!("({})", conditions.join(" OR "))
}
