//! Blocks from the tokens of another tokenizer, for the comparison in `benches/tokenizers`.

use crate::block_builder::{BlockBuilder, Content, StartTag};
use crate::character_reference;
use crate::dom_path::Names;
use crate::elements::Name;
use crate::sight::Sight;
use crate::{BlockOptions, TextBlock};

/// Builds text blocks from tokens: this crate without its own tokenizer.
pub struct TokenBlocks(BlockBuilder);

/// The parts of a start tag that blocks depend on. Names are in lower case, and character
/// references are decoded.
#[derive(Clone, Copy, Debug)]
pub struct TagToken<'t> {
    /// The name of the element.
    pub name: &'t str,
    /// The value of `class`; empty if there is none.
    pub class: &'t str,
    /// The value of `id`; empty if there is none.
    pub id: &'t str,
    /// Whether there is a `href`.
    pub has_href: bool,
    /// Whether there is a `name` or an `id`.
    pub is_named: bool,
    /// Whether the tag ends with `/>`.
    pub self_closing: bool,
    /// The number of attributes.
    pub attributes: usize,
}

/// The tokenizer state after a start tag, if it is not the data state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawState {
    /// RCDATA.
    Rcdata,
    /// RAWTEXT.
    Rawtext,
    /// Script data.
    Script,
    /// PLAINTEXT.
    Plaintext,
}

impl TokenBlocks {
    /// A page without tokens.
    pub fn new(options: &BlockOptions) -> Self {
        Self(BlockBuilder::new(options))
    }

    /// Handles a start tag. Returns the state that the tokenizer must change to.
    pub fn start_tag(&mut self, tag: TagToken<'_>) -> Option<RawState> {
        let content = self.0.start_tag(StartTag {
            name: Name::new(tag.name),
            // Only `SplitList::Html` reads it, and the comparison is of the other list.
            sight: &Sight::PLAIN,
            names: Names {
                class: tag.class,
                id: tag.id,
            },
            link: tag.has_href || !tag.is_named,
            self_closing: tag.self_closing,
            attributes: tag.attributes,
            source: b"",
        })?;
        Some(match content {
            Content::Rcdata => RawState::Rcdata,
            Content::Rawtext => RawState::Rawtext,
            Content::Script => RawState::Script,
            Content::Plaintext => RawState::Plaintext,
        })
    }

    /// Handles an end tag.
    pub fn end_tag(&mut self, name: &str) {
        self.0.end_tag(Name::new(name));
    }

    /// Handles text with its character references decoded.
    pub fn text(&mut self, text: &str) {
        self.0.text(text);
    }

    /// Handles text in which character references are not decoded.
    pub fn source_text(&mut self, text: &str) {
        if !self.0.drops_text() {
            self.0.text(&character_reference::text(text));
        }
    }

    /// Handles a comment.
    pub fn comment(&mut self) {
        self.0.comment();
    }

    /// Whether a CDATA section may start here.
    pub fn cdata_allowed(&self) -> bool {
        self.0.cdata_allowed()
    }

    /// Ends the page and returns its blocks.
    pub fn finish(mut self) -> Vec<TextBlock> {
        self.0.finish();
        self.0.blocks
    }
}
