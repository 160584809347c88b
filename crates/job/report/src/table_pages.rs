//! The pages with one large table: domains, and the quarantine.

use askama::Template;

use crate::error::ReportError;
use crate::format::grouped;
use crate::head::Head;
use crate::listed::ListedPage;
use crate::show;
use crate::site::Site;
use crate::table::{Cell, Column, Kind, Row, SCRIPT, Table};

/// A domain in the table of all domains.
#[derive(Debug, Clone, Default)]
pub struct DomainRow {
    /// Public suffix and one label.
    pub domain: String,
    /// The address of its page, relative to the table.
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
pub fn domains_page(site: Site, dates: &str, domains: &[DomainRow]) -> Result<String, ReportError> {
    const CHANGES: &str = "Template changes";
    const COLUMNS: [(&str, Kind); 11] = [
        ("Domain", Kind::Text),
        ("Pages", Kind::Number),
        ("Duplicates", Kind::Number),
        ("Kept", Kind::Share),
        ("Pages without content", Kind::Number),
        ("Charset guessed", Kind::Number),
        ("Support", Kind::Number),
        (CHANGES, Kind::Number),
        ("Learned parameters", Kind::Number),
        ("Quarantined", Kind::Number),
        ("Text", Kind::Number),
    ];
    let number = Cell::Number;
    // A live table would have to read the window entries of all domains for it.
    let is_shown = |name: &str| site == Site::Files || name != CHANGES;
    let cells = |domain: &DomainRow| {
        [
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
        ]
    };
    let rows = domains.iter().map(|domain| Row {
        href: domain.file.clone(),
        cells: (COLUMNS.iter().zip(cells(domain)))
            .filter(|((name, _), _)| is_shown(name))
            .map(|(_, cell)| cell)
            .collect(),
    });
    let columns = COLUMNS.into_iter().filter(|(name, _)| is_shown(name));
    let columns: Vec<_> = columns.collect();
    let with_page = domains
        .iter()
        .filter(|domain| domain.file.is_some())
        .count();
    let own_page = match site {
        Site::Files => format!(
            " {} of them have their own page.",
            grouped(with_page as u64)
        ),
        Site::Live => String::new(),
    };
    let about = format!(
        "{} domains, the largest first.{own_page} Kept is the share of characters in content blocks; text is \
         their number.",
        grouped(domains.len() as u64),
    );
    let head = Head::new(site, "Domains".to_owned(), dates, "Domains", SCRIPT);
    // Without a script, a table has its first rows only and no search.
    let form = (site == Site::Live).then_some(Form {
        action: "domain",
        fields: vec![("name", "Name of a domain, or a part of it", "")],
        button: "Open",
        is_without_script: true,
    });
    render(head, form, about, &columns, rows.collect())
}

/// The pages that a reader looks for.
#[derive(Debug, Clone, Default)]
pub struct Searched {
    /// A text of their URLs, titles or texts; empty for all.
    pub text: String,
    /// Their domain; empty for any.
    pub domain: String,
    /// The first of them, the newest first.
    pub pages: Vec<ListedPage>,
    /// Whether there are more.
    pub is_cut: bool,
}

/// Renders the pages of a live site that a reader looks for.
///
/// # Errors
/// [`ReportError`], which does not happen: rendering writes to memory.
pub fn pages_page(dates: &str, searched: &Searched) -> Result<String, ReportError> {
    const COLUMNS: [(&str, Kind); 5] = [
        ("URL", Kind::Text),
        ("Title", Kind::Text),
        ("Domain", Kind::Text),
        ("Fetched", Kind::Text),
        ("Text", Kind::Number),
    ];
    let rows = searched.pages.iter().map(|page| Row {
        href: page.file.clone(),
        cells: vec![
            Cell::text(&page.url),
            Cell::text(&page.title),
            Cell::text(&page.domain),
            Cell::Text(page.time()),
            Cell::Number(page.content_chars),
        ],
    });
    let shown = grouped(searched.pages.len() as u64);
    let about = match searched.is_cut {
        true => format!("The newest {shown} of these pages; more are not shown."),
        false => format!("{shown} pages, the newest first."),
    };
    let form = Form {
        action: "search",
        fields: vec![
            (
                "text",
                "Text in the URL, the title or the text",
                &searched.text,
            ),
            ("domain", "Domain", &searched.domain),
        ],
        button: "Find",
        is_without_script: false,
    };
    let head = Head::new(Site::Live, "Pages".to_owned(), dates, "Pages", SCRIPT);
    render(head, Some(form), about, &COLUMNS, rows.collect())
}

/// Renders the quarantine. `total` is the number of all rows, of which `rows` may be the first.
///
/// # Errors
/// [`ReportError`], which does not happen: rendering writes to memory.
pub fn quarantine_page(
    site: Site,
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
    let head = Head::new(site, "Quarantine".to_owned(), dates, "Quarantine", SCRIPT);
    render(head, None, about, &COLUMNS, rows.collect())
}

fn render(
    head: Head<'_>,
    form: Option<Form<'_>>,
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
        heading: head.here,
        head,
        form,
        about,
        json: table.json(),
        script: SCRIPT,
        table,
    };
    template
        .render()
        .map_err(ReportError::of("table_page.html"))
}

/// A form above a table.
struct Form<'a> {
    action: &'static str,
    /// Name, label and value.
    fields: Vec<(&'static str, &'static str, &'a str)>,
    button: &'static str,
    /// Whether it is for readers without scripts alone: the script of the table does the same.
    is_without_script: bool,
}

#[derive(Template)]
#[template(path = "table_page.html")]
struct TablePage<'a> {
    head: Head<'a>,
    heading: &'static str,
    form: Option<Form<'a>>,
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
