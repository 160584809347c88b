//! The HTML tokenizer: from the text of a page to the events of a [`BlockBuilder`].
//!
//! It implements the tokenization of the HTML standard for pages that are whole in
//! memory, and for consumers that need text and not a tree. Each group of states of
//! the standard is one function that searches for the next byte of interest. Comments,
//! scripts and most attributes are skipped, because no block depends on them. Text is
//! passed on as slices of the page, without a copy.
//! <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>
//!
//! | states of the standard | here |
//! |---|---|
//! | data, character reference | [`Tokenizer::text`], [`Tokenizer::ampersand`], `character_reference.rs` |
//! | tag open, end tag open | [`Tokenizer::markup`] |
//! | tag name, self-closing start tag | [`SourceTag::read`] |
//! | before attribute name to after attribute value (quoted) | `attributes.rs` |
//! | markup declaration open, DOCTYPE to bogus DOCTYPE | [`Tokenizer::declaration`] |
//! | bogus comment | [`Tokenizer::bogus_comment`] |
//! | comment start to comment end bang | [`comment`] |
//! | CDATA section, CDATA section bracket, CDATA section end | [`Tokenizer::cdata`] |
//! | RCDATA, RCDATA less-than sign to RCDATA end tag name | [`Tokenizer::rcdata`] |
//! | RAWTEXT, RAWTEXT less-than sign to RAWTEXT end tag name | [`Tokenizer::rawtext`] |
//! | script data to script data double escape end | [`Tokenizer::script`], `raw_text.rs` |
//! | PLAINTEXT | [`Tokenizer::start_tag`] |
//!
//! The documentation of the crate compares the speed with html5gum and lol_html, which is the
//! reason for an own tokenizer. The module `reference` checks that the blocks of every page
//! are those that html5ever's tokenizer gives.

use std::collections::HashSet;

use memchr::{memchr, memchr_iter, memchr3, memmem};

use crate::attributes::Attributes;
use crate::block_builder::{BlockBuilder, Content, StartTag};
use crate::character_reference::{Place, reference};
use crate::dom_path::Names;
use crate::elements::Tag;
use crate::limits::{Limit, Warning};
use crate::observer::{Observer, attribute};
use crate::raw_text::{end_tag, script};
use crate::sight::Sight;
use crate::tag::SourceTag;
use crate::{BlockOptions, Noscript, PageLimits};

/// The part of a page to tokenize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// All of it.
    End,
    /// Up to the end of its title.
    Title,
}

/// Tokenizes a page. The warning says that the page was cut at a limit, or that its
/// source is truncated.
pub(crate) fn tokenize<O: Observer>(
    page: &str,
    options: &BlockOptions,
    until: Until,
    observer: O,
) -> (BlockBuilder<O>, Option<Warning>) {
    let builder = BlockBuilder::observed(options, observer);
    tokenize_into(builder, page, options, until)
}

/// Tokenizes a page of which scripts write the text. The page has almost no text of its own,
/// and a second copy in `noscript` for crawlers. Returns the blocks with those in `noscript`, or
/// `without` if the copy is not most of the text. The observer sees the page a second time.
pub(crate) fn with_noscript<O: Observer>(
    without: (BlockBuilder<O>, Option<Warning>),
    page: &str,
    options: &BlockOptions,
    observer: O,
) -> (BlockBuilder<O>, Option<Warning>) {
    let chars = without.0.unlinked_chars();
    let cut = matches!(without.1, Some(Warning::Cut { .. }));
    if options.noscript == Noscript::Never
        || cut
        || without.0.noscript_tags < NOSCRIPT_TAGS
        || chars > SCRIPTED_CHARS
    {
        return without;
    }
    let builder = BlockBuilder::observed(options, observer).showing_noscript();
    let mut with = tokenize_into(builder, page, options, Until::End);
    if with.0.unlinked_chars() <= chars.saturating_mul(NOSCRIPT_FACTOR) {
        return without;
    }
    with.0.title = without.0.title;
    with
}

/// Tags in `noscript` that a copy of the text has at least. Lower: small pages with images or
/// counters in `noscript` are read twice.
const NOSCRIPT_TAGS: usize = 20;
/// Characters outside links of a page of which scripts write the text, at most: its menus and
/// its footer. Higher: more pages are read twice.
const SCRIPTED_CHARS: usize = 2000;
/// The text with `noscript`, compared with the text without it, of such a page. Lower: notes such
/// as "enable JavaScript" become text.
const NOSCRIPT_FACTOR: usize = 2;

