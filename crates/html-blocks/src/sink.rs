//! From tokens to blocks.

use std::cell::RefCell;
use std::sync::Arc;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::states::RawKind;
use html5ever::tokenizer::{Tag, TagKind, Token, TokenSink, TokenSinkResult};
use html5ever::{LocalName, local_name};

use crate::elements::{Element, SplitList};
use crate::hash::block_hash;
use crate::limits::{Limit, PageLimits};
use crate::stack::Stack;
use crate::text::{Full, Joining, Place, Run};
use crate::{BlockOptions, TextBlock};

/// An element whose content the tokenizer reads as raw text.
#[derive(Debug)]
struct RawElement {
    name: LocalName,
    text: RawText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RawText {
    Dropped,
    Shown,
    Title,
}

/// What is known of the page so far.
#[derive(Debug)]
pub(crate) struct Reader {
    split: SplitList,
    joining: Joining,
    limits: PageLimits,
    stack: Stack,
    raw: Option<RawElement>,
    /// Inside `<a>`. Not on the stack: a link goes on until its end tag or the
    /// next link, whatever blocks open and close meanwhile.
    place: Place,
    run: Run,
    /// Where the text of `run` began.
    slot: Option<Arc<str>>,
    chrome: bool,
    title_run: Run,
    pub(crate) title: Option<String>,
    pub(crate) blocks: Vec<TextBlock>,
    /// The limit that ended the page.
    pub(crate) cut: Option<Limit>,
    /// Something other than a parse error came since this was last reset.
    progress: bool,
    /// A parse error, comment or doctype came since this was last reset: at the
    /// page's end a sign that it lacks something.
    oddity: bool,
}

impl Reader {
    fn new(options: &BlockOptions) -> Self {
        Self {
            split: options.split,
            joining: options.joining,
            stack: Stack::new(options.split, options.limits.depth),
            raw: None,
            place: Place::Plain,
            run: Run::new(options.limits.block_chars),
            slot: None,
            chrome: false,
            title_run: Run::new(options.limits.block_chars),
            title: None,
            blocks: Vec::new(),
            cut: None,
            progress: false,
            oddity: false,
            limits: options.limits.clone(),
        }
    }

    /// The deepest nesting of elements.
    pub(crate) fn deepest(&self) -> usize {
        self.stack.deepest()
    }

    /// The element whose raw text is being read, if its end tag is still to come.
    pub(crate) fn open_raw_element(&self) -> Option<&'static str> {
        Some(match self.raw.as_ref()?.name {
            local_name!("script") => "script",
            local_name!("style") => "style",
            local_name!("title") => "title",
            local_name!("textarea") => "textarea",
            local_name!("noscript") => "noscript",
            local_name!("noframes") => "noframes",
            local_name!("noembed") => "noembed",
            local_name!("iframe") => "iframe",
            local_name!("xmp") => "xmp",
            _ => return None,
        })
    }

    /// Ends the page: the block under construction is its last.
    pub(crate) fn finish(&mut self) {
        self.end_block();
        self.end_title();
    }

    fn start_tag(&mut self, tag: &Tag) -> TokenSinkResult<()> {
        if tag.attrs.len() > self.limits.attributes_per_tag {
            self.cut = Some(Limit::AttributesPerTag);
            return TokenSinkResult::Continue;
        }
        let element = Element::of(&tag.name);
        self.boundary(element);
        let name = &tag.name;
        let class = || {
            attribute(tag, &local_name!("class"))
                .cloned()
                .unwrap_or_default()
        };
        if self.stack.foreign()
            && self
                .stack
                .start_foreign(name, element, class(), tag.self_closing)
        {
            return TokenSinkResult::Continue;
        }
        if *name == local_name!("a") {
            self.place = if is_link(tag) {
                Place::Link
            } else {
                Place::Plain
            };
        }
        let raw = self.raw_text(name);
        let stands = match raw {
            Some((text, _)) => text == RawText::Shown,
            None => !element.inline() || *name == local_name!("math"),
        };
        if stands {
            self.stack.start(name, element, class(), tag.self_closing);
        }
        let Some((text, answer)) = raw else {
            return TokenSinkResult::Continue;
        };
        self.raw = Some(RawElement {
            name: name.clone(),
            text,
        });
        answer
    }

    fn end_tag(&mut self, tag: &Tag) {
        // In raw text the tokenizer takes nothing for a tag but the end tag.
        let raw = self.raw.take().map(|raw| raw.text);
        if raw == Some(RawText::Title) {
            self.end_title();
        }
        let element = Element::of(&tag.name);
        self.boundary(element);
        if tag.name == local_name!("a") {
            self.place = Place::Plain;
        }
        if raw.is_none_or(|text| text == RawText::Shown) {
            self.stack.end(&tag.name, element);
        }
    }

    /// A tag of this element stands here, between the text before and after it.
    fn boundary(&mut self, element: Element) {
        if self.stack.splits(element) {
            self.end_block();
        } else {
            self.seam();
        }
    }

    /// Two pieces of one block meet.
    fn seam(&mut self) {
        if self.joining == Joining::Spaced {
            self.run.space();
        }
    }

