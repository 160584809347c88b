//! The vacuum of the simulated tables.

use std::collections::BTreeSet;
use std::time::Duration;

use async_trait::async_trait;
use futures::{StreamExt, TryStreamExt};
use lease::{Tables, Vacuumed};
use object_store::path::Path;
use object_store::{Error, ObjectMeta, ObjectStore, ObjectStoreExt};

use super::plan::Mutation;
use super::tables::{Name, SimError, SimTables};
use super::units::{UNITS, UnitFiles, is_of_unit};

/// The files that units claim.
pub(crate) struct Claims {
    is_work_going_on: bool,
    files: BTreeSet<String>,
}

impl<const REORDERED: bool> SimTables<REORDERED> {
    /// The clock of the machine, in microseconds.
    fn wall_clock(&self) -> u64 {
        let state = self.host.world.state();
        state.now + state.processes[self.host.process].ahead
    }
}

fn modified(object: &ObjectMeta) -> u64 {
    u64::try_from(object.last_modified.timestamp_micros()).unwrap_or(0)
}

#[async_trait]
impl<const REORDERED: bool> Vacuumed for SimTables<REORDERED> {
    type Files = Vec<String>;
    type Staged = ();
    type Claims = Claims;

    async fn unreferenced(
        &self,
        table: Name,
        retention: Duration,
    ) -> Result<Vec<String>, SimError> {
        let Some(latest) = self.open_latest(table).await? else {
            return Ok(Vec::new());
        };
        let retention = u64::try_from(retention.as_micros()).unwrap_or(u64::MAX);
        let since = self.wall_clock().saturating_sub(retention);
        let mut kept: BTreeSet<String> = latest.files.values().flatten().cloned().collect();
        let folder = Path::from(table.log());
        let log: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
        for version in log.windows(2) {
            let is_retained = retention > 0 && modified(&version[1]) >= since;
            if is_retained {
                let entry = self.entry(&version[0].location).await?;
                kept.extend(entry.after.files.into_values().flatten());
            }
        }
        let folder = Path::from(table.data());
        let files: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
        let is_old = |file: &ObjectMeta| retention == 0 || modified(file) < since;
        let files = files.into_iter().filter(is_old);
        Ok(files
            .map(|file| file.location.to_string())
            .filter(|file| !kept.contains(file))
            .collect())
    }

    async fn delete(&self, table: Name, files: &Vec<String>) -> Result<(), SimError> {
        let mut files = files.clone();
        if self.mutation == Mutation::FindsAgain {
            files = self.unreferenced(table, Duration::ZERO).await?;
        }
        let paths: Vec<_> = files.into_iter().map(|file| Ok(Path::from(file))).collect();
        let mut deleted = self
            .store
            .delete_stream(futures::stream::iter(paths).boxed());
        while let Some(deleted) = deleted.next().await {
            match deleted {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    async fn staged(&self) -> Result<(), SimError> {
        Ok(())
    }

    async fn delete_staged(&self, (): &(), _: &Claims) -> Result<(), SimError> {
        Ok(())
    }

    async fn claims(&self) -> Result<Claims, SimError> {
        let folder = Path::from(UNITS);
        let listed: Vec<_> = self.store.list(Some(&folder)).try_collect().await?;
        let mut claims = Claims {
            is_work_going_on: !listed.is_empty(),
            files: BTreeSet::new(),
        };
        for object in listed {
            let read = async { self.store.get(&object.location).await?.bytes().await };
            match read.await {
                // The object with the number of units names no files.
                Ok(bytes) => {
                    let manifest: UnitFiles = serde_json::from_slice(&bytes).unwrap_or_default();
                    claims
                        .files
                        .extend(manifest.into_iter().map(|(.., file)| file));
                }
                Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Ok(claims)
    }

    fn unclaimed(&self, _: Name, files: Vec<String>, claims: &Claims) -> Vec<String> {
        if self.mutation == Mutation::UnclaimedUnits {
            return files;
        }
        // All processes of a seed are young, and so are the files of units that are not done.
        let is_kept =
            |file: &str| claims.is_work_going_on && is_of_unit(file) || claims.files.contains(file);
        let unclaimed = files.into_iter().filter(|file| !is_kept(file));
        unclaimed.collect()
    }
}
