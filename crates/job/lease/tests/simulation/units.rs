//! Runs by units, and processes that do a share of them without a lease.

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::Arc;

use futures::future::try_join_all;
use lease::{OwnerError, StoreError, Tables, Units};
use object_store::path::Path;
use object_store::{Error, ObjectStoreExt};

use super::actors::{Actor, Files, put};
use super::plan::Mutation;
use super::tables::{Failure, Name, SimError, SimTables, Snapshot};

/// The folder of the manifests.
pub(crate) const UNITS: &str = "t/_units";

const COUNT: NonZeroU32 = NonZeroU32::MIN.saturating_add(1);

/// The data files of a unit: date, table, path.
pub(crate) type UnitFiles = Vec<(u8, usize, String)>;

/// Whether a data file is of a unit.
pub(crate) fn is_of_unit(path: &str) -> bool {
    path.contains("-unit")
}

fn store_failed(error: StoreError) -> Failure {
    OwnerError::Lease(error.into())
}

fn table(error: impl Into<SimError>) -> Failure {
    OwnerError::Tables(error.into())
}

impl<const REORDERED: bool> Actor<REORDERED> {
    /// Does a unit, as `urltree backfill --units` does.
    pub(crate) async fn share(
        &self,
        request: &str,
        dates: &BTreeSet<u8>,
        unit: u32,
    ) -> Result<(), Failure> {
        let runs = self.tables.open_latest(Name::Runs).await.map_err(table)?;
        let units = self.units(&self.tables, runs.as_ref(), request, dates);
        units.agree(COUNT).await.map_err(store_failed)?;
        if units.manifest(unit).await.map_err(store_failed)?.is_none() {
            self.rest(1000).await;
            self.do_unit(&self.tables, &units, dates, unit).await?;
        }
        Ok(())
    }

    /// Returns the files of all units of a chunk, and its units: those that are done, and the others, which are done now.
    pub(crate) async fn all_units(
        &self,
        tables: &SimTables<REORDERED>,
        request: &str,
        dates: &BTreeSet<u8>,
    ) -> Result<(Files, Units), Failure> {
        let runs = tables.open(Name::Runs).await.map_err(table)?;
        let units = self.units(tables, runs.as_ref(), request, dates);
        let mut files = Files::new();
        for unit in 0..COUNT.get() {
            let of_unit = match self.found(tables, &units, unit).await? {
                Some(found) => found,
                None => self.do_unit(tables, &units, dates, unit).await?,
            };
            for (date, name, file) in of_unit {
                let of_table = files.entry((date, Name::ALL[name])).or_default();
                of_table.insert(file);
            }
        }
        Ok((files, units))
    }

    /// The units of a request over dates, from the tables with these rows of `runs`.
    fn units(
        &self,
        tables: &SimTables<REORDERED>,
        runs: Option<&Arc<Snapshot>>,
        request: &str,
        dates: &BTreeSet<u8>,
    ) -> Units {
        let mut digest = DefaultHasher::new();
        let before = runs.into_iter().flat_map(|runs| &runs.files);
        let before: Vec<_> = before
            .filter(|(date, _)| Some(*date) < dates.first())
            .collect();
        (request, dates, before).hash(&mut digest);
        let folder = Path::from(format!("{UNITS}/{:x}", digest.finish()));
        Units::new(Arc::clone(&tables.store), folder, UNITS.to_owned())
    }

    async fn do_unit(
        &self,
        tables: &SimTables<REORDERED>,
        units: &Units,
        dates: &BTreeSet<u8>,
        unit: u32,
    ) -> Result<UnitFiles, Failure> {
        let mut files = UnitFiles::new();
        for date in dates {
            for (number, name) in Name::ALL.into_iter().enumerate() {
                if matches!(name, Name::Keys | Name::Pages) {
                    let part = self.random(u64::MAX - 1);
                    let path = format!("{}/{date}-unit{unit}-{part}", name.data());
                    files.push((*date, number, path));
                }
            }
        }
        try_join_all(files.iter().map(|(.., path)| put(tables, path))).await?;
        let manifest = serde_json::to_vec(&files).map_err(table)?;
        units.finish(unit, manifest).await.map_err(store_failed)?;
        Ok(files)
    }

    /// Returns the files of a unit that is done, if they are there.
    async fn found(
        &self,
        tables: &SimTables<REORDERED>,
        units: &Units,
        unit: u32,
    ) -> Result<Option<UnitFiles>, Failure> {
        let Some(manifest) = units.manifest(unit).await.map_err(store_failed)? else {
            return Ok(None);
        };
        let files: UnitFiles = serde_json::from_slice(&manifest).map_err(table)?;
        if tables.mutation == Mutation::UnclaimedUnits {
            return Ok(Some(files));
        }
        for (.., path) in &files {
            match tables.store.head(&Path::from(path.as_str())).await {
                Ok(_) => {}
                Err(Error::NotFound { .. }) => {
                    units.discard(unit).await.map_err(store_failed)?;
                    return Ok(None);
                }
                Err(error) => return Err(table(error)),
            }
        }
        Ok(Some(files))
    }
}
