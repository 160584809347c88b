//! Which URL keys and domains a chunk has: what earlier rows are looked up by.

use std::collections::BTreeSet;
use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, BooleanArray, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{
    ColumnarValue, LogicalPlan, ScalarUDF, Volatility, create_udf, ident,
};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;

use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::state::monthly_rollup::KEY_HASH;

/// Finds the domains and URL keys of the rows of `keyed`, and makes them known to
/// `context` as the table `chunk_domains` and the function `chunk_contains_key(key_hash)`. Gives what that
/// cost.
///
/// They are held for all of the plan, of a key 8 bytes. As a part of the plan they
/// would be found anew for each look-up, and the archive's rows be read and keyed for it.
pub(crate) async fn collect_chunk_keys(
    context: &SessionContext,
    keyed: &LogicalPlan,
) -> Result<PlanMetrics> {
    let chunk = DataFrame::new(context.state(), keyed.clone());
    let key_hash = chunk.parse_sql_expr(KEY_HASH)?.alias("key_hash");
    let plan = chunk.select(vec![ident("domain"), key_hash])?;
    let plan = plan.create_physical_plan().await?;
    let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    let mut domains = BTreeSet::new();
    let mut keys = ChunkKeys::new(context);
    while let Some(batch) = rows.try_next().await? {
        let of_rows = batch.text("domain")?;
        for domain in of_rows.iter().flatten() {
            if !domains.contains(domain) {
                domains.insert(domain.to_owned());
            }
        }
        keys.add(&batch)?;
    }
    context.register_table("chunk_domains", Arc::new(table_of(domains)?))?;
    context.register_udf(keys.into_function());
    Ok(plan_metrics(plan.as_ref()))
}

fn table_of(domains: BTreeSet<String>) -> Result<MemTable> {
    let schema = Arc::new(Schema::new(vec![Field::new(
        "domain",
        DataType::Utf8,
        false,
    )]));
    let domains: ArrayRef = Arc::new(StringArray::from_iter_values(domains));
    let rows = RecordBatch::try_new(Arc::clone(&schema), vec![domains])?;
    MemTable::try_new(schema, vec![vec![rows]])
}

/// 64 bits of each URL key, which `run.memory_limit` counts.
struct ChunkKeys {
    bits: Vec<u64>,
    held: MemoryReservation,
}

impl ChunkKeys {
    fn new(context: &SessionContext) -> Self {
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        Self {
            bits: Vec::new(),
            held: MemoryConsumer::new("URL keys of the chunk").register(&pool),
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<()> {
        let hashes = batch.text("key_hash")?;
        let more = batch.num_rows();
        if self.bits.capacity() - self.bits.len() < more {
            self.sort_and_dedup();
            self.bits.reserve(more.max(self.bits.len()));
            self.held
                .try_resize(self.bits.capacity() * size_of::<u64>())?;
        }
        for row in 0..more {
            if let Some(hash) = value_opt(hashes, row) {
                self.bits.push(bits(hash)?);
            }
        }
        Ok(())
    }

    fn sort_and_dedup(&mut self) {
        self.bits.sort_unstable();
        self.bits.dedup();
    }

    /// `chunk_contains_key(key_hash)`: does the chunk have a URL key of these bits?
    fn into_function(mut self) -> ScalarUDF {
        self.sort_and_dedup();
        self.bits.shrink_to_fit();
        self.held.resize(self.bits.capacity() * size_of::<u64>());
        let contains = move |arguments: &[ColumnarValue]| {
            let hashes = ColumnarValue::values_to_arrays(arguments)?;
            let found = (hashes[0].as_string::<i32>().iter())
                .map(|hash| self.has(hash))
                .collect::<Result<BooleanArray>>()?;
            Ok(ColumnarValue::Array(Arc::new(found)))
        };
        create_udf(
            "chunk_contains_key",
            vec![DataType::Utf8],
            DataType::Boolean,
            Volatility::Immutable,
            Arc::new(contains),
        )
    }

    fn has(&self, hash: Option<&str>) -> Result<Option<bool>> {
        let Some(hash) = hash else { return Ok(None) };
        Ok(Some(self.bits.binary_search(&bits(hash)?).is_ok()))
    }
}

fn bits(key_hash: &str) -> Result<u64> {
    u64::from_str_radix(key_hash, 16).map_err(|error| {
        DataFusionError::Execution(format!("`{key_hash}` is no hash of a URL key: {error}"))
    })
}
