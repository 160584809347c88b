//! The output tables at one moment: the versions that the checks before a run read.
//!
//! Opening a Delta table takes a few requests to the store, one after the other. A
//! snapshot opens each table once, and every check before a run is a function of it.
//! Rows of `runs` are read when a check needs them, and each of its partitions once.
//! After the run has its lease, [`TablesSnapshot::refresh`] opens only the tables that
//! have a new version.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;
use deltalake::DeltaTable;
use futures::{StreamExt, TryStreamExt, stream};
use tables::{DateRange, Output, Partitioning, Table, TableVersion, add_adjacent};

use crate::error::EngineError;
use crate::tables_state::delta_scan;
use crate::tables_state::runs_table::{RunDate, run_dates};

/// Tables that are opened at the same time.
const OPENED_AT_ONCE: usize = 8;

/// Limits the partitions of `runs` that [`TablesSnapshot::last_with_pages`] reads in one
/// scan. Less means more scans where many dates in a row have no pages, more means that
/// a scan reads dates after the last one with pages is found: a year of nightly runs is
/// a year of files.
const PARTITIONS_AT_ONCE: usize = 32;

/// The output tables at one moment.
#[derive(Debug)]
pub(crate) struct TablesSnapshot {
    output: Output,
    /// The tables that were looked up; `None` for one that does not exist.
    opened: BTreeMap<Table, Option<OpenedTable>>,
    /// Rows of the partitions of `runs` that were read, by the first date of the partition.
    runs: BTreeMap<NaiveDate, Vec<RunDate>>,
}

/// A table at one version.
#[derive(Debug)]
struct OpenedTable {
    table: DeltaTable,
    /// Values of the partition column; empty for tables outside [`TablesSnapshot::DATED`].
    partitions: BTreeSet<String>,
}

impl OpenedTable {
    /// Takes `table` at the version `opened`, if it exists.
    async fn at(
        output: &Output,
        table: Table,
        opened: Option<DeltaTable>,
    ) -> Result<Option<Self>, EngineError> {
        let Some(opened) = opened else {
            return Ok(None);
        };
        let partitions = match TablesSnapshot::DATED.contains(&table) {
            true => output.partitions_of(table, &opened).await?,
            false => BTreeSet::new(),
        };
        Ok(Some(Self {
            table: opened,
            partitions,
        }))
    }
}

impl TablesSnapshot {
    /// The tables that tell which dates were run. Each archive row is in one of the first
    /// two, and `runs` has a row for each date that is complete.
    pub(crate) const DATED: [Table; 3] = [Table::UrlKeys, Table::Quarantine, Table::Runs];

    /// Opens those of `tables` that exist, at their latest versions.
    ///
    /// # Errors
    /// [`EngineError::Table`] if a table cannot be read or has a different layout.
    pub(crate) async fn open(output: &Output, tables: Vec<Table>) -> Result<Self, EngineError> {
        let opened = stream::iter(tables)
            .map(|table| async move {
                let opened = output.open(table).await?;
                let opened = OpenedTable::at(output, table, opened).await?;
                Ok::<_, EngineError>((table, opened))
            })
            .buffered(OPENED_AT_ONCE)
            .try_collect()
            .await?;
        Ok(Self {
            output: output.clone(),
            opened,
            runs: BTreeMap::new(),
        })
    }

    /// Opens those tables again that have a new version, in the order of [`lease::refresh`]. Returns the tables for the owner of
    /// the lease.
    ///
    /// # Errors
    /// As [`TablesSnapshot::open`].
    pub(crate) async fn refresh(&mut self) -> Result<Output, EngineError> {
        let output = self.output.clone();
        let version = |opened: &OpenedTable| TableVersion::from(opened.table.clone());
        let before = (self.opened.iter())
            .map(|(table, opened)| (*table, opened.as_ref().map(version)))
            .collect();
        let latest = lease::refresh(&output, before).await?;
        for (table, version) in &latest {
            let before = self.opened(*table).map(|opened| opened.table.version());
            if before == version.as_ref().map(TableVersion::number) {
                continue;
            }
            let latest = match version {
                Some(version) => version.table().await,
                None => None,
            };
            let reopened = OpenedTable::at(&output, *table, latest).await?;
            if *table == Table::Runs {
                self.runs.clear();
            }
            self.opened.insert(*table, reopened);
        }
        Ok(output.owned(latest))
    }

    /// Whether `table` exists with all columns of this version.
    ///
    /// # Errors
    /// [`EngineError::Table`] if it has another layout.
    pub(crate) fn has_all_columns(&self, table: Table) -> Result<bool, EngineError> {
        let Some(opened) = self.opened(table) else {
            return Ok(false);
        };
        let lacking = self.output.lacking_columns(table, &opened.table)?;
        Ok(lacking.is_empty())
    }

    /// The tables that were looked up and do not exist.
    pub(crate) fn missing(&self) -> Vec<Table> {
        let missing = self.opened.iter().filter(|(_, opened)| opened.is_none());
        missing.map(|(table, _)| *table).collect()
    }

    /// How the tables are partitioned, or `None` if there are none.
    ///
    /// # Errors
    /// [`EngineError::Table`] if it is as no version of urltree does.
    pub(crate) fn found_partitioning(&self) -> Result<Option<Partitioning>, EngineError> {
        let mut opened = Table::ALL.into_iter().filter_map(|table| {
            let opened = self.opened(table)?;
            Some(self.output.partitioning_of_opened(table, &opened.table))
        });
        Ok(opened.next().transpose()?)
    }

