//! Builds the columns of parsed pages.

use std::sync::Arc;

use arrow::array::{
    ArrayRef, BinaryBuilder, Int32Builder, Int64Builder, RecordBatch, StringBuilder, new_null_array,
};
use arrow::datatypes::DataType;
use datafusion::error::Result;
use html_blocks::Page;
use site_replay::{Labelling, MAX_LAYOUT_BYTES};
use tables::Reason;
use template::{Layout, LayoutBlock, Title};
use url_parameters::Signature;

use crate::plan::columns::schemas::{BLOCKED, Phase, SEPARATOR, Status, project_to};
use crate::settings::Settings;

/// Most bytes of text that a page keeps through the sorts after Block. A usual page has some
/// 5 KB. The text of a larger page is dropped, and Write parses the page again.
///
/// Batches of sorts are counted in rows, and 256 rows with a text of 30 MB do not fit memory. A
/// lower value parses more pages twice.
const MAX_SORTED_BYTES: usize = 256 << 10;

/// A page that was parsed.
pub(crate) struct ParsedPage {
    pub(crate) page: Page,
    /// The bytes of its markup, if the job writes Markdown.
    pub(crate) markup: Option<Vec<u8>>,
    /// The bytes of what is known beside its texts, if the job writes it.
    pub(crate) metadata: Option<Vec<u8>>,
}

/// The columns that [`crate::plan::steps::block::Block`] adds.
pub(crate) struct BlockColumns {
    status: StringBuilder,
    reason: StringBuilder,
    detail: StringBuilder,
    bytes: Int64Builder,
    batch: Int64Builder,
    phase: Int32Builder,
    page_title: StringBuilder,
    charset: StringBuilder,
    charset_source: StringBuilder,
    warnings: StringBuilder,
    signature: BinaryBuilder,
    hashes: BinaryBuilder,
    /// `None` unless labels come from the template.
    layout: Option<BinaryBuilder>,
    blocks: TextColumns,
}

impl BlockColumns {
    pub(crate) fn new(settings: &Settings) -> Self {
        Self {
            status: StringBuilder::new(),
            reason: StringBuilder::new(),
            detail: StringBuilder::new(),
            bytes: Int64Builder::new(),
            batch: Int64Builder::new(),
            phase: Int32Builder::new(),
            page_title: StringBuilder::new(),
            charset: StringBuilder::new(),
            charset_source: StringBuilder::new(),
            warnings: StringBuilder::new(),
            signature: BinaryBuilder::new(),
            hashes: BinaryBuilder::new(),
            layout: (settings.site.labelling == Labelling::Template).then(BinaryBuilder::new),
            blocks: TextColumns::new(settings),
        }
    }

    /// Appends a page that was parsed.
    pub(crate) fn page(
        &mut self,
        status: Status,
        batch: i64,
        bytes: Option<i64>,
        parsed: &ParsedPage,
    ) {
        let page = &parsed.page;
        self.status.append_value(status.as_str());
        self.reason.append_null();
        self.detail.append_null();
        self.bytes.append_option(bytes);
        self.batch.append_value(batch);
        self.phase.append_value(Phase::Page as i32);
        self.page_title.append_option(page.title.as_deref());
        self.charset.append_value(page.charset);
        self.charset_source
            .append_value(page.charset_source.as_str());
        let layout = self.layout.is_some().then(|| layout(page));
        let heavy = layout
            .as_ref()
            .filter(|layout| layout.len() > MAX_LAYOUT_BYTES);
        let heavy = heavy.map(|layout| {
            let of = layout.len();
            format!("no_template: {MAX_LAYOUT_BYTES} of {of} bytes of layout")
        });
        let warnings = page.warnings.iter().map(ToString::to_string).chain(heavy);
        let warnings: Vec<String> = warnings.collect();
        self.warnings.append_value(warnings.join(SEPARATOR));
        self.signature.append_value(Signature::new(page).to_bytes());
        let hashes: Vec<[u8; 16]> = page.blocks.iter().map(|block| block.hash).collect();
        self.hashes.append_value(hashes.as_flattened());
        if let Some(layouts) = &mut self.layout {
            // A page without a layout is labelled by the counts of its blocks only.
            layouts.append_option(layout.filter(|layout| layout.len() <= MAX_LAYOUT_BYTES));
        }
        let is_left_out = match status {
            Status::Unique => self.blocks.bytes(parsed) > MAX_SORTED_BYTES,
            Status::Audited => true,
            // A revision candidate keeps its texts: Site needs their lengths.
            _ => false,
        };
        if is_left_out {
            self.blocks.append_null();
        } else {
            self.blocks.append(parsed);
        }
    }

    /// Appends a row that is quarantined. `batch` sorts it among the rows of its domain.
    pub(crate) fn problem(&mut self, batch: i64, reason: Reason, detail: &str, bytes: Option<i64>) {
        self.status.append_value(Status::Quarantined.as_str());
        self.reason.append_value(reason.code());
        self.detail.append_value(detail);
        self.bytes.append_option(bytes);
        self.batch.append_value(batch);
        self.phase.append_value(Phase::PassThrough as i32);
        self.page_title.append_null();
        self.charset.append_null();
        self.charset_source.append_null();
        self.warnings.append_null();
        self.signature.append_null();
        self.hashes.append_null();
        if let Some(layouts) = &mut self.layout {
            layouts.append_null();
        }
        self.blocks.append_null();
    }

