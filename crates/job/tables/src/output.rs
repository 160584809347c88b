use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU64;
use std::sync::Arc;

use deltalake::kernel::engine::arrow_conversion::TryIntoKernel;
use deltalake::kernel::schema::{StructField, StructType};
use deltalake::kernel::transaction::{CommitBuilder, CommitProperties};
use deltalake::kernel::{Action, Add, Transaction};
use deltalake::logstore::{StorageConfig, default_logstore};
use deltalake::protocol::{DeltaOperation, SaveMode};
use deltalake::{DeltaResult, DeltaTable, DeltaTableError};
use futures::TryStreamExt;
use futures::future::try_join_all;
use lease::OwnedTables;
use object_store::ObjectStore;
use object_store::prefix::PrefixStore;

use crate::data_files::{DataFiles, INDEXED_COLUMNS, INDEXED_COLUMNS_KEY};
use crate::fencing_transaction::fencing_transaction;
use crate::table_format::TableFormat;
use crate::table_version::TableVersion;
use crate::{Bucket, Location, Partitioning, RowSpill, SinkSize, Table, TableError, TableSink};

/// Commits between two checkpoints. Opening a table reads every commit since the last checkpoint, one object each: with 10,
/// a night opens 27 of them in six tables on average, with 5 12, for one more checkpoint of two objects per table in ten nights.
const CHECKPOINT_INTERVAL: u64 = 5;
const CHECKPOINT_INTERVAL_KEY: &str = "delta.checkpointInterval";

/// The output tables of a job below one location.
#[derive(Debug, Clone)]
pub struct Output {
    location: Location,
    partitioning: Partitioning,
    target_file_bytes: NonZeroU64,
    format: TableFormat,
    /// The sites whose rows are written.
    bucket: Bucket,
    owned: OwnedTables<Table, TableVersion>,
}

/// The new content of whole partitions of one table.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Values of the partition column. All present rows of these partitions are
    /// removed.
    pub partitions: BTreeSet<String>,
    /// The new data files, as returned by [`TableSink::close`].
    pub files: Vec<String>,
    /// Application transaction of the change: it is skipped if the table already has
    /// this version or a later one.
    pub transaction: String,
    /// Version of the application transaction.
    pub transaction_version: i64,
    /// Fencing token of the lease. A table with a later token refuses the change.
    pub fencing_token: i64,
}

/// A commit that was made.
struct Committed {
    /// The table at its new version.
    table: TableVersion,
    /// Paths of the files that the new version has no more, below the table.
    replaced: Vec<String>,
}

impl Output {
    /// Creates a handle for the tables below `location`. A data file is closed when it
    /// reaches about `target_file_bytes`.
    pub fn new(
        location: Location,
        partitioning: Partitioning,
        target_file_bytes: NonZeroU64,
    ) -> Self {
        Self {
            location,
            partitioning,
            target_file_bytes,
            format: TableFormat::default(),
            bucket: Bucket::WHOLE,
            owned: OwnedTables::default(),
        }
    }

    /// Returns the same tables for the owner of their lease, who opens each of them once. `known` are tables at
    /// their latest versions, and `None` for one that does not exist.
    #[must_use]
    pub fn owned(&self, known: impl IntoIterator<Item = (Table, Option<TableVersion>)>) -> Self {
        Self {
            owned: OwnedTables::new(known),
            ..self.clone()
        }
    }

    /// Returns the versions that the owner of the lease knows.
    pub(crate) fn owned_tables(&self) -> &OwnedTables<Table, TableVersion> {
        &self.owned
    }

    /// Returns the same tables, written for the readers of `format`.
    #[must_use]
    pub fn with_format(mut self, format: TableFormat) -> Self {
        self.format = format;
        self
    }

    /// Returns the same tables with these partitions.
    #[must_use]
    pub fn partitioned_by(mut self, partitioning: Partitioning) -> Self {
        self.partitioning = partitioning;
        self
    }

    /// Returns the same tables, to which rows of these sites are written.
    #[must_use]
    pub fn of_sites(mut self, bucket: Bucket) -> Self {
        self.bucket = bucket;
        self
    }

    /// Returns the readers for which the tables are written.
    pub fn format(&self) -> TableFormat {
        self.format
    }

    /// Returns the bytes at which a data file is closed.
    pub(crate) fn target_file_bytes(&self) -> NonZeroU64 {
        self.target_file_bytes
    }

    /// Returns the folder of the tables.
    pub fn location(&self) -> &Location {
        &self.location
    }

    /// Returns the partitioning of tables that are written. Those that exist may have another one.
    pub fn partitioning(&self) -> Partitioning {
        self.partitioning
    }

    /// Whether [`Table::DERIVED`] are written. Tables partitioned by month or year have
    /// few files and do not need them.
    pub fn has_derived(&self) -> bool {
        self.partitioning == Partitioning::Day
    }

