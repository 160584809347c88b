//! Jobs, archives and rows for the tests of the plan.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, BinaryArray, Date32Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt64Array, new_null_array,
};
use arrow::compute::concat_batches;
use arrow::datatypes::{DataType, SchemaRef};
use chrono::{DateTime, NaiveDate};
use datafusion::error::Result;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::prelude::SessionContext;
use futures::TryStreamExt;
use parquet::arrow::ArrowWriter;
use parquet::file::properties::WriterProperties;
use tables::days_from_date;
use tempfile::TempDir;

use crate::job::Job;
use crate::plan::columns::page::Pages;
use crate::plan::columns::schemas::{self, RecordBatchExt};
use crate::plan::columns::status::Status;
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::Step;
use crate::spec::{JobSpec, PaperSpec};

/// A temporary directory with an archive and the tables of a job.
pub(crate) struct TestJob {
    folder: TempDir,
    settings: Vec<String>,
}

impl TestJob {
    /// A job with an empty archive; each setting is `KEY=VALUE`.
    pub(crate) fn new(settings: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("archive")).unwrap();
        // Sizes in plans depend on both.
        let fixed = ["run.threads=2", "run.memory_limit=1GiB"];
        let settings = fixed.iter().chain(settings).copied().map(str::to_owned);
        Self {
            settings: PaperSpec::beside_template(settings.collect()),
            folder,
        }
    }

    /// The job with one more setting.
    pub(crate) fn with_setting(mut self, setting: &str) -> Self {
        self.settings.push(setting.to_owned());
        self
    }

    /// Writes an archive object, in row groups of `rows_per_group` rows.
    pub(crate) fn write_object(&self, name: &str, rows: &[ArchiveRow], rows_per_group: usize) {
        let batch = archive_batch(rows);
        let properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(rows_per_group))
            .build();
        let file = File::create(self.object(name)).unwrap();
        let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
        writer.write(&batch).unwrap();
        writer.close().unwrap();
    }

    /// The path of an archive object.
    pub(crate) fn object(&self, name: &str) -> PathBuf {
        self.folder.path().join("archive").join(name)
    }

    /// The path of the temporary directory.
    pub(crate) fn path(&self) -> String {
        self.folder.path().display().to_string()
    }

    pub(crate) fn job(&self) -> Job {
        let file = self.folder.path().join("job.toml");
        let locations = format!(
            "archive.location = '{0}/archive'\noutput.location = '{0}/tables'\n",
            self.path()
        );
        std::fs::write(&file, locations).unwrap();
        Job::new(&JobSpec::read(&file, &self.settings).unwrap()).unwrap()
    }

    /// The row that the scan needs to read `row_group` of an object.
    pub(crate) fn row_group(&self, object: &str, row_group: i32) -> TestRow {
        let bytes = std::fs::metadata(self.object(object)).unwrap().len();
        TestRow::default()
            .with("source", object)
            .with("object_bytes", bytes as i64)
            .with("row_group", i64::from(row_group))
            .with("fallback_date", days("2011-10-01"))
    }
}

/// One row of an archive object.
#[derive(Debug, Clone, Default)]
pub(crate) struct ArchiveRow {
    pub(crate) fetched_at: Option<i64>,
    pub(crate) url: Option<String>,
    pub(crate) request_url: Option<String>,
    pub(crate) html: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) http_status: Option<i32>,
}

impl ArchiveRow {
    /// A page; `time` is `2011-10-24T12:00:00`.
    pub(crate) fn page(time: &str, url: &str, html: &str) -> Self {
        Self {
            fetched_at: Some(micros(time)),
            url: Some(url.to_owned()),
            html: Some(html.to_owned()),
            ..Self::default()
        }
    }
}

fn archive_batch(rows: &[ArchiveRow]) -> RecordBatch {
    let text = |value: fn(&ArchiveRow) -> &Option<String>| -> ArrayRef {
        let values = rows.iter().map(|row| value(row).as_deref());
        Arc::new(values.collect::<StringArray>())
    };
    let times: TimestampMicrosecondArray = rows.iter().map(|row| row.fetched_at).collect();
    let html: BinaryArray = rows
        .iter()
        .map(|row| row.html.as_deref().map(str::as_bytes))
        .collect();
    let statuses: Int32Array = rows.iter().map(|row| row.http_status).collect();
    let columns: [(&str, ArrayRef, bool); 6] = [
        ("fetched_at", Arc::new(times.with_timezone("UTC")), true),
        ("url", text(|row| &row.url), true),
        ("request_url", text(|row| &row.request_url), true),
        ("html", Arc::new(html), true),
        ("content_type", text(|row| &row.content_type), true),
        ("http_status", Arc::new(statuses), true),
    ];
    RecordBatch::try_from_iter_with_nullable(columns).unwrap()
}

/// Microseconds since 1970 of a UTC time such as `2011-10-24T12:00:00`.
pub(crate) fn micros(time: &str) -> i64 {
    let time = DateTime::parse_from_rfc3339(&format!("{time}Z")).unwrap();
    time.timestamp_micros()
}

/// Days since 1970 of a date.
pub(crate) fn days(date: &str) -> i64 {
    days_from_date(date.parse::<NaiveDate>().unwrap()).into()
}

