//! Rows of the tables `url_keys`, `quarantine`, `window_entries` and `documents`.

use std::sync::Arc;

use arrow::array::{ArrayRef, BinaryArray, RecordBatch, StringArray, UInt32Array};
use arrow::compute::take;
use datafusion::common::{internal_datafusion_err, internal_err};
use datafusion::error::Result;
use tables::{Partitioning, Table};
use text::language::Labelled;
use text::signals::Signals;
use url_key::Branch;
use url_tree::BlockHash;

use crate::language_model::Detector;
use crate::plan::columns::column::{Named, column, text_lists};
use crate::plan::columns::identity::identity_columns;
use crate::plan::columns::labels::{LabelDetail, StoredLabels, labels_of};
use crate::plan::columns::page::{Pages, StoredBlock, StoredPage};
use crate::plan::columns::said::said_columns;
use crate::plan::columns::schemas::{RecordBatchExt, value_opt};
use crate::plan::columns::signal_columns::signal_columns;
use crate::plan::columns::status::Status;
use crate::plan::columns::surt_columns::surt_columns;
use crate::settings::Settings;
use crate::spec::Written;
use crate::tables_state::table_files::external;

/// Projects `rows` of `batch` to the columns of `table`. A column comes from `given`, else from
/// the column of the same name.
pub(crate) fn table_rows(
    table: Table,
    batch: &RecordBatch,
    rows: &[u32],
    given: Vec<(&str, ArrayRef)>,
) -> Result<RecordBatch> {
    let schema = table.schema(Partitioning::Day);
    let columns = schema
        .fields()
        .iter()
        .map(
            |field| match given.iter().find(|(name, _)| name == field.name()) {
                Some((_, array)) => Ok(Arc::clone(array)),
                None => values(batch, field.name(), rows),
            },
        )
        .collect::<Result<_>>()?;
    Ok(RecordBatch::try_new(schema, columns)?)
}

/// Returns a column of `rows`. For `blocks`, a row occurs once per block of its page.
fn values(batch: &RecordBatch, name: &str, rows: &[u32]) -> Result<ArrayRef> {
    let array = batch.array(name)?;
    let all = 0..batch.num_rows() as u32;
    if rows.iter().copied().eq(all) {
        return Ok(Arc::clone(array));
    }
    Ok(take(array, &UInt32Array::from(rows.to_vec()), None)?)
}

pub(crate) fn url_keys(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let status = Arc::new(batch.statuses()?.names(rows)?);
    table_rows(Table::UrlKeys, batch, rows, vec![("status", status)])
}

pub(crate) fn quarantine(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    table_rows(Table::Quarantine, batch, rows, Vec::new())
}

pub(crate) fn window_entries(batch: &RecordBatch, rows: &[u32]) -> Result<RecordBatch> {
    let statuses = batch.statuses()?;
    let entry = |row: &u32| {
        Ok(Some(match statuses.get(*row as usize)? {
            Status::Revision => "revision",
            _ => "document",
        }))
    };
    let entries: StringArray = rows.iter().map(entry).collect::<Result<_>>()?;
    let keys = batch.text("url_key")?;
    let branches = text_lists(
        "branch",
        rows.iter().map(|row| {
            let branch = Branch::from_key(keys.value(*row as usize));
            Some(branch.items().to_vec())
        }),
    );
    let hashes = values(batch, "entry_hashes", rows)?;
    table_rows(
        Table::WindowEntries,
        batch,
        rows,
        vec![("entry", Arc::new(entries)), branches, ("hashes", hashes)],
    )
}

/// The pages in rows of a batch.
pub(crate) struct PageRows<'a> {
    pub(crate) rows: Vec<u32>,
    /// The response URLs.
    urls: Vec<&'a str>,
    pub(crate) pages: Vec<StoredPage<'a>>,
    pub(crate) labels: Vec<StoredLabels<'a>>,
    hashes: &'a BinaryArray,
}

