//! The page on its way from markup to what blocks are made of.
//!
//! A tokenizer of HTML as its standard has it, for pages that are whole in memory
//! and for readers of text: its states are folded into searches, what no block
//! depends on (comments, scripts, most attributes) is passed over, and nothing is
//! copied. What it makes of a page is held to html5ever in `reference`.
//! <https://html.spec.whatwg.org/multipage/parsing.html#tokenization>

use std::collections::HashSet;

use memchr::{memchr, memchr_iter, memchr3, memmem};

use crate::attributes::Attributes;
use crate::block_builder::{BlockBuilder, Content, StartTag};
use crate::character_reference::{Place, reference};
use crate::limits::{Limit, Warning};
use crate::raw_text::{end_tag, script};
use crate::tag::{self, SourceTag};
use crate::{BlockOptions, PageLimits};

/// When to stop reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    End,
    Title,
}

/// Tokenises a page. The warning says where and why its reading ended early.
pub(crate) fn tokenize(
    page: &str,
    options: &BlockOptions,
    until: Until,
) -> (BlockBuilder, Option<Warning>) {
    let mut builder = BlockBuilder::new(options);
    let mut tokenizer = Tokenizer {
        page,
        limits: &options.limits,
        until,
        builder: &mut builder,
        at: 0,
        angle: 0,
        name: String::new(),
    };
    let inside = tokenizer.page();
    let angle = tokenizer.angle;
    let cut = builder.cut;
    // It ends a block, which may be one too many; what came first is told.
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

/// Why reading stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stop {
    /// Nothing more is wanted.
    Enough,
    /// The page ends, inside of this.
    End(Option<&'static str>),
}

/// What becomes of NUL characters in text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Nul {
    Dropped,
    /// By U+FFFD.
    Replaced,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Start,
    End,
}

/// A page and how far it is read.
struct Tokenizer<'p, 'r> {
    page: &'p str,
    limits: &'p PageLimits,
    until: Until,
    builder: &'r mut BlockBuilder,
    at: usize,
    /// The last `<` that began markup, or could have.
    angle: usize,
    /// The name of a tag in lower case, where one is needed.
    name: String,
}

