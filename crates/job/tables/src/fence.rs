use deltalake::kernel::Transaction;
use deltalake::kernel::transaction::{CommitBuilder, CommitProperties};
use deltalake::protocol::{DeltaOperation, SaveMode};
use deltalake::{DeltaResult, DeltaTable, DeltaTableError};

use crate::{Output, Table, TableError};

/// The application transaction that every change has: its version is the number
/// of the claim. Of two commits with it that read the same version of a table,
/// Delta refuses the second.
const CLAIM: &str = "urltree claim";

/// Changes on their way that a fence lets pass at most: their owner makes one at
/// a time.
const FENCE_ATTEMPTS: usize = 5;

pub(crate) fn claim_transaction(claim: i64) -> Transaction {
    Transaction::new(CLAIM, claim)
}

impl Output {
    /// Makes `table` refuse every change under an earlier claim from now on,
    /// those that are on their way included. A table that is not there is left
    /// alone.
    ///
    /// # Errors
    /// [`TableError`] where a later claim was there before, or the store fails.
    pub async fn fence(&self, table: Table, claim: i64) -> Result<(), TableError> {
        let mut attempts = 0;
        while let Some(opened) = self.open(table).await? {
            let known = self.check_claim(table, &opened, claim).await?;
            if known == Some(claim) {
                break;
            }
            match commit_claim(&opened, claim).await {
                Ok(()) => break,
                // A change that was on its way came first; the next cannot.
                Err(DeltaTableError::Transaction { .. }) if attempts < FENCE_ATTEMPTS => {
                    attempts += 1;
                }
                Err(error) => return Err(self.error(table, error)),
            }
        }
        Ok(())
    }

    /// The claim under which `table` was changed last, where it was under one.
    ///
    /// # Errors
    /// As [`Output::open`].
    pub async fn claim_of(&self, table: Table) -> Result<Option<i64>, TableError> {
        match self.open(table).await? {
            Some(opened) => self.check_claim(table, &opened, i64::MAX).await,
            None => Ok(None),
        }
    }

    /// The claim that an open table knows, which must be no later than `claim`.
    pub(crate) async fn check_claim(
        &self,
        table: Table,
        opened: &DeltaTable,
        claim: i64,
    ) -> Result<Option<i64>, TableError> {
        let known = async {
            let snapshot = opened.snapshot()?.snapshot();
            let log_store = opened.log_store();
            (snapshot.transaction_version(log_store.as_ref(), CLAIM)).await
        };
        let known = known.await.map_err(|error| self.error(table, error))?;
        match known {
            Some(later) if later > claim => Err(TableError::Superseded {
                table: table.name(),
                location: self.location().child(table.name()).to_string(),
                claim,
                later,
            }),
            _ => Ok(known),
        }
    }
}

/// A commit that changes nothing but the claim that the table knows.
async fn commit_claim(table: &DeltaTable, claim: i64) -> DeltaResult<()> {
    let operation = DeltaOperation::Write {
        mode: SaveMode::Append,
        partition_by: None,
        predicate: None,
    };
    let properties =
        CommitProperties::default().with_application_transaction(claim_transaction(claim));
    let snapshot = table.snapshot()?.snapshot().clone();
    CommitBuilder::from(properties)
        .build(Some(&snapshot), table.log_store(), operation)
        .await?;
    Ok(())
}
