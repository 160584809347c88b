//! The rows of the table `runs`.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, Date32Array, Float64Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray,
};
use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use tables::{DateRange, Partitioning, Table, days_from_date};

use crate::accounting::{RowAccounting, UNREADABLE_OBJECT};
use crate::archive::Census;
use crate::error::EngineError;

/// The identity of a run in its rows.
pub(super) struct RunIds {
    pub(super) id: String,
    pub(super) request: String,
    pub(super) settings: String,
    pub(super) started_micros: i64,
}

/// The cost of a chunk.
pub(super) struct ChunkCost {
    /// Wall-clock seconds.
    pub(super) seconds: f64,
    /// Most resident memory of the process up to the end of the chunk, in bytes.
    pub(super) peak_memory: Option<u64>,
    pub(super) spilled_bytes: u64,
}

/// Returns the rows of `runs` for the dates of a chunk that have input.
pub(super) fn runs_rows(
    run: &RunIds,
    census: &Census,
    chunk: DateRange,
    accounting: &RowAccounting,
    cost: ChunkCost,
) -> Result<RecordBatch, EngineError> {
    let archive = census.rows(chunk);
    let objects = census.objects_by_date(chunk);
    let dates: Vec<NaiveDate> = objects.keys().copied().collect();
    let number = |value: &dyn Fn(NaiveDate) -> u64| -> Result<ArrayRef, EngineError> {
        let numbers = dates.iter().map(|date| {
            i64::try_from(value(*date)).map_err(|error| {
                let error = DataFusionError::Internal(format!("a count of {date}: {error}"));
                EngineError::plan(chunk, error)
            })
        });
        let numbers: Vec<i64> = numbers.collect::<Result<_, _>>()?;
        Ok(Arc::new(Int64Array::from(numbers)))
    };
    let text = |value: &str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
            value,
            dates.len(),
        )))
    };
    let status = |status: &'static str| number(&|date| accounting.on(date, status).rows);
    let columns = vec![
        Arc::new(Date32Array::from_iter_values(
            dates.iter().map(|date| days_from_date(*date)),
        )) as ArrayRef,
        text(&run.id),
        text(&run.request),
        text(&run.settings),
        text(env!("CARGO_PKG_VERSION")),
        number(&|date| objects.get(&date).copied().unwrap_or(0))?,
        number(&|date| archive.get(&date).copied().unwrap_or(0))?,
        status("unique")?,
        status("duplicate")?,
        status("revision")?,
        status("blocklisted")?,
        status("quarantined")?,
        status(UNREADABLE_OBJECT)?,
        number(&|date| accounting.rows_on(date).html_bytes)?,
        number(&|date| accounting.rows_on(date).text_bytes)?,
        Arc::new(
            TimestampMicrosecondArray::from_value(run.started_micros, dates.len())
                .with_timezone("UTC"),
        ),
        Arc::new(Float64Array::from_value(cost.seconds, dates.len())),
        match cost.peak_memory {
            Some(peak) => number(&|_| peak)?,
            None => Arc::new(Int64Array::new_null(dates.len())),
        },
        number(&|_| cost.spilled_bytes)?,
    ];
    RecordBatch::try_new(Table::Runs.schema(Partitioning::Day), columns)
        .map_err(|error| EngineError::plan(chunk, error.into()))
}
