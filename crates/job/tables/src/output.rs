use std::collections::BTreeSet;
use std::num::NonZeroU64;
use std::sync::Arc;

use deltalake::kernel::engine::arrow_conversion::TryIntoKernel;
use deltalake::kernel::schema::StructType;
use deltalake::kernel::transaction::{CommitBuilder, CommitProperties};
use deltalake::kernel::{Action, Add, Transaction};
use deltalake::logstore::{StorageConfig, default_logstore};
use deltalake::protocol::{DeltaOperation, SaveMode};
use deltalake::{DeltaResult, DeltaTable, DeltaTableError};
use futures::TryStreamExt;
use object_store::ObjectStore;
use object_store::prefix::PrefixStore;

use crate::data_files::DataFiles;
use crate::fence::claim_transaction;
use crate::{Location, Partitioning, SinkSize, Table, TableError, TableSink};

/// Statistics for data skipping are kept for `date`, `domain` and `fetched_at`:
/// minima of whole texts would fill the log and skip nothing.
pub(crate) const INDEXED_COLUMNS: &str = "3";
pub(crate) const INDEXED_COLUMNS_KEY: &str = "delta.dataSkippingNumIndexedCols";

/// Opening a table reads every commit since its last checkpoint, one object each.
/// With deltalake's 100, that was a third of the files a night opened.
const CHECKPOINT_INTERVAL: &str = "10";
const CHECKPOINT_INTERVAL_KEY: &str = "delta.checkpointInterval";

/// The output tables of a job below one location.
#[derive(Debug, Clone)]
pub struct Output {
    location: Location,
    partitioning: Partitioning,
    target_file_bytes: NonZeroU64,
}

/// New content for whole partitions of one table.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Values of the partition column; every row they hold now is removed.
    pub partitions: BTreeSet<String>,
    /// The new data files, as [`TableSink::close`] gave them.
    pub files: Vec<String>,
    /// Names the change: a change that is in the table already is not made
    /// again.
    pub transaction: String,
    /// Orders changes of that name.
    pub transaction_version: i64,
    /// The number of the claim under which it is made: a table that was changed
    /// under a later one refuses it.
    pub claim: i64,
}

impl Output {
    /// The tables below `location`. Data files are closed near
    /// `target_file_bytes`.
    pub fn new(
        location: Location,
        partitioning: Partitioning,
        target_file_bytes: NonZeroU64,
    ) -> Self {
        Self {
            location,
            partitioning,
            target_file_bytes,
        }
    }

    /// Where the tables lie.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// How the output tables are cut.
    pub fn partitioning(&self) -> Partitioning {
        self.partitioning
    }

    /// Are [`Table::DERIVED`] made? Tables by month or year have few files as they
    /// are.
    pub fn has_derived(&self) -> bool {
        self.partitioning == Partitioning::Day
    }

    /// How `table` is cut.
    fn cut(&self, table: Table) -> Partitioning {
        if Table::DERIVED.contains(&table) {
            Partitioning::Month
        } else {
            self.partitioning
        }
    }

    /// The current version of `table`, or `None` where it was never written.
    ///
    /// # Errors
    /// [`TableError`] where it is there and cannot be read, or has another
    /// layout than this job writes.
    pub async fn open(&self, table: Table) -> Result<Option<DeltaTable>, TableError> {
        let mut opened = self.handle(table);
        let exists = opened
            .verify_deltatable_existence()
            .await
            .map_err(|error| self.error(table, error))?;
        if !exists {
            return Ok(None);
        }
        opened
            .load()
            .await
            .map_err(|error| self.error(table, error))?;
        self.check_layout(table, &opened)?;
        Ok(Some(opened))
    }

    /// The current version of `table`, which is made where it is missing.
    ///
    /// # Errors
    /// As [`Output::open`].
    pub async fn open_or_create(&self, table: Table) -> Result<DeltaTable, TableError> {
        if let Some(opened) = self.open(table).await? {
            return Ok(opened);
        }
        let schema = table.schema(self.cut(table));
        let columns: StructType =
            schema
                .as_ref()
                .try_into_kernel()
                .map_err(|error: arrow::error::ArrowError| {
                    self.error(table, DeltaTableError::Arrow { source: error })
                })?;
        self.handle(table)
            .create()
            .with_table_name(table.name())
            .with_columns(columns.fields().cloned())
            .with_partition_columns([self.cut(table).column()])
            .with_configuration([
                (INDEXED_COLUMNS_KEY, Some(INDEXED_COLUMNS)),
                (CHECKPOINT_INTERVAL_KEY, Some(CHECKPOINT_INTERVAL)),
            ])
            // Another run may be making it at this moment.
            .with_save_mode(SaveMode::Ignore)
            .await
            .map_err(|error| self.error(table, error))
    }

    /// Values of the partition column under which `table` has rows.
    ///
    /// # Errors
    /// As [`Output::open`].
    pub async fn partitions(&self, table: Table) -> Result<BTreeSet<String>, TableError> {
        match self.open(table).await? {
            Some(opened) => self.partitions_of(table, &opened).await,
            None => Ok(BTreeSet::new()),
        }
    }

    /// The same of the version of `table` that was `opened`.
    ///
    /// # Errors
    /// [`TableError`] where its log cannot be read.
    pub async fn partitions_of(
        &self,
        table: Table,
        opened: &DeltaTable,
    ) -> Result<BTreeSet<String>, TableError> {
        let files = async {
            let snapshot = opened.snapshot()?.snapshot().clone();
            let log_store = opened.log_store();
            let files: Vec<_> = (snapshot.file_views(log_store.as_ref(), None))
                .try_collect()
                .await?;
            Ok(files)
        };
        let files = files.await.map_err(|error| self.error(table, error))?;
        let column = self.cut(table).column();
        Ok((files.iter())
            .filter_map(|file| file.partition_values_map().remove(column).flatten())
            .collect())
    }

