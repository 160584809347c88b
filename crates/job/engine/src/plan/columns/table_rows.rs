//! Rows of the tables `url_keys`, `quarantine`, `window_entries` and `documents`.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::array::{
    ArrayRef, Float64Array, Float64Builder, Int32Array, Int64Array, ListArray, ListBuilder,
    RecordBatch, StringArray, StringBuilder, UInt32Array,
};
use arrow::compute::take;
use arrow::datatypes::DataType;
use datafusion::error::{DataFusionError, Result};
use tables::{Partitioning, Table};
use text::signals::Signals;
use url_key::Branch;

use crate::language_model::Detector;
use crate::plan::columns::identity::identity_columns;
use crate::plan::columns::labels::{StoredLabels, labels_of};
use crate::plan::columns::page::{Pages, StoredPage};
use crate::plan::columns::said::said_columns;
use crate::plan::columns::schemas::{RecordBatchExt, list_field, value_opt};
use crate::plan::columns::signal_columns::signal_columns;
use crate::plan::columns::status::Status;
use crate::plan::columns::surt_columns::surt_columns;
use crate::settings::Settings;

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
    let branches = lists(rows.iter().map(|row| {
        let branch = Branch::from_key(keys.value(*row as usize));
        branch.items().to_vec()
    }));
    let hashes = values(batch, "entry_hashes", rows)?;
    table_rows(
        Table::WindowEntries,
        batch,
        rows,
        vec![
            ("entry", Arc::new(entries)),
            ("branch", Arc::new(branches)),
            ("hashes", hashes),
        ],
    )
}

/// The pages in rows of a batch.
pub(crate) struct PageRows<'a> {
    pub(crate) rows: Vec<u32>,
    /// The response URLs.
    urls: Vec<&'a str>,
    pub(crate) pages: Vec<StoredPage<'a>>,
    pub(crate) labels: Vec<StoredLabels<'a>>,
}

impl<'a> PageRows<'a> {
    /// Reads the pages in `rows`, of which none was left out.
    pub(crate) fn new(batch: &'a RecordBatch, rows: Vec<u32>) -> Result<Self> {
        let column = Pages(batch.bytes("page")?);
        let urls = batch.text("url")?;
        let labels = labels_of(batch, &rows)?;
        let page = |(row, labels): (&u32, &StoredLabels<'_>)| {
            let page = column.rest(*row as usize)?;
            let page =
                page.ok_or_else(|| DataFusionError::Internal("a page without texts".to_owned()))?;
            let (blocks, labels) = (page.texts.len(), labels.is_content.len());
            if blocks != labels {
                let mismatch = format!("{labels} labels for {blocks} blocks");
                return Err(DataFusionError::Internal(mismatch));
            }
            Ok(page)
        };
        Ok(Self {
            pages: rows.iter().zip(&labels).map(page).collect::<Result<_>>()?,
            urls: rows.iter().map(|row| urls.value(*row as usize)).collect(),
            rows,
            labels,
        })
    }
}

/// Content text and sizes of pages, from their blocks and labels.
pub(crate) struct DocumentTexts {
    pub(crate) text: StringArray,
    /// Whether the job writes signatures.
    write_minhash: bool,
    /// Whether the job writes SURTs.
    write_surt: bool,
    /// Null where the job writes no Markdown, and where it failed.
    markdown: StringArray,
    /// Null where the job writes no language, and where the text is too short.
    language: StringArray,
    language_score: Float64Array,
    language_label: StringArray,
    /// Of texts, if the job writes signals.
    signals: Vec<Option<Signals>>,
    /// Warnings about Markdown and languages that failed, by position of the page.
    failures: BTreeMap<usize, Vec<String>>,
    blocks: Int32Array,
    content_blocks: Int32Array,
    content_chars: Int64Array,
    boilerplate_chars: Int64Array,
}

