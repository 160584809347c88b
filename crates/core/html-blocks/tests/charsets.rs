//! The charset of a page.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use html_blocks::{BlockOptions, CharsetSource, Page, PageError, page};

fn read(bytes: &[u8], http: Option<&str>) -> Page {
    page(bytes, http, &BlockOptions::default()).unwrap()
}

#[track_caller]
fn check(bytes: &[u8], http: Option<&str>, expected: (&str, &str, &str), warnings: &[&str]) {
    let page = read(bytes, http);
    let text = &page.blocks[0].text;
    assert_eq!(
        (page.charset, page.charset_source.as_str(), text.as_str()),
        expected
    );
    let found: Vec<_> = page.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(found, warnings);
}

const META_1251: &[u8] = b"<meta charset=windows-1251>";

#[test]
fn a_byte_order_mark_comes_first() {
    let page = [b"\xef\xbb\xbf", META_1251, "ž".as_bytes()].concat();
    check(&page, Some("koi8-r"), ("UTF-8", "bom", "ž"), &[]);
    check(
        b"\xff\xfe<\0p\0>\0\x16\x04",
        None,
        ("UTF-16LE", "bom", "Ж"),
        &[],
    );
    check(
        b"\xfe\xff\0<\0p\0>\x04\x16",
        None,
        ("UTF-16BE", "bom", "Ж"),
        &[],
    );
}

#[test]
fn http_comes_before_the_declaration_of_the_page() {
    let page = [META_1251, b"\xc6"].concat();
    check(&page, Some("KOI8-R"), ("KOI8-R", "http", "ф"), &[]);
    check(&page, Some(" \"koi8-r\" "), ("KOI8-R", "http", "ф"), &[]);
    check(&page, None, ("windows-1251", "meta", "Ж"), &[]);
    check(&page, Some(""), ("windows-1251", "meta", "Ж"), &[]);
    check(
        b"<\0p\0>\0\x16\x04",
        Some("utf-16"),
        ("UTF-16LE", "http", "Ж"),
        &[],
    );
}

#[test]
fn an_unknown_http_charset_is_ignored_with_a_warning() {
    let page = [META_1251, b"\xc6"].concat();
    let warnings = ["unknown_charset: no-such-set"];
    check(
        &page,
        Some("no-such set\n"),
        ("windows-1251", "meta", "Ж"),
        &["unknown_charset: no-suchset"],
    );
    check(
        &page,
        Some("no-such-set"),
        ("windows-1251", "meta", "Ж"),
        &warnings,
    );
}

#[test]
fn an_undeclared_page_is_utf_8_if_valid() {
    check("<p>ž".as_bytes(), None, ("UTF-8", "utf8", "ž"), &[]);
    check(b"<p>z", None, ("UTF-8", "utf8", "z"), &[]);
}

#[test]
fn an_undeclared_legacy_charset_is_detected() {
    let russian = "Привет, это обычный русский текст. ".repeat(20);
    let (bytes, _, _) = encoding_rs::WINDOWS_1251.encode(&russian);
    let page = read(&bytes, None);
    assert_eq!(
        (page.charset, page.charset_source),
        ("windows-1251", CharsetSource::Detected)
    );
    assert_eq!(page.blocks[0].text, russian.trim_end());
    // The text may begin after the prefix that the detector gets first.
    let late = [b"<p>".repeat(20_000), bytes.into_owned()].concat();
    assert_eq!(read(&late, None).charset, "windows-1251");
}

#[test]
fn a_late_declaration_comes_before_detection() {
    let filler = b"<!-- filler -->".repeat(200);
    let page = [&filler[..], META_1251, b"<p>\xc6"].concat();
    check(&page, None, ("windows-1251", "meta", "Ж"), &[]);
    let page = [&filler[..], META_1251, "<p>ž".as_bytes()].concat();
    check(&page, None, ("UTF-8", "utf8", "ž"), &[]);
}

#[test]
fn a_declaration_that_the_bytes_prove_wrong_is_ignored() {
    let warnings = ["charset_mismatch: declared UTF-8, decoded windows-1252"];
    check(
        b"<p>caf\xe9 au lait",
        Some("utf-8"),
        ("windows-1252", "detected", "café au lait"),
        &warnings,
    );
    let warnings = ["charset_mismatch: declared UTF-8, decoded windows-1251"];
    let page = [META_1251, b"<p>\xc6"].concat();
    check(
        &page,
        Some("utf-8"),
        ("windows-1251", "meta", "Ж"),
        &warnings,
    );
    let warnings = ["charset_mismatch: declared windows-1252, decoded UTF-8"];
    check(
        "<p>café".as_bytes(),
        Some("iso-8859-1"),
        ("UTF-8", "utf8", "café"),
        &warnings,
    );
}

