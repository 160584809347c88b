//! The rows of earlier dates that have a URL key of the chunk.

use std::sync::{Arc, LazyLock};

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Date32Type, Field, Int64Type, Schema, SchemaRef, TimeUnit};
use datafusion::error::Result;
use tables::DateRange;

use crate::job::Job;
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, value_opt};
use crate::plan::exec::step::{BatchStep, to_bytes};
use crate::plan::learn::learned::Learned;
use crate::plan::prior::chunk_keys::{ChunkKeys, filtered, url_base_hash};
use crate::plan::prior::key_hash::hash;
use crate::settings::Settings;

/// Keeps the rows with a URL key of the chunk, or with one as an alias on a date of the chunk.
#[derive(Debug, Clone)]
pub(crate) struct KnownKeys {
    settings: Arc<Settings>,
    keys: Arc<ChunkKeys>,
    learned: Arc<Learned>,
    chunk: DateRange,
}

impl KnownKeys {
    pub(crate) fn new(
        job: &Job,
        keys: Arc<ChunkKeys>,
        learned: Arc<Learned>,
        chunk: DateRange,
    ) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            keys,
            learned,
            chunk,
        }
    }

    fn has_alias(&self, page: (&str, &str, i32)) -> bool {
        let aliases = self
            .learned
            .keys(&self.settings, page, i32::MIN, self.chunk);
        aliases.iter().any(|(_, key)| self.keys.contains(hash(key)))
    }
}

impl BatchStep for KnownKeys {
    const NAME: &'static str = "KnownKeys";

    fn output_columns() -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&(self.keys.hashes(), self.learned.as_ref(), self.chunk))
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        let dates = batch.numbers::<Date32Type>("date")?;
        let has_aliases = !self.learned.verdicts.is_empty();
        filtered(batch, |row| {
            let Some(key) = value_opt(keys, row) else {
                return false;
            };
            if self.keys.contains(hash(key)) {
                return true;
            }
            let url = value_opt(urls, row).filter(|_| has_aliases);
            url.is_some_and(|url| self.has_alias((url, key, dates.value(row))))
        })
    }
}

/// Output of [`BasePages`]: the columns of `url_keys` that pages are compared by.
pub(crate) static FIRST_PAGES: LazyLock<SchemaRef> = LazyLock::new(|| {
    let time = DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into()));
    let fields = [
        ("domain", DataType::Utf8),
        ("date", DataType::Date32),
        ("fetched_at", time),
        ("url", DataType::Utf8),
        ("url_key", DataType::Utf8),
        ("source", DataType::Utf8),
        ("row", DataType::Int64),
        ("duplicate_of", DataType::Utf8),
        ("signature", DataType::Binary),
    ];
    let fields = fields.map(|(name, data_type)| Field::new(name, data_type, true));
    Arc::new(Schema::new(fields.to_vec()))
});

/// Keeps the pages whose base URL is one of the keys.
#[derive(Debug, Clone)]
pub(crate) struct BasePages {
    settings: Arc<Settings>,
    bases: Arc<ChunkKeys>,
}

impl BasePages {
    pub(crate) fn new(job: &Job, bases: Arc<ChunkKeys>) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            bases,
        }
    }
}

impl BatchStep for BasePages {
    const NAME: &'static str = "BasePages";

    fn output_columns() -> SchemaRef {
        Arc::clone(&FIRST_PAGES)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&self.bases.hashes())
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        filtered(batch, |row| {
            // A key without parts is itself the base URL.
            let key = value_opt(keys, row).map(hash);
            let base = || url_base_hash(&self.settings, value_opt(urls, row)?);
            let has = |hash: i64| self.bases.contains(hash);
            key.is_some_and(has) || base().is_some_and(has)
        })
    }
}

/// Output of [`IndexedKeys`]: the columns of `key_index` without the domain.
pub(crate) static INDEXED_KEYS: LazyLock<SchemaRef> = LazyLock::new(|| {
    Arc::new(Schema::new(vec![
        Field::new("date", DataType::Date32, true),
        Field::new("key_hash", DataType::Int64, true),
    ]))
});

/// Keeps the rows of `key_index` with a URL key of the chunk.
#[derive(Debug, Clone)]
pub(crate) struct IndexedKeys {
    keys: Arc<ChunkKeys>,
}

impl IndexedKeys {
    pub(crate) fn new(keys: Arc<ChunkKeys>) -> Self {
        Self { keys }
    }
}

impl BatchStep for IndexedKeys {
    const NAME: &'static str = "IndexedKeys";

    fn output_columns() -> SchemaRef {
        Arc::clone(&INDEXED_KEYS)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&self.keys.hashes())
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let hashes = batch.numbers::<Int64Type>("key_hash")?;
        filtered(batch, |row| self.keys.contains(hashes.value(row)))
    }
}
