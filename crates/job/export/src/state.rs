//! The state of an export in its folder: the request, the shards, and the manifest at the end.

use std::collections::{BTreeMap, BTreeSet};

use arrow::datatypes::SchemaRef;
use object_store::PutMode;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tables::{Location, fail_point};

use crate::Format;
use crate::error::ExportError;
use crate::store::{delete, delete_unfinished, list, put, read, write};

/// Folder of the shards. Readers that take all files of a folder find documents only.
pub(crate) const DOCUMENTS: &str = "documents";
/// Folder of an export that is not complete: the request, and a record of each shard.
const PROGRESS: &str = "_progress";
const REQUEST: &str = "_progress/request.json";
const MANIFEST: &str = "manifest.json";
const CARD: &str = "README.md";

/// A version of a table that documents are read from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableVersion {
    /// The id in the Delta log.
    pub id: String,
    /// The version in the Delta log.
    pub version: u64,
}

/// All that decides the bytes of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The format of the shards.
    pub format: Format,
    /// The documents, as arguments of the command: dates, domains, a query.
    pub documents_of: BTreeMap<String, String>,
    /// The field `source` of the documents.
    pub source: String,
    /// Bytes of a shard at which it is closed.
    pub shard_bytes: u64,
    /// The tables that are read.
    pub tables: BTreeMap<String, TableVersion>,
    /// The program. Another version may encode documents in another way.
    pub written_by: String,
}

impl Request {
    /// Returns the digest that the records of its shards have.
    pub(crate) fn digest(&self) -> String {
        // Maps with keys of text have a JSON form.
        let text = serde_json::to_vec(self).unwrap_or_default();
        hex::encode(Sha256::digest(text))
    }

    /// Returns an error that names the first difference to `found`, a request in `folder`.
    fn difference(&self, found: &Self, folder: &Location) -> ExportError {
        let fields = |request: &Self| {
            let mut fields = request.documents_of.clone();
            fields.insert("format".to_owned(), request.format.to_string());
            fields.insert("source".to_owned(), request.source.clone());
            fields.insert("shard size".to_owned(), request.shard_bytes.to_string());
            fields.insert("version".to_owned(), request.written_by.clone());
            fields
        };
        let (asked, there) = (fields(self), fields(found));
        let value = |of: &BTreeMap<String, String>, field: &String| {
            of.get(field)
                .map_or("not set".to_owned(), |value| format!("`{value}`"))
        };
        let mut names = asked.keys().chain(there.keys());
        let other = names.find(|name| asked.get(*name) != there.get(*name));
        let folder = folder.to_string();
        match other {
            Some(field) => ExportError::OtherExport {
                folder,
                found: value(&there, field),
                expected: value(&asked, field),
                field: field.clone(),
            },
            None => ExportError::TablesChanged {
                folder,
                change: self.changed_table(found),
            },
        }
    }

    fn changed_table(&self, found: &Self) -> String {
        let mut names = self.tables.keys().chain(found.tables.keys());
        let changed = names.find(|name| self.tables.get(*name) != found.tables.get(*name));
        let name = changed.map_or("", String::as_str);
        match (found.tables.get(name), self.tables.get(name)) {
            (Some(then), Some(now)) if then.id == now.id => format!(
                "the table `{name}` had version {} and has {}",
                then.version, now.version
            ),
            (Some(_), Some(_)) => format!("the table `{name}` is another one"),
            (None, _) => format!("the table `{name}` was not there"),
            (_, None) => format!("the table `{name}` is gone"),
        }
    }
}

/// A file of an export.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Shard {
    /// Path below the folder.
    pub path: String,
    /// Documents.
    pub documents: u64,
    /// Bytes.
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    /// Documents by their language, where that is a code of two or three letters.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub languages: BTreeMap<String, u64>,
}

/// Rows that are in shards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The part of the source, as text.
    pub(crate) part: String,
    /// Its rows up to here.
    pub(crate) rows: u64,
    /// Digest of these rows.
    pub(crate) digest: String,
}

/// The record of a shard that is whole.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Record {
    /// Digest of the request.
    request: String,
    #[serde(flatten)]
    pub(crate) shard: Shard,
    /// The end of the shard.
    pub(crate) end: Position,
}

/// The description of a complete export: `manifest.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The request.
    #[serde(flatten)]
    pub request: Request,
    /// Documents in all shards.
    pub documents: u64,
    /// Bytes of all shards.
    pub bytes: u64,
    /// The shards, in order.
    pub shards: Vec<Shard>,
}

/// The treatment of another export in the folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Refuse to write.
    Keep,
    /// Delete it.
    Replace,
}

/// The state of the folder at the start of an export.
pub(crate) enum State {
    /// An export with this request is complete.
    Complete(Manifest),
    /// These shards of this export are whole.
    Begun(Vec<Record>),
}

