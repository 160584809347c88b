//! Parses the pages of a row group into rows of [`Block`](crate::plan::steps::block::Block).

use std::sync::Arc;

use arrow::array::{ArrayRef, Int32Array, RecordBatch, StringArray};
use arrow::datatypes::{Date32Type, Int64Type};
use boundary::guarded;
use chrono::NaiveDate;
use datafusion::error::Result;
use html_blocks::PageError;
use markdown::{LinkReader, Markup};
use metadata::MetadataReader;
use tables::{Reason, Table, date_from_days};

use crate::plan::columns::blocks::BlockColumns;
use crate::plan::columns::page::ParsedPage;
use crate::plan::columns::said::Said;
use crate::plan::columns::schemas::{RecordBatchExt, project_to};
use crate::plan::columns::status::Status;
use crate::plan::html_reader::{PageBytes, Pages};
use crate::settings::Settings;
use crate::spec::Written;

/// Parsed rows.
pub(super) struct Blocked {
    pub(super) rows: RecordBatch,
    /// The archive rows of unique pages that are quarantined or have no text block.
    pub(super) rejected: Vec<i64>,
}

/// A page, or the reason to quarantine its row, with a detail.
type Parsed = std::result::Result<ParsedPage, (Reason, String)>;

impl Blocked {
    fn new(
        rows: &RecordBatch,
        pages: impl Iterator<Item = (Option<i64>, Parsed)>,
        settings: &Settings,
    ) -> Result<Self> {
        let positions = rows.numbers::<Int64Type>("row")?;
        let dates = rows.numbers::<Date32Type>("date")?;
        let statuses = rows.statuses()?;
        let mut columns = BlockColumns::new(settings);
        let mut rejected = Vec::new();
        for (row, (bytes, parsed)) in pages.enumerate() {
            let batch = settings.site.batching.batch_of(dates.value(row));
            let status = statuses.get(row)?;
            // A page without text is not the first page of its URL key.
            let has_text = |parsed: &ParsedPage| !parsed.page.blocks.is_empty();
            if status == Status::Unique && !parsed.as_ref().is_ok_and(has_text) {
                rejected.push(positions.value(row));
            }
            match parsed {
                Ok(parsed) => columns.page(status, batch, bytes, &parsed)?,
                Err((reason, detail)) => columns.problem(batch, reason, &detail, bytes),
            }
        }
        Ok(Self {
            rows: columns.finish(rows)?,
            rejected,
        })
    }
}

/// Returns duplicates as unique pages, which are parsed.
pub(super) fn as_unique(rows: &RecordBatch) -> Result<RecordBatch> {
    let count = rows.num_rows();
    let unique = Int32Array::from_value(Status::Unique as i32, count);
    let none = || Arc::new(StringArray::new_null(count));
    let given: Vec<(&str, ArrayRef)> = vec![
        ("status", Arc::new(unique)),
        ("merged_by", none()),
        ("duplicate_of", none()),
    ];
    project_to(rows, &rows.schema(), given)
}

/// Quarantines rows whose HTML cannot be decoded.
pub(super) fn unreadable(rows: &RecordBatch, detail: &str, settings: &Settings) -> Result<Blocked> {
    let problem = || (None, Err((Reason::UnreadableRow, detail.to_owned())));
    let problems = std::iter::repeat_with(problem).take(rows.num_rows());
    Blocked::new(rows, problems, settings)
}

/// Parses `pages`, one per row of `rows`.
pub(super) fn block(rows: &RecordBatch, pages: &Pages, settings: &Settings) -> Result<Blocked> {
    let (urls, dates) = (rows.text("url")?, rows.numbers::<Date32Type>("date")?);
    let parsed = pages.iter().enumerate().map(|(row, page)| {
        let fetched = Fetched {
            url: urls.value(row),
            date: date_from_days(dates.value(row)),
        };
        let bytes = page.html.map(|html| html.len() as i64);
        (bytes, parse(page, fetched, settings))
    });
    Blocked::new(rows, parsed, settings)
}

/// The fetch of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fetched<'a> {
    pub(crate) url: &'a str,
    pub(crate) date: NaiveDate,
}

/// Parses one page.
pub(crate) fn parse(page: PageBytes<'_>, fetched: Fetched<'_>, settings: &Settings) -> Parsed {
    let Some(html) = page.html else {
        return Err((Reason::MissingHtml, "html is null".to_owned()));
    };
    let parsed = guarded("HTML", html, || parse_html(html, page, fetched, settings));
    parsed.unwrap_or_else(|panic| Err((Reason::Parser, panic.to_string())))
}

fn parse_html(
    html: &[u8],
    page: PageBytes<'_>,
    fetched: Fetched<'_>,
    settings: &Settings,
) -> Parsed {
    let options = &settings.site.blocks;
    let markup = settings.markdown.as_ref().map(|_| Markup::default());
    let metadata = settings.observes_pages().then(MetadataReader::default);
    let links = settings.writes(Table::Links).then(LinkReader::default);
    let parsed = if markup.is_none() && metadata.is_none() && links.is_none() {
        html_blocks::page(html, page.charset, options).map(|page| (page, (None, (None, None))))
    } else {
        html_blocks::page_with(html, page.charset, options, (markup, (metadata, links)))
    };
    let (parsed, (markup, (metadata, links))) =
        parsed.map_err(|error| (reason(&error), error.to_string()))?;
    Ok(ParsedPage {
        page: parsed,
        markup: markup.map(|markup| markup.to_bytes()),
        said: said(page, fetched, metadata, settings),
        links: links
            .map(|links| links.finish(fetched.url))
            .unwrap_or_default(),
    })
}

/// Returns what the job writes of a page beside its texts.
fn said(
    page: PageBytes<'_>,
    fetched: Fetched<'_>,
    reader: Option<MetadataReader>,
    settings: &Settings,
) -> Option<Said> {
    if !settings.keeps_beside() {
        return None;
    }
    let written = &settings.written;
    let opt_out = reader.as_ref().filter(|_| written.has(Written::OptOut));
    let opt_out = opt_out.map(|reader| reader.opt_out(page.use_headers()));
    let metadata = reader.filter(|_| written.has(Written::Metadata));
    let metadata = metadata.map(|reader| reader.finish(fetched.url, fetched.date));
    let names = &settings.passed_through;
    let archive = (!names.is_empty()).then(|| page.passed_through(names));
    Some(Said {
        metadata: metadata.unwrap_or_default(),
        opt_out,
        archive,
    })
}

fn reason(error: &PageError) -> Reason {
    match error {
        PageError::Empty { .. } => Reason::EmptyHtml,
        PageError::Binary { .. } => Reason::BinaryHtml,
    }
}
