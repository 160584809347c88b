//! The page on its way through the tokenizer.
//!
//! html5gum tells what it finds and builds nothing: no string for each attribute,
//! no token. Alone it reads real pages at 3.8 times the speed of html5ever, where
//! attributes are looked at and not kept (680 pages of 17 sites, one run), and its
//! work for a page is linear in its length, where html5ever compares every
//! attribute of a tag with all before it. What it makes of a page is held to
//! html5ever in `reference`.

use std::cell::Cell;
use std::collections::HashSet;
use std::convert::Infallible;

use html5gum::{Emitter, Readable, Reader as Source, State, StringReader, Tokenizer};

use crate::BlockOptions;
use crate::attributes::Attributes;
use crate::elements::Name;
use crate::limits::{Limit, Warning};
use crate::reader::{Reader, StartTag};

/// When to stop reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    End,
    Title,
}

/// Tokenises a page. The warning says where and why its reading ended early.
pub(crate) fn read(page: &str, options: &BlockOptions, until: Until) -> (Reader, Option<Warning>) {
    let mut reader = Reader::new(options);
    let going = Cell::new(Going::On);
    let end = Cell::new(End::default());
    let tokens = Tokens {
        page,
        options,
        until,
        reader: &mut reader,
        at: 0,
        angle: 0,
        tag: OpenTag::default(),
        last_start: Vec::new(),
        cut_character: Vec::new(),
        inside: None,
        going: &going,
        end: &end,
    };
    let rest = Rest {
        bytes: page.to_reader(),
        going: &going,
    };
    let Ok(()) = Tokenizer::new_with_emitter(rest, tokens).finish();
    let end = end.get();
    let cut = reader.cut;
    // It ends a block, which may be one too many; what came first is told.
    reader.finish();
    let warning = match cut.or(reader.cut) {
        Some(limit) => Some(Warning::Cut {
            limit,
            at: end.angle,
            of: page.len(),
        }),
        None => {
            (reader.open_raw_element().or(end.inside)).map(|inside| Warning::Truncated { inside })
        }
    };
    (reader, warning)
}

/// How the reading of a page ended.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// The last `<` that began markup.
    angle: usize,
    /// What the page ends inside of.
    inside: Option<&'static str>,
}

/// Where the reading is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Going {
    On,
    /// Nothing more is wanted.
    Stopped,
    /// The tokenizer was told that there is no more.
    Ended,
}

/// The bytes still to be read.
struct Rest<'p> {
    bytes: StringReader<'p>,
    going: &'p Cell<Going>,
}

impl Rest<'_> {
    fn more(&self) -> bool {
        self.going.get() == Going::On
    }
}

impl Source for Rest<'_> {
    type Error = Infallible;

    #[inline]
    fn read_byte(&mut self) -> Result<Option<u8>, Infallible> {
        if !self.more() {
            return Ok(None);
        }
        let read = self.bytes.read_byte()?;
        if read.is_none() {
            self.going.set(Going::Ended);
        }
        Ok(read)
    }

    #[inline]
    fn try_read_string(&mut self, text: &[u8], case_sensitive: bool) -> Result<bool, Infallible> {
        Ok(self.more() && self.bytes.try_read_string(text, case_sensitive)?)
    }

    #[inline]
    fn read_until<'b>(
        &'b mut self,
        needle: &[u8],
        buffer: &'b mut [u8; 4],
    ) -> Result<Option<&'b [u8]>, Infallible> {
        if !self.more() {
            return Ok(None);
        }
        let read = self.bytes.read_until(needle, buffer)?;
        if read.is_none() {
            self.going.set(Going::Ended);
        }
        Ok(read)
    }
}

/// The tag being read.
#[derive(Debug, Default)]
struct OpenTag {
    kind: Kind,
    name: Vec<u8>,
    self_closing: bool,
    /// Attributes so far.
    attributes: usize,
    /// The name of the last of them, as far as it is of interest.
    attribute: Vec<u8>,
    class: Option<Vec<u8>>,
    /// The last attribute is the first `class`.
    in_class: bool,
    has_href: bool,
    has_name: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Start,
    End,
}

/// Longer than any attribute that matters.
const ATTRIBUTE_BYTES: usize = 8;

