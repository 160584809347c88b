//! The reference: html5ever, the tokenizer of Servo, behind the same face.
//!
//! It reads every page as this crate does, at half the speed of all that this crate
//! does with it. Here for the tests and for fuzzing.

#[cfg(test)]
mod html5lib;
#[cfg(test)]
mod tests;

use std::cell::{Cell, RefCell};

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};

use crate::block_builder::{BlockBuilder, Content, StartTag};
use crate::elements::Name;
use crate::tokenizer::{Until, tokenize};
use crate::{BlockOptions, Limit, PageLimits, TextBlock, Warning};

/// What reading gives.
#[derive(Debug, PartialEq)]
struct Outcome {
    title: Option<String>,
    blocks: Vec<TextBlock>,
    deepest: usize,
    cut: Option<Limit>,
    /// What the page ends inside of.
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

    /// What this crate makes of a page.
    fn found(page: &str, options: &BlockOptions) -> Self {
        let (builder, warning) = tokenize(page, options, Until::End);
        let inside = match warning {
            Some(Warning::Truncated { inside }) => Some(inside),
            _ => None,
        };
        Self::new(builder, inside)
    }
}

/// The face of html5ever's tokenizer.
struct Sink {
    builder: RefCell<BlockBuilder>,
    /// All of the page was handed over: what ends now is ended by that.
    ending: Cell<bool>,
    inside: Cell<Option<&'static str>>,
}

impl Sink {
    fn ends_inside(&self, what: &'static str) {
        if self.ending.get() && self.inside.get().is_none() {
            self.inside.set(Some(what));
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
            // What is left of a tag, and of no other markup, is told as an error alone.
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
                let content = builder.start_tag(StartTag {
                    name: Name::new(&tag.name),
                    class: value("class").unwrap_or_default(),
                    link: value("href").is_some() || value("name").is_none(),
                    self_closing: tag.self_closing,
                    attributes: tag.attrs.len(),
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

/// Whether an error says that the page ends in a tag. It names the state.
fn in_tag(error: &str) -> bool {
    let state = error.strip_prefix("Saw EOF in state ");
    state.is_some_and(|state| {
        state != "TagOpen" && (state.contains("Tag") || state.contains("Attribute"))
    })
}

fn reference(page: &str, options: &BlockOptions) -> Outcome {
    let options_of_tokenizer = TokenizerOpts {
        // Decoding took the byte order mark away; one that is left is text.
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
    // It only stops for scripts that are to be run, and the sink names none.
    let _ = tokenizer.feed(&queue);
    tokenizer.sink.ending.set(true);
    tokenizer.end();
    let inside = tokenizer.sink.inside.get();
    let mut builder = tokenizer.sink.builder.into_inner();
    // Raw text is not told from other text by the tokenizer. Wherever a `</` is the
    // last of a page, a tag is missing.
    let inside = inside.or(page.ends_with("</").then_some("tag"));
    let inside = builder.open_raw_element().or(inside);
    let was_cut = builder.cut.is_some();
    builder.finish();
    let inside = inside.filter(|_| !was_cut && builder.cut.is_none());
    Outcome::new(builder, inside)
}

/// What this crate and the reference make of a page, if it is not the same. How
/// long a tag is the reference cannot tell, so that limit is not looked at.
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
