//! A page with labels: blocks, text, Markdown.

use std::borrow::Cow;
use std::sync::Arc;

use markdown::{MarkdownOptions, Markup, MarkupError};
use metadata::Metadata;
use serde::{Deserialize, Serialize};
use site_replay::PageLabels;
use template::Reason;
use text::language::Language;

use crate::page::{PageId, Status};
use crate::parsed_page::ParsedPage;

/// A page with the labels of its blocks. Its form in serde has the names of the fields, and all that Markdown needs,
/// so that a page can go to another process.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PageText {
    /// The response URL and the time of the fetch.
    pub id: Arc<PageId>,
    /// Whether the page is new, and if not, why.
    pub status: Status,
    /// The page that this page duplicates or revises.
    pub duplicate_of: Option<Arc<PageId>>,
    /// Why the page has no blocks, if it is quarantined.
    pub problem: Option<String>,
    /// The normalised URL that identifies the page; empty if the URL is not one.
    pub url_key: String,
    /// The `<title>` of the page, else the title that was given with it.
    pub title: Option<String>,
    /// The text blocks in source order.
    pub blocks: Vec<LabelledBlock>,
    /// Pages that were counted at the node that decided.
    pub support: u32,
    /// URL Tree node whose counts decided: a host and a path below it.
    pub node: String,
    /// WHATWG name of the charset that the bytes were decoded with; empty without blocks.
    pub charset: Cow<'static, str>,
    /// Source of the charset: `bom`, `http`, `meta`, `utf8` or `detected`.
    pub charset_source: Cow<'static, str>,
    /// Limits that cut the page, and doubts about it.
    pub warnings: Vec<String>,
    /// Dates, author, site and the like, as the page declares them.
    pub metadata: Option<Metadata>,
    markup: Option<Markup>,
}

/// A text block with its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LabelledBlock {
    /// The text, without line ends. Never empty.
    pub text: String,
    /// Why the block is content or boilerplate.
    #[serde(with = "reason_name")]
    pub reason: Reason,
    /// Pages and revisions of the deciding node that have the block.
    pub count: u32,
    /// Pages of the deciding node.
    pub support: u32,
    /// Elements from `body` down to the block, with their classes and ids: `div.content#top>p`.
    pub dom_path: Arc<str>,
    /// Characters inside links.
    pub link_chars: u32,
}

impl PageText {
    /// A page without blocks.
    pub(crate) fn empty(id: Arc<PageId>, status: Status, problem: Option<String>) -> Self {
        Self {
            id,
            status,
            duplicate_of: None,
            problem,
            url_key: String::new(),
            title: None,
            blocks: Vec::new(),
            support: 0,
            node: String::new(),
            charset: Cow::default(),
            charset_source: Cow::default(),
            warnings: Vec::new(),
            metadata: None,
            markup: None,
        }
    }

    /// Adds the blocks of a page and their labels.
    pub(crate) fn with_blocks(mut self, parsed: ParsedPage, labels: &PageLabels) -> Self {
        let ParsedPage {
            page,
            markup,
            metadata,
            ..
        } = parsed;
        let labelled = labels.labels.blocks.iter().zip(&labels.reasons);
        self.blocks = (page.blocks.into_iter().zip(labelled))
            .map(|(block, (label, reason))| LabelledBlock {
                text: block.text,
                reason: *reason,
                count: label.count,
                support: label.support,
                dom_path: block.dom_path,
                link_chars: block.link_chars,
            })
            .collect();
        self.title = page.title.or(self.title);
        self.support = labels.labels.node.support;
        self.charset = page.charset.into();
        self.charset_source = page.charset_source.as_str().into();
        self.warnings = page.warnings.iter().map(ToString::to_string).collect();
        (self.markup, self.metadata) = (markup, metadata);
        self
    }

    /// Returns the content blocks, one per line.
    pub fn text(&self) -> String {
        self.text_of(|block| block.reason.is_content())
    }

    /// Returns the blocks that `is_kept`, one per line.
    pub fn text_of(&self, is_kept: impl Fn(&LabelledBlock) -> bool) -> String {
        let kept = self.blocks.iter().filter(|block| is_kept(block));
        let lines: Vec<&str> = kept.map(|block| block.text.as_str()).collect();
        lines.join("\n")
    }

    /// Returns the blocks that `is_kept` as Markdown; empty if the page has no blocks.
    ///
    /// # Errors
    /// Returns a [`MarkupError`] for a page whose markup cannot be written, such as one nested beyond
    /// the limits of Markdown.
    pub fn markdown_of(
        &self,
        options: &MarkdownOptions,
        is_kept: impl Fn(&LabelledBlock) -> bool,
    ) -> Result<String, MarkupError> {
        let Some(markup) = &self.markup else {
            return Ok(String::new());
        };
        let texts: Vec<&str> = (self.blocks.iter())
            .map(|block| block.text.as_str())
            .collect();
        let content: Vec<bool> = self.blocks.iter().map(is_kept).collect();
        markdown::markdown(&texts, &content, markup, &self.id.url, options)
    }

    /// Returns the content blocks as Markdown; empty if the page has no blocks.
    ///
    /// # Errors
    /// As [`markdown_of`](Self::markdown_of).
    pub fn markdown(&self, options: &MarkdownOptions) -> Result<String, MarkupError> {
        self.markdown_of(options, |block| block.reason.is_content())
    }

    /// Returns the language of the text; `None` if it is too short to say.
    pub fn language(&self) -> Option<Language> {
        text::language::detect(&self.text())
    }
}

/// The name of a reason, as in tables.
mod reason_name {
    use std::borrow::Cow;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serializer};
    use template::Reason;

    pub(super) fn serialize<S: Serializer>(
        reason: &Reason,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(reason.as_str())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Reason, D::Error> {
        let name = Cow::<str>::deserialize(deserializer)?;
        Reason::named(&name).ok_or_else(|| D::Error::custom(format!("no reason {name}")))
    }
}
