//! Rows of CSV and of JSON Lines.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use flate2::read::MultiGzDecoder;
use serde_json::{Map, Value as Json};

use crate::pages::columns::{Column, Columns};
use crate::pages::error::RowsError;
use crate::pages::row::{Reason, Row, Value, Values};

/// Bytes of a reader, without the compression of gzip and without a mark of UTF-8 at the beginning.
type Plain = Limited<Chain<Cursor<Vec<u8>>, Box<dyn Read + Send>>>;

/// Rows of a text file.
pub(crate) enum TextRows {
    Csv(CsvRows),
    JsonLines(JsonRows),
}

impl TextRows {
    /// Reads CSV, whose first line has the names of the columns.
    ///
    /// # Errors
    /// If the first line lacks a needed column.
    pub(crate) fn csv(
        bytes: impl Read + Send + 'static,
        delimiter: u8,
        columns: &Columns,
        needed: &[Column],
        max_row: u64,
    ) -> Result<Self, RowsError> {
        CsvRows::new(plain(bytes, max_row)?, delimiter, columns, needed).map(Self::Csv)
    }

    /// Reads JSON Lines: one object per line.
    pub(crate) fn json_lines(
        bytes: impl Read + Send + 'static,
        columns: Columns,
        max_row: u64,
    ) -> Result<Self, RowsError> {
        Ok(Self::JsonLines(JsonRows {
            // A long line is skipped, and does not end the file.
            lines: BufReader::new(plain(bytes, u64::MAX)?),
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
fn plain(mut bytes: impl Read + Send + 'static, max_row: u64) -> Result<Plain, RowsError> {
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
    Ok(Limited {
        bytes: Cursor::new(start).chain(bytes),
        read: 0,
        limit: max_row,
    })
}

fn beginning(bytes: &mut impl Read, most: u64) -> Result<Vec<u8>, RowsError> {
    let mut beginning = Vec::new();
    let read = bytes.take(most).read_to_end(&mut beginning);
    read.map_err(RowsError::Read)?;
    Ok(beginning)
}

/// Ends with an error after `limit` bytes without a reset. A quote that is not closed would make the
/// rest of a file one row.
pub(crate) struct Limited<R> {
    bytes: R,
    read: u64,
    limit: u64,
}

impl<R: Read> Read for Limited<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let read = self.bytes.read(out)?;
        self.read = self.read.saturating_add(read as u64);
        if self.read > self.limit {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(read)
    }
}

/// Bytes that a reader of CSV may have read ahead of a row.
const READ_AHEAD: u64 = 64 << 10;

/// Rows of CSV.
pub(crate) struct CsvRows {
    reader: csv::Reader<Plain>,
    /// Fields of the first line.
    width: usize,
    /// Columns with their positions.
    positions: Vec<(Column, usize)>,
    number: i64,
    limit: u64,
}

impl CsvRows {
    fn new(
        bytes: Plain,
        delimiter: u8,
        columns: &Columns,
        needed: &[Column],
    ) -> Result<Self, RowsError> {
        let limit = bytes.limit;
        let mut reader = csv::ReaderBuilder::new()
            .delimiter(delimiter)
            .flexible(true)
            .has_headers(false)
            .from_reader(Limited {
                limit: limit.saturating_add(READ_AHEAD),
                ..bytes
            });
        let mut first = csv::ByteRecord::new();
        let found = reader.read_byte_record(&mut first);
        found.map_err(|error| failed(error, 0, limit))?;
        let names: Vec<String> = (first.iter())
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect();
        Ok(Self {
            reader,
            width: names.len(),
            positions: positions(&names, columns, needed)?,
            number: 0,
            limit,
        })
    }

    fn next(&mut self) -> Result<Option<Row>, RowsError> {
        self.reader.get_mut().read = 0;
        let mut record = csv::ByteRecord::new();
        let found = self.reader.read_byte_record(&mut record);
        if !found.map_err(|error| failed(error, self.number + 1, self.limit))? {
            return Ok(None);
        }
        self.number += 1;
        Ok(Some(Row {
            number: self.number,
            values: self.values(&record),
        }))
    }

    fn values(&self, record: &csv::ByteRecord) -> Result<Values, Reason> {
        if record.len() != self.width {
            return Err(Reason::Fields {
                expected: self.width,
                found: record.len(),
            });
        }
        let mut values = Values::default();
        for (column, position) in &self.positions {
            let text = std::str::from_utf8(&record[*position]);
            let text = text.map_err(|_| Reason::NotUtf8(*column))?;
            values.set(*column, Value::Text(text.to_owned()));
        }
        Ok(values)
    }
}

fn failed(error: csv::Error, row: i64, limit: u64) -> RowsError {
    let message = error.to_string();
    match error.into_kind() {
        csv::ErrorKind::Io(error) if error.kind() == io::ErrorKind::FileTooLarge => {
            RowsError::RowTooLarge { row, limit }
        }
        csv::ErrorKind::Io(error) => RowsError::Read(error),
        _ => RowsError::Read(io::Error::other(message)),
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
    lines: BufReader<Plain>,
    columns: Columns,
    max_row: u64,
    number: i64,
}

impl JsonRows {
    fn next(&mut self) -> Result<Option<Row>, RowsError> {
        loop {
            let Some((line, is_whole)) = self.line().map_err(RowsError::Read)? else {
                return Ok(None);
            };
            if is_whole && line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            self.number += 1;
            let values = match is_whole {
                true => self.values(&line),
                false => Err(Reason::RowTooLarge(self.max_row)),
            };
            return Ok(Some(Row {
                number: self.number,
                values,
            }));
        }
    }

    /// Reads a line, and whether it is whole: a longer one than the limit is skipped.
    fn line(&mut self) -> io::Result<Option<(Vec<u8>, bool)>> {
        let (mut line, mut bytes) = (Vec::new(), 0);
        loop {
            let found = self.lines.fill_buf()?;
            let end = found.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(found.len(), |end| end + 1);
            bytes += taken as u64;
            if bytes <= self.max_row {
                line.extend_from_slice(&found[..taken]);
            }
            self.lines.consume(taken);
            if end.is_some() || taken == 0 {
                return Ok((bytes > 0).then_some((line, bytes <= self.max_row)));
            }
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

    const NEEDED: [Column; 3] = [Column::FetchedAt, Column::Url, Column::Path];

    fn csv(bytes: &[u8]) -> Result<Vec<Row>, RowsError> {
        let rows = TextRows::csv(
            Cursor::new(bytes.to_vec()),
            b',',
            &Columns::default(),
            &NEEDED,
            100,
        );
        all(rows?)
    }

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
    fn csv_has_marks_quotes_and_line_ends_of_both_kinds() {
        let text = "\u{feff}url,time,title,path\r\na,b,\"x, \"\"y\"\"\nz\",d\r\n\r\na,b,é,d";
        let rows = csv(text.as_bytes()).unwrap();
        assert_eq!(titles(&rows), ["x, \"y\"\nz", "é"]);
        assert_eq!(rows[1].number, 2);
    }

    #[test]
    fn rows_with_other_fields_or_other_bytes_are_named_and_the_next_row_is_read() {
        let rows = csv(b"url,time,path,title\n1,2\n\xe9,2,3,t\n1,2,3,last\n").unwrap();
        let reasons: Vec<_> = rows.iter().map(|row| row.values.clone().err()).collect();
        let fields = Reason::Fields {
            expected: 4,
            found: 2,
        };
        assert_eq!(
            reasons,
            [Some(fields), Some(Reason::NotUtf8(Column::Url)), None]
        );
    }

    #[test]
    fn an_open_quote_is_an_error_with_its_row() {
        let mut text = b"url,time,path\n1,2,3\n1,2,\"".to_vec();
        text.extend(vec![b'x'; 1 << 20]);
        let error = csv(&text).unwrap_err();
        assert!(
            matches!(error, RowsError::RowTooLarge { row: 2, .. }),
            "{error:?}"
        );
    }

    #[test]
    fn a_missing_column_is_an_error_with_those_that_are_there() {
        let error = csv(b"url;time;path\n").unwrap_err().to_string();
        assert!(error.contains("fetched_at or time"), "{error}");
        assert!(error.contains("url;time;path"), "{error}");
        assert!(matches!(csv(b""), Err(RowsError::NoColumn { .. })));
        assert!(matches!(csv(b"\xff\xfeu\0r\0"), Err(RowsError::Utf16)));
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
