//! Reads and parses pages of archive rows again, as a run parses them.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::NaiveDate;
use html_blocks::Page;
use object_store::ObjectStoreExt;
use template::{Layout, Outline};

use crate::archive::{ArchiveSource, ObjectState, OpenObject};
use crate::error::EngineError;
use crate::job::Job;
use crate::plan::columns::page::PageEncoding;
use crate::plan::html_reader::{PageBytes, PageStream, page_request};
use crate::plan::steps::parse_pages::{Fetched, parse};
use crate::settings::Settings;
use crate::tables_state::table_files::external;

/// The position of a page in the archive.
#[derive(Debug, Clone, Copy)]
pub struct PagePosition<'a> {
    /// Object in the archive, relative to its location.
    pub source: &'a str,
    /// Row in the object, from 0. `None` if the whole object could not be opened.
    pub row: Option<i64>,
    /// Response URL; empty where it is unknown.
    pub url: &'a str,
    /// UTC day of the fetch.
    pub date: NaiveDate,
}

/// A page of the archive, as a run parses it.
#[derive(Debug)]
#[non_exhaustive]
pub struct ArchivePage {
    /// The text blocks, and what the page has beside them.
    pub page: Page,
    /// The outline by which the template labels the page. `None` unless labels come from the template, or if the
    /// layout of the page is too large.
    pub outline: Option<Outline>,
    /// The encoded markup of the page, if the job writes Markdown.
    pub markup: Option<Vec<u8>>,
    /// The decoded HTML, if it was asked for.
    pub html: Option<String>,
}

/// Reads and parses the pages at `positions`, each row group once. An inner error is the reason why a page has no
/// blocks. Pages of at most `most_html` bytes have their HTML; with 0, none has.
///
/// # Errors
/// [`EngineError::Relabelled`] if an object does not have a row any more, and [`EngineError`] if the archive cannot be
/// read.
pub async fn read_pages(
    job: &Job,
    positions: &[PagePosition<'_>],
    most_html: usize,
) -> Result<Vec<Result<ArchivePage, String>>, EngineError> {
    let mut objects: BTreeMap<&str, BTreeMap<i64, usize>> = BTreeMap::new();
    for (at, position) in positions.iter().enumerate() {
        if let Some(row) = position.row {
            objects.entry(position.source).or_default().insert(row, at);
        }
    }
    let missing = |position: &PagePosition<'_>| match position.row {
        Some(_) => Err("the row has no page".to_owned()),
        None => Err("the object could not be opened".to_owned()),
    };
    let mut pages: Vec<_> = positions.iter().map(missing).collect();
    for (source, rows) in objects {
        let object = state(&job.archive, source).await?;
        let opened = job.archive.open(&object).await;
        let groups = row_groups(opened.map_err(EngineError::query)?.as_ref());
        let end = groups.last().map_or(0, |group| group.end);
        if let Some((row, at)) = rows.range(end..).next() {
            return Err(EngineError::Relabelled {
                url: positions[*at].url.to_owned(),
                difference: format!("{source} has no row {row}"),
            });
        }
        for (row_group, group) in (0..).zip(groups) {
            let rows: Vec<_> = rows.range(group).collect();
            if rows.is_empty() {
                continue;
            }
            let of_group = rows.iter().map(|(row, _)| **row).collect();
            let request = page_request(&job.archive, object.clone(), row_group, of_group);
            let read = request.read(&job.archive).await;
            let mut stream = PageStream::new(read.map_err(EngineError::query)?);
            let mut rows = rows.into_iter();
            while let Some(next) = stream.next().map_err(EngineError::query)? {
                match next {
                    Ok(read) => {
                        for (page, (_, at)) in read.iter().zip(rows.by_ref().take(read.len())) {
                            pages[*at] =
                                archive_page(page, positions[*at], &job.settings, most_html)?;
                        }
                    }
                    Err(error) => {
                        for (_, at) in rows.by_ref() {
                            pages[*at] = Err(error.to_string());
                        }
                    }
                }
            }
        }
    }
    Ok(pages)
}

fn archive_page(
    page: PageBytes<'_>,
    position: PagePosition<'_>,
    settings: &Settings,
    most_html: usize,
) -> Result<Result<ArchivePage, String>, EngineError> {
    let fetched = Fetched {
        url: position.url,
        date: position.date,
    };
    let parsed = match parse(page, fetched, settings) {
        Ok(parsed) => parsed,
        Err((_, detail)) => return Ok(Err(detail)),
    };
    let html = page.html.filter(|html| html.len() <= most_html);
    Ok(Ok(ArchivePage {
        outline: outline(&parsed.page, settings)?,
        page: parsed.page,
        markup: parsed.markup,
        html: html.and_then(|html| html_blocks::decode(html, page.charset).ok()),
    }))
}

/// The outline of a page, if its labels come from the template and its layout is not too large.
fn outline(page: &Page, settings: &Settings) -> Result<Option<Outline>, EngineError> {
    let (Some(layout), _) = PageEncoding::new(settings).layout(page) else {
        return Ok(None);
    };
    let layout =
        Layout::from_bytes(&layout).map_err(|error| EngineError::query(external(error)))?;
    Ok(Some(layout.outline()))
}

/// The state of an object now. A run has noted its own, and no table has it.
async fn state(archive: &ArchiveSource, source: &str) -> Result<ObjectState, EngineError> {
    let found = archive
        .location()?
        .store()
        .head(&archive.path(source)?)
        .await;
    let found = found.map_err(|error| EngineError::Store {
        doing: "read",
        object: source.to_owned(),
        source: error,
    })?;
    Ok(ObjectState {
        source: source.to_owned(),
        bytes: found.size,
        version: None,
    })
}

/// Returns the rows of each row group of an object.
fn row_groups(object: &OpenObject) -> Vec<Range<i64>> {
    let mut end = 0;
    let groups = object.metadata().row_groups().iter();
    let groups = groups.map(|group| {
        let begin = end;
        end += group.num_rows();
        begin..end
    });
    groups.collect()
}
