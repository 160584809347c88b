//! A version of an output table as a list of Parquet files.
//!
//! The provider of `deltalake` plans an operator that cannot run in another process, and comes with all queries
//! and changes of Delta tables, and with seven more crates to build. The output tables need nothing of it: they have no deletion
//! vectors and no column mapping.

use std::sync::Arc;

use arrow::datatypes::{Schema, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::common::{DFSchema, ScalarValue, Statistics, project_schema};
use datafusion::config::TableParquetOptions;
use datafusion::datasource::TableType;
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::physical_plan::parquet::CachedParquetFileReaderFactory;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfigBuilder, ParquetSource};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::execution::runtime_env::RuntimeEnv;
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::prelude::SessionContext;
use deltalake::DeltaTable;
use deltalake::kernel::EagerSnapshot;
use object_store::ObjectMeta;
use object_store::path::Path;
use tables::{Bucket, Location, Table};

use crate::tables_state::file_statistics::FileStatistics;

/// Bytes at the end of a data file that are read at once. Its footer with the page indexes has some kilobytes; a larger one
/// takes another request, and without this each takes four.
const FOOTER_BYTES: usize = 64 << 10;

/// Registers `opened`, a version of `table` at `location`, in `context` under its name, and the store of the location.
///
/// # Errors
/// If the version of the table cannot be read.
pub fn register_table(
    context: &SessionContext,
    location: &Location,
    table: Table,
    opened: &DeltaTable,
) -> Result<()> {
    let named = (table, table.name());
    register_files(context, location, named, opened, Bucket::WHOLE)
}

/// Registers a version of a table as [`register_table`] does, under the name beside it, without the files that have no
/// row of `bucket`.
pub(crate) fn register_files(
    context: &SessionContext,
    location: &Location,
    (table, name): (Table, &str),
    opened: &DeltaTable,
    bucket: Bucket,
) -> Result<()> {
    register_store(&context.runtime_env(), location)?;
    let files = TableFiles::new(location, table, opened, bucket)?;
    context.register_table(name, Arc::new(files))?;
    Ok(())
}

/// Wraps the error of a table as an error of the plan that reads it.
pub(crate) fn external(
    error: impl Into<Box<dyn std::error::Error + Send + Sync>>,
) -> DataFusionError {
    DataFusionError::External(error.into())
}

/// Registers the store of `location` in sessions with `runtime`.
pub(crate) fn register_store(runtime: &RuntimeEnv, location: &Location) -> Result<()> {
    let url = store_url(location)?;
    runtime.register_object_store(url.as_ref(), Arc::clone(location.store()));
    Ok(())
}

/// Returns the URL under which the store of `location` is registered in sessions.
fn store_url(location: &Location) -> Result<ObjectStoreUrl> {
    ObjectStoreUrl::parse(location.store_url())
}

#[derive(Debug)]
struct TableFiles {
    snapshot: EagerSnapshot,
    /// The columns in the order of the table.
    schema: SchemaRef,
    /// The columns of the files, and the partition column at the end.
    columns: TableSchema,
    store: ObjectStoreUrl,
    folder: Path,
    /// The sites that are read.
    bucket: Bucket,
}

impl TableFiles {
    fn new(location: &Location, table: Table, opened: &DeltaTable, bucket: Bucket) -> Result<Self> {
        let snapshot = opened.snapshot().map_err(external)?.snapshot().clone();
        let partitions = snapshot.metadata().partition_columns();
        let schema = snapshot.arrow_schema();
        let (partition_fields, file_fields): (Vec<_>, Vec<_>) = schema
            .fields()
            .iter()
            .cloned()
            .partition(|field| partitions.contains(field.name()));
        Ok(Self {
            columns: TableSchema::builder(Arc::new(Schema::new(file_fields)))
                .with_table_partition_cols(partition_fields)
                .build(),
            store: store_url(location)?,
            folder: location.child(table.name()).path().clone(),
            schema,
            snapshot,
            bucket,
        })
    }

    /// Returns where the columns of `projection`, or all, are in `columns`.
    fn projection(&self, projection: Option<&Vec<usize>>) -> Result<Vec<usize>> {
        let schema = project_schema(&self.schema, projection)?;
        let names = schema.fields().iter().map(|field| field.name());
        names
            .map(|name| Ok(self.columns.table_schema().index_of(name)?))
            .collect()
    }

