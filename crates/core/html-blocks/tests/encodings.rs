//! A page has the same blocks in every charset, and may be cut at any byte.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use encoding_rs::Encoding;
use html_blocks::{BlockOptions, TextBlock, page};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

/// The encodings of the Encoding Standard, without `replacement` and `x-user-defined`, which no
/// page is written in.
const ENCODINGS: [&str; 38] = [
    "UTF-8",
    "UTF-16LE",
    "UTF-16BE",
    "IBM866",
    "ISO-8859-2",
    "ISO-8859-3",
    "ISO-8859-4",
    "ISO-8859-5",
    "ISO-8859-6",
    "ISO-8859-7",
    "ISO-8859-8",
    "ISO-8859-8-I",
    "ISO-8859-10",
    "ISO-8859-13",
    "ISO-8859-14",
    "ISO-8859-15",
    "ISO-8859-16",
    "KOI8-R",
    "KOI8-U",
    "macintosh",
    "windows-874",
    "windows-1250",
    "windows-1251",
    "windows-1252",
    "windows-1253",
    "windows-1254",
    "windows-1255",
    "windows-1256",
    "windows-1257",
    "windows-1258",
    "x-mac-cyrillic",
    "GBK",
    "gb18030",
    "Big5",
    "EUC-JP",
    "Shift_JIS",
    "EUC-KR",
    "ISO-2022-JP",
];

fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 1_000,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Markup, and letters of the scripts of these encodings.
fn piece() -> impl Strategy<Value = String> {
    let markup = select(vec![
        "<p>",
        "</p>",
        "<b>",
        "<a href=x>",
        "</a>",
        "<br>",
        " ",
        "&amp;",
        "&#1078;",
        "<!-- x -->",
        "<li class=c>",
        "text",
        "12",
    ]);
    let letter = prop_oneof![
        prop::char::range('\u{a0}', '\u{17f}'),
        prop::char::range('\u{384}', '\u{45f}'),
        prop::char::range('\u{5d0}', '\u{64a}'),
        prop::char::range('\u{e01}', '\u{e3a}'),
        prop::char::range('\u{3041}', '\u{30ff}'),
        prop::char::range('\u{4e00}', '\u{4fff}'),
        prop::char::range('\u{ac00}', '\u{adff}'),
    ];
    prop_oneof![
        1 => markup.prop_map(str::to_owned),
        1 => letter.prop_map(String::from),
    ]
}

fn encode(text: &str, name: &str) -> Option<Vec<u8>> {
    let wide = |bytes: fn(u16) -> [u8; 2]| text.encode_utf16().flat_map(bytes).collect();
    match name {
        "UTF-16LE" => Some(wide(u16::to_le_bytes)),
        "UTF-16BE" => Some(wide(u16::to_be_bytes)),
        _ => {
            let encoding = Encoding::for_label(name.as_bytes()).unwrap();
            let (bytes, _, unmappable) = encoding.encode(text);
            (!unmappable).then(|| bytes.into_owned())
        }
    }
}

/// A page of the pieces that survive encoding and decoding. Some encodings lack a letter, and
/// the Japanese ones decode `¥` as another character.
fn within(pieces: &[String], name: &str) -> String {
    let encoding = Encoding::for_label(name.as_bytes()).unwrap();
    let has = |piece: &&String| {
        let bytes = encode(piece, name);
        bytes.is_some_and(|bytes| encoding.decode(&bytes).0 == **piece)
    };
    let pieces: String = pieces.iter().filter(has).map(String::as_str).collect();
    format!("<p>x{pieces}")
}

fn blocks(bytes: &[u8], charset: &str, page_bytes: usize) -> Vec<TextBlock> {
    let mut options = BlockOptions::default();
    options.limits.page_bytes = page_bytes;
    let page = page(bytes, Some(charset), &options).unwrap();
    assert_eq!(page.charset, charset);
    page.blocks
}

/// Whether the declared charset is used: text in another charset that happens to be valid UTF-8
/// is decoded as UTF-8.
fn believed(bytes: &[u8], charset: &str) -> bool {
    charset == "UTF-8" || bytes.is_ascii() || std::str::from_utf8(bytes).is_err()
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn a_page_has_the_same_blocks_in_every_encoding(
        pieces in vec(piece(), 0..30),
        charset in select(ENCODINGS.to_vec()),
    ) {
        let text = within(&pieces, charset);
        let bytes = encode(&text, charset).unwrap();
        prop_assume!(believed(&bytes, charset));
        let as_utf8 = blocks(text.as_bytes(), "UTF-8", usize::MAX);
        prop_assert_eq!(blocks(&bytes, charset, usize::MAX), as_utf8);
    }

    /// A limit inside a character drops that character and changes nothing else. ISO-2022-JP is
    /// left out: it has escape sequences, so a shorter text is not a prefix of a longer one.
    #[test]
    fn a_page_cut_at_any_byte_has_the_blocks_of_its_prefix(
        pieces in vec(piece(), 0..30),
        charset in select(ENCODINGS[..37].to_vec()),
        cut in any::<Index>(),
    ) {
        let text = within(&pieces, charset);
        let bytes = encode(&text, charset).unwrap();
        // The page always keeps the letter `x` of the first paragraph.
        let start = encode("<p>x", charset).unwrap().len();
        let cut = start + cut.index(bytes.len() - start + 1);
        prop_assume!(believed(&bytes[..cut], charset));
        let ends = text.char_indices().map(|(at, c)| at + c.len_utf8());
        let fits = |end: &usize| encode(&text[..*end], charset).unwrap().len() <= cut;
        let whole = ends.take_while(fits).last().unwrap();
        let before = blocks(&text.as_bytes()[..whole], "UTF-8", usize::MAX);
        prop_assert_eq!(blocks(&bytes, charset, cut), before);
    }
}
