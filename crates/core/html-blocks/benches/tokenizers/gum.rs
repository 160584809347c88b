//! Blocks from html5gum, with an emitter that builds no tokens.
//!
//! It does not apply the limits of a tag, does not report truncation, and counts repeated
//! attributes.

use std::convert::Infallible;

use html_blocks::reference::{RawState, TagToken, TokenBlocks};
use html_blocks::{BlockOptions, TextBlock};
use html5gum::{Emitter, State, Tokenizer};

/// The blocks of a page.
pub(crate) fn blocks(page: &str, options: &BlockOptions) -> Vec<TextBlock> {
    let mut blocks = TokenBlocks::new(options);
    let emitter = BlockEmitter {
        blocks: &mut blocks,
        tag: OpenTag::default(),
        last_start: Vec::new(),
        incomplete: Vec::new(),
    };
    let Ok(()) = Tokenizer::new_with_emitter(page, emitter).finish();
    blocks.finish()
}

/// The bytes of an attribute name that are kept: more than the longest that blocks depend on.
const NAME_BYTES: usize = 8;

/// The tag under construction.
#[derive(Default)]
struct OpenTag {
    end: bool,
    name: Vec<u8>,
    self_closing: bool,
    attributes: usize,
    /// The name of the last attribute.
    attribute: Vec<u8>,
    class: Option<Vec<u8>>,
    id: Option<Vec<u8>>,
    /// Whether the last attribute is the first `class`.
    in_class: bool,
    /// Whether it is the first `id`.
    in_id: bool,
    has_href: bool,
    is_named: bool,
}

impl OpenTag {
    fn begin(&mut self, end: bool) {
        self.end = end;
        self.name.clear();
        self.self_closing = false;
        self.attributes = 0;
        self.attribute.clear();
        (self.class, self.id) = (None, None);
        (self.in_class, self.in_id) = (false, false);
        self.has_href = false;
        self.is_named = false;
    }

    fn end_attribute_name(&mut self) {
        (self.in_class, self.in_id) = (false, false);
        match &self.attribute[..] {
            b"class" if self.class.is_none() => {
                self.class = Some(Vec::new());
                self.in_class = true;
            }
            b"href" => self.has_href = true,
            b"name" => self.is_named = true,
            b"id" => {
                self.is_named = true;
                self.in_id = self.id.is_none();
                self.id.get_or_insert_default();
            }
            _ => {}
        }
        self.attribute.clear();
    }
}

struct BlockEmitter<'b> {
    blocks: &'b mut TokenBlocks,
    tag: OpenTag,
    last_start: Vec<u8>,
    /// The first bytes of a character: a piece of text may end inside one.
    incomplete: Vec<u8>,
}

impl BlockEmitter<'_> {
    fn text(&mut self, text: &str) {
        for text in text.split('\0').filter(|text| !text.is_empty()) {
            self.blocks.text(text);
        }
    }
}

impl Emitter for BlockEmitter<'_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start = name.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {}

    fn emit_error(&mut self, _: html5gum::Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        if !self.incomplete.is_empty() {
            let mut joined = std::mem::take(&mut self.incomplete);
            joined.extend_from_slice(text);
            return self.emit_string(&joined);
        }
        match std::str::from_utf8(text) {
            Ok(text) => self.text(text),
            Err(cut) => {
                let (whole, rest) = text.split_at(cut.valid_up_to());
                self.incomplete.extend_from_slice(rest);
                if let Ok(whole) = std::str::from_utf8(whole) {
                    self.text(whole);
                }
            }
        }
    }

    fn init_start_tag(&mut self) {
        self.tag.begin(false);
    }

    fn init_end_tag(&mut self) {
        self.tag.begin(true);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        self.tag.end_attribute_name();
        if self.tag.end {
            let name = String::from_utf8_lossy(&self.tag.name);
            self.blocks.end_tag(&name);
            return None;
        }
        std::mem::swap(&mut self.last_start, &mut self.tag.name);
        let state = self.blocks.start_tag(TagToken {
            name: &String::from_utf8_lossy(&self.last_start),
            class: &String::from_utf8_lossy(self.tag.class.as_deref().unwrap_or_default()),
            id: &String::from_utf8_lossy(self.tag.id.as_deref().unwrap_or_default()),
            has_href: self.tag.has_href,
            is_named: self.tag.is_named,
            self_closing: self.tag.self_closing,
            attributes: self.tag.attributes,
        })?;
        Some(match state {
            RawState::Rcdata => State::RcData,
            RawState::Rawtext => State::RawText,
            RawState::Script => State::ScriptData,
            RawState::Plaintext => State::PlainText,
        })
    }

    fn set_self_closing(&mut self) {
        self.tag.self_closing = true;
    }

    fn push_tag_name(&mut self, name: &[u8]) {
        self.tag.name.extend_from_slice(name);
    }

    fn init_attribute(&mut self) {
        self.tag.end_attribute_name();
        self.tag.attributes += 1;
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        if self.tag.attribute.len() < NAME_BYTES {
            self.tag.attribute.extend_from_slice(name);
        }
    }

    fn init_attribute_value(&mut self) {
        self.tag.end_attribute_name();
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.tag.in_class {
            let class = self.tag.class.get_or_insert_default();
            class.extend_from_slice(value);
        }
        if self.tag.in_id {
            self.tag.id.get_or_insert_default().extend_from_slice(value);
        }
    }

    fn init_comment(&mut self) {}

    fn push_comment(&mut self, _: &[u8]) {}

    fn emit_current_comment(&mut self) {
        self.blocks.comment();
    }

    fn init_doctype(&mut self) {}

    fn emit_current_doctype(&mut self) {}

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn set_force_quirks(&mut self) {}

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.end && self.tag.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.blocks.cdata_allowed()
    }
}