    /// Returns the files that may have rows for `filters`, by the statistics in the log, with their
    /// number of rows if all are known.
    fn files(
        &self,
        session: &dyn Session,
        filters: &[Expr],
    ) -> Result<(Vec<PartitionedFile>, Option<usize>)> {
        let kept = match conjunction(filters.iter().cloned()) {
            Some(filter) => {
                let columns = DFSchema::try_from(self.schema().as_ref().clone())?;
                let pruning = PruningPredicateBuilder::new().with_file_schema(self.schema());
                let pruning = pruning.try_build(session.create_physical_expr(filter, &columns)?)?;
                let statistics = FileStatistics::new(&self.snapshot, self.schema());
                Some(pruning.prune(&statistics)?)
            }
            None => None,
        };
        let (mut files, mut rows) = (Vec::new(), Some(0));
        for (index, file) in self.snapshot.log_data().iter().enumerate() {
            let is_pruned = kept.as_ref().is_some_and(|kept| !kept[index]);
            if is_pruned || !self.bucket.may_be_in(&file.path()) {
                continue;
            }
            if file.deletion_vector_descriptor().is_some() {
                return Err(DataFusionError::NotImplemented(format!(
                    "{} has a deletion vector, which no version of urltree writes",
                    file.path()
                )));
            }
            let bytes = u64::try_from(file.size()).map_err(external)?;
            let relative = file.object_store_path();
            // Both are encoded already; parts, and a file made from a text, would be encoded once more.
            let path = Path::parse(format!("{}/{relative}", self.folder)).map_err(external)?;
            rows = rows.zip(file.num_records()).map(|(sum, rows)| sum + rows);
            let mut values = file.partition_values_map();
            let partition = self.columns.table_partition_cols().iter().map(|field| {
                let value = values.remove(field.name()).flatten();
                match value {
                    Some(value) => ScalarValue::try_from_string(value, field.data_type()),
                    None => ScalarValue::try_from(field.data_type()),
                }
            });
            let partition = partition.collect::<Result<Vec<_>>>()?;
            let object = ObjectMeta {
                location: path,
                last_modified: file.modification_datetime().map_err(external)?,
                size: bytes,
                e_tag: None,
                version: None,
            };
            files.push(PartitionedFile::from(object).with_partition_values(partition));
        }
        files.sort_by(|a, b| a.path().cmp(b.path()));
        Ok((files, rows))
    }
}

#[async_trait]
impl TableProvider for TableFiles {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let (files, rows) = self.files(session, filters)?;
        if files.is_empty() {
            // A scan of no files has no partitions, and operators that need one refuse it.
            return Ok(Arc::new(EmptyExec::new(project_schema(
                &self.schema(),
                projection,
            )?)));
        }
        let bytes: u64 = files.iter().map(|file| file.object_meta.size).sum();
        let statistics = Statistics {
            num_rows: rows.map_or(Precision::Absent, Precision::Exact),
            total_byte_size: usize::try_from(bytes).map_or(Precision::Absent, Precision::Inexact),
            column_statistics: Statistics::unknown_column(&self.schema()),
        };
        // Several scans of one session read the footer of a file once.
        let runtime = session.runtime_env();
        let store = runtime.object_store(&self.store)?;
        let footers = runtime.cache_manager.get_file_metadata_cache();
        let reader = Arc::new(CachedParquetFileReaderFactory::new(store, footers));
        // The filters reach the source when the plan is optimised.
        let source = ParquetSource::new(self.columns.clone()).with_table_parquet_options(
            TableParquetOptions {
                global: session.config_options().execution.parquet.clone(),
                ..TableParquetOptions::default()
            },
        );
        let source = source
            .with_parquet_file_reader_factory(reader)
            .with_metadata_size_hint(FOOTER_BYTES);
        let groups = FileGroup::new(files).split_files(session.config().target_partitions());
        let scan = FileScanConfigBuilder::new(self.store.clone(), Arc::new(source))
            .with_file_groups(groups)
            .with_statistics(statistics)
            .with_projection_indices(Some(self.projection(projection)?))?
            .with_limit(limit)
            .build();
        Ok(DataSourceExec::from_data_source(scan))
    }
}
