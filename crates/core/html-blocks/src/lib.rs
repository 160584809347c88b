//! HTML bytes to text blocks, without a DOM.
//!
//! A *text block* is a run of text between tags; inline tags do not end it [P 2]. By default it is what a
//! reader sees as one thing: a paragraph, a heading, an item, a cell, a `pre` with its lines. This crate
//! decodes a page as fetched, tokenizes it, drops text that is never shown (scripts, style sheets, comments,
//! `noscript` unless it has most of the text), and returns the blocks in page order. Each block has the hash
//! by which it is counted across pages [P 4].
//!
//! ```
//! use html_blocks::{BlockOptions, page};
//!
//! let html = b"<title>Tea</title><nav><a href=/>Home</a></nav>
//!              <div class='post p17'><p>Tea is a <b>dr</b>ink.</div>";
//! let page = page(html, None, &BlockOptions::default())?;
//!
//! assert_eq!(page.title.as_deref(), Some("Tea"));
//! let [home, drink] = &page.blocks[..] else { panic!("two blocks") };
//! assert_eq!((home.text.as_str(), home.link_chars, home.chrome), ("Home", 4, true));
//! assert_eq!((drink.text.as_str(), &*drink.dom_path), ("Tea is a drink.", "div.post.p>p"));
//! # Ok::<(), html_blocks::PageError>(())
//! ```
//!
//! [P n] cites section n of Sluban and Grčar, "URL Tree: Efficient Unsupervised Content
//! Extraction from Streams of Web Documents" (CIKM 2013). [O Xn] cites a fact about the
//! authors' implementation ("the original").
//!
//! # Charset
//!
//! The charset is taken from the byte order mark, the HTTP header, the page's declaration,
//! valid UTF-8, or detection, in this order, which is that of browsers. One rule is added: a
//! declaration that the bytes prove wrong is ignored with a warning. Counts decide: a few broken
//! bytes do not change the charset of a page, and a few sequences that are UTF-8 by chance do not make
//! it UTF-8. If the text of a declared charset is odd, it is compared with that of the detected one.
//!
//! # Blocks
//!
//! [`SplitList`] says which tags end a block. [`Joining`] says how text is joined across the
//! tags that do not. Both have the behaviour of the original as an option.
//!
//! By default a formula is its TeX if the page has it (`$a+b$`), and what readers do not read as text is left
//! out: readings in `ruby`, copies of formulas, numbers of lines of code, links of headings to themselves, soft
//! hyphens and spaces without width.
//!
//! # Markup
//!
//! Blocks have no links, lists or tables. [`page_with`] reports tags and text to an [`Observer`] while
//! it builds the blocks: `urltree-markdown` and `urltree-metadata` are observers. [`page`] is compiled
//! without one, so it does not pay for it.
//!
//! # Limits and errors
//!
//! The work for a page is linear in its length, and [`PageLimits`] bounds bytes, tags,
//! blocks and nesting. A page that exceeds a limit is cut there: the blocks before the
//! limit are returned, with a [`Warning::Cut`] that has the limit and the position. Malformed
//! HTML is never an error. A [`PageError`] is returned only for input that is not a page:
//! empty or binary bytes.
//!
//! # The tokenizer
//!
//! This crate has its own tokenizer, because it is faster and reports more than the
//! alternatives. Throughput of the same block builder with each tokenizer, from text to blocks
//! with hashes, by processor time, on 680 real pages of 17 sites (21 MB):
//!
//! | tokenizer | throughput | pages with the same blocks |
//! |---|---|---|
//! | this crate | 1 (404 MB/s) | 680 |
//! | html5gum 0.9.0, with an [emitter] that builds no tokens | .58 (five runs: .57 to .58) | 680 |
//! | lol_html 3.0.3, with handlers for elements, text and comments | .29 (in all five) | 662 |
//!
//! The figure of this crate includes the charset; the others get decoded text and apply no limit
//! to tags. html5gum passes names and attributes to its emitter in pieces that must be copied,
//! where this crate searches the page in memory and takes slices. lol_html is a rewriter: its
//! handlers get owned attributes, character references are not decoded, and an end tag without a
//! matching start tag is not reported.
//!
//! [emitter]: https://docs.rs/html5gum/0.9.0/html5gum/trait.Emitter.html
//!
//! To reproduce, put pages into a folder and run:
//!
//! ```text
//! URLTREE_BENCH_PAGES=FOLDER cargo run --release --target-dir target/tokenizers \
//!     --manifest-path crates/core/html-blocks/benches/tokenizers/Cargo.toml
//! ```
//!
//! Tests and fuzzing compare the blocks of every page with those from html5ever's tokenizer, which
//! is the reference for correctness.
//!
//! # Non-goals
//!
//! - It builds no tree. Text keeps the order of the source, where HTML moves stray text out
//!   of tables.
//! - It applies no style sheet. A text that its own attributes hide is a block whose path says so.
//! - It runs no scripts.
//! - It does not classify blocks as content or boilerplate.

