//! Rows of CSV and of TSV.

use std::collections::VecDeque;

use crate::pages::columns::{Column, Columns};
use crate::pages::error::RowsError;
use crate::pages::lines::{Line, Lines, Plain};
use crate::pages::positions::positions;
use crate::pages::row::{Reason, Row, Value, Values};

const LINE_ENDS: &[u8] = b"\r\n";

/// A dialect of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    /// Commas, and quotes around fields that have commas, quotes or line ends (RFC 4180).
    Csv,
    /// Tabs. A quote is a letter as others (IANA, text/tab-separated-values).
    Tsv,
}

/// Rows of CSV or TSV.
pub(crate) struct CsvRows {
    lines: Lines,
    /// Lines that were read with a row that they are not part of.
    waiting: VecDeque<Line>,
    dialect: Dialect,
    max_row: u64,
    /// Fields of the first line.
    width: usize,
    /// Columns with their positions.
    positions: Vec<(Column, usize)>,
    number: i64,
}

impl CsvRows {
    /// Reads the first line, which names the columns.
    pub(crate) fn new(
        bytes: Plain,
        dialect: Dialect,
        columns: &Columns,
        needed: &[Column],
        max_row: u64,
    ) -> Result<Self, RowsError> {
        let mut rows = Self {
            lines: Lines::new(bytes, LINE_ENDS, max_row),
            waiting: VecDeque::new(),
            dialect,
            max_row,
            width: 0,
            positions: Vec::new(),
            number: 0,
        };
        let first = rows.record()?.and_then(|(_, fields)| fields.ok());
        let names: Vec<String> = (first.iter().flatten())
            .map(|name| String::from_utf8_lossy(name).trim().to_owned())
            .collect();
        rows.width = names.len();
        rows.positions = positions(&names, columns, needed)?;
        Ok(rows)
    }

    pub(crate) fn next(&mut self) -> Result<Option<Row>, RowsError> {
        let Some((line, fields)) = self.record()? else {
            return Ok(None);
        };
        self.number += 1;
        Ok(Some(Row {
            number: self.number,
            values: fields.and_then(|fields| self.values(line, fields)),
        }))
    }

    fn values(&self, line: u64, fields: Vec<Vec<u8>>) -> Result<Values, Reason> {
        if fields.len() != self.width {
            return Err(Reason::Fields {
                line,
                expected: self.width,
                found: fields.len(),
            });
        }
        let mut values = Values::default();
        for (column, position) in &self.positions {
            let text = String::from_utf8(fields[*position].clone());
            let text = text.map_err(|_| Reason::NotUtf8(*column))?;
            values.set(*column, Value::Text(text));
        }
        Ok(values)
    }

    /// Returns the fields of the next row with the number of its first line. Empty lines are skipped.
    ///
    /// A quote that is not closed, or that text follows, makes its line alone a bad row: the lines after
    /// it would become part of the row, and the page of one row would be that of another.
    #[expect(clippy::type_complexity, reason = "a row or the reason why it is none")]
    fn record(&mut self) -> Result<Option<(u64, Result<Vec<Vec<u8>>, Reason>)>, RowsError> {
        let first = loop {
            match self.line()? {
                None => return Ok(None),
                Some(line) if line.is_whole && line.text().is_empty() => {}
                Some(line) => break line,
            }
        };
        let number = first.number;
        if !first.is_whole {
            return Ok(Some((number, Err(Reason::RowTooLarge(self.max_row)))));
        }
        if self.dialect == Dialect::Tsv {
            let fields = first.text().split(|byte| *byte == b'\t');
            return Ok(Some((number, Ok(fields.map(<[u8]>::to_vec).collect()))));
        }
        let mut fields = Fields::default();
        let (mut state, mut bytes) = (fields.read(&first.bytes), first.bytes.len() as u64);
        let mut more = VecDeque::new();
        while state == State::Quoted {
            let Some(line) = self.line()? else {
                break;
            };
            bytes += line.bytes.len() as u64;
            state = match line.is_whole && bytes <= self.max_row {
                true => fields.read(&line.bytes),
                false => State::Bad,
            };
            more.push_back(line);
        }
        if state == State::Ended {
            return Ok(Some((number, Ok(fields.whole))));
        }
        more.append(&mut self.waiting);
        self.waiting = more;
        Ok(Some((number, Err(Reason::Quote(number)))))
    }

    fn line(&mut self) -> Result<Option<Line>, RowsError> {
        match self.waiting.pop_front() {
            Some(line) => Ok(Some(line)),
            None => self.lines.next().map_err(RowsError::Read),
        }
    }
}

/// The place of a reader within a row.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    FieldStart,
    Unquoted,
    Quoted,
    /// After a quote within a quoted field: its end, or the first of two.
    AfterQuote,
    Ended,
    /// A text follows a quoted field.
    Bad,
}

/// The fields of a row.
#[derive(Debug, Default)]
struct Fields {
    whole: Vec<Vec<u8>>,
    open: Vec<u8>,
    state: State,
}

