//! Rows of CSV and of JSON Lines.

use std::io::Read;

use serde_json::{Map, Value as Json};

use crate::pages::columns::{Column, Columns};
use crate::pages::csv_rows::{CsvRows, Dialect};
use crate::pages::error::RowsError;
use crate::pages::lines::{Lines, plain};
use crate::pages::row::{Reason, Row, Value, Values};

/// Rows of a text file.
pub(crate) enum TextRows {
    Csv(CsvRows),
    JsonLines(JsonRows),
}

impl TextRows {
    /// Reads CSV or TSV, whose first line has the names of the columns.
    ///
    /// # Errors
    /// If the first line lacks a needed column.
    pub(crate) fn csv(
        bytes: impl Read + Send + 'static,
        dialect: Dialect,
        columns: &Columns,
        needed: &[Column],
        max_row: u64,
    ) -> Result<Self, RowsError> {
        CsvRows::new(plain(bytes)?, dialect, columns, needed, max_row).map(Self::Csv)
    }

    /// Reads JSON Lines: one object per line.
    pub(crate) fn json_lines(
        bytes: impl Read + Send + 'static,
        columns: Columns,
        max_row: u64,
    ) -> Result<Self, RowsError> {
        Ok(Self::JsonLines(JsonRows {
            lines: Lines::new(plain(bytes)?, b"\n", max_row),
            columns,
            max_row,
            number: 0,
        }))
    }

    /// Returns the next row.
    pub(crate) fn next(&mut self) -> Result<Option<Row>, RowsError> {
        match self {
            Self::Csv(rows) => rows.next(),
            Self::JsonLines(rows) => rows.next(),
        }
    }
}

/// Rows of JSON Lines.
pub(crate) struct JsonRows {
    lines: Lines,
    columns: Columns,
    max_row: u64,
    number: i64,
}

impl JsonRows {
    fn next(&mut self) -> Result<Option<Row>, RowsError> {
        loop {
            let Some(line) = self.lines.next().map_err(RowsError::Read)? else {
                return Ok(None);
            };
            if line.is_whole && line.bytes.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            self.number += 1;
            let values = match line.is_whole {
                true => self.values(&line.bytes),
                false => Err(Reason::RowTooLarge(self.max_row)),
            };
            return Ok(Some(Row {
                number: self.number,
                values,
            }));
        }
    }

    fn values(&self, line: &[u8]) -> Result<Values, Reason> {
        let object: Map<String, Json> =
            serde_json::from_slice(line).map_err(|error| Reason::Json(error.to_string()))?;
        let mut values = Values::default();
        for column in Column::ALL {
            let candidates = self.columns.candidates(column);
            let found = candidates.iter().find_map(|name| get(&object, name));
            match found {
                None | Some(Json::Null) => {}
                Some(Json::String(text)) => values.set(column, Value::Text(text.clone())),
                Some(Json::Number(number)) => values.set(column, Value::Text(number.to_string())),
                Some(_) => return Err(Reason::NotText(column)),
            }
        }
        Ok(values)
    }
}

/// Returns the value of a name, or of a path with dots in nested objects: `metadata.url`.
fn get<'a>(object: &'a Map<String, Json>, name: &str) -> Option<&'a Json> {
    if let Some(found) = object.get(name) {
        return Some(found);
    }
    let (first, rest) = name.split_once('.')?;
    get(object.get(first)?.as_object()?, rest)
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn json(bytes: &[u8]) -> Result<Vec<Row>, RowsError> {
        let rows = TextRows::json_lines(Cursor::new(bytes.to_vec()), Columns::default(), 100);
        all(rows?)
    }

    fn all(mut rows: TextRows) -> Result<Vec<Row>, RowsError> {
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(row);
        }
        Ok(found)
    }

    fn titles(rows: &[Row]) -> Vec<&str> {
        rows.iter()
            .filter_map(|row| row.values.as_ref().ok()?.said(Column::Title))
            .collect()
    }

    #[test]
    fn json_lines_continue_after_broken_and_long_lines() {
        let long = format!("{{\"title\": \"{}\"}}", "x".repeat(200));
        let text = format!(
            "\u{feff}{{\"title\": \"a\"}}\r\n\r\n{{\"title\"\n[]\n{long}\n{{\"title\": \"b\"}}"
        );
        let rows = json(text.as_bytes()).unwrap();
        assert_eq!(titles(&rows), ["a", "b"]);
        let broken = |row: &Row| matches!(row.values, Err(Reason::Json(_)));
        assert!(broken(&rows[1]) && broken(&rows[2]), "{rows:?}");
        assert_eq!(rows[3].values, Err(Reason::RowTooLarge(100)));
        assert_eq!(rows[4].number, 5);
        let rows = json(b"{\"title\": \"\xe9\"}\n{\"url\": []}\n").unwrap();
        assert!(rows.iter().all(|row| row.values.is_err()), "{rows:?}");
    }

    #[test]
    fn nested_values_have_paths_with_dots() {
        let columns: Columns = ["url=meta.url".parse().unwrap()].into_iter().collect();
        let text = Cursor::new(b"{\"meta\": {\"url\": \"u\"}}".to_vec());
        let rows = all(TextRows::json_lines(text, columns, 100).unwrap()).unwrap();
        assert_eq!(
            rows[0].values.as_ref().unwrap().said(Column::Url),
            Some("u")
        );
    }
}