fn tokenize_into<O: Observer>(
    mut builder: BlockBuilder<O>,
    page: &str,
    options: &BlockOptions,
    until: Until,
) -> (BlockBuilder<O>, Option<Warning>) {
    let mut tokenizer = Tokenizer {
        page,
        limits: &options.limits,
        until,
        builder: &mut builder,
        at: 0,
        angle: 0,
        name: String::new(),
    };
    let inside = tokenizer.run();
    let angle = tokenizer.angle;
    let cut = builder.cut;
    // Ending the last block may exceed the limit of blocks. The first limit is reported.
    builder.finish();
    let warning = match cut.or(builder.cut) {
        Some(limit) => Some(Warning::Cut {
            limit,
            at: angle,
            of: page.len(),
        }),
        None => (builder.open_raw_element().or(inside)).map(|inside| Warning::Truncated { inside }),
    };
    (builder, warning)
}

/// Why tokenizing stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// A limit is reached, or the title is found.
    Done,
    /// The page ends, possibly inside this construct.
    End(Option<&'static str>),
}

/// The treatment of NUL characters in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nul {
    Dropped,
    /// Replaced by U+FFFD.
    Replaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Start,
    End,
}

/// A page and the position in it.
struct Tokenizer<'p, 'r, O> {
    page: &'p str,
    limits: &'p PageLimits,
    until: Until,
    builder: &'r mut BlockBuilder<O>,
    at: usize,
    /// The position of the last `<` that began markup, or could have begun it.
    angle: usize,
    /// A buffer for the lower-case name of an unknown element.
    name: String,
}

