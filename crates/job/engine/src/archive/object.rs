use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Schema, TimestampMicrosecondType};
use arrow::error::ArrowError;
use boundary::{ParserPanic, UNKNOWN, guarded, guarded_future};
use import::{PROBLEM, SITE_RULES, is_warc_file};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, RowSelection,
};
use parquet::arrow::async_reader::ParquetRecordBatchStreamBuilder;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, RowGroupMetaData};

use super::ArchiveSource;
use crate::archive::column::ObjectColumn;
use crate::archive::convert::{convert, unsized_bytes};
use crate::archive::footer::text_as_bytes;
use crate::archive::reader::{ObjectReader, ObjectState, StoreReader};
use crate::archive::warc_pages::warc_pages;
use crate::error::EngineError;

/// The rows of one row group, read from the store and not decoded yet. Yields batches; after an
/// error there are no more.
pub(crate) struct RowGroupRows {
    reader: Option<ParquetRecordBatchReader>,
    error: Option<ParquetError>,
}

impl RowGroupRows {
    /// Leaves out the rest.
    pub(crate) fn stop(&mut self) {
        self.reader = None;
    }
}

impl Iterator for RowGroupRows {
    type Item = Result<RecordBatch, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(error) = self.error.take() {
            return Some(Err(error));
        }
        let reader = self.reader.as_mut()?;
        let batch = guarded("Parquet", UNKNOWN, || reader.next());
        let batch = batch
            .unwrap_or_else(|panic| Some(Err(ArrowError::from_external_error(Box::new(panic)))));
        if !matches!(batch, Some(Ok(_))) {
            self.reader = None;
        }
        Some(batch?.map_err(ParquetError::from))
    }
}

/// An object whose footer was read and whose columns were checked.
pub(crate) struct OpenObject {
    reader: ObjectReader,
    metadata: ArrowReaderMetadata,
    /// Index and name of each column that the object has.
    columns: Vec<(ObjectColumn, usize, String)>,
    has_site_hashes: bool,
}

/// The requested columns that the object has, converted to their target types.
#[derive(Debug)]
pub(crate) struct DecodedColumns {
    arrays: Vec<(ObjectColumn, ArrayRef)>,
    /// Text values that are not UTF-8.
    broken: BTreeSet<(ObjectColumn, usize)>,
    rows: usize,
}

/// The position of a row group in its object.
#[derive(Debug)]
pub(crate) struct RowGroup<'a> {
    source: &'a str,
    pub(crate) index: usize,
    /// Position in the object of its first row.
    pub(crate) first_row: i64,
    /// Number of rows.
    pub(crate) rows: usize,
}

impl RowGroup<'_> {
    /// Returns the offset in the row group of `row`, a position in the object.
    ///
    /// # Errors
    /// Where the row is not in the row group.
    fn offset(&self, row: i64) -> Result<usize, EngineError> {
        let offset = usize::try_from(row - self.first_row).ok();
        offset
            .filter(|offset| *offset < self.rows)
            .ok_or_else(|| EngineError::RowPosition {
                source_object: self.source.to_owned(),
                problem: format!(
                    "row {row} is not in row group {}, which has {} rows from row {}",
                    self.index, self.rows, self.first_row
                ),
            })
    }

    /// Selects `rows`: ascending positions in the object.
    ///
    /// # Errors
    /// Where a row is not in the row group.
    pub(crate) fn select(&self, rows: &[i64]) -> Result<RowSelection, EngineError> {
        let mut ranges = Vec::new();
        for run in rows.chunk_by(|a, b| a + 1 == *b) {
            let (first, last) = (run[0], run[run.len() - 1]);
            ranges.push(self.offset(first)?..self.offset(last)? + 1);
        }
        Ok(RowSelection::from_consecutive_ranges(
            ranges.into_iter(),
            self.rows,
        ))
    }
}

impl DecodedColumns {
    /// Returns one column, if the object has it.
    pub(crate) fn get(&self, column: ObjectColumn) -> Option<&ArrayRef> {
        self.arrays
            .iter()
            .find(|(found, _)| *found == column)
            .map(|(_, array)| array)
    }

    /// Returns the text of a row in one column, if the object has it.
    pub(crate) fn value(&self, column: ObjectColumn, row: usize) -> Option<&str> {
        let array = self.get(column)?.as_string_opt::<i32>()?;
        array.is_valid(row).then(|| array.value(row))
    }

