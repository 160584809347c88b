//! Step 5: the rows of every table, as data files that no table names yet.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Int32Array, Int64Array, ListArray, ListBuilder, RecordBatch,
    StringArray, StringBuilder, UInt32Array,
};
use arrow::compute::take;
use arrow::datatypes::{DataType, Date32Type, Int32Type, Int64Type, SchemaRef};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use deltalake::DeltaTableError;
use futures::{FutureExt, StreamExt, stream};
use tables::{
    CLOSING_FILES, Location, Output, Partitioning, Reason, SinkSize, Table, TableError, TableSink,
};
use url_key::Branch;

use super::block::parse;
use super::block_columns::TextColumns;
use super::block_rows::block_rows;
use super::gather::{BatchSize, gathered};
use super::meter::Meter;
use super::pages::PageReader;
use super::stage::{Named, Status, WRITTEN, extend, lines, list_field, object_of, some};
use super::step::{Step, Together, sent};
use super::written::{Tally, TallyKey, WrittenColumns};
use crate::archive::ArchiveSource;
use crate::error::EngineError;
use crate::job::Settings;

/// The status under which objects that cannot be opened are counted: their
/// rows are in no other count.
pub(crate) const UNREADABLE_OBJECT: &str = "unreadable_object";

/// Below this much HTML one partition writes all: a night of 600 pages makes one
/// file per table and not one per core, and every later night reads half of what
/// it did, or less.
const ONE_WRITER_BYTES: u64 = 16 << 20;

const MIN_ROW_GROUP_BYTES: usize = 1 << 20;

/// Writes the tables of one partition of the plan.
#[derive(Debug, Clone)]
pub(crate) struct Write {
    pub(crate) archive: ArchiveSource,
    pub(crate) output: Output,
    pub(crate) settings: Arc<Settings>,
    /// HTML of the chunk.
    pub(crate) html_bytes: u64,
    /// Of each table: see [`sink_size`].
    pub(crate) sink: SinkSize,
    /// Rows that are written together. They come in the order of the sites, and go to the
    /// files of their dates: a call for two rows costs as much as one for forty.
    pub(crate) batches: BatchSize,
}

/// What an open file takes beside its row group: tables of codes and dictionaries, and up
/// to 5 MiB that wait to be sent.
const OPEN_FILE_BYTES: usize = 7 << 20;

/// What a sink holds that is one of so many `sinks` side by side, each for a chunk cut
/// into `partitions` by date: open files have an eighth of `memory`, their row groups a
/// sixteenth, as long as these do not become so small that reading them costs more, and rows
/// that wait a 32nd.
pub(crate) fn sink_size(memory: usize, partitions: usize, sinks: usize) -> SinkSize {
    let most = SinkSize::default();
    let sinks = sinks.max(1);
    let open_files = (memory / 8 / sinks / OPEN_FILE_BYTES).max(1);
    let files = sinks * open_files.min(partitions).max(1);
    SinkSize {
        row_group_bytes: (memory / 16 / files).clamp(MIN_ROW_GROUP_BYTES, most.row_group_bytes),
        waiting_bytes: (memory / 32 / sinks).min(most.waiting_bytes),
        open_files,
    }
}

impl Write {
    fn is_alone(&self) -> bool {
        self.html_bytes < ONE_WRITER_BYTES
    }
}

impl Step for Write {
    fn name(&self) -> &'static str {
        "Write"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&WRITTEN)
    }

    fn together(&self) -> Together {
        if self.is_alone() {
            Together::All
        } else {
            Together::Any
        }
    }

    /// Rows come in the order of the replay; from several partitions, mixed.
    fn order(&self) -> &'static [&'static str] {
        if self.is_alone() {
            &["domain", "fetched_at", "url", "source", "row"]
        } else {
            &[]
        }
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        meter: &Meter,
    ) -> Result<SendableRecordBatchStream> {
        let step = self.clone();
        let tasks = meter.clone();
        Ok(sent(self.schema(), 1, meter, |out| async move {
            let mut writer = Writer::new(&step);
            let mut input = gathered(input, step.batches);
            while let Some(batch) = input.next().await {
                let written = match batch {
                    Ok(batch) => writer.batch(&batch).await,
                    Err(error) => Err(error),
                };
                if let Err(error) = written {
                    writer.abort().await;
                    return Err(error);
                }
            }
            let _ = out.send(writer.close(&tasks).await).await;
            Ok(())
        }))
    }
}

