use std::error::Error;
use std::fmt::Debug;

use async_trait::async_trait;

use crate::error::CommitError;
use crate::owned_tables::OwnedTables;
use crate::store::LeaseStore;

/// The application transaction in every commit of an owner; its version is the fencing token of the lease.
pub const FENCING_TRANSACTION: &str = "urltree lease";

/// Tables with a log of versions, as Delta tables are.
///
/// Each commit makes the next version of one table, at once or not at all. Of two commits that carry
/// [`FENCING_TRANSACTION`] and were made from the same version of a table, the second is refused.
#[async_trait]
pub trait Tables: Send + Sync {
    /// The name of a table.
    type Table: Copy + Ord + Debug + Send + Sync + 'static;
    /// A table at one version.
    type Version: Clone + Send + Sync;
    /// A change of one table, with its fencing token.
    type Change: Send + Sync;
    /// The error of a table.
    type Error: Error + Send + 'static;

    /// The table that a chunk commits before all others: a date that it has and [`Tables::LAST`] has not is incomplete.
    const FIRST: Self::Table;
    /// The table of the dates that are complete.
    const LAST: Self::Table;

    /// Returns every table, in the order in which a takeover fences them.
    fn every(&self) -> Vec<Self::Table>;

    /// Whether an owner creates `table` without looking at its lease. A takeover creates such a table
    /// itself.
    fn is_derived(&self, table: Self::Table) -> bool;

    /// Returns the name of `table`.
    fn name(table: Self::Table) -> &'static str;

    /// Returns the folder of the tables, for messages.
    fn location(&self) -> String;

    /// Returns the leases on these tables.
    fn leases(&self) -> LeaseStore;

    /// Returns the leases over a new client with its own connections, for a thread that must not wait for other
    /// requests.
    ///
    /// # Errors
    /// The error of the client.
    fn leases_with_own_client(&self) -> Result<LeaseStore, Box<dyn Error + Send + Sync>>;

    /// Returns the versions that an owner knows.
    fn known(&self) -> &OwnedTables<Self::Table, Self::Version>;

    /// Opens the latest version in the store. Returns `None` if the table does not exist.
    async fn open_latest(&self, table: Self::Table) -> Result<Option<Self::Version>, Self::Error>;

    /// Returns the version that the owner knows, or opens the latest. Creates the table if it does not exist.
    async fn open_or_create(&self, table: Self::Table) -> Result<Self::Version, Self::Error>;

    /// Whether the store has no later version than `opened`. False after an error.
    async fn is_latest(&self, table: Self::Table, opened: &Self::Version) -> bool;

    /// Returns the version of [`FENCING_TRANSACTION`] in `opened`.
    async fn token(
        &self,
        table: Self::Table,
        opened: &Self::Version,
    ) -> Result<Option<i64>, Self::Error>;

    /// Makes the error of a table that has the `later` token and refuses `token`.
    fn superseded(&self, table: Self::Table, token: i64, later: i64) -> Self::Error;

    /// Makes a commit from `opened` that has nothing but the fencing token.
    async fn commit_token(
        &self,
        table: Self::Table,
        opened: &Self::Version,
        token: i64,
    ) -> Result<(), CommitError<Self::Error>>;

    /// Returns the fencing token of `change`.
    fn token_of(change: &Self::Change) -> i64;

    /// Commits `change` with its fencing token from `opened`. Returns the new version, or `None` if `opened`
    /// has the change already or there is nothing to change.
    async fn commit(
        &self,
        table: Self::Table,
        opened: &Self::Version,
        change: Self::Change,
    ) -> Result<Option<Self::Version>, Self::Error>;
}
