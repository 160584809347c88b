//! Reads an archive: lists its objects, checks their columns, counts rows per date, and decodes
//! row groups.

mod census;
mod column;
mod convert;
mod facts;
mod footer;
mod kept_facts;
mod object;
mod open_objects;
mod read_ahead;
mod reader;
mod warc_pages;

use std::path::PathBuf;
use std::sync::Arc;

use chrono::NaiveDate;
use futures::TryStreamExt;
use import::is_warc_file;
use object_store::path::Path;
use object_store::{ObjectMeta, ObjectStoreExt};
use tables::{DateRange, Location};

pub use census::DateInput;
pub(crate) use census::{Census, DateRules, ObjectCensus, share};
pub(crate) use column::{ObjectColumn, page_columns};
pub(crate) use facts::date_of_time;
pub(crate) use object::{DecodedColumns, OpenObject, RowGroupRows, decode_error};
pub(crate) use open_objects::OpenObjects;
pub(crate) use read_ahead::{ReadAhead, ReadAheadMemory, RowGroupRequest};
pub(crate) use reader::ObjectState;

use crate::error::EngineError;
use crate::spec::{ColumnNames, SpecError};

/// The location of the archive, and how to read it.
#[derive(Debug, Clone)]
pub struct ArchiveSource {
    /// A Parquet or WARC file, or a folder of such files. `None` for commands that read only tables.
    pub location: Option<Location>,
    /// Whether the rows of a date are in a folder `date=YYYY-MM-DD`.
    pub by_date: bool,
    /// The dates that pages can have. A time of another date is not believed.
    pub possible_dates: DateRange,
    /// Names of columns.
    pub columns: ColumnNames,
    /// Names of the columns that are passed through to `documents`.
    pub(crate) passed_through: Arc<[String]>,
    /// The columns that are read of pages.
    pub(crate) page_columns: Arc<[ObjectColumn]>,
    /// The name of the rules that give a page its domain.
    pub(crate) domain_rules: String,
    /// The folder of the tables, where what is known of the objects is kept.
    pub(crate) tables: Location,
    /// The objects whose footers were read.
    pub(crate) opened: OpenObjects,
    /// Memory of row groups that are read before their turn.
    pub(crate) read_ahead: ReadAheadMemory,
    /// Folder of the pages of WARC files.
    pub(crate) spill_folder: PathBuf,
}

/// One object of the archive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ArchiveObject {
    /// Path relative to the location of the archive: the `source` column.
    pub(crate) source: String,
    /// Size in bytes.
    pub(crate) bytes: u64,
    /// The date in the name of its folder.
    pub(crate) folder_date: Option<NaiveDate>,
    /// Changes with the content: the entity tag of the store, or the time of the last change.
    pub(crate) tag: String,
    /// The time of the last change, in microseconds since 1970, UTC.
    pub(crate) modified_micros: i64,
}

/// The objects of an archive, in path order.
pub(crate) struct ListedObjects {
    /// Those that may have rows of the dates in question.
    pub(crate) objects: Vec<ArchiveObject>,
    /// Those in folders of earlier dates.
    pub(crate) earlier: Vec<ArchiveObject>,
}

impl ArchiveObject {
    fn is_warc(&self) -> bool {
        is_warc_file(&self.source)
    }
}

impl ArchiveSource {
    /// Returns the location.
    ///
    /// # Errors
    /// [`EngineError::Spec`] if the job has none.
    pub fn location(&self) -> Result<&Location, EngineError> {
        let missing = "missing; expected a Parquet file, or a folder of Parquet files";
        let location = self.location.as_ref();
        location.ok_or_else(|| SpecError::key("archive.location", missing).into())
    }

