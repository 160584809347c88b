use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path as FilePath, PathBuf};
use std::time::{Duration, SystemTime};

use chrono::TimeDelta;
use deltalake::operations::vacuum::VacuumMode;
use futures::{StreamExt, TryStreamExt};
use object_store::ObjectStore;
use object_store::path::Path;
use tokio::task::spawn_blocking;

use crate::file_names::{is_data_file, is_log_file, is_unfinished};
use crate::{Location, Output, Table, TableError, fail_point};

/// The longest retention of a vacuum: `delta.deletedFileRetentionDuration` of the
/// tables. The Delta log may have dropped the time at which a file was replaced
/// before that.
pub const MAX_RETENTION: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A file below a table that no version within the retention references.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreferencedFile {
    /// Path below the table.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The reason why the file is unreferenced.
    pub cause: UnreferencedCause,
}

/// The reason why a file is unreferenced.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum UnreferencedCause {
    /// The file was never committed: its run stopped before.
    NeverCommitted,
    /// A later version of the table replaced the file.
    Replaced,
}

impl Output {
    /// Finds the files below `table` that no version of the last `retention`
    /// references, ordered by path. A file that was never committed is included once
    /// it is as old as `retention`, because a run may be about to commit a younger
    /// one.
    ///
    /// The vacuum of `deltalake` decides which files are unreferenced. On a local disk
    /// unfinished files are included, which a store does not list.
    ///
    /// # Errors
    /// [`TableError`] if the table or the store cannot be read.
    pub async fn unreferenced_files(
        &self,
        table: Table,
        retention: Duration,
    ) -> Result<Vec<UnreferencedFile>, TableError> {
        let Some(opened) = self.open(table).await? else {
            return Ok(Vec::new());
        };
        let retention_period = TimeDelta::from_std(retention).unwrap_or(TimeDelta::MAX);
        let plan = async |mode| {
            let vacuum = opened
                .clone()
                .vacuum()
                .with_mode(mode)
                .with_retention_period(retention_period)
                // The caller limits the retention to MAX_RETENTION.
                .with_enforce_retention_duration(false)
                .with_dry_run(true);
            let (_, plan) = vacuum.await.map_err(|error| self.error(table, error))?;
            Ok::<BTreeSet<String>, TableError>(plan.files_deleted.into_iter().collect())
        };
        let unreferenced = plan(VacuumMode::Full).await?;
        let replaced = plan(VacuumMode::Lite).await?;
        // The plan also names files that were deleted long ago.
        let root = self.location().child(table.name());
        let existing = list(&root).await?;
        let mut files: Vec<_> = existing
            .into_iter()
            .filter(|(path, _)| is_data_file(path) && unreferenced.contains(path))
            .map(|(path, bytes)| UnreferencedFile {
                cause: if replaced.contains(&path) {
                    UnreferencedCause::Replaced
                } else {
                    UnreferencedCause::NeverCommitted
                },
                path,
                bytes,
            })
            .collect();
        if let Ok(folder) = root.url().to_file_path() {
            let unfinished = blocking(move || unfinished_files(&folder, retention)).await;
            files.extend(unfinished.map_err(TableError::files("list", &root))?);
        }
        files.sort();
        Ok(files)
    }

    /// Refuses to begin `tables` in folders with files that are not of tables of urltree.
    ///
    /// # Errors
    /// [`TableError::ForeignFile`], and [`TableError::Files`] if the store fails.
    pub async fn refuse_foreign_files(&self, tables: &[Table]) -> Result<(), TableError> {
        let location = self.location();
        let found = location
            .store()
            .list_with_delimiter(Some(location.path()))
            .await;
        let found = found.map_err(TableError::files("list", location))?;
        for table in tables {
            let folder = location.child(table.name());
            if !found.common_prefixes.contains(folder.path()) {
                continue;
            }
            let files = list(&folder).await?;
            let is_foreign = |path: &&String| !is_data_file(path) && !is_log_file(path);
            if let Some(file) = files.keys().find(is_foreign) {
                return Err(TableError::ForeignFile {
                    table: table.name(),
                    location: folder.to_string(),
                    file: file.clone(),
                });
            }
        }
        Ok(())
    }

    /// Deletes files that [`Output::unreferenced_files`] found below `table`. A file
    /// that no longer exists is not an error.
    ///
    /// # Errors
    /// [`TableError::Files`] if the store fails. Files that were already deleted stay
    /// deleted.
    pub async fn delete_unreferenced(
        &self,
        table: Table,
        files: &[UnreferencedFile],
    ) -> Result<(), TableError> {
        let root = self.location().child(table.name());
        let failed = TableError::files("delete data files in", &root);
        let (unfinished, finished): (Vec<_>, Vec<_>) =
            files.iter().partition(|file| is_unfinished(&file.path));
        if let Ok(folder) = root.url().to_file_path() {
            let paths = unfinished.iter().map(|file| folder.join(&file.path));
            let paths: Vec<PathBuf> = paths.collect();
            let removed = blocking(move || remove_files(&paths)).await;
            removed.map_err(&failed)?;
        }
        let paths = finished
            .iter()
            .map(|file| Path::parse(format!("{}/{}", root.path(), file.path)))
            .collect::<Result<Vec<_>, _>>();
        let paths = paths.map_err(|error| failed(error.into()))?;
        let mut deleted = root.deleted(futures::stream::iter(paths.into_iter().map(Ok)));
        while let Some(result) = deleted.next().await {
            result.map_err(&failed)?;
            fail_point(format_args!("deleted"));
        }
        Ok(())
    }
}

/// Lists the objects below `root`: path below it, and size.
async fn list(root: &Location) -> Result<BTreeMap<String, u64>, TableError> {
    let listed = root.store().list(Some(root.path()));
    let listed: Result<Vec<_>, _> = listed.try_collect().await;
    let listed = listed.map_err(TableError::files("list", root))?;
    Ok(listed
        .into_iter()
        .filter_map(|meta| Some((root.relative(&meta.location)?, meta.size)))
        .collect())
}

/// Runs file operations on a thread that may block.
pub(crate) async fn blocking<T: Send + 'static>(
    operation: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, object_store::Error> {
    let done = spawn_blocking(operation).await;
    done.map_err(io::Error::from)
        .flatten()
        .map_err(|error| object_store::Error::Generic {
            store: "LocalFileSystem",
            source: error.into(),
        })
}

/// Finds the files below `folder` that are unfinished and at least as old as
/// `retention`.
pub(crate) fn unfinished_files(
    folder: &FilePath,
    retention: Duration,
) -> io::Result<Vec<UnreferencedFile>> {
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
            } else if is_unfinished(&below) && is_data_file(&below) {
                let metadata = entry.metadata()?;
                let age = now.duration_since(metadata.modified()?).unwrap_or_default();
                if age >= retention {
                    found.push(UnreferencedFile {
                        path: below.into_owned(),
                        bytes: metadata.len(),
                        cause: UnreferencedCause::NeverCommitted,
                    });
                }
            }
        }
    }
    Ok(found)
}

pub(crate) fn remove_files(paths: &[PathBuf]) -> io::Result<()> {
    for path in paths {
        match std::fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}