    /// Returns whether the text of a row was not UTF-8. Invalid bytes are replaced by U+FFFD.
    pub(crate) fn is_broken(&self, column: ObjectColumn, row: usize) -> bool {
        self.broken.contains(&(column, row))
    }

    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    fn text(&mut self, column: ObjectColumn, bytes: &BinaryArray) -> ArrayRef {
        if let Ok(text) = StringArray::try_from_binary(bytes.clone()) {
            return Arc::new(text);
        }
        let values = bytes.iter().enumerate().map(|(row, value)| {
            let text = String::from_utf8_lossy(value?);
            if matches!(text, Cow::Owned(_)) {
                self.broken.insert((column, row));
            }
            Some(text)
        });
        Arc::new(StringArray::from_iter(values))
    }
}

/// Reads bytes of the column `html` as views of the decompressed data page. To copy them out of it took a fiftieth of the
/// CPU of a run.
fn with_views(
    metadata: Arc<ParquetMetaData>,
    options: ArrowReaderOptions,
    html: Option<usize>,
) -> Result<ArrowReaderMetadata, ParquetError> {
    let read = ArrowReaderMetadata::try_new(Arc::clone(&metadata), options.clone())?;
    let fields = read.schema().fields().iter().enumerate();
    let fields = fields.map(|(index, field)| match field.data_type() {
        DataType::Binary if html == Some(index) => {
            Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView))
        }
        _ => Arc::clone(field),
    });
    let schema = Schema::new(fields.collect::<Vec<_>>());
    ArrowReaderMetadata::try_new(metadata, options.with_schema(Arc::new(schema)))
}

impl OpenObject {
    /// Reads the footer of the object in the state `found`.
    ///
    /// # Errors
    /// The outer error stops the run: the store failed, or a column is missing or has the wrong
    /// type. The inner error concerns this object only: it is not a readable Parquet file.
    pub(crate) async fn open(
        archive: &ArchiveSource,
        found: ObjectState,
    ) -> Result<Result<Self, ParquetError>, EngineError> {
        let is_warc = is_warc_file(&found.source);
        let mut reader = if is_warc {
            ObjectReader::Temporary(warc_pages(archive, found).await?)
        } else {
            ObjectReader::Store(StoreReader {
                store: Arc::clone(archive.location()?.store()),
                path: archive.path(&found.source)?,
                state: found,
            })
        };
        // `check_columns` gives better errors than the Arrow schema that a writer may embed.
        let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let opened = ArrowReaderMetadata::load_async(&mut reader, options.clone());
        let opened = guarded_future("Parquet", opened)
            .await
            .map_err(panicked)
            .flatten();
        let metadata = match opened {
            Ok(metadata) => metadata,
            Err(error) => return split_store_error(error).map(Err),
        };
        let columns = check_columns(reader.state(), metadata.schema(), archive)?;
        let has_site_hashes = site_rules(metadata.metadata()) == Some(&archive.domain_rules);
        let html = root_of(&columns, ObjectColumn::Html);
        let metadata = match text_as_bytes(metadata.metadata())
            .and_then(|bytes| with_views(Arc::new(bytes), options, html))
        {
            Ok(metadata) => metadata,
            Err(error) => return Ok(Err(error)),
        };
        Ok(Ok(Self {
            reader,
            metadata,
            columns,
            has_site_hashes,
        }))
    }

    /// Returns the state that is read.
    pub(crate) fn state(&self) -> &ObjectState {
        self.reader.state()
    }

    /// Whether the hashes of sites in the object are those of the job.
    pub(crate) fn has_site_hashes(&self) -> bool {
        self.has_site_hashes
    }

