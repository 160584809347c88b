//! The pages with one large table: domains, and the quarantine.

use askama::Template;

use crate::error::ReportError;
use crate::format::grouped;
use crate::head::Head;
use crate::show;
use crate::table::{Cell, Column, Kind, Row, SCRIPT, Table};

/// A domain in the table of all domains.
#[derive(Debug, Clone, Default)]
pub struct DomainRow {
    /// Public suffix and one label.
    pub domain: String,
    /// The file of its page, relative to the folder of the report.
    pub file: Option<String>,
    /// Rows of `documents`.
    pub pages: u64,
    /// Rows of the archive that are duplicates.
    pub duplicates: u64,
    /// Characters in content blocks.
    pub content_chars: u64,
    /// Characters in boilerplate blocks.
    pub boilerplate_chars: u64,
    /// Pages of which no block is kept.
    pub without_content: u64,
    /// Pages whose charset was guessed.
    pub guessed_charsets: u64,
    /// Most pages that were counted at a node that decided.
    pub support: u64,
    /// Main DOM paths that appeared after the site was known.
    pub template_changes: Option<u64>,
    /// Parts of URLs that were learned to be noise or to identify pages.
    pub learned: u64,
    /// Rows in quarantine.
    pub quarantined: u64,
}

/// A row of the quarantine.
#[derive(Debug, Clone, Default)]
pub struct QuarantineRow {
    /// URL, as in the archive.
    pub url: String,
    /// Code of the reason.
    pub reason: String,
    /// The reason in words.
    pub detail: String,
    /// Object in the archive.
    pub source: String,
    /// Row in the object, from 0; `None` for the whole object.
    pub row: Option<u64>,
    /// YYYY-MM-DD
    pub date: String,
    /// Bytes of HTML of the row, or of the object.
    pub bytes: Option<u64>,
}

/// Renders the table of all domains.
///
/// # Errors
/// [`ReportError`], which does not happen: rendering writes to memory.
pub fn domains_page(dates: &str, domains: &[DomainRow]) -> Result<String, ReportError> {
    const COLUMNS: [(&str, Kind); 11] = [
        ("Domain", Kind::Text),
        ("Pages", Kind::Number),
        ("Duplicates", Kind::Number),
        ("Kept", Kind::Share),
        ("Pages without content", Kind::Number),
        ("Charset guessed", Kind::Number),
        ("Support", Kind::Number),
        ("Template changes", Kind::Number),
        ("Learned parameters", Kind::Number),
        ("Quarantined", Kind::Number),
        ("Text", Kind::Number),
    ];
    let number = Cell::Number;
    let rows = domains.iter().map(|domain| Row {
        href: domain.file.clone(),
        cells: vec![
            Cell::text(&domain.domain),
            number(domain.pages),
            number(domain.duplicates),
            Cell::share(
                domain.content_chars,
                domain.content_chars + domain.boilerplate_chars,
            ),
            number(domain.without_content),
            number(domain.guessed_charsets),
            number(domain.support),
            domain.template_changes.map_or(Cell::Missing, number),
            number(domain.learned),
            number(domain.quarantined),
            number(domain.content_chars),
        ],
    });
    let with_page = domains
        .iter()
        .filter(|domain| domain.file.is_some())
        .count();
    let about = format!(
        "{} domains, the largest first. {} of them have their own page. Kept is the share of characters \
         in content blocks; text is their number.",
        grouped(domains.len() as u64),
        grouped(with_page as u64)
    );
    render("Domains", dates, about, &COLUMNS, rows.collect())
}

/// Renders the quarantine. `total` is the number of all rows, of which `rows` may be the first.
///
/// # Errors
/// [`ReportError`], which does not happen: rendering writes to memory.
pub fn quarantine_page(
    dates: &str,
    rows: &[QuarantineRow],
    total: u64,
) -> Result<String, ReportError> {
    const COLUMNS: [(&str, Kind); 7] = [
        ("URL", Kind::Text),
        ("Reason", Kind::Text),
        ("Detail", Kind::Text),
        ("Object", Kind::Text),
        ("Row", Kind::Number),
        ("Date", Kind::Text),
        ("Size", Kind::Bytes),
    ];
    let number = |value: Option<u64>| value.map_or(Cell::Missing, Cell::Number);
    let shown = rows.len() as u64;
    let rows = rows.iter().map(|row| Row {
        href: None,
        cells: vec![
            Cell::text(&row.url),
            Cell::text(&row.reason),
            Cell::text(&row.detail),
            Cell::text(&row.source),
            number(row.row),
            Cell::text(&row.date),
            number(row.bytes),
        ],
    });
    let about = match total > shown {
        true => format!(
            "The first {} of {} rows of the archive that could not be processed. `urltree sql` has all.",
            grouped(shown),
            grouped(total)
        ),
        false => format!(
            "Rows of the archive that could not be processed: {}.",
            grouped(total)
        ),
    };
    render("Quarantine", dates, about, &COLUMNS, rows.collect())
}

fn render(
    name: &'static str,
    dates: &str,
    about: String,
    columns: &[(&'static str, Kind)],
    rows: Vec<Row>,
) -> Result<String, ReportError> {
    let columns = columns
        .iter()
        .map(|(label, kind)| Column { label, kind: *kind });
    let table = Table {
        columns: columns.collect(),
        rows,
    };
    let template = TablePage {
        head: Head::new(name.to_owned(), dates, name, SCRIPT),
        heading: name,
        about,
        json: table.json(),
        script: SCRIPT,
        table,
    };
    template
        .render()
        .map_err(ReportError::of("table_page.html"))
}

#[derive(Template)]
#[template(path = "table_page.html")]
struct TablePage<'a> {
    head: Head<'a>,
    heading: &'static str,
    about: String,
    table: Table,
    json: String,
    script: &'static str,
}

impl TablePage<'_> {
    fn cells<'r>(&'r self, row: &'r Row) -> impl Iterator<Item = (&'r Column, &'r Cell)> {
        self.table.columns.iter().zip(&row.cells)
    }
}