    pub(crate) fn partitioning_of(&self, table: Table) -> Partitioning {
        if Table::DERIVED.contains(&table) {
            Partitioning::Month
        } else {
            self.partitioning
        }
    }

    /// Returns the partitioning of `opened`, a version of `table`.
    ///
    /// # Errors
    /// [`TableError::Layout`] if it is none of urltree.
    pub fn partitioning_of_opened(
        &self,
        table: Table,
        opened: &DeltaTable,
    ) -> Result<Partitioning, TableError> {
        let snapshot = opened
            .snapshot()
            .map_err(|error| self.error(table, error))?;
        let columns = snapshot.metadata().partition_columns();
        let all = [Partitioning::Day, Partitioning::Month, Partitioning::Year];
        let known = all.into_iter().find(|known| columns == [known.column()]);
        known.ok_or_else(|| {
            let expected = "partitions by date, month or year";
            self.layout(
                table,
                expected,
                format!("partitions by {}", columns.join(", ")),
            )
        })
    }

    /// Opens the current version of `table`, or returns `None` if it does not exist.
    ///
    /// # Errors
    /// [`TableError`] if it cannot be read, or has columns or partitions that no table of urltree has.
    pub async fn open(&self, table: Table) -> Result<Option<DeltaTable>, TableError> {
        match self.owned.get(table) {
            Some(None) => return Ok(None),
            Some(Some(version)) => match version.table().await {
                Some(known) => return Ok(Some(known)),
                None => self.owned.forget(table),
            },
            None => {}
        }
        let opened = self.load_latest(table).await?;
        self.owned
            .insert(table, opened.clone().map(TableVersion::from));
        Ok(opened)
    }

    /// Reads the versions that the commits of an owner have made, and writes checkpoints where they are due.
    ///
    /// # Errors
    /// See [`Output::open`]. The commits are made.
    pub async fn settle(&self) -> Result<(), TableError> {
        let made = Table::every().filter(|table| matches!(self.owned.get(*table), Some(Some(_))));
        try_join_all(made.map(|table| self.open(table))).await?;
        Ok(())
    }

    /// Opens the latest version in the store.
    pub(crate) async fn load_latest(&self, table: Table) -> Result<Option<DeltaTable>, TableError> {
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
        self.lacking_columns(table, &opened)?;
        Ok(Some(opened))
    }

    /// Opens the current version of `table`, which is created if it does not exist. A table of an
    /// earlier version gets the columns that it lacks: its rows have null there.
    ///
    /// # Errors
    /// See [`Output::open`], and [`TableError::Layout`] if it has other partitions than these tables.
    pub async fn open_or_create(&self, table: Table) -> Result<DeltaTable, TableError> {
        let opened = self.open_with_columns(table).await?;
        self.owned.insert(table, Some(opened.clone().into()));
        Ok(opened)
    }

    async fn open_with_columns(&self, table: Table) -> Result<DeltaTable, TableError> {
        let columns = self.delta_columns(table)?;
        if let Some(opened) = self.open(table).await? {
            let expected = self.partitioning_of(table);
            let found = self.partitioning_of_opened(table, &opened)?;
            if found != expected {
                let [expected, found] = [expected, found].map(|by| format!("partitions by {by}"));
                return Err(self.layout(table, &expected, found));
            }
            let lacking = self.lacking_columns(table, &opened)?;
            if lacking.is_empty() {
                return Ok(opened);
            }
            let is_lacking = |field: &&StructField| lacking.contains(field.name());
            let added: Vec<StructField> = columns.fields().filter(is_lacking).cloned().collect();
            let added = opened.add_columns().with_fields(added).await;
            return added.map_err(|error| self.error(table, error));
        }
        match self.create(table, columns).await {
            Ok(created) => Ok(created),
            // Another run may have created it at this moment.
            Err(error) => match self.load_latest(table).await? {
                Some(opened) => Ok(opened),
                None => Err(self.error(table, error)),
            },
        }
    }

    /// Makes the first version of `table`.
    async fn create(&self, table: Table, columns: StructType) -> DeltaResult<DeltaTable> {
        let checkpoint_interval = CHECKPOINT_INTERVAL.to_string();
        // deltalake looks for a table before it makes it, and reads it twice afterwards: here in memory.
        let model = DeltaTable::new_in_memory()
            .create()
            .with_table_name(table.name())
            .with_columns(columns.fields().cloned())
            .with_partition_columns([self.partitioning_of(table).column()])
            .with_configuration([
                (INDEXED_COLUMNS_KEY, Some(INDEXED_COLUMNS)),
                (CHECKPOINT_INTERVAL_KEY, Some(checkpoint_interval.as_str())),
            ])
            .await?;
        let model = model.snapshot()?.snapshot();
        let (protocol, metadata) = (model.protocol().clone(), model.metadata().clone());
        let mut created = self.handle(table);
        let log_store = created.log_store();
        let actions = vec![
            Action::Protocol(protocol.clone()),
            Action::Metadata(metadata.clone()),
        ];
        let operation = DeltaOperation::Create {
            mode: SaveMode::Ignore,
            location: log_store.root_url().clone(),
            protocol,
            metadata,
        };
        let commit = CommitBuilder::from(CommitProperties::default().with_max_retries(0))
            .with_actions(actions)
            .build(None, log_store, operation);
        created.state = Some(commit.await?.snapshot());
        Ok(created)
    }

