//! The URLs of a chunk that have parts, or are the page of such a URL without them.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    Array, BooleanBuilder, Date32Builder, Int64Builder, RecordBatch, StringBuilder,
};
use arrow::datatypes::{DataType, Date32Type, Field, Schema, SchemaRef};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use url_key::may_have_parts;
use url_parameters::{Verdict, Verdicts, is_audited};

use crate::job::Settings;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{Step, map_batches};
use crate::state::key_hash::hash;

/// Output of [`Variants`]: one row per row of the archive that it selects. `slots` has the host, the
/// shape of the path and the names of the parts, on lines.
static VARIANTS: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |name, data_type| Field::new(name, data_type, false);
    Arc::new(Schema::new(vec![
        field("date", DataType::Date32),
        field("domain", DataType::Utf8),
        field("base_hash", DataType::Int64),
        field("full_hash", DataType::Int64),
        field("is_compared", DataType::Boolean),
        field("slots", DataType::Utf8),
    ]))
});

/// Selects the rows of `bases`, or without them the rows whose URLs have parts, and those of
/// `hosts`, whose earlier pages have.
#[derive(Debug, Clone)]
pub(crate) struct Variants {
    pub(crate) settings: Arc<Settings>,
    /// Verdicts at the start of the chunk.
    pub(crate) verdicts: Arc<Verdicts>,
    pub(crate) bases: Option<Arc<HashSet<i64>>>,
    pub(crate) hosts: Arc<HashSet<String>>,
}

impl Step for Variants {
    fn name(&self) -> &'static str {
        "Variants"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&VARIANTS)
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

impl Variants {
    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let reasons = batch.text("reason")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let mut columns = VariantColumns::default();
        let keyer = &self.settings.keyer;
        for row in 0..batch.num_rows() {
            let url = value_opt(urls, row).or_else(|| value_opt(request_urls, row));
            let Some(text) = url.filter(|url| {
                let is_selected = self.bases.is_some() || may_have_parts(url) || self.has_host(url);
                reasons.is_null(row) && is_selected
            }) else {
                continue;
            };
            let Ok(url) = keyer.parse(text) else { continue };
            let Some(parts) = keyer.parts(&url) else {
                continue;
            };
            let base = hash(&parts.base);
            let is_selected = match &self.bases {
                Some(bases) => bases.contains(&base),
                None => !parts.parts.is_empty() || self.hosts.contains(&parts.host),
            };
            if !is_selected {
                continue;
            }
            let date = dates.value(row);
            let verdicts = &self.verdicts;
            let is_compared =
                parts
                    .parts
                    .iter()
                    .any(|part| match verdicts.of(&parts, &part.kind, date) {
                        Verdict::Undecided => true,
                        Verdict::Noise => is_audited(text),
                        Verdict::Identifies => false,
                    });
            // A page without parts is compared with earlier pages that have some.
            let is_bare = parts.parts.is_empty() && verdicts.has_undecided_like(&parts);
            columns.date.append_value(date);
            columns.domain.append_value(url.domain().as_str());
            columns.base_hash.append_value(base);
            let full = keyer.key_with_parts(&url, None, |_, _| false);
            columns.full_hash.append_value(hash(&full.text));
            columns.is_compared.append_value(is_bare || is_compared);
            let names = parts.parts.iter().map(|part| part.kind.to_string());
            let slots = [parts.host.clone(), parts.shape.clone()]
                .into_iter()
                .chain(names);
            columns
                .slots
                .append_value(slots.collect::<Vec<_>>().join("\n"));
        }
        columns.finish()
    }
}

impl Variants {
    /// Whether the text of a URL names one of `hosts`.
    fn has_host(&self, url: &str) -> bool {
        if self.hosts.is_empty() {
            return false;
        }
        let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
        let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
        self.hosts.contains(&host.to_lowercase())
    }
}

#[derive(Default)]
struct VariantColumns {
    date: Date32Builder,
    domain: StringBuilder,
    base_hash: Int64Builder,
    full_hash: Int64Builder,
    is_compared: BooleanBuilder,
    slots: StringBuilder,
}

impl VariantColumns {
    fn finish(mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(
            Arc::clone(&VARIANTS),
            vec![
                Arc::new(self.date.finish()),
                Arc::new(self.domain.finish()),
                Arc::new(self.base_hash.finish()),
                Arc::new(self.full_hash.finish()),
                Arc::new(self.is_compared.finish()),
                Arc::new(self.slots.finish()),
            ],
        )?)
    }
}
