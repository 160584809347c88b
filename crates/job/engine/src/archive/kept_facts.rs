//! The facts of the objects of an archive, kept beside the tables: each process that works on the archive counts its rows.

use std::borrow::Cow;
use std::collections::HashMap;

use object_store::ObjectStoreExt;
use serde::{Deserialize, Serialize};
use tables::{DateRange, Location, MAX_RETENTION};
use tracing::warn;

use super::{ArchiveObject, ArchiveSource};
use crate::archive::facts::ObjectFacts;
use crate::settings_digest::md5_hex;

/// The folder of the facts, beside the folders of the tables.
const FOLDER: &str = "_census";

/// Facts of fewer objects are read as fast from the objects, except for WARC files, which are read whole.
const MIN_OBJECTS: usize = 64;

/// The facts of an archive's objects in their states.
pub(super) struct KeptFacts {
    folder: Location,
    /// `None` if the archive is small.
    file: Option<Location>,
    objects: HashMap<Cow<'static, str>, Kept<'static>>,
}

/// The facts of one state of an object.
#[derive(Debug, Deserialize, Serialize)]
struct Kept<'a> {
    source: Cow<'a, str>,
    bytes: u64,
    tag: Cow<'a, str>,
    facts: Cow<'a, ObjectFacts>,
}

impl KeptFacts {
    /// Reads the facts that an earlier census of such objects kept. If they cannot be read, there are none.
    pub(super) async fn read(
        archive: &ArchiveSource,
        objects: &[ArchiveObject],
        range: DateRange,
    ) -> Self {
        let is_worth = objects.len() >= MIN_OBJECTS || objects.iter().any(ArchiveObject::is_warc);
        let folder = archive.tables.child(FOLDER);
        let file = is_worth.then(|| folder.child(&file_name(archive, range)));
        let mut kept = Vec::new();
        if let Some(file) = &file {
            match read(file).await {
                Ok(found) => kept = found,
                Err(problem) => {
                    warn!("{file}: {problem}; objects of the archive are read instead");
                }
            }
        }
        let objects = kept.into_iter().map(|kept| (kept.source.clone(), kept));
        Self {
            objects: objects.collect(),
            folder,
            file,
        }
    }

    /// Returns the facts of `object` in its present state.
    pub(super) fn take(&mut self, object: &ArchiveObject) -> Option<ObjectFacts> {
        let kept = self.objects.remove(object.source.as_str())?;
        let is_present = kept.bytes == object.bytes && kept.tag == object.tag;
        is_present.then(|| kept.facts.into_owned())
    }

    /// Keeps the facts of `objects` in place of those that were read. If they cannot be written, the next census
    /// reads the objects.
    pub(super) async fn replace(
        &self,
        objects: &[ArchiveObject],
        facts: &[Result<ObjectFacts, String>],
    ) {
        let Some(file) = &self.file else { return };
        let kept = objects.iter().zip(facts).filter_map(|(object, facts)| {
            Some(Kept {
                source: Cow::Borrowed(&object.source),
                bytes: object.bytes,
                tag: Cow::Borrowed(&object.tag),
                facts: Cow::Borrowed(facts.as_ref().ok()?),
            })
        });
        if let Err(problem) = self.write(file, &kept.collect::<Vec<_>>()).await {
            warn!("{file}: {problem}; the next run reads the objects of the archive again");
        }
    }

    async fn write(&self, file: &Location, kept: &[Kept<'_>]) -> Result<(), KeptError> {
        let bytes = serde_json::to_vec(kept)?;
        file.store().put(file.path(), bytes.into()).await?;
        // Facts for dates and settings that no run asks for any more.
        Ok(self.folder.delete_older(MAX_RETENTION).await?)
    }
}

/// The error of a store, or of JSON.
type KeptError = Box<dyn std::error::Error>;

/// Facts depend on the columns of times and HTML, on the rules of domains and on the version that reads WARC files. Of an
/// archive with dated folders, a run lists those of its dates.
fn file_name(archive: &ArchiveSource, range: DateRange) -> String {
    let (columns, location) = (&archive.columns, archive.location.as_ref());
    let dates = archive.by_date.then_some(range);
    let of = serde_json::json!([
        env!("CARGO_PKG_VERSION"),
        location.map(ToString::to_string),
        columns.fetched_at,
        columns.html,
        archive.domain_rules,
        dates.map(|dates| dates.to_string()),
    ]);
    format!("{}.json", md5_hex(of.to_string().as_bytes()))
}

async fn read(file: &Location) -> Result<Vec<Kept<'static>>, KeptError> {
    let found = match file.store().get(file.path()).await {
        Err(object_store::Error::NotFound { .. }) => return Ok(Vec::new()),
        found => found?,
    };
    Ok(serde_json::from_slice(&found.bytes().await?)?)
}