    /// The version of the last change of `opened` that was called `transaction`.
    ///
    /// # Errors
    /// [`TableError`] where its log cannot be read.
    pub async fn transaction_version(
        &self,
        table: Table,
        opened: &DeltaTable,
        transaction: &str,
    ) -> Result<Option<i64>, TableError> {
        let version = async {
            let log_store = opened.log_store();
            let snapshot = opened.snapshot()?.snapshot();
            snapshot
                .transaction_version(log_store.as_ref(), transaction)
                .await
        };
        version.await.map_err(|error| self.error(table, error))
    }

    /// A writer of data files for `table`, which holds so much. The files are
    /// invisible until a [`Output::replace`] names them.
    pub fn sink(&self, table: Table, size: SinkSize) -> TableSink {
        let store = prefixed(&self.location.child(table.name()));
        let files = DataFiles::new(
            Arc::new(store),
            table,
            self.cut(table),
            size.row_group_bytes,
            self.target_file_bytes,
        );
        TableSink::new(files, size)
    }

    /// Replaces whole partitions of `table` in one commit and gives the new
    /// version, or `None` where the change was made before or there is nothing
    /// to change.
    ///
    /// # Errors
    /// [`TableError`], with the table as it was, where another writer changed
    /// the table meanwhile, a later claim did so before, or the store fails.
    pub async fn replace(
        &self,
        table: Table,
        replacement: Replacement,
    ) -> Result<Option<u64>, TableError> {
        let opened = self.open_or_create(table).await?;
        self.check_claim(table, &opened, replacement.claim).await?;
        let column = self.cut(table).column();
        self.commit(&opened, column, replacement)
            .await
            .map_err(|error| self.error(table, error))
    }

    async fn commit(
        &self,
        table: &DeltaTable,
        column: &str,
        replacement: Replacement,
    ) -> DeltaResult<Option<u64>> {
        let log_store = table.log_store();
        let snapshot = table.snapshot()?.snapshot().clone();
        let committed = snapshot
            .transaction_version(log_store.as_ref(), &replacement.transaction)
            .await?;
        if committed.is_some_and(|version| version >= replacement.transaction_version) {
            return Ok(None);
        }
        let mut actions: Vec<Action> = snapshot
            .file_views(log_store.as_ref(), None)
            .try_collect::<Vec<_>>()
            .await?
            .iter()
            .filter(|file| {
                let values = file.partition_values_map();
                values
                    .get(column)
                    .and_then(Option::as_ref)
                    .is_some_and(|value| replacement.partitions.contains(value))
            })
            .map(|file| Action::Remove(file.remove_action(true)))
            .collect();
        for file in &replacement.files {
            actions.push(Action::Add(serde_json::from_str::<Add>(file)?));
        }
        if actions.is_empty() {
            return Ok(None);
        }
        let values: Vec<_> = replacement
            .partitions
            .iter()
            .map(|value| format!("'{value}'"))
            .collect();
        let operation = DeltaOperation::Write {
            mode: SaveMode::Overwrite,
            partition_by: Some(vec![column.to_owned()]),
            predicate: Some(format!("{column} IN ({})", values.join(", "))),
        };
        let properties = CommitProperties::default()
            .with_application_transaction(Transaction::new(
                &replacement.transaction,
                replacement.transaction_version,
            ))
            .with_application_transaction(claim_transaction(replacement.claim));
        let commit = CommitBuilder::from(properties)
            .with_actions(actions)
            .build(Some(&snapshot), log_store, operation)
            .await?;
        Ok(Some(commit.version()))
    }

    /// The table with a log store made here. deltalake's builder would ask for
    /// a crate of its own per cloud, with an SDK, for what `object_store` does,
    /// and write the whole store into its debug log, keys included.
    fn handle(&self, table: Table) -> DeltaTable {
        let location = self.location.child(table.name());
        DeltaTable::new(default_logstore(
            Arc::new(prefixed(&location)),
            Arc::clone(location.store()),
            location.url(),
            &StorageConfig::default(),
        ))
    }

    /// Columns and partition column of a table that is there must be the ones
    /// this job writes.
    fn check_layout(&self, table: Table, opened: &DeltaTable) -> Result<(), TableError> {
        let snapshot = opened
            .snapshot()
            .map_err(|error| self.error(table, error))?;
        let partitions = snapshot.metadata().partition_columns();
        let names = |columns: &mut dyn Iterator<Item = String>, partition: &str| {
            format!(
                "columns {} by {partition}",
                columns.collect::<Vec<_>>().join(", ")
            )
        };
        let expected = names(
            &mut table
                .schema(self.cut(table))
                .fields()
                .iter()
                .map(|field| field.name().clone()),
            self.cut(table).column(),
        );
        let found = names(
            &mut snapshot.schema().fields().map(|field| field.name().clone()),
            &partitions.join(", "),
        );
        if expected == found {
            return Ok(());
        }
        Err(TableError::Layout {
            table: table.name(),
            location: self.location.child(table.name()).to_string(),
            expected,
            found,
        })
    }

    pub(crate) fn error(&self, table: Table, source: DeltaTableError) -> TableError {
        TableError::Delta {
            table: table.name(),
            location: self.location.child(table.name()).to_string(),
            source: Box::new(source),
        }
    }
}

/// The store as seen from `location`.
fn prefixed(location: &Location) -> PrefixStore<Arc<dyn ObjectStore>> {
    PrefixStore::new(Arc::clone(location.store()), location.path().clone())
}
