//! Pages as Markdown, and the verdict of another parser on it.

#![allow(dead_code, reason = "each test uses a part of it")]

use comrak::{Options, markdown_to_html};
use html_blocks::{BlockOptions, page_with};
use markdown::{MarkdownOptions, Markup, markdown};

/// CommonMark with the tables and strikethrough of GitHub, and its formulas if `math`.
fn github(math: bool) -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.math_dollars = math;
    options
}

/// A page and its Markdown.
pub(crate) struct Converted {
    pub(crate) markdown: String,
    /// The texts of the blocks that are written.
    pub(crate) texts: Vec<String>,
}

/// Converts the blocks of a page without an address that are outside of `nav`, `footer` and the like.
pub(crate) fn convert(html: &str, options: &MarkdownOptions) -> Converted {
    convert_at("", html, options)
}

/// Converts the blocks of a page at this address.
pub(crate) fn convert_at(address: &str, html: &str, options: &MarkdownOptions) -> Converted {
    let options_of_blocks = BlockOptions::default();
    let read = page_with(html.as_bytes(), None, &options_of_blocks, Markup::default());
    let Ok((page, markup)) = read else {
        return Converted {
            markdown: String::new(),
            texts: Vec::new(),
        };
    };
    let travelled = Markup::from_bytes(&markup.to_bytes()).expect("its own bytes");
    let texts: Vec<String> = page.blocks.iter().map(|block| block.text.clone()).collect();
    let content: Vec<bool> = page.blocks.iter().map(|block| !block.chrome).collect();
    let markdown = markdown(&texts, &content, &travelled, address, options);
    let markdown = markdown.expect("its own markup");
    let mut kept = content.iter();
    let texts = texts.into_iter().filter(|_| kept.next() == Some(&true));
    Converted {
        markdown,
        texts: texts.collect(),
    }
}

/// Markdown with emphasis, links and images.
pub(crate) fn everything() -> MarkdownOptions {
    MarkdownOptions::default()
        .with_links(true)
        .with_images(true)
}

/// The Markdown of a page with everything.
pub(crate) fn of(html: &str) -> String {
    convert(html, &everything()).markdown
}

/// The Markdown of a page at this address with everything.
pub(crate) fn at(address: &str, html: &str) -> String {
    convert_at(address, html, &everything()).markdown
}

/// The HTML that a parser of Markdown makes.
pub(crate) fn rendered(markdown: &str) -> String {
    markdown_to_html(markdown, &github(false))
}

/// The HTML that a parser of Markdown with math makes, with formulas between dollars again.
pub(crate) fn rendered_with_math(markdown: &str) -> String {
    let html = markdown_to_html(markdown, &github(true));
    let mut out = String::new();
    let mut rest = html.as_str();
    while let Some((before, after)) = rest.split_once("<span data-math-style=\"") {
        let (style, after) = after.split_once("\">").expect("a style");
        let (formula, after) = after.split_once("</span>").expect("an end");
        let dollars = if style == "display" { "$$" } else { "$" };
        out.extend([before, dollars, formula, dollars]);
        rest = after;
    }
    out + rest
}

/// The formulas that a parser of Markdown with math finds.
pub(crate) fn formulas(markdown: &str) -> Vec<String> {
    let html = markdown_to_html(markdown, &github(true));
    let spans = html.split("<span data-math-style=\"").skip(1);
    let formulas = spans.filter_map(|span| span.split_once("\">")?.1.split_once("</span>"));
    formulas
        .map(|(formula, _)| text_of(&format!("<pre>{formula}</pre>")))
        .collect()
}

/// The Markdown of what a parser reads.
pub(crate) fn printed_again(markdown: &str) -> String {
    of(&rendered_with_math(markdown))
}

/// The text of HTML without its tags.
pub(crate) fn text_of(html: &str) -> String {
    let page = html_blocks::page(html.as_bytes(), None, &BlockOptions::default());
    let blocks = page.map(|page| page.blocks).unwrap_or_default();
    let texts: Vec<String> = blocks.into_iter().map(|block| block.text).collect();
    texts.join("\n")
}
