//! The order in which files are removed under a lease.

use std::time::Duration;

use async_trait::async_trait;

use crate::error::OwnerError;
use crate::lease::Lease;
use crate::tables::Tables;

/// Tables with data files that no version may reference.
#[async_trait]
pub trait Vacuumed: Tables {
    /// Names of data files that were found.
    type Files: Send + Sync;
    /// Names of files outside of the tables that were found.
    type Staged: Send + Sync;

    /// Finds the files of `table` that no version of the last `retention` references.
    async fn unreferenced(
        &self,
        table: Self::Table,
        retention: Duration,
    ) -> Result<Self::Files, Self::Error>;

    /// Deletes files that were found, by their names. A file that no longer exists is not an error.
    async fn delete(&self, table: Self::Table, files: &Self::Files) -> Result<(), Self::Error>;

    /// Finds the files that wait for a commit outside of the folders of the tables.
    async fn staged(&self) -> Result<Self::Staged, Self::Error>;

    /// Deletes files that were found, by their names. A file that no longer exists is not an error.
    async fn delete_staged(&self, files: &Self::Staged) -> Result<(), Self::Error>;
}

/// Deletes the files that [`remove_unreferenced`] finds, and the records of earlier leases. Without a lease it
/// finds the files and changes nothing. Returns the files by table.
///
/// # Errors
/// As [`remove_unreferenced`].
pub async fn vacuum<T: Vacuumed>(
    lease: Option<&Lease>,
    tables: &T,
    retention: Duration,
) -> Result<Vec<(T::Table, T::Files)>, OwnerError<T::Error>> {
    let Some(lease) = lease else {
        let mut found = Vec::new();
        for table in tables.every() {
            let files = tables.unreferenced(table, retention).await;
            found.push((table, files.map_err(OwnerError::Tables)?));
        }
        return Ok(found);
    };
    let found = remove_unreferenced(lease, tables, retention).await?;
    lease.remove_earlier().await?;
    Ok(found)
}

/// Deletes the files that no version of the last `retention` references, and those that wait for a commit. Returns the
/// former by table.
///
/// Files are found, the lease is checked, and then these files are deleted by their names. At the check no
/// later lease exists, so no file that was found before is of a later owner, and the commits of earlier owners
/// are refused. An owner that sleeps after the check deletes no more than these files when it wakes.
///
/// # Errors
/// [`LeaseError::TakenOver`](crate::LeaseError::TakenOver) if the lease has been lost, else the error of a table or of the store.
pub async fn remove_unreferenced<T: Vacuumed>(
    lease: &Lease,
    tables: &T,
    retention: Duration,
) -> Result<Vec<(T::Table, T::Files)>, OwnerError<T::Error>> {
    let mut found = Vec::new();
    for table in tables.every() {
        let files = tables.unreferenced(table, retention).await;
        let files = files.map_err(OwnerError::Tables)?;
        lease.check().await?;
        let deleted = tables.delete(table, &files).await;
        deleted.map_err(OwnerError::Tables)?;
        found.push((table, files));
    }
    let staged = tables.staged().await.map_err(OwnerError::Tables)?;
    lease.check().await?;
    let deleted = tables.delete_staged(&staged).await;
    deleted.map_err(OwnerError::Tables)?;
    Ok(found)
}
