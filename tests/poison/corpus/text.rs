//! Raw text, character references, characters, charsets, and size.

use super::Outcome::{Document, Quarantine};
use super::{Poison, between, fill};

fn bytes_between(start: &str, piece: &[u8], end: &str, bytes: usize) -> Vec<u8> {
    let mut page = start.as_bytes().to_vec();
    page.extend(piece.repeat(bytes / piece.len()));
    page.extend_from_slice(end.as_bytes());
    page
}

pub(super) const TEXT: &[Poison] = &[
    // Raw-text elements.
    Poison::page(
        "a script without end",
        |n| between("<p>x<script>", "a<b;", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "a style sheet without end",
        |n| between("<p>x<style>", "a{} ", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "a title without end",
        |n| between("<title>", "x ", "", n.min(900_000)),
        Document(&["truncated"]),
    ),
    Poison::page(
        "a title of many bytes",
        |n| between("<p>x<title>", "x", "</title>", n + 1_100_000),
        Document(&["block_chars_limit"]),
    ),
    Poison::page(
        "a textarea of end tags",
        |n| between("<textarea>", "</textare>", "", n.min(900_000)),
        Document(&["truncated"]),
    ),
    Poison::page(
        "plaintext",
        |n| between("<plaintext>", "</plaintext>", "", n.min(900_000)),
        Document(&[]),
    ),
    Poison::page(
        "empty scripts",
        |n| fill("<script></script>", n),
        Document(&[]),
    ),
    Poison::page("titles", |n| fill("<title>x</title>", n), Document(&[])),
    // Character references.
    Poison::page(
        "named references",
        |n| fill("&amp;", n.min(4_500_000)),
        Document(&[]),
    ),
    Poison::page(
        "the longest reference",
        |n| fill("&CounterClockwiseContourIntegral;", n),
        Document(&[]),
    ),
    Poison::page(
        "references without names",
        |n| fill("&", n.min(900_000)),
        Document(&[]),
    ),
    Poison::page(
        "a reference without end",
        |n| between("&", "amp", "", n.min(900_000)),
        Document(&[]),
    ),
    Poison::page(
        "a number without end",
        |n| between("x&#", "9", ";", n),
        Document(&[]),
    ),
    Poison::page(
        "numbers that are no characters",
        |n| fill("&#0;&#xD800;&#x110000;", n),
        Document(&[]),
    ),
    Poison::page(
        "references in a value",
        |n| between("<a href='", "&notit;&ampx&", "'>x", n),
        Document(&[]),
    ),
    // Characters.
    Poison::page("NULs", |n| fill("\0", n), Quarantine("binary_html")),
    Poison::page(
        "a NUL after every word",
        |n| fill("<p>some more words\0", n),
        Document(&["no_template"]),
    ),
    Poison::page(
        "control characters",
        |n| between("<p>x", "\u{1}\u{2}\u{b}\u{1f}\u{7f}", "", n.min(900_000)),
        Document(&[]),
    ),
    Poison::page(
        "white space",
        |n| between("<p>x", " \n\t\u{a0}", "y", n),
        Document(&[]),
    ),
    Poison::page(
        "carriage returns",
        |n| between("<p>x", "\r", "y", n),
        Document(&[]),
    ),
    Poison::page(
        "combining characters",
        |n| between("<p>x", "\u{301}", "", n.min(1_900_000)),
        Document(&[]),
    ),
    Poison::page(
        "letters beyond the basic plane",
        |n| between("<p>", "\u{10400}", "", n.min(3_900_000)),
        Document(&[]),
    ),
    Poison::page(
        "directions of text",
        |n| between("<p>x", "\u{202e}\u{200f}", "", n.min(2_900_000)),
        Document(&[]),
    ),
    // Bytes and charsets.
    Poison::page(
        "broken UTF-8",
        |n| {
            bytes_between(
                "<meta charset=utf-8><p>\u{e9}",
                b"\xc3(\xff",
                "",
                n.min(900_000),
            )
        },
        // Its counts say that it is not UTF-8.
        Document(&["charset_mismatch"]),
    ),
    Poison::page(
        "broken characters among whole ones",
        |n| {
            bytes_between(
                "<meta charset=utf-8><p>\u{e9}",
                "\u{e9}\u{e9}\u{e9}".as_bytes(),
                "",
                n.min(900_000) / 2,
            )
            .into_iter()
            .chain(*b"\xc3(\xff")
            .collect()
        },
        Document(&["undecodable_characters"]),
    ),
    Poison::page(
        "UTF-8 without continuations",
        |n| bytes_between("<p>\u{e9}", b"\x80", "", n.min(900_000)),
        Document(&[]),
    ),
    Poison::page(
        "surrogates in UTF-8",
        |n| {
            bytes_between(
                "<meta charset=utf-8><p>\u{e9}",
                b"\xed\xa0\x80",
                "",
                n.min(900_000),
            )
        },
        Document(&["charset_mismatch"]),
    ),
    Poison::page(
        "lone surrogates in UTF-16",
        |n| {
            bytes_between("", b"\xff\xfe", "", 2)
                .into_iter()
                .chain(b"x\0\0\xd8".repeat(n.min(1_900_000) / 4))
                .collect()
        },
        Document(&["undecodable_characters"]),
    ),
    Poison::page(
        "half a character of UTF-16",
        |_| b"\xfe\xff\0<\0p\0>\0x\0".to_vec(),
        Document(&["undecodable_characters"]),
    ),
    Poison::page(
        "a declaration of UTF-16 in ASCII",
        |_| b"<meta charset=utf-16><p>x".to_vec(),
        Document(&[]),
    ),
    Poison::page(
        "many declarations",
        |n| fill("<meta charset=nonsense>", n),
        Document(&[]),
    ),
    Poison::page(
        "escapes of ISO-2022-JP",
        |n| {
            bytes_between(
                "<meta charset=iso-2022-jp><p>",
                b"\x1b$B\x1b(B",
                "",
                n.min(900_000),
            )
        },
        Document(&["undecodable_characters"]),
    ),
    Poison::page(
        "bytes of every value",
        |n| bytes_between("<p>", &(1..=255).collect::<Vec<u8>>(), "", n.min(600_000)),
        Document(&[]),
    ),
    // Fixed sizes.
    Poison::page(
        "200 MB",
        |_| fill("<p>many words, again and again</p>", 200_000_000),
        Document(&["page_bytes_limit", "blocks_limit", "no_template"]),
    ),
    Poison::page(
        "a million blocks",
        |_| fill("<p>x", 4_000_000),
        Document(&["blocks_limit", "no_template"]),
    ),
    Poison::page(
        "a block of 50 MB",
        |_| fill("word ", 50_000_000),
        Document(&["page_bytes_limit", "block_chars_limit"]),
    ),
    Poison::page(
        "100 MB of NULs after a tag",
        |_| bytes_between(&"<p>x".repeat(300), b"\0", "", 100_000_000),
        Document(&["page_bytes_limit"]),
    ),
];
