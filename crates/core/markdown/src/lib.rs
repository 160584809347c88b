//! Markdown of the content blocks of a page.
//!
//! The text of a page is lines. This crate writes the same blocks with their structure: headings,
//! paragraphs, nested lists, tables, quotes, code with its language, emphasis, links and images. The result
//! is CommonMark with the tables and strikethrough of GitHub Flavored Markdown.
//!
//! ```
//! use html_blocks::{BlockOptions, page_with};
//! use markdown::{MarkdownOptions, Markup, markdown};
//!
//! let html = b"<nav><a href=/>Home</a></nav><h2>Tea</h2><p>Tea is a <b>drink</b>.
//!              <ul><li>green<li>black</ul>";
//! let (page, markup) = page_with(html, None, &BlockOptions::default(), Markup::default())?;
//! let texts: Vec<&str> = page.blocks.iter().map(|block| block.text.as_str()).collect();
//! let content: Vec<bool> = page.blocks.iter().map(|block| !block.chrome).collect();
//!
//! let text = markdown(&texts, &content, &markup, "", &MarkdownOptions::default())?;
//! assert_eq!(text, "## Tea\n\nTea is a **drink**.\n\n- green\n- black\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Markup
//!
//! [`Markup`] observes the page while its blocks are built, in the same pass. It has what blocks lack: the
//! containers (lists, tables, quotes, headings, code) of each block, what separates a block from the one
//! before, links, emphasis and images as positions in its text. Labels are decided later,
//! when all pages of a site are known, so [`Markup`] travels as bytes ([`Markup::to_bytes`]) beside the
//! texts. [`markdown`] then writes the blocks that are content.
//!
//! # Rules
//!
//! - Only blocks that are content, in source order. Without images, the characters of the result, marks
//!   and whitespace aside, are those of the blocks.
//! - Blocks of one line are joined again: the names and dates of a line of spans. If no whitespace separates
//!   them, words do not become one.
//! - A table of at least two rows and two columns, without headings, code or tables in its cells, is a
//!   table. Its first row is the header, and its caption a paragraph above it. Cells that a wide cell covers
//!   are empty. Other tables are paragraphs.
//! - Emphasis that CommonMark could not read as such is left out; its text is not.
//! - Characters that mean something are escaped where they do: `3\*4\*5`, but `snake_case`.
//! - Links and images have absolute addresses by the URL standard; the base is the first `base` element with an
//!   address, else the page's address. Links have the schemes `http`, `https`, `mailto`, `ftp` and `tel`. A link with
//!   another scheme, such as `javascript:` or `data:`, and a link that does not parse are written as their text. htmd
//!   writes all links, and renderers such as comrak drop the addresses of scripts.
//! - An element has no marks if its text is invisible: headings, items, quotes, code, tables, emphasis, links. An image
//!   in a link is a linked image.
//! - Formulas in `$x$`, `$$x$$`, `\(x\)` and `\[x\]` are written between dollars, as a reader of Markdown with math expects
//!   them, and not escaped. Between dollars, commands, indices or symbols make a formula, between the others commands and
//!   indices, and anything on a page that loads MathJax or KaTeX. Other dollars are escaped where such a reader would find
//!   a formula: `\$HOME:$PATH`, but `$5 and $6`. A reader without math sees the source of a formula, and may take a `*` in
//!   it for emphasis.
//! - The language of code is that of the nearest element that names one: `code`, `pre`, or a `div` or `figure` around.
//!
//! # Links
//!
//! [`LinkReader`] observes a page for its links alone, also those without a text and those in code, and gives their
//! addresses as Markdown has them.
//!
//! # Non-goals
//!
//! - It does not convert HTML in general: definition lists are paragraphs, rules and forms have no notation.
//! - It does not decide what is content.
//! - A formula over several lines or blocks, and an environment without delimiters, is text.
//! - Relative addresses of a page without an address stay as written.

mod address;
mod blank;
mod collect;
mod context;
mod escape;
mod form;
mod formula;
mod inline;
mod kept;
mod language;
mod links;
mod markup;
mod options;
mod reading;
mod spans;
mod structure;
mod table;
mod tex;
mod units;
mod write;

pub use links::{Link, LinkReader, Links};
pub use markup::Markup;
pub use options::MarkdownOptions;
pub use structure::MarkupError;

/// Writes the blocks of a page that are content as Markdown.
///
/// `texts` are the texts of all blocks of the page in order, and `content` says which are written.
/// Texts of blocks that are not content may be empty. `address` is the URL of the page, to which its links are
/// relative; empty if it is unknown. The result ends with a line end, or is empty.
///
/// # Errors
/// Returns a [`MarkupError`] if `markup` is not that of these blocks.
pub fn markdown<T: AsRef<str>>(
    texts: &[T],
    content: &[bool],
    markup: &Markup,
    address: &str,
    options: &MarkdownOptions,
) -> Result<String, MarkupError> {
    let expected = markup.blocks();
    for found in [texts.len(), content.len()] {
        if found != expected {
            return Err(MarkupError::Blocks { expected, found });
        }
    }
    let structure = &markup.structure;
    let form = form::Form::new(structure, address, options);
    let units = units::units(structure, texts, content, &form.addresses)?;
    Ok(write::write(structure, &units, &form))
}

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
