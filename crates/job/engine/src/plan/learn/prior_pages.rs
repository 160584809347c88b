//! Reads what earlier runs learned: the evidence of slots, and the pages to compare with.

use std::collections::HashSet;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{Date32Type, Int64Type};
use datafusion::error::{DataFusionError, Result};
use datafusion::prelude::SessionContext;
use tables::DateRange;
use url_key::UrlParts;
use url_parameters::{ComparedPage, Evidence, Signature, Slot, Verdict};

use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::prior::rollup_tables::semi_join_domains;
use crate::plan::prior::state::PriorState;
use crate::running_plans::collect_watched;
use crate::settings::Settings;
use crate::state::delta_scan::{external, latest_parameters};

use super::parts_hash::parts_hash;

/// A page of `url_keys`.
pub(super) struct PriorPage {
    pub(super) domain: String,
    pub(super) parts: UrlParts,
    /// [`parts_hash`] of all its parts.
    pub(super) full_hash: i64,
    /// The page, unless it has the content of another.
    pub(super) compared: Option<ComparedPage<String>>,
}

/// Reads the pages of a batch of first pages.
pub(super) fn pages(batch: &RecordBatch, settings: &Settings) -> Result<Vec<PriorPage>> {
    let (domains, urls) = (batch.text("domain")?, batch.text("url")?);
    let originals = batch.text("duplicate_of")?;
    let (sources, rows) = (batch.text("source")?, batch.numbers::<Int64Type>("row")?);
    let dates = batch.numbers::<Date32Type>("date")?;
    let signatures = batch.bytes("signature")?;
    let mut pages = Vec::new();
    for row in 0..batch.num_rows() {
        let keyer = &settings.site.keyer;
        let Ok(url) = keyer.parse(urls.value(row)) else {
            continue;
        };
        let Some(parts) = keyer.parts(&url) else {
            continue;
        };
        let is_page = originals.is_null(row) && signatures.is_valid(row);
        let compared = is_page.then(|| {
            let signature = Signature::from_bytes(signatures.value(row)).map_err(external)?;
            Ok::<_, DataFusionError>(ComparedPage {
                date: dates.value(row),
                url: urls.value(row).to_owned(),
                parts: parts.clone(),
                signature,
                page: format!("{}#{}", sources.value(row), rows.value(row)),
            })
        });
        pages.push(PriorPage {
            domain: domains.value(row).to_owned(),
            full_hash: parts_hash(&parts.base, &parts.parts),
            parts,
            compared: compared.transpose()?,
        });
    }
    Ok(pages)
}

/// Returns the hosts with slots that are undecided or noise before `chunk`: their pages without
/// parts may be copies of pages with some.
pub(super) async fn open_hosts(
    prior: &PriorState,
    context: &SessionContext,
    chunk: DateRange,
) -> Result<HashSet<String>> {
    let mut hosts = HashSet::new();
    if prior.url_parameters.is_none() {
        return Ok(hosts);
    }
    let before = format!("WHERE date < DATE '{}'", chunk.first());
    let latest = latest_parameters("url_parameters", &before);
    let query = format!("SELECT DISTINCT host FROM {latest} WHERE verdict <> 'identifies'");
    for batch in collect_watched(context.sql(&query).await?).await? {
        hosts.extend(batch.text("host")?.iter().flatten().map(str::to_owned));
    }
    Ok(hosts)
}

/// Reads the evidence of the slots of the domains in `chunk_domains`, from dates before `chunk`.
pub(super) async fn slots(
    prior: &PriorState,
    context: &SessionContext,
    chunk: DateRange,
) -> Result<Vec<(String, Slot, Evidence)>> {
    if prior.url_parameters.is_none() {
        return Ok(Vec::new());
    }
    let before = format!("WHERE date < DATE '{}'", chunk.first());
    let latest = latest_parameters(&semi_join_domains("url_parameters"), &before);
    let query = format!("SELECT * FROM {latest} ORDER BY domain, host, path_shape, parameter");
    let mut slots = Vec::new();
    for batch in collect_watched(context.sql(&query).await?).await? {
        for row in 0..batch.num_rows() {
            slots.push(slot(&batch, row)?);
        }
    }
    Ok(slots)
}

/// Reads a row of `url_parameters`: its domain, its slot and the evidence.
pub(crate) fn slot(batch: &RecordBatch, row: usize) -> Result<(String, Slot, Evidence)> {
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
