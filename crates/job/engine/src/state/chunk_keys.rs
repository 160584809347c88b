//! The domains and URL keys of a chunk, by which prior rows are looked up.

use std::collections::BTreeSet;
use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{
    ColumnarValue, LogicalPlan, ScalarUDF, Volatility, create_udf, ident,
};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;

use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::state::key_hash::key_hash;

/// Collects the domains and URL keys of the rows of `keyed` and registers them in `context`, as
/// the table `chunk_domains` and the function `chunk_contains_key(key_hash)`. Returns the metrics
/// of the query.
///
/// Both are kept in memory for the whole plan, with 8 bytes per key. As a subplan, Scan and Key
/// would run again for every use.
pub(crate) async fn collect_chunk_keys(
    context: &SessionContext,
    keyed: &LogicalPlan,
) -> Result<PlanMetrics> {
    let chunk = DataFrame::new(context.state(), keyed.clone());
    let hash = key_hash().call(vec![ident("url_key")]).alias("key_hash");
    let plan = chunk.select(vec![ident("domain"), hash])?;
    let plan = plan.create_physical_plan().await?;
    let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    let mut domains = BTreeSet::new();
    let mut keys = ChunkKeys::new(context);
    while let Some(batch) = rows.try_next().await? {
        for domain in batch.text("domain")?.iter().flatten() {
            if !domains.contains(domain) {
                domains.insert(domain.to_owned());
            }
        }
        keys.add(&batch)?;
    }
    context.register_table("chunk_domains", Arc::new(domain_table(domains)?))?;
    context.register_udf(keys.into_function());
    Ok(plan_metrics(plan.as_ref()))
}

fn domain_table(domains: BTreeSet<String>) -> Result<MemTable> {
    let schema = Arc::new(Schema::new(vec![Field::new(
        "domain",
        DataType::Utf8,
        false,
    )]));
    let domains: ArrayRef = Arc::new(StringArray::from_iter_values(domains));
    let rows = RecordBatch::try_new(Arc::clone(&schema), vec![domains])?;
    MemTable::try_new(schema, vec![vec![rows]])
}

/// Hashes of URL keys. `run.memory_limit` counts them.
struct ChunkKeys {
    hashes: Vec<i64>,
    memory: MemoryReservation,
}

impl ChunkKeys {
    fn new(context: &SessionContext) -> Self {
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        Self {
            hashes: Vec::new(),
            memory: MemoryConsumer::new("URL keys of the chunk").register(&pool),
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let more = batch.num_rows();
        if self.hashes.capacity() - self.hashes.len() < more {
            self.sort_and_dedup();
            self.hashes.reserve(more.max(self.hashes.len()));
            self.memory
                .try_resize(self.hashes.capacity() * size_of::<i64>())?;
        }
        let hashes = batch.numbers::<Int64Type>("key_hash")?;
        self.hashes.extend(hashes.iter().flatten());
        Ok(())
    }

    fn sort_and_dedup(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    /// Returns `chunk_contains_key(key_hash)`: whether the chunk has a URL key with this hash.
    fn into_function(mut self) -> ScalarUDF {
        self.sort_and_dedup();
        self.hashes.shrink_to_fit();
        self.memory
            .resize(self.hashes.capacity() * size_of::<i64>());
        let contains = move |arguments: &[ColumnarValue]| {
            let arrays = ColumnarValue::values_to_arrays(arguments)?;
            let hashes = arrays[0].as_primitive::<Int64Type>();
            let found: BooleanArray = hashes
                .iter()
                .map(|hash| hash.map(|hash| self.hashes.binary_search(&hash).is_ok()))
                .collect();
            Ok(ColumnarValue::Array(Arc::new(found)))
        };
        create_udf(
            "chunk_contains_key",
            vec![DataType::Int64],
            DataType::Boolean,
            Volatility::Immutable,
            Arc::new(contains),
        )
    }
}
