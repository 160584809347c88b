//! What one page may cost, and what is said when it costs more.

use std::fmt;

/// Limits of one page. A page over a limit ends there: what came before is kept,
/// and a [`Warning`] says so. Work is counted and never timed, so that a result
/// does not depend on the machine.
///
/// The defaults leave room above real pages: 4,426 pages of 17 sites and three page
/// collections reached 1.5 MB, 64 attributes in a tag, 1,027 blocks, and 9,676
/// characters in a block (measured).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageLimits {
    /// Bytes of the page as it was fetched; the rest is not read. Default
    /// 10,485,760, as in the original [O H8].
    pub page_bytes: usize,
    /// Bytes of one tag, the values of its attributes not counted (pictures and
    /// data written into a page make them long). Default 65,536: what is longer
    /// is no tag, but text behind a `<` or a quote that was never closed.
    pub tag_bytes: usize,
    /// Attributes of one tag. Default 1,024: 64 KB have room for 16,000, and a
    /// page for many such tags.
    pub attributes_per_tag: usize,
    /// Blocks of the page. Default 100,000.
    pub blocks: usize,
    /// Characters of one block, and of the title. Default 1,000,000: a text
    /// without markup is one block.
    pub block_chars: usize,
    /// Open elements that are told apart. Deeper ones are only counted: their
    /// text is kept, under the path of the deepest element that has a name.
    /// Default 512, where browsers stop nesting as well.
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

/// The limit at which a page was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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

/// Something about a page that its reader should know. `Display` gives a short
/// text that starts with the code of [`Warning::as_str`]. A page has at most one
/// warning of each code, in the order of this list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Warning {
    /// The HTTP charset is not an encoding of the web; it was ignored.
    UnknownCharset {
        /// What was declared: at most 40 characters, printable ASCII.
        label: String,
    },
    /// The bytes prove the declared charset wrong, and it was not followed.
    CharsetMismatch {
        /// WHATWG name of what was declared.
        declared: &'static str,
        /// WHATWG name of what the bytes were decoded with.
        decoded: &'static str,
    },
    /// Byte sequences that are not text in the page's charset became U+FFFD.
    UndecodableCharacters {
        /// How many.
        count: usize,
    },
    /// The page ends at a limit.
    Cut {
        /// Which.
        limit: Limit,
        /// Where: bytes of the page, for [`Limit::PageBytes`] as fetched, for the
        /// others after decoding to UTF-8.
        at: usize,
        /// Bytes of the whole page, counted the same way.
        of: usize,
    },
    /// The page ends inside a tag, a comment, or an element whose content is raw
    /// text (`script`, `style`, `title`, `textarea`, ...): its end is missing.
    /// Elements left open are common and not reported. Not given for a page cut at
    /// a limit.
    Truncated {
        /// The name of the raw text element; else `tag` or `comment`.
        inside: &'static str,
    },
    /// Elements are nested deeper than [`PageLimits::depth`].
    TooDeep {
        /// The limit.
        limit: usize,
        /// The deepest nesting seen.
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
