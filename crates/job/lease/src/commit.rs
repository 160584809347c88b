//! The order of commits under a lease.

use futures::future::join_all;

use crate::error::OwnerError;
use crate::fail_point::fail_point;
use crate::fence::check_token;
use crate::lease::Lease;
use crate::tables::Tables;

/// Commits a chunk: each table of `changes` once, and [`Tables::LAST`] twice. `begun` is its first commit,
/// which removes the dates of the chunk; the last commit adds them again. So a date in it is complete.
/// [`Tables::FIRST`] comes before the other tables, because a date that it has and [`Tables::LAST`] has not is
/// incomplete. The other tables are committed together: a commit waits for eleven answers of the store, one
/// after the other.
///
/// # Errors
/// [`LeaseError::TakenOver`](crate::LeaseError::TakenOver) if the lease has been lost, else the error of a table or of the store. Commits that
/// were made stay.
pub async fn commit_chunk<T: Tables>(
    lease: &Lease,
    tables: &T,
    begun: T::Change,
    mut changes: Vec<(T::Table, T::Change)>,
) -> Result<(), OwnerError<T::Error>> {
    fail_point(format_args!("begin"));
    replace_under(lease, tables, T::LAST, begun).await?;
    fail_point(format_args!("begun"));
    let steps: [fn(T::Table) -> bool; 3] = [
        |table| table == T::FIRST,
        |table| table != T::FIRST && table != T::LAST,
        |table| table == T::LAST,
    ];
    for is_now in steps {
        let together: Vec<_> = changes
            .extract_if(.., |(table, _)| is_now(*table))
            .collect();
        let commits = together
            .into_iter()
            .map(|(table, change)| commit_table(lease, tables, table, change));
        // Await all of them, also after one has failed.
        for committed in join_all(commits).await {
            committed?;
        }
    }
    Ok(())
}

async fn commit_table<T: Tables>(
    lease: &Lease,
    tables: &T,
    table: T::Table,
    change: T::Change,
) -> Result<(), OwnerError<T::Error>> {
    fail_point(format_args!("commit.{}", T::name(table)));
    replace_under(lease, tables, table, change).await?;
    fail_point(format_args!("committed.{}", T::name(table)));
    Ok(())
}

/// Commits `change` if this is the latest lease.
///
/// The table is opened, or created, before the lease is checked. So every later owner finds it, and writes its
/// token after the opened version, from which this commit is then refused. An owner that slept between the
/// check and the creation of a table would commit to a table that its successor has not fenced.
async fn replace_under<T: Tables>(
    lease: &Lease,
    tables: &T,
    table: T::Table,
    change: T::Change,
) -> Result<(), OwnerError<T::Error>> {
    let opened = tables.open_or_create(table).await;
    let opened = opened.map_err(OwnerError::Tables);
    let opened = lease.or_taken_over(opened).await?;
    lease.check().await?;
    fail_point(format_args!("checked.{}", T::name(table)));
    let replaced = replace_from(tables, table, &opened, change).await;
    lease
        .or_taken_over(replaced.map_err(OwnerError::Tables))
        .await?;
    Ok(())
}

/// Commits `change` to `table`, which is created if it does not exist. Returns the new version, or `None` if
/// the table has the change already or there is nothing to change.
///
/// # Errors
/// [`Tables::superseded`] if the table has a later token, else the error of the table.
pub async fn replace<T: Tables>(
    tables: &T,
    table: T::Table,
    change: T::Change,
) -> Result<Option<T::Version>, T::Error> {
    let opened = tables.open_or_create(table).await?;
    replace_from(tables, table, &opened, change).await
}

async fn replace_from<T: Tables>(
    tables: &T,
    table: T::Table,
    opened: &T::Version,
    change: T::Change,
) -> Result<Option<T::Version>, T::Error> {
    check_token(tables, table, opened, T::token_of(&change)).await?;
    let committed = tables.commit(table, opened, change).await;
    match &committed {
        Ok(Some(version)) => tables.known().insert(table, Some(version.clone())),
        Ok(None) => {}
        // The commit may have been made without an answer, or another owner made one.
        Err(_) => tables.known().forget(table),
    }
    committed
}
