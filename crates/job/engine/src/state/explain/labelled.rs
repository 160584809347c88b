//! A page with the label of each block.

use datafusion::error::Result;
use datafusion::logical_expr::{Expr, ident, lit};
use datafusion::prelude::SessionContext;
use site_replay::PageLabels;
use tables::Table;
use template::Reason;
use url_key::Branch;
use url_tree::Verdict;

use crate::job::Settings;
use crate::plan::columns::blocks::ParsedPage;
use crate::state::explain::fetches::Fetch;
use crate::state::explain::rows::Rows;

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
    /// The text blocks in source order.
    pub blocks: Vec<ExplainedBlock>,
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
    /// Pages with this block at the node that decided.
    pub count: u32,
    /// Pages of that node.
    pub support: u32,
    /// The node: a host and a path below it.
    pub node: String,
    /// Open elements with their classes, from `body` to the block.
    pub dom_path: String,
    /// Characters inside links.
    pub link_chars: u32,
    /// Whether the block is below `nav`, `aside`, `header`, `footer`, `form` or the like.
    pub chrome: bool,
}

/// The columns of a page in `documents` that are compared.
pub(super) struct WrittenPage {
    text: String,
    blocks: i64,
    support: i64,
    node: String,
}

impl ExplainedPage {
    pub(super) fn new(
        fetch: &Fetch,
        branch: &Branch<'_>,
        page: ParsedPage,
        labels: &PageLabels,
        settings: &Settings,
    ) -> Self {
        let page = page.page;
        let labelled = labels.labels.blocks.iter().zip(&labels.reasons);
        let blocks = (page.blocks.into_iter().zip(labelled)).map(|(block, (label, reason))| {
            ExplainedBlock {
                text: block.text,
                is_content: label.verdict == Verdict::Content,
                reason: *reason,
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
            heuristic: settings.labelling.to_string(),
            node: branch.node(node.depth.into()),
            support: node.support,
            blocks: blocks.collect(),
        }
    }

    /// Returns the content blocks, one per line: the column `text` of `documents`.
    pub fn text(&self) -> String {
        let kept = self.blocks.iter().filter(|block| block.is_content);
        let lines: Vec<&str> = kept.map(|block| block.text.as_str()).collect();
        lines.join("\n")
    }

    /// Describes the first difference to what the run has written; `None` if there is none.
    pub(super) fn difference(&self, written: &WrittenPage) -> Option<String> {
        let (blocks, support) = (self.blocks.len() as i64, i64::from(self.support));
        if blocks != written.blocks {
            let had = written.blocks;
            return Some(format!(
                "its page has {blocks} text blocks now and had {had}"
            ));
        }
        if (&self.node, support) != (&written.node, written.support) {
            return Some(format!(
                "{support} pages of {} decide now, and {} pages of {} did",
                self.node, written.support, written.node
            ));
        }
        (self.text() != written.text).then(|| "its text would be another now".to_owned())
    }
}

/// Reads the row of a page in `documents`.
pub(super) async fn written(
    context: &SessionContext,
    is_row: Expr,
    status: &str,
) -> Result<Option<WrittenPage>> {
    let table = context.table(Table::Documents.name()).await?;
    let frame = table
        .filter(is_row.and(ident("status").eq(lit(status))))?
        .select_columns(&["text", "blocks", "support", "node"])?;
    let rows = Rows::collect(frame).await?;
    if rows.count() == 0 {
        return Ok(None);
    }
    Ok(Some(WrittenPage {
        text: rows.texts("text")?.value(0).to_owned(),
        blocks: rows.numbers("blocks")?.value(0),
        support: rows.numbers("support")?.value(0),
        node: rows.texts("node")?.value(0).to_owned(),
    }))
}
