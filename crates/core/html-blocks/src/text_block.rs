//! A text block.

use std::sync::Arc;

/// A run of text between tags that end a block.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TextBlock {
    /// The text: trimmed, each run of Unicode whitespace collapsed to one space. Never empty.
    pub text: String,
    /// [`block_hash`](crate::block_hash) of the text.
    pub hash: [u8; 16],
    /// The number of characters inside links (`<a>`). A space counts if the characters on both
    /// its sides count, so this equals the number of characters of the text exactly if all of
    /// it is link text. Anchors (`<a name>` or `<a id>` without `href`) are not links.
    pub link_chars: u32,
    /// The elements from `body` (excluded) down to the start of the text, with their classes
    /// and ids: `div.content#main>article.post>p`.
    ///
    /// An element that its attributes hide (`hidden`, `style="display: none"`) ends with `[hidden]`. Inline
    /// elements (see [`SplitList::Html`](crate::SplitList::Html)) are left out. Classes are in source order, without
    /// repetitions. Digits, dots, `#` and `>` are removed. An element has at most its first 64 classes and
    /// 256 bytes of them, and an id of at most 63 bytes. A path of more than 1,024 bytes ends before the element that does
    /// not fit. Blocks with equal paths share one allocation.
    pub dom_path: Arc<str>,
    /// The number of leading elements of the path that were already open at the block before:
    /// the same elements, not only elements with the same name. Paths and prefixes together
    /// give the outline of the page.
    pub common_prefix: u16,
    /// Whether the block is inside a boilerplate element: `nav`, `aside`, `header`, `footer`,
    /// `address`, `form` or another element of the list in the authors' later code [O D7].
    /// `math` of that list is left out: a formula is part of its sentence.
    pub chrome: bool,
}
