//! Rows of many partitions, mixed, into one file each.

use std::collections::BTreeMap;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, Date32Array, RecordBatch, StringArray, new_null_array};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tables::{Location, Output, Partitioning, SinkSize, Table};

/// 2011-10-24.
const FIRST_DAY: i32 = 15_271;

/// Rows of these days, whose details are their numbers from `first` on.
fn rows(days: &[i32], first: usize) -> RecordBatch {
    let schema = Table::Quarantine.schema(Partitioning::Day);
    let details = (first..first + days.len()).map(|row| row.to_string());
    let details: ArrayRef = Arc::new(StringArray::from_iter_values(details));
    let columns = (schema.fields().iter())
        .map(|field| -> ArrayRef {
            match field.name().as_str() {
                "date" => Arc::new(Date32Array::from(days.to_vec())),
                "source" | "reason" | "detail" => Arc::clone(&details),
                _ => new_null_array(field.data_type(), days.len()),
            }
        })
        .collect();
    RecordBatch::try_new(schema, columns).expect("rows of the table")
}

/// The rows of every file, by the folder of its partition.
fn files(folder: &Path, adds: &[String]) -> BTreeMap<String, Vec<Vec<usize>>> {
    let mut files: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for add in adds {
        let path = add.split("\"path\":\"").nth(1).expect("a path");
        let path = path.split('"').next().expect("its end");
        let file = std::fs::File::open(folder.join("quarantine").join(path)).expect("a file");
        let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
        let batches = reader.build().expect("a reader");
        let rows = batches.flat_map(|batch| {
            let batch = batch.expect("rows");
            let details = batch.column_by_name("detail").expect("the column");
            let rows: Vec<usize> = (details.as_string::<i32>().iter())
                .map(|detail| detail.and_then(|row| row.parse().ok()).expect("a number"))
                .collect();
            rows
        });
        let partition = path.split('/').next().expect("its folder");
        let files = files.entry(partition.to_owned()).or_default();
        files.push(rows.collect());
    }
    files
}

/// Writes 3,000 rows of 60 days, the first of which has half of them, in batches of 50;
/// gives the rows of each file and those expected.
async fn written(
    partitioning: Partitioning,
    waiting_bytes: usize,
) -> [BTreeMap<String, Vec<Vec<usize>>>; 2] {
    let folder = tempfile::tempdir().expect("a folder");
    let location = Location::parse(&folder.path().to_string_lossy()).expect("a path");
    let output = Output::new(location, partitioning, NonZeroU64::MAX);
    let size = SinkSize {
        waiting_bytes,
        ..SinkSize::default()
    };
    let mut sink = output.sink(Table::Quarantine, size);
    let mut expected: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for first in (0..3_000).step_by(50) {
        let rows_of: Vec<usize> = (first..first + 50).collect();
        let day = |row: &usize| FIRST_DAY + [0, (row * 7 % 60) as i32][row % 2];
        let days: Vec<i32> = rows_of.iter().map(day).collect();
        for (row, day) in rows_of.iter().zip(&days) {
            let value = partitioning.value(tables::date_from_days(*day));
            let partition = format!("{}={value}", partitioning.column());
            let files = expected.entry(partition).or_insert(vec![Vec::new()]);
            files[0].push(*row);
        }
        let batch = rows(&days, first);
        sink.write(&batch).await.expect("a store that works");
    }
    let adds = sink.close().await.expect("a store that works");
    [files(folder.path(), &adds), expected]
}

#[tokio::test]
async fn every_partition_has_one_file_with_its_rows_in_their_order() {
    for partitioning in [Partitioning::Day, Partitioning::Month] {
        // None wait, some do, all do.
        for waiting_bytes in [0, 20_000, 32 << 20] {
            let [found, expected] = written(partitioning, waiting_bytes).await;
            assert_eq!(found, expected, "{partitioning:?}, {waiting_bytes}");
        }
    }
}
