use std::fmt;

use futures::TryStreamExt;
use object_store::{ObjectStore, ObjectStoreExt, PutMode, PutOptions, PutPayload};
use serde::{Deserialize, Serialize};

use crate::{Location, LocationError, Output, TableError};

/// The folder of the claims, beside those of the tables.
const FOLDER: &str = "_claims";

/// The right to change the tables of an output. Claims are numbered, and the one
/// with the highest number is in force.
///
/// A claim is an object of its own, which is created where it is not there yet:
/// of two processes that want the next number one gets it. Its owner alone writes
/// it from then on, and counts [`Claim::beat`] up as long as it lives.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Tells a claim from one that another process made under the same number.
    pub id: String,
    /// What it was taken for, such as `the run of 2011-10-24`.
    pub purpose: String,
    /// The request of that run in the `runs` table; `None` for what is no run.
    pub request: Option<String>,
    /// Name of the machine.
    pub host: String,
    /// Number of the process there.
    pub process: u32,
    /// When it was taken, for people to read.
    pub taken_at: String,
    /// Milliseconds between two counts of `beat`.
    pub heartbeat_ms: u64,
    /// Grows as long as the process lives.
    pub beat: u64,
    /// How far it is.
    pub state: ClaimState,
}

/// What the owner of a claim says of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimState {
    /// It is at work, or was killed.
    Running,
    /// It gave up; a change that it had asked the store for may still come.
    Stopped,
    /// All of its changes are there.
    Finished,
}

/// A claim and its number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedClaim {
    /// Its number, from 1 up.
    pub number: i64,
    /// The claim.
    pub claim: Claim,
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            purpose,
            host,
            process,
            taken_at,
            ..
        } = self;
        write!(
            f,
            "{purpose} (process {process} on {host}, since {taken_at})"
        )
    }
}

/// The claims on one output.
#[derive(Debug, Clone)]
pub struct Claims {
    location: Location,
}

impl Output {
    /// The claims on these tables.
    pub fn claims(&self) -> Claims {
        Claims {
            location: self.location().child(FOLDER),
        }
    }
}

impl Claims {
    /// The same over connections of its own, for a thread that must not wait for
    /// anything else.
    ///
    /// # Errors
    /// As [`Location::parse`].
    pub fn reconnected(&self) -> Result<Self, LocationError> {
        let location = Location::parse(self.location.url().as_str())?;
        Ok(Self { location })
    }

    /// The claim in force, or `None` where there never was one.
    ///
    /// # Errors
    /// [`TableError::Claim`] where the store fails or the object is none of ours.
    pub async fn last(&self) -> Result<Option<NumberedClaim>, TableError> {
        let Some(number) = self.last_number().await? else {
            return Ok(None);
        };
        let claim = self.read(number).await?;
        Ok(Some(NumberedClaim { number, claim }))
    }

    /// The number of the claim in force.
    ///
    /// # Errors
    /// [`TableError::Claim`] where the store fails.
    pub async fn last_number(&self) -> Result<Option<i64>, TableError> {
        Ok(self.numbers().await?.into_iter().max())
    }

    /// Makes `claim` the one with this number; false where another has it.
    ///
    /// # Errors
    /// [`TableError::Claim`] where the store fails.
    pub async fn create(&self, number: i64, claim: &Claim) -> Result<bool, TableError> {
        match self.put(number, claim, PutMode::Create).await {
            Ok(()) => Ok(true),
            // An answer may have been lost, and the request sent again.
            Err(object_store::Error::AlreadyExists { .. }) => {
                Ok(self.read(number).await?.id == claim.id)
            }
            Err(source) => Err(self.error(number, source)),
        }
    }

    /// Writes the claim of this number again; for its owner alone.
    ///
    /// # Errors
    /// [`TableError::Claim`] where the store fails.
    pub async fn write(&self, number: i64, claim: &Claim) -> Result<(), TableError> {
        let written = self.put(number, claim, PutMode::Overwrite).await;
        written.map_err(|source| self.error(number, source))
    }

    /// Removes the claims before `number`, which nobody asks for any more.
    ///
    /// # Errors
    /// [`TableError::Claim`] where the store fails.
    pub async fn remove_before(&self, number: i64) -> Result<(), TableError> {
        for old in self.numbers().await? {
            if old < number {
                let object = self.object(old);
                let deleted = object.store().delete(object.path()).await;
                deleted.map_err(|source| self.error(old, source))?;
            }
        }
        Ok(())
    }

    async fn numbers(&self) -> Result<Vec<i64>, TableError> {
        let listed = self.location.store().list(Some(self.location.path()));
        let listed: Vec<_> = (listed.try_collect().await).map_err(|source| TableError::Claim {
            object: self.location.to_string(),
            source,
        })?;
        let number = |name: &str| name.strip_suffix(".json")?.parse().ok();
        Ok(listed
            .iter()
            .filter_map(|meta| number(meta.location.filename()?))
            .collect())
    }

    async fn read(&self, number: i64) -> Result<Claim, TableError> {
        let object = self.object(number);
        let read = async {
            let bytes = object.store().get(object.path()).await?.bytes().await?;
            serde_json::from_slice(&bytes).map_err(|source| object_store::Error::Generic {
                store: "claims",
                source: source.into(),
            })
        };
        read.await.map_err(|source| self.error(number, source))
    }

    async fn put(
        &self,
        number: i64,
        claim: &Claim,
        mode: PutMode,
    ) -> Result<(), object_store::Error> {
        let object = self.object(number);
        let json = serde_json::to_vec(claim).map_err(|source| object_store::Error::Generic {
            store: "claims",
            source: source.into(),
        })?;
        let options = PutOptions::from(mode);
        let payload = PutPayload::from(json);
        (object.store().put_opts(object.path(), payload, options)).await?;
        Ok(())
    }

    fn object(&self, number: i64) -> Location {
        self.location.child(&format!("{number:08}.json"))
    }

    fn error(&self, number: i64, source: object_store::Error) -> TableError {
        TableError::Claim {
            object: self.object(number).to_string(),
            source,
        }
    }
}
