//! Builds text blocks from the events of a tokenizer.

use crate::dom_path::{DomPath, Names};
use crate::elements::{Element, Name, SplitList, Tag};
use crate::exponent::exponent_text;
use crate::hash::block_hash;
use crate::limits::{Limit, PageLimits};
use crate::no_text::{element_text, is_line_numbers, tex_of, without_invisible};
use crate::observer::{Observer, Opened};
use crate::sight::Sight;
use crate::stack::{Edge, ElementText, Stack};
use crate::tentative::{Tentative, Verdict};
use crate::text::{Full, Joining, Place, Run, space_length};
use crate::{BlockOptions, TextBlock};

/// Letters outside of a `span` from which on the text around it is a sentence, and not a separator of names
/// and dates. At 2 and at 20 the mean over kinds of pages is .0001 and .0006 lower.
const SENTENCE_LETTERS: usize = 3;

/// An open element whose content is raw text.
#[derive(Debug)]
struct RawElement {
    tag: Tag,
    text: RawText,
}

/// The use of raw text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RawText {
    /// Not shown to readers.
    Dropped,
    /// Part of a block.
    Shown,
    /// The title of the page.
    Title,
}

/// The tokenizer state for the content of an element that is not markup, by the standard's
/// names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    Rcdata,
    Rawtext,
    Script,
    Plaintext,
}

/// The parts of a start tag that blocks depend on.
#[derive(Clone, Debug)]
pub(crate) struct StartTag<'t> {
    pub(crate) name: Name<'t>,
    pub(crate) names: Names<'t>,
    pub(crate) sight: &'t Sight<'t>,
    /// Whether an `a` with these attributes is a link: it has a `href`, or neither `name` nor
    /// `id`. An anchor (`<a name="top">`) is not a link: it is often left open, and all text
    /// after it would count as link text.
    pub(crate) link: bool,
    pub(crate) self_closing: bool,
    /// The number of attributes, repeated names counted once.
    pub(crate) attributes: usize,
    /// The source of the attributes, for observers: the tag after its name.
    pub(crate) source: &'t [u8],
}

/// The state of a page up to the current token.
#[derive(Debug)]
pub(crate) struct BlockBuilder<O = ()> {
    split: SplitList,
    joining: Joining,
    limits: PageLimits,
    stack: Stack,
    raw: Option<RawElement>,
    /// Whether the text is inside a link. Links are not on the stack: a link ends at its end
    /// tag or at the next link, whatever elements start and end in between.
    place: Place,
    run: Run,
    /// Letters of the run that are in no `span`, up to [`SENTENCE_LETTERS`].
    direct_letters: usize,
    /// The text ends with a `span`. It ends the block if the text after it does not continue a sentence.
    after_span: bool,
    /// Text after that `span` up to the next tag: as a whole it says whether it continues a sentence.
    held: String,
    tentative: Option<Tentative>,
    /// The open script is TeX, which is shown.
    tex_script: bool,
    /// The path at which the text of `run` began.
    dom_path: Option<DomPath>,
    /// The number of elements that a dropped block shares with the block before it.
    shared_before: u16,
    chrome: bool,
    title_run: Run,
    pub(crate) title: Option<String>,
    pub(crate) blocks: Vec<TextBlock>,
    /// The limit that cut the page.
    pub(crate) cut: Option<Limit>,
    /// Whether `noscript` is an element like any other, and not dropped.
    shows_noscript: bool,
    /// The number of tags in dropped `noscript`.
    pub(crate) noscript_tags: usize,
    pub(crate) observer: O,
    /// The number of tokens so far.
    #[cfg(test)]
    tokens: usize,
}

impl BlockBuilder {
    /// A builder without an observer.
    #[cfg(any(test, feature = "reference"))]
    pub(crate) fn new(options: &BlockOptions) -> Self {
        Self::observed(options, ())
    }
}

impl<O: Observer> BlockBuilder<O> {
    pub(crate) fn observed(options: &BlockOptions, observer: O) -> Self {
        Self {
            split: options.split,
            joining: options.joining,
            stack: Stack::new(options.split, options.limits.depth),
            raw: None,
            place: Place::Plain,
            run: Run::new(options.limits.block_chars),
            direct_letters: 0,
            after_span: false,
            held: String::new(),
            tentative: None,
            tex_script: false,
            dom_path: None,
            shared_before: u16::MAX,
            chrome: false,
            title_run: Run::new(options.limits.block_chars),
            title: None,
            // Half of all pages have fewer.
            blocks: Vec::with_capacity(64),
            cut: None,
            shows_noscript: false,
            noscript_tags: 0,
            observer,
            #[cfg(test)]
            tokens: 0,
            limits: options.limits.clone(),
        }
    }

