//! The domains and URL keys of a chunk, by which prior rows are looked up.

use std::collections::BTreeSet;
use std::fmt;
use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Int64Type, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::logical_expr::{Expr, LogicalPlan, ident, lit};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext, when};
use futures::TryStreamExt;
use url_parameters::Openness;

use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::plan::prior::key_hash::key_hash;
use crate::session_extension::with_metrics;

/// The URL keys of a chunk, and the bases that earlier pages may share with its pages, by hash.
#[derive(Debug, Clone)]
pub(crate) struct ChunkKeys {
    pub(crate) keys: Arc<Hashes>,
    /// Bases of pages whose key was or may become another.
    pub(crate) open: Arc<Hashes>,
    /// Bases of pages that are compared.
    pub(crate) compared: Arc<Hashes>,
}

impl ChunkKeys {
    /// The hashes of the three sets, for [`of`](Self::of).
    pub(crate) fn hashes(&self) -> [&[i64]; 3] {
        [&self.keys, &self.open, &self.compared].map(|hashes| &*hashes.hashes)
    }

    /// Makes the sets of these hashes.
    ///
    /// # Errors
    /// Where `pool` has no room for them.
    pub(crate) fn of(hashes: [Vec<i64>; 3], pool: &Arc<dyn MemoryPool>) -> Result<Self> {
        let set = |hashes: Vec<i64>| {
            let mut set = Hashes::new(pool);
            set.add(&hashes.into())?;
            Ok::<_, DataFusionError>(Arc::new(set.sorted()))
        };
        let [keys, open, compared] = hashes;
        Ok(Self {
            keys: set(keys)?,
            open: set(open)?,
            compared: set(compared)?,
        })
    }
}

/// Collects the domains and URL keys of the rows of `keyed`. Registers the domains in `context` as the
/// table `chunk_domains`, and returns the keys with the metrics of the query.
///
/// Both are kept in memory for the whole plan, with 8 bytes per key. As a subplan, Scan and Key
/// would run again for every use.
pub(crate) async fn collect_chunk_keys(
    context: &SessionContext,
    keyed: LogicalPlan,
    job: &Job,
) -> Result<(ChunkKeys, PlanMetrics)> {
    let is = |openness: Openness| ident("openness").eq(lit(openness as i32));
    let is_compared = is(Openness::Compared);
    let base_if = |condition: Expr| when(condition, ident("base_hash")).end();
    let columns = vec![
        ident("domain"),
        key_hash().call(vec![ident("url_key")]).alias("key_hash"),
        base_if(is(Openness::Open).or(is_compared.clone()))?.alias("open_base"),
        base_if(is_compared)?.alias("compared_base"),
    ];
    let plan = DataFrame::new(context.state(), keyed).select(columns)?;
    let plan = plan.create_physical_plan().await?;
    let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    let pool = &context.runtime_env().memory_pool;
    let mut domains = BTreeSet::new();
    let of_domains = MemoryConsumer::new("domains of the chunk").register(pool);
    let [mut keys, mut open, mut compared] = [(); 3].map(|()| Hashes::new(pool));
    while let Some(batch) = rows.try_next().await? {
        for domain in batch.text("domain")?.iter().flatten() {
            if !domains.contains(domain) {
                of_domains.try_grow(DOMAIN_BYTES + 2 * domain.len())?;
                domains.insert(domain.to_owned());
            }
        }
        keys.add(batch.numbers::<Int64Type>("key_hash")?)?;
        open.add(batch.numbers::<Int64Type>("open_base")?)?;
        compared.add(batch.numbers::<Int64Type>("compared_base")?)?;
    }
    keys.domains = Some(of_domains);
    context.deregister_table("chunk_domains")?;
    context.register_table("chunk_domains", domain_table(domains)?)?;
    drop(rows);
    let plan = with_metrics(job.session_extension.as_ref(), plan).await;
    let keys = ChunkKeys {
        keys: Arc::new(keys.sorted()),
        open: Arc::new(open.sorted()),
        compared: Arc::new(compared.sorted()),
    };
    Ok((keys, plan_metrics(plan.as_ref())))
}

/// Returns the SQL of the rows of `table` with a domain of the chunk.
///
/// The domains are on the left, the build side of a hash join, because the chunk is bounded and
/// the table is not. The table is streamed.
pub(crate) fn semi_join_domains(table: &str) -> String {
    format!("chunk_domains RIGHT SEMI JOIN {table} ON chunk_domains.domain = {table}.domain")
}

/// Returns `domains` as a table with one column.
pub(crate) fn domain_table(domains: BTreeSet<String>) -> Result<Arc<MemTable>> {
    let field = Field::new("domain", DataType::Utf8, false);
    let schema = Arc::new(Schema::new(vec![field]));
    let domains: ArrayRef = Arc::new(StringArray::from_iter_values(domains));
    let rows = RecordBatch::try_new(Arc::clone(&schema), vec![domains])?;
    Ok(Arc::new(MemTable::try_new(schema, vec![vec![rows]])?))
}

/// Bytes of a domain in a set and in a column, without its text, which both have.
const DOMAIN_BYTES: usize = 64;

/// A set of hashes. `run.memory_limit` counts them, and the domains of the chunk.
pub(crate) struct Hashes {
    hashes: Vec<i64>,
    memory: MemoryReservation,
    domains: Option<MemoryReservation>,
}

impl fmt::Debug for Hashes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hashes({})", self.hashes.len())
    }
}

impl Hashes {
    fn new(pool: &Arc<dyn MemoryPool>) -> Self {
        Self {
            hashes: Vec::new(),
            memory: MemoryConsumer::new("URL keys of the chunk").register(pool),
            domains: None,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    fn add(&mut self, hashes: &Int64Array) -> Result<()> {
        let more = hashes.len() - hashes.null_count();
        if self.hashes.capacity() - self.hashes.len() < more {
            self.sort_and_dedup();
            self.hashes.reserve(more.max(self.hashes.len()));
            self.memory
                .try_resize(self.hashes.capacity() * size_of::<i64>())?;
        }
        self.hashes.extend(hashes.iter().flatten());
        Ok(())
    }

    fn sort_and_dedup(&mut self) {
        self.hashes.sort_unstable();
        self.hashes.dedup();
    }

    fn sorted(mut self) -> Self {
        self.sort_and_dedup();
        self.hashes.shrink_to_fit();
        self.memory
            .resize(self.hashes.capacity() * size_of::<i64>());
        self
    }

    pub(crate) fn contains(&self, hash: i64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }
}
