//! Parses the pages of a row group into rows of [`Block`](crate::plan::steps::block::Block).

use arrow::array::RecordBatch;
use arrow::datatypes::{Date32Type, Int64Type};
use boundary::guarded;
use chrono::NaiveDate;
use datafusion::error::Result;
use html_blocks::{Page, PageError};
use markdown::{LinkReader, Markup};
use metadata::MetadataReader;
use tables::{Reason, date_from_days};

use crate::plan::columns::blocks::BlockColumns;
use crate::plan::columns::page::ParsedPage;
use crate::plan::columns::said::Said;
use crate::plan::columns::schemas::RecordBatchExt;
use crate::plan::columns::status::Status;
use crate::plan::html_reader::{PageBytes, Pages};
use crate::plan::steps::rejected_pages::RejectedSender;
use crate::settings::Settings;

/// Parsed rows.
pub(super) struct Blocked {
    pub(super) rows: RecordBatch,
    /// The archive rows of unique pages that are quarantined or have no text block.
    rejected: Vec<i64>,
}

impl Blocked {
    /// Sends the rejected rows of `input`, the rows before they were parsed.
    pub(super) fn report_rejected(
        &self,
        input: &RecordBatch,
        rejected: &RejectedSender,
    ) -> Result<()> {
        if !self.rejected.is_empty() {
            let source = input.text("source")?.value(0).to_owned();
            // The receiver is gone if the row group has no copies.
            let _ = rejected.send((source, self.rejected.clone()));
        }
        Ok(())
    }
}

/// Quarantines rows whose HTML cannot be decoded.
pub(super) fn unreadable(rows: &RecordBatch, detail: &str, settings: &Settings) -> Result<Blocked> {
    let statuses = rows.statuses()?;
    let positions = rows.numbers::<Int64Type>("row")?;
    let dates = rows.numbers::<Date32Type>("date")?;
    let mut columns = BlockColumns::new(settings);
    let mut rejected = Vec::new();
    for row in 0..rows.num_rows() {
        let batch = settings.site.batching.batch_of(dates.value(row));
        columns.problem(batch, Reason::UnreadableRow, detail, None);
        if statuses.get(row)? == Status::Unique {
            rejected.push(positions.value(row));
        }
    }
    Ok(Blocked {
        rows: columns.finish(rows)?,
        rejected,
    })
}

/// Parses `pages`, one per row of `rows`.
pub(super) fn block(rows: &RecordBatch, pages: &Pages, settings: &Settings) -> Result<Blocked> {
    let positions = rows.numbers::<Int64Type>("row")?;
    let dates = rows.numbers::<Date32Type>("date")?;
    let (statuses, urls) = (rows.statuses()?, rows.text("url")?);
    let mut columns = BlockColumns::new(settings);
    let mut rejected = Vec::new();
    for (row, page) in pages.iter().enumerate() {
        let bytes = page.html.map(|html| html.len() as i64);
        let batch = settings.site.batching.batch_of(dates.value(row));
        let status = statuses.get(row)?;
        let fetched = Fetched {
            url: urls.value(row),
            date: date_from_days(dates.value(row)),
        };
        let parsed = parse(page, fetched, settings);
        if status == Status::Unique && !parsed.as_ref().is_ok_and(|parsed| has_text(&parsed.page)) {
            rejected.push(positions.value(row));
        }
        match parsed {
            Ok(parsed) => columns.page(status, batch, bytes, &parsed)?,
            Err((reason, detail)) => columns.problem(batch, reason, &detail, bytes),
        }
    }
    Ok(Blocked {
        rows: columns.finish(rows)?,
        rejected,
    })
}

/// Whether a page can be the first page of its URL key.
fn has_text(page: &Page) -> bool {
    !page.blocks.is_empty()
}

/// The fetch of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Fetched<'a> {
    pub(crate) url: &'a str,
    pub(crate) date: NaiveDate,
}

/// Parses one page. The error is the reason to quarantine the row, with a detail.
pub(crate) fn parse(
    page: PageBytes<'_>,
    fetched: Fetched<'_>,
    settings: &Settings,
) -> std::result::Result<ParsedPage, (Reason, String)> {
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
) -> std::result::Result<ParsedPage, (Reason, String)> {
    let options = &settings.site.blocks;
    let markup = settings.markdown.as_ref().map(|_| Markup::default());
    let observes = settings.write.metadata || settings.write.opt_out;
    let metadata = observes.then(MetadataReader::default);
    let links = settings.write_links.then(LinkReader::default);
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
    let write = settings.write;
    let opt_out = reader.as_ref().filter(|_| write.opt_out);
    let opt_out = opt_out.map(|reader| reader.opt_out(page.use_headers()));
    let metadata = reader.filter(|_| write.metadata);
    let metadata = metadata.map(|reader| reader.finish(fetched.url, fetched.date));
    let names = &settings.passed_through;
    let archive = (!names.is_empty()).then(|| page.passed_through(names));
    Some(Said::new(metadata.unwrap_or_default(), opt_out, archive))
}

fn reason(error: &PageError) -> Reason {
    match error {
        PageError::Empty { .. } => Reason::EmptyHtml,
        PageError::Binary { .. } => Reason::BinaryHtml,
    }
}
