//! Rewrites an archive with other files and row groups, and its rows in reverse order.

use std::fs::File;
use std::path::{Path, PathBuf};

use arrow::array::{RecordBatch, UInt32Array};
use arrow::compute::{concat_batches, take_record_batch};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use crate::support::write_batch;

/// Rows per file.
const FILE_ROWS: usize = 700;
/// Rows per row group.
const GROUP_ROWS: usize = 64;

/// Writes the rows of `files` to files in `folder`, in reverse order of files and rows.
pub(super) fn rearrange(files: &[PathBuf], folder: &Path) {
    let mut number = 0;
    for file in files.iter().rev() {
        let rows = read(file);
        let backwards = UInt32Array::from_iter_values((0..rows.num_rows() as u32).rev());
        let rows = take_record_batch(&rows, &backwards).expect("every row is there");
        for first in (0..rows.num_rows()).step_by(FILE_ROWS) {
            let count = FILE_ROWS.min(rows.num_rows() - first);
            let name = format!("{}/{number:04}.parquet", ["x", "."][number % 2]);
            write_batch(&folder.join(name), &rows.slice(first, count), GROUP_ROWS);
            number += 1;
        }
    }
}

/// Reads the columns of an archive file that a run uses.
pub(super) fn read(file: &Path) -> RecordBatch {
    let file = File::open(file).expect("the file is there");
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).expect("the file is Parquet");
    let columns = ["url", "fetched_at", "title", "html"];
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns);
    let reader = builder
        .with_projection(mask)
        .build()
        .expect("columns of the file");
    let batches: Vec<RecordBatch> = reader.map(|batch| batch.expect("rows")).collect();
    concat_batches(&batches[0].schema(), &batches).expect("rows of one file")
}
