//! Step 0: reads the narrow columns of archive rows, and their positions.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Date32Builder, Int32Array, Int64Array, RecordBatch,
    RecordBatchOptions, StringArray, StringBuilder, TimestampMicrosecondArray,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{
    Date32Type, Int32Type, Int64Type, Schema, SchemaRef, TimestampMicrosecondType, UInt64Type,
};
use chrono::NaiveDate;
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use import::site_hash;
use site_replay::{ResponseProblem, response_problem};
use tables::{Bucket, DateRange, Reason, date_from_days, days_from_date};

use crate::archive::{
    ArchiveSource, DateRules, DecodedColumns, ObjectColumn, ObjectState, OpenObject, ReadAhead,
    RowGroupRequest, RowGroupRows, date_of_time,
};
use crate::job::Job;
use crate::plan::columns::schemas::{RecordBatchExt, SCANNED, object_of, project_to, value_opt};
use crate::plan::exec::cpu_metrics::CpuTimer;
use crate::plan::exec::step::{BatchSender, Step, spawn_stream, to_bytes};
use crate::settings::Settings;

const NARROW: [ObjectColumn; 7] = [
    ObjectColumn::FetchedAt,
    ObjectColumn::Url,
    ObjectColumn::RequestUrl,
    ObjectColumn::Title,
    ObjectColumn::ContentType,
    ObjectColumn::HttpStatus,
    ObjectColumn::Problem,
];

/// Reads the row groups in its input, without their HTML.
#[derive(Debug, Clone)]
pub(crate) struct Scan {
    pub(crate) archive: ArchiveSource,
    pub(crate) settings: Arc<Settings>,
    pub(crate) dates: DateRange,
    /// The sites whose rows are kept.
    pub(crate) bucket: Bucket,
}

/// One input row: a row group, or an object that cannot be opened.
struct ScanUnit {
    object: ObjectState,
    object_bytes: i64,
    row_group: Option<i32>,
    fallback_date: NaiveDate,
    /// The date on which all rows count, if it is known.
    known_date: Option<NaiveDate>,
    /// The site whose bucket has the rows without a site.
    owner: u64,
    read_error: Option<String>,
}

impl Scan {
    pub(crate) fn new(job: &Job, dates: DateRange, bucket: Bucket) -> Self {
        Self {
            archive: job.archive.clone(),
            settings: Arc::clone(&job.settings),
            dates,
            bucket,
        }
    }
}

impl Step for Scan {
    fn name(&self) -> &'static str {
        "Scan"
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&SCANNED)
    }

    fn parameters(&self) -> Result<Vec<u8>> {
        to_bytes(&(self.dates, self.bucket))
    }

    fn run(
        &self,
        mut input: SendableRecordBatchStream,
        context: &Arc<TaskContext>,
        timer: &CpuTimer,
    ) -> Result<SendableRecordBatchStream> {
        let scan = self.clone();
        let batch_rows = context.session_config().batch_size();
        Ok(spawn_stream(self.schema(), 2, timer, |out| async move {
            let mut ahead = ReadAhead::new(scan.archive.clone());
            while let Some(batch) = input.next().await {
                let batch = batch?;
                for row in 0..batch.num_rows() {
                    let unit = ScanUnit::read(&batch, row)?;
                    let request = unit.request(batch_rows);
                    ahead.push(unit, request);
                    if ahead.is_full() && !scan.next(&mut ahead, &out).await? {
                        return Ok(());
                    }
                }
            }
            while scan.next(&mut ahead, &out).await? {}
            Ok(())
        }))
    }
}

impl ScanUnit {
    fn read(batch: &RecordBatch, row: usize) -> Result<Self> {
        let known_date = batch.numbers::<Date32Type>("known_date")?;
        let row_group = batch.numbers::<Int32Type>("row_group")?;
        Ok(Self {
            object: object_of(batch, row)?,
            object_bytes: batch.numbers::<Int64Type>("object_bytes")?.value(row),
            row_group: row_group.is_valid(row).then(|| row_group.value(row)),
            fallback_date: date_from_days(batch.numbers::<Date32Type>("fallback_date")?.value(row)),
            known_date: known_date
                .is_valid(row)
                .then(|| date_from_days(known_date.value(row))),
            owner: batch.numbers::<UInt64Type>("owner")?.value(row),
            read_error: value_opt(batch.text("read_error")?, row).map(str::to_owned),
        })
    }

