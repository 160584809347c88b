//! The folders in which the files of a list are.

use std::error::Error;
use std::io;

use bytes::Bytes;
use md5::{Digest, Md5};
use object_store::path::{Path, PathPart};
use object_store::{ObjectMeta, ObjectStoreExt};
use tables::Location;

use crate::error::ImportError;
use crate::inputs::{input_at, objects};
use crate::pages::row::Reason;

/// Folders of files. A file is that of the first folder that has it.
#[derive(Debug, Clone)]
pub(crate) struct Folders(pub(crate) Vec<Location>);

impl Folders {
    /// Reads the file at `path`, which is relative to a folder and does not lead out of it.
    ///
    /// # Errors
    /// If a store fails. A file that cannot be used gives a reason.
    pub(crate) async fn read(
        &self,
        path: &str,
        limit: u64,
    ) -> Result<Result<Bytes, Reason>, ImportError> {
        let parts = match parts(path) {
            Ok(parts) => parts,
            Err(reason) => return Ok(Err(reason)),
        };
        for folder in &self.0 {
            match read(folder, &parts, limit).await? {
                Err(Reason::NoFile) => {}
                found => return Ok(found),
            }
        }
        Ok(Err(Reason::NoFile))
    }

    /// Returns a digest of the names, sizes and times of all files but those below `output`. It is
    /// another one when a file has changed. Web servers list no files, and have none.
    pub(crate) async fn digest(&self, output: &Location) -> Result<String, ImportError> {
        let (mut sum, mut files) = (0_u128, 0_u64);
        for (position, folder) in self.0.iter().enumerate() {
            if folder.is_web() {
                continue;
            }
            for meta in list(folder, output).await? {
                // A sum does not depend on the order in which a store lists.
                let state = input_at(folder.clone(), &meta).tag.unwrap_or_default();
                let file = format!("{position} {} {} {state}", meta.size, meta.location);
                let digest = Md5::digest(file.as_bytes());
                sum = sum.wrapping_add(u128::from_be_bytes(digest.into()));
                files += 1;
            }
        }
        Ok(format!("{files} files {sum:032x}"))
    }
}

/// Lists the files of a folder but those below `output`, in path order.
pub(crate) async fn list(
    folder: &Location,
    output: &Location,
) -> Result<Vec<ObjectMeta>, ImportError> {
    let mut files = objects(folder).await?;
    files.retain(|meta| {
        output.store_url() != folder.store_url() || !meta.location.prefix_matches(output.path())
    });
    Ok(files)
}

async fn read(
    folder: &Location,
    parts: &[&str],
    limit: u64,
) -> Result<Result<Bytes, Reason>, ImportError> {
    let mut path: Vec<PathPart<'_>> = folder.path().parts().collect();
    for part in parts {
        match PathPart::parse(part) {
            Ok(part) => path.push(part),
            Err(error) => return Ok(Err(Reason::Unreadable(error.to_string()))),
        }
    }
    let path = Path::from_iter(path);
    if let Err(reason) = is_inside(folder, parts) {
        return Ok(Err(reason));
    }
    let found = match folder.store().get(&path).await {
        Ok(found) if found.meta.size > limit => {
            let bytes = found.meta.size;
            return Ok(Err(Reason::TooLarge { bytes, limit }));
        }
        Ok(found) => found.bytes().await,
        Err(error) => Err(error),
    };
    match found {
        Ok(bytes) => Ok(Ok(bytes)),
        Err(object_store::Error::NotFound { .. }) => Ok(Err(Reason::NoFile)),
        Err(source) => match of_the_file(&source) {
            Some(error) => Ok(Err(Reason::Unreadable(error.to_string()))),
            None => Err(ImportError::Store {
                doing: "read",
                object: format!("{folder}/{}", parts.join("/")),
                source,
            }),
        },
    }
}

/// Whether the file system leads to a place inside `folder`, through all links. Other stores have no
/// links.
fn is_inside(folder: &Location, parts: &[&str]) -> Result<(), Reason> {
    let Ok(folder) = folder.url().to_file_path() else {
        return Ok(());
    };
    let real = |path: &std::path::Path| match path.canonicalize() {
        Ok(path) => Ok(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Reason::NoFile),
        Err(error) => Err(Reason::Unreadable(error.kind().to_string())),
    };
    let mut path = folder.clone();
    path.extend(parts);
    let (path, folder) = (real(&path)?, real(&folder)?);
    if !path.starts_with(folder) {
        return Err(Reason::Outside);
    }
    match path.metadata() {
        Ok(found) if found.is_file() => Ok(()),
        Ok(_) => Err(Reason::NoFile),
        Err(error) => Err(Reason::Unreadable(error.kind().to_string())),
    }
}

/// Returns the error of a disk that is about one file, and that a second attempt would return too.
fn of_the_file(error: &object_store::Error) -> Option<io::ErrorKind> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            let kind = error.kind();
            return matches!(
                kind,
                io::ErrorKind::PermissionDenied
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::InvalidFilename
            )
            .then_some(kind);
        }
        cause = error.source();
    }
    None
}

/// Splits a path. `.` and `..` have their meaning, but nothing is above the folder.
fn parts(path: &str) -> Result<Vec<&str>, Reason> {
    if path.starts_with('/') {
        return Err(Reason::Outside);
    }
    let mut parts = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop().ok_or(Reason::Outside)?;
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() {
        return Err(Reason::NoFile);
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_leads_out_of_its_folder() {
        assert_eq!(parts("a/../b/./c.html").unwrap(), ["b", "c.html"]);
        for path in [
            "/etc/passwd",
            "..",
            "../a.html",
            "a/../../b.html",
            "a/../..",
        ] {
            assert_eq!(parts(path), Err(Reason::Outside), "{path}");
        }
        assert_eq!(parts("a/.."), Err(Reason::NoFile));
    }
}