impl OpenTag {
    fn begin(&mut self, kind: Kind) {
        self.kind = kind;
        self.name.clear();
        self.self_closing = false;
        self.attributes = 0;
        self.attribute.clear();
        self.class = None;
        self.in_class = false;
        self.has_href = false;
        self.has_name = false;
    }

    /// The name of the last attribute is complete.
    fn end_attribute_name(&mut self) {
        self.in_class = false;
        match &self.attribute[..] {
            b"class" if self.class.is_none() => {
                self.class = Some(Vec::new());
                self.in_class = true;
            }
            b"href" => self.has_href = true,
            b"name" => self.has_name = true,
            _ => {}
        }
        self.attribute.clear();
    }
}

/// What the tokenizer tells, on its way to the [`Reader`].
struct Tokens<'p, 'r> {
    page: &'p str,
    options: &'p BlockOptions,
    until: Until,
    reader: &'r mut Reader,
    /// Bytes of the page that are read.
    at: usize,
    /// The last `<` that began markup.
    angle: usize,
    tag: OpenTag,
    last_start: Vec<u8>,
    /// The first bytes of a character: text comes in pieces that need not end
    /// between characters.
    cut_character: Vec<u8>,
    /// What has begun and not ended.
    inside: Option<&'static str>,
    going: &'p Cell<Going>,
    end: &'p Cell<End>,
}

impl Tokens<'_, '_> {
    fn stopped(&self) -> bool {
        self.going.get() == Going::Stopped
    }

    fn cut(&mut self, limit: Limit) {
        self.reader.cut = Some(limit);
        self.going.set(Going::Stopped);
    }

    /// A token was handed on: the page may end here.
    fn look(&mut self) {
        let titled = self.until == Until::Title && self.reader.title.is_some();
        if titled || self.reader.cut.is_some() {
            self.going.set(Going::Stopped);
        }
    }

    fn text(&mut self, text: &str) {
        // NUL is no text, and where text is raw it is U+FFFD by now.
        for text in text.split('\0').filter(|text| !text.is_empty()) {
            self.reader.text(text);
        }
        self.look();
    }

    /// A comment or doctype has ended, by itself or with the page.
    fn end_markup(&mut self) {
        if self.going.get() == Going::On {
            self.inside = None;
        }
    }

    /// The source of the tag being read, from its `<` on.
    fn source(&self) -> &[u8] {
        &self.page.as_bytes()[self.angle..]
    }

    /// Whether the tag being read is longer than a tag may be.
    fn too_long(&self) -> bool {
        let limit = self.options.limits.tag_bytes.max(1);
        self.at - self.angle > limit && bytes_but_values(self.source()) > limit
    }

    /// Attributes of the tag, each name counted once.
    fn attributes(&self) -> usize {
        if self.tag.attributes <= self.options.limits.attributes_per_tag {
            return self.tag.attributes;
        }
        let tag = self.source();
        let attributes = Attributes::at(tag, 1 + name_bytes(&tag[1..]));
        let names: HashSet<String> = attributes
            .map(|(name, _)| {
                String::from_utf8_lossy(name)
                    .to_ascii_lowercase()
                    .replace('\0', "\u{fffd}")
            })
            .collect();
        names.len()
    }

    fn start_tag(&mut self) -> Option<State> {
        let attributes = self.attributes();
        std::mem::swap(&mut self.last_start, &mut self.tag.name);
        let name = String::from_utf8_lossy(&self.last_start);
        let class = String::from_utf8_lossy(self.tag.class.as_deref().unwrap_or_default());
        self.reader.start_tag(StartTag {
            name: Name::new(&name),
            class: &class,
            link: self.tag.has_href || !self.tag.has_name,
            self_closing: self.tag.self_closing,
            attributes,
        })
    }
}

impl Emitter for Tokens<'_, '_> {
    type Token = Infallible;

    fn set_last_start_tag(&mut self, name: Option<&[u8]>) {
        self.last_start = name.unwrap_or_default().to_vec();
    }

    fn emit_eof(&mut self) {
        let inside = match self.inside {
            _ if self.stopped() => None,
            // A tag may begin here; what would be its name is missing.
            None if self.page.ends_with("</") => Some("tag"),
            inside => inside,
        };
        let angle = self.angle;
        self.end.set(End { angle, inside });
        if inside == Some("tag") && self.too_long() {
            self.cut(Limit::TagBytes);
        }
    }

