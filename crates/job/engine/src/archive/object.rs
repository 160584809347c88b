use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BinaryArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema, SchemaBuilder, TimestampMicrosecondType};
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
use crate::archive::reader::{Content, ObjectReader, ObjectState};
use crate::archive::warc_pages::warc_pages;
use crate::error::EngineError;
use crate::spec::ColumnNames;

/// The rows of one row group, read from the store and not decoded yet. Yields batches; after an
/// error there are no more.
pub(crate) struct RowGroupRows {
    pub(crate) object: Arc<OpenObject>,
    reader: Option<Result<ParquetRecordBatchReader, ParquetError>>,
}

impl Iterator for RowGroupRows {
    type Item = Result<DecodedColumns, ParquetError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut reader = match self.reader.take()? {
            Ok(reader) => reader,
            Err(error) => return Some(Err(error)),
        };
        let batch = guarded("Parquet", UNKNOWN, || reader.next());
        let batch = batch
            .unwrap_or_else(|panic| Some(Err(ArrowError::from_external_error(Box::new(panic)))))?;
        let columns = batch.map_err(ParquetError::from).and_then(|batch| {
            let converted = guarded("Parquet", UNKNOWN, || self.object.converted(&batch));
            converted.map_err(panicked).flatten()
        });
        if columns.is_ok() {
            self.reader = Some(Ok(reader));
        }
        Some(columns)
    }
}

/// An object whose footer was read and whose columns were checked.
pub(crate) struct OpenObject {
    reader: ObjectReader,
    metadata: ArrowReaderMetadata,
    /// Index of each column that the object has.
    columns: BTreeMap<ObjectColumn, usize>,
    /// Whether the hashes of sites in the object are those of the job.
    pub(super) has_site_hashes: bool,
}

