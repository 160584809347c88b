//! Formats rows as a table, CSV or JSON Lines.

use std::sync::Arc;

use anyhow::{Context, Result};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::csv::WriterBuilder;
use arrow::datatypes::{DataType, Field, Schema};
use arrow::json::LineDelimitedWriter;
use arrow::util::pretty::pretty_format_batches;

/// Formats the rows as a table with borders.
pub(crate) fn table(batches: &[RecordBatch]) -> Result<String> {
    let table = pretty_format_batches(batches).context("cannot print the rows as a table")?;
    Ok(table.to_string())
}

/// Appends the rows to `bytes` as CSV, after a header if `has_header`.
pub(crate) fn csv(bytes: &mut Vec<u8>, batch: &RecordBatch, has_header: bool) -> Result<()> {
    let mut writer = WriterBuilder::new().with_header(has_header).build(bytes);
    let written = writer.write(&flatten(batch)?);
    written.context("cannot print the rows as CSV")
}

/// Appends the rows to `bytes` as JSON Lines.
pub(crate) fn json(bytes: &mut Vec<u8>, batch: &RecordBatch) -> Result<()> {
    let mut writer = LineDelimitedWriter::new(bytes);
    let written = writer.write(batch).and_then(|()| writer.finish());
    written.context("cannot print the rows as JSON")
}

/// Converts nested columns to text, as in a table, because CSV has no lists.
fn flatten(batch: &RecordBatch) -> Result<RecordBatch> {
    let mut fields = Vec::new();
    let mut columns: Vec<ArrayRef> = Vec::new();
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        if !field.data_type().is_nested() {
            fields.push(Arc::clone(field));
            columns.push(Arc::clone(column));
            continue;
        }
        let printed = arrow::util::display::ArrayFormatter::try_new(
            column,
            &arrow::util::display::FormatOptions::default(),
        )?;
        let texts: StringArray = (0..column.len())
            .map(|row| Some(printed.value(row).to_string()))
            .collect();
        fields.push(Arc::new(Field::new(field.name(), DataType::Utf8, true)));
        columns.push(Arc::new(texts));
    }
    Ok(RecordBatch::try_new(
        Arc::new(Schema::new(fields)),
        columns,
    )?)
}
