//! The rows whose pages are compared.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use arrow::array::{Array, RecordBatch, StringBuilder, UInt32Array};
use arrow::compute::take_record_batch;
use arrow::datatypes::{Date32Type, SchemaRef};
use datafusion::error::Result;
use serde::{Deserialize, Serialize};
use url_key::{UrlParts, may_have_parts};
use url_parameters::{Verdict, Verdicts, is_audited};

use super::parts_hash::parts_hash;
use super::variants::may_have_host;
use crate::job::Job;
use crate::plan::columns::schemas::{KEYED, RecordBatchExt, SCANNED, project_to, value_opt};
use crate::plan::exec::step::{BatchStep, to_bytes};
use crate::plan::prior::key_hash::hash;
use crate::settings::Settings;

/// Keeps the rows of `bases` that are not known to be a page of `known`, and those that are audited.
#[derive(Debug, Clone)]
pub(crate) struct Candidates {
    settings: Arc<Settings>,
    selected: Compared,
}

/// The pages that [`Candidates`] keeps.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct Compared {
    pub(crate) bases: Arc<Bases>,
    pub(crate) known: Arc<KnownPages>,
    /// If given, only these domains, each from a date on.
    pub(crate) domains: Option<Arc<BTreeMap<String, i32>>>,
}

impl Candidates {
    pub(crate) fn new(job: &Job, selected: Compared) -> Self {
        Self {
            settings: Arc::clone(&job.settings),
            selected,
        }
    }
}

/// The base URLs with pages to compare.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Bases {
    pub(crate) hosts: HashSet<String>,
    /// By hash.
    pub(crate) urls: HashSet<i64>,
}

/// The pages that were compared before.
#[derive(Debug, Default, Clone, Deserialize, Serialize)]
pub(crate) struct KnownPages {
    /// [`parts_hash`] of all parts, of pages that are other pages or copies.
    pub(crate) full: HashSet<i64>,
    /// [`parts_hash`] of the parts that are not noise by `verdicts`, of pages that are compared.
    pub(crate) without_noise: HashSet<i64>,
    pub(crate) verdicts: Verdicts,
}

impl BatchStep for Candidates {
    const NAME: &'static str = "Candidates";

    fn output_columns() -> SchemaRef {
        Arc::clone(&SCANNED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&self.selected)
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let reasons = batch.text("reason")?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let kept = (0..batch.num_rows()).filter(|&row| {
            let url = value_opt(urls, row).or_else(|| value_opt(request_urls, row));
            reasons.is_null(row) && url.is_some_and(|url| self.has(url, dates.value(row)))
        });
        let kept: UInt32Array = kept.map(|row| row as u32).collect();
        Ok(take_record_batch(batch, &kept)?)
    }
}

impl Candidates {
    fn has(&self, text: &str, date: i32) -> bool {
        let keyer = &self.settings.site.keyer;
        let Compared {
            bases,
            known,
            domains,
        } = &self.selected;
        if !may_have_host(&bases.hosts, text) {
            return false;
        }
        let Ok(url) = keyer.parse(text) else {
            return false;
        };
        if let Some(domains) = domains {
            let from = domains.get(url.domain().as_str());
            if from.is_none_or(|from| date < *from) {
                return false;
            }
        }
        let Some(parts) = keyer.parts(&url) else {
            return false;
        };
        let has_base = bases.urls.contains(&hash(&parts.base));
        has_base && (may_be_audited(text, &parts) || !known.has(&parts, date))
    }
}

impl KnownPages {
    fn has(&self, parts: &UrlParts, date: i32) -> bool {
        if self.full.contains(&parts_hash(&parts.base, &parts.parts)) {
            return true;
        }
        let verdicts = &self.verdicts;
        if self.without_noise.is_empty() || !verdicts.has_noise(&parts.host, &parts.shape) {
            return false;
        }
        let kept = parts.parts.iter().filter(|part| {
            let verdict = verdicts.of(parts, &part.kind, date);
            verdict != Verdict::Noise
        });
        self.without_noise.contains(&parts_hash(&parts.base, kept))
    }
}

/// Whether a page is compared also if all that differs from an earlier page is noise.
pub(super) fn may_be_audited(url: &str, parts: &UrlParts) -> bool {
    !parts.parts.is_empty() && is_audited(url)
}

/// Gives the rows that may be audited a key of their date, so that each is read on every date.
#[derive(Debug, Clone)]
pub(crate) struct AuditKeys;

impl BatchStep for AuditKeys {
    const NAME: &'static str = "AuditKeys";

    fn output_columns() -> SchemaRef {
        Arc::clone(&KEYED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn batch(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (urls, keys) = (batch.text("url")?, batch.text("url_key")?);
        let dates = batch.numbers::<Date32Type>("date")?;
        let mut marked = StringBuilder::new();
        for row in 0..batch.num_rows() {
            let key = value_opt(keys, row);
            match (value_opt(urls, row), key) {
                // No key has a `#`.
                (Some(url), Some(key)) if may_have_parts(url) && is_audited(url) => {
                    marked.append_value(format!("{key}#{}", dates.value(row)));
                }
                _ => marked.append_option(key),
            }
        }
        project_to(batch, &KEYED, vec![("url_key", Arc::new(marked.finish()))])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use url_key::Keyer;
    use url_parameters::Slot;

    use super::*;

    fn parts(url: &str) -> UrlParts {
        let keyer = Keyer::new(
            url_key::KeyOptions::default(),
            url_key::RuleSet::default(),
            url_key::Blocklist::default(),
        )
        .unwrap();
        keyer.parts(&keyer.parse(url).unwrap()).unwrap()
    }

    #[test]
    fn a_page_that_differs_from_a_known_page_in_noise_is_not_read() {
        let known = parts("http://a.example/s?id=1&skin=red");
        let noise = known
            .parts
            .iter()
            .find(|part| part.kind.text() == "skin")
            .unwrap();
        let mut verdicts = Verdicts::default();
        verdicts.insert(Slot::new(&known, &noise.kind), 5, Verdict::Noise);
        let kept = known.parts.iter().filter(|part| *part != noise);
        let pages = KnownPages {
            full: HashSet::from([parts_hash(&known.base, &known.parts)]),
            without_noise: HashSet::from([parts_hash(&known.base, kept)]),
            verdicts,
        };
        for (url, date, is_known) in [
            ("http://a.example/s?skin=red&id=1", 4, true),
            ("http://a.example/s?id=1&skin=blue", 4, false),
            ("http://a.example/s?id=1&skin=blue", 5, true),
            ("http://a.example/s?id=1", 5, true),
            ("http://a.example/s?id=2&skin=blue", 5, false),
            ("http://b.example/s?id=1&skin=blue", 5, false),
        ] {
            assert_eq!(pages.has(&parts(url), date), is_known, "{url} on {date}");
        }
    }

    #[test]
    fn parts_have_one_hash_each() {
        let urls = [
            "http://a.example/s",
            "http://a.example/s?a=bc",
            "http://a.example/s?ab=c",
            "http://a.example/s?a=b&c",
            "http://a.example/s;a=bc",
            "http://a.example/s?abc",
        ];
        let hashes: BTreeSet<i64> = urls
            .iter()
            .map(|url| {
                let parts = parts(url);
                parts_hash(&parts.base, &parts.parts)
            })
            .collect();
        assert_eq!(hashes.len(), urls.len());
    }
}
