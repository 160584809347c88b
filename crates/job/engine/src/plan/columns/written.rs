//! Builds the output rows of [`Write`](crate::plan::steps::write::Write): data files and row
//! counts.

use std::sync::Arc;

use arrow::array::{Date32Builder, Int64Builder, RecordBatch, StringBuilder};
use datafusion::error::Result;

use crate::plan::columns::schemas::WRITTEN;

/// Row and byte counts of one date, status and cause.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct WrittenCounts {
    pub(crate) rows: i64,
    pub(crate) html_bytes: i64,
    pub(crate) text_bytes: i64,
}

impl WrittenCounts {
    pub(crate) fn add(&mut self, other: Self) {
        self.rows += other.rows;
        self.html_bytes += other.html_bytes;
        self.text_bytes += other.text_bytes;
    }
}

/// Date, status and cause.
pub(crate) type CountKey = (i32, String, Option<String>);

#[derive(Default)]
pub(crate) struct WrittenColumns {
    table: StringBuilder,
    file: StringBuilder,
    date: Date32Builder,
    status: StringBuilder,
    cause: StringBuilder,
    rows: Int64Builder,
    html_bytes: Int64Builder,
    text_bytes: Int64Builder,
}

impl WrittenColumns {
    pub(crate) fn file(&mut self, table: &str, file: &str) {
        self.table.append_value(table);
        self.file.append_value(file);
        self.date.append_null();
        self.status.append_null();
        self.cause.append_null();
        self.rows.append_null();
        self.html_bytes.append_null();
        self.text_bytes.append_null();
    }

    pub(crate) fn counts(&mut self, (date, status, cause): &CountKey, counts: &WrittenCounts) {
        self.table.append_null();
        self.file.append_null();
        self.date.append_value(*date);
        self.status.append_value(status);
        self.cause.append_option(cause.as_deref());
        self.rows.append_value(counts.rows);
        self.html_bytes.append_value(counts.html_bytes);
        self.text_bytes.append_value(counts.text_bytes);
    }

    pub(crate) fn finish(mut self) -> Result<RecordBatch> {
        Ok(RecordBatch::try_new(
            Arc::clone(&WRITTEN),
            vec![
                Arc::new(self.table.finish()),
                Arc::new(self.file.finish()),
                Arc::new(self.date.finish()),
                Arc::new(self.status.finish()),
                Arc::new(self.cause.finish()),
                Arc::new(self.rows.finish()),
                Arc::new(self.html_bytes.finish()),
                Arc::new(self.text_bytes.finish()),
            ],
        )?)
    }
}
