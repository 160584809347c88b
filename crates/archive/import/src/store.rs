//! Reads and writes whole objects.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

use object_store::path::Path;
use object_store::{ObjectStoreExt, WriteMultipart};
use tables::Location;

use crate::error::ImportError;

/// Bytes of a part of an upload, and most bytes of an object that is one request. Stores accept parts
/// from 5 MiB.
const PART_BYTES: usize = 8 << 20;
/// Parts that are sent at a time.
const PARTS_AT_A_TIME: usize = 4;

/// Returns the path of `name`, which may have folders, below `folder`.
pub fn path(folder: &Location, name: &str) -> Path {
    Path::from_iter(folder.path().parts().chain(Path::from(name).parts()))
}

fn failed(
    doing: &'static str,
    folder: &Location,
    name: &str,
) -> impl Fn(object_store::Error) -> ImportError {
    let object = format!("{folder}/{name}");
    move |source| ImportError::Store {
        doing,
        object: object.clone(),
        source,
    }
}

/// Reads an object.
pub(crate) async fn read(location: &Location, doing: &'static str) -> Result<Vec<u8>, ImportError> {
    let failed = |source| ImportError::Store {
        doing,
        object: location.to_string(),
        source,
    };
    let found = location
        .store()
        .get(location.path())
        .await
        .map_err(failed)?;
    Ok(found.bytes().await.map_err(failed)?.to_vec())
}

/// Writes the object `name` below `folder` from the beginning of `file`. It is visible when it is whole.
/// `input` is the name of the content in errors.
///
/// # Errors
/// Those of the store, and those of the disk.
pub async fn put_file(
    folder: &Location,
    name: &str,
    input: &str,
    mut file: File,
) -> Result<(), ImportError> {
    let spool = |source| ImportError::Spool {
        input: input.to_owned(),
        source,
    };
    let bytes = file.seek(SeekFrom::End(0)).map_err(spool)?;
    file.rewind().map_err(spool)?;
    if bytes <= PART_BYTES as u64 {
        let mut content = Vec::new();
        file.read_to_end(&mut content).map_err(spool)?;
        return put(folder, name, content).await;
    }
    let failed = failed("write", folder, name);
    let upload = folder.store().put_multipart(&path(folder, name)).await;
    let mut upload = WriteMultipart::new_with_chunk_size(upload.map_err(&failed)?, PART_BYTES);
    let mut part = vec![0; PART_BYTES];
    loop {
        let read = match file.read(&mut part) {
            Ok(read) => read,
            Err(error) => {
                // The error of the disk matters more than one of the store.
                let _ = upload.abort().await;
                return Err(spool(error));
            }
        };
        if read == 0 {
            break;
        }
        upload
            .wait_for_capacity(PARTS_AT_A_TIME)
            .await
            .map_err(&failed)?;
        upload.write(&part[..read]);
    }
    upload.finish().await.map_err(failed)?;
    Ok(())
}

/// Writes a small object.
pub(crate) async fn put(folder: &Location, name: &str, bytes: Vec<u8>) -> Result<(), ImportError> {
    let put = folder.store().put(&path(folder, name), bytes.into()).await;
    put.map_err(failed("write", folder, name))?;
    Ok(())
}

/// Deletes an object, if it is there.
///
/// # Errors
/// Those of the store.
pub async fn delete(folder: &Location, name: &str) -> Result<(), ImportError> {
    match folder.store().delete(&path(folder, name)).await {
        Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
        Err(error) => Err(failed("delete", folder, name)(error)),
    }
}
