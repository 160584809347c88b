//! A page with the label of each block.

use engine::{ArchivePage, Settings};
use site_replay::{Labelling, PageLabels, marked_reason};
use template::Reason;
use template::marks::SiteMarks;
use url_key::Branch;

use crate::explain::fetches::Fetch;
use crate::rows::Row;

/// A page, as a run has labelled it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedPage {
    /// The archive row.
    pub fetch: Fetch,
    /// The `<title>` of the page.
    pub title: Option<String>,
    /// WHATWG name of the encoding of its bytes.
    pub charset: String,
    /// Source of the encoding: `bom`, `http`, `meta`, `utf8` or `detected`.
    pub charset_source: String,
    /// Limits that cut the page, and doubts about it.
    pub warnings: Vec<String>,
    /// The labelling heuristic.
    pub heuristic: String,
    /// URL Tree node whose counts decided: a host and a path below it.
    pub node: String,
    /// Pages of that node.
    pub support: u32,
    /// Whether marks of DOM paths are for its blocks: the template labels the page. A page whose layout is too
    /// large is labelled by the tree alone.
    pub takes_marks: bool,
    /// Whether its date was run with other marks than the job has now. The labels are those that the job gives
    /// now.
    pub has_other_marks: bool,
    /// The text blocks in source order.
    pub blocks: Vec<ExplainedBlock>,
    /// The decoded HTML. `None` for a page of more than 2 MB, and for the pages of a site.
    pub html: Option<String>,
    /// The encoded markup, if the job writes Markdown.
    pub(super) markup: Option<Vec<u8>>,
}

/// A text block, with its label and the counts that led to it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExplainedBlock {
    /// The text, without line ends. Never empty.
    pub text: String,
    /// Whether the block is in the text of the page.
    pub is_content: bool,
    /// The reason of the label.
    pub reason: Reason,
    /// The reason that the block has without marks of DOM paths.
    pub unmarked: Reason,
    /// Pages with this block at the node that decided.
    pub count: u32,
    /// Pages of that node.
    pub support: u32,
    /// The node: a host and a path below it.
    pub node: String,
    /// Open elements with their classes and ids, from `body` to the block.
    pub dom_path: String,
    /// Characters inside links.
    pub link_chars: u32,
    /// Whether the block is below `nav`, `aside`, `header`, `footer`, `form` or the like.
    pub chrome: bool,
}

/// The marks with which a date was run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunMarks {
    /// The marks of the job.
    Same,
    /// None, and the job has some.
    None,
    /// Others than those of the job. The tables do not have them.
    Unknown,
}

/// The columns of `documents` by which a page is found and compared.
pub(super) const WRITTEN: [&str; 8] = [
    "domain",
    "fetched_at",
    "url_key",
    "status",
    "text",
    "blocks",
    "support",
    "node",
];

impl ExplainedPage {
    /// Makes a page of its labels without marks.
    pub(super) fn new(
        fetch: &Fetch,
        branch: &Branch<'_>,
        page: ArchivePage,
        labels: &PageLabels,
        settings: &Settings,
    ) -> Self {
        let has_outline = page.outline.is_some();
        let (html, markup) = (page.html, page.markup);
        let page = page.page;
        let labelled = labels.labels.blocks.iter().zip(&labels.reasons);
        let blocks = (page.blocks.into_iter().zip(labelled)).map(|(block, (label, reason))| {
            ExplainedBlock {
                text: block.text,
                is_content: reason.is_content(),
                reason: *reason,
                unmarked: *reason,
                count: label.count,
                support: label.support,
                node: branch.node(label.depth.into()),
                dom_path: block.dom_path.to_string(),
                link_chars: block.link_chars,
                chrome: block.chrome,
            }
        });
        let node = labels.labels.node;
        Self {
            fetch: fetch.clone(),
            title: page.title,
            charset: page.charset.to_owned(),
            charset_source: page.charset_source.as_str().to_owned(),
            warnings: page.warnings.iter().map(ToString::to_string).collect(),
            heuristic: settings.site.labelling.to_string(),
            node: branch.node(node.depth.into()),
            support: node.support,
            takes_marks: has_outline && settings.site.labelling == Labelling::Template,
            has_other_marks: false,
            blocks: blocks.collect(),
            html,
            markup,
        }
    }

    /// Gives the blocks the labels that they have with `marks`, which are all marks of the domain.
    #[must_use]
    pub fn with_marks(mut self, marks: Option<&SiteMarks>) -> Self {
        let reasons = self.reasons(marks);
        for (block, reason) in self.blocks.iter_mut().zip(reasons) {
            (block.reason, block.is_content) = (reason, reason.is_content());
        }
        self
    }

    /// Returns the reasons that the blocks have with `marks`, which are all marks of the domain.
    pub fn reasons(&self, marks: Option<&SiteMarks>) -> Vec<Reason> {
        let marks = marks.filter(|_| self.takes_marks);
        let reason = |block: &ExplainedBlock| {
            let label = marks.and_then(|marks| marks.label(&block.dom_path));
            label.map_or(block.unmarked, marked_reason)
        };
        self.blocks.iter().map(reason).collect()
    }

    /// Returns the content blocks, one per line: the column `text` of `documents`.
    pub fn text(&self) -> String {
        self.text_of(|block| block.reason)
    }

    /// Returns the blocks that are content for these reasons, one per line.
    fn text_of(&self, reason: impl Fn(&ExplainedBlock) -> Reason) -> String {
        let kept = (self.blocks.iter()).filter(|block| reason(block).is_content());
        let lines: Vec<&str> = kept.map(|block| block.text.as_str()).collect();
        lines.join("\n")
    }

    /// Describes the first difference to the row that the run has written; `None` if there is none.
    pub(super) fn difference(&self, written: Row<'_>, marks: RunMarks) -> Option<String> {
        let number = |column| written.number(column).unwrap_or_default();
        let (blocks, had) = (self.blocks.len() as i64, number("blocks"));
        if blocks != had {
            return Some(format!(
                "its page has {blocks} text blocks now and had {had}"
            ));
        }
        let (now, then) = (i64::from(self.support), number("support"));
        let (node, node_then) = (self.node.as_str(), written.text("node"));
        if (node, now) != (node_then, then) {
            return Some(format!(
                "{now} pages of {node} decide now, and {then} pages of {node_then} did"
            ));
        }
        let text = match marks {
            RunMarks::Same => self.text(),
            RunMarks::None => self.text_of(|block| block.unmarked),
            RunMarks::Unknown => return None,
        };
        (text != written.text("text")).then(|| "its text would be another now".to_owned())
    }
}