struct Writer {
    settings: Arc<Settings>,
    location: Location,
    pages: PageReader,
    sinks: BTreeMap<Table, TableSink>,
    tallies: BTreeMap<TallyKey, Tally>,
}

impl Writer {
    fn new(step: &Write) -> Self {
        let sinks = (step.settings.page_tables())
            .map(|table| (table, step.output.sink(table, step.sink)))
            .collect();
        Self {
            settings: Arc::clone(&step.settings),
            location: step.output.location().clone(),
            pages: PageReader::new(step.archive.clone()),
            sinks,
            tallies: BTreeMap::new(),
        }
    }

    /// Writes the rows in their order, pages that travelled without their texts
    /// one by one.
    async fn batch(&mut self, batch: &RecordBatch) -> Result<()> {
        let mut next = 0;
        for row in without_texts(batch)? {
            self.complete(&batch.slice(next, row - next)).await?;
            let page = self.with_texts(&batch.slice(row, 1)).await?;
            self.complete(&page).await?;
            next = row + 1;
        }
        self.complete(&batch.slice(next, batch.num_rows() - next))
            .await
    }

    /// The page in the only row of `batch`, parsed once more.
    async fn with_texts(&mut self, batch: &RecordBatch) -> Result<RecordBatch> {
        let source = batch.text("source")?.value(0);
        let row = batch.numbers::<Int64Type>("row")?.value(0);
        let object = self.pages.object(&object_of(batch, 0)?).await?;
        let row_group = batch.numbers::<Int32Type>("row_group")?.value(0);
        let pages = object.read(row_group, &[row])?.next().await?;
        let pages = pages.and_then(std::result::Result::ok);
        let page = (pages.as_ref())
            .and_then(|pages| parse(pages.iter().next()?, &self.settings).ok())
            .filter(|page| {
                let blocks = batch
                    .bytes("hashes")
                    .map_or(0, |hashes| hashes.value(0).len() / 16);
                page.blocks.len() == blocks
            })
            .ok_or_else(|| {
                DataFusionError::Execution(format!("row {row} of {source} changed during the run"))
            })?;
        let mut columns = TextColumns::new(&self.settings);
        columns.append(&page);
        extend(batch, &batch.schema(), columns.finish().into())
    }

    /// Writes rows that have all their columns.
    async fn complete(&mut self, batch: &RecordBatch) -> Result<()> {
        if batch.num_rows() == 0 {
            return Ok(());
        }
        let rows = TableRows::of(batch)?;
        let texts = Texts::of(batch, &rows.pages)?;
        self.tally(batch, &texts)?;
        let heuristic = self.settings.labelling.to_string();
        for (table, rows) in [
            (Table::UrlKeys, url_keys(batch, &rows.keyed)?),
            (Table::Quarantine, quarantine(batch, &rows.quarantined)?),
            (Table::History, history(batch, &rows.pages)?),
            (
                Table::Documents,
                documents(batch, &rows.pages, texts, &heuristic)?,
            ),
        ] {
            self.write(table, &rows).await?;
        }
        if self.settings.write_blocks {
            for blocks in block_rows(batch, &rows.pages)? {
                self.write(Table::Blocks, &blocks?).await?;
            }
        }
        Ok(())
    }

    async fn write(&mut self, table: Table, rows: &RecordBatch) -> Result<()> {
        match self.sinks.get_mut(&table) {
            Some(sink) if rows.num_rows() > 0 => {
                let written = sink.write(rows).await;
                Ok(written.map_err(|error| self.failed(table, error))?)
            }
            _ => Ok(()),
        }
    }

    fn tally(&mut self, batch: &RecordBatch, texts: &Texts) -> Result<()> {
        let dates = batch.numbers::<Date32Type>("date")?;
        let (statuses, reasons) = (batch.text("status")?, batch.text("reason")?);
        let merged_by = batch.text("merged_by")?;
        let bytes = batch.numbers::<Int64Type>("bytes")?;
        let mut text_bytes = BTreeMap::new();
        for (row, text) in texts.rows.iter().zip(texts.text.iter()) {
            text_bytes.insert(*row as usize, text.map_or(0, str::len) as i64);
        }
        for row in 0..batch.num_rows() {
            let reason = some(reasons, row);
            let whole_object = reason == Some(Reason::UnreadableObject.code());
            let status = if whole_object {
                UNREADABLE_OBJECT
            } else {
                statuses.value(row)
            };
            let cause = reason.or_else(|| some(merged_by, row)).map(str::to_owned);
            let key = (dates.value(row), status.to_owned(), cause);
            let tally = self.tallies.entry(key).or_default();
            tally.rows += 1;
            tally.text_bytes += text_bytes.get(&row).copied().unwrap_or(0);
            if !whole_object && bytes.is_valid(row) {
                tally.html_bytes += bytes.value(row);
            }
        }
        Ok(())
    }

