//! The reference: html5ever, the tokenizer of Servo, behind the same face.
//!
//! It reads every page as this crate does and is too slow to be more. Here for the
//! tests and for fuzzing.

#[cfg(test)]
mod html5lib;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{
    BufferQueue, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use html5gum::State;

use crate::elements::Name;
use crate::feed::{Until, read};
use crate::reader::{Reader, StartTag};
use crate::{BlockOptions, Limit, PageLimits, TextBlock};

/// What reading gives.
#[derive(Debug, PartialEq)]
struct Outcome {
    title: Option<String>,
    blocks: Vec<TextBlock>,
    deepest: usize,
    cut: Option<Limit>,
}

impl Outcome {
    fn of(reader: Reader) -> Self {
        Outcome {
            deepest: reader.deepest(),
            title: reader.title,
            blocks: reader.blocks,
            cut: reader.cut,
        }
    }
}

/// The face of html5ever's tokenizer.
struct Sink(RefCell<Reader>);

impl TokenSink for Sink {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        let reader = &mut *self.0.borrow_mut();
        if reader.cut.is_some() {
            return TokenSinkResult::Continue;
        }
        match token {
            Token::CharacterTokens(text) => reader.text(&text),
            Token::CommentToken(_) => reader.comment(),
            Token::TagToken(tag) if tag.kind == TagKind::EndTag => {
                reader.end_tag(Name::new(&tag.name));
            }
            Token::TagToken(tag) => {
                let value = |name: &str| {
                    let of_name = tag
                        .attrs
                        .iter()
                        .find(|attribute| *attribute.name.local == *name);
                    of_name.map(|attribute| &*attribute.value)
                };
                let state = reader.start_tag(StartTag {
                    name: Name::new(&tag.name),
                    class: value("class").unwrap_or_default(),
                    link: value("href").is_some() || value("name").is_none(),
                    self_closing: tag.self_closing,
                    attributes: tag.attrs.len(),
                });
                return match state {
                    Some(State::RcData) => TokenSinkResult::RawData(RawKind::Rcdata),
                    Some(State::RawText) => TokenSinkResult::RawData(RawKind::Rawtext),
                    Some(State::ScriptData) => TokenSinkResult::RawData(RawKind::ScriptData),
                    Some(State::PlainText) => TokenSinkResult::Plaintext,
                    _ => TokenSinkResult::Continue,
                };
            }
            _ => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().cdata_allowed()
    }
}

fn reference(page: &str, options: &BlockOptions) -> Outcome {
    let options_of_tokenizer = TokenizerOpts {
        // Decoding took the byte order mark away; one that is left is text.
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let sink = Sink(RefCell::new(Reader::new(options)));
    let tokenizer = Tokenizer::new(sink, options_of_tokenizer);
    let queue = BufferQueue::default();
    queue.push_back(page.into());
    // It only stops for scripts that are to be run, and the sink names none.
    let _ = tokenizer.feed(&queue);
    tokenizer.end();
    let mut reader = tokenizer.sink.0.into_inner();
    reader.finish();
    Outcome::of(reader)
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
    let found = Outcome::of(read(page, &options, Until::End).0);
    let expected = reference(page, &options);
    (found != expected).then(|| format!("expected {expected:?}, found {found:?}"))
}
