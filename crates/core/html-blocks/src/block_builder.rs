//! From tokens to blocks.

use crate::dom_path::DomPath;
use crate::elements::{Element, Name, SplitList, Tag};
use crate::hash::block_hash;
use crate::limits::{Limit, PageLimits};
use crate::stack::Stack;
use crate::text::{Full, Joining, Place, Run};
use crate::{BlockOptions, TextBlock};

/// An element whose content the tokenizer reads as raw text.
#[derive(Debug)]
struct RawElement {
    tag: Tag,
    text: RawText,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RawText {
    Dropped,
    Shown,
    Title,
}

/// How the content of an element is read, if not as markup. Named as the states
/// of the HTML standard are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Rcdata,
    Rawtext,
    Script,
    Plaintext,
}

/// A start tag, as much of it as blocks depend on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StartTag<'t> {
    pub(crate) name: Name<'t>,
    /// The value of `class`, or nothing.
    pub(crate) class: &'t str,
    /// It has a `href`, or no `name`. An `a` that only marks a place
    /// (`<a name="top">`) is no link: it is often left open, and would make link
    /// text of all that follows.
    pub(crate) link: bool,
    pub(crate) self_closing: bool,
    /// How many attributes it has, each name counted once.
    pub(crate) attributes: usize,
}

/// What is known of the page so far.
#[derive(Debug)]
pub(crate) struct BlockBuilder {
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
    dom_path: Option<DomPath>,
    chrome: bool,
    title_run: Run,
    pub(crate) title: Option<String>,
    pub(crate) blocks: Vec<TextBlock>,
    /// The limit that ended the page.
    pub(crate) cut: Option<Limit>,
    /// Tokens so far.
    #[cfg(test)]
    tokens: usize,
}

impl BlockBuilder {
    pub(crate) fn new(options: &BlockOptions) -> Self {
        Self {
            split: options.split,
            joining: options.joining,
            stack: Stack::new(options.split, options.limits.depth),
            raw: None,
            place: Place::Plain,
            run: Run::new(options.limits.block_chars),
            dom_path: None,
            chrome: false,
            title_run: Run::new(options.limits.block_chars),
            title: None,
            blocks: Vec::new(),
            cut: None,
            #[cfg(test)]
            tokens: 0,
            limits: options.limits.clone(),
        }
    }

    /// Tokens, and elements looked at because of them.
    #[cfg(test)]
    pub(crate) fn work(&self) -> usize {
        self.tokens + self.stack.work
    }

    /// The deepest nesting of elements.
    pub(crate) fn deepest(&self) -> usize {
        self.stack.deepest()
    }