    /// Finishes the files, on whatever thread is free; gives their names and the account.
    async fn close(mut self, meter: &Meter) -> Result<RecordBatch> {
        let sinks = std::mem::take(&mut self.sinks);
        let spooled: u64 = sinks.values().map(TableSink::spooled_bytes).sum();
        meter.spilled().spilled_bytes.add(spooled as usize);
        let files = sinks.into_iter().flat_map(|(table, sink)| {
            let files = sink.finish();
            files.map(move |file| (table, file))
        });
        let files = stream::iter(files)
            .map(|(table, file)| {
                let file = SpawnedTask::spawn(meter.clone().future(file)).join();
                file.map(move |file| (table, file))
            })
            .buffered(CLOSING_FILES);
        // All of them, also after one that failed.
        let files: Vec<_> = files.collect().await;
        let mut written = WrittenColumns::default();
        for (table, adds) in files {
            let adds = adds.map_err(|panic| DataFusionError::External(Box::new(panic)))?;
            for add in adds.map_err(|error| self.failed(table, error))? {
                written.file(table.name(), &add);
            }
        }
        for (key, tally) in &self.tallies {
            written.tally(key, tally);
        }
        written.finish()
    }

    fn failed(&self, table: Table, source: DeltaTableError) -> EngineError {
        EngineError::Table(TableError::Delta {
            table: table.name(),
            location: self.location.child(table.name()).to_string(),
            source: Box::new(source),
        })
    }

    async fn abort(self) {
        for (table, sink) in self.sinks {
            if let Err(error) = sink.abort().await {
                tracing::warn!(table = table.name(), %error, "files of a failed run are left behind");
            }
        }
    }
}

/// Pages that travelled without their texts.
fn without_texts(batch: &RecordBatch) -> Result<Vec<usize>> {
    let (statuses, texts) = (batch.text("status")?, batch.text("texts")?);
    Ok((0..batch.num_rows())
        .filter(|row| texts.is_null(*row))
        .filter(|row| statuses.value(*row) == Status::Unique.as_str())
        .collect())
}

/// Which rows of a batch go into which table.
#[derive(Default)]
struct TableRows {
    keyed: Vec<u32>,
    quarantined: Vec<u32>,
    pages: Vec<u32>,
}

impl TableRows {
    fn of(batch: &RecordBatch) -> Result<Self> {
        let (statuses, keys) = (batch.text("status")?, batch.text("url_key")?);
        let mut rows = Self::default();
        for row in 0..batch.num_rows() {
            let index = row as u32;
            if keys.is_valid(row) {
                rows.keyed.push(index);
            }
            match Status::of(statuses.value(row))? {
                Status::Unique | Status::Revision => rows.pages.push(index),
                Status::Quarantined => rows.quarantined.push(index),
                _ => {}
            }
        }
        Ok(rows)
    }
}

