//! Rows of the `runs` table: the run, request and settings of each date.

use arrow::array::{ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Date32Type, Int64Type, TimeUnit, TimestampMicrosecondType};
use chrono::NaiveDate;
use datafusion::error::DataFusionError;
use tables::date_from_days;

/// Sums of the counts in the `runs` table.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    /// Rows of the archive.
    pub archive_rows: u64,
    /// Pages in `documents`.
    pub unique_pages: u64,
    /// Rows that are duplicates.
    pub duplicates: u64,
    /// Duplicates with new text.
    pub revisions: u64,
    /// Rows with a blocklisted URL.
    pub blocklisted: u64,
    /// Rows that could not be processed.
    pub quarantined: u64,
    /// Objects that could not be opened.
    pub unreadable_objects: u64,
    /// Bytes of HTML read.
    pub html_bytes: u64,
    /// Bytes of text written.
    pub text_bytes: u64,
}

/// A row of the `runs` table.
#[derive(Debug, Clone, Default)]
pub struct RunDate {
    /// The date.
    pub date: NaiveDate,
    /// The run that wrote the date.
    pub run_id: String,
    /// Digest of the request: dates, settings, version and objects of the archive.
    pub request: String,
    /// Digest of the settings that decide rows.
    pub settings: String,
    /// Start of the run in microseconds since 1970, UTC.
    pub started_micros: i64,
    /// Objects of the archive with rows of the date.
    pub objects: u64,
    /// Counts of the date.
    pub counts: Counts,
    /// Most memory of the process in bytes. `None` where it is not known.
    pub peak_memory: Option<u64>,
    /// Bytes that the chunk of the date spilled. `None` in rows of earlier versions.
    pub spilled_bytes: Option<u64>,
}

/// Returns the rows of `batch`, a batch of the `runs` table.
pub(crate) fn run_dates(batch: &RecordBatch) -> Result<Vec<RunDate>, DataFusionError> {
    let column = |name: &str, as_type: &DataType| {
        let column = batch.column_by_name(name).ok_or_else(|| {
            DataFusionError::Execution(format!("table `runs` has no column `{name}`"))
        })?;
        Ok::<_, DataFusionError>(cast(column, as_type)?)
    };
    let micros = DataType::Timestamp(TimeUnit::Microsecond, None);
    let dates = column("date", &DataType::Date32)?;
    let run_ids = column("run_id", &DataType::Utf8)?;
    let requests = column("request_digest", &DataType::Utf8)?;
    let settings = column("settings_digest", &DataType::Utf8)?;
    let started = column("started_at", &micros)?;
    let objects = counts(column("objects", &DataType::Int64)?, "objects")?;
    let mut runs: Vec<RunDate> = (0..batch.num_rows())
        .map(|row| RunDate {
            date: date_from_days(dates.as_primitive::<Date32Type>().value(row)),
            run_id: run_ids.as_string::<i32>().value(row).to_owned(),
            request: requests.as_string::<i32>().value(row).to_owned(),
            settings: settings.as_string::<i32>().value(row).to_owned(),
            objects: objects[row],
            started_micros: started
                .as_primitive::<TimestampMicrosecondType>()
                .value(row),
            ..RunDate::default()
        })
        .collect();
    for (name, field) in OPTIONAL_COLUMNS {
        let Some(numbers) = batch.column_by_name(name) else {
            continue;
        };
        let numbers = cast(numbers, &DataType::Int64)?;
        let numbers = numbers.as_primitive::<Int64Type>().iter();
        for (run, number) in runs.iter_mut().zip(numbers) {
            *field(run) = number.map(|number| count(Some(number), name)).transpose()?;
        }
    }
    for (name, field) in Counts::COLUMNS {
        let numbers = counts(column(name, &DataType::Int64)?, name)?;
        for (run, number) in runs.iter_mut().zip(numbers) {
            *field(&mut run.counts) = number;
        }
    }
    Ok(runs)
}

type OptionalField = fn(&mut RunDate) -> &mut Option<u64>;

/// Columns that rows of earlier versions do not have.
const OPTIONAL_COLUMNS: [(&str, OptionalField); 2] = [
    ("peak_memory_bytes", |run| &mut run.peak_memory),
    ("spilled_bytes", |run| &mut run.spilled_bytes),
];

/// Returns the numbers of `column`, which are counts.
fn counts(column: ArrayRef, name: &str) -> Result<Vec<u64>, DataFusionError> {
    let numbers = column.as_primitive::<Int64Type>().iter();
    numbers.map(|number| count(number, name)).collect()
}

fn count(number: Option<i64>, name: &str) -> Result<u64, DataFusionError> {
    let count = number.and_then(|number| u64::try_from(number).ok());
    count.ok_or_else(|| {
        DataFusionError::Execution(format!(
            "table `runs`: column `{name}` has {number:?}, expected a count; run the dates again"
        ))
    })
}

type Field = fn(&mut Counts) -> &mut u64;

impl Counts {
    const COLUMNS: [(&str, Field); 9] = [
        ("archive_rows", |counts| &mut counts.archive_rows),
        ("unique_pages", |counts| &mut counts.unique_pages),
        ("duplicates", |counts| &mut counts.duplicates),
        ("revisions", |counts| &mut counts.revisions),
        ("blocklisted", |counts| &mut counts.blocklisted),
        ("quarantined", |counts| &mut counts.quarantined),
        ("unreadable_objects", |counts| {
            &mut counts.unreadable_objects
        }),
        ("html_bytes", |counts| &mut counts.html_bytes),
        ("text_bytes", |counts| &mut counts.text_bytes),
    ];

    /// Adds the counts of another date.
    pub fn add(&mut self, mut other: Self) {
        for (_, field) in Self::COLUMNS {
            *field(self) += *field(&mut other);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::Int64Array;
    use tables::{Partitioning, Table};

    use super::*;

    /// A batch of `runs` with one row, whose column `name` has `number`.
    fn batch(name: &str, number: Option<i64>) -> RecordBatch {
        let schema = Table::Runs.schema(Partitioning::Day);
        let fields = schema.fields().iter();
        let fields: Vec<_> = fields
            .map(|field| field.as_ref().clone().with_nullable(true))
            .collect();
        let columns = fields.iter().map(|field| -> ArrayRef {
            let number = if field.name() == name {
                number
            } else {
                Some(1)
            };
            match field.data_type() {
                DataType::Utf8 => Arc::new(arrow::array::StringArray::from(vec!["x"])),
                data_type => cast(&Int64Array::from(vec![number]), data_type).unwrap(),
            }
        });
        let columns = columns.collect();
        RecordBatch::try_new(Arc::new(arrow::datatypes::Schema::new(fields)), columns).unwrap()
    }

    #[test]
    fn a_count_that_is_missing_or_negative_is_an_error() {
        let rows = run_dates(&batch("archive_rows", Some(7))).unwrap();
        assert_eq!(rows[0].counts.archive_rows, 7);
        for (name, number) in [
            ("archive_rows", None),
            ("unique_pages", Some(-1)),
            ("objects", None),
        ] {
            let error = run_dates(&batch(name, number)).unwrap_err().to_string();
            assert!(error.contains(&format!("column `{name}`")), "{error}");
        }
    }
}