    /// Returns the request for the narrow columns, if they can be read.
    fn request(&self, batch_rows: usize) -> Option<RowGroupRequest> {
        let row_group = self.row_group.filter(|_| self.read_error.is_none())?;
        Some(RowGroupRequest {
            object: self.object.clone(),
            row_group,
            columns: Arc::from(NARROW),
            rows: None,
            batch_rows,
        })
    }

    /// Returns the columns that identify the object, for `rows` rows.
    fn object_columns(&self, rows: usize) -> [(&'static str, ArrayRef); 3] {
        let text = |text: Option<&str>| -> ArrayRef {
            Arc::new(StringArray::from_iter(std::iter::repeat_n(text, rows)))
        };
        let bytes = Int64Array::from_value(self.object_bytes, rows);
        [
            ("source", text(Some(&self.object.source))),
            ("object_bytes", Arc::new(bytes)),
            ("object_version", text(self.object.version.as_deref())),
        ]
    }
}

/// Sends a batch to the next step. Returns `false` if that step has stopped.
async fn send(out: &BatchSender, batch: RecordBatch) -> bool {
    out.send(Ok(batch)).await.is_ok()
}

impl Scan {
    /// Sends the rows of the next unit. Returns `false` if there is none, or if the next step has
    /// stopped.
    async fn next(&self, ahead: &mut ReadAhead<ScanUnit>, out: &BatchSender) -> Result<bool> {
        match ahead.next().await? {
            None => Ok(false),
            Some((unit, None)) => Ok(send(out, self.unreadable(&unit).await?).await),
            Some((unit, Some((object, rows)))) => {
                let Some(row_group) = unit.row_group else {
                    return internal_err!("rows of {} without a row group", unit.object.source);
                };
                self.send_rows(&unit, row_group, (&object, rows), out).await
            }
        }
    }

    /// Returns the rows of an object that cannot be opened, or of a row group whose times the
    /// census could not read and counted on the fallback date.
    async fn unreadable(&self, unit: &ScanUnit) -> Result<RecordBatch> {
        let (Some(row_group), Some(problem)) = (unit.row_group, &unit.read_error) else {
            return self.unreadable_object(unit);
        };
        let object = self.archive.open(&unit.object).await?;
        let group = object.row_group(row_group)?;
        let rows = (group.first_row..).take(group.rows);
        self.unreadable_rows(unit, rows.map(|row| (row, None)).collect(), problem)
    }

    /// Sends the rows of a row group. Returns `false` if the next step has stopped.
    async fn send_rows(
        &self,
        unit: &ScanUnit,
        row_group: i32,
        (object, rows): (&OpenObject, RowGroupRows),
        out: &BatchSender,
    ) -> Result<bool> {
        let group = object.row_group(row_group)?;
        let mut next = group.first_row;
        let mut failed = None;
        for batch in rows {
            let columns = match batch.and_then(|batch| object.columns(&batch)) {
                Err(error) => {
                    failed = Some(error);
                    break;
                }
                Ok(columns) => columns,
            };
            let batch = self.rows(unit, row_group, next, &columns)?;
            next += columns.rows() as i64;
            if !send(out, batch).await {
                return Ok(false);
            }
        }
        let Some(error) = failed else { return Ok(true) };
        let error = object.decode_error(error)?;
        let times = match object.times(group.index).await {
            Ok(times) => times,
            // The census did not need them.
            Err(error) if unit.known_date.is_some() => {
                object.decode_error(error)?;
                vec![None; group.rows]
            }
            Err(error) => return Err(error.into()),
        };
        let rows = (group.first_row..)
            .zip(times)
            .filter(|(row, _)| *row >= next);
        let rows = self.unreadable_rows(unit, rows.collect(), &error.to_string())?;
        Ok(send(out, rows).await)
    }

