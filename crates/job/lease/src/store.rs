use std::fmt;
use std::sync::Arc;

use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};

use crate::error::StoreError;
use crate::record::{LeaseEntry, LeaseRecord};

/// The leases on the tables of one output.
#[derive(Clone)]
pub struct LeaseStore {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// The folder as messages print it.
    name: String,
}

impl fmt::Debug for LeaseStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LeaseStore({})", self.name)
    }
}

impl LeaseStore {
    /// Returns the leases in `folder` of `store`. `name` is the folder in messages.
    pub fn new(store: Arc<dyn ObjectStore>, folder: Path, name: String) -> Self {
        Self {
            store,
            folder,
            name,
        }
    }

    /// Reads the lease in force. Returns `None` if none exists.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails or the object is not a lease.
    pub async fn latest(&self) -> Result<Option<LeaseEntry>, StoreError> {
        let mut gone = None;
        loop {
            let Some(token) = self.latest_token().await? else {
                return Ok(None);
            };
            match self.read(token).await {
                Ok(record) => return Ok(Some(LeaseEntry { token, record })),
                // A vacuum has removed it since it was listed. Then a later lease exists.
                Err(Error::NotFound { .. }) if gone != Some(token) => gone = Some(token),
                Err(source) => return Err(self.error(token, source)),
            }
        }
    }

    /// Returns the fencing token of the lease in force.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn latest_token(&self) -> Result<Option<i64>, StoreError> {
        Ok(self.tokens().await?.into_iter().max())
    }

    /// Creates the lease with this token. Returns false if another lease has it.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn create(&self, token: i64, record: &LeaseRecord) -> Result<bool, StoreError> {
        let failed = |source| self.error(token, source);
        match self.put(token, record, PutMode::Create).await {
            Ok(()) => Ok(true),
            // The answer to an earlier attempt may have been lost.
            Err(Error::AlreadyExists { .. }) => match self.read(token).await {
                Ok(existing) => Ok(existing.id == record.id),
                // It was another's, and a vacuum has removed it since.
                Err(Error::NotFound { .. }) => Ok(false),
                Err(source) => Err(failed(source)),
            },
            Err(source) => Err(failed(source)),
        }
    }

    /// Overwrites the lease with this token. Only its owner may call this.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn update(&self, token: i64, record: &LeaseRecord) -> Result<(), StoreError> {
        let written = self.put(token, record, PutMode::Overwrite).await;
        written.map_err(|source| self.error(token, source))
    }

    /// Deletes the leases before `token`, which are not in force.
    ///
    /// # Errors
    /// [`StoreError`] if the store fails.
    pub async fn remove_before(&self, token: i64) -> Result<(), StoreError> {
        for old in self.tokens().await? {
            if old < token {
                match self.store.delete(&self.object(old)).await {
                    // Another vacuum was faster.
                    Ok(()) | Err(Error::NotFound { .. }) => {}
                    Err(source) => return Err(self.error(old, source)),
                }
            }
        }
        Ok(())
    }

    async fn tokens(&self) -> Result<Vec<i64>, StoreError> {
        let listed = self.store.list(Some(&self.folder));
        let listed: Result<Vec<_>, _> = listed.try_collect().await;
        let listed = listed.map_err(|source| StoreError {
            object: self.name.clone(),
            source,
        })?;
        let token = |name: &str| name.strip_suffix(".json")?.parse().ok();
        Ok(listed
            .iter()
            .filter_map(|meta| token(meta.location.filename()?))
            .collect())
    }

    async fn read(&self, token: i64) -> Result<LeaseRecord, Error> {
        let bytes = self.store.get(&self.object(token)).await?.bytes().await?;
        serde_json::from_slice(&bytes).map_err(json_error)
    }

    async fn put(&self, token: i64, record: &LeaseRecord, mode: PutMode) -> Result<(), Error> {
        let payload = PutPayload::from(serde_json::to_vec(record).map_err(json_error)?);
        let options = PutOptions::from(mode);
        let object = self.object(token);
        self.store.put_opts(&object, payload, options).await?;
        Ok(())
    }

    fn object(&self, token: i64) -> Path {
        self.folder.clone().join(file_name(token))
    }

    fn error(&self, token: i64, source: Error) -> StoreError {
        StoreError {
            object: format!("{}/{}", self.name, file_name(token)),
            source,
        }
    }
}

fn file_name(token: i64) -> String {
    format!("{token:08}.json")
}

fn json_error(error: serde_json::Error) -> Error {
    Error::Generic {
        store: "leases",
        source: error.into(),
    }
}
