//! Commits the output of a chunk.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::RecordBatch;
use futures::future::join_all;
use tables::{DateRange, MemorySpill, Replacement, SinkSize, Table, TableError, fail_point};

use crate::accounting::{ChunkOutput, RowAccounting};
use crate::driver::backfill::Run;
use crate::driver::runs_rows::{ChunkCost, RunIds, runs_rows};
use crate::error::EngineError;
use crate::plan::prior::monthly_rollup::discard_rollups;

/// The tables that are committed together, in order.
const COMMIT_ORDER: [&[Table]; 3] = [
    &[Table::UrlKeys],
    &[
        Table::Documents,
        Table::Blocks,
        Table::Quarantine,
        Table::WindowEntries,
        Table::UrlParameters,
    ],
    &[Table::Runs],
];

impl Run<'_> {
    /// Commits each table once, and `runs` twice: first to remove the old dates, last to add
    /// the new ones. So a date in `runs` is complete. `url_keys` comes before the other tables of
    /// pages, because a date that it has and `runs` has not is incomplete. The other tables are
    /// committed together: a commit waits for eleven answers of the store, one after the other.
    pub(super) async fn commit(
        &self,
        chunk: DateRange,
        chunk_output: &mut ChunkOutput,
    ) -> Result<(), EngineError> {
        let output = &self.job.output;
        let reopened = discard_rollups(output, chunk, self.lease.token()).await;
        self.lease.or_taken_over(reopened).await?;
        let change = |partitions, transaction: String, files| Replacement {
            partitions,
            files,
            transaction,
            transaction_version: self.lease.token(),
            fencing_token: self.lease.token(),
        };
        let partitions = self.partitions(Table::Runs, chunk).await?;
        let begun = change(partitions, format!("urltree {chunk} begun"), Vec::new());
        fail_point(format_args!("begin"));
        self.replace(Table::Runs, begun).await?;
        fail_point(format_args!("begun"));
        let mut commits = Vec::new();
        for table in Table::ALL {
            let files = chunk_output.files.remove(&table).unwrap_or_default();
            let is_needed = match table {
                Table::UrlParameters => !files.is_empty(),
                table => self.job.settings.writes(table),
            };
            if is_needed || output.open(table).await?.is_some() {
                let partitions = self.partitions(table, chunk).await?;
                commits.push((table, change(partitions, format!("urltree {chunk}"), files)));
            }
        }
        for tables in COMMIT_ORDER {
            let together = commits.extract_if(.., |(table, _)| tables.contains(table));
            let commits = together.map(|(table, change)| self.commit_table(table, change));
            // Await all of them, also after one has failed.
            for committed in join_all(commits).await {
                committed?;
            }
        }
        Ok(())
    }

    /// Returns the values of the partitions of `table` that a chunk replaces: those that it has on these dates,
    /// and those with input.
    async fn partitions(
        &self,
        table: Table,
        chunk: DateRange,
    ) -> Result<BTreeSet<String>, EngineError> {
        let output = &self.job.output;
        let partitioning = output.partitioning();
        let mut partitions = output.partitions(table).await?;
        partitions.retain(|value| {
            let dates = partitioning.parse_value(value);
            dates.is_some_and(|dates| chunk.contains(dates.first()))
        });
        let dates = self.census.dates_with_input(chunk);
        partitions.extend(dates.into_iter().map(|date| partitioning.value(date)));
        Ok(partitions)
    }

    async fn commit_table(&self, table: Table, change: Replacement) -> Result<(), EngineError> {
        fail_point(format_args!("commit.{}", table.name()));
        self.replace(table, change).await?;
        fail_point(format_args!("committed.{}", table.name()));
        Ok(())
    }

    async fn replace(&self, table: Table, change: Replacement) -> Result<(), EngineError> {
        self.lease.check().await?;
        fail_point(format_args!("checked.{}", table.name()));
        let replaced = self.job.output.replace(table, change).await;
        self.lease
            .or_taken_over(replaced.map_err(EngineError::from))
            .await?;
        Ok(())
    }

    /// Writes the rows of `runs` for the chunk as data files.
    pub(super) async fn runs_files(
        &self,
        chunk: DateRange,
        accounting: &RowAccounting,
        cost: ChunkCost,
    ) -> Result<Vec<String>, EngineError> {
        let run = RunIds {
            id: &self.id,
            request: &self.request,
            settings: &self.job.settings.digest,
            started_micros: self.started_micros,
        };
        let rows = runs_rows(run, self.census, chunk, accounting, cost)?;
        if rows.num_rows() == 0 {
            return Ok(Vec::new());
        }
        self.file(Table::Runs, &rows).await
    }

    /// Writes rows of the driver as data files.
    pub(super) async fn file(
        &self,
        table: Table,
        rows: &RecordBatch,
    ) -> Result<Vec<String>, EngineError> {
        let spill = Arc::new(MemorySpill::default());
        let mut sink = self.job.output.sink(table, SinkSize::default(), spill);
        let failed = |source| {
            EngineError::Table(TableError::delta(
                table.name(),
                self.job.output.location().to_string(),
                source,
            ))
        };
        sink.write(rows).await.map_err(failed)?;
        sink.close().await.map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_committed_once_and_runs_last() {
        let mut order: Vec<Table> = COMMIT_ORDER.concat();
        assert_eq!(order.last(), Some(&Table::Runs));
        order.sort();
        let mut all = Table::ALL.to_vec();
        all.sort();
        assert_eq!(order, all);
    }
}
