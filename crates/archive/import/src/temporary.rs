//! The pages of one WARC or ARC file in a temporary Parquet file, for a job that reads it without an import.

use std::fs::File;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    new_null_array,
};
use arrow::datatypes::{DataType, Field, Schema};
use object_store::{ObjectMeta, ObjectStoreExt};
use parquet::arrow::ArrowWriter;
use parquet::errors::ParquetError;
use tables::{Location, temporary_properties};
use warc::Limits;

use crate::archive_file::append;
use crate::error::ImportError;
use crate::inputs::input_at;
use crate::page::{Elsewhere, Page};
use crate::parquet_file::{batch, pages_schema};
use crate::quarantine::Kind;
use crate::sites::with_site_rules;
use crate::spool::TemporaryFolder;
use crate::warc_file;
use crate::write::{Content, ended};

/// The column of a record that cannot be used: the reason.
pub const PROBLEM: &str = "warc_problem";

/// The pages of a file.
#[derive(Debug)]
#[non_exhaustive]
pub struct FilePages {
    /// A Parquet file without a name. It has the columns that an import writes, and [`PROBLEM`]. First are the pages by
    /// date and site, then revisits of pages in other files, which have no HTML, then records that cannot be used.
    pub file: File,
    /// The state of the file that was read.
    pub meta: ObjectMeta,
    /// Records that are not pages, such as images and requests.
    pub not_pages: u64,
}

/// Reads the file at `location` once. Its pages wait in `folder`: without compression, each byte of HTML is there twice
/// until this returns, and then once.
///
/// # Errors
/// [`ImportError`] if the store or the disk fails. A record that is broken is a row.
pub async fn file_pages(
    location: &Location,
    folder: &TemporaryFolder,
) -> Result<FilePages, ImportError> {
    let store = |source| ImportError::Store {
        doing: "read",
        object: location.to_string(),
        source,
    };
    let meta = location
        .store()
        .head(location.path())
        .await
        .map_err(store)?;
    let input = input_at(location.clone(), &meta);
    let (progress, _) = tokio::sync::mpsc::unbounded_channel();
    let (mut content, _) = warc_file::content(&input, Limits::default(), folder, progress).await?;
    content.sort();
    let not_pages = content.counts.not_pages.values().sum();
    let (label, folder) = (input.label.clone(), folder.clone());
    let written = tokio::task::spawn_blocking(move || write(&content, &label, &folder));
    let file = written.await.map_err(|_| ended(&input))?;
    let encode = |source| ImportError::Encode {
        input: input.label.clone(),
        source,
    };
    Ok(FilePages {
        file: file.map_err(encode)?,
        meta,
        not_pages,
    })
}

fn write(content: &Content, label: &str, folder: &TemporaryFolder) -> Result<File, ParquetError> {
    let imported = pages_schema(Kind::Records);
    let mut fields: Vec<Field> = imported
        .fields()
        .iter()
        .map(|field| field.as_ref().clone())
        .collect();
    fields.push(Field::new(PROBLEM, DataType::Utf8, true));
    let fields = fields.into_iter().map(|field| field.with_nullable(true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let properties = Some(with_site_rules(temporary_properties()));
    let mut writer = ArrowWriter::try_new(folder.file()?, Arc::clone(&schema), properties)?;
    append(&mut writer, &content.pages, Page::bytes, |pages| {
        let rows = batch(&imported, pages, &content.bodies, Kind::Records, label)?;
        let given = rows.schema();
        let given = given.fields().iter().zip(rows.columns().to_vec());
        with_columns(
            &schema,
            pages.len(),
            given.map(|(field, array)| (field.name().as_str(), array)),
        )
    })?;
    for rows in [revisits(content, &schema)?, problems(content, &schema)?] {
        // The statistics of a row group are those of its rows: rows without a time are by themselves.
        writer.flush()?;
        writer.write(&rows)?;
    }
    writer.into_inner()
}

/// The revisits of pages in other files.
fn revisits(content: &Content, schema: &Arc<Schema>) -> Result<RecordBatch, ParquetError> {
    let found = &content.revisits;
    let times = found
        .iter()
        .map(|Elsewhere { revisit, .. }| revisit.fetched_at);
    // "Not modified" is the status of the revisit, and not of its page.
    let statuses = (found.iter()).map(|Elsewhere { revisit, .. }| {
        revisit
            .status
            .filter(|status| *status != 304)
            .map(i32::from)
    });
    let types = found
        .iter()
        .map(|Elsewhere { revisit, .. }| revisit.content_type.as_deref());
    let columns: [(&str, ArrayRef); 6] = [
        (
            "fetched_at",
            Arc::new(TimestampMicrosecondArray::from_iter_values(times).with_timezone("UTC")),
        ),
        (
            "url",
            Arc::new(StringArray::from_iter_values(
                found.iter().map(|Elsewhere { revisit, .. }| &revisit.url),
            )),
        ),
        ("content_type", Arc::new(StringArray::from_iter(types))),
        ("http_status", Arc::new(Int32Array::from_iter(statuses))),
        (
            "warc_offset",
            Arc::new(
                found
                    .iter()
                    .map(|Elsewhere { origin, .. }| i64::try_from(origin.offset).ok())
                    .collect::<Int64Array>(),
            ),
        ),
        (
            "warc_record_id",
            Arc::new(StringArray::from_iter(
                found
                    .iter()
                    .map(|Elsewhere { origin, .. }| origin.record_id.as_deref()),
            )),
        ),
    ];
    with_columns(schema, found.len(), columns)
}

/// The records that cannot be used.
fn problems(content: &Content, schema: &Arc<Schema>) -> Result<RecordBatch, ParquetError> {
    let found = &content.quarantine.rows;
    let columns: [(&str, ArrayRef); 4] = [
        (
            "url",
            Arc::new(StringArray::from_iter(
                found.iter().map(|row| row.url.as_deref()),
            )),
        ),
        (
            "warc_offset",
            Arc::new(Int64Array::from_iter_values(
                found.iter().map(|row| row.position),
            )),
        ),
        (
            "warc_record_id",
            Arc::new(StringArray::from_iter(
                found.iter().map(|row| row.name.as_deref()),
            )),
        ),
        (
            PROBLEM,
            Arc::new(StringArray::from_iter_values(found.iter().map(|row| {
                format!("record at byte {}: {}", row.position, row.reason)
            }))),
        ),
    ];
    with_columns(schema, found.len(), columns)
}

/// Returns `rows` rows of `schema`, with null in columns that are not given.
fn with_columns<'a>(
    schema: &Arc<Schema>,
    rows: usize,
    given: impl IntoIterator<Item = (&'a str, ArrayRef)>,
) -> Result<RecordBatch, ParquetError> {
    let mut columns: Vec<ArrayRef> = (schema.fields().iter())
        .map(|field| new_null_array(field.data_type(), rows))
        .collect();
    for (name, array) in given {
        columns[schema.index_of(name)?] = array;
    }
    Ok(RecordBatch::try_new(Arc::clone(schema), columns)?)
}
