//! What one page may cost.
//!
//! html5ever's work for a token grows with the number of open elements, its tree
//! with the number of formatting elements that were never closed, and its work
//! for a tag with the square of its attributes. So what reaches it is limited, and
//! a page costs time in proportion to its length. All limits are far above real
//! pages.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use html5ever::LocalName;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::tree_builder::TreeBuilder;

use crate::tree::{Handle, PartTree, TreeOfParts};

/// Bytes that are read; the rest of the page is not.
pub(crate) const PAGE_BYTES: usize = 10 << 20;
/// Attributes of a tag. The page ends before a tag with more.
pub(crate) const ATTRIBUTES: usize = 1_024;
/// Open elements. The tags of deeper ones are passed over, their text stays.
pub(crate) const DEPTH: usize = 512;
/// Formatting elements that are open at a time. HTML opens them again in every
/// paragraph, so an unclosed one costs a node for each.
const OPEN_FORMATTING: usize = 32;
/// Nodes of the tree. The page ends where it has more.
pub(crate) const NODES: usize = 500_000;

/// What stands between tokenizer and tree builder.
pub(crate) struct Limits {
    builder: TreeBuilder<Handle, TreeOfParts>,
    /// Start tags that were passed over and whose end tags are still to come.
    passed_over: RefCell<HashMap<LocalName, usize>>,
    /// Formatting elements by name that were opened and not closed.
    formatting: RefCell<HashMap<LocalName, usize>>,
    open_formatting: Cell<usize>,
    /// A token came since this was asked last.
    progress: Cell<bool>,
}

impl Limits {
    pub(crate) fn new(builder: TreeBuilder<Handle, TreeOfParts>) -> Self {
        Self {
            builder,
            passed_over: RefCell::default(),
            formatting: RefCell::default(),
            open_formatting: Cell::new(0),
            progress: Cell::new(false),
        }
    }

    pub(crate) fn take_progress(&self) -> bool {
        self.progress.take()
    }

    pub(crate) fn into_tree(self) -> PartTree {
        self.builder.sink.into_tree()
    }

    fn lets_through(&self, tag: &Tag) -> bool {
        match tag.kind {
            TagKind::StartTag => self.lets_start(tag),
            TagKind::EndTag => self.lets_end(tag),
        }
    }

    fn lets_start(&self, tag: &Tag) -> bool {
        let formatting = is_formatting(&tag.name);
        let too_deep = self.builder.sink.depth() >= DEPTH && !is_leaf(&tag.name);
        if too_deep || (formatting && self.open_formatting.get() >= OPEN_FORMATTING) {
            *(self.passed_over.borrow_mut())
                .entry(tag.name.clone())
                .or_default() += 1;
            return false;
        }
        if formatting {
            *(self.formatting.borrow_mut())
                .entry(tag.name.clone())
                .or_default() += 1;
            self.open_formatting.set(self.open_formatting.get() + 1);
        }
        true
    }

    fn lets_end(&self, tag: &Tag) -> bool {
        if take_one(&mut self.passed_over.borrow_mut(), &tag.name) {
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

impl TokenSink for Limits {
    type Handle = Handle;

    fn process_token(&self, token: Token, line: u64) -> TokenSinkResult<Handle> {
        // Errors come from inside a tag.
        if !matches!(token, Token::ParseError(_)) {
            self.progress.set(true);
        }
        let passes = match &token {
            Token::EOFToken => true,
            _ if self.builder.sink.len() > NODES => false,
            Token::TagToken(tag) => self.lets_through(tag),
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

/// The formatting elements of HTML, without `a`: opening one closes another.
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

/// Holds no elements, or text that the tokenizer has to be told not to read as
/// markup.
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
