//! A page, block by block.

use std::collections::BTreeMap;

use askama::Template;

use crate::error::ReportError;
use crate::format::{percent, time};
use crate::head::Head;
use crate::show;
use crate::site::{Site, domain_address, mark_address, page_address};

/// The style of all pages, and that of this one.
const STYLE: &str = concat!(
    include_str!("../templates/base.css"),
    include_str!("../templates/blocks.css")
);

/// A page with the label of each block.
#[derive(Debug, Clone)]
pub struct BlocksPage {
    /// The URL that was asked for.
    pub url: String,
    /// The facts of the whole page.
    pub facts: Facts,
    /// All fetches of the URL, in time order.
    pub fetches: Vec<Fetched>,
    /// The text blocks in source order; empty if the page has no labels.
    pub blocks: Vec<Block>,
}

/// The facts of a whole page.
#[derive(Debug, Clone, Default)]
pub struct Facts {
    /// The reason why the page has no blocks, or whose blocks these are.
    pub note: String,
    /// `<title>`.
    pub title: Option<String>,
    /// The URL Tree node that decided: a host and a path below it.
    pub node: String,
    /// Pages of the node.
    pub support: u32,
    /// The labelling heuristic.
    pub heuristic: String,
    /// Encoding, and its source.
    pub charset: String,
    /// Limits that cut the page, and doubts about it.
    pub warnings: Vec<String>,
    /// Public suffix and one label.
    pub domain: Option<String>,
}

/// An archive row with the URL.
#[derive(Debug, Clone, Default)]
pub struct Fetched {
    /// Microseconds since 1970, UTC.
    pub fetched_at: Option<i64>,
    /// Response URL.
    pub url: String,
    /// `unique`, `duplicate`, `revision`, `blocklisted` or `quarantined`.
    pub status: String,
    /// The step that made it a duplicate, or the reason of its quarantine.
    pub detail: String,
    /// Object and row in the archive.
    pub place: String,
    /// Whether it is the one whose blocks are shown.
    pub is_shown: bool,
}

/// A text block, with its label and the counts that led to it.
#[derive(Debug, Clone, Default)]
pub struct Block {
    /// The text.
    pub text: String,
    /// Whether it is kept.
    pub is_content: bool,
    /// The reason, as in the table `blocks`.
    pub reason: &'static str,
    /// The reason in words.
    pub meaning: &'static str,
    /// Pages of the node with this block.
    pub count: u32,
    /// Pages of the node.
    pub support: u32,
    /// The node: a host and a path below it.
    pub node: String,
    /// Open elements with their classes and ids, from `body` to the block.
    pub dom_path: String,
    /// Characters inside links.
    pub link_chars: u32,
}

impl Fetched {
    fn time(&self) -> String {
        self.fetched_at.map_or_else(|| "unknown".to_owned(), time)
    }

    /// The time without its zone, by which the fetch can be asked for.
    fn moment(&self) -> Option<String> {
        let time = self.time();
        time.strip_suffix(" UTC").map(str::to_owned)
    }
}

impl BlocksPage {
    /// Renders the page. Only a live page leads to its site and to its other fetches.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(&self, site: Site) -> Result<String, ReportError> {
        let title = format!("{} – blocks", show::visible(&self.url));
        let template = BlocksTemplate {
            head: Head::new(site, title, "", "", "").with_style(STYLE, ""),
            page: self,
            reasons: self.reasons(),
        };
        template.render().map_err(ReportError::of("blocks.html"))
    }

    fn kept(&self) -> usize {
        self.blocks.iter().filter(|block| block.is_content).count()
    }

    /// The reasons of the page's blocks: kept ones first, the most frequent first.
    fn reasons(&self) -> Vec<ReasonCount> {
        let mut counts: BTreeMap<(bool, &'static str), (&'static str, usize)> = BTreeMap::new();
        for block in &self.blocks {
            let reason = counts.entry((!block.is_content, block.reason));
            reason.or_insert((block.meaning, 0)).1 += 1;
        }
        let mut reasons: Vec<_> = counts
            .into_iter()
            .map(|((is_dropped, name), (meaning, count))| ReasonCount {
                is_dropped,
                name,
                meaning,
                count,
            })
            .collect();
        reasons.sort_by_key(|reason| {
            (
                reason.is_dropped,
                std::cmp::Reverse(reason.count),
                reason.name,
            )
        });
        reasons
    }

    fn numbered(&self) -> impl Iterator<Item = Numbered<'_>> {
        self.blocks.iter().enumerate().map(|(at, block)| Numbered {
            number: at + 1,
            block,
        })
    }
}

struct ReasonCount {
    is_dropped: bool,
    name: &'static str,
    meaning: &'static str,
    count: usize,
}

struct Numbered<'a> {
    number: usize,
    block: &'a Block,
}

impl Numbered<'_> {
    /// Share of the pages that have the block.
    fn share(&self) -> String {
        percent(self.block.count.into(), self.block.support.into())
    }
}

#[derive(Template)]
#[template(path = "blocks.html")]
struct BlocksTemplate<'a> {
    head: Head<'a>,
    page: &'a BlocksPage,
    reasons: Vec<ReasonCount>,
}

impl BlocksTemplate<'_> {
    /// The address of the page of the site.
    fn domain(&self) -> Option<String> {
        let domain = self.page.facts.domain.as_deref();
        domain.filter(|_| self.head.is_live()).map(domain_address)
    }

    /// The address of the form that marks the path of a block.
    fn mark(&self, block: &Block) -> Option<String> {
        let shown = self.page.fetches.iter().find(|fetch| fetch.is_shown);
        let at = shown.and_then(Fetched::moment);
        let is_marked = self.head.is_live() && !block.dom_path.is_empty();
        is_marked.then(|| mark_address(&self.page.url, at.as_deref(), &block.dom_path))
    }

    /// The address of the blocks of another fetch.
    fn address(&self, fetch: &Fetched) -> Option<String> {
        let is_other = self.head.is_live() && !fetch.is_shown && fetch.fetched_at.is_some();
        is_other.then(|| page_address(&fetch.url, fetch.moment().as_deref()))
    }
}
