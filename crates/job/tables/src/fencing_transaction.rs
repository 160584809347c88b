//! The application transaction that all commits of an owner share.

use deltalake::kernel::Transaction;

/// The application transaction in every commit; its version is the fencing token
/// of the lease. Of two commits that carry it and were made from the same version
/// of a table, Delta refuses the second.
pub(crate) const TRANSACTION: &str = "urltree lease";

pub(crate) fn fencing_transaction(token: i64) -> Transaction {
    Transaction::new(TRANSACTION, token)
}
