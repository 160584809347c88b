//! Formats the rows of a query.

use std::sync::Arc;

use anyhow::{Context, Result};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::pretty::pretty_format_batches;

use crate::args::RowFormat;

/// Formats the rows in `format`.
pub(crate) fn text(batches: &[RecordBatch], format: RowFormat) -> Result<String> {
    match format {
        RowFormat::Table => Ok(pretty_format_batches(batches)
            .context("cannot print the rows")?
            .to_string()),
        RowFormat::Csv => csv(batches),
        RowFormat::Json => json(batches),
    }
}

fn csv(batches: &[RecordBatch]) -> Result<String> {
    let mut bytes = Vec::new();
    let mut writer = arrow::csv::WriterBuilder::new()
        .with_header(true)
        .build(&mut bytes);
    for batch in batches {
        writer
            .write(&flatten(batch)?)
            .context("cannot print the rows as CSV")?;
    }
    drop(writer);
    String::from_utf8(bytes).context("CSV is not UTF-8")
}

fn json(batches: &[RecordBatch]) -> Result<String> {
    let mut writer = arrow::json::LineDelimitedWriter::new(Vec::new());
    for batch in batches {
        writer
            .write(batch)
            .context("cannot print the rows as JSON")?;
    }
    writer.finish().context("cannot print the rows as JSON")?;
    String::from_utf8(writer.into_inner()).context("JSON is not UTF-8")
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
