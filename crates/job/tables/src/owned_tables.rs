//! The tables as the owner of the lease knows them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use deltalake::DeltaTable;

use crate::Table;

/// The latest version of each table that the owner of the lease has opened, created or committed; `None` for a
/// table that does not exist. The default is for readers without a lease, and keeps none.
///
/// No other process changes the tables, so none is opened twice: opening takes five answers of a store. An owner that lost
/// its lease does not see the commits of its successor, and its own next commit fails: both carry a fencing token,
/// and Delta refuses the second of two such commits to one version.
#[derive(Clone, Default)]
pub(crate) struct OwnedTables(Option<Arc<Mutex<Known>>>);

type Known = BTreeMap<Table, Option<DeltaTable>>;

impl fmt::Debug for OwnedTables {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.lock();
        let versions = (known.iter().flat_map(|known| known.iter()))
            .map(|(table, opened)| (table.name(), opened.as_ref().and_then(DeltaTable::version)));
        f.debug_map().entries(versions).finish()
    }
}

impl OwnedTables {
    pub(crate) fn new(known: impl IntoIterator<Item = (Table, Option<DeltaTable>)>) -> Self {
        Self(Some(Arc::new(Mutex::new(known.into_iter().collect()))))
    }

    /// Returns the table if it is known.
    pub(crate) fn get(&self, table: Table) -> Option<Option<DeltaTable>> {
        self.lock()?.get(&table).cloned()
    }

    pub(crate) fn insert(&self, table: Table, opened: Option<DeltaTable>) {
        if let Some(mut known) = self.lock() {
            known.insert(table, opened);
        }
    }

    /// Forgets a table whose version is not known any more, because a commit has failed.
    pub(crate) fn forget(&self, table: Table) {
        if let Some(mut known) = self.lock() {
            known.remove(&table);
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Known>> {
        let known = self.0.as_ref()?.lock();
        Some(known.unwrap_or_else(PoisonError::into_inner))
    }
}
