//! The tables as the owner of a lease needs them. The crate `lease` has the order of leases, tokens and commits.

use std::error::Error;
use std::time::Duration;

use async_trait::async_trait;
use deltalake::kernel::transaction::{CommitBuilder, CommitProperties};
use deltalake::logstore::LogStore;
use deltalake::protocol::{DeltaOperation, SaveMode};
use deltalake::{DeltaResult, DeltaTable, DeltaTableError};
use lease::{CommitError, FENCING_TRANSACTION, LeaseStore, OwnedTables, Tables, Vacuumed};

use crate::fencing_transaction::fencing_transaction;
use crate::plain_folders::StagedFiles;
use crate::staged_units::Claims;
use crate::table_version::TableVersion;
use crate::{Location, Output, Replacement, Table, TableError, TableFormat, UnreferencedFile};

/// The folder of the lease objects, beside the folders of the tables.
const LEASES: &str = "_leases";

fn leases(location: &Location) -> LeaseStore {
    let folder = location.child(LEASES);
    let store = folder.store().clone();
    LeaseStore::new(store, folder.path().clone(), folder.to_string())
}

#[async_trait]
impl Tables for Output {
    type Table = Table;
    type Version = TableVersion;
    type Change = Replacement;
    type Error = TableError;

    const FIRST: Table = Table::UrlKeys;
    const LAST: Table = Table::Runs;

    fn every(&self) -> Vec<Table> {
        Table::every().collect()
    }

    fn is_derived(&self, table: Table) -> bool {
        self.has_derived() && Table::DERIVED.contains(&table)
    }

    fn name(table: Table) -> &'static str {
        table.name()
    }

    fn location(&self) -> String {
        Output::location(self).to_string()
    }

    fn leases(&self) -> LeaseStore {
        leases(Output::location(self))
    }

    fn leases_with_own_client(&self) -> Result<LeaseStore, Box<dyn Error + Send + Sync>> {
        Ok(leases(&Output::location(self).with_own_client()?))
    }

    fn known(&self) -> &OwnedTables<Table, TableVersion> {
        self.owned_tables()
    }

    async fn open_latest(&self, table: Table) -> Result<Option<TableVersion>, TableError> {
        Ok(self.load_latest(table).await?.map(TableVersion::from))
    }

    async fn open_or_create(&self, table: Table) -> Result<TableVersion, TableError> {
        Ok(Output::open_or_create(self, table).await?.into())
    }

    async fn is_latest(&self, _: Table, opened: &TableVersion) -> bool {
        let Some(opened) = opened.table().await else {
            return false;
        };
        let Some(version) = opened.version() else {
            return false;
        };
        // After an error the table is opened again, which reports the error.
        let latest = opened.log_store().get_latest_version(version).await;
        latest.is_ok_and(|latest| latest == version)
    }

    async fn token(&self, table: Table, opened: &TableVersion) -> Result<Option<i64>, TableError> {
        let opened = self.settled(table, opened).await?;
        let version = self.transaction_version(table, &opened, FENCING_TRANSACTION);
        version.await
    }

    fn superseded(&self, table: Table, token: i64, later: i64) -> TableError {
        TableError::Superseded {
            table: table.name(),
            location: Output::location(self).child(table.name()).to_string(),
            token,
            later,
        }
    }

    async fn commit_token(
        &self,
        table: Table,
        opened: &TableVersion,
        token: i64,
    ) -> Result<(), CommitError<TableError>> {
        let opened = self.settled(table, opened).await;
        let opened = opened.map_err(CommitError::Failed)?;
        match commit_token(&opened, token).await {
            Ok(()) => Ok(()),
            Err(error @ DeltaTableError::Transaction { .. }) => {
                Err(CommitError::Conflict(self.error(table, error)))
            }
            Err(error) => Err(CommitError::Failed(self.error(table, error))),
        }
    }

    fn token_of(change: &Replacement) -> i64 {
        change.fencing_token
    }

    async fn commit(
        &self,
        table: Table,
        opened: &TableVersion,
        change: Replacement,
    ) -> Result<Option<TableVersion>, TableError> {
        let opened = self.settled(table, opened).await?;
        self.commit_replacement(table, &opened, change).await
    }
}

#[async_trait]
impl Vacuumed for Output {
    type Files = Vec<UnreferencedFile>;
    type Staged = StagedFiles;
    type Claims = Claims;

    async fn unreferenced(
        &self,
        table: Table,
        retention: Duration,
    ) -> Result<Vec<UnreferencedFile>, TableError> {
        self.unreferenced_files(table, retention).await
    }

    async fn delete(&self, table: Table, files: &Vec<UnreferencedFile>) -> Result<(), TableError> {
        self.delete_unreferenced(table, files).await
    }

    async fn staged(&self) -> Result<StagedFiles, TableError> {
        self.staged_files().await
    }

    async fn delete_staged(&self, files: &StagedFiles, claims: &Claims) -> Result<(), TableError> {
        self.delete_staged_files(files, claims).await
    }

    async fn claims(&self) -> Result<Claims, TableError> {
        Output::claims(self).await
    }

    fn unclaimed(
        &self,
        table: Table,
        files: Vec<UnreferencedFile>,
        claims: &Claims,
    ) -> Vec<UnreferencedFile> {
        match self.format() {
            TableFormat::Delta => claims.unclaimed(table, files),
            // The files of units are in another folder. One that is here was moved by a commit that was not made, and
            // readers of the folder must not find it.
            TableFormat::Parquet => files,
        }
    }
}

impl Output {
    /// Returns the table at `version`.
    async fn settled(
        &self,
        table: Table,
        version: &TableVersion,
    ) -> Result<DeltaTable, TableError> {
        let settled = version.table().await;
        settled.ok_or_else(|| self.error(table, DeltaTableError::NotInitialized))
    }
}

/// Makes a commit that changes only the fencing token of the table.
async fn commit_token(table: &DeltaTable, token: i64) -> DeltaResult<()> {
    let operation = DeltaOperation::Write {
        mode: SaveMode::Append,
        partition_by: None,
        predicate: None,
    };
    let properties =
        CommitProperties::default().with_application_transaction(fencing_transaction(token));
    let snapshot = table.snapshot()?.snapshot().clone();
    CommitBuilder::from(properties)
        .build(Some(&snapshot), table.log_store(), operation)
        .await?;
    Ok(())
}
