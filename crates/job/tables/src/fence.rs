use deltalake::kernel::transaction::{CommitBuilder, CommitProperties};
use deltalake::protocol::{DeltaOperation, SaveMode};
use deltalake::{DeltaResult, DeltaTable, DeltaTableError};

use crate::fencing_transaction::{TRANSACTION, fencing_transaction};
use crate::{Output, Table, TableError};

/// Attempts to commit a fencing token. Each may lose to one commit of the earlier
/// owner, which commits one change at a time.
const FENCE_ATTEMPTS: usize = 5;

impl Output {
    /// Commits a fencing token to `table`. From then on the table refuses every
    /// commit with an earlier token, including those already sent. Does nothing if
    /// the table does not exist.
    ///
    /// # Errors
    /// [`TableError`] if the table has a later token, or the store fails.
    pub async fn fence(&self, table: Table, token: i64) -> Result<(), TableError> {
        let mut attempts = 0;
        while let Some(opened) = self.open(table).await? {
            let known = self.check_token(table, &opened, token).await?;
            if known == Some(token) {
                break;
            }
            match commit_token(&opened, token).await {
                Ok(()) => break,
                // The earlier owner committed first. Its next commit will fail.
                Err(DeltaTableError::Transaction { .. }) if attempts < FENCE_ATTEMPTS => {
                    attempts += 1;
                }
                Err(error) => return Err(self.error(table, error)),
            }
        }
        Ok(())
    }

    /// Returns the fencing token of the last commit to `table`, if it has one.
    ///
    /// # Errors
    /// See [`Output::open`].
    pub async fn fencing_token(&self, table: Table) -> Result<Option<i64>, TableError> {
        match self.open(table).await? {
            Some(opened) => self.check_token(table, &opened, i64::MAX).await,
            None => Ok(None),
        }
    }

    /// Returns the fencing token of an open table.
    ///
    /// # Errors
    /// [`TableError::Superseded`] if it is later than `token`.
    pub(crate) async fn check_token(
        &self,
        table: Table,
        opened: &DeltaTable,
        token: i64,
    ) -> Result<Option<i64>, TableError> {
        let known = self.transaction_version(table, opened, TRANSACTION).await?;
        match known {
            Some(later) if later > token => Err(TableError::Superseded {
                table: table.name(),
                location: self.location().child(table.name()).to_string(),
                token,
                later,
            }),
            _ => Ok(known),
        }
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