impl<'p, O: Observer> Tokenizer<'p, '_, O> {
    /// Tokenizes the page and returns the construct that the end of the page cuts.
    fn run(&mut self) -> Option<&'static str> {
        let stop = loop {
            let read = self.text(Nul::Dropped).and_then(|()| self.markup());
            if let Err(stop) = read {
                break stop;
            }
        };
        let inside = match stop {
            Stop::Done => return None,
            // The end tag open state at the end of the page: a tag without its name.
            Stop::End(None) if self.page.ends_with("</") => Some("tag"),
            Stop::End(inside) => inside,
        };
        self.at = self.page.len();
        if inside == Some("tag") && self.too_long() {
            self.builder.cut = Some(Limit::TagBytes);
        }
        inside
    }

    /// The bytes after the current position.
    fn rest(&self) -> &'p [u8] {
        &self.page.as_bytes()[self.at..]
    }

    /// Stops if the last event reached a limit or completed the title.
    fn check_stop(&self) -> Result<(), Stop> {
        let titled = self.until == Until::Title && self.builder.title.is_some();
        if titled || self.builder.cut.is_some() {
            return Err(Stop::Done);
        }
        Ok(())
    }

    /// The data state: text with character references, up to the next `<`.
    fn text(&mut self, nul: Nul) -> Result<(), Stop> {
        loop {
            let rest = self.rest();
            // A fifth of the tags follow another tag at once, without a search.
            if rest.first() == Some(&b'<') {
                return Ok(());
            }
            let length = memchr3(b'<', b'&', b'\0', rest).unwrap_or(rest.len());
            if length > 0 {
                self.emit(length)?;
            }
            match rest.get(length) {
                None => return Err(Stop::End(None)),
                Some(b'<') => return Ok(()),
                Some(b'&') => self.ampersand()?,
                Some(_) => self.nul(nul)?,
            }
        }
    }

    /// Emits the next `length` bytes as text.
    fn emit(&mut self, length: usize) -> Result<(), Stop> {
        let text = &self.page[self.at..self.at + length];
        self.at += length;
        self.builder.text(text);
        self.check_stop()
    }

    /// Emits the next `length` bytes as text without character references. Skips them if
    /// the builder drops the text of the open element.
    fn emit_raw(&mut self, length: usize, nul: Nul) -> Result<(), Stop> {
        let end = self.at + length;
        if !self.builder.drops_text() {
            for found in memchr_iter(b'\0', &self.rest()[..length]) {
                let nul_at = end - length + found;
                self.emit(nul_at - self.at)?;
                self.nul(nul)?;
            }
            self.emit(end - self.at)?;
        }
        self.at = end;
        Ok(())
    }

    /// Drops or replaces the NUL at the current position.
    fn nul(&mut self, nul: Nul) -> Result<(), Stop> {
        self.at += 1;
        if nul == Nul::Replaced {
            self.builder.text("\u{fffd}");
        }
        self.check_stop()
    }

    /// The character reference state: emits the characters of a reference, or the `&`
    /// alone if none begins here.
    fn ampersand(&mut self) -> Result<(), Stop> {
        let Some(found) = reference(self.rest(), Place::Text) else {
            return self.emit(1);
        };
        self.at += found.length;
        for c in [Some(found.first), found.second].into_iter().flatten() {
            self.builder.text(c.encode_utf8(&mut [0; 4]));
        }
        self.check_stop()
    }

    /// The tag open and end tag open states, at a `<`.
    fn markup(&mut self) -> Result<(), Stop> {
        self.angle = self.at;
        match self.rest() {
            [_, first, ..] if first.is_ascii_alphabetic() => self.tag(Kind::Start),
            [_, b'/', first, ..] if first.is_ascii_alphabetic() => self.tag(Kind::End),
            [_, b'/', b'>', ..] => {
                self.at += 3;
                Ok(())
            }
            [_, b'/', _, ..] => self.bogus_comment(2),
            [_, b'/'] => self.emit(2),
            [_, b'!', rest @ ..] => self.declaration(rest),
            [_, b'?', ..] => self.bogus_comment(1),
            _ => self.emit(1),
        }
    }

    /// The markup declaration open state. `rest` is the source after `<!`.
    fn declaration(&mut self, rest: &[u8]) -> Result<(), Stop> {
        if rest.starts_with(b"--") {
            self.builder.comment();
            self.skip_past(4, comment(&rest[2..]))
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            // A `>` ends a doctype in each of its states, inside quotes too.
            self.skip_past(2, memchr(b'>', rest).map(|found| found + 1))
        } else if rest.starts_with(b"[CDATA[") && self.builder.cdata_allowed() {
            self.cdata()
        } else {
            self.bogus_comment(2)
        }
    }

    /// The bogus comment state: skips to the next `>`.
    fn bogus_comment(&mut self, skipped: usize) -> Result<(), Stop> {
        self.builder.comment();
        let found = memchr(b'>', &self.rest()[skipped..]);
        self.skip_past(skipped, found.map(|found| found + 1))
    }

    /// Skips `beginning` bytes and the `rest` of a comment; `None` means that the page
    /// ends in it.
    fn skip_past(&mut self, beginning: usize, rest: Option<usize>) -> Result<(), Stop> {
        let rest = rest.ok_or(Stop::End(Some("comment")))?;
        self.at += beginning + rest;
        Ok(())
    }

    /// The CDATA section state, at `<![CDATA[`.
    fn cdata(&mut self) -> Result<(), Stop> {
        self.at += "<![CDATA[".len();
        let rest = self.rest();
        let end = memmem::find(rest, b"]]>");
        self.emit_raw(end.unwrap_or(rest.len()), Nul::Dropped)?;
        end.ok_or(Stop::End(None))?;
        self.at += "]]>".len();
        Ok(())
    }

    /// A tag; after the start tag of a raw text element also its content and end tag.
    fn tag(&mut self, kind: Kind) -> Result<(), Stop> {
        let name = self.at + if kind == Kind::Start { 1 } else { 2 };
        let tag = SourceTag::read(self.page, name).ok_or(Stop::End(Some("tag")))?;
        self.at = tag.end;
        if self.too_long() {
            self.builder.cut = Some(Limit::TagBytes);
            return Err(Stop::Done);
        }
        match kind {
            Kind::Start => self.start_tag(&tag),
            Kind::End => {
                self.builder.end_tag(tag.lower_name(&mut self.name));
                self.check_stop()
            }
        }
    }

    fn start_tag(&mut self, tag: &SourceTag<'_>) -> Result<(), Stop> {
        let attributes = self.attributes(tag);
        let page = self.page.as_bytes();
        let source = &page[self.angle + 1 + tag.name.len()..tag.end];
        let name = tag.lower_name(&mut self.name);
        let read;
        let sight = if tag.has_sight || name.tag == Tag::Dialog {
            read = Sight::new(name.tag, name.text, |name| attribute(source, name));
            &read
        } else {
            &Sight::PLAIN
        };
        let content = self.builder.start_tag(StartTag {
            name,
            sight,
            names: Names {
                class: &tag.class(),
                id: &tag.id(),
            },
            link: tag.has_href || !tag.is_named,
            self_closing: tag.self_closing,
            attributes,
            source,
        });
        self.check_stop()?;
        match content {
            None => Ok(()),
            Some(Content::Rcdata) => self.rcdata(tag.name.as_bytes()),
            Some(Content::Rawtext) => self.rawtext(tag.name.as_bytes()),
            Some(Content::Script) => self.script(),
            Some(Content::Plaintext) => {
                self.emit_raw(self.rest().len(), Nul::Replaced)?;
                Err(Stop::End(None))
            }
        }
    }

    /// The RCDATA state: text with character references, up to the end tag.
    fn rcdata(&mut self, name: &[u8]) -> Result<(), Stop> {
        loop {
            self.text(Nul::Replaced)?;
            self.angle = self.at;
            if end_tag(self.rest(), name) {
                return self.tag(Kind::End);
            }
            self.emit(1)?;
        }
    }

    /// The RAWTEXT state: text without character references, up to the end tag.
    fn rawtext(&mut self, name: &[u8]) -> Result<(), Stop> {
        loop {
            let rest = self.rest();
            let length = memchr(b'<', rest);
            self.emit_raw(length.unwrap_or(rest.len()), Nul::Replaced)?;
            length.ok_or(Stop::End(None))?;
            self.angle = self.at;
            if end_tag(self.rest(), name) {
                return self.tag(Kind::End);
            }
            self.emit(1)?;
        }
    }

    /// The script data states: skips the script, up to its end tag.
    fn script(&mut self) -> Result<(), Stop> {
        let text = script(self.page.as_bytes(), self.at);
        self.angle = text.angle.unwrap_or(self.angle);
        let start = self.at;
        self.at = text.end.ok_or(Stop::End(None))?;
        self.builder.script(&self.page[start..self.at]);
        self.tag(Kind::End)
    }

    /// The source from the last `<` on.
    fn source(&self) -> &[u8] {
        &self.page.as_bytes()[self.angle..]
    }

    /// Whether the tag at the last `<` exceeds [`PageLimits::tag_bytes`].
    fn too_long(&self) -> bool {
        let limit = self.limits.tag_bytes.max(1);
        self.at - self.angle > limit && bytes_but_values(self.source()) > limit
    }

    /// The number of attributes of the tag at the last `<`. Repeated names count once;
    /// they are only looked for if the tag could exceed the limit.
    fn attributes(&self, tag: &SourceTag<'_>) -> usize {
        if tag.attributes <= self.limits.attributes_per_tag {
            return tag.attributes;
        }
        let attributes = Attributes::new(self.source(), 1 + tag.name.len());
        let names: HashSet<String> = attributes
            .map(|(name, _)| {
                String::from_utf8_lossy(name)
                    .to_ascii_lowercase()
                    .replace('\0', "\u{fffd}")
            })
            .collect();
        names.len()
    }
}

/// The length of a comment after its `<!--`; `None` if the page ends in it.
fn comment(rest: &[u8]) -> Option<usize> {
    // The comment start and comment start dash states: `<!-->` and `<!--->` are comments.
    if rest.starts_with(b">") {
        return Some(1);
    }
    if rest.starts_with(b"->") {
        return Some(2);
    }
    let mut ends = memchr_iter(b'>', rest);
    let ended = |end: &usize| rest[..*end].ends_with(b"--") || rest[..*end].ends_with(b"--!");
    ends.find(ended).map(|end| end + 1)
}

/// The length of a tag without the values of its attributes. A `data:` URL in a `src` is
/// long in valid pages and costs no more than its bytes.
fn bytes_but_values(tag: &[u8]) -> usize {
    let name = tag
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    let mut attributes = Attributes::new(tag, name.unwrap_or(tag.len()));
    let values: usize = attributes.by_ref().map(|(_, value)| value.len()).sum();
    attributes.position() + 1 - values
}
