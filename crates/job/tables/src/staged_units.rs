//! Data files of units of work that are done and not committed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use chrono::Utc;
use deltalake::kernel::Add;
use futures::{StreamExt, TryStreamExt, stream};
use lease::Units;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use serde::{Deserialize, Serialize};

use crate::time::is_older;
use crate::vacuum::MAX_RETENTION;
use crate::{Location, Output, Table, TableError, UnreferencedFile};

/// The folder of the manifests of units, beside the folders of the tables.
const UNITS: &str = "_units";

/// The time in which a unit is done. A longer time keeps files of killed processes longer.
pub const UNIT_TIME: Duration = Duration::from_hours(24);

/// Objects that are read at the same time.
const READ_AT_ONCE: usize = 32;

/// The data files of a unit: Delta `add` actions as JSON, by the name of their table. A manifest has them beside
/// what the engine keeps of the unit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, Serialize)]
pub struct UnitFiles {
    /// By table.
    pub files: BTreeMap<String, Vec<String>>,
}

/// The data files that manifests of units name, and the objects of work that was not committed in time.
#[derive(Debug, Default)]
pub struct Claims {
    /// Name of the table, a slash, and the path below the folder of its files.
    files: BTreeSet<String>,
    /// Whether processes may be doing units now.
    is_work_going_on: bool,
    /// Objects of work that began too long ago.
    expired: Vec<Path>,
}

impl Claims {
    /// Keeps the files of `table` that no manifest names.
    pub(crate) fn unclaimed(
        &self,
        table: Table,
        files: Vec<UnreferencedFile>,
    ) -> Vec<UnreferencedFile> {
        let is_claimed = |path: &str| self.has(&format!("{}/{path}", table.name()));
        let unclaimed = files.into_iter().filter(|file| !is_claimed(&file.path));
        unclaimed.collect()
    }

    /// Whether a manifest names the file at `path`: name of the table, a slash, and the path below it.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.files.contains(path)
    }

    pub(crate) fn is_work_going_on(&self) -> bool {
        self.is_work_going_on
    }

    pub(crate) fn expired(&self) -> &[Path] {
        &self.expired
    }
}

impl Output {
    /// Returns the units of the work called `work`.
    pub fn units(&self, work: &str) -> Units {
        let folder = self.location().child(UNITS).child(work);
        let store = folder.store().clone();
        Units::new(store, folder.path().clone(), folder.to_string())
    }

    /// Whether units of some work are known.
    ///
    /// # Errors
    /// [`TableError`] if the store fails.
    pub async fn has_units(&self) -> Result<bool, TableError> {
        let folder = self.location().child(UNITS);
        let first = folder.store().list(Some(folder.path())).try_next().await;
        Ok(first.map_err(failed(&folder))?.is_some())
    }

    /// Returns the first data file that is not there, or not as large as `unit` says.
    ///
    /// # Errors
    /// [`TableError`] if the store fails.
    pub async fn missing_file(&self, unit: &UnitFiles) -> Result<Option<String>, TableError> {
        let mut files = Vec::new();
        for (table, adds) in &unit.files {
            let folder = Table::from_name(table).map(|table| self.written_to(table));
            for add in adds {
                match (&folder, serde_json::from_str::<Add>(add)) {
                    (Some(folder), Ok(add)) => files.push((folder.clone(), add)),
                    _ => return Ok(Some(format!("{table}: {add}"))),
                }
            }
        }
        let mut missing = stream::iter(files)
            .map(|(folder, add)| async move {
                let is_other = match folder.store().head(&folder.below(&add.path)).await {
                    Ok(meta) => i64::try_from(meta.size) != Ok(add.size),
                    Err(object_store::Error::NotFound { .. }) => true,
                    Err(error) => return Err(failed(&folder)(error)),
                };
                Ok(is_other.then(|| format!("{folder}/{}", add.path)))
            })
            .buffered(READ_AT_ONCE);
        while let Some(file) = missing.next().await {
            if let Some(file) = file? {
                return Ok(Some(file));
            }
        }
        Ok(None)
    }

    /// Reads the manifests of all units. Work that began longer ago than [`MAX_RETENTION`] is expired.
    pub(crate) async fn claims(&self) -> Result<Claims, TableError> {
        let folder = self.location().child(UNITS);
        let listed = folder.store().list(Some(folder.path())).try_collect().await;
        let listed: Vec<ObjectMeta> = listed.map_err(failed(&folder))?;
        let now = Utc::now();
        let mut claims = Claims::default();
        let mut manifests = Vec::new();
        for object in listed {
            if is_older(object.last_modified, MAX_RETENTION, now) {
                claims.expired.push(object.location);
            } else {
                claims.is_work_going_on = true;
                manifests.push(object.location);
            }
        }
        let mut read = stream::iter(manifests)
            .map(|manifest| self.unit_files(&folder, manifest))
            .buffer_unordered(READ_AT_ONCE);
        while let Some(unit) = read.next().await {
            for (table, adds) in unit?.files {
                // One that cannot be read names no file, and its unit runs again.
                let adds = adds
                    .iter()
                    .filter_map(|add| serde_json::from_str::<Add>(add).ok());
                let paths = adds.map(|add| format!("{table}/{}", add.path));
                claims.files.extend(paths);
            }
        }
        Ok(claims)
    }

    async fn unit_files(&self, folder: &Location, manifest: Path) -> Result<UnitFiles, TableError> {
        let read = async { folder.store().get(&manifest).await?.bytes().await };
        match read.await {
            // The number of units is an object too. A manifest that cannot be read names no file, and its unit runs again.
            Ok(bytes) => Ok(serde_json::from_slice(&bytes).unwrap_or_default()),
            Err(object_store::Error::NotFound { .. }) => Ok(UnitFiles::default()),
            Err(error) => Err(failed(folder)(error)),
        }
    }
}

fn failed(folder: &Location) -> impl Fn(object_store::Error) -> TableError {
    TableError::files("read units in", folder)
}