    /// Treats `noscript` as an element like any other.
    pub(crate) fn showing_noscript(self) -> Self {
        Self {
            shows_noscript: true,
            ..self
        }
    }

    /// The number of characters outside links.
    pub(crate) fn unlinked_chars(&self) -> usize {
        let chars = |block: &TextBlock| block.text.chars().count() - block.link_chars as usize;
        self.blocks.iter().map(chars).sum()
    }

    /// The number of tokens and of visited elements.
    #[cfg(test)]
    pub(crate) fn work(&self) -> usize {
        self.tokens + self.stack.work
    }

    /// The deepest nesting of elements.
    pub(crate) fn deepest(&self) -> usize {
        self.stack.deepest()
    }

    /// The name of the open raw text element, if its end tag has not been read.
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

    /// Ends the page and its last block.
    pub(crate) fn finish(&mut self) {
        self.release_held();
        // The cut may be inside of a formula or of numbers of lines, whose ends decide about them.
        if self.cut.is_some() {
            self.drop_undecided();
        }
        self.end_block();
        self.end_title();
    }

    /// Handles a start tag. Returns the tokenizer state for its content if that is not markup.
    pub(crate) fn start_tag(&mut self, tag: StartTag<'_>) -> Option<Content> {
        if tag.attributes > self.limits.attributes_per_tag {
            self.cut = Some(Limit::AttributesPerTag);
            return None;
        }
        let StartTag {
            name,
            names,
            self_closing,
            source,
            sight,
            ..
        } = tag;
        self.release_held();
        let element = Element::for_name(name);
        let text = match self.split {
            SplitList::Original => ElementText::Shown,
            SplitList::Html => element_text(name, element, names, sight),
        };
        if text == ElementText::Hidden {
            self.end_block();
        }
        self.tex_script = self.split == SplitList::Html && name.tag == Tag::Script && sight.tex;
        self.boundary(name.tag, element, Edge::Start);
        if name.tag == Tag::A {
            self.settle(Tag::A);
        }
        let depth = self.stack.depth();
        if self.stack.foreign() && self.stack.start_foreign(name, element, names, self_closing) {
            if let Some(tentative) = self.tentative.as_mut().filter(|_| sight.tex) {
                tentative.tex_is_at(self.stack.depth());
            }
            return None;
        }
        if name.tag == Tag::A {
            self.place = if tag.link { Place::Link } else { Place::Plain };
        }
        self.begin_tentative(name.tag, names, sight, depth);
        let raw = self.raw_text(name.tag);
        let on_stack = match raw {
            Some((text, _)) => text == RawText::Shown,
            None => !element.inline() || name.tag == Tag::Math || text == ElementText::Dropped,
        };
        let depth = if on_stack {
            self.stack.start(name, element, names, self_closing, text)
        } else {
            None
        };
        self.observer.start(&Opened::new(
            name,
            source,
            depth,
            self.stack.depth(),
            self.run.next_at(),
        ));
        let (text, content) = raw?;
        self.raw = Some(RawElement {
            tag: name.tag,
            text,
        });
        Some(content)
    }

    /// Handles an end tag.
    pub(crate) fn end_tag(&mut self, name: Name<'_>) {
        self.release_held();
        // In raw text the only tag is the end tag of its element.
        let raw = self.raw.take().map(|raw| raw.text);
        if raw == Some(RawText::Title) {
            self.end_title();
        }
        let element = Element::for_name(name);
        self.boundary(name.tag, element, Edge::End);
        if raw.is_none_or(|text| text == RawText::Shown) {
            self.stack.end(name, element);
        }
        self.settle(name.tag);
        if name.tag == Tag::A {
            self.place = Place::Plain;
        }
        let (depth, at) = (self.stack.depth(), self.run.bytes());
        self.observer.end(name.text, depth, at);
    }

    /// Handles the source of a script, up to its end tag.
    pub(crate) fn script(&mut self, source: &str) {
        self.observer.script(source);
        if self.tex_script && !self.stack.hidden() {
            self.push_formula(source);
        }
    }

    /// Handles a comment: it does not end a block.
    pub(crate) fn comment(&mut self) {
        #[cfg(test)]
        (self.tokens += 1);
        self.release_held();
        self.join();
    }

    /// Whether a CDATA section may start here.
    pub(crate) fn cdata_allowed(&self) -> bool {
        self.stack.cdata_allowed()
    }

