//! Folders of tables that are right without the Delta log.

use std::time::Duration;

use deltalake::DeltaTableError;
use deltalake::kernel::Add;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt};

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
            let (from, to) = (below(&staged, &add.path), below(&folder, &add.path));
            match store.rename(&from, &to).await {
                // An earlier attempt moved it.
                Err(object_store::Error::NotFound { .. }) if store.head(&to).await.is_ok() => {}
                moved => moved.map_err(failed("move data files into", &folder))?,
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
        let paths = replaced.iter().map(|path| below(&folder, path)).collect();
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

    /// Deletes the data files that no table has: replaced files, and files of a run that was killed. Call it
    /// under the lease, before anything is written. Does nothing in [`TableFormat::Delta`].
    ///
    /// # Errors
    /// [`TableError`] if a table or the store cannot be read or written.
    pub async fn clean_folders(&self) -> Result<(), TableError> {
        if self.format() == TableFormat::Delta {
            return Ok(());
        }
        for table in Table::every() {
            let files = self.unreferenced_files(table, Duration::ZERO).await?;
            self.delete_unreferenced(table, &files).await?;
        }
        let staged = self.location().child(STAGED);
        let listed = staged.store().list(Some(staged.path()));
        let listed = listed.map_ok(|meta| meta.location).try_collect().await;
        let listed: Vec<Path> = listed.map_err(failed("list", &staged))?;
        delete(&staged, listed).await?;
        if let Ok(folder) = staged.url().to_file_path() {
            // Only empty folders and unfinished files are left.
            let _ = std::fs::remove_dir_all(folder);
        }
        Ok(())
    }
}

fn below(folder: &Location, path: &str) -> Path {
    Path::from_iter(folder.path().parts().chain(Path::from(path).parts()))
}

async fn delete(folder: &Location, paths: Vec<Path>) -> Result<(), TableError> {
    let paths = futures::stream::iter(paths.into_iter().map(Ok)).boxed();
    let mut deleted = folder.store().delete_stream(paths);
    while let Some(result) = deleted.next().await {
        match result {
            Ok(_) | Err(object_store::Error::NotFound { .. }) => {}
            Err(source) => return Err(failed("delete data files in", folder)(source)),
        }
    }
    Ok(())
}

fn failed(
    operation: &'static str,
    folder: &Location,
) -> impl FnOnce(object_store::Error) -> TableError {
    let object = folder.to_string();
    move |source| TableError::Files {
        operation,
        object,
        source,
    }
}
