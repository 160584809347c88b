//! Rows of the table `url_parameters`, and of the plan before they are written.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Int32Array, Int64Array, RecordBatch,
    StringArray,
};
use datafusion::error::{DataFusionError, Result};
use tables::{Partitioning, Table};
use url_parameters::{SlotChange, Verdict};

use crate::plan::columns::schemas::{BLOCKED, RecordBatchExt, rows_of};
use crate::plan::columns::status::{Phase, Status};
use crate::plan::exec::step::to_bytes;

/// Returns rows of [`BLOCKED`] with what a domain showed.
pub(crate) fn learned_rows(domain: &str, changes: &[SlotChange]) -> Result<RecordBatch> {
    let count = changes.len();
    let bytes = changes.iter().map(to_bytes).collect::<Result<Vec<_>>>()?;
    let domains = StringArray::from_iter_values(std::iter::repeat_n(domain, count));
    let status = Int32Array::from_value(Status::Learned as i32, count);
    let dates: Date32Array = changes.iter().map(|change| Some(change.date)).collect();
    let phase = Int32Array::from_value(Phase::PassThrough as i32, count);
    let given: Vec<(&str, ArrayRef)> = vec![
        ("domain", Arc::new(domains)),
        ("status", Arc::new(status)),
        // Behind the pages of the domain.
        ("batch", Arc::new(Int64Array::from_value(i64::MAX, count))),
        ("date", Arc::new(dates)),
        ("phase", Arc::new(phase)),
        (
            "slot_change",
            Arc::new(BinaryArray::from_iter_values(bytes)),
        ),
    ];
    rows_of(&BLOCKED, count, given)
}

/// Returns the rows of `url_parameters` that are in `rows` of a batch, as [`learned_rows`] made them.
pub(crate) fn url_parameters(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let (domains, bytes) = (batch.text("domain")?, batch.bytes("slot_change")?);
    let change = |row: &u32| {
        let row = *row as usize;
        let change = postcard::from_bytes(bytes.value(row));
        let change: SlotChange = change.map_err(|error| DataFusionError::External(error.into()))?;
        Ok((domains.value(row).to_owned(), change))
    };
    let changes = rows.iter().map(change).collect::<Result<Vec<_>>>()?;
    url_parameter_rows(&changes)
}

/// Returns the rows of what was learned on each date, in the order of date, domain and slot.
pub(crate) fn url_parameter_rows(changes: &[(String, SlotChange)]) -> Result<RecordBatch> {
    let mut changes: Vec<&(String, SlotChange)> = changes.iter().collect();
    changes.sort_by_key(|(domain, change)| (change.date, domain, &change.slot));
    let texts = |value: &dyn for<'a> Fn(&'a (String, SlotChange)) -> Option<&'a str>| -> ArrayRef {
        Arc::new(
            changes
                .iter()
                .map(|change| value(change))
                .collect::<StringArray>(),
        )
    };
    let dates = |value: &dyn Fn(&SlotChange) -> Option<i32>| -> ArrayRef {
        Arc::new(
            changes
                .iter()
                .map(|(_, change)| value(change))
                .collect::<Date32Array>(),
        )
    };
    let numbers = |value: &dyn Fn(&SlotChange) -> i64| -> ArrayRef {
        Arc::new(Int64Array::from_iter_values(
            changes.iter().map(|(_, change)| value(change)),
        ))
    };
    let example = |at: usize| {
        texts(&move |(_, change)| {
            let example = change.evidence.example.as_ref();
            example.map(|urls| urls[at].as_str())
        })
    };
    let revised: BooleanArray = (changes.iter())
        .map(|(_, change)| Some(change.evidence.revised))
        .collect();
    let since = |change: &SlotChange| {
        let evidence = &change.evidence;
        (evidence.verdict != Verdict::Undecided).then_some(evidence.since)
    };
    let columns = vec![
        dates(&|change| Some(change.date)),
        texts(&|(domain, _)| Some(domain)),
        texts(&|(_, change)| Some(&change.slot.host)),
        texts(&|(_, change)| Some(&change.slot.shape)),
        texts(&|(_, change)| Some(&change.slot.parameter)),
        texts(&|(_, change)| Some(change.evidence.verdict.as_str())),
        dates(&since),
        Arc::new(revised),
        numbers(&|change| change.evidence.rows.cast_signed()),
        numbers(&|change| i64::from(change.evidence.same)),
        numbers(&|change| i64::from(change.evidence.differs)),
        numbers(&|change| change.evidence.contents.cast_signed()),
        dates(&|change| Some(change.evidence.first)),
        dates(&|change| Some(change.evidence.last)),
        example(0),
        example(1),
    ];
    Ok(RecordBatch::try_new(
        Table::UrlParameters.schema(Partitioning::Day),
        columns,
    )?)
}