/// A block of a page, if the job writes `blocks` or `site_blocks`.
pub(crate) struct PageBlock<'a> {
    /// The row of its page.
    pub(crate) row: u32,
    /// In the page.
    pub(crate) ordinal: i32,
    pub(crate) hash: &'a BlockHash,
    pub(crate) text: &'a str,
    pub(crate) is_content: bool,
    pub(crate) detail: &'a StoredBlock<'a>,
    pub(crate) label: &'a LabelDetail<'a>,
}

impl<'a> PageRows<'a> {
    /// Reads the pages in `rows`, of which none was left out.
    pub(crate) fn new(batch: &'a RecordBatch, rows: Vec<u32>) -> Result<Self> {
        let column = Pages(batch.bytes("page")?);
        let urls = batch.text("url")?;
        let labels = labels_of(batch, &rows)?;
        let page = |(row, labels): (&u32, &StoredLabels<'_>)| {
            let page = column.rest(*row as usize)?;
            let page = page.ok_or_else(|| internal_datafusion_err!("a page without texts"))?;
            let (blocks, labels) = (page.texts.len(), labels.is_content.len());
            if blocks != labels {
                return internal_err!("{labels} labels for {blocks} blocks");
            }
            Ok(page)
        };
        Ok(Self {
            pages: rows.iter().zip(&labels).map(page).collect::<Result<_>>()?,
            urls: rows.iter().map(|row| urls.value(*row as usize)).collect(),
            hashes: batch.bytes("hashes")?,
            rows,
            labels,
        })
    }

    /// Returns the blocks of the page at `position`.
    pub(crate) fn blocks(&self, position: usize) -> Result<Vec<PageBlock<'_>>> {
        let (page, labels) = (&self.pages[position], &self.labels[position]);
        let row = self.rows[position];
        let (hashes, _) = self.hashes.value(row as usize).as_chunks();
        let block = |(ordinal, is_content): (usize, &bool)| {
            Some(PageBlock {
                row,
                ordinal: ordinal as i32,
                hash: hashes.get(ordinal)?,
                text: page.texts.get(ordinal)?,
                is_content: *is_content,
                detail: page.details.get(ordinal)?,
                label: labels.details.get(ordinal)?,
            })
        };
        let blocks = labels.is_content.iter().enumerate().map(block);
        let blocks: Option<_> = blocks.collect();
        blocks.ok_or_else(|| internal_datafusion_err!("a block has no details"))
    }
}

/// The content text of a page, from its blocks and labels, and what is computed from it.
pub(crate) struct DocumentText {
    pub(crate) text: String,
    /// `None` where the job writes no Markdown, and where it failed.
    markdown: Option<String>,
    /// `None` where the job writes no language, and where the text is too short.
    language: Option<(Labelled, f64)>,
    /// If the job writes signals.
    signals: Option<Signals>,
    /// Warnings about Markdown and languages that failed.
    failures: Vec<String>,
    content_blocks: i32,
    content_chars: i64,
    boilerplate_chars: i64,
}

/// Makes the texts of pages.
///
/// # Errors
/// If the model of languages cannot be read.
pub(crate) fn document_texts(
    rows: &PageRows<'_>,
    settings: &Settings,
) -> Result<Vec<DocumentText>> {
    let detector = Detector::new(
        settings.written.has(Written::Language),
        settings.language_model.as_ref(),
    )
    .map_err(external)?;
    let pages = rows.pages.iter().zip(&rows.labels).zip(&rows.urls);
    let texts = pages.map(|((page, labels), url)| {
        let is_content = &labels.is_content;
        DocumentText::new(page, is_content, url, settings, &detector)
    });
    Ok(texts.collect())
}

