//! Pages as Markdown, and the verdict of another parser on it.

#![allow(dead_code, reason = "each test uses a part of it")]

use comrak::{Options, markdown_to_html};
use html_blocks::{BlockOptions, page_with};
use markdown::{MarkdownOptions, Markup, markdown};

/// CommonMark with the tables and strikethrough of GitHub.
fn github() -> Options<'static> {
    let mut options = Options::default();
    options.extension.table = true;
    options.extension.strikethrough = true;
    options
}

/// A page and its Markdown.
pub(crate) struct Converted {
    pub(crate) markdown: String,
    /// The texts of the blocks that are written.
    pub(crate) texts: Vec<String>,
}

/// Converts the blocks of a page that are outside of `nav`, `footer` and the like.
pub(crate) fn convert(html: &str, options: &MarkdownOptions) -> Converted {
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
    let markdown = markdown(&texts, &content, &travelled, options).expect("its own markup");
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

/// The HTML that a parser of Markdown makes.
pub(crate) fn rendered(markdown: &str) -> String {
    markdown_to_html(markdown, &github())
}

/// The Markdown of what a parser reads.
pub(crate) fn printed_again(markdown: &str) -> String {
    of(&rendered(markdown))
}

/// The text of HTML without its tags.
pub(crate) fn text_of(html: &str) -> String {
    let page = html_blocks::page(html.as_bytes(), None, &BlockOptions::default());
    let blocks = page.map(|page| page.blocks).unwrap_or_default();
    let texts: Vec<String> = blocks.into_iter().map(|block| block.text).collect();
    texts.join("\n")
}