    /// Handles the effect of a tag on the current block: it ends, or continues after the tag.
    fn boundary(&mut self, tag: Tag, element: Element, edge: Edge) {
        #[cfg(test)]
        (self.tokens += 1);
        let is_formula = tag == Tag::Script && self.tex_script;
        let is_hard = self.split == SplitList::Original || self.stack.ends_hidden(edge);
        let (in_code, in_paragraph) = (self.stack.code(), self.stack.paragraph());
        if !self.stack.splits(element) || is_formula {
            self.join();
        } else if is_hard {
            self.end_block();
        } else if in_code && element.line() {
            self.run.end_line();
        } else if element.soft() && (in_code || in_paragraph) {
            self.join();
        } else if tag == Tag::Span {
            self.span_boundary(edge);
        } else {
            self.end_block();
        }
    }

    /// Handles a `span` outside of paragraphs, which ends a block where it is not part of a sentence.
    fn span_boundary(&mut self, edge: Edge) {
        if self.direct_letters >= SENTENCE_LETTERS {
            self.join();
        } else if edge == Edge::End {
            self.after_span = true;
        } else {
            self.end_block();
        }
    }

    /// Handles the text that was held: it ends the block if it does not continue the sentence of the span.
    fn release_held(&mut self) {
        if self.held.is_empty() {
            return;
        }
        let held = std::mem::take(&mut self.held);
        let is_shown = !held.trim().is_empty();
        if is_shown && letters(&held) < SENTENCE_LETTERS {
            self.end_block();
        }
        self.after_span &= !is_shown;
        if self.push_shown(&held) == Err(Full) {
            self.cut = Some(Limit::BlockChars);
        }
    }

    /// Joins the text before and after an inline tag or comment.
    fn join(&mut self) {
        if self.joining == Joining::Spaced {
            self.run.space();
        }
    }

    /// The use of an element's raw text and the tokenizer state for it; `None` for elements
    /// whose content is markup.
    fn raw_text(&self, tag: Tag) -> Option<(RawText, Content)> {
        use RawText::{Dropped, Shown, Title};
        Some(match tag {
            Tag::Script => (Dropped, Content::Script),
            Tag::Noscript if self.shows_noscript => return None,
            Tag::Style | Tag::Noscript => (Dropped, Content::Rawtext),
            Tag::Title if self.stack.hidden() => (Dropped, Content::Rcdata),
            Tag::Title => (Title, Content::Rcdata),
            Tag::Textarea => (Shown, Content::Rcdata),
            Tag::Plaintext => (Shown, Content::Plaintext),
            // The original treats these elements like any other [O G1].
            _ if self.split == SplitList::Original => return None,
            Tag::Xmp => (Shown, Content::Rawtext),
            Tag::Iframe | Tag::Noembed | Tag::Noframes => (Dropped, Content::Rawtext),
            _ => return None,
        })
    }

    /// Whether text up to the next end tag is dropped.
    pub(crate) fn drops_text(&self) -> bool {
        matches!(&self.raw, Some(raw) if raw.text == RawText::Dropped)
    }

    /// Handles text, with character references decoded.
    pub(crate) fn text(&mut self, text: &str) {
        #[cfg(test)]
        (self.tokens += 1);
        let full = match self.raw.as_ref().map(|raw| raw.text) {
            Some(RawText::Dropped) => {
                let in_noscript = matches!(&self.raw, Some(raw) if raw.tag == Tag::Noscript);
                self.noscript_tags += usize::from(in_noscript && text == "<");
                return;
            }
            Some(RawText::Title) => self.title_run.push(text, Place::Plain),
            _ if self.stack.hidden() => return self.hidden_text(text),
            _ if self.split == SplitList::Html => self.shown_text(&without_invisible(text)),
            _ => self.push_shown(text),
        };
        if full == Err(Full) {
            self.cut = Some(Limit::BlockChars);
        }
    }

    /// Handles text, which is held if it follows a span that may end the block.
    fn shown_text(&mut self, text: &str) -> Result<(), Full> {
        let in_span = self.stack.in_span();
        if self.after_span && in_span && !text.trim().is_empty() {
            self.end_block();
        }
        if self.after_span && !in_span {
            self.held.push_str(text);
            return Ok(());
        }
        self.push_shown(text)
    }

    /// Appends text that is shown.
    fn push_shown(&mut self, text: &str) -> Result<(), Full> {
        if self.direct_letters < SENTENCE_LETTERS && !self.stack.in_span() {
            self.direct_letters += letters(text);
        }
        if self.run.is_empty() {
            self.run.set_lines(self.stack.code());
        }
        self.observer.text(text, self.run.bytes());
        let full = self.run.push(text, self.place);
        self.begin_block();
        full
    }

