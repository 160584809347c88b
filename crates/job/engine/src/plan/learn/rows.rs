//! Rows of the table `url_parameters`.

use std::sync::Arc;

use arrow::array::{ArrayRef, BooleanArray, Date32Array, Int64Array, RecordBatch, StringArray};
use datafusion::error::Result;
use tables::{Partitioning, Table};
use url_parameters::{SlotChange, Verdict};

/// Returns the rows of what was learned on each date, in the order of date, domain and slot.
pub(crate) fn url_parameters(changes: &[(String, SlotChange)]) -> Result<RecordBatch> {
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
