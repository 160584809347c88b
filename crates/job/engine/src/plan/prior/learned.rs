//! What earlier dates showed about the parts of the URLs of a chunk's domains.

use std::collections::BTreeMap;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use serde::{Deserialize, Serialize};
use site_replay::{PageKeys, SiteSettings};
use url_key::{PageUrl, UrlKey, UrlParts, may_have_parts, plain_host};
use url_parameters::{Evidence, Slot, Verdict, Verdicts};

use crate::plan::columns::base::Base;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::prior::chunk_keys::semi_join_domains;
use crate::plan::prior::key_hash::hash;
use crate::running_plans::collect_watched;

/// The evidence of slots before a chunk, and its verdicts.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(crate) struct Learned {
    /// By domain.
    slots: BTreeMap<String, Vec<(Slot, Evidence)>>,
    verdicts: Verdicts,
}

impl Learned {
    /// Reads the evidence in `url_parameters`: about the domains in the table `chunk_domains`, or about all domains.
    pub(crate) async fn read(context: &SessionContext, of_chunk_domains: bool) -> Result<Self> {
        let mut learned = Self::default();
        let rows = match of_chunk_domains {
            true => semi_join_domains("url_parameters"),
            false => "url_parameters".to_owned(),
        };
        let latest = latest_parameters(&rows);
        let query = format!("SELECT * FROM {latest} ORDER BY domain, host, path_shape, parameter");
        for batch in collect_watched(context.sql(&query).await?).await? {
            for row in 0..batch.num_rows() {
                let (domain, slot, evidence) = slot(&batch, row)?;
                learned.verdicts.restore(slot.clone(), &evidence);
                let slots = learned.slots.entry(domain).or_default();
                slots.push((slot, evidence));
            }
        }
        Ok(learned)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the key of a page on `date`, by the verdicts before the chunk.
    pub(crate) fn key(
        &self,
        settings: &SiteSettings,
        url: &PageUrl,
        title: Option<&str>,
        date: i32,
    ) -> UrlKey {
        if self.is_empty() || !settings.learns() {
            return settings.unlearned_key(url, title);
        }
        (settings.keyer).key_with_parts(url, title, |parts, kind| {
            self.verdicts.of(parts, kind, date) == Verdict::Noise
        })
    }

    /// Returns the base of the page at `address`, whose key is `key` on `date`.
    pub(crate) fn base(
        &self,
        settings: &SiteSettings,
        (address, url): (&str, &PageUrl),
        key: &str,
        date: i32,
    ) -> Base {
        match self.parts(settings, address, url) {
            Some(parts) => Base {
                hash: hash(&parts.base),
                has_parts: !parts.parts.is_empty(),
                openness: self.verdicts.openness(address, &parts, date),
            },
            None => Base::of_key(key),
        }
    }

    /// Returns the parts of a URL, unless it has none and its host has no slots.
    fn parts(&self, settings: &SiteSettings, address: &str, url: &PageUrl) -> Option<UrlParts> {
        let has_slots = |host: &str| self.verdicts.has_host(host);
        let may_have = may_have_parts(address) || plain_host(address).is_some_and(has_slots);
        (may_have && settings.learns()).then(|| settings.keyer.parts(url))?
    }

    /// Restores the evidence about a domain.
    pub(crate) fn restore<P: Clone>(&self, domain: &str, keys: &mut PageKeys<P>) {
        for (slot, evidence) in self.slots.get(domain).into_iter().flatten() {
            keys.restore_slot(slot.clone(), evidence.clone());
        }
    }
}

/// Returns the SQL of the last row of each parameter among `rows` of `url_parameters`.
pub fn latest_parameters(rows: &str) -> String {
    format!(
        "(SELECT * FROM (SELECT url_parameters.*, row_number() OVER \
           (PARTITION BY domain, host, path_shape, parameter ORDER BY date DESC) AS recency \
         FROM {rows}) WHERE recency = 1)"
    )
}

/// Reads a row of `url_parameters`: its domain, its slot and the evidence.
///
/// # Errors
/// If the batch lacks a column, or if a value is not one that a run writes.
pub fn slot(batch: &RecordBatch, row: usize) -> Result<(String, Slot, Evidence)> {
    let text = |name: &str| Ok::<_, DataFusionError>(batch.text(name)?.value(row).to_owned());
    let date = |name: &str| Ok::<_, DataFusionError>(batch.numbers::<Date32Type>(name)?.value(row));
    let number =
        |name: &str| Ok::<_, DataFusionError>(batch.numbers::<Int64Type>(name)?.value(row));
    let count = |name: &str| {
        let number = number(name)?;
        u32::try_from(number).map_err(|_| invalid(name, &number.to_string()))
    };
    let verdict = text("verdict")?;
    let examples = (batch.text("example_url")?, batch.text("compared_url")?);
    let example = value_opt(examples.0, row).zip(value_opt(examples.1, row));
    let evidence = Evidence {
        verdict: Verdict::from_name(&verdict).ok_or_else(|| invalid("verdict", &verdict))?,
        since: if batch.array("since")?.is_valid(row) {
            date("since")?
        } else {
            0
        },
        rows: number("rows")?.cast_unsigned(),
        same: count("same")?,
        differs: count("differs")?,
        contents: number("contents")?.cast_unsigned(),
        revised: batch.array("revised")?.as_boolean().value(row),
        first: date("first_date")?,
        last: date("last_date")?,
        example: example.map(|(url, other)| [url.to_owned(), other.to_owned()]),
    };
    let slot = Slot {
        host: text("host")?,
        shape: text("path_shape")?,
        parameter: text("parameter")?,
    };
    Ok((text("domain")?, slot, evidence))
}

fn invalid(column: &str, value: &str) -> DataFusionError {
    DataFusionError::Execution(format!(
        "`{value}` in {column} of url_parameters is not valid"
    ))
}
