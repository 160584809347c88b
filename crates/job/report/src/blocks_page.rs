//! A page, block by block.

use std::collections::BTreeMap;

use askama::Template;

use crate::error::ReportError;
use crate::format::{percent, time};
use crate::head::Head;
use crate::original::{MAX_ORIGINAL_BYTES, srcdoc};
use crate::show;
use crate::site::{Site, domain_address, mark_address, original_address, page_address};

/// The style of all pages, and that of this one.
const STYLE: &str = concat!(
    include_str!("../templates/base.css"),
    include_str!("../templates/blocks.css")
);

/// Most characters of a dropped block in the line that a run of dropped blocks is folded to.
const MAX_BEGINNING: usize = 80;

/// A page with the label of each block.
#[derive(Debug, Clone, Default)]
pub struct BlocksPage {
    /// The URL that was asked for.
    pub url: String,
    /// The facts of the whole page.
    pub facts: Facts,
    /// All fetches of the URL, in time order.
    pub fetches: Vec<Fetched>,
    /// The text blocks in source order; empty if the page has no labels.
    pub blocks: Vec<Block>,
    /// The text of the page: the column `text` of `documents`.
    pub text: String,
    /// The Markdown of the page; `None` if the job writes none.
    pub markdown: Option<String>,
    /// The HTML of the page. A page of more than 2 MB is not embedded, and `None` stands for one.
    pub original: Option<String>,
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

    /// The blocks in order: each kept block alone, and dropped blocks that follow each other together if their
    /// reason is one.
    fn runs(&self) -> impl Iterator<Item = Run<'_>> {
        let is_one = |block: &Block, next: &Block| {
            !block.is_content && !next.is_content && block.reason == next.reason
        };
        let mut number = 1;
        self.blocks.chunk_by(is_one).map(move |blocks| {
            let first = number;
            number += blocks.len();
            Run { first, blocks }
        })
    }

    /// The number of the first kept block.
    fn first_kept(&self) -> Option<usize> {
        let at = self.blocks.iter().position(|block| block.is_content);
        at.map(|at| at + 1)
    }

    /// The HTML of the page, if it is not too large for a frame.
    fn framed(&self) -> Option<&str> {
        let original = self.original.as_deref();
        original.filter(|original| original.len() <= MAX_ORIGINAL_BYTES)
    }

    fn shown(&self) -> Option<&Fetched> {
        self.fetches.iter().find(|fetch| fetch.is_shown)
    }
}

struct ReasonCount {
    is_dropped: bool,
    name: &'static str,
    meaning: &'static str,
    count: usize,
}

/// A kept block, or dropped blocks that follow each other and have one reason.
struct Run<'a> {
    /// The number of the first block.
    first: usize,
    /// Never empty.
    blocks: &'a [Block],
}

impl<'a> Run<'a> {
    /// The first block, if the blocks are dropped.
    fn dropped(&self) -> Option<&'a Block> {
        self.blocks.first().filter(|block| !block.is_content)
    }

    fn numbered(&self) -> impl Iterator<Item = Numbered<'a>> {
        let numbered = (self.first..).zip(self.blocks);
        numbered.map(|(number, block)| Numbered { number, block })
    }
}

