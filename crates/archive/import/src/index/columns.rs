//! The columnar index of Common Crawl: Parquet with one row per record.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Int64Type, TimeUnit, TimestampMicrosecondType};
use boundary::guarded_future;
use crawl_index::{KeyRange, Record};
use futures::StreamExt;
use parquet::arrow::arrow_reader::ArrowReaderOptions;
use parquet::arrow::{ParquetRecordBatchStreamBuilder, ProjectionMask};
use parquet::file::metadata::RowGroupMetaData;
use tables::Location;

use crate::error::ImportError;
use crate::index::chooser::{Chooser, Origin};
use crate::pages::parquet_rows::{Object, failed, panicked};

/// The columns that are read. The first four are needed.
const COLUMNS: [&str; 9] = [
    "url",
    "warc_filename",
    "warc_record_offset",
    "warc_record_length",
    "fetch_time",
    "fetch_status",
    "content_digest",
    "content_mime_type",
    "content_mime_detected",
];
const NEEDED: usize = 4;
/// The column that the files are sorted by. Its statistics say which keys a row group has.
const KEY: &str = "url_surtkey";
/// Rows that are decoded at a time.
const BATCH_ROWS: usize = 8192;

/// Reads the chosen rows of an object with `bytes` bytes. Row groups whose keys are outside of `ranges` are not read.
pub(crate) async fn read(
    location: &Location,
    bytes: u64,
    ranges: &[KeyRange],
    origin: &Origin,
    mut chooser: Chooser,
) -> Result<Chooser, ImportError> {
    let problem = |problem: String| ImportError::Index {
        index: origin.index.clone(),
        problem,
    };
    let object = Object {
        store: Arc::clone(location.store()),
        path: location.path().clone(),
        bytes,
    };
    // A dictionary or a view of a writer is a plain column without its Arrow schema.
    let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let builder = ParquetRecordBatchStreamBuilder::new_with_options(object, options);
    let builder = guarded_future("Parquet", builder).await;
    let builder = builder.map_err(|panic| problem(panicked(panic).to_string()))?;
    let builder = builder.map_err(|error| problem(failed(error).to_string()))?;
    let fields = builder.schema().fields();
    let positions = COLUMNS.map(|name| fields.iter().position(|field| field.name() == name));
    if let Some(missing) = positions[..NEEDED].iter().position(Option::is_none) {
        let missing = COLUMNS[missing];
        return Err(problem(format!("it has no column {missing}")));
    }
    let groups = builder.metadata().row_groups().iter().enumerate();
    let groups = groups.filter(|(_, group)| may_have(group, ranges));
    let groups: Vec<usize> = groups.map(|(number, _)| number).collect();
    let mask = ProjectionMask::roots(builder.parquet_schema(), positions.into_iter().flatten());
    let stream = builder
        .with_projection(mask)
        .with_row_groups(groups)
        .with_batch_size(BATCH_ROWS)
        .build();
    let mut stream = stream.map_err(|error| problem(failed(error).to_string()))?;
    loop {
        let next = guarded_future("Parquet", stream.next()).await;
        let next = next.map_err(|panic| problem(panicked(panic).to_string()))?;
        let Some(batch) = next else {
            return Ok(chooser);
        };
        let batch = batch.map_err(|error| problem(failed(error).to_string()))?;
        let rows = Rows::of(&batch).map_err(|name| {
            problem(format!(
                "its column {name} has another type than that of Common Crawl"
            ))
        })?;
        for row in 0..batch.num_rows() {
            chooser.record(rows.record(row), origin);
        }
    }
}

/// Whether a row group may have keys of `ranges`, by its statistics.
fn may_have(group: &RowGroupMetaData, ranges: &[KeyRange]) -> bool {
    let key = (group.columns().iter()).find(|column| column.column_path().string() == KEY);
    let statistics = key.and_then(|column| column.statistics());
    let bounds =
        statistics.and_then(|found| Some((found.min_bytes_opt()?, found.max_bytes_opt()?)));
    bounds.is_none_or(|(min, max)| {
        let overlaps =
            |range: &KeyRange| range.start.as_bytes() <= max && min < range.end.as_bytes();
        ranges.iter().any(overlaps)
    })
}

/// The columns of some rows.
struct Rows([Option<ArrayRef>; COLUMNS.len()]);

impl Rows {
    /// # Errors
    /// The name of a column of another type.
    fn of(batch: &RecordBatch) -> Result<Self, &'static str> {
        let mut columns = [const { None }; COLUMNS.len()];
        for (column, name) in columns.iter_mut().zip(COLUMNS) {
            let Some(array) = batch.column_by_name(name) else {
                continue;
            };
            let to = match name {
                "warc_record_offset" | "warc_record_length" | "fetch_status" => DataType::Int64,
                "fetch_time" => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
                _ => DataType::Utf8,
            };
            *column = Some(cast(array, &to).map_err(|_| name)?);
        }
        Ok(Self(columns))
    }

    fn record(&self, row: usize) -> Record {
        let array = |column: usize| self.0[column].as_ref().filter(|array| array.is_valid(row));
        let text = |column| {
            let text = array(column)?.as_string::<i32>().value(row);
            (!text.is_empty()).then(|| text.to_owned())
        };
        let number = |column| Some(array(column)?.as_primitive::<Int64Type>().value(row));
        let micros =
            array(4).map(|times| times.as_primitive::<TimestampMicrosecondType>().value(row));
        let detected = text(8).filter(|detected| warc::is_html(Some(detected)) == Some(true));
        Record {
            url: text(0),
            file: text(1),
            offset: number(2).and_then(|number| u64::try_from(number).ok()),
            length: number(3).and_then(|number| u64::try_from(number).ok()),
            time: micros.map(|micros| micros.div_euclid(1_000_000)),
            status: number(5).and_then(|number| u16::try_from(number).ok()),
            digest: text(6),
            mime: detected.or_else(|| text(7)).or_else(|| text(8)),
        }
    }
}
