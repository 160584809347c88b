//! A sink writes mixed rows of many partitions to one file per partition.

use crate::common;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{ArrayRef, AsArray, RecordBatch, StringArray};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;
use tables::{MemorySpill, Partitioning, RowSpill, SinkSize, Table, date_from_days};

/// 2011-10-24.
const FIRST_DAY: i32 = 15_271;

/// Creates rows of these days whose column `detail` counts from `first`.
fn rows(days: Vec<i32>, first: usize) -> RecordBatch {
    let details = (first..first + days.len()).map(|row| row.to_string());
    let details: ArrayRef = Arc::new(StringArray::from_iter_values(details));
    common::rows(days, &details)
}

/// Reads the rows of every file, by the folder of its partition.
fn files(folder: &Path, adds: &[String]) -> BTreeMap<String, Vec<Vec<usize>>> {
    let mut files: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for add in adds {
        let add: Value = serde_json::from_str(add).expect("JSON");
        let path = add["path"].as_str().expect("a path");
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

/// Writes 3,000 rows of 60 days, half of them of the first day, in batches of 50. Returns
/// the rows of each file, the expected rows, and whether a batch was spilled.
async fn written(
    partitioning: Partitioning,
    buffered_bytes: usize,
    open_files: usize,
) -> ([BTreeMap<String, Vec<Vec<usize>>>; 2], bool) {
    let folder = tempfile::tempdir().expect("a folder");
    let output = common::output(folder.path(), partitioning);
    let size = SinkSize {
        buffered_bytes,
        open_files,
        ..SinkSize::default()
    };
    let spill = Arc::new(MemorySpill::default());
    let mut sink = output.sink(Table::Quarantine, size, spill.clone());
    let mut expected: BTreeMap<String, Vec<Vec<usize>>> = BTreeMap::new();
    for first in (0..3_000).step_by(50) {
        let rows_of: Vec<usize> = (first..first + 50).collect();
        let day = |row: &usize| FIRST_DAY + [0, (row * 7 % 60) as i32][row % 2];
        let days: Vec<i32> = rows_of.iter().map(day).collect();
        for (row, day) in rows_of.iter().zip(&days) {
            let value = partitioning.value(date_from_days(*day));
            let partition = format!("{}={value}", partitioning.column());
            let files = expected.entry(partition).or_insert(vec![Vec::new()]);
            files[0].push(*row);
        }
        let batch = rows(days, first);
        sink.write(&batch).await.expect("a store that works");
    }
    let has_spilled = spill.read(0).await.is_ok();
    let adds = sink.close().await.expect("a store that works");
    ([files(folder.path(), &adds), expected], has_spilled)
}

#[tokio::test]
async fn every_partition_has_one_file_with_its_rows_in_order() {
    for partitioning in [Partitioning::Day, Partitioning::Month] {
        // No rows are buffered, some, or all. The others are spilled, or in open files.
        for buffered_bytes in [0, 20_000, 32 << 20] {
            for open_files in [0, 3, 100] {
                let (rows, has_spilled) = written(partitioning, buffered_bytes, open_files).await;
                let [found, expected] = rows;
                let size = format!("{buffered_bytes} bytes, {open_files} files");
                assert_eq!(found, expected, "{partitioning:?}, {size}");
                let fits = buffered_bytes > 1 << 20 || open_files >= expected.len();
                assert_eq!(has_spilled, !fits, "{partitioning:?}, {size}");
            }
        }
    }
}
