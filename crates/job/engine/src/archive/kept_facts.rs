//! The facts of the objects of an archive, kept beside the tables: each process that works on the archive counts its rows.

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
    /// `None` if the archive is small, or nothing is written.
    at: Option<Place>,
    objects: HashMap<String, Kept>,
}

/// Where facts are kept.
struct Place {
    folder: Location,
    file: Location,
}

/// The facts of one state of an object.
#[derive(Debug, Deserialize, Serialize)]
struct Kept {
    source: String,
    bytes: u64,
    tag: String,
    facts: ObjectFacts,
}

/// As [`Kept`], to write.
#[derive(Serialize)]
struct Keeping<'a> {
    source: &'a str,
    bytes: u64,
    tag: &'a str,
    facts: &'a ObjectFacts,
}

impl KeptFacts {
    /// Reads the facts that an earlier census of such objects kept. If they cannot be read, there are none.
    pub(super) async fn read(
        archive: &ArchiveSource,
        objects: &[ArchiveObject],
        range: DateRange,
    ) -> Self {
        let is_worth = objects.len() >= MIN_OBJECTS || objects.iter().any(ArchiveObject::is_warc);
        let at = (archive.facts.as_ref()).filter(|_| is_worth);
        let Some(at) = at.map(|output| Place::new(output, archive, range)) else {
            return Self {
                at: None,
                objects: HashMap::new(),
            };
        };
        let kept = match at.read().await {
            Ok(kept) => kept,
            Err(problem) => {
                warn!(
                    "{}: {problem}; objects of the archive are read instead",
                    at.file
                );
                Vec::new()
            }
        };
        let objects = kept.into_iter().map(|kept| (kept.source.clone(), kept));
        Self {
            objects: objects.collect(),
            at: Some(at),
        }
    }

    /// Returns the facts of `object` in its present state.
    pub(super) fn take(&mut self, object: &ArchiveObject) -> Option<ObjectFacts> {
        let kept = self.objects.remove(&object.source)?;
        (kept.bytes == object.bytes && kept.tag == object.tag).then_some(kept.facts)
    }

    /// Keeps the facts of `objects` in place of those that were read. If they cannot be written, the next census
    /// reads the objects.
    pub(super) async fn replace(
        &self,
        objects: &[ArchiveObject],
        facts: &[Result<ObjectFacts, String>],
    ) {
        let Some(at) = &self.at else { return };
        let kept = objects.iter().zip(facts).filter_map(|(object, facts)| {
            Some(Keeping {
                source: &object.source,
                bytes: object.bytes,
                tag: &object.tag,
                facts: facts.as_ref().ok()?,
            })
        });
        if let Err(problem) = at.write(&kept.collect::<Vec<_>>()).await {
            let at = &at.file;
            warn!("{at}: {problem}; the next run reads the objects of the archive again");
        }
    }
}

/// The error of a store, or of JSON.
type KeptError = Box<dyn std::error::Error>;

impl Place {
    /// Facts depend on the columns of times and HTML, on the rules of domains and on the version that reads WARC files. Of an
    /// archive with dated folders, a run lists those of its dates.
    fn new(output: &Location, archive: &ArchiveSource, range: DateRange) -> Self {
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
        let name = format!("{}.json", md5_hex(of.to_string().as_bytes()));
        let folder = output.child(FOLDER);
        Self {
            file: folder.child(&name),
            folder,
        }
    }

    async fn read(&self) -> Result<Vec<Kept>, KeptError> {
        let found = match self.file.store().get(self.file.path()).await {
            Err(object_store::Error::NotFound { .. }) => return Ok(Vec::new()),
            found => found?,
        };
        Ok(serde_json::from_slice(&found.bytes().await?)?)
    }

    async fn write(&self, kept: &[Keeping<'_>]) -> Result<(), KeptError> {
        let bytes = serde_json::to_vec(kept)?;
        self.file
            .store()
            .put(self.file.path(), bytes.into())
            .await?;
        // Facts for dates and settings that no run asks for any more.
        Ok(self.folder.delete_older(MAX_RETENTION).await?)
    }
}