    fn rows(
        &self,
        unit: &ScanUnit,
        row_group: i32,
        first: i64,
        columns: &DecodedColumns,
    ) -> Result<RecordBatch> {
        let rows = columns.rows();
        let null_text = || Arc::new(StringArray::new_null(rows)) as ArrayRef;
        let text = |column| columns.get(column).cloned().unwrap_or_else(null_text);
        let times = match columns.get(ObjectColumn::FetchedAt) {
            Some(times) => Arc::clone(times),
            None => arrow::array::new_null_array(
                SCANNED.field_with_name("fetched_at")?.data_type(),
                rows,
            ),
        };
        let micros = times.as_primitive::<TimestampMicrosecondType>();
        let rules = self.rules(unit);
        let content_types = text(ObjectColumn::ContentType);
        let content_types = content_types.as_string::<i32>();
        let statuses = columns.get(ObjectColumn::HttpStatus);
        let statuses = statuses.map(|array| array.as_primitive::<Int32Type>());
        let mut dates = Date32Builder::with_capacity(rows);
        let mut reasons = StringBuilder::new();
        let mut details = StringBuilder::new();
        for row in 0..rows {
            let time = micros.is_valid(row).then(|| micros.value(row));
            let (date, wrong) = rules.date(time);
            dates.append_value(days_from_date(date));
            let status = statuses.and_then(|array| array.is_valid(row).then(|| array.value(row)));
            let problem = broken_record(columns, row)
                .or_else(|| wrong.map(|reason| (reason, self.time_detail(reason, unit, time))))
                .or_else(|| http_problem(status, value_opt(content_types, row)))
                .or_else(|| url_problem(columns, row));
            reasons.append_option(problem.as_ref().map(|(reason, _)| reason.code()));
            details.append_option(problem.map(|(_, detail)| detail));
        }
        // A time that cannot be is in the detail only: readers of tables have no date for some.
        let possible: TimestampMicrosecondArray =
            micros.unary_opt(|time| rules.is_possible(time).then_some(time));
        let [source, object_bytes, object_version] =
            unit.object_columns(rows).map(|(_, array)| array);
        let batch = RecordBatch::try_new(
            self.schema(),
            vec![
                source,
                object_bytes,
                object_version,
                Arc::new(Int32Array::from_value(row_group, rows)),
                Arc::new(Int64Array::from_iter_values(first..first + rows as i64)),
                Arc::new(dates.finish()),
                Arc::new(possible.with_timezone("UTC")),
                text(ObjectColumn::Url),
                text(ObjectColumn::RequestUrl),
                text(ObjectColumn::Title),
                Arc::new(reasons.finish()),
                Arc::new(details.finish()),
                Arc::new(Int64Array::new_null(rows)),
            ],
        )?;
        self.in_unit(&batch, unit)
    }

    fn rules(&self, unit: &ScanUnit) -> DateRules {
        DateRules {
            possible: self.archive.possible_dates,
            fallback: unit.fallback_date,
            known: unit.known_date,
        }
    }

    fn time_detail(&self, reason: Reason, unit: &ScanUnit, time: Option<i64>) -> String {
        let date = time.map(date_of_time);
        match (reason, date, unit.known_date) {
            (Reason::WrongDate, Some(date), Some(known)) if self.archive.by_date => {
                format!("fetched_at is on {date}, the folder is for {known}")
            }
            (Reason::WrongDate, Some(date), Some(known)) => {
                format!("fetched_at is on {date}, the statistics of its row group have {known}")
            }
            (Reason::ImpossibleTime, Some(date), _) => format!(
                "fetched_at is on {date}, and archive.dates is {}",
                self.archive.possible_dates
            ),
            _ => "fetched_at is null".to_owned(),
        }
    }

    /// Keeps the rows of the dates and sites of the plan. A row group usually has others too.
    fn in_unit(&self, batch: &RecordBatch, unit: &ScanUnit) -> Result<RecordBatch> {
        let dates = batch.numbers::<Date32Type>("date")?;
        let (urls, request_urls) = (batch.text("url")?, batch.text("request_url")?);
        let is_kept = |row: usize| {
            let url = || value_opt(urls, row).or_else(|| value_opt(request_urls, row));
            self.dates.contains(date_from_days(dates.value(row)))
                && (self.bucket.is_whole() || self.bucket.has(self.site(url(), unit)))
        };
        let kept = (0..batch.num_rows()).map(|row| Some(is_kept(row)));
        Ok(filter_record_batch(batch, &kept.collect())?)
    }