    /// Bytes of the disk that the object takes as long as it is open.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.reader.disk_bytes()
    }

    /// Returns the row group with this index.
    ///
    /// # Errors
    /// Where the object has no such row group.
    pub(crate) fn row_group(&self, index: i32) -> Result<RowGroup<'_>, EngineError> {
        let source = self.state().source.as_str();
        let groups = self.metadata().row_groups();
        let position = usize::try_from(index).ok();
        let Some((position, group)) = position.and_then(|at| Some((at, groups.get(at)?))) else {
            return Err(EngineError::RowPosition {
                source_object: source.to_owned(),
                problem: format!("it has no row group {index}, only {}", groups.len()),
            });
        };
        let negative = |_| EngineError::RowPosition {
            source_object: source.to_owned(),
            problem: format!("row group {index} has {} rows", group.num_rows()),
        };
        Ok(RowGroup {
            source,
            index: position,
            first_row: groups[..position]
                .iter()
                .map(RowGroupMetaData::num_rows)
                .sum(),
            rows: usize::try_from(group.num_rows()).map_err(negative)?,
        })
    }

    /// Returns the footer.
    pub(crate) fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    /// Returns the name of `column` in this object, if it has the column.
    pub(crate) fn column_name(&self, column: ObjectColumn) -> Option<&str> {
        self.columns
            .iter()
            .find(|(found, ..)| *found == column)
            .map(|(_, _, name)| name.as_str())
    }

    /// Returns the Arrow schema of the object.
    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// Returns the bytes of HTML in `row_group` after decompression.
    pub(crate) fn html_bytes(&self, row_group: usize) -> u64 {
        let Some(root) = self.root(ObjectColumn::Html) else {
            return 0;
        };
        let root = [root];
        let columns = self.column_chunks(row_group, &root);
        let bytes: i64 = columns.map(ColumnChunkMetaData::uncompressed_size).sum();
        // A damaged footer can have a negative size. Bytes weigh chunks and progress, not rows.
        u64::try_from(bytes).unwrap_or(0)
    }

    /// Returns the bytes of `columns` of `row_group` in the object.
    pub(crate) fn stored_bytes(&self, row_group: usize, columns: &[ObjectColumn]) -> u64 {
        let roots: Vec<usize> = (columns.iter().filter_map(|column| self.root(*column))).collect();
        self.column_chunks(row_group, &roots)
            .map(|column| u64::try_from(column.compressed_size()).unwrap_or(0))
            .sum()
    }

    fn column_chunks(
        &self,
        row_group: usize,
        roots: &[usize],
    ) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let descriptor = self.metadata().file_metadata().schema_descr();
        let columns = self.metadata().row_group(row_group).columns();
        (columns.iter().enumerate())
            .filter(move |(leaf, _)| roots.contains(&descriptor.get_column_root_idx(*leaf)))
            .map(|(_, column)| column)
    }

    /// Reads `columns` of the selected rows of `row_group`, in batches of at most `batch_rows`. An
    /// error is the first item of the rows.
    pub(crate) async fn read(
        &self,
        row_group: usize,
        columns: &[ObjectColumn],
        selection: Option<RowSelection>,
        batch_rows: usize,
    ) -> RowGroupRows {
        let roots = columns.iter().filter_map(|column| self.root(*column));
        let mask = ProjectionMask::roots(self.metadata().file_metadata().schema_descr(), roots);
        let mut builder = ParquetRecordBatchStreamBuilder::new_with_metadata(
            self.reader.clone(),
            self.metadata.clone(),
        )
        .with_row_groups(vec![row_group])
        .with_projection(mask)
        .with_batch_size(batch_rows);
        if let Some(selection) = selection {
            builder = builder.with_row_selection(selection);
        }
        let read = async { builder.build()?.next_row_group().await };
        let read = guarded_future("Parquet", read)
            .await
            .map_err(panicked)
            .flatten();
        let (reader, error) = match read {
            Ok(reader) => (reader, None),
            Err(error) => (None, Some(error)),
        };
        RowGroupRows { reader, error }
    }

    /// Converts a batch of [`OpenObject::read`] to the target types.
    ///
    /// # Errors
    /// Where a value cannot be converted.
    pub(crate) fn columns(&self, batch: &RecordBatch) -> Result<DecodedColumns, ParquetError> {
        let converted = guarded("Parquet", UNKNOWN, || self.converted(batch));
        converted.map_err(panicked).flatten()
    }

    fn converted(&self, batch: &RecordBatch) -> Result<DecodedColumns, ParquetError> {
        let mut columns = DecodedColumns {
            arrays: Vec::new(),
            broken: BTreeSet::new(),
            rows: batch.num_rows(),
        };
        for (column, _, name) in &self.columns {
            if let Some(array) = batch.column_by_name(name) {
                let array = unsized_bytes(array)?;
                let target = column.target(array.data_type());
                let array = match (target, array.as_binary_opt::<i32>()) {
                    (DataType::Utf8, Some(bytes)) => columns.text(*column, bytes),
                    (target, _) => convert(*column, &array, &target)?,
                };
                columns.arrays.push((*column, array));
            }
        }
        Ok(columns)
    }

    /// Reads the times of all rows of `row_group`, in microseconds.
    ///
    /// # Errors
    /// Where they cannot be decoded.
    pub(crate) async fn times(&self, row_group: usize) -> Result<Vec<Option<i64>>, ParquetError> {
        let mut times = Vec::new();
        let columns = [ObjectColumn::FetchedAt];
        for batch in self.read(row_group, &columns, None, 8192).await {
            let columns = self.columns(&batch?)?;
            if let Some(column) = columns.get(ObjectColumn::FetchedAt) {
                times.extend(column.as_primitive::<TimestampMicrosecondType>());
            }
        }
        Ok(times)
    }

    /// Returns `error` if it is a decoding error, which concerns the affected rows only.
    ///
    /// # Errors
    /// Where the store failed or the object changed, which stops the run.
    pub(crate) fn decode_error(&self, error: ParquetError) -> Result<ParquetError, EngineError> {
        split_store_error(error)
    }

    fn root(&self, column: ObjectColumn) -> Option<usize> {
        root_of(&self.columns, column)
    }
}