/// Claims `folder` for `request`. Removes what an export that was replaced or killed has left there.
///
/// # Errors
/// [`ExportError::Foreign`], [`ExportError::OtherExport`] or [`ExportError::TablesChanged`] if the folder has
/// something else.
pub(crate) async fn begin(
    folder: &Location,
    request: &Request,
    existing: Existing,
) -> Result<State, ExportError> {
    let manifest: Option<Manifest> = read(folder, MANIFEST).await?;
    let begun = match read(folder, REQUEST).await? {
        Some(begun) => Some(begun),
        None => manifest.as_ref().map(|manifest| manifest.request.clone()),
    };
    match begun {
        None => claim(folder, request).await?,
        Some(begun) if begun == *request => {}
        Some(begun) if existing == Existing::Keep => {
            return Err(request.difference(&begun, folder));
        }
        // From here on, the folder has the new export, and the same command continues it.
        Some(_) => drop(write(folder, REQUEST, request, PutMode::Overwrite).await?),
    }
    match manifest {
        Some(manifest) if manifest.request == *request => {
            remove_progress(folder).await?;
            return Ok(State::Complete(manifest));
        }
        Some(_) => delete(folder, MANIFEST).await?,
        None => {}
    }
    whole_shards(folder, request).await.map(State::Begun)
}

/// Makes the request the one of an empty folder.
async fn claim(folder: &Location, request: &Request) -> Result<(), ExportError> {
    if let Some((object, _)) = list(folder).await?.into_iter().next() {
        let folder = folder.to_string();
        return Err(ExportError::Foreign { folder, object });
    }
    if write(folder, REQUEST, request, PutMode::Create).await? {
        return Ok(());
    }
    // Another process was faster.
    match read(folder, REQUEST).await? {
        Some(other) if other != *request => Err(request.difference(&other, folder)),
        _ => Ok(()),
    }
}

/// Returns the records of the shards that are whole, from the first one on, and deletes all others.
async fn whole_shards(folder: &Location, request: &Request) -> Result<Vec<Record>, ExportError> {
    delete_unfinished(folder)?;
    delete_unfinished(&folder.child(DOCUMENTS))?;
    delete_unfinished(&folder.child(PROGRESS))?;
    let objects: BTreeMap<String, u64> = list(folder).await?.into_iter().collect();
    let digest = request.digest();
    let mut records = Vec::new();
    loop {
        let shard = shard_name(request.format, records.len());
        let name = record_name(records.len());
        if !objects.contains_key(&shard) || !objects.contains_key(&name) {
            break;
        }
        match read::<Record>(folder, &name).await? {
            Some(record)
                if record.request == digest && objects.get(&shard) == Some(&record.shard.bytes) =>
            {
                records.push(record);
            }
            _ => break,
        }
    }
    let mut known = BTreeSet::from([REQUEST.to_owned()]);
    for number in 0..records.len() {
        known.extend([record_name(number), shard_name(request.format, number)]);
    }
    // In this order records are before shards: a shard without a record is not whole.
    for object in objects.keys().filter(|object| !known.contains(*object)) {
        if object.starts_with(PROGRESS) || object.starts_with("documents/part-") {
            delete(folder, object).await?;
        }
    }
    Ok(records)
}

/// Returns the path of a shard.
pub(crate) fn shard_name(format: Format, number: usize) -> String {
    format!("{DOCUMENTS}/part-{number:05}.{}", format.ending())
}

fn record_name(number: usize) -> String {
    format!("{PROGRESS}/part-{number:05}.json")
}

/// Records that a shard is whole.
pub(crate) async fn record(
    folder: &Location,
    request: &Request,
    number: usize,
    shard: Shard,
    end: Position,
) -> Result<Shard, ExportError> {
    let record = Record {
        request: request.digest(),
        shard,
        end,
    };
    write(folder, &record_name(number), &record, PutMode::Overwrite).await?;
    Ok(record.shard)
}

/// The shards of an export.
pub(crate) struct Written {
    pub(crate) shards: Vec<Shard>,
    /// The columns of the documents, if there is a part.
    pub(crate) columns: Option<SchemaRef>,
}

impl Manifest {
    /// Describes an export whose shards are complete.
    pub(crate) fn of(request: &Request, shards: Vec<Shard>) -> Self {
        Self {
            request: request.clone(),
            documents: shards.iter().map(|shard| shard.documents).sum(),
            bytes: shards.iter().map(|shard| shard.bytes).sum(),
            shards,
        }
    }
}

/// Writes the card, if the format has one, and the manifest, and removes the records.
pub(crate) async fn complete(
    folder: &Location,
    manifest: &Manifest,
    card: Option<String>,
) -> Result<(), ExportError> {
    match card {
        Some(card) => put(folder, CARD, card.into()).await?,
        // Of an export that this one replaces.
        None => delete(folder, CARD).await?,
    }
    fail_point(format_args!("export.manifest"));
    write(folder, MANIFEST, manifest, PutMode::Overwrite).await?;
    fail_point(format_args!("export.complete"));
    remove_progress(folder).await
}

async fn remove_progress(folder: &Location) -> Result<(), ExportError> {
    delete_unfinished(&folder.child(PROGRESS))?;
    for (object, _) in list(&folder.child(PROGRESS)).await? {
        // The request is last by its name: until then the same command finds the export complete.
        delete(folder, &format!("{PROGRESS}/{object}")).await?;
    }
    if let Ok(on_disk) = folder.child(PROGRESS).url().to_file_path() {
        // A folder that is not empty stays.
        let _ = std::fs::remove_dir(on_disk);
    }
    Ok(())
}
