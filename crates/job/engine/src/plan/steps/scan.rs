//! Step 0: reads the narrow columns of archive rows, and their positions.

use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, Date32Array, Int32Array, Int64Array, RecordBatch, StringArray,
    TimestampMicrosecondArray, UInt64Array,
};
use arrow::compute::filter_record_batch;
use arrow::datatypes::{Date32Type, Int32Type, SchemaRef, TimestampMicrosecondType, UInt64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use futures::StreamExt;
use import::site_hash;
use site_replay::{ResponseProblem, response_problem};
use tables::{Bucket, DateRange, Reason, date_from_days, days_from_date};

use crate::archive::{
    ArchiveSource, DateRules, DecodedColumns, ObjectColumn, ObjectState, ReadAhead,
    RowGroupRequest, RowGroupRows, date_of_time, decode_error,
};
use crate::job::Job;
use crate::plan::columns::column::column;
use crate::plan::columns::schemas::{RecordBatchExt, SCANNED, object_of, rows_of, urls, value_opt};
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
    row_group: Option<i32>,
    rules: DateRules,
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
                    let unit = ScanUnit::read(&batch, row, scan.archive.possible_dates)?;
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
    fn read(batch: &RecordBatch, row: usize, possible: DateRange) -> Result<Self> {
        let fallback = batch.numbers::<Date32Type>("fallback_date")?;
        let known = batch.numbers::<Date32Type>("known_date")?;
        let row_group = batch.numbers::<Int32Type>("row_group")?;
        Ok(Self {
            object: object_of(batch, row)?,
            row_group: row_group.is_valid(row).then(|| row_group.value(row)),
            rules: DateRules {
                possible,
                fallback: date_from_days(fallback.value(row)),
                known: (known.is_valid(row)).then(|| date_from_days(known.value(row))),
            },
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
}

/// Sends a batch to the next step. Returns `false` if that step has stopped.
async fn send(out: &BatchSender, batch: RecordBatch) -> bool {
    out.send(Ok(batch)).await.is_ok()
}

impl Scan {
    /// Sends the rows of the next unit. Returns `false` if there is none, or if the next step has
    /// stopped.
    async fn next(&self, ahead: &mut ReadAhead<ScanUnit>, out: &BatchSender) -> Result<bool> {
        let Some((unit, read)) = ahead.next().await? else {
            return Ok(false);
        };
        match (unit.row_group, read) {
            (Some(row_group), Some(rows)) => self.send_rows(&unit, row_group, rows, out).await,
            _ => Ok(send(out, self.unreadable(&unit).await?).await),
        }
    }

    /// Returns the rows of an object that cannot be opened, or of a row group whose times the
    /// census could not read and counted on the fallback date.
    async fn unreadable(&self, unit: &ScanUnit) -> Result<RecordBatch> {
        let (Some(row_group), Some(problem)) = (unit.row_group, &unit.read_error) else {
            let detail = unit.read_error.as_deref().unwrap_or("no row group");
            let problem = (Reason::UnreadableObject, detail);
            let bytes = Some(unit.object.bytes.cast_signed());
            return self.quarantined(unit, Int64Array::new_null(1), &[None], problem, bytes);
        };
        let object = self.archive.open(&unit.object).await?;
        let group = object.row_group(row_group)?;
        let times = std::iter::repeat_n(None, group.rows);
        self.unreadable_rows(unit, (row_group, group.first_row), times, problem)
    }

    /// Sends the rows of a row group. Returns `false` if the next step has stopped.
    async fn send_rows(
        &self,
        unit: &ScanUnit,
        row_group: i32,
        rows: RowGroupRows,
        out: &BatchSender,
    ) -> Result<bool> {
        let object = Arc::clone(&rows.object);
        let group = object.row_group(row_group)?;
        let mut next = group.first_row;
        for columns in rows {
            match columns {
                Ok(columns) => {
                    let batch = self.rows(unit, next, &columns)?;
                    next += columns.rows() as i64;
                    if !send(out, batch).await {
                        return Ok(false);
                    }
                }
                Err(error) => {
                    let error = decode_error(error)?;
                    let times = match object.times(group.index).await {
                        Ok(times) => times,
                        // The census did not need them.
                        Err(error) if unit.rules.known.is_some() => {
                            decode_error(error)?;
                            vec![None; group.rows]
                        }
                        Err(error) => return Err(error.into()),
                    };
                    let rest = times.into_iter().skip((next - group.first_row) as usize);
                    let from = (row_group, next);
                    let rows = self.unreadable_rows(unit, from, rest, &error.to_string())?;
                    return Ok(send(out, rows).await);
                }
            }
        }
        Ok(true)
    }

    fn rows(&self, unit: &ScanUnit, first: i64, columns: &DecodedColumns) -> Result<RecordBatch> {
        let Some(times) = columns.get(ObjectColumn::FetchedAt) else {
            return internal_err!("rows of {} without times", unit.object.source);
        };
        let times = times.as_primitive::<TimestampMicrosecondType>();
        let times: Vec<Option<i64>> = times.iter().collect();
        let statuses = columns.get(ObjectColumn::HttpStatus);
        let statuses = statuses.map(|array| array.as_primitive::<Int32Type>());
        let problem = |(row, time): (usize, &Option<i64>)| {
            let (_, wrong) = unit.rules.date(*time);
            let status = statuses.and_then(|array| array.is_valid(row).then(|| array.value(row)));
            let content_type = columns.value(ObjectColumn::ContentType, row);
            broken_record(columns, row)
                .or_else(|| wrong.map(|reason| (reason, self.time_detail(reason, unit, *time))))
                .or_else(|| http_problem(status, content_type))
                .or_else(|| url_problem(columns, row))
        };
        let problems: Vec<_> = times.iter().enumerate().map(problem).collect();
        let rows = Int64Array::from_iter_values((first..).take(times.len()));
        let mut given = vec![
            column("reason", &problems, |problem| {
                Some(problem.as_ref()?.0.code())
            }),
            column("detail", &problems, |problem| {
                Some(problem.as_ref()?.1.as_str())
            }),
        ];
        for column in [
            ObjectColumn::Url,
            ObjectColumn::RequestUrl,
            ObjectColumn::Title,
        ] {
            let texts = columns.get(column).cloned();
            given.extend(texts.map(|texts| (column.name(), texts)));
        }
        self.in_unit(unit, rows, &times, given)
    }

    fn time_detail(&self, reason: Reason, unit: &ScanUnit, time: Option<i64>) -> String {
        let date = time.map(date_of_time);
        match (reason, date, unit.rules.known) {
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

    /// Makes rows of a unit, and keeps those of the dates and sites of the plan. A row group usually has others too.
    fn in_unit(
        &self,
        unit: &ScanUnit,
        rows: Int64Array,
        times: &[Option<i64>],
        mut given: Vec<(&str, ArrayRef)>,
    ) -> Result<RecordBatch> {
        let count = times.len();
        let text = |text: Option<&str>| -> ArrayRef {
            Arc::new(StringArray::from_iter(std::iter::repeat_n(text, count)))
        };
        let bytes = UInt64Array::from_value(unit.object.bytes, count);
        let row_groups = Int32Array::from(vec![unit.row_group; count]);
        let dates = times
            .iter()
            .map(|time| days_from_date(unit.rules.date(*time).0));
        // A time that cannot be is in the detail only: readers of tables have no date for some.
        let times: TimestampMicrosecondArray = (times.iter())
            .map(|time| time.filter(|time| unit.rules.is_possible(*time)))
            .collect();
        given.extend([
            ("source", text(Some(&unit.object.source))),
            ("object_bytes", Arc::new(bytes)),
            ("object_version", text(unit.object.version.as_deref())),
            ("row_group", Arc::new(row_groups)),
            ("row", Arc::new(rows)),
            ("date", Arc::new(Date32Array::from_iter_values(dates))),
            ("fetched_at", Arc::new(times.with_timezone("UTC"))),
        ]);
        let batch = rows_of(&SCANNED, given)?;
        let dates = batch.numbers::<Date32Type>("date")?;
        let is_kept = |(row, url): (usize, Option<&str>)| {
            self.dates.contains(date_from_days(dates.value(row)))
                && (self.bucket.is_whole() || self.bucket.has(self.site(url, unit)))
        };
        let kept = urls(&batch)?.into_iter().enumerate();
        let kept = kept.map(|row| Some(is_kept(row))).collect();
        Ok(filter_record_batch(&batch, &kept)?)
    }

    /// Returns the hash of the site of a row.
    fn site(&self, url: Option<&str>, unit: &ScanUnit) -> u64 {
        let hash = url.and_then(|url| site_hash(&self.settings.site.keyer, url));
        hash.unwrap_or(unit.owner)
    }

    /// Returns the rows of a row group from `first` on, of which only the times are known.
    fn unreadable_rows(
        &self,
        unit: &ScanUnit,
        (row_group, first): (i32, i64),
        times: impl Iterator<Item = Option<i64>>,
        error: &str,
    ) -> Result<RecordBatch> {
        let detail = format!("row group {row_group}, from row {first}: {error}");
        let times: Vec<_> = times.collect();
        let rows = Int64Array::from_iter_values((first..).take(times.len()));
        self.quarantined(unit, rows, &times, (Reason::UnreadableRow, &detail), None)
    }

    /// Makes quarantined rows of which only position and fetch time are known.
    fn quarantined(
        &self,
        unit: &ScanUnit,
        rows: Int64Array,
        times: &[Option<i64>],
        (reason, detail): (Reason, &str),
        bytes: Option<i64>,
    ) -> Result<RecordBatch> {
        let repeat = |text: &str| -> ArrayRef {
            let texts = std::iter::repeat_n(text, times.len());
            Arc::new(StringArray::from_iter_values(texts))
        };
        let given: Vec<(&str, ArrayRef)> = vec![
            ("reason", repeat(reason.code())),
            ("detail", repeat(detail)),
            (
                "bytes",
                Arc::new(Int64Array::from(vec![bytes; times.len()])),
            ),
        ];
        self.in_unit(unit, rows, times, given)
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
    let column = [ObjectColumn::Url, ObjectColumn::RequestUrl]
        .into_iter()
        .find(|column| columns.value(*column, row).is_some())?;
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
