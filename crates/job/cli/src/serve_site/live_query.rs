//! The rows of a query in a page, within limits.

use std::fmt::{self, Write};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use arrow::array::{Array, RecordBatch};
use arrow::util::display::{ArrayFormatter, FormatOptions};
use engine::Job;
use query::QueryRows;
use report::{Cut, Outcome, ResultColumn, ResultRows, Value};
use tokio::task::JoinSet;

use crate::print::message;

/// The limits of a query.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Time after which it is stopped.
    pub(super) time: Duration,
    /// Most rows in the page.
    pub(super) rows: usize,
}

/// Most bytes of all values in a page. A browser shows a table of this size within seconds.
const MAX_RESULT_BYTES: usize = 4 << 20;

/// Most bytes of a value in a page. The text of a page of an archive is cut, most others are whole.
const MAX_VALUE_BYTES: usize = 2000;

/// Runs a query. It is stopped at the limit of time, or when the future is dropped.
pub(super) async fn outcome(job: &Job, sql: &str, limits: Limits) -> Outcome {
    let rows = rows(job.clone(), sql.to_owned(), limits.rows);
    match within(limits.time, rows).await {
        Ok(rows) => Outcome::Rows(rows),
        Err(outcome) => outcome,
    }
}

/// Waits for a query. It has its own task, so the limit holds while it computes without a pause.
async fn within<T: Send + 'static>(
    time: Duration,
    rows: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T, Outcome> {
    let mut query = JoinSet::new();
    query.spawn(rows);
    let Ok(ended) = tokio::time::timeout(time, query.join_next()).await else {
        let time = humantime::format_duration(time);
        return Err(Outcome::TimedOut(time.to_string()));
    };
    let rows = ended.context("no query was started");
    let rows = rows.and_then(|ended| ended.context("the query stopped"));
    let rows = rows.and_then(|rows| rows);
    rows.map_err(|error| Outcome::Failed(message(&error)))
}

/// The rows of a query as CSV.
pub(super) enum Csv {
    Rows(String),
    /// The reason why there are none.
    None(Outcome),
}

/// Most bytes of CSV. They are in memory before they are sent.
const MAX_CSV_BYTES: usize = 64 << 20;

/// Runs a query as [`outcome`] does, for a file of all rows.
pub(super) async fn csv(job: &Job, sql: &str, limits: Limits) -> Csv {
    match within(limits.time, csv_rows(job.clone(), sql.to_owned())).await {
        Ok(text) => Csv::Rows(text),
        Err(outcome) => Csv::None(outcome),
    }
}

async fn csv_rows(job: Job, sql: String) -> Result<String> {
    let mut rows = started(&job, &sql, None).await?;
    let mut bytes = Vec::new();
    let mut is_first = true;
    while let Some(batch) = rows.next().await {
        crate::rows::csv(&mut bytes, &batch?, std::mem::take(&mut is_first))?;
        if bytes.len() > MAX_CSV_BYTES {
            bail!(
                "the rows are more than {} MiB of CSV; `urltree sql --output FILE` writes any number",
                MAX_CSV_BYTES >> 20
            );
        }
    }
    if is_first {
        crate::rows::csv(&mut bytes, &RecordBatch::new_empty(rows.schema()), true)?;
    }
    String::from_utf8(bytes).context("the CSV is not UTF-8")
}

async fn started(job: &Job, sql: &str, most: Option<usize>) -> Result<QueryRows> {
    if sql.trim().is_empty() {
        bail!("the query is empty");
    }
    Ok(query::stream_query(job, sql, most).await?)
}

