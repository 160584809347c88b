//! Limits on the work for one page.
//!
//! html5ever's work for a token grows with the number of open elements, its tree with
//! the number of unclosed formatting elements, and its work for a tag with the square of
//! its attributes. These numbers are limited, so that the time for a page is proportional
//! to its length. All limits are far above the numbers on real pages.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;

use crate::tree::{Arena, ArenaSink, Handle};

/// Bytes of a page that are read; the rest is ignored.
pub(crate) const PAGE_BYTES: usize = 10 << 20;
/// Attributes of a tag. The page ends before a tag with more.
pub(crate) const ATTRIBUTES: usize = 1_024;
/// Open elements. The tags of deeper elements are skipped, their text is kept.
pub(crate) const DEPTH: usize = 512;
/// Formatting elements that are open at a time. HTML reopens an unclosed one in every
/// paragraph, which costs a node each time.
const OPEN_FORMATTING: usize = 32;
/// Nodes of the tree. The rest of the page is ignored.
pub(crate) const NODES: usize = 500_000;

/// A token sink between tokenizer and tree builder that drops tokens over the limits.
pub(crate) struct LimitingSink {
    builder: TreeBuilder<Handle, ArenaSink>,
    /// Skipped start tags whose end tag has not been seen, by name.
    skipped: RefCell<HashMap<LocalName, usize>>,
    /// Open formatting elements, by name.
    formatting: RefCell<HashMap<LocalName, usize>>,
    open_formatting: Cell<usize>,
    /// Whether a token has been emitted since the last call of `take_token_seen`.
    token_seen: Cell<bool>,
}

impl LimitingSink {
    pub(crate) fn new(builder: TreeBuilder<Handle, ArenaSink>) -> Self {
        Self {
            builder,
            skipped: RefCell::default(),
            formatting: RefCell::default(),
            open_formatting: Cell::new(0),
            token_seen: Cell::new(false),
        }
    }

    pub(crate) fn take_token_seen(&self) -> bool {
        self.token_seen.take()
    }

    pub(crate) fn into_tree(self) -> Arena {
        self.builder.sink.into_tree()
    }

    fn accepts(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => self.accepts_start(tag),
            TagKind::EndTag => self.accepts_end(tag),
        }
    }

    fn accepts_start(&self, tag: &Tag) -> bool {
        let formatting = is_formatting(&tag.name);
        let too_deep = self.builder.sink.depth() >= DEPTH && !is_leaf(&tag.name);
        if too_deep || (formatting && self.open_formatting.get() >= OPEN_FORMATTING) {
            *self
                .skipped
                .borrow_mut()
                .entry(tag.name.clone())
                .or_default() += 1;
            return false;
        }
        if formatting {
            *self
                .formatting
                .borrow_mut()
                .entry(tag.name.clone())
                .or_default() += 1;
            self.open_formatting.set(self.open_formatting.get() + 1);
        }
        true
    }

    fn accepts_end(&self, tag: &Tag) -> bool {
        if take_one(&mut self.skipped.borrow_mut(), &tag.name) {
            return false;
        }
        if take_one(&mut self.formatting.borrow_mut(), &tag.name) {
            self.open_formatting.set(self.open_formatting.get() - 1);
        }
        true
    }
}

fn take_one(counts: &mut HashMap<LocalName, usize>, name: &LocalName) -> bool {
    match counts.get_mut(name) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    }
}

impl TokenSink for LimitingSink {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        // Parse errors are emitted inside a tag.
        if !matches!(token, Token::ParseError(_)) {
            self.token_seen.set(true);
        }
        let passes = match &token {
            Token::EOFToken => true,
            _ if self.builder.sink.len() > NODES => false,
            Token::TagToken(tag) => self.accepts(tag),
            Token::CommentToken(_) => false,
            _ => true,
        };
        if passes {
            self.builder.process_token(token, line)
        } else {
            TokenSinkResult::Continue
        }
    }

    fn end(&self) {
        self.builder.end();
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder
            .adjusted_current_node_present_but_not_in_html_namespace()
    }
}

/// Whether an element is a formatting element of HTML. `a` is not in the list, because an
/// `a` closes the `a` before it.
fn is_formatting(name: &str) -> bool {
    matches!(
        name,
        "b" | "big"
            | "code"
            | "em"
            | "font"
            | "i"
            | "nobr"
            | "s"
            | "small"
            | "strike"
            | "strong"
            | "tt"
            | "u"
    )
}

/// Whether an element contains no elements. Some of these switch the tokenizer to raw
/// text, so their tags must not be skipped.
fn is_leaf(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "br"
            | "col"
            | "embed"
            | "hr"
            | "iframe"
            | "img"
            | "input"
            | "link"
            | "meta"
            | "noembed"
            | "noframes"
            | "noscript"
            | "plaintext"
            | "script"
            | "style"
            | "textarea"
            | "title"
            | "track"
            | "wbr"
            | "xmp"
    )
}
