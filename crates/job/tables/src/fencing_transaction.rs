//! The application transaction that all commits of an owner share.

use deltalake::kernel::Transaction;
use lease::FENCING_TRANSACTION;

/// The application transaction in every commit; its version is the fencing token
/// of the lease. Of two commits that carry it and were made from the same version
/// of a table, Delta refuses the second.
pub(crate) fn fencing_transaction(token: i64) -> Transaction {
    Transaction::new(FENCING_TRANSACTION, token)
}