/// Chinese pages of 2011 declare GBK and are in UTF-8. Eight letters of three bytes prove it.
#[test]
fn a_declared_charset_of_two_bytes_is_ignored_if_the_page_is_utf_8() {
    let text = "疫苗泡沫破灭复牌";
    let warnings = ["charset_mismatch: declared GBK, decoded UTF-8"];
    check(
        format!("<meta charset=gb2312><p>{text}").as_bytes(),
        None,
        ("UTF-8", "utf8", text),
        &warnings,
    );
    let (gbk, _, _) = encoding_rs::GBK.encode(text);
    let page = [b"<meta charset=gb2312><p>", &*gbk].concat();
    check(&page, None, ("GBK", "meta", text), &[]);
}

#[test]
fn a_page_without_nul_bytes_is_not_utf_16() {
    let warnings = ["charset_mismatch: declared UTF-16LE, decoded UTF-8"];
    check(b"<p>x", Some("utf-16"), ("UTF-8", "utf8", "x"), &warnings);
}

#[test]
fn other_wrong_declarations_are_followed() {
    check("<p>ž".as_bytes(), Some("gbk"), ("GBK", "http", "啪"), &[]);
    let warnings = ["undecodable_characters: 1"];
    check(
        b"<p>\xc5\xbe \xe9!",
        Some("utf-8"),
        ("UTF-8", "http", "ž \u{fffd}!"),
        &warnings,
    );
}

/// Text in each charset that is not UTF-8.
const TEXTS: [(&str, &str); 12] = [
    ("windows-1251", RUSSIAN),
    ("KOI8-R", RUSSIAN),
    ("ISO-8859-5", RUSSIAN),
    (
        "windows-1253",
        "Το πλοίο φτάνει στο λιμάνι κάθε πρωί, πριν ανοίξουν τα μαγαζιά.",
    ),
    (
        "windows-1252",
        "À la fête, l’été dernier, les élèves ont chanté « Ça ira » très fort.",
    ),
    (
        "ISO-8859-2",
        "Příští týden začíná žňová slavnost, řekl náčelník místní školy.",
    ),
    (
        "windows-1254",
        "Öğrenciler sabah erkenden iskeleye yürüdü, çünkü gemi küçüktü.",
    ),
    (
        "GBK",
        "早上七点，渡船离开码头，岛上的孩子们已经在学校门口等着老师。",
    ),
    (
        "Big5",
        "早上七點，渡船離開碼頭，島上的孩子們已經在學校門口等著老師。",
    ),
    ("Shift_JIS", JAPANESE),
    ("EUC-JP", JAPANESE),
    (
        "EUC-KR",
        "아침 일곱 시에 배가 항구를 떠나고, 섬의 아이들은 학교 앞에서 선생님을 기다린다.",
    ),
];

const RUSSIAN: &str =
    "Утром паром идёт на остров, сказал Пётр. Дети ждут учителя у школы, её ещё не открыли.";

const JAPANESE: &str =
    "朝の七時に、船は島へ向かって港を出ます。子どもたちは学校の前で先生を待っています。";

/// A page of the text, eight times, in a charset, and what it declares.
fn page_in(charset: &str, text: &str, declares: Option<&str>) -> Vec<u8> {
    let meta = declares.map(|label| format!("<meta charset={label}>"));
    let page = meta.unwrap_or_default() + &format!("<p>{text}\n").repeat(8);
    let encoding = encoding_rs::Encoding::for_label(charset.as_bytes()).unwrap();
    let (bytes, _, unmappable) = encoding.encode(&page);
    assert!(!unmappable, "{charset}");
    bytes.into_owned()
}

/// The number of paragraphs that have the text, of eight.
fn right(page: &Page, text: &str) -> usize {
    let blocks = page.blocks.iter();
    blocks.filter(|block| block.text == text).count()
}

#[test]
fn a_wrong_header_does_not_garble_a_page() {
    for (charset, text) in TEXTS {
        for header in ["utf-8", "iso-8859-1"] {
            // A header that names another charset of Latin letters is followed.
            if header != "utf-8" && ["ISO-8859-2", "windows-1254"].contains(&charset) {
                continue;
            }
            let bytes = page_in(charset, text, Some(charset));
            let page = read(&bytes, Some(header));
            assert_eq!(
                right(&page, text),
                8,
                "{charset} {header} {:?}",
                page.warnings
            );
            let bytes = page_in(charset, text, None);
            let page = read(&bytes, Some(header));
            assert_eq!(
                right(&page, text),
                8,
                "{charset} {header} {:?}",
                page.warnings
            );
        }
    }
}

