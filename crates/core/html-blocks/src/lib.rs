//! HTML bytes to text blocks, without a DOM.
//!
//! A *text block* is a run of text between tags, where tags laid out inside a
//! line of text do not count [P 2]. This crate decodes a page as it was fetched,
//! tokenises it, drops what a reader never sees (scripts, style sheets, comments,
//! `noscript`), and returns the blocks in page order, each with the hash by which
//! it is counted across pages [P 4].
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
//! **Charset.** A byte order mark, the HTTP charset, the page's own declaration,
//! valid UTF-8, then a guess: the order of browsers. Only a declaration that the
//! bytes prove wrong is passed over, with a warning.
//!
//! **Blocks.** [`SplitList`] says which tags end a block, [`Joining`] how text
//! goes on across those that do not. Both have the behaviour of the authors' code
//! as an option.
//!
//! **Limits.** The work for a page grows with its length and with nothing else:
//! see [`PageLimits`]. A page over a limit ends there and says so in its
//! warnings; it never fails for being strange. Only bytes that are no page at all
//! are a [`PageError`].
//!
//! What this crate does not do: it builds no tree, so text keeps the order of the
//! source (HTML moves stray text out of tables); it applies no style sheet, so
//! text hidden by CSS is text; it runs no script; it does not judge what is
//! content and what is boilerplate.

mod attributes;
mod block_builder;
mod character_reference;
mod charset;
mod dom_path;
mod elements;
mod hash;
mod limits;
mod prescan;
mod raw_text;
#[cfg(any(test, feature = "reference"))]
pub mod reference;
mod sniff;
mod stack;
mod tag;
mod text;
mod tokenizer;
#[cfg(test)]
mod work;

use std::sync::Arc;

pub use charset::CharsetSource;
pub use elements::SplitList;
pub use hash::block_hash;
pub use limits::{Limit, PageLimits, Warning};
pub use sniff::PageError;
pub use text::Joining;

/// How a page is cut into blocks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockOptions {
    /// Which tags end a block.
    pub split: SplitList,
    /// How the pieces of a block are joined.
    pub joining: Joining,
    /// What a page may cost.
    pub limits: PageLimits,
}

/// A page as blocks of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// The first `<title>` that has text, wherever it stands, those of drawings
    /// (`svg`) and templates apart. Whitespace is normalised as in blocks.
    pub title: Option<String>,
    /// The blocks in the order of the source. None is empty.
    pub blocks: Vec<TextBlock>,
    /// WHATWG name of the charset the bytes were decoded with.
    pub charset: &'static str,
    /// Where that charset was taken from.
    pub charset_source: CharsetSource,
    /// What is strange about the page: at most one of each code, in the order in
    /// which [`Warning`] lists them.
    pub warnings: Vec<Warning>,
}

/// A run of text between tags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextBlock {
    /// The text: trimmed, runs of Unicode whitespace as one space. Never empty.
    pub text: String,
    /// [`block_hash`] of the text.
    pub hash: [u8; 16],
    /// Characters of the text inside `<a>`. A space counts where the text on both
    /// its sides does, so that this is the number of characters of the text
    /// exactly if all of it is link text. Anchors (`<a name>` without `href`) are
    /// no links.
    pub link_chars: u32,
    /// The path of open elements from (and without) `body` down to where the text
    /// begins, such as `div.content>article.post>p`. Elements laid out inside a
    /// line (see [`SplitList::Html`]) are not on it. Classes stand in their order
    /// in the source, each once, without digits, dots and `>`; an element shows
    /// at most its first 64, and 256 bytes of them. A path of more than 1,024
    /// bytes ends before the element that does not fit. Blocks of one path share
    /// the text.
    pub dom_path: Arc<str>,
    /// Elements of the path, from its start, that were already open at the block
    /// before: the same elements, not only of the same name. With the paths this is
    /// the outline of the page.
    pub shared: u16,
    /// Under `nav`, `aside`, `header`, `footer`, `address`, `form` or one of the
    /// other elements by which the authors' later code knows boilerplate [O D7].
    /// Of its list `math` is left out: a formula is part of its sentence.
    pub chrome: bool,
}

/// Cuts a page, as it was fetched, into blocks. `http_charset` is the charset
/// parameter of its Content-Type header; a label that is no encoding of the web
/// is ignored with a warning.
///
/// Text without any markup is a page of one block.
///
/// # Errors
/// [`PageError`] for empty and for binary bytes.
pub fn page(
    bytes: &[u8],
    http_charset: Option<&str>,
    options: &BlockOptions,
) -> Result<Page, PageError> {
    let decoded = charset::decode(bytes, http_charset, options.limits.page_bytes)?;
    let (builder, end) = tokenizer::tokenize(&decoded.text, options, tokenizer::Until::End);
    let mut warnings = decoded.warnings;
    let limit = options.limits.depth;
    // A page cut at its limit of bytes ends inside something as a rule.
    let page_cut = matches!(warnings.last(), Some(Warning::Cut { .. }));
    let is_news = |end: &Warning| !(page_cut && matches!(end, Warning::Truncated { .. }));
    warnings.extend(end.filter(is_news));
    let deep = Some(builder.deepest()).filter(|depth| *depth > limit);
    warnings.extend(deep.map(|depth| Warning::TooDeep { limit, depth }));
    Ok(Page {
        title: builder.title,
        blocks: builder.blocks,
        charset: decoded.charset,
        charset_source: decoded.source,
        warnings,
    })
}

/// The text of a page as it was fetched, markup and all, decoded as [`page`] decodes
/// it and cut at no limit: for others that want to read the same characters.
///
/// # Errors
/// [`PageError`] for empty and for binary bytes.
pub fn decode(bytes: &[u8], http_charset: Option<&str>) -> Result<String, PageError> {
    let decoded = charset::decode(bytes, http_charset, usize::MAX)?;
    Ok(decoded.text.into_owned())
}

/// The title of a page, the same as [`page`] gives. Reading stops where it ends.
pub fn title(bytes: &[u8], http_charset: Option<&str>, options: &BlockOptions) -> Option<String> {
    let decoded = charset::decode(bytes, http_charset, options.limits.page_bytes).ok()?;
    tokenizer::tokenize(&decoded.text, options, tokenizer::Until::Title)
        .0
        .title
}