    /// Returns the values of the partition column for which `table` has rows.
    ///
    /// # Errors
    /// See [`Output::open`].
    pub async fn partitions(&self, table: Table) -> Result<BTreeSet<String>, TableError> {
        match self.open(table).await? {
            Some(opened) => self.partitions_of(table, &opened).await,
            None => Ok(BTreeSet::new()),
        }
    }

    /// Like [`Output::partitions`], for an open table.
    ///
    /// # Errors
    /// [`TableError`] if the Delta log cannot be read.
    pub async fn partitions_of(
        &self,
        table: Table,
        opened: &DeltaTable,
    ) -> Result<BTreeSet<String>, TableError> {
        let files = async {
            let snapshot = opened.snapshot()?.snapshot().clone();
            let log_store = opened.log_store();
            let files = snapshot.file_views(log_store.as_ref(), None);
            files.try_collect::<Vec<_>>().await
        };
        let files = files.await.map_err(|error| self.error(table, error))?;
        let column = self.partitioning_of_opened(table, opened)?.column();
        Ok(files
            .iter()
            .filter_map(|file| file.partition_values_map().remove(column).flatten())
            .collect())
    }

    /// Returns the version of the application transaction `transaction` in an open
    /// table.
    ///
    /// # Errors
    /// [`TableError`] if the Delta log cannot be read.
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

    /// Creates a writer of data files for `table` that spills rows to `spill`. The files
    /// are invisible until [`Output::replace`] commits them.
    pub fn sink(&self, table: Table, size: SinkSize, spill: Arc<dyn RowSpill>) -> TableSink {
        let files = self.data_files(table, size);
        // Only the plan of a unit reads a part of a table, and it reads these tables.
        let is_by_site = Table::STATE.contains(&table) && self.format == TableFormat::Delta;
        let files = files.of_sites(if is_by_site {
            self.bucket
        } else {
            Bucket::WHOLE
        });
        TableSink::new(files, size, spill)
    }

    pub(crate) fn data_files(&self, table: Table, size: SinkSize) -> DataFiles {
        DataFiles::new(
            Arc::new(prefixed(&self.written_to(table))),
            table,
            self.partitioning_of(table),
            size.row_group_bytes,
            self.target_file_bytes,
        )
    }

    /// Replaces whole partitions of `table` in one commit. Returns the new version, or
    /// `None` if the table already has the change or there is nothing to change. In
    /// [`TableFormat::Parquet`], the new files are in the folder of the table just before the
    /// commit, and the replaced ones are deleted just after it.
    ///
    /// # Errors
    /// [`TableError`], with the table unchanged, if another writer changed the table
    /// in the meantime, the table has a later fencing token, or the store fails.
    pub async fn replace(
        &self,
        table: Table,
        replacement: Replacement,
    ) -> Result<Option<u64>, TableError> {
        let committed = lease::replace(self, table, replacement).await?;
        if let Some(committed) = &committed {
            committed.table().await;
        }
        Ok(committed.and_then(|committed| committed.number()))
    }

    /// Makes the commit of [`Output::replace`] from `opened`, the current version. Returns the new one.
    pub(crate) async fn commit_replacement(
        &self,
        table: Table,
        opened: &DeltaTable,
        replacement: Replacement,
    ) -> Result<Option<TableVersion>, TableError> {
        let column = self.partitioning_of(table).column();
        let published = self.publish(table, &replacement.files).await?;
        match self.commit(opened, column, replacement).await {
            Ok(None) => Ok(None),
            Ok(Some(committed)) => {
                self.remove_replaced(table, committed.replaced).await?;
                Ok(Some(committed.table))
            }
            Err(error) => {
                self.withdraw(table, published, &error).await;
                Err(self.error(table, error))
            }
        }
    }

