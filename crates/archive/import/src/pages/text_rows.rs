//! Rows of CSV and of JSON Lines.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value as Json};

use crate::pages::columns::{Column, Columns};
use crate::pages::csv_rows::{CsvRows, Dialect};
use crate::pages::error::RowsError;
use crate::pages::row::{Reason, Row, Value, Values};

/// Bytes of a list, without the compression of gzip and without a mark of UTF-8 at the beginning.
pub(crate) type Plain = Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>;

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

/// Removes gzip and the mark of UTF-8.
pub(crate) fn plain(mut bytes: impl Read + Send + 'static) -> Result<Plain, RowsError> {
    let start = beginning(&mut bytes, 2)?;
    let is_gzip = start == [0x1f, 0x8b];
    let whole = Cursor::new(start).chain(bytes);
    let mut bytes: Box<dyn Read + Send> = match is_gzip {
        true => Box::new(MultiGzDecoder::new(whole)),
        false => Box::new(whole),
    };
    let mut start = beginning(&mut bytes, 3)?;
    match start.as_slice() {
        [0xef, 0xbb, 0xbf] => start.clear(),
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => return Err(RowsError::Utf16),
        _ => {}
    }
    Ok(Cursor::new(start).chain(bytes))
}

fn beginning(bytes: &mut impl Read, most: u64) -> Result<Vec<u8>, RowsError> {
    let mut beginning = Vec::new();
    let read = bytes.take(most).read_to_end(&mut beginning);
    read.map_err(RowsError::Read)?;
    Ok(beginning)
}

/// A line of a list.
#[derive(Debug)]
pub(crate) struct Line {
    /// From 1 upwards.
    pub(crate) number: u64,
    /// With its end.
    pub(crate) bytes: Vec<u8>,
    /// Whether all of it is in `bytes`.
    pub(crate) is_whole: bool,
}

impl Line {
    /// The line without its end.
    pub(crate) fn text(&self) -> &[u8] {
        match self.bytes.as_slice() {
            [text @ .., b'\r' | b'\n'] => text,
            text => text,
        }
    }
}

/// Lines of a list. One that is longer than the limit is skipped and named.
pub(crate) struct Lines {
    bytes: BufReader<Plain>,
    ends: &'static [u8],
    limit: u64,
    number: u64,
    /// The last byte of the line before.
    last: Option<u8>,
}

impl Lines {
    /// Lines that end with one of `ends`. Of two in a row (CRLF), the second is an empty line.
    pub(crate) fn new(bytes: Plain, ends: &'static [u8], limit: u64) -> Self {
        Self {
            bytes: BufReader::new(bytes),
            ends,
            limit,
            number: 0,
            last: None,
        }
    }

    pub(crate) fn next(&mut self) -> io::Result<Option<Line>> {
        let (mut line, mut bytes) = (Vec::new(), 0);
        let mut last = None;
        loop {
            let found = self.bytes.fill_buf()?;
            let end = found.iter().position(|byte| self.ends.contains(byte));
            let taken = end.map_or(found.len(), |end| end + 1);
            last = found[..taken].last().copied().or(last);
            bytes += taken as u64;
            if bytes <= self.limit {
                line.extend_from_slice(&found[..taken]);
            }
            self.bytes.consume(taken);
            if end.is_some() || taken == 0 {
                break;
            }
        }
        // CRLF ends one line.
        let is_same = self.last == Some(b'\r') && line == b"\n";
        self.number += u64::from(!is_same);
        self.last = last;
        Ok((bytes > 0).then_some(Line {
            number: self.number,
            bytes: line,
            is_whole: bytes <= self.limit,
        }))
    }
}

/// Returns the positions of the columns that `names` has.
///
/// # Errors
/// If it lacks a needed column, or one that was given a name.
pub(crate) fn positions(
    names: &[String],
    columns: &Columns,
    needed: &[Column],
) -> Result<Vec<(Column, usize)>, RowsError> {
    let mut positions = Vec::new();
    for column in Column::ALL {
        let candidates = columns.candidates(column);
        let at = |name: &&str| names.iter().position(|found| found == name);
        match candidates.iter().find_map(at) {
            Some(position) => positions.push((column, position)),
            None if needed.contains(&column) || columns.names(column) => {
                return Err(RowsError::NoColumn {
                    column,
                    names: candidates.join(" or "),
                    found: names.join(", "),
                });
            }
            None => {}
        }
    }
    Ok(positions)
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