    /// Notes the place of a block whose text has begun.
    fn begin_block(&mut self) {
        if self.dom_path.is_none() && !self.run.is_empty() {
            let mut path = self.stack.dom_path();
            path.common_prefix = path.common_prefix.min(self.shared_before);
            self.dom_path = Some(path);
            self.chrome = self.stack.chrome();
        }
    }

    /// Drops the text of a page that was cut whose use is not known.
    fn drop_undecided(&mut self) {
        if let Some(undecided) = self.tentative.take() {
            self.run.revert(undecided.mark);
        }
        if self.run.is_in_lines() {
            self.run.drop_numbers();
        }
        if self.run.is_empty() {
            self.drop_block();
        }
    }

    /// Drops the block whose text has begun.
    fn drop_block(&mut self) {
        if let Some(path) = self.dom_path.take() {
            self.shared_before = path.common_prefix;
        }
    }

    /// Handles text that is not shown: it may be the TeX of the formula beside it.
    fn hidden_text(&mut self, text: &str) {
        if let Some(tentative) = &mut self.tentative {
            tentative.hidden_text(text, self.stack.depth());
        }
    }

    /// Notes a text that is judged at the end of its element. `depth` is the number of open elements around it.
    fn begin_tentative(&mut self, tag: Tag, names: Names<'_>, sight: &Sight<'_>, depth: usize) {
        // In a formula, the formula is judged.
        if self.split == SplitList::Html && !self.stack.cdata_allowed() {
            let (in_code, mark) = (self.stack.code(), || self.run.mark());
            let before = match tag {
                Tag::Sup => self.run.before(&mark()),
                _ => "",
            };
            let begun = Tentative::of(tag, names, sight, in_code, depth, before, mark);
            if begun.is_some() {
                self.tentative = begun;
            }
        }
    }

    /// Judges the text of an element that ended, if it was tentative.
    fn settle(&mut self, tag: Tag) {
        let depth = self.stack.depth();
        let ended = self.tentative.take_if(|text| text.is_ended(tag, depth));
        let Some(ended) = ended else {
            return;
        };
        let mark = ended.mark.clone();
        let verdict = ended.verdict(self.run.since(&mark), self.run.before(&mark), depth);
        if verdict == Verdict::Kept {
            return;
        }
        self.run.revert(mark);
        if self.run.is_empty() {
            self.drop_block();
        }
        match verdict {
            Verdict::Formula(tex) => self.push_formula(&tex),
            Verdict::Exponent(exponent) => self.push_exponent(&exponent),
            Verdict::Kept | Verdict::Dropped => {}
        }
    }

    /// Appends an exponent right after its base.
    fn push_exponent(&mut self, exponent: &str) {
        let is_apart = self.run.take_space();
        if self.push_shown(&exponent_text(exponent)) == Err(Full) {
            self.cut = Some(Limit::BlockChars);
        }
        if is_apart {
            self.run.space();
        }
    }

    /// Appends a formula, given as TeX.
    fn push_formula(&mut self, tex: &str) {
        let tex = tex_of(tex);
        if !tex.is_empty() && self.push_shown(&format!("${tex}$")) == Err(Full) {
            self.cut = Some(Limit::BlockChars);
        }
    }

    fn end_block(&mut self) {
        self.direct_letters = 0;
        self.after_span = false;
        self.tentative = None;
        // There is a path if and only if there is text.
        let Some(dom_path) = self.dom_path.take() else {
            return;
        };
        let link_chars = self.run.link_chars();
        let in_lines = self.run.is_in_lines();
        let text = self.run.take();
        if in_lines && is_line_numbers(&text, &dom_path.text) {
            self.shared_before = dom_path.common_prefix;
            return;
        }
        self.push_block(text, link_chars, dom_path, self.chrome);
    }

    /// Ends a title. The first one with text is the page's title. With the original's split
    /// list every title is also a block [O G1].
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
        self.shared_before = u16::MAX;
        let hash = block_hash(&text);
        let link_chars = u32::try_from(link_chars).unwrap_or(u32::MAX);
        self.blocks.push(TextBlock {
            text,
            hash,
            link_chars,
            dom_path: dom_path.text,
            common_prefix: dom_path.common_prefix,
            chrome,
        });
        if let Some(block) = self.blocks.last() {
            self.observer.block(block);
        }
    }
}

/// The number of letters of a text, up to [`SENTENCE_LETTERS`].
fn letters(text: &str) -> usize {
    let most = SENTENCE_LETTERS;
    let text = &text[space_length(text)..];
    if text.is_ascii() {
        let letters = text.bytes().filter(u8::is_ascii_alphabetic);
        return letters.take(most).count();
    }
    text.chars()
        .filter(|c| c.is_alphabetic())
        .take(most)
        .count()
}
