//! The reference: the same blocks from html5ever, the tokenizer of Servo.
//!
//! Tests and fuzzing compare every page with it. html5ever's tokenizer alone takes twice the
//! time that this crate takes for tokens, blocks and hashes.

#[cfg(test)]
mod html5lib;
#[cfg(test)]
mod tests;
mod tokens;

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::block_builder::{BlockBuilder, Content, StartTag};
pub use tokens::{RawState, TagToken, TokenBlocks};

use crate::dom_path::Names;
use crate::elements::Name;
use crate::sight::Sight;
use crate::tokenizer::{Until, tokenize};
use crate::{BlockOptions, Limit, PageLimits, TextBlock, Warning};

/// The result of reading a page.
#[derive(Debug, PartialEq)]
struct Outcome {
    title: Option<String>,
    blocks: Vec<TextBlock>,
    deepest: usize,
    cut: Option<Limit>,
    /// The construct that the end of the page cuts.
    inside: Option<&'static str>,
}

impl Outcome {
    fn new(builder: BlockBuilder, inside: Option<&'static str>) -> Self {
        Outcome {
            deepest: builder.deepest(),
            title: builder.title,
            blocks: builder.blocks,
            cut: builder.cut,
            inside,
        }
    }

    /// The result of this crate's tokenizer.
    fn found(page: &str, options: &BlockOptions) -> Self {
        let (builder, warning) = tokenize(page, options, Until::End, ());
        let inside = match warning {
            Some(Warning::Truncated { inside }) => Some(inside),
            _ => None,
        };
        Self::new(builder, inside)
    }
}

/// Passes html5ever's tokens to a block builder.
struct Sink {
    builder: RefCell<BlockBuilder>,
    /// All of the page has been fed: the constructs that end now are cut by its end.
    ending: Cell<bool>,
    inside: Cell<Option<&'static str>>,
}

impl Sink {
    /// Records the construct that the end of the page cuts.
    fn ends_inside(&self, construct: &'static str) {
        if self.ending.get() && self.inside.get().is_none() {
            self.inside.set(Some(construct));
        }
    }
}

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let builder = &mut *self.builder.borrow_mut();
        if builder.cut.is_some() {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(text) => builder.text(&text),
            Token::CommentToken(_) => {
                self.ends_inside("comment");
                builder.comment();
            }
            Token::DoctypeToken(_) => self.ends_inside("comment"),
            // html5ever emits an incomplete comment, but for an incomplete tag only an error.
            Token::ParseError(error) if in_tag(&error) => self.ends_inside("tag"),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => {
                builder.end_tag(Name::new(&tag.name));
            }
            Token::TagToken(tag) => {
                let value = |name: &str| {
                    let of_name = tag
                        .attrs
                        .iter()
                        .find(|attribute| *attribute.name.local == *name);
                    of_name.map(|attribute| &*attribute.value)
                };
                let name = Name::new(&tag.name);
                let sight = Sight::new(name.tag, name.text, |name| value(name).map(Cow::Borrowed));
                let content = builder.start_tag(StartTag {
                    name,
                    sight: &sight,
                    names: Names {
                        class: value("class").unwrap_or_default(),
                        id: value("id").unwrap_or_default(),
                    },
                    link: value("href").is_some() || value("name").or(value("id")).is_none(),
                    self_closing: tag.self_closing,
                    attributes: tag.attrs.len(),
                    source: b"",
                });
                return match content {
                    Some(Content::Rcdata) => TokenSinkResult::RawData(RawKind::Rcdata),
                    Some(Content::Rawtext) => TokenSinkResult::RawData(RawKind::Rawtext),
                    Some(Content::Script) => TokenSinkResult::RawData(RawKind::ScriptData),
                    Some(Content::Plaintext) => TokenSinkResult::Plaintext,
                    None => TokenSinkResult::Continue,
                };
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.builder.borrow().cdata_allowed()
    }
}

/// Whether a parse error, which names the state, says that the page ends in a tag.
fn in_tag(error: &str) -> bool {
    let state = error.strip_prefix("Saw EOF in state ");
    state.is_some_and(|state| {
        state != "TagOpen" && (state.contains("Tag") || state.contains("Attribute"))
    })
}

/// The result of html5ever's tokenizer.
fn reference(page: &str, options: &BlockOptions) -> Outcome {
    let options_of_tokenizer = TokenizerOpts {
        // Decoding has removed the byte order mark. A second one is text.
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let sink = Sink {
        builder: RefCell::new(BlockBuilder::new(options)),
        ending: Cell::new(false),
        inside: Cell::new(None),
    };
    let tokenizer = Tokenizer::new(sink, options_of_tokenizer);
    let queue = BufferQueue::default();
    queue.push_back(page.into());
    // The tokenizer only suspends to run scripts, and the sink requests none.
    let _ = tokenizer.feed(&queue);
    tokenizer.sink.ending.set(true);
    tokenizer.end();
    let inside = tokenizer.sink.inside.get();
    let mut builder = tokenizer.sink.builder.into_inner();
    // html5ever does not report a page that ends with `</`, because that may be raw text.
    // Here it counts as an incomplete tag.
    let inside = inside.or(page.ends_with("</").then_some("tag"));
    let inside = builder.open_raw_element().or(inside);
    let was_cut = builder.cut.is_some();
    builder.finish();
    let inside = inside.filter(|_| !was_cut && builder.cut.is_none());
    Outcome::new(builder, inside)
}

/// Compares the results of this crate and of the reference for a page. Returns a description of
/// the difference, or `None` if they are equal. html5ever does not report the length of a tag,
/// so [`PageLimits::tag_bytes`] is not applied.
pub fn difference(page: &str, options: &BlockOptions) -> Option<String> {
    let limits = PageLimits {
        tag_bytes: usize::MAX,
        ..options.limits.clone()
    };
    let options = BlockOptions {
        limits,
        ..options.clone()
    };
    let found = Outcome::found(page, &options);
    let expected = reference(page, &options);
    (found != expected).then(|| format!("expected {expected:?}, found {found:?}"))
}