impl Fields {
    /// Reads a line with its end. Returns `Quoted` if the row continues on the next line, `Ended` or `Bad`.
    fn read(&mut self, line: &[u8]) -> State {
        for byte in line {
            self.state = match (self.state, byte) {
                (State::Quoted, b'"') => State::AfterQuote,
                (State::AfterQuote, b'"') | (State::Quoted, _) => {
                    self.open.push(*byte);
                    State::Quoted
                }
                (_, b',') => {
                    self.whole.push(std::mem::take(&mut self.open));
                    State::FieldStart
                }
                (_, b'\r' | b'\n') => break,
                (State::FieldStart, b'"') => State::Quoted,
                (State::AfterQuote, b' ' | b'\t') => State::AfterQuote,
                (State::FieldStart | State::Unquoted, _) => {
                    self.open.push(*byte);
                    State::Unquoted
                }
                (State::AfterQuote | State::Ended | State::Bad, _) => return State::Bad,
            };
        }
        if self.state == State::Quoted {
            return State::Quoted;
        }
        self.whole.push(std::mem::take(&mut self.open));
        State::Ended
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;
    use crate::pages::lines::plain;

    const NEEDED: [Column; 3] = [Column::FetchedAt, Column::Url, Column::Path];

    fn rows(dialect: Dialect, text: &[u8]) -> Result<Vec<Row>, RowsError> {
        let bytes = plain(Cursor::new(text.to_vec()))?;
        let mut rows = CsvRows::new(bytes, dialect, &Columns::default(), &NEEDED, 100)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next()? {
            found.push(row);
        }
        Ok(found)
    }

    /// Titles, and reasons why there is none.
    fn titles(dialect: Dialect, text: &str) -> Vec<Result<String, Reason>> {
        let rows = rows(dialect, text.as_bytes()).unwrap();
        let title = |row: Row| {
            Ok(row
                .values?
                .said(Column::Title)
                .unwrap_or_default()
                .to_owned())
        };
        rows.into_iter().map(title).collect()
    }

    #[test]
    fn csv_has_marks_quotes_and_line_ends_of_all_kinds() {
        for (text, expected) in [
            (
                "\u{feff}url,time,title,path\r\na,b,\"x, \"\"y\"\"\nz\",d\r\n\r\na,b,é,d",
                ["x, \"y\"\nz", "é"],
            ),
            (
                "url,time,title,path\ra,b,\"x\r\ny\",d\ra,b,z,d\r",
                ["x\r\ny", "z"],
            ),
            (
                "url,time,title,path\na,b,5\" disk,d\na,b,\"\" ,d\n",
                ["5\" disk", ""],
            ),
        ] {
            let expected = expected.map(|title| Ok(title.to_owned()));
            assert_eq!(titles(Dialect::Csv, text), expected, "{text}");
        }
    }

    #[test]
    fn a_quote_of_tsv_is_a_letter() {
        let text = "url\ttime\ttitle\tpath\r\na\tb\t\"Open\tc\r\na\tb\t5\" disk\td\na\tb\t\"x\"\td";
        let expected = ["\"Open", "5\" disk", "\"x\""].map(|title| Ok(title.to_owned()));
        assert_eq!(titles(Dialect::Tsv, text), expected);
        let text = "url\ttime\ttitle\tpath\na\tb\t\"x\ny\"\td\na\tb\tz\td";
        let fields = |line, found| {
            Err(Reason::Fields {
                line,
                expected: 4,
                found,
            })
        };
        assert_eq!(
            titles(Dialect::Tsv, text),
            [fields(2, 3), fields(3, 2), Ok("z".to_owned())]
        );
    }

    #[test]
    fn a_quote_of_csv_that_is_wrong_makes_one_line_a_bad_row() {
        let head = "url,time,title,path";
        let long = "x".repeat(90);
        for rest in [
            // The second quote would close the first one, with the page of the second row.
            "a,b,\"Open,c\na,b,\"x\" disk,d\na,b,z,d",
            "a,b,\"Open,c\na,b,\"x\"y,d\na,b,z,d",
        ] {
            let expected = [
                Err(Reason::Quote(2)),
                Err(Reason::Quote(3)),
                Ok("z".to_owned()),
            ];
            assert_eq!(
                titles(Dialect::Csv, &format!("{head}\n{rest}")),
                expected,
                "{rest}"
            );
        }
        for rest in [
            "a,b,\"Open,c\na,b,z,d".to_owned(),
            format!("a,b,\"Open,c\na,b,z,d\na,b,{long},d"),
        ] {
            let found = titles(Dialect::Csv, &format!("{head}\n{rest}"));
            assert_eq!(
                found[..2],
                [Err(Reason::Quote(2)), Ok("z".to_owned())],
                "{rest}"
            );
        }
    }

    #[test]
    fn rows_with_other_fields_or_other_bytes_are_named_and_the_next_row_is_read() {
        let text = b"url,time,path,title\n1,2\n\xe9,2,3,t\n1,2,3,last\n";
        let rows = rows(Dialect::Csv, text).unwrap();
        let reasons: Vec<_> = rows.iter().map(|row| row.values.clone().err()).collect();
        let fields = Reason::Fields {
            line: 2,
            expected: 4,
            found: 2,
        };
        assert_eq!(
            reasons,
            [Some(fields), Some(Reason::NotUtf8(Column::Url)), None]
        );
        assert_eq!(rows[2].number, 3);
    }

    #[test]
    fn a_long_line_is_a_bad_row() {
        let text = format!("url,time,title,path\na,b,{},d\na,b,z,d", "x".repeat(200));
        let expected = [Err(Reason::RowTooLarge(100)), Ok("z".to_owned())];
        assert_eq!(titles(Dialect::Csv, &text), expected);
    }

    #[test]
    fn a_missing_column_is_an_error_with_those_that_are_there() {
        let error = rows(Dialect::Csv, b"url;time;path\n")
            .unwrap_err()
            .to_string();
        assert!(error.contains("fetched_at or time"), "{error}");
        assert!(error.contains("url;time;path"), "{error}");
        assert!(matches!(
            rows(Dialect::Csv, b""),
            Err(RowsError::NoColumn { .. })
        ));
        assert!(matches!(
            rows(Dialect::Csv, b"\xff\xfeu\0r\0"),
            Err(RowsError::Utf16)
        ));
    }
}