mod attributes;
mod block_builder;
mod character_reference;
mod charset;
mod charset_evidence;
mod declared;
mod dom_path;
mod elements;
mod exponent;
mod hash;
mod limits;
mod no_text;
mod observer;
mod options;
mod prescan;
mod raw_text;
#[cfg(any(test, feature = "reference"))]
pub mod reference;
mod sight;
mod sniff;
mod stack;
mod tag;
mod tentative;
mod text;
mod text_block;
mod tokenizer;
#[cfg(test)]
mod work;

pub use charset::CharsetSource;
pub use declared::Declared;
pub use elements::SplitList;
pub use hash::block_hash;
pub use limits::{Limit, PageLimits, Warning};
pub use observer::{Observer, Opened};
pub use options::{BlockOptions, Noscript};
pub use sniff::PageError;
pub use text::Joining;
pub use text_block::TextBlock;

/// The text blocks of a page, and information about the page.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The first `<title>` with text, in any position outside of `svg` and templates. Whitespace
    /// is normalised as in blocks.
    pub title: Option<String>,
    /// The kinds that the page declares.
    pub declared: Declared,
    /// The blocks in source order. None is empty.
    pub blocks: Vec<TextBlock>,
    /// WHATWG name of the charset that the bytes were decoded with.
    pub charset: &'static str,
    /// The source of that charset.
    pub charset_source: CharsetSource,
    /// Irregularities of the page: at most one of each code, in the order of the variants of
    /// [`Warning`].
    pub warnings: Vec<Warning>,
}

/// Splits a page, as fetched, into text blocks.
///
/// `http_charset` is the charset parameter of the Content-Type header. A label that the Encoding
/// Standard does not know is ignored with a warning. Text without markup gives one block.
///
/// # Errors
/// Returns a [`PageError`] for empty and for binary bytes.
pub fn page(
    bytes: &[u8],
    http_charset: Option<&str>,
    options: &BlockOptions,
) -> Result<Page, PageError> {
    page_with(bytes, http_charset, options, ()).map(|(page, ())| page)
}

/// Splits a page into text blocks as [`page`] does, and reports its markup to an observer in the same
/// pass. Returns the observer that saw the pass whose blocks the page has.
///
/// A page whose text is in `noscript` is read twice, so the observer is cloned before the first pass.
///
/// # Errors
/// Returns a [`PageError`] for empty and for binary bytes.
pub fn page_with<O: Observer + Clone>(
    bytes: &[u8],
    http_charset: Option<&str>,
    options: &BlockOptions,
    observer: O,
) -> Result<(Page, O), PageError> {
    let decoded = charset::decode(bytes, http_charset, options.limits.page_bytes)?;
    let read = tokenizer::tokenize(
        &decoded.text,
        options,
        tokenizer::Until::End,
        (Declared::default(), observer.clone()),
    );
    let observers = (Declared::default(), observer);
    let (builder, end) = tokenizer::with_noscript(read, &decoded.text, options, observers);
    let mut warnings = decoded.warnings;
    let limit = options.limits.depth;
    // A page cut at its limit of bytes is almost always truncated too: do not report that.
    let page_cut = matches!(warnings.last(), Some(Warning::Cut { .. }));
    let is_reported = |end: &Warning| !(page_cut && matches!(end, Warning::Truncated { .. }));
    warnings.extend(end.filter(is_reported));
    let deep = Some(builder.deepest()).filter(|depth| *depth > limit);
    warnings.extend(deep.map(|depth| Warning::TooDeep { limit, depth }));
    let (declared, observer) = builder.observer;
    let page = Page {
        title: builder.title,
        declared,
        blocks: builder.blocks,
        charset: decoded.charset,
        charset_source: decoded.source,
        warnings,
    };
    Ok((page, observer))
}

/// Decodes a page, as fetched, to text with its markup.
///
/// The charset is chosen as by [`page`]. No limit applies. Use this to pass the same characters
/// to other parsers.
///
/// # Errors
/// Returns a [`PageError`] for empty and for binary bytes.
pub fn decode(bytes: &[u8], http_charset: Option<&str>) -> Result<String, PageError> {
    let decoded = charset::decode(bytes, http_charset, usize::MAX)?;
    Ok(decoded.text.into_owned())
}

/// Returns the title of a page, equal to [`Page::title`]. Stops at the end of the title.
pub fn title(bytes: &[u8], http_charset: Option<&str>, options: &BlockOptions) -> Option<String> {
    let decoded = charset::decode(bytes, http_charset, options.limits.page_bytes).ok()?;
    tokenizer::tokenize(&decoded.text, options, tokenizer::Until::Title, ())
        .0
        .title
}

/// Compiles and runs the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