    /// How the content of an element of raw text is read, and what becomes of it.
    fn raw_text(&self, name: &LocalName) -> Option<(RawText, TokenSinkResult<()>)> {
        use RawText::{Dropped, Shown, Title};
        let raw = |text, kind| Some((text, TokenSinkResult::RawData(kind)));
        match *name {
            local_name!("script") => raw(Dropped, RawKind::ScriptData),
            local_name!("style") | local_name!("noscript") => raw(Dropped, RawKind::Rawtext),
            local_name!("title") if self.stack.hidden() => raw(Dropped, RawKind::Rcdata),
            local_name!("title") => raw(Title, RawKind::Rcdata),
            local_name!("textarea") => raw(Shown, RawKind::Rcdata),
            local_name!("plaintext") => Some((Shown, TokenSinkResult::Plaintext)),
            // To the original these are elements like any other [O G1].
            _ if self.split == SplitList::Original => None,
            local_name!("xmp") => raw(Shown, RawKind::Rawtext),
            local_name!("iframe") | local_name!("noembed") | local_name!("noframes") => {
                raw(Dropped, RawKind::Rawtext)
            }
            _ => None,
        }
    }

    fn text(&mut self, text: &str) {
        let full = match self.raw.as_ref().map(|raw| raw.text) {
            Some(RawText::Dropped) => return,
            Some(RawText::Title) => self.title_run.push(text, Place::Plain),
            _ if self.stack.hidden() => return,
            _ => {
                let full = self.run.push(text, self.place);
                if self.slot.is_none() && !self.run.is_empty() {
                    self.slot = Some(self.stack.slot());
                    self.chrome = self.stack.chrome();
                }
                full
            }
        };
        if full == Err(Full) {
            self.cut = Some(Limit::BlockChars);
        }
    }

    fn end_block(&mut self) {
        let slot = self.slot.take();
        let link_chars = self.run.link_chars();
        let text = self.run.take();
        if let Some(slot) = slot {
            self.push_block(text, link_chars, slot, self.chrome);
        }
    }

    /// The page's title is its first that has text. To the original every title is
    /// a block too [O G1].
    fn end_title(&mut self) {
        let title = self.title_run.take();
        if title.is_empty() {
            return;
        }
        if self.split == SplitList::Original {
            let slot = self.stack.slot();
            self.push_block(title.clone(), 0, slot, self.stack.chrome());
        }
        self.title.get_or_insert(title);
    }

    fn push_block(&mut self, text: String, link_chars: usize, slot: Arc<str>, chrome: bool) {
        if self.blocks.len() == self.limits.blocks {
            self.cut = Some(Limit::Blocks);
            return;
        }
        let hash = block_hash(&text);
        let link_chars = u32::try_from(link_chars).unwrap_or(u32::MAX);
        self.blocks.push(TextBlock {
            text,
            hash,
            link_chars,
            slot,
            chrome,
        });
    }
}

/// An `a` that only marks a place (`<a name="top">`) is no link: it is often left
/// open, and would make link text of all that follows.
fn is_link(tag: &Tag) -> bool {
    attribute(tag, &local_name!("href")).is_some() || attribute(tag, &local_name!("name")).is_none()
}

fn attribute<'t>(tag: &'t Tag, name: &LocalName) -> Option<&'t StrTendril> {
    tag.attrs
        .iter()
        .find(|attribute| attribute.name.local == *name)
        .map(|found| &found.value)
}

/// The tokenizer's face of a [`Reader`].
#[derive(Debug)]
pub(crate) struct BlockSink(RefCell<Reader>);

impl BlockSink {
    pub(crate) fn new(options: &BlockOptions) -> Self {
        Self(RefCell::new(Reader::new(options)))
    }

    /// Whether a token has come since the last call.
    pub(crate) fn take_progress(&self) -> bool {
        std::mem::take(&mut self.0.borrow_mut().progress)
    }

    /// Whether a parse error, comment or doctype has come since the last call.
    pub(crate) fn take_oddity(&self) -> bool {
        std::mem::take(&mut self.0.borrow_mut().oddity)
    }

    pub(crate) fn cut(&self) -> Option<Limit> {
        self.0.borrow().cut
    }

    pub(crate) fn has_title(&self) -> bool {
        self.0.borrow().title.is_some()
    }

    pub(crate) fn into_reader(self) -> Reader {
        self.0.into_inner()
    }
}

impl TokenSink for BlockSink {
    type Handle = ();

    fn process_token(&self, token: Token, _line: u64) -> TokenSinkResult<()> {
        let reader = &mut *self.0.borrow_mut();
        if reader.cut.is_some() {
            return TokenSinkResult::Continue;
        }
        reader.progress |= !matches!(token, Token::ParseError(_));
        match token {
            Token::CharacterTokens(text) => reader.text(&text),
            Token::TagToken(tag) => match tag.kind {
                TagKind::StartTag => return reader.start_tag(&tag),
                TagKind::EndTag => reader.end_tag(&tag),
            },
            Token::CommentToken(_) => {
                reader.oddity = true;
                reader.seam();
            }
            Token::ParseError(_) | Token::DoctypeToken(_) => reader.oddity = true,
            Token::NullCharacterToken | Token::EOFToken => {}
        }
        TokenSinkResult::Continue
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&self) -> bool {
        self.0.borrow().stack.cdata_allowed()
    }
}
