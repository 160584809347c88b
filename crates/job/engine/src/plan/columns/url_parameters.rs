//! Rows of the table `url_parameters`, and of the plan before they are written.

use arrow::array::RecordBatch;
use datafusion::error::Result;
use tables::{Partitioning, Table};
use url_parameters::{Evidence, SlotChange, Verdict};

use crate::plan::columns::column::{column, dates};
use crate::plan::columns::schemas::{BLOCKED, RecordBatchExt, rows_of};
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::step::{from_bytes, to_bytes};

/// Returns rows of [`BLOCKED`] with what a domain showed.
pub(crate) fn learned_rows(domain: &str, changes: &[SlotChange]) -> Result<RecordBatch> {
    let bytes = changes.iter().map(to_bytes).collect::<Result<Vec<_>>>()?;
    let columns = vec![
        column("domain", changes, |_| Some(domain)),
        column("status", changes, |_| Some(Status::Learned as i32)),
        // Behind the pages of the domain.
        column("batch", changes, |_| Some(i64::MAX)),
        dates("date", changes, |change| Some(change.date)),
        column("phase", changes, |_| Some(Phase::PassThrough as i32)),
        column("slot_change", &bytes, |bytes| Some(&**bytes)),
    ];
    rows_of(&BLOCKED, columns)
}

/// Returns the rows of `url_parameters` that are in `rows` of a batch, as [`learned_rows`] made them.
pub(crate) fn url_parameters(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let (domains, bytes) = (batch.text("domain")?, batch.bytes("slot_change")?);
    let change = |row: &u32| {
        let row = *row as usize;
        Ok((domains.value(row).to_owned(), from_bytes(bytes.value(row))?))
    };
    let changes = rows.iter().map(change).collect::<Result<Vec<_>>>()?;
    url_parameter_rows(&changes)
}

/// Returns the rows of what was learned on each date, in the order of date, domain and slot.
pub(crate) fn url_parameter_rows(changes: &[(String, SlotChange)]) -> Result<RecordBatch> {
    let mut changes: Vec<&(String, SlotChange)> = changes.iter().collect();
    changes.sort_by_key(|(domain, change)| (change.date, domain, &change.slot));
    let changes = changes.as_slice();
    let texts = |name, value: fn(&SlotChange) -> Option<&str>| {
        column(name, changes, move |(_, change)| value(change))
    };
    let days = |name, value: fn(&SlotChange) -> Option<i32>| {
        dates(name, changes, move |(_, change)| value(change))
    };
    let numbers = |name, value: fn(&Evidence) -> i64| {
        column(name, changes, move |(_, change)| {
            Some(value(&change.evidence))
        })
    };
    let since = |change: &SlotChange| {
        let evidence = &change.evidence;
        (evidence.verdict != Verdict::Undecided).then_some(evidence.since)
    };
    let columns = vec![
        days("date", |change| Some(change.date)),
        column("domain", changes, |(domain, _)| Some(&**domain)),
        texts("host", |change| Some(&change.slot.host)),
        texts("path_shape", |change| Some(&change.slot.shape)),
        texts("parameter", |change| Some(&change.slot.parameter)),
        texts("verdict", |change| Some(change.evidence.verdict.as_str())),
        days("since", since),
        column("revised", changes, |(_, change)| {
            Some(change.evidence.revised)
        }),
        numbers("rows", |evidence| evidence.rows.cast_signed()),
        numbers("same", |evidence| evidence.same.into()),
        numbers("differs", |evidence| evidence.differs.into()),
        numbers("contents", |evidence| evidence.contents.cast_signed()),
        days("first_date", |change| Some(change.evidence.first)),
        days("last_date", |change| Some(change.evidence.last)),
        texts("example_url", |change| {
            Some(&change.evidence.example.as_ref()?[0])
        }),
        texts("compared_url", |change| {
            Some(&change.evidence.example.as_ref()?[1])
        }),
    ];
    rows_of(&Table::UrlParameters.schema(Partitioning::Day), columns)
}
