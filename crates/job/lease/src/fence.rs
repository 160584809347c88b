use crate::error::CommitError;
use crate::tables::Tables;

/// Attempts to commit a fencing token. Each may lose to one commit of the earlier
/// owner, which commits one change at a time.
const FENCE_ATTEMPTS: usize = 5;

/// Commits a fencing token to `table`. From then on the table refuses every
/// commit with an earlier token, including those already sent. Does nothing if
/// the table does not exist: an owner creates a table before it looks at its lease.
///
/// # Errors
/// The error of the table if it has a later token, or the store fails.
pub async fn fence<T: Tables>(tables: &T, table: T::Table, token: i64) -> Result<(), T::Error> {
    let mut attempts = 0;
    while let Some(opened) = tables.open_latest(table).await? {
        let known = check_token(tables, table, &opened, token).await?;
        if known == Some(token) {
            break;
        }
        match tables.commit_token(table, &opened, token).await {
            Ok(()) => break,
            // The earlier owner committed first. Its next commit will fail.
            Err(CommitError::Conflict(_)) if attempts < FENCE_ATTEMPTS => attempts += 1,
            Err(error) => return Err(error.into_inner()),
        }
    }
    Ok(())
}

/// Returns the fencing token of the last commit to `table`, if it has one.
///
/// # Errors
/// The error of the table if it cannot be read.
pub async fn fencing_token<T: Tables>(
    tables: &T,
    table: T::Table,
) -> Result<Option<i64>, T::Error> {
    match tables.open_latest(table).await? {
        Some(opened) => tables.token(table, &opened).await,
        None => Ok(None),
    }
}

/// Returns the fencing token of an open table.
///
/// # Errors
/// [`Tables::superseded`] if it is later than `token`.
pub(crate) async fn check_token<T: Tables>(
    tables: &T,
    table: T::Table,
    opened: &T::Version,
    token: i64,
) -> Result<Option<i64>, T::Error> {
    match tables.token(table, opened).await? {
        Some(later) if later > token => Err(tables.superseded(table, token, later)),
        known => Ok(known),
    }
}