    async fn commit(
        &self,
        table: &DeltaTable,
        column: &str,
        replacement: Replacement,
    ) -> DeltaResult<Option<Committed>> {
        let log_store = table.log_store();
        let snapshot = table.snapshot()?.snapshot().clone();
        let committed = snapshot
            .transaction_version(log_store.as_ref(), &replacement.transaction)
            .await?;
        if committed.is_some_and(|version| version >= replacement.transaction_version) {
            return Ok(None);
        }
        let adds = replacement.files.iter();
        let adds = adds.map(|file| Ok(serde_json::from_str::<Add>(file)?));
        let mut added: BTreeMap<String, Add> = adds
            .map(|add: DeltaResult<Add>| add.map(|add| (add.path.clone(), add)))
            .collect::<DeltaResult<_>>()?;
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
            .map(|file| file.remove_action(true))
            // A run that was killed had committed the files of its units to this table. They stay.
            .filter(|remove| added.remove(&remove.path).is_none())
            .map(Action::Remove)
            .collect();
        let removed = actions.iter().filter_map(|action| match action {
            Action::Remove(remove) => Some(remove.path.clone()),
            _ => None,
        });
        let replaced = removed.collect();
        actions.extend(added.into_values().map(Action::Add));
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
        // Looking for old commits takes an answer of the store. Each checkpoint makes some superfluous.
        let is_checkpoint = (snapshot.version() + 2).is_multiple_of(CHECKPOINT_INTERVAL);
        let properties = CommitProperties::default()
            .with_cleanup_expired_logs((!is_checkpoint).then_some(false))
            .with_application_transaction(Transaction::new(
                &replacement.transaction,
                replacement.transaction_version,
            ))
            .with_application_transaction(fencing_transaction(replacement.fencing_token));
        let commit = CommitBuilder::from(properties).with_actions(actions);
        let commit = commit.build(Some(&snapshot), log_store, operation);
        let posted = commit.into_prepared_commit_future().await?.await?;
        let (number, mut table) = (posted.version, table.clone());
        let read = async move {
            table.state = Some(posted.await?.snapshot());
            Ok(table)
        };
        Ok(Some(Committed {
            table: TableVersion::after_commit(number, read),
            replaced,
        }))
    }

    /// Creates a table handle over the location's own store. deltalake's builder would
    /// need one more crate and SDK per cloud, and writes the store with its keys to the
    /// debug log.
    fn handle(&self, table: Table) -> DeltaTable {
        let location = self.location.child(table.name());
        DeltaTable::new(default_logstore(
            Arc::new(prefixed(&location)),
            Arc::clone(location.store()),
            location.url(),
            &StorageConfig::default(),
        ))
    }

    fn delta_columns(&self, table: Table) -> Result<StructType, TableError> {
        let schema = table.schema(self.partitioning_of(table));
        let columns = schema.as_ref().try_into_kernel();
        columns.map_err(|error: arrow::error::ArrowError| {
            self.error(table, DeltaTableError::Arrow { source: error })
        })
    }

    /// Returns the columns that `opened`, a version of `table` that an earlier version of urltree wrote, lacks. They may be null. The order
    /// of columns does not matter: a table gets new ones behind the others.
    ///
    /// # Errors
    /// [`TableError::Layout`] if the table differs otherwise.
    pub fn lacking_columns(
        &self,
        table: Table,
        opened: &DeltaTable,
    ) -> Result<Vec<String>, TableError> {
        let snapshot = opened
            .snapshot()
            .map_err(|error| self.error(table, error))?;
        let schema = table.schema(self.partitioning_of_opened(table, opened)?);
        let found: Vec<String> = (snapshot.schema().fields())
            .map(|field| field.name().clone())
            .collect();
        let is_known = |name: &String| schema.column_with_name(name).is_some();
        let lacking: Vec<_> = (schema.fields().iter())
            .filter(|field| !found.contains(field.name()))
            .collect();
        let is_earlier =
            found.iter().all(is_known) && lacking.iter().all(|field| field.is_nullable());
        if is_earlier {
            return Ok((lacking.iter()).map(|field| field.name().clone()).collect());
        }
        let expected = schema.fields().iter().map(|field| field.name().as_str());
        let expected: Vec<_> = expected.collect();
        let columns = |names: &str| format!("columns {names}");
        Err(self.layout(
            table,
            &columns(&expected.join(", ")),
            columns(&found.join(", ")),
        ))
    }

    fn layout(&self, table: Table, expected: &str, found: String) -> TableError {
        TableError::Layout {
            table: table.name(),
            location: self.location.child(table.name()).to_string(),
            expected: expected.to_owned(),
            found,
        }
    }

    pub(crate) fn error(&self, table: Table, source: DeltaTableError) -> TableError {
        TableError::delta(
            table.name(),
            self.location.child(table.name()).to_string(),
            source,
        )
    }
}

/// Returns the store with `location` as its root.
fn prefixed(location: &Location) -> PrefixStore<Arc<dyn ObjectStore>> {
    PrefixStore::new(Arc::clone(location.store()), location.path().clone())
}