/// The requested columns that the object has, converted to their target types.
#[derive(Debug)]
pub(crate) struct DecodedColumns {
    arrays: BTreeMap<ObjectColumn, ArrayRef>,
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
        self.arrays.get(&column)
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
    let mut schema = SchemaBuilder::from(read.schema().as_ref());
    if let Some(field) = html.map(|index| schema.field_mut(index))
        && *field.data_type() == DataType::Binary
    {
        *field = Arc::new(field.as_ref().clone().with_data_type(DataType::BinaryView));
    }
    ArrowReaderMetadata::try_new(metadata, options.with_schema(Arc::new(schema.finish())))
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
        let mut reader = if is_warc_file(&found.source) {
            warc_pages(archive, found).await?
        } else {
            ObjectReader {
                content: Content::Store {
                    store: Arc::clone(archive.location()?.store()),
                    path: archive.path(&found.source)?,
                },
                state: found,
            }
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
            Err(error) => return decode_error(error).map(Err),
        };
        let columns = check_columns(&reader.state.source, metadata.schema(), archive)?;
        let has_site_hashes = site_rules(metadata.metadata()) == Some(&archive.domain_rules);
        let html = columns.get(&ObjectColumn::Html).copied();
        let metadata = text_as_bytes(metadata.metadata())
            .and_then(|bytes| with_views(Arc::new(bytes), options, html));
        Ok(metadata.map(|metadata| Self {
            reader,
            metadata,
            columns,
            has_site_hashes,
        }))
    }

    /// Returns the state that is read.
    pub(crate) fn state(&self) -> &ObjectState {
        &self.reader.state
    }

    /// Bytes of the disk that the object takes as long as it is open.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.reader.disk_bytes().unwrap_or(0)
    }

    /// Returns the row group with this index.
    ///
    /// # Errors
    /// Where the object has no such row group.
    pub(crate) fn row_group(&self, index: i32) -> Result<RowGroup<'_>, EngineError> {
        let source = self.state().source.as_str();
        let groups = self.metadata().row_groups();
        let wrong = |problem| EngineError::RowPosition {
            source_object: source.to_owned(),
            problem,
        };
        let position = usize::try_from(index).ok();
        let found = position.and_then(|at| Some((at, groups.get(at)?)));
        let missing = || {
            wrong(format!(
                "it has no row group {index}, only {}",
                groups.len()
            ))
        };
        let (position, group) = found.ok_or_else(missing)?;
        let rows = group.num_rows();
        let negative = |_| wrong(format!("row group {index} has {rows} rows"));
        Ok(RowGroup {
            source,
            index: position,
            first_row: groups[..position]
                .iter()
                .map(RowGroupMetaData::num_rows)
                .sum(),
            rows: usize::try_from(rows).map_err(negative)?,
        })
    }

    /// Returns the footer.
    pub(crate) fn metadata(&self) -> &Arc<ParquetMetaData> {
        self.metadata.metadata()
    }

    /// Returns the field of `column` in this object, if it has the column.
    pub(super) fn field(&self, column: ObjectColumn) -> Option<&Field> {
        let index = self.columns.get(&column)?;
        Some(self.schema().field(*index))
    }

    /// Returns the Arrow schema of the object.
    pub(crate) fn schema(&self) -> &Schema {
        self.metadata.schema()
    }

    /// Returns the bytes of HTML in `row_group` after decompression.
    pub(crate) fn html_bytes(&self, row_group: usize) -> u64 {
        let columns = self.column_chunks(row_group, &[ObjectColumn::Html]);
        let bytes: i64 = columns.map(ColumnChunkMetaData::uncompressed_size).sum();
        // A damaged footer can have a negative size. Bytes weigh chunks and progress, not rows.
        u64::try_from(bytes).unwrap_or(0)
    }

    /// Returns the bytes of `columns` of `row_group` in the object.
    pub(crate) fn stored_bytes(&self, row_group: usize, columns: &[ObjectColumn]) -> u64 {
        self.column_chunks(row_group, columns)
            .map(|column| u64::try_from(column.compressed_size()).unwrap_or(0))
            .sum()
    }

    fn column_chunks(
        &self,
        row_group: usize,
        columns: &[ObjectColumn],
    ) -> impl Iterator<Item = &ColumnChunkMetaData> {
        let mask = self.mask(columns);
        let chunks = self.metadata().row_group(row_group).columns().iter();
        let chunks = chunks.enumerate();
        chunks.filter_map(move |(leaf, chunk)| mask.leaf_included(leaf).then_some(chunk))
    }

    /// Selects the leaves of `columns`, as far as the object has these.
    fn mask(&self, columns: &[ObjectColumn]) -> ProjectionMask {
        let roots = columns.iter().filter_map(|column| self.columns.get(column));
        let roots = roots.copied();
        ProjectionMask::roots(self.metadata().file_metadata().schema_descr(), roots)
    }

    /// Reads `columns` of the selected rows of `row_group`, in batches of at most `batch_rows`. An
    /// error is the first item of the rows.
    pub(crate) async fn read(
        self: &Arc<Self>,
        row_group: usize,
        columns: &[ObjectColumn],
        selection: Option<RowSelection>,
        batch_rows: usize,
    ) -> RowGroupRows {
        let mut builder = ParquetRecordBatchStreamBuilder::new_with_metadata(
            self.reader.clone(),
            self.metadata.clone(),
        )
        .with_row_groups(vec![row_group])
        .with_projection(self.mask(columns))
        .with_batch_size(batch_rows);
        if let Some(selection) = selection {
            builder = builder.with_row_selection(selection);
        }
        let read = async { builder.build()?.next_row_group().await };
        let read = guarded_future("Parquet", read).await;
        RowGroupRows {
            object: Arc::clone(self),
            reader: read.map_err(panicked).flatten().transpose(),
        }
    }

    /// Converts a batch of [`OpenObject::read`] to the target types.
    fn converted(&self, batch: &RecordBatch) -> Result<DecodedColumns, ParquetError> {
        let mut columns = DecodedColumns {
            arrays: BTreeMap::new(),
            broken: BTreeSet::new(),
            rows: batch.num_rows(),
        };
        for (column, index) in &self.columns {
            if let Some(array) = batch.column_by_name(self.schema().field(*index).name()) {
                let array = unsized_bytes(array)?;
                let target = column.target(array.data_type());
                let array = match (target, array.as_binary_opt::<i32>()) {
                    (DataType::Utf8, Some(bytes)) => columns.text(*column, bytes),
                    (target, _) => convert(*column, &array, &target)?,
                };
                columns.arrays.insert(*column, array);
            }
        }
        Ok(columns)
    }

    /// Reads the times of all rows of `row_group`, in microseconds.
    ///
    /// # Errors
    /// Where they cannot be decoded.
    pub(crate) async fn times(
        self: &Arc<Self>,
        row_group: usize,
    ) -> Result<Vec<Option<i64>>, ParquetError> {
        let mut times = Vec::new();
        let columns = [ObjectColumn::FetchedAt];
        for columns in self.read(row_group, &columns, None, 8192).await {
            if let Some(column) = columns?.get(ObjectColumn::FetchedAt) {
                times.extend(column.as_primitive::<TimestampMicrosecondType>());
            }
        }
        Ok(times)
    }
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

