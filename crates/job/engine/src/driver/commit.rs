//! Commits the output of a chunk.

use std::collections::BTreeSet;
use std::sync::Arc;

use futures::future::try_join_all;
use lease::commit_chunk;
use tables::{DateRange, MemorySpill, Replacement, SinkSize, Table, TableError};

use crate::accounting::{RowAccounting, UnitOutput};
use crate::driver::backfill::Run;
use crate::driver::runs_rows::{ChunkCost, runs_rows};
use crate::error::EngineError;
use crate::plan::prior::monthly_rollup::discard_rollups;

impl Run<'_> {
    /// Commits the output of a chunk in the order of [`commit_chunk`].
    pub(super) async fn commit(
        &self,
        chunk: DateRange,
        chunk_output: &mut UnitOutput,
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
        let files = &chunk_output.files;
        // Tables that are not there would be looked for one after the other.
        let partitions = Table::ALL.map(|table| async move {
            let is_needed = match table {
                Table::UrlParameters => files.get(&table).is_some_and(|files| !files.is_empty()),
                table => self.job.settings.writes(table),
            };
            match is_needed || output.open(table).await?.is_some() {
                true => Ok(Some((table, self.partitions(table, chunk).await?))),
                false => Ok::<_, EngineError>(None),
            }
        });
        let partitions = try_join_all(partitions).await?.into_iter().flatten();
        let changes = partitions.map(|(table, partitions)| {
            let files = chunk_output.files.remove(&table).unwrap_or_default();
            let transaction = format!("urltree {chunk}");
            (table, change(partitions, transaction, files))
        });
        let changes = changes.collect();
        Ok(commit_chunk(self.lease, output, begun, changes).await?)
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

    /// Writes the rows of `runs` for the chunk as data files.
    pub(super) async fn runs_files(
        &self,
        chunk: DateRange,
        accounting: &RowAccounting,
        cost: ChunkCost,
    ) -> Result<Vec<String>, EngineError> {
        let rows = runs_rows(&self.ids, self.census, chunk, accounting, cost)?;
        if rows.num_rows() == 0 {
            return Ok(Vec::new());
        }
        let output = &self.job.output;
        let spill = Arc::new(MemorySpill::default());
        let mut sink = output.sink(Table::Runs, SinkSize::default(), spill);
        let failed = |source| {
            let location = output.location().to_string();
            EngineError::Table(TableError::delta(Table::Runs.name(), location, source))
        };
        sink.write(&rows).await.map_err(failed)?;
        sink.close().await.map_err(failed)
    }
}
