//! The format of CleanEval [Baroni 2008].

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use encoding_rs::{Encoding, UTF_8};
use html5gum::{StartTag, Token, Tokenizer};
use regex::Regex;

use crate::error::GoldErrorKind;
use crate::text_builder::{Gap, TextBuilder};
use crate::{File, GoldError, GoldPage, decode, references};

/// The markers that begin a block. End tags are slips of annotators (4 in all sets).
static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)</?[phl]>").expect("the pattern is a constant"));

pub(crate) fn read(page: Option<File<'_>>, gold: File<'_>) -> Result<GoldPage, GoldError> {
    let text = decode::text(gold)?;
    let (url, blocks) = url_line(&text);
    let mut lines = TextBuilder::default();
    for block in MARKER.split(blocks) {
        lines.gap(Gap::Line);
        lines.push(&references::decode(block));
    }
    let mut read = GoldPage::new(None, gold, lines.finish());
    if let Some(page) = page {
        let wrapper = parse_wrapper(page)?;
        read.url = wrapper.url;
        read.title = wrapper.title;
        read.charset = wrapper.charset;
        read.html = Some(page.bytes[wrapper.html].to_vec());
    }
    // The line is missing in 155 of the 681 gold files of the final set, and empty in 3
    // of the development set.
    read.url = read.url.or_else(|| url.map(str::to_owned));
    Ok(read)
}

/// Splits a gold file into the URL of its first line, if there is one, and the text.
fn url_line(text: &str) -> (Option<&str>, &str) {
    let text = text.trim_start();
    let (first, rest) = text.split_once('\n').unwrap_or((text, ""));
    match first.split_at_checked("URL:".len()) {
        Some((key, url)) if key.eq_ignore_ascii_case("URL:") => {
            (Some(url.trim()).filter(|url| !url.is_empty()), rest)
        }
        _ => (None, text),
    }
}

/// The element `<text>` around a page, with its attributes.
#[derive(Debug, Default)]
struct TextElement {
    url: Option<String>,
    title: Option<String>,
    charset: Option<&'static str>,
    /// The bytes of the file that are the page.
    html: Range<usize>,
}

fn parse_wrapper(page: File<'_>) -> Result<TextElement, GoldError> {
    let bytes = page.bytes;
    let Some(start) = text_tag(bytes) else {
        return Ok(TextElement {
            html: 0..bytes.len(),
            ..TextElement::default()
        });
    };
    let Some(length) = tag_length(&bytes[start..]) else {
        return Err(GoldErrorKind::OpenTextTag.at_byte(page, bytes, start));
    };
    let html = start + length;
    // The last one, because a page may contain </text> itself.
    let Some(end) = find_last(&bytes[html..], b"</text") else {
        return Err(GoldErrorKind::OpenText.at_byte(page, bytes, bytes.len()));
    };
    let tag = &bytes[start..html];
    let stated = attribute(&decode::mixed(tag), b"encoding");
    // `unset` and `unknown-us-ascii` are not encodings. UTF-16 becomes UTF-8 as in HTML,
    // because the tag that states it was read as ASCII.
    let encoding = stated
        .and_then(|label| Encoding::for_label_no_replacement(label.as_bytes()))
        .map(Encoding::output_encoding);
    let tag = match encoding.filter(|encoding| *encoding != UTF_8) {
        Some(encoding) => encoding.decode_without_bom_handling(tag).0,
        None => Cow::Owned(decode::mixed(tag)),
    };
    Ok(TextElement {
        url: attribute(&tag, b"id"),
        title: attribute(&tag, b"title"),
        charset: encoding.map(Encoding::name),
        html: html..html + end,
    })
}

/// Returns the offset of `<text` if it is the first tag of the file.
fn text_tag(bytes: &[u8]) -> Option<usize> {
    let unmarked = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let tag = unmarked.trim_ascii_start();
    let (name, after) = tag.split_at_checked("<text".len())?;
    let ends = after
        .first()
        .is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    (name.eq_ignore_ascii_case(b"<text") && ends).then(|| bytes.len() - tag.len())
}

/// Returns the length of a start tag. A quoted value after `=` may contain `>`.
fn tag_length(tag: &[u8]) -> Option<usize> {
    let mut quote = None;
    let mut before = b'<';
    for (position, &byte) in tag.iter().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') if before == b'=' => quote = Some(byte),
            (None, b'>') => return Some(position + 1),
            (None, _) => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
    }
    None
}

fn find_last(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes
        .windows(what.len())
        .rposition(|window| window.eq_ignore_ascii_case(what))
}

/// Returns the decoded value of an attribute of a start tag, on one line, unless it is
/// empty.
fn attribute(tag: &str, name: &[u8]) -> Option<String> {
    let Some(Ok(Token::StartTag(StartTag { attributes, .. }))) =
        Tokenizer::new(tag).find(|token| matches!(token, Ok(Token::StartTag(_))))
    else {
        return None;
    };
    let value = String::from_utf8_lossy(attributes.get(name)?);
    let mut line = TextBuilder::default();
    line.push(&value);
    Some(line.finish()).filter(|line| !line.is_empty())
}
