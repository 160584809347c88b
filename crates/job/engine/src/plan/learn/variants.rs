//! The URLs of a chunk that have parts, or are the page of such a URL without them.

use std::collections::HashSet;
use std::sync::{Arc, LazyLock};

use arrow::array::{
    Array, BooleanBuilder, Date32Builder, Int64Builder, ListBuilder, RecordBatch, StringBuilder,
};
use arrow::datatypes::{DataType, Date32Type, Field, Schema, SchemaRef};
use datafusion::error::Result;
use serde::{Deserialize, Serialize};
use url_key::{UrlParts, may_have_parts, plain_host};
use url_parameters::is_audited;

use super::parts_hash::parts_hash;
use crate::job::Job;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::exec::step::{BatchStep, to_bytes};
use crate::plan::prior::key_hash::hash;
use crate::settings::Settings;

/// Output of [`Variants`]: one row per row of the archive that it selects. `parameters` are the
/// names of the parts.
static VARIANTS: LazyLock<SchemaRef> = LazyLock::new(|| {
    let field = |name, data_type| Field::new(name, data_type, false);
    let item = Arc::new(Field::new_list_field(DataType::Utf8, true));
    Arc::new(Schema::new(vec![
        field("date", DataType::Date32),
        field("domain", DataType::Utf8),
        field("base_hash", DataType::Int64),
        field("full_hash", DataType::Int64),
        field("is_audited", DataType::Boolean),
        field("host", DataType::Utf8),
        field("shape", DataType::Utf8),
        field("parameters", DataType::List(item)),
    ]))
});

/// Selects rows of the archive by their URLs.
#[derive(Debug, Clone)]
pub(crate) struct Variants {
    pub(crate) settings: Arc<Settings>,
    pub(crate) selected: Arc<Selected>,
}

/// The rows that [`Variants`] selects.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) enum Selected {
    /// The rows with parts, and all rows of these hosts.
    WithParts { hosts: HashSet<String> },
    /// The rows without parts of some hosts whose URL is one of these base URLs, by hash.
    Bases {
        hosts: HashSet<String>,
        bases: HashSet<i64>,
    },
}

impl Variants {
    pub(crate) fn new(job: &Job, selected: Selected) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            selected: Arc::new(selected),
        }
    }
}

impl BatchStep for Variants {
    const NAME: &'static str = "Variants";

    fn output_columns() -> SchemaRef {
        Arc::clone(&VARIANTS)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(self.selected.as_ref())
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let reasons = batch.text("reason")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let mut columns = VariantColumns::default();
        let keyer = &self.settings.site.keyer;
        for row in 0..batch.num_rows() {
            let url = value_opt(urls, row).or_else(|| value_opt(request_urls, row));
            let is_selected = |url: &&str| reasons.is_null(row) && self.selected.may_have(url);
            let Some(text) = url.filter(is_selected) else {
                continue;
            };
            let Ok(url) = keyer.parse(text) else { continue };
            let Some(parts) = keyer.parts(&url) else {
                continue;
            };
            let base = hash(&parts.base);
            if self.selected.has(&parts, base) {
                columns.date.append_value(dates.value(row));
                columns.domain.append_value(url.domain().as_str());
                columns.base_hash.append_value(base);
                let full = parts_hash(&parts.base, &parts.parts);
                columns.full_hash.append_value(full);
                columns.append_parts(text, &parts);
            }
        }
        columns.finish()
    }
}

impl Selected {
    /// Whether the row with this URL may be selected: a quick test of the text.
    fn may_have(&self, url: &str) -> bool {
        match self {
            Self::WithParts { hosts } => may_have_parts(url) || may_have_host(hosts, url),
            Self::Bases { hosts, .. } => may_have_host(hosts, url),
        }
    }

    fn has(&self, parts: &UrlParts, base: i64) -> bool {
        match self {
            Self::WithParts { hosts } => !parts.parts.is_empty() || hosts.contains(&parts.host),
            Self::Bases { bases, .. } => parts.parts.is_empty() && bases.contains(&base),
        }
    }
}

/// Whether the host of a URL may be one of `hosts`.
pub(super) fn may_have_host(hosts: &HashSet<String>, url: &str) -> bool {
    !hosts.is_empty() && plain_host(url).is_none_or(|host| hosts.contains(host))
}

#[derive(Default)]
struct VariantColumns {
    date: Date32Builder,
    domain: StringBuilder,
    base_hash: Int64Builder,
    full_hash: Int64Builder,
    is_audited: BooleanBuilder,
    host: StringBuilder,
    shape: StringBuilder,
    parameters: ListBuilder<StringBuilder>,
}

impl VariantColumns {
    fn append_parts(&mut self, url: &str, parts: &UrlParts) {
        let is_audited = !parts.parts.is_empty() && is_audited(url);
        self.is_audited.append_value(is_audited);
        self.host.append_value(&parts.host);
        self.shape.append_value(&parts.shape);
        for part in &parts.parts {
            self.parameters.values().append_value(part.kind.text());
        }
        self.parameters.append(true);
    }

    fn finish(mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(
            Arc::clone(&VARIANTS),
            vec![
                Arc::new(self.date.finish()),
                Arc::new(self.domain.finish()),
                Arc::new(self.base_hash.finish()),
                Arc::new(self.full_hash.finish()),
                Arc::new(self.is_audited.finish()),
                Arc::new(self.host.finish()),
                Arc::new(self.shape.finish()),
                Arc::new(self.parameters.finish()),
            ],
        )?)
    }
}