    /// The partitions of the tables; without tables those of a job.
    pub(crate) fn partitioning(&self) -> Partitioning {
        let found = self.found_partitioning().ok().flatten();
        found.unwrap_or(self.output.partitioning())
    }

    /// The partitions of `runs`, in order.
    pub(crate) fn run_partitions(&self) -> Vec<DateRange> {
        self.dates_of(self.partitions(Table::Runs))
    }

    /// Partitions with rows but without a row in `runs`, in order: a run stopped while it
    /// committed them.
    pub(crate) fn unfinished(&self) -> Vec<DateRange> {
        let begun: BTreeSet<&String> = self
            .partitions(Table::UrlKeys)
            .chain(self.partitions(Table::Quarantine))
            .collect();
        let complete: BTreeSet<&String> = self.partitions(Table::Runs).collect();
        self.dates_of(begun.difference(&complete).copied())
    }

    fn opened(&self, table: Table) -> Option<&OpenedTable> {
        self.opened.get(&table)?.as_ref()
    }

    fn partitions(&self, table: Table) -> impl Iterator<Item = &String> {
        let opened = self.opened(table);
        opened.into_iter().flat_map(|opened| &opened.partitions)
    }

    /// The dates of partitions whose values come in order.
    fn dates_of<'a>(&self, values: impl Iterator<Item = &'a String>) -> Vec<DateRange> {
        let partitioning = self.partitioning();
        let mut dates: Vec<_> = values
            .filter_map(|value| partitioning.parse_value(value))
            .collect();
        dates.sort_by_key(|partition| partition.first());
        dates
    }

    /// Rows of `runs` on `dates`, in order.
    ///
    /// # Errors
    /// [`EngineError`] if the table cannot be read.
    pub(crate) async fn runs(&mut self, dates: DateRange) -> Result<Vec<RunDate>, EngineError> {
        self.load_runs(dates).await?;
        let partition = self.partitioning().dates(dates.first());
        let loaded = self.runs.range(partition.first()..=dates.last());
        Ok(loaded
            .flat_map(|(_, runs)| runs)
            .filter(|run| dates.contains(run.date))
            .cloned()
            .collect())
    }

    /// Reads the partitions of `runs` on `dates` that were not read before.
    async fn load_runs(&mut self, dates: DateRange) -> Result<(), EngineError> {
        let Some(opened) = self.opened(Table::Runs) else {
            return Ok(());
        };
        let mut partitions = self.run_partitions();
        partitions.retain(|partition| {
            partition.first() <= dates.last() && dates.first() <= partition.last()
        });
        let is_read = |partition: &DateRange| self.runs.contains_key(&partition.first());
        // Partitions that follow each other in the table are one range of the scan.
        let unread: Vec<DateRange> = partitions
            .chunk_by(|one, next| is_read(one) == is_read(next))
            .filter(|partitions| !partitions.iter().any(is_read))
            .filter_map(|partitions| partitions.iter().copied().reduce(DateRange::through))
            .collect();
        if unread.is_empty() {
            return Ok(());
        }
        let partitioning = self.partitioning();
        let mut found: BTreeMap<NaiveDate, Vec<RunDate>> = partitions
            .iter()
            .filter(|partition| !is_read(partition))
            .map(|partition| (partition.first(), Vec::new()))
            .collect();
        let rows = delta_scan::rows(&self.output, &opened.table, Table::Runs, &unread);
        for batch in &rows.await? {
            for run in run_dates(batch).map_err(EngineError::Query)? {
                let partition = partitioning.dates(run.date);
                found.entry(partition.first()).or_default().push(run);
            }
        }
        for runs in found.values_mut() {
            runs.sort_by_key(|run| run.date);
        }
        self.runs.append(&mut found);
        Ok(())
    }

    /// Returns the last dates that were run with other settings than `digest`: among the dates of
    /// `range`, which a run would replace, and the date before, which it starts from.
    ///
    /// # Errors
    /// [`EngineError`] if the table cannot be read.
    pub(crate) async fn other_settings(
        &mut self,
        digest: &str,
        range: DateRange,
    ) -> Result<Option<DateRange>, EngineError> {
        let mut partitions = self.run_partitions();
        partitions.retain(|partition| partition.first() < range.first());
        let before = partitions.pop().unwrap_or(range);
        let dates = self.runs(before.through(range)).await?;
        let before = dates.iter().rposition(|run| run.date < range.first());
        let mut others: Vec<DateRange> = Vec::new();
        for run in &dates[before.unwrap_or(0)..] {
            if run.settings != digest {
                add_adjacent(&mut others, Partitioning::Day.dates(run.date));
            }
        }
        Ok(others.pop())
    }

    /// The last date with pages, or `None` if no date has any. Reads the partitions from
    /// the end: one, then twice as many each time, up to [`PARTITIONS_AT_ONCE`].
    ///
    /// # Errors
    /// [`EngineError`] if the table cannot be read.
    pub(crate) async fn last_with_pages(&mut self) -> Result<Option<NaiveDate>, EngineError> {
        let partitions = self.run_partitions();
        let mut rest = partitions.as_slice();
        let mut count = 1;
        while let Some(last) = rest.last().copied() {
            let (before, read) = rest.split_at(rest.len().saturating_sub(count));
            let dates = read.iter().copied().fold(last, DateRange::through);
            let runs = self.runs(dates).await?;
            if let Some(run) = runs.iter().rfind(|run| run.counts.archive_rows > 0) {
                return Ok(Some(run.date));
            }
            rest = before;
            count = (2 * count).min(PARTITIONS_AT_ONCE);
        }
        Ok(None)
    }
}