impl DocumentTexts {
    /// Makes the texts of pages.
    ///
    /// # Errors
    /// If the model of languages cannot be read.
    pub(crate) fn new(rows: &PageRows<'_>, settings: &Settings) -> Result<Self> {
        let detector = Detector::new(settings.write.language, settings.language_model.as_ref())
            .map_err(|error| DataFusionError::External(error.into()))?;
        let mut text = StringBuilder::new();
        let mut markdowns = StringBuilder::new();
        let mut failures: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        let (mut languages, mut scores) = (StringBuilder::new(), Float64Builder::new());
        let mut language_labels = StringBuilder::new();
        let mut signals = Vec::new();
        let (mut blocks, mut content_blocks) = (Vec::new(), Vec::new());
        let (mut content_chars, mut boilerplate_chars) = (Vec::new(), Vec::new());
        let pages = rows.pages.iter().zip(&rows.labels);
        for ((page, labels), url) in pages.zip(&rows.urls) {
            let (mut content, mut kept) = (String::new(), 0);
            let (mut chars, mut dropped) = (0, 0);
            for (block, is_content) in page.texts.iter().zip(&labels.is_content) {
                let length = block.chars().count() as i64;
                if !is_content {
                    dropped += length;
                    continue;
                }
                if kept > 0 {
                    content.push('\n');
                }
                content.push_str(block);
                kept += 1;
                chars += length;
            }
            let markup = page.markup.unwrap_or_default();
            match settings.markdown_of(&page.texts, &labels.is_content, markup, url) {
                Ok(written) => markdowns.append_option(written),
                Err(error) => {
                    let failed = failures.entry(blocks.len()).or_default();
                    failed.push(format!("no_markdown: {error}"));
                    markdowns.append_null();
                }
            }
            let detected = detector.detect(&content).unwrap_or_else(|error| {
                let failed = failures.entry(blocks.len()).or_default();
                failed.push(format!("no_language: {error}"));
                None
            });
            languages.append_option(detected.as_ref().map(|(language, _)| &language.code));
            language_labels.append_option(detected.as_ref().map(|(language, _)| &language.label));
            scores.append_option(detected.map(|(_, score)| score));
            let write_signals = settings.write.signals;
            signals.push(write_signals.then(|| text::signals::signals(&content)));
            text.append_value(content);
            blocks.push(page.texts.len() as i32);
            content_blocks.push(kept);
            content_chars.push(chars);
            boilerplate_chars.push(dropped);
        }
        Ok(Self {
            text: text.finish(),
            write_minhash: settings.write.minhash,
            write_surt: settings.write.surt,
            markdown: markdowns.finish(),
            language: languages.finish(),
            language_score: scores.finish(),
            language_label: language_labels.finish(),
            signals,
            failures,
            blocks: blocks.into(),
            content_blocks: content_blocks.into(),
            content_chars: content_chars.into(),
            boilerplate_chars: boilerplate_chars.into(),
        })
    }
}

pub(crate) fn documents(
    batch: &RecordBatch,
    of: &PageRows<'_>,
    texts: DocumentTexts,
    heuristic: &str,
) -> Result<RecordBatch> {
    let (rows, pages) = (&of.rows, &of.pages);
    let titles = batch.text("title")?;
    let title: StringArray = (rows.iter().zip(pages))
        .map(|(row, page)| page.title.or_else(|| value_opt(titles, *row as usize)))
        .collect();
    let warnings = pages.iter().enumerate().map(|(at, page)| {
        let failures = texts.failures.get(&at).into_iter().flatten();
        let failures = failures.map(|failure| Cow::Borrowed(failure.as_str()));
        page.warnings.iter().cloned().chain(failures)
    });
    let warnings = lists(warnings);
    let text_of = |value: &dyn for<'a> Fn(&StoredPage<'a>) -> &'a str| -> ArrayRef {
        Arc::new(StringArray::from_iter_values(pages.iter().map(value)))
    };
    let supports = of.labels.iter().map(|labels| labels.support);
    let nodes = of.labels.iter().map(|labels| labels.node);
    let kinds = || of.labels.iter().map(|labels| labels.kind);
    let kind: StringArray = kinds().map(|kind| kind.map(|(name, _)| name)).collect();
    let kind_score: Float64Array = kinds()
        .map(|kind| kind.map(|(_, hundredths)| f64::from(hundredths) / 100.0))
        .collect();
    let heuristic = StringArray::from_iter_values(std::iter::repeat_n(heuristic, rows.len()));
    let mut given = said_columns(pages.iter().map(|page| page.said.as_deref()));
    given.extend(surt_columns(&of.urls, texts.write_surt));
    given.extend(signal_columns(&texts.signals));
    given.extend(identity_columns(
        batch,
        rows,
        &texts.text,
        texts.write_minhash,
    )?);
    let own: [(&str, ArrayRef); 19] = [
        ("status", Arc::new(batch.statuses()?.names(rows)?)),
        ("charset", text_of(&|page| page.charset)),
        ("charset_source", text_of(&|page| page.charset_source)),
        ("support", Arc::new(Int32Array::from_iter_values(supports))),
        ("node", Arc::new(StringArray::from_iter_values(nodes))),
        ("title", Arc::new(title)),
        ("page_kind", Arc::new(kind)),
        ("page_kind_score", Arc::new(kind_score)),
        ("text", Arc::new(texts.text)),
        ("markdown", Arc::new(texts.markdown)),
        ("language", Arc::new(texts.language)),
        ("language_score", Arc::new(texts.language_score)),
        ("language_label", Arc::new(texts.language_label)),
        ("blocks", Arc::new(texts.blocks)),
        ("content_blocks", Arc::new(texts.content_blocks)),
        ("content_chars", Arc::new(texts.content_chars)),
        ("boilerplate_chars", Arc::new(texts.boilerplate_chars)),
        ("heuristic", Arc::new(heuristic)),
        ("warnings", Arc::new(warnings)),
    ];
    given.extend(own);
    table_rows(Table::Documents, batch, rows, given)
}

/// Returns one list of texts per row.
fn lists<T: AsRef<str>>(rows: impl Iterator<Item = impl IntoIterator<Item = T>>) -> ListArray {
    let texts = ListBuilder::new(StringBuilder::new());
    let mut lists = texts.with_field(list_field(DataType::Utf8));
    for row in rows {
        lists.append_value(row.into_iter().map(Some));
    }
    lists.finish()
}
