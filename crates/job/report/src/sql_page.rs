//! The page of a query: a form, and the rows that it gives.

use askama::Template;

use crate::error::ReportError;
use crate::format::grouped;
use crate::head::Head;
use crate::show;
use crate::site::{Site, domain_address, page_address, query_address};

/// Queries that a reader may begin with.
const EXAMPLES: [(&str, &str); 4] = [
    (
        "Pages with the least content",
        "SELECT url, domain, content_chars, boilerplate_chars, support\nFROM documents\n\
         ORDER BY content_chars, url\nLIMIT 100",
    ),
    (
        "Duplicates by the step that found them",
        "SELECT merged_by, count(*) AS rows\nFROM url_keys\nWHERE status = 'duplicate'\n\
         GROUP BY merged_by\nORDER BY rows DESC",
    ),
    (
        "Quarantine by reason",
        "SELECT reason, count(*) AS rows, min(url) AS url\nFROM quarantine\nGROUP BY reason\nORDER BY rows DESC",
    ),
    (
        "Dates and their runs",
        "SELECT date, archive_rows, unique_pages, quarantined, run_id\nFROM runs\nORDER BY date DESC",
    ),
];

/// The form of a query, with the outcome of the query in it.
#[derive(Debug, Clone, Default)]
pub struct SqlPage {
    /// The text of the form.
    pub query: String,
    /// The outcome; `None` if the query has not been run.
    pub outcome: Option<Outcome>,
    /// The tables that can be queried.
    pub tables: Vec<TableColumns>,
}

/// The outcome of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The query gave rows.
    Rows(ResultRows),
    /// The query was refused or failed: the reason.
    Failed(String),
    /// The query was cancelled after this time, in words.
    TimedOut(String),
}

/// The rows of a query, or the first of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultRows {
    /// The columns.
    pub columns: Vec<ResultColumn>,
    /// The values of each row.
    pub rows: Vec<Vec<Value>>,
    /// The limit that cut the rows off.
    pub cut: Option<Cut>,
}

/// A column of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultColumn {
    /// Its name.
    pub name: String,
    /// Whether its values are numbers.
    pub is_number: bool,
}

/// A value of a result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// SQL's `NULL`.
    Null,
    /// A whole value as text.
    Text(String),
    /// The beginning of a long value.
    Beginning(String),
}

/// A limit that cut a result off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// The number of rows.
    Rows,
    /// The size of the page.
    Bytes,
}

/// A table that can be queried.
#[derive(Debug, Clone, Default)]
pub struct TableColumns {
    /// Its name.
    pub name: String,
    /// The names of its columns, and what each has.
    pub columns: Vec<(String, String)>,
}

impl SqlPage {
    /// Renders the page of a live site.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(&self, version: &str) -> Result<String, ReportError> {
        let template = SqlTemplate {
            head: Head::new(Site::Live, "SQL".to_owned(), version, "SQL", ""),
            page: self,
        };
        template.render().map_err(ReportError::of("sql.html"))
    }

    /// The names of the examples, with the addresses of forms that have them.
    fn examples(&self) -> impl Iterator<Item = (&'static str, String)> {
        EXAMPLES
            .into_iter()
            .map(|(name, sql)| (name, query_address(sql)))
    }
}

impl ResultRows {
    fn said(&self) -> String {
        let rows = grouped(self.rows.len() as u64);
        match self.cut {
            None if self.rows.len() == 1 => "1 row".to_owned(),
            None => format!("{rows} rows"),
            Some(Cut::Rows) => format!(
                "The result is cut off: these are the first {rows} rows (--max-rows). `urltree sql --output \
                 FILE` writes all."
            ),
            Some(Cut::Bytes) => format!(
                "The result is cut off: these are the first {rows} rows, and more would make the page too \
                 large. Select fewer columns; `urltree sql --output FILE` writes all."
            ),
        }
    }

    fn cells<'r>(&'r self, row: &'r [Value]) -> impl Iterator<Item = Cell<'r>> {
        self.columns
            .iter()
            .zip(row)
            .map(|(column, value)| Cell { column, value })
    }
}

/// A value below its column.
struct Cell<'a> {
    column: &'a ResultColumn,
    value: &'a Value,
}

impl Cell<'_> {
    fn text(&self) -> &str {
        match self.value {
            Value::Null => "null",
            Value::Text(text) | Value::Beginning(text) => text,
        }
    }

    fn class(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            _ if self.column.is_number => "number",
            _ => "page-text",
        }
    }

    fn is_beginning(&self) -> bool {
        matches!(self.value, Value::Beginning(_))
    }

    /// The page of a URL or of a domain.
    fn address(&self) -> Option<String> {
        match (self.column.name.as_str(), self.value) {
            ("url" | "url_key", Value::Text(url)) => Some(page_address(url, None)),
            ("domain", Value::Text(domain)) => Some(domain_address(domain)),
            _ => None,
        }
    }
}

#[derive(Template)]
#[template(path = "sql.html")]
struct SqlTemplate<'a> {
    head: Head<'a>,
    page: &'a SqlPage,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(name: &str, value: Value) -> Outcome {
        Outcome::Rows(ResultRows {
            columns: vec![ResultColumn {
                name: name.to_owned(),
                is_number: false,
            }],
            rows: vec![vec![value]],
            cut: None,
        })
    }

    #[test]
    fn hostile_values_names_and_queries_are_escaped() {
        let attack = "</textarea><script>alert(1)</script>\u{202e}";
        let page = |outcome| SqlPage {
            query: attack.to_owned(),
            outcome: Some(outcome),
            tables: Vec::new(),
        };
        for outcome in [
            rows(attack, Value::Text(attack.to_owned())),
            rows("url", Value::Beginning(attack.to_owned())),
            Outcome::Failed(attack.to_owned()),
        ] {
            let html = page(outcome).to_html("").unwrap();
            assert!(!html.contains("<script"), "{html}");
            assert_eq!(html.matches("</textarea>").count(), 1, "{html}");
            assert!(html.contains("&#60;script&#62;"), "{html}");
        }
    }

    #[test]
    fn a_url_leads_to_its_page_and_never_to_itself() {
        let html = |name: &str, value| {
            let page = SqlPage {
                outcome: Some(rows(name, value)),
                ..SqlPage::default()
            };
            page.to_html("").unwrap()
        };
        let url = || Value::Text("javascript:alert(1)".to_owned());
        let link = "<a href=\"page?url=javascript%3Aalert%281%29\">javascript:alert(1)</a>";
        assert!(html("url", url()).contains(link));
        assert!(!html("title", url()).contains("href=\"page"));
        assert!(!html("url", Value::Null).contains("href=\"page"));
    }
}
