use std::sync::Arc;

use anyhow::{Context, Result};
use arrow::array::{ArrayRef, RecordBatch, StringArray};
use arrow::datatypes::{DataType, Field, Schema};
use arrow::util::pretty::pretty_format_batches;
use engine::RunReport;

use crate::args::Format;

/// The short table at the end of a run.
pub(crate) fn table(report: &RunReport) -> Result<String> {
    let account = &report.account;
    let all = account.rows();
    let mut lines: Vec<(String, String)> = vec![
        ("dates".to_owned(), report.dates.to_string()),
        ("pages".to_owned(), all.rows.to_string()),
    ];
    for (status, title) in [
        ("unique", "unique"),
        ("duplicate", "duplicates"),
        ("revision", "revisions"),
        ("blacklisted", "blacklisted"),
        ("quarantined", "quarantined"),
        ("unreadable_object", "unreadable objects"),
    ] {
        let by_cause = account.total(status);
        let rows: u64 = by_cause.values().map(|tally| tally.rows).sum();
        if rows > 0 || matches!(status, "unique" | "duplicate" | "quarantined") {
            lines.push((title.to_owned(), rows.to_string()));
        }
        if matches!(status, "duplicate" | "quarantined") {
            lines.extend(
                (by_cause.into_iter())
                    .map(|(cause, tally)| (format!("  {cause}"), tally.rows.to_string())),
            );
        }
    }
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
    lines.push(("HTML MB".to_owned(), megabytes(all.html_bytes)));
    lines.push(("text MB".to_owned(), megabytes(all.text_bytes)));
    lines.push(("chunks".to_owned(), report.chunks.to_string()));
    lines.push(("seconds".to_owned(), format!("{:.1}", report.seconds)));
    let name = lines.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let value = lines
        .iter()
        .map(|(_, value)| value.len())
        .max()
        .unwrap_or(0);
    Ok(lines
        .iter()
        .map(|(title, number)| format!("{title:name$}  {number:>value$}\n"))
        .collect())
}

/// Rows of a query.
pub(crate) fn rows(batches: &[RecordBatch], format: Format) -> Result<String> {
    match format {
        Format::Table => Ok(pretty_format_batches(batches)
            .context("cannot print the rows")?
            .to_string()),
        Format::Csv => csv(batches),
        Format::Json => json(batches),
    }
}

fn csv(batches: &[RecordBatch]) -> Result<String> {
    let mut bytes = Vec::new();
    let mut writer = arrow::csv::WriterBuilder::new()
        .with_header(true)
        .build(&mut bytes);
    for batch in batches {
        writer
            .write(&flat(batch)?)
            .context("cannot print the rows as CSV")?;
    }
    drop(writer);
    String::from_utf8(bytes).context("CSV is no UTF-8")
}

fn json(batches: &[RecordBatch]) -> Result<String> {
    let mut writer = arrow::json::LineDelimitedWriter::new(Vec::new());
    for batch in batches {
        writer
            .write(batch)
            .context("cannot print the rows as JSON")?;
    }
    writer.finish().context("cannot print the rows as JSON")?;
    String::from_utf8(writer.into_inner()).context("JSON is no UTF-8")
}

/// CSV has no lists: they are printed as in a table.
fn flat(batch: &RecordBatch) -> Result<RecordBatch> {
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
