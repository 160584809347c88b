use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::TimeDelta;
use deltalake::operations::vacuum::VacuumMode;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectStore;
use object_store::path::Path;

use crate::{Location, Output, Table, TableError, fail_point};

/// How long a Delta table is sure to remember when a file was replaced: its
/// `delta.deletedFileRetentionDuration`. Of a file that was replaced earlier it
/// may not be known any more until when a version named it.
pub const LONGEST_KEEP: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// An object below a table that no version within the time to keep names.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Garbage {
    /// Its path below the table.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// How it came to be.
    pub cause: GarbageCause,
}

/// How an object became garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GarbageCause {
    /// It was written and never became part of the table: its run stopped.
    NeverCommitted,
    /// Another version of the table replaced it.
    Replaced,
}

impl Output {
    /// What lies below `table` and is in no version of the last `keep`, in order
    /// of its path. Objects that no version names yet are left out until they are
    /// as old as that: a run may be about to commit them.
    ///
    /// What may go is decided by the vacuum of `deltalake`; on disks, beginnings of
    /// files are found as well, which a store does not list.
    ///
    /// # Errors
    /// [`TableError`] where the table or the store cannot be read.
    pub async fn garbage(&self, table: Table, keep: Duration) -> Result<Vec<Garbage>, TableError> {
        let Some(opened) = self.open(table).await? else {
            return Ok(Vec::new());
        };
        let retention = TimeDelta::from_std(keep).unwrap_or(TimeDelta::MAX);
        let planned = async |mode| {
            let vacuum = (opened.clone().vacuum())
                .with_mode(mode)
                .with_retention_period(retention)
                // Its limit is ours: `keep` is checked where it is asked for.
                .with_enforce_retention_duration(false)
                .with_dry_run(true);
            let (_, plan) = vacuum.await.map_err(|error| self.error(table, error))?;
            Ok::<BTreeSet<String>, TableError>(plan.files_deleted.into_iter().collect())
        };
        let all = planned(VacuumMode::Full).await?;
        let replaced = planned(VacuumMode::Lite).await?;
        // A vacuum names files again that are long gone.
        let root = self.location().child(table.name());
        let there = list(&root).await?;
        let mut garbage: Vec<_> = (there.into_iter())
            .filter(|(path, _)| path.ends_with(".parquet") && all.contains(path))
            .map(|(path, bytes)| Garbage {
                cause: if replaced.contains(&path) {
                    GarbageCause::Replaced
                } else {
                    GarbageCause::NeverCommitted
                },
                path,
                bytes,
            })
            .collect();
        if let Ok(folder) = root.url().to_file_path() {
            let begun = begun_files(&folder, keep);
            garbage.extend(begun.map_err(|error| failed("list", &root, store_error(error)))?);
        }
        garbage.sort();
        Ok(garbage)
    }

    /// Deletes what [`Output::garbage`] found below `table`. What is gone already
    /// is no error.
    ///
    /// # Errors
    /// [`TableError::Files`] where the store fails; what was deleted stays so.
    pub async fn delete(&self, table: Table, garbage: &[Garbage]) -> Result<(), TableError> {
        let root = self.location().child(table.name());
        let failed = |source| failed("delete data files in", &root, source);
        let (begun, whole): (Vec<_>, Vec<_>) =
            (garbage.iter()).partition(|garbage| is_begun(&garbage.path));
        if let Ok(folder) = root.url().to_file_path() {
            for garbage in begun {
                match std::fs::remove_file(folder.join(&garbage.path)) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(failed(store_error(error)));
                    }
                    _ => {}
                }
            }
        }
        let paths = (whole.iter())
            .map(|garbage| Path::parse(format!("{}/{}", root.path(), garbage.path)))
            .collect::<Result<Vec<_>, _>>();
        let paths = paths.map_err(|error| failed(error.into()))?;
        let paths = futures::stream::iter(paths.into_iter().map(Ok)).boxed();
        let mut deleted = root.store().delete_stream(paths);
        while let Some(result) = deleted.next().await {
            match result {
                Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
                Err(source) => return Err(failed(source)),
            }
            fail_point(format_args!("deleted"));
        }
        Ok(())
    }
}

/// Path below `root` and size of every object there.
async fn list(root: &Location) -> Result<BTreeMap<String, u64>, TableError> {
    let listed = root.store().list(Some(root.path()));
    let listed: Vec<_> =
        (listed.try_collect().await).map_err(|source| failed("list", root, source))?;
    Ok((listed.into_iter())
        .filter_map(|meta| {
            let below: Vec<_> = meta.location.prefix_match(root.path())?.collect();
            let below: Vec<_> = below.iter().map(AsRef::as_ref).collect();
            Some((below.join("/"), meta.size))
        })
        .collect())
}

/// Files below `folder` that were begun more than `keep` ago and never finished.
fn begun_files(folder: &FilePath, keep: Duration) -> io::Result<Vec<Garbage>> {
    let now = SystemTime::now();
    let mut found = Vec::new();
    let mut folders: Vec<PathBuf> = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next)? {
            let entry = entry?;
            let path = entry.path();
            let below = path.strip_prefix(folder).unwrap_or(&path).to_string_lossy();
            if entry.file_type()?.is_dir() {
                folders.push(path);
            } else if is_begun(&below) {
                let metadata = entry.metadata()?;
                let age = now.duration_since(metadata.modified()?).unwrap_or_default();
                if age >= keep {
                    found.push(Garbage {
                        path: below.into_owned(),
                        bytes: metadata.len(),
                        cause: GarbageCause::NeverCommitted,
                    });
                }
            }
        }
    }
    Ok(found)
}

/// What `object_store` calls a file on a disk until it is whole: its name, `#` and
/// a number.
fn is_begun(path: &str) -> bool {
    path.rsplit_once(".parquet#")
        .is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

fn store_error(error: io::Error) -> object_store::Error {
    object_store::Error::Generic {
        store: "LocalFileSystem",
        source: error.into(),
    }
}

fn failed(doing: &'static str, root: &Location, source: object_store::Error) -> TableError {
    TableError::Files {
        doing,
        object: root.to_string(),
        source,
    }
}
