//! The domains and URL keys of a chunk, by which prior rows are looked up.

use std::collections::BTreeSet;
use std::mem::size_of;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Date32Type, Field, Int64Type, Schema};
use datafusion::datasource::MemTable;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{MemoryConsumer, MemoryReservation};
use datafusion::logical_expr::{
    ColumnarValue, LogicalPlan, ScalarUDF, Volatility, create_udf, ident,
};
use datafusion::physical_plan::execute_stream;
use datafusion::prelude::{DataFrame, SessionContext};
use futures::TryStreamExt;

use tables::DateRange;
use url_key::may_have_parts;

use crate::job::Settings;
use crate::metrics::PlanMetrics;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::exec::cpu_metrics::plan_metrics;
use crate::plan::learn::learned::{Learned, parts};
use crate::state::key_hash::{hash, key_hash};

/// Collects the domains and URL keys of the rows of `keyed` and registers them in `context`, as
/// the table `chunk_domains` and the function `chunk_contains_key(key_hash)`. Returns the metrics
/// of the query.
///
/// Both are kept in memory for the whole plan, with 8 bytes per key. As a subplan, Scan and Key
/// would run again for every use.
pub(crate) async fn collect_chunk_keys(
    context: &SessionContext,
    keyed: &LogicalPlan,
    settings: &Arc<Settings>,
    learned: &Arc<Learned>,
    dates: DateRange,
) -> Result<PlanMetrics> {
    let chunk = DataFrame::new(context.state(), keyed.clone());
    let key = key_hash().call(vec![ident("url_key")]).alias("key_hash");
    let mut columns = vec![ident("domain"), key];
    // Without a verdict no page has an alias.
    let has_aliases = !learned.verdicts.is_empty();
    if has_aliases {
        // A page that is not in the chunk may have a key of the chunk as an alias, where a parameter
        // of its site is noise. The index of closed months finds such pages by their base URL. A key
        // without parts is the base URL.
        let base = aliased_base_hash(Arc::clone(settings), Arc::clone(learned));
        let base = base.call(vec![ident("url"), ident("url_key")]);
        columns.push(base.alias("base_hash"));
    }
    let plan = chunk.select(columns)?;
    let plan = plan.create_physical_plan().await?;
    let mut rows = execute_stream(Arc::clone(&plan), context.task_ctx())?;
    let mut domains = BTreeSet::new();
    let mut keys = ChunkKeys::new(context);
    while let Some(batch) = rows.try_next().await? {
        for domain in batch.text("domain")?.iter().flatten() {
            if !domains.contains(domain) {
                keys.domains.try_grow(DOMAIN_BYTES + 2 * domain.len())?;
                domains.insert(domain.to_owned());
            }
        }
        keys.add(batch.numbers::<Int64Type>("key_hash")?)?;
        if has_aliases {
            keys.add(batch.numbers::<Int64Type>("base_hash")?)?;
        }
    }
    context.register_table("chunk_domains", ChunkKeys::domain_table(domains)?)?;
    let keys = Arc::new(keys.sorted());
    if has_aliases {
        let (settings, learned) = (Arc::clone(settings), Arc::clone(learned));
        context.register_udf(contains_alias(Arc::clone(&keys), settings, learned, dates));
    }
    context.register_udf(contains_key(keys));
    Ok(plan_metrics(plan.as_ref()))
}

/// Bytes of a domain in a set and in a column, without its text, which both have.
const DOMAIN_BYTES: usize = 64;

/// Hashes of URL keys. `run.memory_limit` counts them, and the domains of the chunk.
pub(crate) struct ChunkKeys {
    hashes: Vec<i64>,
    memory: MemoryReservation,
    domains: MemoryReservation,
}

impl ChunkKeys {
    fn new(context: &SessionContext) -> Self {
        let pool = Arc::clone(&context.runtime_env().memory_pool);
        Self {
            hashes: Vec::new(),
            memory: MemoryConsumer::new("URL keys of the chunk").register(&pool),
            domains: MemoryConsumer::new("domains of the chunk").register(&pool),
        }
    }

    /// Registers `hashes` in `context`, as the function `chunk_contains_key`.
    pub(crate) fn register(context: &SessionContext, hashes: &[i64]) -> Result<()> {
        let mut keys = Self::new(context);
        keys.add(&Int64Array::from_iter_values(hashes.iter().copied()))?;
        context.register_udf(contains_key(Arc::new(keys.sorted())));
        Ok(())
    }

