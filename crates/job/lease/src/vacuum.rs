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
    /// The files that [`Units`](crate::Units) name.
    type Claims: Send + Sync;

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

    /// Deletes files that were found, by their names, unless they are claimed, and units that no run has committed
    /// for long. A file that no longer exists is not an error.
    async fn delete_staged(
        &self,
        files: &Self::Staged,
        claims: &Self::Claims,
    ) -> Result<(), Self::Error>;

    /// Finds the files that units name.
    async fn claims(&self) -> Result<Self::Claims, Self::Error>;

    /// Keeps the files of `table` that no unit names.
    fn unclaimed(
        &self,
        table: Self::Table,
        files: Self::Files,
        claims: &Self::Claims,
    ) -> Self::Files;
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
        let found = find(tables, retention).await;
        return Ok(found.map_err(OwnerError::Tables)?.0);
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
/// are refused. An owner that sleeps after the check deletes no more than these files when it wakes. The claims
/// of units are read after all files were found: a unit names its files after it has written them, and its work is
/// known before.
///
/// # Errors
/// [`LeaseError::TakenOver`](crate::LeaseError::TakenOver) if the lease has been lost, else the error of a table or of the store.
pub async fn remove_unreferenced<T: Vacuumed>(
    lease: &Lease,
    tables: &T,
    retention: Duration,
) -> Result<Vec<(T::Table, T::Files)>, OwnerError<T::Error>> {
    let found = find(tables, retention).await;
    let (found, staged, claims) = found.map_err(OwnerError::Tables)?;
    for (table, files) in &found {
        lease.check().await?;
        let deleted = tables.delete(*table, files).await;
        deleted.map_err(OwnerError::Tables)?;
    }
    lease.check().await?;
    let deleted = tables.delete_staged(&staged, &claims).await;
    deleted.map_err(OwnerError::Tables)?;
    Ok(found)
}

/// The unclaimed files by table, the staged files, and the claims.
type Found<T> = (
    Vec<(<T as Tables>::Table, <T as Vacuumed>::Files)>,
    <T as Vacuumed>::Staged,
    <T as Vacuumed>::Claims,
);

async fn find<T: Vacuumed>(tables: &T, retention: Duration) -> Result<Found<T>, T::Error> {
    let mut found = Vec::new();
    for table in tables.every() {
        found.push((table, tables.unreferenced(table, retention).await?));
    }
    let staged = tables.staged().await?;
    let claims = tables.claims().await?;
    let unclaimed = found
        .into_iter()
        .map(|(table, files)| (table, tables.unclaimed(table, files, &claims)));
    Ok((unclaimed.collect(), staged, claims))
}