#[test]
fn a_right_header_is_followed() {
    for (charset, text) in TEXTS {
        for declares in [None, Some("utf-8"), Some("koi8-r"), Some("gb2312")] {
            let page = read(&page_in(charset, text, declares), Some(charset));
            assert_eq!(
                (page.charset, page.charset_source),
                (charset, CharsetSource::Http)
            );
            assert_eq!(
                (right(&page, text), page.warnings),
                (8, vec![]),
                "{charset}"
            );
        }
    }
}

/// A byte that the charset does not have costs one paragraph.
#[test]
fn a_page_with_one_broken_byte_keeps_its_charset() {
    let utf8 = TEXTS.map(|(_, text)| ("UTF-8", text));
    for (charset, text) in TEXTS.into_iter().chain(utf8) {
        let broken: &[u8] = match charset {
            "UTF-8" => b"<p>\xe9</p>",
            "Shift_JIS" => b"<p>\xfd</p>",
            "GBK" | "Big5" | "EUC-KR" => b"<p>\xff</p>",
            "EUC-JP" => b"<p>\x80</p>",
            _ => continue,
        };
        for (declares, header) in [
            (None, None),
            (Some(charset), None),
            (Some(charset), Some("iso-8859-1")),
            (None, Some("windows-1251")),
            (None, Some(charset)),
        ] {
            // The detector takes broken EUC-JP for another charset of two bytes, in which it is valid.
            if (charset, declares) == ("EUC-JP", None) && header != Some(charset) {
                continue;
            }
            let bytes = [&page_in(charset, text, declares), broken].concat();
            let page = read(&bytes, header);
            assert_eq!(page.charset, charset, "{declares:?} {header:?}");
            assert_eq!(right(&page, text), 8, "{charset}");
            let warnings = page.warnings.iter().map(ToString::to_string);
            let warnings: Vec<_> = warnings.collect();
            assert!(
                warnings.contains(&"undecodable_characters: 1".to_owned()),
                "{charset} {declares:?} {header:?} {warnings:?}"
            );
        }
    }
}

/// Sequences that are UTF-8 by chance, as `Р»` in windows-1251, do not make a page UTF-8.
#[test]
fn sequences_that_are_utf_8_by_chance_are_few() {
    let text = "«Да», – сказал СЛОН». Р»";
    let bytes = page_in("windows-1251", text, None);
    assert!(std::str::from_utf8(b"\xd0\xbb").is_ok());
    let page = read(&bytes, Some("utf-8"));
    assert_eq!((page.charset, right(&page, text)), ("windows-1251", 8));
}

#[test]
fn a_page_in_utf_16_needs_no_mark() {
    let text = "<html><p>Привет, остров";
    let little: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    check(
        &little,
        None,
        ("UTF-16LE", "detected", "Привет, остров"),
        &[],
    );
    check(&big, None, ("UTF-16BE", "detected", "Привет, остров"), &[]);
    check(
        &big,
        Some("utf-16"),
        ("UTF-16BE", "detected", "Привет, остров"),
        &["charset_mismatch: declared UTF-16LE, decoded UTF-16BE"],
    );
}

#[test]
fn escape_sequences_are_iso_2022_jp() {
    let page = [b"<p>".as_slice(), b"\x1b$B$3$s\x1b(B"].concat();
    check(&page, None, ("ISO-2022-JP", "detected", "こん"), &[]);
    let declared = [b"<meta charset=iso-2022-jp>", &page[..]].concat();
    check(&declared, None, ("ISO-2022-JP", "meta", "こん"), &[]);
    check(
        &declared,
        Some("utf-8"),
        ("ISO-2022-JP", "meta", "こん"),
        &["charset_mismatch: declared UTF-8, decoded ISO-2022-JP"],
    );
    check(b"<p>1$ \x1b $", None, ("UTF-8", "utf8", "1$ \u{1b} $"), &[]);
}

#[test]
fn bytes_that_are_not_a_page_are_errors() {
    let error = |bytes: &[u8]| page(bytes, None, &BlockOptions::default()).unwrap_err();
    assert_eq!(error(b""), PageError::Empty { bytes: 0 });
    assert_eq!(error(b" \n"), PageError::Empty { bytes: 2 });
    assert_eq!(error(b"\xef\xbb\xbf"), PageError::Empty { bytes: 0 });
    assert_eq!(
        error(b"\x89PNG\r\n\x1a\n\0\0"),
        PageError::Binary { found: "PNG" }
    );
    assert_eq!(
        error(b"<p>\0\0x\0\0"),
        PageError::Binary { found: "NUL bytes" }
    );
    assert_eq!(error(b"GIF89a...").reason(), "binary_html");
}