    /// Lists the objects. With dated folders, only those in the folders of `range` may have rows of it.
    ///
    /// # Errors
    /// Where the location cannot be reached or has no object, or with dated folders, where
    /// an object is outside of them.
    pub(crate) async fn objects(&self, range: DateRange) -> Result<ListedObjects, EngineError> {
        let location = self.location()?;
        let listed = list(location).await?;
        let objects = listed.iter();
        let mut objects: Vec<_> = objects
            .filter_map(|meta| self.object(location, meta))
            .collect();
        if objects.is_empty() {
            return Err(EngineError::EmptyArchive {
                location: location.to_string(),
                others: listed.len(),
            });
        }
        let stray = objects.iter().find(|object| object.folder_date.is_none());
        if let Some(stray) = stray.filter(|_| self.by_date) {
            return Err(EngineError::Undated {
                source_object: stray.source.clone(),
            });
        }
        objects.sort();
        let mut earlier = Vec::new();
        if self.by_date {
            let is_before = |object: &mut ArchiveObject| object.folder_date < Some(range.first());
            earlier.extend(objects.extract_if(.., is_before));
            objects.retain(|object| object.folder_date <= Some(range.last()));
        }
        Ok(ListedObjects { objects, earlier })
    }

    /// Returns the path of `source` in the store. A source is part of a listed path, already
    /// escaped by the store; joining its parts would escape them again.
    pub(crate) fn path(&self, source: &str) -> Result<Path, EngineError> {
        let root = self.location()?.path();
        if root.filename() == Some(source) && is_object(source) {
            // The location is the object itself.
            return Ok(root.clone());
        }
        Path::parse(format!("{root}/{source}")).map_err(|error| EngineError::Store {
            doing: "read",
            object: source.to_owned(),
            source: error.into(),
        })
    }

    /// Returns `None` for an object that is neither Parquet nor WARC, or that is hidden, as `_log` and `.tmp`
    /// are.
    fn object(&self, location: &Location, meta: &ObjectMeta) -> Option<ArchiveObject> {
        let relative = location.relative(&meta.location)?;
        let hidden = relative.split('/').any(|part| part.starts_with(['_', '.']));
        // The location may be the object itself.
        let source = match relative.as_str() {
            "" => meta.location.filename().unwrap_or_default().to_owned(),
            _ => relative,
        };
        (is_object(&source) && !hidden).then(|| ArchiveObject {
            folder_date: (source.split('/').rev().find_map(folder_date))
                .filter(|date| self.possible_dates.contains(*date)),
            source,
            bytes: meta.size,
            modified_micros: meta.last_modified.timestamp_micros(),
            tag: meta
                .e_tag
                .clone()
                .unwrap_or_else(|| meta.last_modified.timestamp_micros().to_string()),
        })
    }
}

/// Lists the object, or the objects of the folder, at the location.
async fn list(location: &Location) -> Result<Vec<ObjectMeta>, EngineError> {
    if let Some(meta) = single_object(location).await? {
        return Ok(vec![meta]);
    }
    let listed = location.store().list(Some(location.path()));
    let listed = listed.try_collect().await;
    listed.map_err(|error| cannot_list(location, error))
}

/// Returns the object at the location, or `None` if the location is a folder.
///
/// # Errors
/// [`EngineError::Store`] if the store fails.
pub async fn single_object(location: &Location) -> Result<Option<ObjectMeta>, EngineError> {
    let path = location.path();
    if !is_object(path.filename().unwrap_or_default()) {
        return Ok(None);
    }
    match location.store().head(path).await {
        Ok(meta) => Ok(Some(meta)),
        // A folder is listed next. Most web servers cannot list folders.
        Err(object_store::Error::NotFound { .. }) if !location.is_web() => Ok(None),
        Err(error) => Err(cannot_list(location, error)),
    }
}

fn cannot_list(location: &Location, source: object_store::Error) -> EngineError {
    EngineError::Store {
        doing: "list",
        object: location.to_string(),
        source,
    }
}

fn is_object(name: &str) -> bool {
    name.ends_with(".parquet") || name.ends_with(".pq") || is_warc_file(name)
}

fn folder_date(part: &str) -> Option<NaiveDate> {
    part.strip_prefix("date=")?.parse().ok()
}
