//! SURTs, in the kinds of the tests that the Python package `surt` and the Java classes before it have.

use proptest::prelude::*;
use url_key::{Surt, reversed_host, without_www};

fn surt(url: &str) -> String {
    let surt = Surt::of(url).unwrap_or_else(|| panic!("{url} has no SURT"));
    surt.as_str().to_owned()
}

fn assert_surts(cases: &[(&str, &str)]) {
    for (url, expected) in cases {
        assert_eq!(surt(url), *expected, "{url}");
    }
}

#[test]
fn labels_of_the_host_are_reversed_without_www() {
    assert_surts(&[
        ("http://trees.example/", "example,trees)/"),
        ("http://trees.example", "example,trees)/"),
        ("http://www.trees.example/", "example,trees)/"),
        ("https://WWW7.News.Trees.Example/", "example,trees,news)/"),
        ("http://www7trees.example/", "example,www7trees)/"),
        ("http://www.www2.trees.example/", "example,trees,www2)/"),
        ("http://trees.example./", "example,trees)/"),
        ("http://trees..example/", "example,trees)/"),
    ]);
}

#[test]
fn only_ports_of_another_scheme_stay() {
    assert_surts(&[
        ("http://trees.example:80/a", "example,trees)/a"),
        ("https://trees.example:443/a", "example,trees)/a"),
        ("https://trees.example:80/a", "example,trees:80)/a"),
        ("http://trees.example:443/a", "example,trees:443)/a"),
        ("http://trees.example:8080/a", "example,trees:8080)/a"),
        ("http://trees.example:/a", "example,trees)/a"),
    ]);
}

#[test]
fn user_fragment_and_slash_at_the_end_are_left_out() {
    assert_surts(&[
        ("http://me:secret@trees.example/oak/", "example,trees)/oak"),
        ("http://trees.example/oak#bark", "example,trees)/oak"),
        ("http://trees.example/oak/?", "example,trees)/oak"),
        ("http://trees.example/#/oak?a=1", "example,trees)/"),
        ("http://trees.example?a=1", "example,trees)/?a=1"),
    ]);
}

#[test]
fn paths_are_in_lower_case_and_have_no_relative_segments() {
    assert_surts(&[
        (
            "http://trees.example/Oak/BARK.html",
            "example,trees)/oak/bark.html",
        ),
        (
            "http://trees.example/oak/../elm/./x",
            "example,trees)/elm/x",
        ),
        ("http://trees.example/oak/..", "example,trees)/"),
        ("http://trees.example/../elm", "example,trees)/../elm"),
        ("http://trees.example//oak///elm", "example,trees)/oak/elm"),
        (
            "http://trees.example/oak;leaf?x;",
            "example,trees)/oak;leaf?x;",
        ),
    ]);
}

#[test]
fn parameters_are_sorted_by_name_and_value() {
    assert_surts(&[
        ("http://trees.example/?b&a", "example,trees)/?a&b"),
        (
            "http://trees.example/?a=2&B&a=1&a&a=",
            "example,trees)/?a&a=&a=1&a=2&b",
        ),
        ("http://trees.example/?a=1&", "example,trees)/?&a=1"),
        ("http://trees.example/?a?b?", "example,trees)/?a?b?"),
        (
            "http://trees.example/?u=http://elm.example//x",
            "example,trees)/?u=http://elm.example//x",
        ),
    ]);
}

#[test]
fn session_ids_are_left_out() {
    let id = "0123456789abcdef0123456789ABCDEF";
    let letters = "abcdefghijklmnopqrstuvwx";
    for (query, expected) in [
        (format!("PHPSESSID={id}&x=y"), "?x=y"),
        (format!("one=two&jsessionid={id}&x=y"), "?one=two&x=y"),
        (format!("one=two&jsessionid={id}"), "?&one=two"),
        (format!("sid={id}&jsessionid={id}"), ""),
        (format!("ASPSESSIONIDABCDEFGH={letters}&x=y"), "?x=y"),
        ("CFID=1169580&CFTOKEN=2D89-F5AF&x=y".to_owned(), "?x=y"),
        ("cfid=1&cftoken=2".to_owned(), ""),
    ] {
        let url = format!("http://trees.example/?{query}");
        assert_eq!(surt(&url), format!("example,trees)/{expected}"), "{url}");
    }
    let longer = format!("http://trees.example/?jsessionid={id}0");
    assert!(surt(&longer).ends_with("abcdef0"), "{longer}");
    let asp = "4hqa0555fwsecu455xqckv45";
    for path in [
        format!("/(S({asp}))/oak.aspx"),
        format!("/({asp})/oak.aspx"),
        format!("/(a({asp})S({asp})f({asp}))/oak.aspx"),
    ] {
        let url = format!("http://trees.example{path}");
        assert_eq!(surt(&url), "example,trees)/oak.aspx", "{url}");
    }
    let page = format!("http://trees.example/({asp})/oak.html");
    assert_eq!(surt(&page), format!("example,trees)/({asp})/oak.html"));
}

