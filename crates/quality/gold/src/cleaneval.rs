//! CleanEval [Baroni 2008].

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use encoding_rs::{Encoding, UTF_8};
use html5gum::{StartTag, Token, Tokenizer};
use regex::Regex;

use crate::error::Reason;
use crate::lines::{Gap, Lines};
use crate::{File, GoldError, GoldPage, decode, references};

/// What begins a block. The end tags are an annotator's slip (4 in all sets).
static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("(?i)</?[phl]>").expect("the pattern is a constant"));

pub(crate) fn read(page: Option<File<'_>>, gold: File<'_>) -> Result<GoldPage, GoldError> {
    let text = decode::text(gold)?;
    let (url, blocks) = url_line(&text);
    let mut lines = Lines::default();
    for block in MARKER.split(blocks) {
        lines.gap(Gap::Line);
        lines.push(&references::decode(block));
    }
    let mut read = GoldPage::new(None, gold, lines.finish());
    if let Some(page) = page {
        let wrapped = unwrap(page)?;
        read.url = wrapped.url;
        read.title = wrapped.title;
        read.charset = wrapped.charset;
        read.html = Some(page.bytes[wrapped.html].to_vec());
    }
    // 155 of 681 golds of the final set have no such line, 3 of the other an empty one.
    read.url = read.url.or_else(|| url.map(str::to_owned));
    Ok(read)
}

/// The address above the text, and the text.
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

/// A page, and what `<text>` says of it.
#[derive(Debug, Default)]
struct Wrapped {
    url: Option<String>,
    title: Option<String>,
    charset: Option<&'static str>,
    /// Where the page is in the file, in bytes.
    html: Range<usize>,
}

fn unwrap(page: File<'_>) -> Result<Wrapped, GoldError> {
    let bytes = page.bytes;
    let Some(start) = text_tag(bytes) else {
        return Ok(Wrapped {
            html: 0..bytes.len(),
            ..Wrapped::default()
        });
    };
    let Some(length) = tag_length(&bytes[start..]) else {
        return Err(Reason::OpenTextTag.at(page, bytes, start));
    };
    let html = start + length;
    // The last one: a page has said </text> itself.
    let Some(end) = find_last(&bytes[html..], b"</text") else {
        return Err(Reason::OpenText.at(page, bytes, bytes.len()));
    };
    let tag = &bytes[start..html];
    let stated = attribute(&decode::mixed(tag), b"encoding");
    // `unset` and `unknown-us-ascii` are no encodings, and as in HTML what can say
    // so in ASCII is not UTF-16.
    let encoding = stated
        .and_then(|label| Encoding::for_label_no_replacement(label.as_bytes()))
        .map(Encoding::output_encoding);
    let tag = match encoding.filter(|encoding| *encoding != UTF_8) {
        Some(encoding) => encoding.decode_without_bom_handling(tag).0,
        None => Cow::Owned(decode::mixed(tag)),
    };
    Ok(Wrapped {
        url: attribute(&tag, b"id"),
        title: attribute(&tag, b"title"),
        charset: encoding.map(Encoding::name),
        html: html..html + end,
    })
}

/// Where `<text` begins, if the file begins with it.
fn text_tag(bytes: &[u8]) -> Option<usize> {
    let unmarked = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let tag = unmarked.trim_ascii_start();
    let (name, after) = tag.split_at_checked("<text".len())?;
    let ends = (after.first()).is_none_or(|byte| byte.is_ascii_whitespace() || *byte == b'>');
    (name.eq_ignore_ascii_case(b"<text") && ends).then(|| bytes.len() - tag.len())
}

/// The length of a start tag. A quote that follows `=` may have `>` in it.
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
    (bytes.windows(what.len())).rposition(|window| window.eq_ignore_ascii_case(what))
}

/// An attribute of a start tag in one line, decoded; not an empty one.
fn attribute(tag: &str, name: &[u8]) -> Option<String> {
    let Some(Ok(Token::StartTag(StartTag { attributes, .. }))) =
        Tokenizer::new(tag).find(|token| matches!(token, Ok(Token::StartTag(_))))
    else {
        return None;
    };
    let value = String::from_utf8_lossy(attributes.get(name)?);
    let mut line = Lines::default();
    line.push(&value);
    Some(line.finish()).filter(|line| !line.is_empty())
}
