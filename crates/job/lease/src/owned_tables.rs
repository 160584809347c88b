use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The latest version of each table that the owner of the lease has opened, created or committed; `None` for a
/// table that does not exist. The default is for readers without a lease, and keeps none.
///
/// No other process changes the tables, so none is opened twice: opening takes five answers of a store. An
/// owner that lost its lease does not see the commits of its successor, and its own next commit fails: both
/// carry a fencing token, and the second of two such commits to one version is refused.
pub struct OwnedTables<T, V>(Option<Arc<Mutex<Known<T, V>>>>);

type Known<T, V> = BTreeMap<T, Option<V>>;

impl<T, V> Clone for OwnedTables<T, V> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T, V> Default for OwnedTables<T, V> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: fmt::Debug, V> fmt::Debug for OwnedTables<T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.lock();
        let exists = (known.iter().flat_map(|known| known.iter()))
            .map(|(table, opened)| (table, opened.is_some()));
        f.debug_map().entries(exists).finish()
    }
}

impl<T: Ord, V: Clone> OwnedTables<T, V> {
    /// Begins with `known`: tables at their latest versions, which no other process changes.
    pub fn new(known: impl IntoIterator<Item = (T, Option<V>)>) -> Self {
        Self(Some(Arc::new(Mutex::new(known.into_iter().collect()))))
    }

    /// Returns the table if it is known.
    pub fn get(&self, table: T) -> Option<Option<V>> {
        self.lock()?.get(&table).cloned()
    }

    /// Keeps the version that the owner has opened, created or committed.
    pub fn insert(&self, table: T, opened: Option<V>) {
        if let Some(mut known) = self.lock() {
            known.insert(table, opened);
        }
    }

    /// Forgets a table whose version is not known any more, because a commit has failed.
    pub fn forget(&self, table: T) {
        if let Some(mut known) = self.lock() {
            known.remove(&table);
        }
    }
}

impl<T, V> OwnedTables<T, V> {
    fn lock(&self) -> Option<MutexGuard<'_, Known<T, V>>> {
        let known = self.0.as_ref()?.lock();
        Some(known.unwrap_or_else(PoisonError::into_inner))
    }
}
