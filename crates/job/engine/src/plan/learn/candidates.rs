//! The rows whose pages are compared.

use std::collections::HashSet;
use std::sync::Arc;

use arrow::array::{RecordBatch, StringBuilder, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{Date32Type, SchemaRef};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use url_parameters::is_audited;

use crate::job::Settings;
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, Status, project_to};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{Step, map_batches};
use crate::state::key_hash::hash;

/// Keeps the rows of `bases` whose key is not in `known`, and those that may be audited. The input
/// has keys with all parts.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    pub(crate) settings: Arc<Settings>,
    /// Hashes of base URLs with pages to compare.
    pub(crate) bases: Arc<HashSet<i64>>,
    /// Hashes of the keys of pages that were compared before.
    pub(crate) known: Arc<HashSet<i64>>,
}

/// Separates the key of a row that may be audited from its date: it is read on every date. No key
/// has this character.
const AUDIT_MARK: char = '#';

/// Splits the key of a candidate from its date. Returns whether the row may be audited.
pub(crate) fn split_audit(url_key: &str) -> (&str, bool) {
    match url_key.split_once(AUDIT_MARK) {
        Some((key, _)) => (key, true),
        None => (url_key, false),
    }
}

impl Step for Candidates {
    fn name(&self) -> &'static str {
        "Candidates"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn run(
        &self,
        input: SendableRecordBatchStream,
        _: &Arc<TaskContext>,
        _: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let step = self.clone();
        Ok(map_batches(self.schema(), input, move |batch| {
            step.batch(&batch)
        }))
    }
}

impl Candidates {
    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        let statuses = batch.text("status")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let mut kept = Vec::new();
        let mut kept_keys = StringBuilder::new();
        for row in 0..batch.num_rows() {
            if statuses.value(row) != Status::Unique.as_str() {
                continue;
            }
            let (url, key) = (urls.value(row), keys.value(row));
            if !self.has_base(url) {
                continue;
            }
            if is_audited(url) {
                kept.push(row as u32);
                kept_keys.append_value(format!("{key}{AUDIT_MARK}{}", dates.value(row)));
            } else if !self.known.contains(&hash(key)) {
                kept.push(row as u32);
                kept_keys.append_value(key);
            }
        }
        let kept = take_record_batch(batch, &UInt32Array::from(kept))?;
        project_to(
            &kept,
            &KEYED,
            vec![("url_key", Arc::new(kept_keys.finish()))],
        )
    }

    /// Whether the base of a URL is one of those with pages to compare.
    fn has_base(&self, url: &str) -> bool {
        let keyer = &self.settings.keyer;
        let parts = keyer.parse(url).ok().and_then(|url| keyer.parts(&url));
        parts.is_some_and(|parts| self.bases.contains(&hash(&parts.base)))
    }
}
