//! The rows of earlier dates that the pages of a chunk may repeat.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::{TryStreamExt, stream};
use url_key::may_have_parts;
use url_parameters::Openness;

use crate::job::Job;
use crate::plan::columns::base::{Base, base_columns};
use crate::plan::columns::column::column;
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{Step, map_batches, to_bytes};
use crate::plan::prior::chunk_keys::ChunkKeys;
use crate::plan::prior::key_hash::hash;
use crate::plan::prior::learned::Learned;
use crate::plan::prior::shared_keys::SharedKeys;
use crate::settings::Settings;

/// Keeps the rows with a URL key of the chunk, now or when they were stored, and those whose base has pages of the
/// chunk that are compared. Their `url_key` becomes the key that they have now.
#[derive(Debug, Clone)]
pub(crate) struct KnownRows {
    settings: Arc<Settings>,
    keys: SharedKeys,
    learned: Arc<Learned>,
    /// The first date of the chunk, in days since 1970.
    date: i32,
}

impl KnownRows {
    pub(crate) fn new(job: &Job, keys: SharedKeys, learned: Arc<Learned>, date: i32) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            keys,
            learned,
            date,
        }
    }

    /// Returns the key of a stored page on the first date of the chunk, and its base. `None` for a page that no page
    /// of the chunk repeats.
    fn found(&self, chunk: &ChunkKeys, url: &str, stored: &str) -> Option<(String, Base)> {
        let ChunkKeys {
            keys,
            open,
            compared,
        } = chunk;
        let has_key = keys.contains(hash(stored));
        let (now, mut base) = match self.with_parts(chunk, url, stored) {
            Some(found) => found,
            None => (stored.to_owned(), Base::of_key(stored)),
        };
        if !open.contains(base.hash) {
            base.openness = Openness::Settled;
            return has_key.then_some((now, base));
        }
        base.openness = Openness::Open;
        let is_found = has_key || compared.contains(base.hash) || keys.contains(hash(&now));
        is_found.then_some((now, base))
    }

    /// Returns the key on the first date of the chunk, and the base, of a page whose URL has parts.
    fn with_parts(&self, chunk: &ChunkKeys, url: &str, stored: &str) -> Option<(String, Base)> {
        let is_open = !chunk.open.is_empty() && may_have_parts(url);
        let site = &self.settings.site;
        let page = is_open.then(|| site.keyer.parse(url).ok())??;
        let base = (self.learned).base(site, (url, &page), stored, self.date);
        let now = match base.has_parts {
            true => (self.learned.key(site, &page, None, self.date)).text,
            false => stored.to_owned(),
        };
        Some((now, base))
    }
}

impl Step for KnownRows {
    fn name(&self) -> &'static str {
        "KnownRows"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&(self.keys.name()?, self.learned.as_ref(), self.date))
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        _: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let step = self.clone();
        let pool = Arc::clone(context.memory_pool());
        let rows = async move {
            let keys = step.keys.get(&pool).await?.clone();
            let kept = move |batch: RecordBatch| step.batch(&keys, &batch);
            Ok::<_, DataFusionError>(map_batches(Arc::clone(&KEYED), input, kept))
        };
        let rows = stream::once(rows).try_flatten();
        Ok(Box::pin(RecordBatchStreamAdapter::new(
            Arc::clone(&KEYED),
            rows,
        )))
    }
}

impl KnownRows {
    fn batch(&self, chunk: &ChunkKeys, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, stored) = (batch.text("url")?, batch.text("stored_key")?);
        let found = |row: usize| self.found(chunk, value_opt(urls, row)?, value_opt(stored, row)?);
        let found: Vec<_> = (0..batch.num_rows()).map(found).collect();
        let bases: Vec<_> = found.iter().map(|found| Some(found.as_ref()?.1)).collect();
        let mut given = vec![column("url_key", &found, |found| {
            Some(found.as_ref()?.0.as_str())
        })];
        given.extend(base_columns(&bases));
        let rows = project_to(batch, &KEYED, given)?;
        let kept = found.iter().map(|found| Some(found.is_some())).collect();
        Ok(filter_record_batch(&rows, &kept)?)
    }
}
