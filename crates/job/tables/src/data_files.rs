//! The data files of one table, before a commit references them.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::sync::Arc;

use arrow::datatypes::{Field, Schema, SchemaRef};
use arrow::record_batch::RecordBatch;
use deltalake::datafile::writer::{PartitionWriter, PartitionWriterConfig};
use deltalake::kernel::Add;
use deltalake::logstore::ObjectStoreRef;
use deltalake::operations::get_num_idx_cols_and_stats_columns;
use deltalake::{DeltaResult, Path};
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;

use crate::{Bucket, Partitioning, Table, date_from_days};

/// Number of leading columns with statistics for data skipping: `date`, `domain` and
/// `fetched_at`. Minima of texts would fill the log and skip nothing.
pub(crate) const INDEXED_COLUMNS: &str = "3";
pub(crate) const INDEXED_COLUMNS_KEY: &str = "delta.dataSkippingNumIndexedCols";

/// Columns whose values rarely recur in a file. A dictionary takes one megabyte of
/// memory per column and open file, and saves nothing for these.
const WITHOUT_DICTIONARY: [&str; 10] = [
    "url",
    "request_url",
    "url_key",
    "duplicate_of",
    "title",
    "text",
    "hash",
    "hashes",
    "template",
    "key_hash",
];

/// The folder and the settings with which data files of a table are written.
#[derive(Debug, Clone)]
pub(crate) struct DataFiles {
    store: ObjectStoreRef,
    /// Columns of a file: all but the partition column, whose value is in the folder's
    /// name.
    pub(crate) schema: SchemaRef,
    pub(crate) partitioning: Partitioning,
    properties: WriterProperties,
    target_file_bytes: NonZeroU64,
    /// The folder in that of a partition, for files of some sites.
    folder: Option<String>,
}

impl DataFiles {
    /// Data files of `table` below `store`, with row groups of `row_group_bytes`.
    pub(crate) fn new(
        store: ObjectStoreRef,
        table: Table,
        partitioning: Partitioning,
        row_group_bytes: usize,
        target_file_bytes: NonZeroU64,
    ) -> Self {
        let properties = WITHOUT_DICTIONARY
            .into_iter()
            .fold(WriterProperties::builder(), |properties, column| {
                properties.set_column_dictionary_enabled(column.into(), false)
            })
            .set_created_by(concat!("urltree ", env!("CARGO_PKG_VERSION")).to_owned())
            // Level 3 reduces text to a third and takes a few per cent of the run's time.
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_bytes(Some(row_group_bytes))
            .build();
        let schema = table.schema(partitioning);
        let columns: Vec<Arc<Field>> = schema
            .fields()
            .iter()
            .filter(|field| field.name() != partitioning.column())
            .cloned()
            .collect();
        Self {
            store,
            schema: Arc::new(Schema::new(columns)),
            partitioning,
            properties,
            target_file_bytes,
            folder: None,
        }
    }

    /// Returns these files, which are written into the folder of `bucket`.
    pub(crate) fn of_sites(mut self, bucket: Bucket) -> Self {
        self.folder = (!bucket.is_whole()).then(|| bucket.folder());
        self
    }

    /// Selects the columns of a file from rows with the columns of
    /// `schemas/<table>.sql`.
    pub(crate) fn project(&self, rows: &RecordBatch) -> DeltaResult<RecordBatch> {
        let schema = rows.schema();
        let columns = self
            .schema
            .fields()
            .iter()
            .map(|field| Ok(Arc::clone(rows.column(schema.index_of(field.name())?))))
            .collect::<DeltaResult<_>>()?;
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), columns)?)
    }

    /// Opens a file of the partition that contains `day`. This does not use
    /// `DeltaWriter`, which copies all rows to split them by partition: here they are
    /// already split.
    pub(crate) fn open(&self, day: i32) -> DeltaResult<DataFile> {
        let partition = self.partitioning.value(date_from_days(day));
        let mut folder = format!("{}={partition}", self.partitioning.column());
        if let Some(bucket) = &self.folder {
            folder = format!("{folder}/{bucket}");
        }
        let config = PartitionWriterConfig::try_new(
            Arc::clone(&self.schema),
            Default::default(),
            Some(self.properties.clone()),
            Some(self.target_file_bytes),
            None,
            None,
            Some(Path::from(folder)),
        )?;
        let (indexed, with_statistics) = get_num_idx_cols_and_stats_columns(
            None,
            HashMap::from([(
                INDEXED_COLUMNS_KEY.to_owned(),
                Some(INDEXED_COLUMNS.to_owned()),
            )]),
        );
        let store = Arc::clone(&self.store);
        Ok(DataFile {
            column: self.partitioning.column(),
            partition,
            writer: PartitionWriter::try_with_config(store, config, indexed, with_statistics)?,
        })
    }
}

/// An open file. When it reaches the target size, the next file is started.
pub(crate) struct DataFile {
    column: &'static str,
    partition: String,
    writer: PartitionWriter,
}

impl DataFile {
    pub(crate) async fn write(&mut self, rows: &RecordBatch) -> DeltaResult<()> {
        self.writer.write(rows).await
    }

    /// Finishes the file and returns Delta `add` actions as JSON.
    pub(crate) async fn close(self) -> DeltaResult<Vec<String>> {
        let adds: Vec<Add> = self.writer.close().await?;
        adds.into_iter()
            .map(|mut add| {
                let value = Some(self.partition.clone());
                add.partition_values.insert(self.column.to_owned(), value);
                Ok(serde_json::to_string(&add)?)
            })
            .collect()
    }

    pub(crate) async fn abort(self) -> DeltaResult<()> {
        self.writer.abort().await
    }
}