async fn rows(job: Job, sql: String, most: usize) -> Result<ResultRows> {
    // With one row more, it is known whether rows are cut off.
    let mut rows = started(&job, &sql, Some(most.saturating_add(1))).await?;
    let columns = rows.schema();
    let column = |field: &arrow::datatypes::FieldRef| ResultColumn {
        name: field.name().clone(),
        is_number: field.data_type().is_numeric(),
    };
    let mut result = ResultRows {
        columns: columns.fields().iter().map(column).collect(),
        ..ResultRows::default()
    };
    let mut bytes = 0;
    while let Some(batch) = rows.next().await {
        if let Some(cut) = add(&mut result.rows, &mut bytes, &batch?, most)? {
            result.cut = Some(cut);
            break;
        }
    }
    Ok(result)
}

/// Adds the rows of a batch, up to a limit. Returns the limit.
fn add(
    rows: &mut Vec<Vec<Value>>,
    bytes: &mut usize,
    batch: &RecordBatch,
    most: usize,
) -> Result<Option<Cut>> {
    let options = FormatOptions::default();
    let columns: Vec<_> = (batch.columns().iter())
        .map(|column| {
            let values = ArrayFormatter::try_new(column, &options)?;
            Ok((column.logical_nulls(), values))
        })
        .collect::<Result<_>>()?;
    for row in 0..batch.num_rows() {
        if rows.len() == most {
            return Ok(Some(Cut::Rows));
        }
        if *bytes > MAX_RESULT_BYTES {
            return Ok(Some(Cut::Bytes));
        }
        let values = columns.iter().map(|(nulls, values)| {
            if nulls.as_ref().is_some_and(|nulls| nulls.is_null(row)) {
                return Value::Null;
            }
            let mut text = Bounded::default();
            // The only error is that of the limit: the types of columns can be shown.
            match write!(text, "{}", values.value(row)) {
                Ok(()) => Value::Text(text.0),
                Err(fmt::Error) => Value::Beginning(text.0),
            }
        });
        let values: Vec<Value> = values.collect();
        *bytes += values.iter().map(length).sum::<usize>();
        rows.push(values);
    }
    Ok(None)
}

/// The bytes of a value, with those of its cell.
fn length(value: &Value) -> usize {
    const CELL: usize = 32;
    match value {
        Value::Null => CELL,
        Value::Text(text) | Value::Beginning(text) => CELL + text.len(),
    }
}

/// The beginning of a text.
#[derive(Default)]
struct Bounded(String);

impl Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = MAX_VALUE_BYTES - self.0.len();
        if text.len() <= room {
            self.0.push_str(text);
            return Ok(());
        }
        let end = text.floor_char_boundary(room);
        self.0.push_str(&text[..end]);
        Err(fmt::Error)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, Int64Array, StringArray};

    use super::*;

    fn added(texts: Vec<Option<String>>, most: usize) -> (Vec<Vec<Value>>, Option<Cut>) {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
        let texts: ArrayRef = Arc::new(StringArray::from(texts));
        let batch = RecordBatch::try_from_iter([("number", numbers), ("text", texts)]).unwrap();
        let mut rows = Vec::new();
        let cut = add(&mut rows, &mut 0, &batch, most).unwrap();
        (rows, cut)
    }

    #[test]
    fn rows_above_the_limit_are_cut_off() {
        let texts = || vec![Some("a".to_owned()), None];
        let (rows, cut) = added(texts(), 2);
        let text = |text: &str| Value::Text(text.to_owned());
        assert_eq!(rows, [[text("0"), text("a")], [text("1"), Value::Null]]);
        assert_eq!(cut, None);
        let (rows, cut) = added(texts(), 1);
        assert_eq!((rows.len(), cut), (1, Some(Cut::Rows)));
    }

    #[test]
    fn long_values_and_large_pages_are_cut_at_characters() {
        let long = || Some("é".repeat(MAX_VALUE_BYTES));
        let (rows, cut) = added(vec![long(); 5000], 10_000);
        assert_eq!(cut, Some(Cut::Bytes));
        assert!(rows.len() > 1000 && rows.len() < 5000, "{}", rows.len());
        let beginning = Value::Beginning("é".repeat(MAX_VALUE_BYTES / 2));
        assert_eq!(rows[0][1], beginning);
    }
}