impl DocumentText {
    fn new(
        page: &StoredPage<'_>,
        is_content: &[bool],
        url: &str,
        settings: &Settings,
        detector: &Detector<'_>,
    ) -> Self {
        let (mut text, mut content_blocks) = (String::new(), 0);
        let (mut content_chars, mut boilerplate_chars) = (0, 0);
        for (block, is_content) in page.texts.iter().zip(is_content) {
            let length = block.chars().count() as i64;
            if !is_content {
                boilerplate_chars += length;
                continue;
            }
            if content_blocks > 0 {
                text.push('\n');
            }
            text.push_str(block);
            content_blocks += 1;
            content_chars += length;
        }
        let mut failures = Vec::new();
        let markup = page.markup.unwrap_or_default();
        let markdown = settings.markdown_of(&page.texts, is_content, markup, url);
        let markdown = markdown.unwrap_or_else(|error| {
            failures.push(format!("no_markdown: {error}"));
            None
        });
        let language = detector.detect(&text).unwrap_or_else(|error| {
            failures.push(format!("no_language: {error}"));
            None
        });
        let write_signals = settings.written.has(Written::Signals);
        Self {
            markdown,
            language,
            signals: write_signals.then(|| text::signals::signals(&text)),
            failures,
            content_blocks,
            content_chars,
            boilerplate_chars,
            text,
        }
    }
}

pub(crate) fn documents(
    batch: &RecordBatch,
    of: &PageRows<'_>,
    texts: &[DocumentText],
    settings: &Settings,
) -> Result<RecordBatch> {
    let (rows, pages, labels) = (&of.rows, &of.pages, &of.labels);
    let titles = batch.text("title")?;
    let title: StringArray = (rows.iter().zip(pages))
        .map(|(row, page)| page.title.or_else(|| value_opt(titles, *row as usize)))
        .collect();
    let warnings = pages.iter().zip(texts).map(|(page, text)| {
        let failures = text.failures.iter().map(String::as_str);
        Some(
            page.warnings
                .iter()
                .map(|warning| &**warning)
                .chain(failures),
        )
    });
    let kind_score = |labels: &StoredLabels<'_>| Some(f64::from(labels.kind?.1) / 100.0);
    let language = |name, of: fn(&Labelled) -> &str| {
        column(name, texts, move |text| {
            Some(of(&text.language.as_ref()?.0))
        })
    };
    let score = |text: &DocumentText| Some(text.language.as_ref()?.1);
    let heuristic = settings.site.labelling.to_string();
    let signals: Vec<_> = texts.iter().map(|text| text.signals.as_ref()).collect();
    let contents: Vec<&str> = texts.iter().map(|text| text.text.as_str()).collect();
    let mut given = said_columns(pages.iter().map(|page| page.said.as_deref()));
    given.extend(surt_columns(&of.urls, settings.written.has(Written::Surt)));
    given.extend(signal_columns(&signals));
    given.extend(identity_columns(
        batch,
        rows,
        &contents,
        settings.written.has(Written::Minhash),
    )?);
    let own: Vec<Named> = vec![
        ("status", Arc::new(batch.statuses()?.names(rows)?)),
        column("charset", pages, |page| Some(page.charset)),
        column("charset_source", pages, |page| Some(page.charset_source)),
        column("support", labels, |labels| Some(labels.support)),
        column("node", labels, |labels| Some(labels.node)),
        ("title", Arc::new(title)),
        column("page_kind", labels, |labels| Some(labels.kind?.0)),
        column("page_kind_score", labels, kind_score),
        column("text", &contents, |text| Some(*text)),
        column("markdown", texts, |text| text.markdown.as_deref()),
        language("language", |language| &language.code),
        column("language_score", texts, score),
        language("language_label", |language| &language.label),
        column("blocks", pages, |page| Some(page.texts.len() as i32)),
        column("content_blocks", texts, |text| Some(text.content_blocks)),
        column("content_chars", texts, |text| Some(text.content_chars)),
        column("boilerplate_chars", texts, |text| {
            Some(text.boilerplate_chars)
        }),
        column("heuristic", pages, |_| Some(&*heuristic)),
        text_lists("warnings", warnings),
    ];
    given.extend(own);
    table_rows(Table::Documents, batch, rows, given)
}