    fn emit_error(&mut self, _: html5gum::Error) {}

    fn should_emit_errors(&mut self) -> bool {
        false
    }

    fn pop_token(&mut self) -> Option<Infallible> {
        None
    }

    fn emit_string(&mut self, text: &[u8]) {
        if self.stopped() {
            return;
        }
        // What began as an end tag of raw text was none.
        self.inside = None;
        if !self.cut_character.is_empty() {
            let mut joined = std::mem::take(&mut self.cut_character);
            joined.extend_from_slice(text);
            return self.emit_string(&joined);
        }
        match std::str::from_utf8(text) {
            Ok(text) => self.text(text),
            Err(cut) => {
                let (whole, rest) = text.split_at(cut.valid_up_to());
                self.cut_character.extend_from_slice(rest);
                if let Ok(whole) = std::str::from_utf8(whole) {
                    self.text(whole);
                }
            }
        }
    }

    fn start_open_tag(&mut self) {
        if !self.stopped() {
            self.angle = self.at - 1;
        }
    }

    fn init_start_tag(&mut self) {
        self.inside = Some("tag");
        self.tag.begin(Kind::Start);
    }

    fn init_end_tag(&mut self) {
        self.inside = Some("tag");
        self.tag.begin(Kind::End);
    }

    fn emit_current_tag(&mut self) -> Option<State> {
        if self.stopped() {
            return None;
        }
        self.inside = None;
        self.tag.end_attribute_name();
        if self.too_long() {
            self.cut(Limit::TagBytes);
            return None;
        }
        let state = match self.tag.kind {
            Kind::Start => self.start_tag(),
            Kind::End => {
                let name = String::from_utf8_lossy(&self.tag.name);
                self.reader.end_tag(Name::new(&name));
                None
            }
        };
        self.look();
        state
    }

    fn set_self_closing(&mut self) {
        self.tag.self_closing = true;
    }

    fn push_tag_name(&mut self, name: &[u8]) {
        self.tag.name.extend_from_slice(name);
    }

    fn init_attribute(&mut self) {
        self.tag.end_attribute_name();
        self.tag.attributes += 1;
    }

    fn push_attribute_name(&mut self, name: &[u8]) {
        if self.tag.attribute.len() < ATTRIBUTE_BYTES {
            self.tag.attribute.extend_from_slice(name);
        }
    }

    fn init_attribute_value(&mut self) {
        self.tag.end_attribute_name();
    }

    fn push_attribute_value(&mut self, value: &[u8]) {
        if self.tag.in_class {
            let class = self.tag.class.get_or_insert_default();
            class.extend_from_slice(value);
        }
    }

    fn init_comment(&mut self) {
        self.inside = Some("comment");
    }

    fn push_comment(&mut self, _: &[u8]) {}

    fn emit_current_comment(&mut self) {
        if !self.stopped() {
            self.end_markup();
            self.reader.comment();
        }
    }

    fn init_doctype(&mut self) {
        self.inside = Some("comment");
    }

    fn emit_current_doctype(&mut self) {
        self.end_markup();
    }

    fn push_doctype_name(&mut self, _: &[u8]) {}

    fn set_force_quirks(&mut self) {}

    fn set_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn set_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_public_identifier(&mut self, _: &[u8]) {}

    fn push_doctype_system_identifier(&mut self, _: &[u8]) {}

    fn current_is_appropriate_end_tag_token(&mut self) -> bool {
        self.tag.kind == Kind::End && self.tag.name == self.last_start
    }

    fn adjusted_current_node_present_but_not_in_html_namespace(&mut self) -> bool {
        self.reader.cdata_allowed()
    }

    fn move_position(&mut self, offset: isize) {
        self.at = self.at.saturating_add_signed(offset);
    }
}

/// The length of a tag without the values of its attributes: a picture written
/// into its `src` costs no more than its bytes.
fn bytes_but_values(tag: &[u8]) -> usize {
    let name = tag
        .iter()
        .position(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    let mut attributes = Attributes::at(tag, name.unwrap_or(tag.len()));
    let values: usize = attributes.by_ref().map(|(_, value)| value.len()).sum();
    attributes.position() + 1 - values
}

/// The length of the name at the start of a tag's text.
fn name_bytes(tag: &[u8]) -> usize {
    let end = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b'>');
    tag.iter().position(end).unwrap_or(tag.len())
}
