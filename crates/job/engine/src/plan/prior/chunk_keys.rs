//! The domains and URL keys of a chunk, by which prior rows are looked up.

use std::collections::BTreeSet;
use std::fmt;
use std::mem::size_of;
use std::sync::{Arc, LazyLock};

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{DataType, Field, Int64Type, Schema, SchemaRef};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryPool, MemoryReservation};
use datafusion::logical_expr::{ColumnarValue, LogicalPlan, ScalarUDF, Volatility, create_udf};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;
use url_key::may_have_parts;

use crate::job::Job;
use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::plan::exec::step::{BatchStep, apply, to_bytes};
use crate::plan::learn::learned::{Learned, parts};
use crate::plan::prior::key_hash::hash;
use crate::session_extension::with_metrics;
use crate::settings::Settings;

/// Collects the domains and URL keys of the rows of `keyed`. Registers the domains in `context` as the
/// table `chunk_domains`, and returns the keys with the metrics of the query.
///
/// Both are kept in memory for the whole plan, with 8 bytes per key. As a subplan, Scan and Key
/// would run again for every use.
pub(crate) async fn collect_chunk_keys(
    context: &SessionContext,
    keyed: LogicalPlan,
    job: &Job,
    learned: &Arc<Learned>,
) -> Result<(Arc<ChunkKeys>, PlanMetrics)> {
    let plan = apply(HashedKeys::new(job, Arc::clone(learned)), keyed)?;
    let plan = DataFrame::new(context.state(), plan);
    let plan = plan.create_physical_plan().await?;
    let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    let mut domains = BTreeSet::new();
    let mut keys = ChunkKeys::new(&context.runtime_env().memory_pool);
    while let Some(batch) = rows.try_next().await? {
        for domain in batch.text("domain")?.iter().flatten() {
            if !domains.contains(domain) {
                keys.domains.try_grow(DOMAIN_BYTES + 2 * domain.len())?;
                domains.insert(domain.to_owned());
            }
        }
        keys.add(batch.numbers::<Int64Type>("key_hash")?)?;
        keys.add(batch.numbers::<Int64Type>("base_hash")?)?;
    }
    context.register_table("chunk_domains", domain_table(domains)?)?;
    drop(rows);
    let plan = with_metrics(job.session_extension.as_ref(), plan).await;
    Ok((Arc::new(keys.sorted()), plan_metrics(plan.as_ref())))
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

/// Hashes of URL keys. `run.memory_limit` counts them, and the domains of the chunk.
pub(crate) struct ChunkKeys {
    hashes: Vec<i64>,
    memory: MemoryReservation,
    domains: MemoryReservation,
}

impl fmt::Debug for ChunkKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ChunkKeys({})", self.hashes.len())
    }
}

impl ChunkKeys {
    fn new(pool: &Arc<dyn MemoryPool>) -> Self {
        Self {
            hashes: Vec::new(),
            memory: MemoryConsumer::new("URL keys of the chunk").register(pool),
            domains: MemoryConsumer::new("domains of the chunk").register(pool),
        }
    }

    /// Makes the keys with these hashes.
    ///
    /// # Errors
    /// Where `pool` has no room for them.
    pub(crate) fn of(
        hashes: impl IntoIterator<Item = i64>,
        pool: &Arc<dyn MemoryPool>,
    ) -> Result<Arc<Self>> {
        let mut keys = Self::new(pool);
        keys.add(&Int64Array::from_iter_values(hashes))?;
        Ok(Arc::new(keys.sorted()))
    }

    pub(crate) fn hashes(&self) -> &[i64] {
        &self.hashes
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

/// Output of [`HashedKeys`].
static HASHED_KEYS: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        Field::new("domain", DataType::Utf8, true),
        Field::new("key_hash", DataType::Int64, true),
        Field::new("base_hash", DataType::Int64, true),
    ]))
});

/// Hashes the URL key of each row.
///
/// A page that is not in the chunk may have a key of the chunk as an alias, where a parameter of its
/// site is noise. The index of closed months finds such pages by their base URL: `base_hash`, which is
/// null elsewhere. A key without parts is itself the base URL.
#[derive(Debug, Clone)]
pub(crate) struct HashedKeys {
    settings: Arc<Settings>,
    learned: Arc<Learned>,
}

impl HashedKeys {
    pub(crate) fn new(job: &Job, learned: Arc<Learned>) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            learned,
        }
    }

    fn base_hash(&self, url: &str, key: &str) -> Option<i64> {
        // Without a verdict no page has an alias.
        if self.learned.verdicts.is_empty() || !may_have_parts(key) {
            return None;
        }
        let (_, parts) = parts(&self.settings.site.keyer, url)?;
        let has_noise = self.learned.verdicts.has_noise(&parts.host, &parts.shape);
        has_noise.then(|| hash(&parts.base))
    }
}

impl BatchStep for HashedKeys {
    const NAME: &'static str = "HashedKeys";

    fn output_columns() -> SchemaRef {
        Arc::clone(&HASHED_KEYS)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(self.learned.as_ref())
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        let key_hash: Int64Array = keys.iter().map(|key| key.map(hash)).collect();
        let base_hash: Int64Array = (0..batch.num_rows())
            .map(|row| self.base_hash(value_opt(urls, row)?, value_opt(keys, row)?))
            .collect();
        Ok(RecordBatch::try_new(
            Arc::clone(&HASHED_KEYS),
            vec![
                Arc::clone(batch.array("domain")?),
                Arc::new(key_hash),
                Arc::new(base_hash),
            ],
        )?)
    }
}

/// Keeps the rows of `batch` that fulfil `is_kept`.
pub(crate) fn filtered(
    batch: &RecordBatch,
    is_kept: impl Fn(usize) -> bool,
) -> Result<RecordBatch> {
    let kept: BooleanArray = (0..batch.num_rows())
        .map(|row| Some(is_kept(row)))
        .collect();
    Ok(filter_record_batch(batch, &kept)?)
}

/// Returns the SQL function `base_hash(url)`: the hash of the base of a URL that has parts, else null.
pub(crate) fn base_hash(settings: Arc<Settings>) -> ScalarUDF {
    let hashes = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let urls = arrays[0].as_string::<i32>().iter();
        let hashes: Int64Array = urls.map(|url| url_base_hash(&settings, url?)).collect();
        Ok(ColumnarValue::Array(Arc::new(hashes)))
    };
    create_udf(
        "base_hash",
        vec![DataType::Utf8],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(hashes),
    )
}

/// Returns the hash of the base of a URL that has parts.
pub(crate) fn url_base_hash(settings: &Settings, url: &str) -> Option<i64> {
    let (_, parts) = parts(&settings.site.keyer, url)?;
    Some(hash(&parts.base))
}
