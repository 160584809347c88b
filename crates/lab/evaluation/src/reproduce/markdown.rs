//! A table of rows as Markdown.

use arrow::array::RecordBatch;
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// Returns the rows as a table in Markdown.
///
/// # Errors
/// [`ArrowError`] if a value cannot be printed.
pub fn markdown(rows: &RecordBatch) -> Result<String, ArrowError> {
    let options = FormatOptions::default();
    let columns = rows.columns().iter();
    let columns: Vec<ArrayFormatter<'_>> = columns
        .map(|column| ArrayFormatter::try_new(column, &options))
        .collect::<Result<_, _>>()?;
    let line = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let schema = rows.schema();
    let names = schema.fields().iter().map(|field| field.name().clone());
    let mut text = line(names.collect());
    text.push_str(&line(vec!["---".to_owned(); columns.len()]));
    for row in 0..rows.num_rows() {
        let cells = columns.iter().map(|column| {
            let cell = column.value(row).to_string();
            cell.replace('|', "\\|").replace('\n', " ")
        });
        text.push_str(&line(cells.collect()));
    }
    Ok(text)
}
