//! Folders of tables that are right without the Delta log.

use std::path::{Path as FilePath, PathBuf};
use std::time::Duration;

use chrono::Utc;
use deltalake::DeltaTableError;
use deltalake::kernel::Add;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};

use crate::staged_units::{Claims, UNIT_TIME};
use crate::time::is_older;
use crate::vacuum::{blocking, remove_files, unfinished_files};
use crate::{Location, Output, Table, TableError, TableFormat, fail_point};

/// The folder of data files that no commit has. It is beside the tables, so that a reader of a table's
/// folder does not find them.
const STAGED: &str = "_staged";

impl Output {
    /// Returns the folder to which data files of `table` are written before their commit.
    pub(crate) fn written_to(&self, table: Table) -> Location {
        match self.format() {
            TableFormat::Delta => self.location().child(table.name()),
            TableFormat::Parquet => self.staged(table),
        }
    }

    fn staged(&self, table: Table) -> Location {
        self.location().child(STAGED).child(table.name())
    }

    /// Moves the data files of a commit into the folder of `table`. `files` are `add` actions as JSON. Returns
    /// their paths in the store.
    pub(crate) async fn publish(
        &self,
        table: Table,
        files: &[String],
    ) -> Result<Vec<Path>, TableError> {
        if self.format() == TableFormat::Delta {
            return Ok(Vec::new());
        }
        let (staged, folder) = (self.staged(table), self.location().child(table.name()));
        let store = folder.store();
        let mut published = Vec::new();
        for file in files {
            let add: Add = serde_json::from_str(file)
                .map_err(|error| self.error(table, DeltaTableError::from(error)))?;
            let (from, to) = (staged.below(&add.path), folder.below(&add.path));
            match store.rename(&from, &to).await {
                // An earlier attempt moved it.
                Err(object_store::Error::NotFound { .. }) if store.head(&to).await.is_ok() => {}
                moved => moved.map_err(TableError::files("move data files into", &folder))?,
            }
            published.push(to);
        }
        fail_point(format_args!("published.{}", table.name()));
        Ok(published)
    }

    /// Deletes the data files that a commit replaced.
    pub(crate) async fn remove_replaced(
        &self,
        table: Table,
        replaced: Vec<String>,
    ) -> Result<(), TableError> {
        if self.format() == TableFormat::Delta {
            return Ok(());
        }
        let folder = self.location().child(table.name());
        let paths = replaced.iter().map(|path| folder.below(path)).collect();
        delete(&folder, paths).await?;
        fail_point(format_args!("removed.{}", table.name()));
        Ok(())
    }

    /// Deletes the data files that a refused commit had moved into the folder of `table`.
    ///
    /// After another error the commit may have succeeded without an answer. Then the files stay, and the next
    /// run deletes them if no table has them.
    pub(crate) async fn withdraw(
        &self,
        table: Table,
        published: Vec<Path>,
        error: &DeltaTableError,
    ) {
        let is_refused = matches!(
            error,
            DeltaTableError::Transaction { .. } | DeltaTableError::VersionAlreadyExists(_)
        );
        if is_refused {
            let folder = self.location().child(table.name());
            // The refusal is the error that matters.
            let _ = delete(&folder, published).await;
        }
    }

    /// Finds the files that wait for a commit. Finds none in [`TableFormat::Delta`], where they wait in the folders
    /// of the tables.
    pub(crate) async fn staged_files(&self) -> Result<StagedFiles, TableError> {
        if self.format() == TableFormat::Delta {
            return Ok(StagedFiles::default());
        }
        let staged = self.location().child(STAGED);
        let listed = staged.store().list(Some(staged.path()));
        let listed = listed.try_collect().await;
        let objects = listed.map_err(TableError::files("list", &staged))?;
        let mut unfinished = Vec::new();
        for table in Table::every() {
            let staged = self.staged(table);
            unfinished.extend(unfinished_below(&staged).await?);
        }
        Ok(StagedFiles {
            objects,
            unfinished,
        })
    }

    /// Deletes units that no run has committed for long, files that [`Output::staged_files`] found and that are not
    /// claimed, and folders that are empty then. A file that another process has written since stays. While units
    /// may be done, files stay for [`UNIT_TIME`], because their units may not be done.
    pub(crate) async fn delete_staged_files(
        &self,
        files: &StagedFiles,
        claims: &Claims,
    ) -> Result<(), TableError> {
        delete(self.location(), claims.expired().to_vec()).await?;
        if self.format() == TableFormat::Delta {
            return Ok(());
        }
        let staged = self.location().child(STAGED);
        let now = Utc::now();
        let is_young = |object: &ObjectMeta| !is_older(object.last_modified, UNIT_TIME, now);
        let is_claimed = |object: &ObjectMeta| {
            let path = staged.relative(&object.location);
            path.is_some_and(|path| claims.has(&path))
        };
        let kept = |object: &&ObjectMeta| {
            claims.is_work_going_on() && (is_young(object) || is_claimed(object))
        };
        let objects = files.objects.iter().filter(|object| !kept(object));
        delete(
            &staged,
            objects.map(|object| object.location.clone()).collect(),
        )
        .await?;
        let unfinished = match claims.is_work_going_on() {
            true => Vec::new(),
            false => files.unfinished.clone(),
        };
        let folder = staged.url().to_file_path();
        let removed = blocking(move || {
            remove_files(&unfinished)?;
            if let Ok(folder) = folder {
                remove_empty_folders(&folder);
            }
            Ok(())
        });
        removed
            .await
            .map_err(TableError::files("delete data files in", &staged))
    }
}

/// Files that wait for a commit outside of the folders of the tables.
#[derive(Debug, Default)]
pub struct StagedFiles {
    objects: Vec<ObjectMeta>,
    /// Files of a local disk that were not written to their end. A store does not list them.
    unfinished: Vec<PathBuf>,
}

/// Finds the unfinished files of a table on a local disk.
async fn unfinished_below(folder: &Location) -> Result<Vec<PathBuf>, TableError> {
    let Ok(path) = folder.url().to_file_path() else {
        return Ok(Vec::new());
    };
    let found = blocking(move || {
        if !path.is_dir() {
            return Ok(Vec::new());
        }
        let found = unfinished_files(&path, Duration::ZERO)?;
        Ok(found.iter().map(|file| path.join(&file.path)).collect())
    });
    found.await.map_err(TableError::files("list", folder))
}

/// Removes the folders below `folder`, and itself, that have no files.
fn remove_empty_folders(folder: &FilePath) {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    for entry in entries {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty_folders(&entry.path());
        }
    }
    // A folder with files stays.
    let _ = std::fs::remove_dir(folder);
}

async fn delete(folder: &Location, paths: Vec<Path>) -> Result<(), TableError> {
    let paths = futures::stream::iter(paths.into_iter().map(Ok));
    let deleted = folder.deleted(paths).try_collect().await;
    deleted.map_err(TableError::files("delete data files in", folder))
}
