//! The charset of a page changes nothing but its bytes, and a page may be cut
//! between any two of them.

#![allow(clippy::unwrap_used, reason = "what helps a test is a test")]

use encoding_rs::Encoding;
use html_blocks::{BlockOptions, PageLimits, TextBlock, page};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::RngSeed;

/// All encodings of the web that pages are written in, with their markup as it
/// is. (`replacement` and `x-user-defined` decode to no text of their own.)
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

/// Markup, and letters of the scripts those encodings are for.
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

/// The text without the letters that this encoding does not have, or gives back
/// as others (`¥` of the Japanese ones).
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
    let options = BlockOptions {
        limits: PageLimits {
            page_bytes,
            ..PageLimits::default()
        },
        ..BlockOptions::default()
    };
    let page = page(bytes, Some(charset), &options).unwrap();
    assert_eq!(page.charset, charset);
    page.blocks
}

/// A declaration that the bytes prove wrong is passed over: text in such a
/// charset that happens to be UTF-8 is read as that.
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

    /// A limit in the middle of a character leaves that character out, and no
    /// other trace. (Not ISO-2022-JP: it shifts between alphabets, and the bytes
    /// of a shorter text are not the first of a longer one's.)
    #[test]
    fn a_page_cut_at_any_byte_is_the_page_of_the_bytes_before(
        pieces in vec(piece(), 0..30),
        charset in select(ENCODINGS[..37].to_vec()),
        cut in any::<Index>(),
    ) {
        let text = within(&pieces, charset);
        let bytes = encode(&text, charset).unwrap();
        // The letter `x` of the first paragraph is always there.
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
