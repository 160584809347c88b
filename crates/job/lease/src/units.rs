use std::fmt;
use std::num::NonZeroU32;
use std::sync::Arc;

use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::error::StoreError;

/// The object with the number of units. The others are named by their unit.
const COUNT: &str = "units.json";

/// The units of one piece of work that are done, each as one object: its manifest.
///
/// Any number of processes, none of which has the lease, do units of the same work. Each object is put if it is
/// absent, so all processes have the number of units of the first of them, and of two that did the same unit one
/// has it. Only the owner of the lease removes objects.
#[derive(Clone)]
pub struct Units {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// The folder as messages print it.
    name: String,
}

impl fmt::Debug for Units {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Units({})", self.name)
    }
}

impl Units {
    /// Returns the units in `folder` of `store`. `name` is the folder in messages.
    pub fn new(store: Arc<dyn ObjectStore>, folder: Path, name: String) -> Self {
        Self {
            store,
            folder,
            name,
        }
    }

    /// Returns the number of units that the first process gave. `None` if no process has begun.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails or the object is not a number.
    pub async fn count(&self) -> Result<Option<NonZeroU32>, StoreError> {
        let Some(found) = self.read(COUNT).await? else {
            return Ok(None);
        };
        let count = serde_json::from_slice(&found);
        count.map(Some).map_err(|error| {
            let source = Error::Generic {
                store: "units",
                source: error.into(),
            };
            self.error(COUNT, source)
        })
    }

    /// Gives the number of units, unless another process has. Returns the number that is in force.
    ///
    /// # Errors
    /// As [`Units::count`].
    pub async fn agree(&self, count: NonZeroU32) -> Result<NonZeroU32, StoreError> {
        if self.create(COUNT, count.to_string().into()).await? {
            return Ok(count);
        }
        Ok(self.count().await?.unwrap_or(count))
    }

    /// Returns the manifest of a unit; `None` if it is not done.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn manifest(&self, unit: u32) -> Result<Option<Vec<u8>>, StoreError> {
        self.read(&file_name(unit)).await
    }

    /// Marks a unit as done. Returns false if another process has; then the manifest of that process stays.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn finish(&self, unit: u32, manifest: Vec<u8>) -> Result<bool, StoreError> {
        let name = file_name(unit);
        if self.create(&name, manifest.clone().into()).await? {
            return Ok(true);
        }
        // The answer to an earlier attempt may have been lost.
        Ok(self.read(&name).await?.as_deref() == Some(&manifest[..]))
    }

    /// Removes the manifest of a unit whose files are not what it says.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn discard(&self, unit: u32) -> Result<(), StoreError> {
        self.delete(self.object(&file_name(unit))).await
    }

    /// Removes all objects of the work. The number of units goes last, so that a process that begins meanwhile
    /// never gives another number beside manifests of this one.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn remove(&self) -> Result<(), StoreError> {
        let listed = self.store.list(Some(&self.folder));
        let listed: Result<Vec<_>, _> = listed.map_ok(|meta| meta.location).try_collect().await;
        let listed = listed.map_err(|source| self.error("", source))?;
        let count = self.object(COUNT);
        let manifests: Vec<_> = (listed.into_iter())
            .filter(|object| *object != count)
            .map(|object| self.delete(object))
            .collect();
        let mut deleted = futures::stream::iter(manifests).buffer_unordered(DELETED_AT_ONCE);
        while let Some(deleted) = deleted.next().await {
            deleted?;
        }
        self.delete(count).await
    }

    async fn create(&self, name: &str, payload: PutPayload) -> Result<bool, StoreError> {
        let options = PutOptions::from(PutMode::Create);
        let object = self.object(name);
        match self.store.put_opts(&object, payload, options).await {
            Ok(_) => Ok(true),
            Err(Error::AlreadyExists { .. }) => Ok(false),
            Err(source) => Err(self.error(name, source)),
        }
    }

    async fn read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let read = async { self.store.get(&self.object(name)).await?.bytes().await };
        match read.await {
            Ok(bytes) => Ok(Some(bytes.into())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(source) => Err(self.error(name, source)),
        }
    }

    async fn delete(&self, object: Path) -> Result<(), StoreError> {
        match self.store.delete(&object).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(source) => Err(self.error(object.filename().unwrap_or_default(), source)),
        }
    }

    fn object(&self, name: &str) -> Path {
        self.folder.clone().join(name)
    }

    fn error(&self, name: &str, source: Error) -> StoreError {
        StoreError {
            object: format!("{}/{name}", self.name),
            source,
        }
    }
}

/// Manifests that are deleted at the same time.
const DELETED_AT_ONCE: usize = 32;

fn file_name(unit: u32) -> String {
    format!("{unit:05}.json")
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    fn units() -> Units {
        let store = Arc::new(InMemory::new());
        Units::new(store, Path::from("out/_units/work"), "out".to_owned())
    }

    fn count(count: u32) -> NonZeroU32 {
        count.try_into().unwrap()
    }

    #[tokio::test]
    async fn all_processes_have_the_number_of_units_of_the_first() {
        let units = units();
        assert_eq!(units.count().await.unwrap(), None);
        assert_eq!(units.agree(count(16)).await.unwrap(), count(16));
        assert_eq!(units.agree(count(64)).await.unwrap(), count(16));
        assert_eq!(units.count().await.unwrap(), Some(count(16)));
    }

    #[tokio::test]
    async fn of_two_processes_that_did_a_unit_one_has_it() {
        let units = units();
        assert!(units.finish(3, b"one".to_vec()).await.unwrap());
        assert!(!units.finish(3, b"two".to_vec()).await.unwrap());
        // Its answer was lost, and it asks again.
        assert!(units.finish(3, b"one".to_vec()).await.unwrap());
        assert_eq!(units.manifest(3).await.unwrap(), Some(b"one".to_vec()));
        units.discard(3).await.unwrap();
        assert_eq!(units.manifest(3).await.unwrap(), None);
    }

    #[tokio::test]
    async fn work_that_is_removed_begins_anew() {
        let units = units();
        units.agree(count(16)).await.unwrap();
        units.finish(0, b"one".to_vec()).await.unwrap();
        units.remove().await.unwrap();
        assert_eq!(units.manifest(0).await.unwrap(), None);
        assert_eq!(units.agree(count(64)).await.unwrap(), count(64));
    }
}
