//! The limits of one page, and the warnings about it.

use std::fmt;

/// Limits of one page.
///
/// A page that exceeds a limit is cut there: [`page`](crate::page) returns the blocks before
/// that position, and a [`Warning::Cut`] with the limit and the position. No limit makes a
/// page an error. [`PageLimits::depth`] cuts nothing and gives a [`Warning::TooDeep`]. Limits
/// count bytes, tags, blocks and characters, never time, so the result does not depend on the
/// machine.
///
/// Memory is bounded by `page_bytes`, `blocks` and `depth`: the decoded page, the text of its
/// blocks, at most 1,024 bytes for each distinct DOM path, and one stack entry for each open
/// element.
///
/// The defaults are above real pages: the maxima of 4,426 pages of 17 sites and three page
/// collections were 1.5 MB, 64 attributes in a tag, 1,027 blocks, and 9,676 characters in a
/// block (measured). A lower limit cuts more real pages. A higher one lets a hostile page cost
/// more.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PageLimits {
    /// Bytes of the page as fetched; the rest is not read. Default 10,485,760 (10 MiB), as in
    /// the original [O H8].
    pub page_bytes: usize,
    /// Bytes of one tag without the values of its attributes, which are long in valid pages
    /// (`data:` URLs). Default 65,536. A longer tag is in fact text after a `<` or after a
    /// quote that was never closed.
    pub tag_bytes: usize,
    /// Attributes of one tag, repeated names counted once. Default 1,024. `tag_bytes` alone
    /// would allow 16,000, in each of many tags.
    pub attributes_per_tag: usize,
    /// Text blocks of the page. Default 100,000.
    pub blocks: usize,
    /// Characters of one block, and of the title. Default 1,000,000: a plain text file is one
    /// block.
    pub block_chars: usize,
    /// Open elements on the stack. Deeper elements are only counted: their text is kept, with
    /// the DOM path of the deepest element on the stack. Default 512, the limit of browsers.
    pub depth: usize,
}

impl Default for PageLimits {
    fn default() -> Self {
        Self {
            page_bytes: 10 << 20,
            tag_bytes: 64 << 10,
            attributes_per_tag: 1 << 10,
            blocks: 100_000,
            block_chars: 1_000_000,
            depth: 512,
        }
    }
}

/// The limit that cut a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// [`PageLimits::page_bytes`]
    PageBytes,
    /// [`PageLimits::tag_bytes`]
    TagBytes,
    /// [`PageLimits::attributes_per_tag`]
    AttributesPerTag,
    /// [`PageLimits::blocks`]
    Blocks,
    /// [`PageLimits::block_chars`]
    BlockChars,
}

/// An irregularity of a page that did not keep it from being read.
///
/// `Display` gives a short text that starts with the code of [`Warning::as_str`]. A page has
/// at most one warning of each code, in the order of this list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Warning {
    /// The HTTP charset is not a label of the Encoding Standard and was ignored.
    UnknownCharset {
        /// The label: its printable ASCII characters, at most 40.
        label: String,
    },
    /// The bytes prove the declared charset wrong, and it was ignored.
    CharsetMismatch {
        /// WHATWG name of the declared charset.
        declared: &'static str,
        /// WHATWG name of the charset used instead.
        decoded: &'static str,
    },
    /// Byte sequences that are invalid in the page's charset were replaced by U+FFFD.
    UndecodableCharacters {
        /// Number of U+FFFD in the decoded text.
        count: usize,
    },
    /// The page was cut at a limit.
    Cut {
        /// The limit.
        limit: Limit,
        /// The position of the cut in bytes: of the page as fetched for
        /// [`Limit::PageBytes`], of the page decoded to UTF-8 for the other limits.
        at: usize,
        /// Length of the whole page in the same bytes.
        of: usize,
    },
    /// The page ends inside a tag, a comment, or an element whose content is raw text
    /// (`script`, `style`, `title`, `textarea`, ...). Other elements without an end tag are
    /// common and not reported. A page cut at a limit does not get this warning.
    Truncated {
        /// The name of the raw text element, `tag`, or `comment`.
        inside: &'static str,
    },
    /// Elements are nested deeper than [`PageLimits::depth`].
    TooDeep {
        /// The limit.
        limit: usize,
        /// The deepest nesting of the page.
        depth: usize,
    },
}

impl Warning {
    /// A stable code.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::UnknownCharset { .. } => "unknown_charset",
            Self::CharsetMismatch { .. } => "charset_mismatch",
            Self::UndecodableCharacters { .. } => "undecodable_characters",
            Self::Cut { limit, .. } => match limit {
                Limit::PageBytes => "page_bytes_limit",
                Limit::TagBytes => "tag_bytes_limit",
                Limit::AttributesPerTag => "attributes_per_tag_limit",
                Limit::Blocks => "blocks_limit",
                Limit::BlockChars => "block_chars_limit",
            },
            Self::TooDeep { .. } => "depth_limit",
            Self::Truncated { .. } => "truncated",
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.as_str())?;
        match self {
            Self::UnknownCharset { label } => f.write_str(label),
            Self::CharsetMismatch { declared, decoded } => {
                write!(f, "declared {declared}, decoded {decoded}")
            }
            Self::UndecodableCharacters { count } => write!(f, "{count}"),
            Self::Cut { at, of, .. } => write!(f, "cut at {at} of {of}"),
            Self::TooDeep { limit, depth } => write!(f, "{limit} of {depth}"),
            Self::Truncated { inside } => write!(f, "in {inside}"),
        }
    }
}
