//! Formats rows of results as a table, CSV or JSON Lines.

use anyhow::{Context, Result};
use arrow::array::RecordBatch;
use arrow::csv::WriterBuilder;
use arrow::json::LineDelimitedWriter;
use arrow::util::pretty::pretty_format_batches;

use crate::args::RowFormat;

/// Formats rows without nested columns in `format`.
pub(crate) fn text(rows: &RecordBatch, format: RowFormat) -> Result<String> {
    let mut bytes = Vec::new();
    match format {
        RowFormat::Table => {
            let table = pretty_format_batches(std::slice::from_ref(rows));
            return Ok(table
                .context("cannot print the rows as a table")?
                .to_string());
        }
        RowFormat::Csv => {
            let mut writer = WriterBuilder::new().with_header(true).build(&mut bytes);
            writer.write(rows).context("cannot print the rows as CSV")?;
        }
        RowFormat::Json => {
            let mut writer = LineDelimitedWriter::new(&mut bytes);
            let written = writer.write(rows).and_then(|()| writer.finish());
            written.context("cannot print the rows as JSON")?;
        }
    }
    String::from_utf8(bytes).context("the rows are not UTF-8")
}