    /// The element whose raw text is being read, if its end tag is still to come.
    pub(crate) fn open_raw_element(&self) -> Option<&'static str> {
        Some(match self.raw.as_ref()?.tag {
            Tag::Script => "script",
            Tag::Style => "style",
            Tag::Title => "title",
            Tag::Textarea => "textarea",
            Tag::Noscript => "noscript",
            Tag::Noframes => "noframes",
            Tag::Noembed => "noembed",
            Tag::Iframe => "iframe",
            Tag::Xmp => "xmp",
            _ => return None,
        })
    }

    /// Ends the page: the block under construction is its last.
    pub(crate) fn finish(&mut self) {
        self.end_block();
        self.end_title();
    }

    /// A start tag; gives how the content of the element is to be read, if
    /// not as markup.
    pub(crate) fn start_tag(&mut self, tag: StartTag<'_>) -> Option<Content> {
        if tag.attributes > self.limits.attributes_per_tag {
            self.cut = Some(Limit::AttributesPerTag);
            return None;
        }
        let StartTag {
            name,
            class,
            self_closing,
            ..
        } = tag;
        let element = Element::for_name(name);
        self.boundary(element);
        if self.stack.foreign() && self.stack.start_foreign(name, element, class, self_closing) {
            return None;
        }
        if name.tag == Tag::A {
            self.place = if tag.link { Place::Link } else { Place::Plain };
        }
        let raw = self.raw_text(name.tag);
        let stands = match raw {
            Some((text, _)) => text == RawText::Shown,
            None => !element.inline() || name.tag == Tag::Math,
        };
        if stands {
            self.stack.start(name, element, class, self_closing);
        }
        let (text, content) = raw?;
        self.raw = Some(RawElement {
            tag: name.tag,
            text,
        });
        Some(content)
    }

    pub(crate) fn end_tag(&mut self, name: Name<'_>) {
        // In raw text the tokenizer takes nothing for a tag but the end tag.
        let raw = self.raw.take().map(|raw| raw.text);
        if raw == Some(RawText::Title) {
            self.end_title();
        }
        let element = Element::for_name(name);
        self.boundary(element);
        if name.tag == Tag::A {
            self.place = Place::Plain;
        }
        if raw.is_none_or(|text| text == RawText::Shown) {
            self.stack.end(name, element);
        }
    }

    /// A comment joins what stands before and after it.
    pub(crate) fn comment(&mut self) {
        #[cfg(test)]
        (self.tokens += 1);
        self.seam();
    }

    /// A CDATA section may start here.
    pub(crate) fn cdata_allowed(&self) -> bool {
        self.stack.cdata_allowed()
    }

    /// A tag of this element stands here, between the text before and after it.
    fn boundary(&mut self, element: Element) {
        #[cfg(test)]
        (self.tokens += 1);
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
    fn raw_text(&self, tag: Tag) -> Option<(RawText, Content)> {
        use RawText::{Dropped, Shown, Title};
        Some(match tag {
            Tag::Script => (Dropped, Content::Script),
            Tag::Style | Tag::Noscript => (Dropped, Content::Rawtext),
            Tag::Title if self.stack.hidden() => (Dropped, Content::Rcdata),
            Tag::Title => (Title, Content::Rcdata),
            Tag::Textarea => (Shown, Content::Rcdata),
            Tag::Plaintext => (Shown, Content::Plaintext),
            // To the original these are elements like any other [O G1].
            _ if self.split == SplitList::Original => return None,
            Tag::Xmp => (Shown, Content::Rawtext),
            Tag::Iframe | Tag::Noembed | Tag::Noframes => (Dropped, Content::Rawtext),
            _ => return None,
        })
    }

    /// Text is not wanted until the next end tag.
    pub(crate) fn drops_text(&self) -> bool {
        matches!(&self.raw, Some(raw) if raw.text == RawText::Dropped)
    }

    pub(crate) fn text(&mut self, text: &str) {
        #[cfg(test)]
        (self.tokens += 1);
        let full = match self.raw.as_ref().map(|raw| raw.text) {
            Some(RawText::Dropped) => return,
            Some(RawText::Title) => self.title_run.push(text, Place::Plain),
            _ if self.stack.hidden() => return,
            _ => {
                let full = self.run.push(text, self.place);
                if self.dom_path.is_none() && !self.run.is_empty() {
                    self.dom_path = Some(self.stack.dom_path());
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
        // Text and path come and go together.
        let Some(dom_path) = self.dom_path.take() else {
            return;
        };
        let link_chars = self.run.link_chars();
        let text = self.run.take();
        self.push_block(text, link_chars, dom_path, self.chrome);
    }

    /// The page's title is its first that has text. To the original every title is
    /// a block too [O G1].
    fn end_title(&mut self) {
        let title = self.title_run.take();
        if title.is_empty() {
            return;
        }
        if self.split == SplitList::Original {
            let dom_path = self.stack.dom_path();
            self.push_block(title.clone(), 0, dom_path, self.stack.chrome());
        }
        self.title.get_or_insert(title);
    }

    fn push_block(&mut self, text: String, link_chars: usize, dom_path: DomPath, chrome: bool) {
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
            dom_path: dom_path.text,
            shared: dom_path.shared,
            chrome,
        });
    }
}
