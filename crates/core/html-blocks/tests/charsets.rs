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
        error(b"<\0p\0>\0x\0"),
        PageError::Binary { found: "NUL bytes" }
    );
    assert_eq!(error(b"GIF89a...").reason(), "binary_html");
}