    /// Returns the hash of the site of a row.
    fn site(&self, url: Option<&str>, unit: &ScanUnit) -> u64 {
        let hash = url.and_then(|url| site_hash(&self.settings.site.keyer, url));
        hash.unwrap_or(unit.owner)
    }

    fn unreadable_object(&self, unit: &ScanUnit) -> Result<RecordBatch> {
        let detail = unit.read_error.as_deref().unwrap_or("no row group");
        let bytes: ArrayRef = Arc::new(Int64Array::from_value(unit.object_bytes, 1));
        let batch = self.quarantined(
            unit,
            &[(None, None)],
            Reason::UnreadableObject,
            detail,
            vec![("bytes", bytes)],
        )?;
        self.in_unit(&batch, unit)
    }

    fn unreadable_rows(
        &self,
        unit: &ScanUnit,
        rows: Vec<(i64, Option<i64>)>,
        error: &str,
    ) -> Result<RecordBatch> {
        let detail = match (unit.row_group, rows.first()) {
            (Some(row_group), Some((first, _))) => {
                format!("row group {row_group}, from row {first}: {error}")
            }
            _ => error.to_owned(),
        };
        let rows: Vec<_> = (rows.into_iter().map(|(row, time)| (Some(row), time))).collect();
        let batch = self.quarantined(unit, &rows, Reason::UnreadableRow, &detail, Vec::new())?;
        self.in_unit(&batch, unit)
    }

    /// Builds quarantined rows of which only position and fetch time are known.
    fn quarantined(
        &self,
        unit: &ScanUnit,
        rows: &[(Option<i64>, Option<i64>)],
        reason: Reason,
        detail: &str,
        mut given: Vec<(&str, ArrayRef)>,
    ) -> Result<RecordBatch> {
        let count = rows.len();
        let repeat = |text: &str| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(
                text, count,
            )))
        };
        let rules = self.rules(unit);
        let dates = (rows.iter()).map(|(_, time)| days_from_date(rules.date(*time).0));
        let times: TimestampMicrosecondArray = rows
            .iter()
            .map(|(_, time)| time.filter(|time| rules.is_possible(*time)))
            .collect();
        let numbers = |values: Vec<Option<i64>>| -> ArrayRef { Arc::new(Int64Array::from(values)) };
        given.extend(unit.object_columns(count));
        given.extend([
            (
                "row_group",
                Arc::new(Int32Array::from(vec![unit.row_group; count])) as ArrayRef,
            ),
            ("row", numbers(rows.iter().map(|(row, _)| *row).collect())),
            ("date", Arc::new(Date32Array::from_iter_values(dates))),
            ("fetched_at", Arc::new(times.with_timezone("UTC"))),
            ("reason", repeat(reason.code())),
            ("detail", repeat(detail)),
        ]);
        let empty = RecordBatch::try_new_with_options(
            Arc::new(Schema::empty()),
            Vec::new(),
            &RecordBatchOptions::new().with_row_count(Some(count)),
        )?;
        project_to(&empty, &SCANNED, given)
    }
}

/// Returns why a record of a WARC file cannot be used.
fn broken_record(columns: &DecodedColumns, row: usize) -> Option<(Reason, String)> {
    let problem = columns.value(ObjectColumn::Problem, row)?;
    Some((Reason::UnreadableRow, problem.to_owned()))
}

/// Returns why the URL is not valid text. The response URL is used if the row has one, even if the
/// request URL is valid and the response URL is not.
fn url_problem(columns: &DecodedColumns, row: usize) -> Option<(Reason, String)> {
    let given = |column: &ObjectColumn| {
        columns
            .get(*column)
            .is_some_and(|array| array.is_valid(row))
    };
    let column = [ObjectColumn::Url, ObjectColumn::RequestUrl]
        .into_iter()
        .find(given)?;
    columns
        .is_broken(column, row)
        .then(|| (Reason::InvalidUrl, "not a URL: it is not UTF-8".to_owned()))
}

fn http_problem(status: Option<i32>, content_type: Option<&str>) -> Option<(Reason, String)> {
    let problem = response_problem(status, content_type)?;
    let reason = match problem {
        ResponseProblem::Status(_) => Reason::HttpStatus,
        ResponseProblem::ContentType(_) => Reason::ContentType,
    };
    Some((reason, problem.to_string()))
}