/// `rows` of `batch` as rows of `table`: columns of the same name, and the
/// given ones.
pub(super) fn table_rows(
    table: Table,
    batch: &RecordBatch,
    rows: &[u32],
    given: Vec<(&str, ArrayRef)>,
) -> Result<RecordBatch> {
    let schema = table.schema(Partitioning::Day);
    let columns = schema
        .fields()
        .iter()
        .map(
            |field| match given.iter().find(|(name, _)| name == field.name()) {
                Some((_, array)) => Ok(Arc::clone(array)),
                None => values(batch, field.name(), rows),
            },
        )
        .collect::<Result<_>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// A column of some rows; where a page is cut into its blocks, a row comes many times.
fn values(batch: &RecordBatch, name: &str, rows: &[u32]) -> Result<ArrayRef> {
    let array = batch.array(name)?;
    let all = 0..batch.num_rows() as u32;
    if rows.iter().copied().eq(all) {
        return Ok(Arc::clone(array));
    }
    Ok(take(array, &UInt32Array::from(rows.to_vec()), None)?)
}

fn url_keys(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    table_rows(Table::UrlKeys, batch, rows, Vec::new())
}

fn quarantine(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    table_rows(Table::Quarantine, batch, rows, Vec::new())
}

fn history(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let statuses = batch.text("status")?;
    let entries: StringArray = rows
        .iter()
        .map(|row| {
            Some(match statuses.value(*row as usize) {
                status if status == Status::Revision.as_str() => "revision",
                _ => "document",
            })
        })
        .collect();
    let keys = batch.text("url_key")?;
    let branches = lists(rows.iter().map(|row| {
        let branch = Branch::of(keys.value(*row as usize));
        branch.items().to_vec()
    }));
    let hashes = values(batch, "entry_hashes", rows)?;
    table_rows(
        Table::History,
        batch,
        rows,
        vec![
            ("entry", Arc::new(entries)),
            ("branch", Arc::new(branches)),
            ("hashes", hashes),
        ],
    )
}

/// The texts of pages, from their blocks and labels.
struct Texts {
    rows: Vec<u32>,
    text: StringArray,
    blocks: Int32Array,
    content_blocks: Int32Array,
    content_chars: Int64Array,
    boilerplate_chars: Int64Array,
}

impl Texts {
    fn of(batch: &RecordBatch, rows: &[u32]) -> Result<Self> {
        let (texts, labels) = (batch.text("texts")?, batch.lists("boilerplate")?);
        let mut text = StringBuilder::new();
        let (mut blocks, mut content_blocks) = (Vec::new(), Vec::new());
        let (mut content_chars, mut boilerplate_chars) = (Vec::new(), Vec::new());
        for row in rows {
            let page: Vec<&str> = lines(texts.value(*row as usize)).collect();
            let labels = labels.value(*row as usize);
            let labels = labels.as_boolean();
            if page.len() != labels.len() {
                let (blocks, labels) = (page.len(), labels.len());
                let miscounted = format!("{labels} labels for {blocks} blocks");
                return Err(DataFusionError::Internal(miscounted));
            }
            let (mut content, mut kept) = (String::new(), 0);
            let (mut chars, mut dropped) = (0, 0);
            for (block, boilerplate) in page.iter().zip(labels.iter().flatten()) {
                let length = block.chars().count() as i64;
                if boilerplate {
                    dropped += length;
                    continue;
                }
                if kept > 0 {
                    content.push('\n');
                }
                content.push_str(block);
                kept += 1;
                chars += length;
            }
            text.append_value(content);
            blocks.push(page.len() as i32);
            content_blocks.push(kept);
            content_chars.push(chars);
            boilerplate_chars.push(dropped);
        }
        Ok(Self {
            rows: rows.to_vec(),
            text: text.finish(),
            blocks: blocks.into(),
            content_blocks: content_blocks.into(),
            content_chars: content_chars.into(),
            boilerplate_chars: boilerplate_chars.into(),
        })
    }
}

fn documents(
    batch: &RecordBatch,
    rows: &[u32],
    texts: Texts,
    heuristic: &str,
) -> Result<RecordBatch> {
    let (page_titles, titles) = (batch.text("page_title")?, batch.text("title")?);
    let title: StringArray = rows
        .iter()
        .map(|row| some(page_titles, *row as usize).or_else(|| some(titles, *row as usize)))
        .collect();
    let page_warnings = batch.text("warnings")?;
    let warnings = rows
        .iter()
        .map(|row| lines(page_warnings.value(*row as usize)));
    let heuristic = StringArray::from_iter_values(std::iter::repeat_n(heuristic, rows.len()));
    table_rows(
        Table::Documents,
        batch,
        rows,
        vec![
            ("title", Arc::new(title)),
            ("text", Arc::new(texts.text)),
            ("blocks", Arc::new(texts.blocks)),
            ("content_blocks", Arc::new(texts.content_blocks)),
            ("content_chars", Arc::new(texts.content_chars)),
            ("boilerplate_chars", Arc::new(texts.boilerplate_chars)),
            ("heuristic", Arc::new(heuristic)),
            ("warnings", Arc::new(lists(warnings))),
        ],
    )
}

/// Texts of each row as a list.
fn lists<T: AsRef<str>>(rows: impl Iterator<Item = impl IntoIterator<Item = T>>) -> ListArray {
    let texts = ListBuilder::new(StringBuilder::new());
    let mut lists = texts.with_field(list_field(DataType::Utf8));
    for row in rows {
        lists.append_value(row.into_iter().map(Some));
    }
    lists.finish()
}
