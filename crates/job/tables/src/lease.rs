use std::fmt;

use futures::TryStreamExt;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use serde::{Deserialize, Serialize};

use crate::{Location, LocationError, Output, TableError};

/// The folder of the lease objects, beside the folders of the tables.
const FOLDER: &str = "_leases";

/// The exclusive right to change the tables of an output, as it is stored.
///
/// A lease is an object named by its fencing token. It is created with
/// put-if-absent, so that of two processes that ask for the next token one gets
/// it. The lease with the highest token is in force. Afterwards only its owner
/// writes the object, and increments [`LeaseRecord::heartbeats`] while it lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeaseRecord {
    /// Distinguishes leases that two processes created under the same token.
    pub id: String,
    /// The reason for the lease, such as `the run of 2011-10-24`.
    pub purpose: String,
    /// The run's request in the `runs` table; `None` if the owner is not a run.
    pub request: Option<String>,
    /// Host name of the owner's machine.
    pub host: String,
    /// Process id of the owner.
    pub process: u32,
    /// Time of acquisition, for people to read.
    pub acquired_at: String,
    /// Milliseconds between two heartbeats.
    pub heartbeat_ms: u64,
    /// Heartbeats so far.
    pub heartbeats: u64,
    /// The owner's state.
    pub state: LeaseState,
}

/// The state that the owner of a lease last wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LeaseState {
    /// The owner is running, or was killed.
    Running,
    /// The owner gave up. A commit that it had already sent may still arrive.
    Stopped,
    /// The owner has made all of its commits.
    Finished,
}

/// A lease and its fencing token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseEntry {
    /// The fencing token, from 1 upwards.
    pub token: i64,
    /// The stored lease.
    pub record: LeaseRecord,
}

impl fmt::Display for LeaseRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            purpose,
            host,
            process,
            acquired_at,
            ..
        } = self;
        write!(
            f,
            "{purpose} (process {process} on {host}, since {acquired_at})"
        )
    }
}

/// The leases on the tables of one output.
#[derive(Debug, Clone)]
pub struct LeaseStore {
    location: Location,
}

impl Output {
    /// Returns the leases on these tables.
    pub fn leases(&self) -> LeaseStore {
        LeaseStore {
            location: self.location().child(FOLDER),
        }
    }
}

impl LeaseStore {
    /// Returns the same leases over a new client with its own connections and the
    /// same retry policy, for a thread that must not wait for other requests.
    ///
    /// # Errors
    /// See [`Location::parse`].
    pub fn with_own_client(&self) -> Result<Self, LocationError> {
        let location = self.location.with_own_client()?;
        Ok(Self { location })
    }

    /// Reads the lease in force. Returns `None` if none exists.
    ///
    /// # Errors
    /// [`TableError::Lease`] if the store fails or the object is not a lease.
    pub async fn latest(&self) -> Result<Option<LeaseEntry>, TableError> {
        let Some(token) = self.latest_token().await? else {
            return Ok(None);
        };
        let record = self.read(token).await?;
        Ok(Some(LeaseEntry { token, record }))
    }

    /// Returns the fencing token of the lease in force.
    ///
    /// # Errors
    /// [`TableError::Lease`] if the store fails.
    pub async fn latest_token(&self) -> Result<Option<i64>, TableError> {
        Ok(self.tokens().await?.into_iter().max())
    }

    /// Creates the lease with this token. Returns false if another lease has it.
    ///
    /// # Errors
    /// [`TableError::Lease`] if the store fails.
    pub async fn create(&self, token: i64, record: &LeaseRecord) -> Result<bool, TableError> {
        match self.put(token, record, PutMode::Create).await {
            Ok(()) => Ok(true),
            // The answer to an earlier attempt may have been lost.
            Err(object_store::Error::AlreadyExists { .. }) => {
                Ok(self.read(token).await?.id == record.id)
            }
            Err(source) => Err(self.error(token, source)),
        }
    }

    /// Overwrites the lease with this token. Only its owner may call this.
    ///
    /// # Errors
    /// [`TableError::Lease`] if the store fails.
    pub async fn update(&self, token: i64, record: &LeaseRecord) -> Result<(), TableError> {
        let written = self.put(token, record, PutMode::Overwrite).await;
        written.map_err(|source| self.error(token, source))
    }

    /// Deletes the leases before `token`, which are not in force.
    ///
    /// # Errors
    /// [`TableError::Lease`] if the store fails.
    pub async fn remove_before(&self, token: i64) -> Result<(), TableError> {
        for old in self.tokens().await? {
            if old < token {
                let object = self.object(old);
                let deleted = object.store().delete(object.path()).await;
                deleted.map_err(|source| self.error(old, source))?;
            }
        }
        Ok(())
    }

    async fn tokens(&self) -> Result<Vec<i64>, TableError> {
        let listed = self.location.store().list(Some(self.location.path()));
        let listed: Result<Vec<_>, _> = listed.try_collect().await;
        let listed = listed.map_err(|source| TableError::Lease {
            object: self.location.to_string(),
            source,
        })?;
        let token = |name: &str| name.strip_suffix(".json")?.parse().ok();
        Ok(listed
            .iter()
            .filter_map(|meta| token(meta.location.filename()?))
            .collect())
    }

    async fn read(&self, token: i64) -> Result<LeaseRecord, TableError> {
        let object = self.object(token);
        let read = async {
            let bytes = object.store().get(object.path()).await?.bytes().await?;
            serde_json::from_slice(&bytes).map_err(json_error)
        };
        read.await.map_err(|source| self.error(token, source))
    }

    async fn put(
        &self,
        token: i64,
        record: &LeaseRecord,
        mode: PutMode,
    ) -> Result<(), object_store::Error> {
        let object = self.object(token);
        let json = serde_json::to_vec(record).map_err(json_error)?;
        let options = PutOptions::from(mode);
        let payload = PutPayload::from(json);
        let store = object.store();
        store.put_opts(object.path(), payload, options).await?;
        Ok(())
    }

    fn object(&self, token: i64) -> Location {
        self.location.child(&format!("{token:08}.json"))
    }

    fn error(&self, token: i64, source: object_store::Error) -> TableError {
        TableError::Lease {
            object: self.object(token).to_string(),
            source,
        }
    }
}

fn json_error(error: serde_json::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "leases",
        source: error.into(),
    }
}