/// The value of one column of a [`TestRow`].
#[derive(Debug, Clone)]
pub(crate) enum Cell {
    Text(String),
    Number(i64),
    Bytes(Vec<u8>),
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<Vec<u8>> for Cell {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

/// One row between two steps. Columns without a value are null.
#[derive(Debug, Clone, Default)]
pub(crate) struct TestRow(BTreeMap<&'static str, Cell>);

impl TestRow {
    pub(crate) fn with(mut self, column: &'static str, value: impl Into<Cell>) -> Self {
        self.0.insert(column, value.into());
        self
    }
}

/// `rows` as a batch with the columns of `schema`.
pub(crate) fn batch(schema: &SchemaRef, rows: &[TestRow]) -> RecordBatch {
    let columns = schema
        .fields()
        .iter()
        .map(|field| column(field.name(), field.data_type(), rows))
        .collect();
    RecordBatch::try_new(Arc::clone(schema), columns).unwrap()
}

fn column(name: &str, data_type: &DataType, rows: &[TestRow]) -> ArrayRef {
    let cells = || rows.iter().map(|row| row.0.get(name));
    let numbers = || {
        cells().map(|cell| match cell {
            Some(Cell::Number(number)) => Some(*number),
            Some(Cell::Text(status)) if name == "status" => Some(number_of(status)),
            None => None,
            Some(other) => panic!("{name}: {other:?} is not a number"),
        })
    };
    let small = || numbers().map(|number| number.map(|number| i32::try_from(number).unwrap()));
    match data_type {
        DataType::Utf8 => Arc::new(
            cells()
                .map(|cell| match cell {
                    Some(Cell::Text(text)) => Some(text.as_str()),
                    None => None,
                    Some(other) => panic!("{name}: {other:?} is not text"),
                })
                .collect::<StringArray>(),
        ),
        DataType::Binary => Arc::new(
            cells()
                .map(|cell| match cell {
                    Some(Cell::Bytes(bytes)) => Some(bytes.as_slice()),
                    None => None,
                    Some(other) => panic!("{name}: {other:?} is not bytes"),
                })
                .collect::<BinaryArray>(),
        ),
        DataType::Int32 => Arc::new(small().collect::<Int32Array>()),
        DataType::Date32 => Arc::new(small().collect::<Date32Array>()),
        DataType::Int64 => Arc::new(numbers().collect::<Int64Array>()),
        DataType::UInt64 => {
            let numbers = numbers().map(|number| number.map(i64::cast_unsigned));
            Arc::new(numbers.collect::<UInt64Array>())
        }
        DataType::Timestamp(..) => {
            let times: TimestampMicrosecondArray = numbers().collect();
            Arc::new(times.with_timezone("UTC"))
        }
        other => new_null_array(other, rows.len()),
    }
}

/// The number of the status with this name.
fn number_of(status: &str) -> i64 {
    let is_it = |(_, name)| name == status;
    Status::ALL.into_iter().position(is_it).unwrap() as i64
}

/// The names of the statuses of rows.
pub(crate) fn statuses(rows: &RecordBatch) -> Vec<&'static str> {
    let statuses = rows.statuses().unwrap();
    let name = |row| statuses.get(row).unwrap().as_str();
    (0..rows.num_rows()).map(name).collect()
}

/// The texts of the blocks of each page, separated by `|`; `-` for a row without them.
pub(crate) fn page_texts(rows: &RecordBatch) -> Vec<String> {
    let pages = Pages(rows.bytes("page").unwrap());
    let page = |row| pages.rest(row).unwrap();
    let text = |row| page(row).map_or("-".to_owned(), |page| page.texts.join("|"));
    (0..rows.num_rows()).map(text).collect()
}

/// Runs one partition of `step` on `input` and collects its output as one batch.
pub(crate) async fn run(step: &dyn Step, input: Vec<RecordBatch>) -> Result<RecordBatch> {
    let schema = input[0].schema();
    let input = futures::stream::iter(input.into_iter().map(Ok));
    let input = Box::pin(RecordBatchStreamAdapter::new(schema, input));
    let context = SessionContext::new().task_ctx();
    let output = step.run(input, &context, &CpuTimer::default())?;
    let batches: Vec<RecordBatch> = output.try_collect().await?;
    Ok(concat_batches(&step.schema(), &batches)?)
}

/// Sorts the rows as `step` requires of its input.
pub(crate) fn sorted_for(step: &dyn Step, rows: &RecordBatch) -> RecordBatch {
    sorted_by(step.required_ordering(), rows)
}

/// Sorts the rows by these columns.
pub(crate) fn sorted_by(columns: &[&str], rows: &RecordBatch) -> RecordBatch {
    schemas::sorted_by(columns, rows).unwrap()
}

/// The values of a text column, `-` for null.
pub(crate) fn texts<'a>(rows: &'a RecordBatch, column: &str) -> Vec<&'a str> {
    let values = rows.text(column).unwrap();
    values.iter().map(|value| value.unwrap_or("-")).collect()
}

/// The values of a 64-bit column.
pub(crate) fn numbers(rows: &RecordBatch, column: &str) -> Vec<Option<i64>> {
    let values = rows.numbers::<arrow::datatypes::Int64Type>(column).unwrap();
    values.iter().collect()
}

/// Whether each value of a column is null.
pub(crate) fn nulls(rows: &RecordBatch, column: &str) -> Vec<bool> {
    let array = rows.column_by_name(column).unwrap();
    (0..rows.num_rows()).map(|row| array.is_null(row)).collect()
}
