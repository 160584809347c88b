//! Opens a WARC file as an object of the archive.

use std::sync::Arc;

use import::output::TemporaryFolder;
use import::{FilePages, ImportError, file_pages};
use tracing::info;

use super::ArchiveSource;
use crate::archive::reader::{Content, ObjectReader, ObjectState};
use crate::error::EngineError;

/// Reads the WARC file in the state `found` once. Its pages wait in the folder of spilled rows as long as the reader lives.
///
/// # Errors
/// Where the store or the disk fails, or the file has changed.
pub(super) async fn warc_pages(
    archive: &ArchiveSource,
    found: ObjectState,
) -> Result<ObjectReader, EngineError> {
    let location = archive.location()?.listed(&archive.path(&found.source)?);
    let folder = TemporaryFolder(Some(archive.spill_folder.clone()));
    let pages = {
        // A file takes threads, of which one waits for the store, and memory for its longest records.
        let _turn = archive.opened.warc_turn().await;
        file_pages(&location, &folder).await
    };
    let FilePages {
        file,
        meta,
        not_pages,
        ..
    } = pages.map_err(|error| failed(&found.source, error))?;
    info!(source = found.source, not_pages, "read a WARC file");
    let version = found.version_of(&meta)?;
    let temporary = file.metadata().map_err(|source| {
        let input = found.source.clone();
        failed(&found.source, ImportError::Spool { input, source })
    })?;
    Ok(ObjectReader {
        state: ObjectState {
            version: Some(version),
            ..found
        },
        content: Content::Temporary {
            file: Arc::new(file),
            bytes: temporary.len(),
        },
    })
}

fn failed(object: &str, error: ImportError) -> EngineError {
    let (doing, source) = match error {
        ImportError::Store { source, .. } => ("read", source),
        error => {
            let generic = object_store::Error::Generic {
                store: "temporary file",
                source: error.into(),
            };
            ("keep the pages of", generic)
        }
    };
    EngineError::Store {
        doing,
        object: object.to_owned(),
        source,
    }
}