    /// Adds the columns to `rows`.
    pub(crate) fn finish(mut self, rows: &RecordBatch) -> Result<RecordBatch> {
        let mut given: Vec<(&str, ArrayRef)> = vec![
            ("status", Arc::new(self.status.finish())),
            ("reason", Arc::new(self.reason.finish())),
            ("detail", Arc::new(self.detail.finish())),
            ("bytes", Arc::new(self.bytes.finish())),
            ("batch", Arc::new(self.batch.finish())),
            ("phase", Arc::new(self.phase.finish())),
            ("page_title", Arc::new(self.page_title.finish())),
            ("charset", Arc::new(self.charset.finish())),
            ("charset_source", Arc::new(self.charset_source.finish())),
            ("warnings", Arc::new(self.warnings.finish())),
            ("signature", Arc::new(self.signature.finish())),
            ("hashes", Arc::new(self.hashes.finish())),
        ];
        if let Some(mut layout) = self.layout {
            given.push(("layout", Arc::new(layout.finish())));
        }
        given.extend(self.blocks.finish());
        project_to(rows, &BLOCKED, given)
    }
}

/// Returns the encoded layout of a page, from which the template of its site is counted.
pub(crate) fn layout(page: &Page) -> Vec<u8> {
    let title = Title::new(page.title.as_deref().unwrap_or_default());
    let blocks: Vec<LayoutBlock<'_>> = page
        .blocks
        .iter()
        .map(|block| {
            let (path, shared) = (&*block.dom_path, block.common_prefix);
            LayoutBlock::new(path, shared, &block.text, block.link_chars, &title)
        })
        .collect();
    Layout::to_bytes(&blocks)
}

/// Builds the columns that only Write needs.
pub(crate) struct TextColumns {
    texts: StringBuilder,
    /// `None` unless the job writes Markdown.
    markup: Option<BinaryBuilder>,
    /// `None` unless the job writes what pages say.
    metadata: Option<BinaryBuilder>,
    /// `None` unless the job writes `blocks`.
    details: Option<DetailColumns>,
    rows: usize,
}

struct DetailColumns {
    link_chars: BinaryBuilder,
    slots: StringBuilder,
    chrome: BinaryBuilder,
}

impl TextColumns {
    pub(crate) fn new(settings: &Settings) -> Self {
        let details = || DetailColumns {
            link_chars: BinaryBuilder::new(),
            slots: StringBuilder::new(),
            chrome: BinaryBuilder::new(),
        };
        Self {
            texts: StringBuilder::new(),
            markup: settings.markdown.as_ref().map(|_| BinaryBuilder::new()),
            metadata: settings.keeps_beside().then(BinaryBuilder::new),
            details: settings.write_blocks.then(details),
            rows: 0,
        }
    }

    /// Returns the bytes that `parsed` takes in these columns.
    fn bytes(&self, parsed: &ParsedPage) -> usize {
        let slots = usize::from(self.details.is_some());
        let blocks = parsed.page.blocks.iter();
        let blocks = blocks.map(|block| block.text.len() + slots * block.dom_path.len());
        let beside = [&parsed.markup, &parsed.metadata].into_iter().flatten();
        blocks.sum::<usize>() + beside.map(Vec::len).sum::<usize>()
    }

    pub(crate) fn append(&mut self, parsed: &ParsedPage) {
        let blocks = &parsed.page.blocks;
        self.rows += 1;
        let texts: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        self.texts.append_value(texts.join(SEPARATOR));
        if let Some(markup) = &mut self.markup {
            markup.append_option(parsed.markup.as_deref());
        }
        if let Some(metadata) = &mut self.metadata {
            metadata.append_option(parsed.metadata.as_deref());
        }
        if let Some(details) = &mut self.details {
            let link_chars: Vec<[u8; 4]> = blocks
                .iter()
                .map(|block| block.link_chars.to_le_bytes())
                .collect();
            details.link_chars.append_value(link_chars.as_flattened());
            let slots: Vec<&str> = blocks.iter().map(|block| &*block.dom_path).collect();
            details.slots.append_value(slots.join(SEPARATOR));
            let chrome: Vec<u8> = blocks.iter().map(|block| block.chrome.into()).collect();
            details.chrome.append_value(chrome);
        }
    }

    fn append_null(&mut self) {
        self.rows += 1;
        self.texts.append_null();
        if let Some(markup) = &mut self.markup {
            markup.append_null();
        }
        if let Some(metadata) = &mut self.metadata {
            metadata.append_null();
        }
        if let Some(details) = &mut self.details {
            details.link_chars.append_null();
            details.slots.append_null();
            details.chrome.append_null();
        }
    }

    pub(crate) fn finish(mut self) -> [(&'static str, ArrayRef); 6] {
        let nulls = |data_type| new_null_array(&data_type, self.rows);
        let bytes = |column: Option<BinaryBuilder>| -> ArrayRef {
            match column {
                Some(mut column) => Arc::new(column.finish()),
                None => nulls(DataType::Binary),
            }
        };
        let (markup, metadata) = (bytes(self.markup), bytes(self.metadata));
        let (link_chars, slots, chrome): (ArrayRef, ArrayRef, ArrayRef) = match self.details {
            Some(mut details) => (
                Arc::new(details.link_chars.finish()),
                Arc::new(details.slots.finish()),
                Arc::new(details.chrome.finish()),
            ),
            None => (
                nulls(DataType::Binary),
                nulls(DataType::Utf8),
                nulls(DataType::Binary),
            ),
        };
        [
            ("texts", Arc::new(self.texts.finish())),
            ("markup", markup),
            ("metadata", metadata),
            ("link_chars", link_chars),
            ("slots", slots),
            ("chrome", chrome),
        ]
    }
}