impl Block {
    /// The reason in words, without the label that they begin with.
    fn rule(&self) -> &'static str {
        let words = self.meaning.split_once(": ");
        words.map_or(self.meaning, |(_, rule)| rule.trim_end_matches('.'))
    }

    fn beginning(&self) -> String {
        match self.text.char_indices().nth(MAX_BEGINNING) {
            Some((end, _)) => format!("{}…", show::visible(&self.text[..end])),
            None => show::visible(&self.text).into_owned(),
        }
    }
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

    /// The attribute of the frame with the original page, and what the original does not have there. A live page asks for it, so
    /// that it has its own policy; a file has it inside, under the policy of the file.
    fn frame(&self) -> Option<(String, &'static str)> {
        let original = self.page.framed()?;
        Some(match self.head.site {
            Site::Files => (
                format!("srcdoc=\"{}\"", srcdoc(original)),
                "styles, images and scripts",
            ),
            Site::Live => {
                let shown = self.page.shown();
                let url = shown.map_or(&self.page.url, |fetch| &fetch.url);
                let at = shown.and_then(Fetched::moment);
                let address = original_address(url, at.as_deref());
                (
                    format!("src=\"{address}\""),
                    "scripts and what it loads from elsewhere",
                )
            }
        })
    }

    /// The address of the form that marks the path of a block.
    fn mark(&self, block: &Block) -> Option<String> {
        let at = self.page.shown().and_then(Fetched::moment);
        let is_marked = self.head.is_live() && !block.dom_path.is_empty();
        is_marked.then(|| mark_address(&self.page.url, at.as_deref(), &block.dom_path))
    }

    /// The address of the blocks of another fetch.
    fn address(&self, fetch: &Fetched) -> Option<String> {
        let is_other = self.head.is_live() && !fetch.is_shown && fetch.fetched_at.is_some();
        is_other.then(|| page_address(&fetch.url, fetch.moment().as_deref()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ATTACK: &str = "\"'></iframe><script>alert(1)</script>\u{1b}\u{202e}";

    fn block(text: &str, reason: &'static str, meaning: &'static str) -> Block {
        Block {
            text: text.to_owned(),
            is_content: meaning.starts_with("Kept"),
            reason,
            meaning,
            dom_path: "div.box>p".to_owned(),
            ..Block::default()
        }
    }

    /// Three blocks of the menu, one of a list, a kept block, and one of the menu.
    fn page() -> BlocksPage {
        let menu = |text| block(text, "off_main_branch", "Dropped: it is outside.");
        let long = "long ".repeat(40);
        BlocksPage {
            url: "http://www.news.example/".to_owned(),
            blocks: vec![
                menu("Home"),
                menu("Sport"),
                menu("Weather"),
                block(&long, "repeated", "Dropped: many pages have it."),
                block(ATTACK, "unique", "Kept: few pages have it."),
                menu("Imprint"),
            ],
            text: format!("{ATTACK}\nsecond line"),
            markdown: Some(format!("# {ATTACK}")),
            original: Some(format!("<!DOCTYPE html><p>{ATTACK}")),
            ..BlocksPage::default()
        }
    }

    fn html(page: &BlocksPage) -> String {
        page.to_html(Site::Live).unwrap()
    }

    #[test]
    fn a_live_page_asks_for_the_original_and_does_not_have_it_inside() {
        let html = html(&page());
        let frame = "src=\"original?url=http%3A%2F%2Fwww%2Enews%2Eexample%2F\"></iframe>";
        assert!(html.contains(frame), "{html}");
        assert!(!html.contains("srcdoc"), "{html}");
    }

    #[test]
    fn the_text_is_first_and_every_form_of_the_page_is_escaped() {
        let html = |page: &BlocksPage| page.to_html(Site::Files).unwrap();
        let html = html(&page());
        let at = |text: &str| html.find(text).unwrap_or_else(|| panic!("{text}: {html}"));
        assert!(at("second line") < at("srcdoc=") && at("srcdoc=") < at("id=\"blocks\""));
        assert!(html.contains("alert(1)&#60;/script&#62;\u{fffd}\u{fffd}\nsecond line</div>"));
        assert!(html.contains("id=\"as-markdown\"") && html.contains("dir=\"auto\"># &#34;"));
        for forbidden in ["<script", "\u{1b}", "\u{202e}"] {
            assert!(!html.contains(forbidden), "{forbidden:?}: {html}");
        }
        assert_eq!(html.matches("</iframe>").count(), 1);
        let plain = BlocksPage {
            markdown: None,
            ..page()
        };
        assert!(!self::html(&plain).contains("as-markdown"));
    }

    #[test]
    fn a_large_original_is_not_embedded_and_the_page_says_so() {
        let large = Some("x".repeat(MAX_ORIGINAL_BYTES + 1));
        for original in [large, None] {
            let html = html(&BlocksPage { original, ..page() });
            assert!(!html.contains("<iframe"), "{html}");
            assert!(html.contains("more than 2 MB"), "{html}");
        }
    }

    #[test]
    fn dropped_blocks_of_one_reason_are_folded_to_a_line_that_says_it() {
        let page = page();
        let sizes: Vec<_> = page
            .runs()
            .map(|run| (run.first, run.blocks.len()))
            .collect();
        assert_eq!(sizes, [(1, 3), (4, 1), (5, 1), (6, 1)]);
        let html = html(&page);
        assert_eq!(html.matches("<details>").count(), 3);
        for (count, line) in [
            (1, "3 blocks dropped: it is outside</span>"),
            (1, "1 block dropped: many pages have it</span>"),
            (1, "1 block dropped: it is outside</span>"),
            (2, "<li class=\"run dropped r-off_main_branch\">"),
            (6, "mark this path</a>"),
        ] {
            assert_eq!(html.matches(line).count(), count, "{line}: {html}");
        }
        let beginning = format!("{}…</span></summary>", "long ".repeat(16));
        assert!(html.contains(&beginning), "{html}");
    }

    #[test]
    fn blocks_are_filtered_by_label_and_the_first_kept_one_is_a_link() {
        let page = page();
        let html = html(&page);
        for id in ["all-labels", "only-kept", "only-dropped", "r-repeated"] {
            assert_eq!(html.matches(&format!("id=\"{id}\"")).count(), 1, "{id}");
            let is_filter = STYLE.contains(&format!("body:has(#{id}:"));
            assert!(is_filter || id == "all-labels", "{id}");
        }
        assert_eq!(html.matches("href=\"#b5\">First kept block").count(), 1);
        assert_eq!(html.matches("id=\"b5\"").count(), 1);
    }

    #[test]
    fn a_page_without_kept_blocks_and_a_page_without_blocks_have_a_note() {
        let mut page = page();
        page.blocks.retain(|block| !block.is_content);
        page.text.clear();
        let dropped = html(&page);
        assert!(dropped.contains("No block is kept"), "{dropped}");
        assert!(!dropped.contains("First kept block"), "{dropped}");
        page.blocks.clear();
        page.facts.note = "Quarantined.".to_owned();
        let none = html(&page);
        assert!(none.contains("<p class=\"note\">Quarantined.</p>"));
        assert!(!none.contains("<iframe") && !none.contains("id=\"text\""));
    }
}
