//! Small objects, listings, and uploads of files whose size is not known before.

use bytes::Bytes;
use futures::TryStreamExt;
use object_store::path::Path;
use object_store::{ObjectStoreExt, PutMode, WriteMultipart};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::{Digest, Sha256};
use tables::Location;

use crate::error::ExportError;

/// Bytes of a part of an upload, and most bytes of a file that is one request. Stores accept parts from
/// 5 MiB.
const PART_BYTES: usize = 8 << 20;
/// Parts that are sent at a time. They are in memory.
const PARTS_AT_A_TIME: usize = 4;

/// Returns the path of `name`, which may have folders, below `folder`.
fn path(folder: &Location, name: &str) -> Path {
    Path::from_iter(folder.path().parts().chain(Path::from(name).parts()))
}

/// Reads an object of JSON, if it is there.
pub(crate) async fn read<T: DeserializeOwned>(
    folder: &Location,
    name: &str,
) -> Result<Option<T>, ExportError> {
    let object = format!("{folder}/{name}");
    let bytes = async {
        let found = folder.store().get(&path(folder, name)).await?;
        found.bytes().await
    };
    let bytes = match bytes.await {
        Err(object_store::Error::NotFound { .. }) => return Ok(None),
        bytes => bytes.map_err(ExportError::store("read", &object))?,
    };
    let value = serde_json::from_slice(&bytes);
    value
        .map(Some)
        .map_err(|source| ExportError::Record { object, source })
}

/// Writes an object of JSON. In the mode [`PutMode::Create`], returns `false` if there is one already.
pub(crate) async fn write(
    folder: &Location,
    name: &str,
    value: &impl Serialize,
    mode: PutMode,
) -> Result<bool, ExportError> {
    let object = format!("{folder}/{name}");
    let mut bytes = serde_json::to_vec_pretty(value).map_err(|source| ExportError::Record {
        object: object.clone(),
        source,
    })?;
    bytes.push(b'\n');
    let at = path(folder, name);
    let put = folder.store().put_opts(&at, bytes.into(), mode.into());
    match put.await {
        Ok(_) => Ok(true),
        Err(object_store::Error::AlreadyExists { .. }) => Ok(false),
        Err(error) => Err(ExportError::store("write", object)(error)),
    }
}

/// Writes a small object.
pub(crate) async fn put(folder: &Location, name: &str, bytes: Bytes) -> Result<(), ExportError> {
    let put = folder.store().put(&path(folder, name), bytes.into()).await;
    put.map_err(ExportError::store("write", format!("{folder}/{name}")))?;
    Ok(())
}

/// Deletes an object, if it is there.
pub(crate) async fn delete(folder: &Location, name: &str) -> Result<(), ExportError> {
    match folder.store().delete(&path(folder, name)).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(ExportError::store("delete", format!("{folder}/{name}"))(
            error,
        )),
    }
}

/// Lists the objects below `folder`: name and bytes, in order.
pub(crate) async fn list(folder: &Location) -> Result<Vec<(String, u64)>, ExportError> {
    let listed = folder.store().list(Some(folder.path()));
    let listed: Vec<_> =
        (listed.try_collect().await).map_err(ExportError::store("list", folder))?;
    let below =
        |meta: object_store::ObjectMeta| Some((folder.relative(&meta.location)?, meta.size));
    let mut objects: Vec<_> = listed.into_iter().filter_map(below).collect();
    objects.sort_unstable();
    Ok(objects)
}

/// Deletes the unfinished files that a killed process left in `folder`: on a disk, `object_store`
/// gives a file its name and `#` and a number until it is whole. A listing leaves them out, but readers that
/// take all files of a folder would not.
pub(crate) fn delete_unfinished(folder: &Location) -> Result<(), ExportError> {
    let Ok(on_disk) = folder.url().to_file_path() else {
        return Ok(());
    };
    let failed = |error: std::io::Error| {
        let error = object_store::Error::Generic {
            store: "LocalFileSystem",
            source: error.into(),
        };
        ExportError::store("clean", folder)(error)
    };
    let entries = match std::fs::read_dir(on_disk) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        entries => entries.map_err(failed)?,
    };
    for entry in entries {
        let path = entry.map_err(failed)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if is_unfinished(&name) {
            std::fs::remove_file(&path).map_err(failed)?;
        }
    }
    Ok(())
}

/// Whether a file is one of an export that is not whole.
fn is_unfinished(name: &str) -> bool {
    name.rsplit_once('#').is_some_and(|(name, number)| {
        let is_ours = name.starts_with("part-")
            || ["manifest.json", "request.json", "README.md"].contains(&name);
        is_ours && number.parse::<u32>().is_ok()
    })
}

/// An object on its way to a store. It is visible when [`Upload::finish`] returns.
pub(crate) struct Upload {
    folder: Location,
    name: String,
    /// Bytes that are not sent yet.
    waiting: Vec<u8>,
    parts: Option<WriteMultipart>,
    digest: Sha256,
    bytes: u64,
}

/// An object that was uploaded.
pub(crate) struct Uploaded {
    pub(crate) bytes: u64,
    /// SHA-256 in hexadecimal digits.
    pub(crate) sha256: String,
}

impl Upload {
    pub(crate) fn new(folder: &Location, name: String) -> Self {
        Self {
            folder: folder.clone(),
            name,
            waiting: Vec::new(),
            parts: None,
            digest: Sha256::new(),
            bytes: 0,
        }
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the bytes of the object so far.
    pub(crate) fn bytes(&self) -> u64 {
        self.bytes
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) -> Result<(), ExportError> {
        self.digest.update(bytes);
        self.bytes += bytes.len() as u64;
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() < PART_BYTES {
            return Ok(());
        }
        let failed = || ExportError::store("write", format!("{}/{}", self.folder, self.name));
        let parts = match &mut self.parts {
            Some(parts) => parts,
            parts => {
                let at = path(&self.folder, &self.name);
                let upload = self.folder.store().put_multipart(&at).await;
                let upload = upload.map_err(failed())?;
                parts.insert(WriteMultipart::new_with_chunk_size(upload, PART_BYTES))
            }
        };
        let room = parts.wait_for_capacity(PARTS_AT_A_TIME).await;
        room.map_err(failed())?;
        parts.write(&self.waiting);
        self.waiting.clear();
        Ok(())
    }

    /// Makes the object visible.
    pub(crate) async fn finish(mut self) -> Result<Uploaded, ExportError> {
        let failed = ExportError::store("write", format!("{}/{}", self.folder, self.name));
        match self.parts {
            Some(mut parts) => {
                parts.write(&self.waiting);
                parts.finish().await.map_err(failed)?;
            }
            None => {
                let content = std::mem::take(&mut self.waiting);
                let at = path(&self.folder, &self.name);
                let put = self.folder.store().put(&at, content.into()).await;
                put.map_err(failed)?;
            }
        }
        Ok(Uploaded {
            bytes: self.bytes,
            sha256: hex::encode(self.digest.finalize()),
        })
    }

    /// Discards what was sent.
    pub(crate) async fn abort(self) {
        if let Some(parts) = self.parts {
            // The export has failed already.
            let _ = parts.abort().await;
        }
    }
}
