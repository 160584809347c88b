//! Tables of many rows: the first rows as HTML, and all rows as data that the script of the page sorts,
//! searches and pages through.

use serde_json::{Value, json};

use crate::format::{bytes, grouped, visible};

/// The script of pages with such a table.
pub(crate) const SCRIPT: &str = include_str!("../templates/table.js");

/// Rows that are HTML, for readers without scripts.
pub(crate) const STATIC_ROWS: usize = 100;

/// A column of a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Column {
    pub(crate) label: &'static str,
    pub(crate) kind: Kind,
}

/// The values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Text,
    Number,
    /// In thousandths.
    Share,
    Bytes,
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Text(String),
    Number(u64),
    Missing,
}

/// A row, and the page that its first cell leads to.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) href: Option<String>,
    pub(crate) cells: Vec<Cell>,
}

/// A table with all of its rows.
pub(crate) struct Table {
    pub(crate) columns: Vec<Column>,
    pub(crate) rows: Vec<Row>,
}

impl Kind {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Number => "number",
            Self::Share => "share",
            Self::Bytes => "bytes",
        }
    }

    pub(crate) fn is_number(self) -> bool {
        self != Self::Text
    }

    /// Shows a value as the script does.
    pub(crate) fn show(self, cell: &Cell) -> String {
        match (self, cell) {
            (_, Cell::Missing) => "–".to_owned(),
            (_, Cell::Text(text)) => text.clone(),
            (Self::Share, Cell::Number(thousandths)) => {
                format!("{}.{} %", thousandths / 10, thousandths % 10)
            }
            (Self::Bytes, Cell::Number(number)) => bytes(*number),
            (_, Cell::Number(number)) => grouped(*number),
        }
    }
}

impl Cell {
    /// A text of a crawled page or its address.
    pub(crate) fn text(text: &str) -> Self {
        Self::Text(visible(text).into_owned())
    }

    pub(crate) fn share(part: u64, whole: u64) -> Self {
        match whole {
            0 => Self::Missing,
            _ => Self::Number((u128::from(part) * 1000 / u128::from(whole)) as u64),
        }
    }
}

impl Table {
    /// The rows that are HTML.
    pub(crate) fn first_rows(&self) -> &[Row] {
        &self.rows[..self.rows.len().min(STATIC_ROWS)]
    }

    /// All rows as JSON that can be in an element of a page: it has no `<`.
    pub(crate) fn json(&self) -> String {
        let value = |cell: &Cell| match cell {
            Cell::Text(text) => Value::from(text.as_str()),
            Cell::Number(number) => Value::from(*number),
            Cell::Missing => Value::Null,
        };
        let rows = self.rows.iter().map(|row| {
            let cells: Vec<Value> = row.cells.iter().map(value).collect();
            json!([row.href, cells])
        });
        let columns = self
            .columns
            .iter()
            .map(|column| json!({"kind": column.kind.name()}));
        let data = json!({
            "columns": columns.collect::<Vec<_>>(),
            "rows": rows.collect::<Vec<_>>(),
        });
        data.to_string().replace('<', "\\u003c")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_ends_the_element_of_the_data() {
        let table = Table {
            columns: vec![Column {
                label: "URL",
                kind: Kind::Text,
            }],
            rows: vec![Row {
                href: None,
                cells: vec![Cell::text("</script><!--\u{202e}")],
            }],
        };
        let json = table.json();
        assert!(!json.contains('<'), "{json}");
        let read: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(read["rows"][0][1][0], "</script><!--\u{fffd}");
    }

    #[test]
    fn shares_are_in_thousandths() {
        assert_eq!(Kind::Share.show(&Cell::share(1, 3)), "33.3 %");
        assert_eq!(Kind::Share.show(&Cell::share(1, 0)), "–");
        assert_eq!(Kind::Bytes.show(&Cell::Number(2_500_000)), "2.5 MB");
    }
}
