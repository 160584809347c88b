//! Groups of rows whose size depends on the rows alone.

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::compute::concat_batches;
use arrow::error::ArrowError;

use crate::documents::TEXT;

/// Most rows of a group. A Parquet file is cut between groups, so a higher value makes files that exceed the
/// size of a shard by more. A lower value costs more calls of the writer.
const ROWS: usize = 256;
/// Bytes of text after which a group is closed.
const BYTES: usize = 4 << 20;

/// Cuts a stream of documents into groups.
///
/// A query gives batches of a size that depends on threads and memory, and a Parquet writer makes other pages
/// for other batches. Groups are equal for equal rows.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    waiting: Vec<RecordBatch>,
    rows: usize,
    bytes: usize,
}

impl Groups {
    /// Adds documents, and returns the groups that are complete.
    pub(crate) fn add(&mut self, documents: &RecordBatch) -> Result<Vec<RecordBatch>, ArrowError> {
        let mut complete = Vec::new();
        let texts = documents.column(TEXT).as_string::<i32>();
        let mut start = 0;
        for row in 0..documents.num_rows() {
            self.rows += 1;
            self.bytes += texts.value(row).len();
            if self.rows == ROWS || self.bytes >= BYTES {
                self.waiting.push(documents.slice(start, row + 1 - start));
                start = row + 1;
                complete.extend(self.close()?);
            }
        }
        if start < texts.len() {
            self.waiting
                .push(documents.slice(start, texts.len() - start));
        }
        Ok(complete)
    }

    /// Returns the rows that wait as the last group, if there are any.
    pub(crate) fn close(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        let waiting = std::mem::take(self).waiting;
        let Some(first) = waiting.first() else {
            return Ok(None);
        };
        concat_batches(&first.schema(), &waiting).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow::array::{ArrayRef, StringArray};

    use super::*;

    fn documents(lengths: &[usize]) -> RecordBatch {
        let texts: ArrayRef = Arc::new(StringArray::from_iter_values(
            lengths.iter().map(|length| "x".repeat(*length)),
        ));
        RecordBatch::try_from_iter([("id", Arc::clone(&texts)), ("text", texts)]).unwrap()
    }

    #[test]
    fn groups_do_not_depend_on_batches() {
        let lengths: Vec<usize> = (0..1000).map(|row| (row * row) % 70_000).collect();
        let groups = |size: usize| {
            let mut groups = Groups::default();
            let mut rows = Vec::new();
            for batch in lengths.chunks(size) {
                let complete = groups.add(&documents(batch)).unwrap();
                rows.extend(complete.iter().map(RecordBatch::num_rows));
            }
            rows.extend(groups.close().unwrap().map(|group| group.num_rows()));
            rows
        };
        let expected = groups(1000);
        assert_eq!(expected.iter().sum::<usize>(), 1000);
        assert!(
            expected.len() > 1000 / ROWS + 1,
            "some are cut by their bytes"
        );
        for size in [1, 7, 256, 300] {
            assert_eq!(groups(size), expected, "{size}");
        }
    }
}
