use crate::error::{CommitError, LeaseError, OwnerError};
use crate::tables::Tables;

/// Attempts to commit a fencing token. Each may lose to one commit of the earlier
/// owner, which commits one change at a time.
const FENCE_ATTEMPTS: usize = 5;

/// Commits a fencing token to `table`. From then on the table refuses every
/// commit with an earlier token, including those already sent. Does nothing if
/// the table does not exist: an owner creates a table before it looks at its lease.
///
/// # Errors
/// [`Tables::superseded`] if the table or the latest lease has a later token, else the error of the table or of the store.
pub async fn fence<T: Tables>(
    tables: &T,
    table: T::Table,
    token: i64,
) -> Result<(), OwnerError<T::Error>> {
    let mut attempts = 0;
    while let Some(opened) = open_latest(tables, table).await? {
        let known = check_token(tables, table, &opened, token).await;
        if known.map_err(OwnerError::Tables)? == Some(token) {
            break;
        }
        // A later owner may have made the table after it fenced all that there were. It has no token until its first
        // commit, which a commit of this token would refuse.
        let latest = tables.leases().latest_token().await;
        if let Some(later) = latest.map_err(LeaseError::from)?
            && later > token
        {
            let superseded = tables.superseded(table, token, later);
            return Err(OwnerError::Tables(superseded));
        }
        match tables.commit_token(table, &opened, token).await {
            Ok(()) => break,
            // The earlier owner committed first. Its next commit will fail.
            Err(CommitError::Conflict(_)) if attempts < FENCE_ATTEMPTS => attempts += 1,
            Err(error) => return Err(OwnerError::Tables(error.into_inner())),
        }
    }
    Ok(())
}

async fn open_latest<T: Tables>(
    tables: &T,
    table: T::Table,
) -> Result<Option<T::Version>, OwnerError<T::Error>> {
    let opened = tables.open_latest(table).await;
    opened.map_err(OwnerError::Tables)
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