impl<'p> Tokenizer<'p, '_> {
    /// Reads the page; gives what it ends inside of.
    fn page(&mut self) -> Option<&'static str> {
        let stop = loop {
            let read = self.text(Nul::Dropped).and_then(|()| self.markup());
            if let Err(stop) = read {
                break stop;
            }
        };
        let inside = match stop {
            Stop::Enough => return None,
            // A tag may begin here; what would be its name is missing.
            Stop::End(None) if self.page.ends_with("</") => Some("tag"),
            Stop::End(inside) => inside,
        };
        self.at = self.page.len();
        if inside == Some("tag") && self.too_long() {
            self.builder.cut = Some(Limit::TagBytes);
        }
        inside
    }

    /// What is still to be read.
    fn rest(&self) -> &'p [u8] {
        &self.page.as_bytes()[self.at..]
    }

    /// Something was handed on: the page may end here.
    fn look(&self) -> Result<(), Stop> {
        let titled = self.until == Until::Title && self.builder.title.is_some();
        if titled || self.builder.cut.is_some() {
            return Err(Stop::Enough);
        }
        Ok(())
    }

    /// Text with its character references, up to the next `<`.
    fn text(&mut self, nul: Nul) -> Result<(), Stop> {
        loop {
            let rest = self.rest();
            let length = memchr3(b'<', b'&', b'\0', rest).unwrap_or(rest.len());
            if length > 0 {
                self.hand_on(length)?;
            }
            match rest.get(length) {
                None => return Err(Stop::End(None)),
                Some(b'<') => return Ok(()),
                Some(b'&') => self.ampersand()?,
                Some(_) => self.nul(nul)?,
            }
        }
    }

    /// Text as it stands.
    fn hand_on(&mut self, length: usize) -> Result<(), Stop> {
        let text = &self.page[self.at..self.at + length];
        self.at += length;
        self.builder.text(text);
        self.look()
    }

    /// Text in which only NULs mean something.
    fn hand_on_raw(&mut self, length: usize, nul: Nul) -> Result<(), Stop> {
        let end = self.at + length;
        if !self.builder.drops_text() {
            for found in memchr_iter(b'\0', &self.rest()[..length]) {
                let nul_at = end - length + found;
                self.hand_on(nul_at - self.at)?;
                self.nul(nul)?;
            }
            self.hand_on(end - self.at)?;
        }
        self.at = end;
        Ok(())
    }

    /// A NUL in text.
    fn nul(&mut self, nul: Nul) -> Result<(), Stop> {
        self.at += 1;
        if nul == Nul::Replaced {
            self.builder.text("\u{fffd}");
        }
        self.look()
    }

    /// A character reference, or just its `&`.
    fn ampersand(&mut self) -> Result<(), Stop> {
        let Some(found) = reference(self.rest(), Place::Text) else {
            return self.hand_on(1);
        };
        self.at += found.length;
        for c in [Some(found.first), found.second].into_iter().flatten() {
            self.builder.text(c.encode_utf8(&mut [0; 4]));
        }
        self.look()
    }

    /// What begins with the `<` here.
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
            [_, b'/'] => self.hand_on(2),
            [_, b'!', rest @ ..] => self.declaration(rest),
            [_, b'?', ..] => self.bogus_comment(1),
            _ => self.hand_on(1),
        }
    }

    /// What begins with `<!`, of which this is the rest.
    fn declaration(&mut self, rest: &[u8]) -> Result<(), Stop> {
        if rest.starts_with(b"--") {
            self.builder.comment();
            self.skip_past(4, comment(&rest[2..]))
        } else if rest.len() >= 7 && rest[..7].eq_ignore_ascii_case(b"doctype") {
            // No part of a doctype, quoted or not, has a `>`.
            self.skip_past(2, memchr(b'>', rest).map(|found| found + 1))
        } else if rest.starts_with(b"[CDATA[") && self.builder.cdata_allowed() {
            self.cdata()
        } else {
            self.bogus_comment(2)
        }
    }

    /// A comment by mistake: up to the next `>`.
    fn bogus_comment(&mut self, skipped: usize) -> Result<(), Stop> {
        self.builder.comment();
        let found = memchr(b'>', &self.rest()[skipped..]);
        self.skip_past(skipped, found.map(|found| found + 1))
    }

    /// Skips the beginning of a comment and the rest of it.
    fn skip_past(&mut self, beginning: usize, rest: Option<usize>) -> Result<(), Stop> {
        let rest = rest.ok_or(Stop::End(Some("comment")))?;
        self.at += beginning + rest;
        Ok(())
    }

    fn cdata(&mut self) -> Result<(), Stop> {
        self.at += "<![CDATA[".len();
        let rest = self.rest();
        let end = memmem::find(rest, b"]]>");
        self.hand_on_raw(end.unwrap_or(rest.len()), Nul::Dropped)?;
        end.ok_or(Stop::End(None))?;
        self.at += "]]>".len();
        Ok(())
    }

    /// A tag, and all the content of one whose element has raw text.
    fn tag(&mut self, kind: Kind) -> Result<(), Stop> {
        let name = self.at + if kind == Kind::Start { 1 } else { 2 };
        let tag = SourceTag::read(self.page, name).ok_or(Stop::End(Some("tag")))?;
        self.at = tag.end;
        if self.too_long() {
            self.builder.cut = Some(Limit::TagBytes);
            return Err(Stop::Enough);
        }
        match kind {
            Kind::Start => self.start_tag(&tag),
            Kind::End => {
                self.builder.end_tag(tag::name(tag.name, &mut self.name));
                self.look()
            }
        }
    }

    fn start_tag(&mut self, tag: &SourceTag<'_>) -> Result<(), Stop> {
        let attributes = self.attributes(tag);
        let content = self.builder.start_tag(StartTag {
            name: tag::name(tag.name, &mut self.name),
            class: &tag.class(),
            link: tag.has_href || !tag.has_name,
            self_closing: tag.self_closing,
            attributes,
        });
        self.look()?;
        match content {
            None => Ok(()),
            Some(Content::Rcdata) => self.rcdata(tag.name.as_bytes()),
            Some(Content::Rawtext) => self.rawtext(tag.name.as_bytes()),
            Some(Content::Script) => self.script(),
            Some(Content::Plaintext) => {
                self.hand_on_raw(self.rest().len(), Nul::Replaced)?;
                Err(Stop::End(None))
            }
        }
    }

    /// Text with character references, up to the end tag.
    fn rcdata(&mut self, name: &[u8]) -> Result<(), Stop> {
        loop {
            self.text(Nul::Replaced)?;
            self.angle = self.at;
            if end_tag(self.rest(), name) {
                return self.tag(Kind::End);
            }
            self.hand_on(1)?;
        }
    }

    /// Text without, up to the end tag.
    fn rawtext(&mut self, name: &[u8]) -> Result<(), Stop> {
        loop {
            let rest = self.rest();
            let length = memchr(b'<', rest);
            self.hand_on_raw(length.unwrap_or(rest.len()), Nul::Replaced)?;
            length.ok_or(Stop::End(None))?;
            self.angle = self.at;
            if end_tag(self.rest(), name) {
                return self.tag(Kind::End);
            }
            self.hand_on(1)?;
        }
    }

    /// A script is no text.
    fn script(&mut self) -> Result<(), Stop> {
        let text = script(self.page.as_bytes(), self.at);
        self.angle = text.angle.unwrap_or(self.angle);
        self.at = text.end.ok_or(Stop::End(None))?;
        self.tag(Kind::End)
    }

    /// The source of the tag that was read, from its `<` on.
    fn source(&self) -> &[u8] {
        &self.page.as_bytes()[self.angle..]
    }

    /// Whether that tag is longer than a tag may be.
    fn too_long(&self) -> bool {
        let limit = self.limits.tag_bytes.max(1);
        self.at - self.angle > limit && bytes_but_values(self.source()) > limit
    }

    /// Attributes of that tag, each name counted once where they may be too many.
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

/// The length of a comment after its `<!--`.
fn comment(rest: &[u8]) -> Option<usize> {
    // The dashes that open a comment may close it too.
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

/// The length of a tag without the values of its attributes: a picture written
/// into its `src` costs no more than its bytes.
fn bytes_but_values(tag: &[u8]) -> usize {
    let name = tag
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    let mut attributes = Attributes::new(tag, name.unwrap_or(tag.len()));
    let values: usize = attributes.by_ref().map(|(_, value)| value.len()).sum();
    attributes.position() + 1 - values
}
