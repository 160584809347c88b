//! Tables that fit the width of a terminal.

use anyhow::{Context, Result};
use arrow::array::RecordBatch;
use arrow::util::display::{ArrayFormatter, FormatOptions};
use console::{measure_text_width, truncate_str};

use crate::print::visible_lines;

/// Least columns that a cell is cut to. If cells have to be smaller, rows are written as records.
const LEAST_CELL: usize = 12;

/// Columns of the border before a cell and behind it.
const BORDERS: usize = 3;

/// Formats rows as a table of at most `width` columns, with cells that are cut. Rows with texts longer than a line, and rows
/// of too many columns, become records: the name and the whole value of each column below each other.
pub(crate) fn fitted(batches: &[RecordBatch], width: usize) -> Result<String> {
    let table = Table::of(batches)?;
    let natural = table.widths();
    let available = width.saturating_sub(BORDERS * natural.len() + 1);
    if natural.iter().sum::<usize>() <= available {
        return Ok(table.drawn(&natural));
    }
    let has_text = natural.iter().any(|cell| *cell > width);
    if has_text
        || natural
            .iter()
            .map(|cell| *cell.min(&LEAST_CELL))
            .sum::<usize>()
            > available
    {
        return Ok(table.records(width));
    }
    // The widest cells are cut, all to the same width.
    let cut_to =
        |most: usize| -> Vec<usize> { natural.iter().map(|cell| *cell.min(&most)).collect() };
    let most = (LEAST_CELL..width)
        .rev()
        .find(|most| cut_to(*most).iter().sum::<usize>() <= available);
    Ok(table.drawn(&cut_to(most.unwrap_or(LEAST_CELL))))
}

/// Printed values.
struct Table {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn of(batches: &[RecordBatch]) -> Result<Self> {
        let format = FormatOptions::default()
            .with_timestamp_format(Some("%Y-%m-%d %H:%M:%S"))
            .with_timestamp_tz_format(Some("%Y-%m-%d %H:%M:%S"));
        let fields = batches.first().map(RecordBatch::schema);
        let fields = fields.iter().flat_map(|schema| schema.fields());
        let mut table = Self {
            names: fields.map(|field| field.name().clone()).collect(),
            rows: Vec::new(),
        };
        for batch in batches {
            let columns = batch.columns().iter();
            let columns: Vec<_> = columns
                .map(|column| ArrayFormatter::try_new(column, &format))
                .collect::<Result<_, _>>()
                .context("cannot print the rows")?;
            table.rows.extend((0..batch.num_rows()).map(|row| {
                let values = columns
                    .iter()
                    .map(|column| visible_lines(&column.value(row).to_string()));
                values.collect()
            }));
        }
        Ok(table)
    }

    /// The widest cell of each column.
    fn widths(&self) -> Vec<usize> {
        let mut widths: Vec<_> = self
            .names
            .iter()
            .map(|name| measure_text_width(name))
            .collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(measure_text_width(cell));
            }
        }
        widths
    }

    fn drawn(&self, widths: &[usize]) -> String {
        let border: String = widths
            .iter()
            .map(|width| format!("+{}", "-".repeat(width + 2)))
            .collect();
        let border = border + "+";
        let line = |cells: &[String]| {
            let cells = cells.iter().zip(widths).map(|(cell, width)| {
                let cell = cell.replace('\n', " ");
                let cell = truncate_str(&cell, *width, "…");
                let space = " ".repeat(width.saturating_sub(measure_text_width(&cell)));
                format!("| {cell}{space} ")
            });
            cells.collect::<String>() + "|"
        };
        let mut lines = vec![border.clone(), line(&self.names), border.clone()];
        lines.extend(self.rows.iter().map(|row| line(row)));
        lines.push(border);
        lines.join("\n")
    }

    fn records(&self, width: usize) -> String {
        let names = self.names.iter().map(|name| measure_text_width(name)).max();
        let names = names.unwrap_or_default();
        let record = |(number, row): (usize, &Vec<String>)| {
            let head = format!("-- {} ", number + 1);
            let mut lines = vec![format!(
                "{head}{}",
                "-".repeat(width.saturating_sub(head.len()))
            )];
            lines.extend(self.names.iter().zip(row).map(|(name, value)| {
                let is_long = value.contains('\n') || names + 2 + measure_text_width(value) > width;
                let between = if is_long {
                    "\n".to_owned()
                } else {
                    " ".repeat(names + 2 - measure_text_width(name))
                };
                format!("{name}{between}{value}")
            }));
            lines.join("\n")
        };
        let records = self.rows.iter().enumerate().map(record);
        records.collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow::array::{ArrayRef, Int64Array, StringArray};
    use std::sync::Arc;

    fn rows(texts: &[&str]) -> Vec<RecordBatch> {
        let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..texts.len() as i64));
        let texts: ArrayRef = Arc::new(StringArray::from(texts.to_vec()));
        vec![RecordBatch::try_from_iter([("number", numbers), ("text", texts)]).unwrap()]
    }

    #[test]
    fn a_table_that_fits_is_whole() {
        let found = fitted(&rows(&["tea", "grün"]), 40).unwrap();
        let expected = "\
+--------+------+
| number | text |
+--------+------+
| 0      | tea  |
| 1      | grün |
+--------+------+";
        assert_eq!(found, expected);
    }

    #[test]
    fn cells_of_a_wide_table_are_cut_and_letters_of_two_columns_count_as_two() {
        let texts = [
            "a text of some thirty letters.",
            "茶茶茶茶茶茶茶茶茶茶茶茶茶茶茶",
        ];
        let found = fitted(&rows(&texts), 32).unwrap();
        assert!(
            found.lines().all(|line| measure_text_width(line) <= 32),
            "{found}"
        );
        assert!(found.contains("| a text of some thi… |"), "{found}");
    }

    #[test]
    fn control_characters_of_pages_do_not_reach_the_terminal() {
        let found = fitted(&rows(&["\u{1b}[2J tea", "a\u{202e}b"]), 60).unwrap();
        assert!(!found.contains(['\u{1b}', '\u{202e}']), "{found}");
    }

    #[test]
    fn texts_are_whole_and_below_each_other() {
        let text = "one line\nand a line that is longer than the terminal";
        let found = fitted(&rows(&[text, "short"]), 24).unwrap();
        let expected = format!(
            "-- 1 -------------------\nnumber  0\ntext\n{text}\n-- 2 -------------------\nnumber  1\ntext    short"
        );
        assert_eq!(found, expected);
    }
}