#[test]
fn escapes_are_decoded_until_there_are_none_and_written_once() {
    assert_surts(&[
        ("http://trees.example/%25%32%35", "example,trees)/%25"),
        ("http://trees.example/%252525252541", "example,trees)/a"),
        (
            "http://trees.example/%%%25%32%35oak%%",
            "example,trees)/%25%25%25oak%25%25",
        ),
        ("http://trees.example/%4%311", "example,trees)/a1"),
        ("http://trees.example/a%23b", "example,trees)/a%23b"),
        ("http://trees.example/a b", "example,trees)/a%20b"),
        ("http://trees.example/%E2%9C%93", "example,trees)/%e2%9c%93"),
        (
            "http://trees.example/?q=Wroc\u{142}aw",
            "example,trees)/?q=wroc%c5%82aw",
        ),
        (
            "http://trees.example/?a=(x)%20%28y%29",
            "example,trees)/?a=(x)%20(y)",
        ),
        // The sum of two words is lost, in the Python package too.
        (
            "http://trees.example/?a=b%26c&a=b",
            "example,trees)/?a=b&a=b&c",
        ),
        ("http://%74rees.example/", "example,trees)/"),
        ("http://oak%23.example/", "example,oak%23)/"),
    ]);
}

#[test]
fn names_outside_ascii_are_in_punycode() {
    assert_surts(&[
        ("http://b\u{fc}cher.example/", "example,xn--bcher-kva)/"),
        ("http://B%C3%BCcher.example/", "example,xn--bcher-kva)/"),
        ("http://\u{2603}.example/", "example,xn--n3h)/"),
    ]);
}

#[test]
fn addresses_are_reversed_decimal_numbers() {
    assert_surts(&[
        ("http://192.0.2.7/Info/", "7,2,0,192)/info"),
        ("http://192.0.519/", "7,2,0,192)/"),
        ("http://0300.0.2.7/", "7,2,0,192)/"),
        ("http://3221225991/", "7,2,0,192)/"),
        // 2^32 more.
        ("http://7516193287/", "7,2,0,192)/"),
        ("http://192.0.2.256/", "256,2,0,192)/"),
        ("http://[2001:db8::7]:8080/", "2001:db8::7:8080)/"),
    ]);
}

#[test]
fn spaces_around_a_url_and_schemes_before_it_are_left_out() {
    assert_surts(&[
        ("  http://trees.example/oak\r\n", "example,trees)/oak"),
        ("http://trees.example/o\ta\nk", "example,trees)/oak"),
        ("http:////////trees.example", "example,trees)/"),
        ("http://https://trees.example:443/oak", "example,trees)/oak"),
        ("HTTP://trees.example/oak", "example,trees)/oak"),
    ]);
}

#[test]
fn texts_that_are_no_address_of_a_page_have_none() {
    for text in [
        "",
        "oak",
        "trees.example/oak",
        "dns:trees.example",
        "ftp://trees.example/",
        "mailto:oak@trees.example",
        "http://",
        "http:///",
        "http://./",
        "http://trees.example:port/",
        "http://trees.example:65536/",
    ] {
        assert_eq!(Surt::of(text), None, "{text}");
    }
}

#[test]
fn the_host_is_the_part_before_port_and_bracket() {
    for (url, host) in [
        ("https://www.news.example/x", "example,news"),
        ("http://news.example:8080/x", "example,news"),
        ("http://192.0.2.7/", "7,2,0,192"),
    ] {
        let surt = Surt::of(url).expect("a SURT");
        assert_eq!(surt.host(), host);
        let rest = surt.as_str().strip_prefix(host).expect("a prefix");
        assert!(rest.starts_with([':', ')']), "{rest}");
    }
    assert_eq!(reversed_host("a.b.example"), "example,b,a");
    assert_eq!(without_www("www12.b.example"), "b.example");
    assert_eq!(without_www("wwwb.example"), "wwwb.example");
}

proptest! {
    /// Any text is answered, and a SURT has neither upper case nor characters outside ASCII.
    #[test]
    fn any_text_has_a_surt_of_plain_characters_or_none(rest in ".{0,60}", port in 1_u16..) {
        for url in [rest.clone(), format!("http://a.example/{rest}"), format!("http://a.example:{port}{rest}")] {
            if let Some(surt) = Surt::of(&url) {
                let text = surt.as_str();
                prop_assert!(text.is_ascii() && !text.contains([' ', '#']), "{}", text);
                let rest = text.strip_prefix(surt.host()).expect("a prefix");
                prop_assert!(!rest.contains(|c: char| c.is_ascii_uppercase()), "{}", text);
            }
        }
    }

    /// The order of parameters, `www`, scheme and case do not matter.
    #[test]
    fn addresses_of_one_page_have_one_surt(path in "[a-zA-Z]{1,8}", a in "[a-z0-9]{0,4}", b in "[a-z0-9]{0,4}") {
        let first = surt(&format!("http://a.example/{path}?x={a}&y={b}"));
        let second = surt(&format!("https://WWW.A.example:443/{}/?Y={b}&X={a}#z", path.to_uppercase()));
        prop_assert_eq!(first, second);
    }
}