    /// Returns `domains` as a table with one column.
    pub(crate) fn domain_table(domains: BTreeSet<String>) -> Result<Arc<MemTable>> {
        let field = Field::new("domain", DataType::Utf8, false);
        let schema = Arc::new(Schema::new(vec![field]));
        let domains: ArrayRef = Arc::new(StringArray::from_iter_values(domains));
        let rows = RecordBatch::try_new(Arc::clone(&schema), vec![domains])?;
        Ok(Arc::new(MemTable::try_new(schema, vec![vec![rows]])?))
    }

    fn add(&mut self, hashes: &Int64Array) -> Result<()> {
        let more = hashes.len();
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

    fn contains(&self, hash: i64) -> bool {
        self.hashes.binary_search(&hash).is_ok()
    }
}

/// Returns `chunk_contains_key(key_hash)`: whether the chunk has a URL key with this hash.
fn contains_key(keys: Arc<ChunkKeys>) -> ScalarUDF {
    let contains = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let hashes = arrays[0].as_primitive::<Int64Type>().iter();
        let found: BooleanArray = hashes
            .map(|hash| hash.map(|hash| keys.contains(hash)))
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

/// Returns `chunk_contains_alias(url, url_key, date)`: whether the chunk has a URL key that the page
/// with this URL, key and date has as an alias on a date of the chunk.
fn contains_alias(
    keys: Arc<ChunkKeys>,
    settings: Arc<Settings>,
    learned: Arc<Learned>,
    chunk: DateRange,
) -> ScalarUDF {
    let contains = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let (urls, keys_of) = (arrays[0].as_string::<i32>(), arrays[1].as_string::<i32>());
        let dates = arrays[2].as_primitive::<Date32Type>();
        let has_alias = |row: usize| {
            let page = (value_opt(urls, row)?, value_opt(keys_of, row)?);
            let page = (page.0, page.1, dates.value(row));
            let aliases = learned.keys(&settings, page, i32::MIN, chunk);
            Some(aliases.iter().any(|(_, key)| keys.contains(hash(key))))
        };
        let found: BooleanArray = (0..urls.len()).map(has_alias).collect();
        Ok(ColumnarValue::Array(Arc::new(found)))
    };
    create_udf(
        "chunk_contains_alias",
        vec![DataType::Utf8, DataType::Utf8, DataType::Date32],
        DataType::Boolean,
        Volatility::Immutable,
        Arc::new(contains),
    )
}

/// Returns `base_hash(url)`: the hash of the base of a URL that has parts, else null.
pub(crate) fn base_hash(settings: Arc<Settings>) -> ScalarUDF {
    url_hash("base_hash", 1, move |arguments| {
        let (_, parts) = parts(&settings.keyer, arguments[0])?;
        Some(hash(&parts.base))
    })
}

/// Returns `aliased_base_hash(url, url_key)`: the hash of the base of a URL if pages of its site
/// may have had a key without noise later, else null. A key without parts is itself the base.
fn aliased_base_hash(settings: Arc<Settings>, learned: Arc<Learned>) -> ScalarUDF {
    url_hash("aliased_base_hash", 2, move |arguments| {
        let [url, key] = arguments else { return None };
        if !may_have_parts(key) {
            return None;
        }
        let (_, parts) = parts(&settings.keyer, url)?;
        let has_noise = learned.verdicts.has_noise(&parts.host, &parts.shape);
        has_noise.then(|| hash(&parts.base))
    })
}

/// Returns a SQL function of texts with a hash, or null.
fn url_hash(
    name: &str,
    arguments: usize,
    of_texts: impl Fn(&[&str]) -> Option<i64> + Send + Sync + 'static,
) -> ScalarUDF {
    let hashes = move |arguments: &[ColumnarValue]| {
        let arrays = ColumnarValue::values_to_arrays(arguments)?;
        let texts: Vec<_> = arrays
            .iter()
            .map(|array| array.as_string::<i32>())
            .collect();
        let rows = arrays.first().map_or(0, |array| array.len());
        let of_row = |row: usize| {
            let texts = texts.iter().map(|texts| value_opt(texts, row));
            of_texts(&texts.collect::<Option<Vec<&str>>>()?)
        };
        let hashes: Int64Array = (0..rows).map(of_row).collect();
        Ok(ColumnarValue::Array(Arc::new(hashes)))
    };
    create_udf(
        name,
        vec![DataType::Utf8; arguments],
        DataType::Int64,
        Volatility::Immutable,
        Arc::new(hashes),
    )
}