/// Returns `error` if it is a decoding error, which concerns the affected rows only.
///
/// # Errors
/// Where the store failed or the object changed, which stops the run.
pub(crate) fn decode_error(error: ParquetError) -> Result<ParquetError, EngineError> {
    match error {
        ParquetError::External(cause) => match cause.downcast::<EngineError>() {
            Ok(store) => Err(*store),
            Err(cause) => Ok(ParquetError::External(cause)),
        },
        other => Ok(other),
    }
}

fn check_columns(
    source: &str,
    schema: &Schema,
    archive: &ArchiveSource,
) -> Result<BTreeMap<ObjectColumn, usize>, EngineError> {
    // The columns of a WARC file have the names of urltree.
    let is_warc = is_warc_file(source);
    let names = match is_warc {
        true => &ColumnNames::default(),
        false => &archive.columns,
    };
    let known = ObjectColumn::known(names).into_iter();
    let known = known.map(|(column, configured)| {
        let is_needed = configured.is_some() || column.required();
        let name = configured.map_or(column.name(), String::as_str);
        (column, name, is_needed)
    });
    let problem = is_warc.then_some((ObjectColumn::Problem, PROBLEM, true));
    let passed_through = (0..).zip(archive.passed_through.iter());
    let passed_through = passed_through
        .map(|(position, name)| (ObjectColumn::PassedThrough(position), name.as_str(), true));
    let mut columns = BTreeMap::new();
    for (column, name, is_needed) in known.chain(problem).chain(passed_through) {
        match schema.index_of(name) {
            Ok(index) => {
                columns.insert(column, index);
            }
            Err(_) if is_needed => return Err(missing(source, schema, column, name)),
            Err(_) => {}
        }
    }
    for (column, index) in &columns {
        let field = schema.field(*index);
        let found = field.data_type();
        if let Err(expected) = column.accepts(found) {
            let others = names_of(schema, |found| column.accepts(found).is_ok());
            return Err(EngineError::ColumnType {
                source_object: source.to_owned(),
                column: field.name().clone(),
                mismatch: format!("{found}, expected {expected}"),
                key: column.key(),
                others: others.unwrap_or_else(|| "none of this object".to_owned()),
            });
        }
    }
    if !columns.contains_key(&ObjectColumn::Url) && !columns.contains_key(&ObjectColumn::RequestUrl)
    {
        return Err(missing(source, schema, ObjectColumn::Url, "url"));
    }
    Ok(columns)
}

fn missing(source: &str, schema: &Schema, column: ObjectColumn, name: &str) -> EngineError {
    EngineError::MissingColumn {
        source_object: source.to_owned(),
        column: name.to_owned(),
        key: column.key(),
        found: names_of(schema, |_| true).unwrap_or_default(),
    }
}

/// The names of the columns that have a suitable type, if there are any.
fn names_of(schema: &Schema, is_suitable: impl Fn(&DataType) -> bool) -> Option<String> {
    let fields = schema.fields().iter();
    let fields = fields.filter(|field| is_suitable(field.data_type()));
    let names: Vec<&str> = fields.map(|field| field.name().as_str()).collect();
    (!names.is_empty()).then(|| names.join(", "))
}