/// Returns the index of `column` in an object that has these.
fn root_of(columns: &[(ObjectColumn, usize, String)], column: ObjectColumn) -> Option<usize> {
    let found = columns.iter().find(|(found, ..)| *found == column);
    found.map(|(_, index, _)| *index)
}

/// Returns the name of the rules of the hashes of sites.
fn site_rules(metadata: &ParquetMetaData) -> Option<&String> {
    let values = metadata.file_metadata().key_value_metadata()?;
    let rules = values.iter().find(|value| value.key == SITE_RULES)?;
    rules.value.as_ref()
}

fn panicked(panic: ParserPanic) -> ParquetError {
    ParquetError::External(Box::new(panic))
}

fn split_store_error(error: ParquetError) -> Result<ParquetError, EngineError> {
    match error {
        ParquetError::External(cause) => match cause.downcast::<EngineError>() {
            Ok(store) => Err(*store),
            Err(cause) => Ok(ParquetError::External(cause)),
        },
        other => Ok(other),
    }
}

fn check_columns(
    object: &ObjectState,
    schema: &Schema,
    archive: &ArchiveSource,
) -> Result<Vec<(ObjectColumn, usize, String)>, EngineError> {
    let source = object.source.as_str();
    // The columns of a WARC file have the names of urltree.
    let names = (!is_warc_file(source)).then_some(&archive.columns);
    let mut columns = Vec::new();
    for column in ObjectColumn::KNOWN {
        let configured = names.and_then(|names| column.configured_name(names));
        let name = configured.unwrap_or(column.name());
        let Ok(index) = schema.index_of(name) else {
            if configured.is_some() || column.required() {
                return Err(missing(source, schema, column, name));
            }
            continue;
        };
        columns.push((column, index, name.to_owned()));
    }
    if names.is_none() {
        let index = schema.index_of(PROBLEM);
        let index = index.map_err(|_| missing(source, schema, ObjectColumn::Problem, PROBLEM))?;
        columns.push((ObjectColumn::Problem, index, PROBLEM.to_owned()));
    }
    for (position, name) in (0..).zip(archive.passed_through.iter()) {
        let column = ObjectColumn::PassedThrough(position);
        let Ok(index) = schema.index_of(name) else {
            return Err(missing(source, schema, column, name));
        };
        columns.push((column, index, name.to_owned()));
    }
    for (column, index, name) in &columns {
        let found = schema.field(*index).data_type();
        if let Err(expected) = column.accepts(found) {
            return Err(EngineError::ColumnType {
                source_object: source.to_owned(),
                column: name.clone(),
                mismatch: format!("{found}, expected {expected}"),
                key: column.key(),
                others: suitable(schema, *column),
            });
        }
    }
    let has = |wanted| columns.iter().any(|(column, ..)| *column == wanted);
    if !has(ObjectColumn::Url) && !has(ObjectColumn::RequestUrl) {
        return Err(missing(source, schema, ObjectColumn::Url, "url"));
    }
    Ok(columns)
}

/// The names of columns whose type is that of `column`.
fn suitable(schema: &Schema, column: ObjectColumn) -> String {
    let fields = schema.fields().iter();
    let fields = fields.filter(|field| column.accepts(field.data_type()).is_ok());
    let names: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
    match names.as_slice() {
        [] => "none of this object".to_owned(),
        names => names.join(", "),
    }
}

fn missing(source: &str, schema: &Schema, column: ObjectColumn, name: &str) -> EngineError {
    EngineError::MissingColumn {
        source_object: source.to_owned(),
        column: name.to_owned(),
        key: column.key(),
        found: schema
            .fields()
            .iter()
            .map(|field| field.name().as_str())
            .collect::<Vec<_>>()
            .join(", "),
    }
}
