//! The examples run and print what their documentation says.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[allow(
    dead_code,
    unreachable_pub,
    reason = "the test calls `run` of a binary, not `main`"
)]
#[path = "../examples/clean_one_page.rs"]
mod clean_one_page;

#[test]
fn clean_one_page_prints_blocks_and_warnings() {
    let html = "<title>Tea</title><nav><a href=/>Home</a></nav><p>Tea is a <a href=x>drink</a>.\
                <script>";
    let mut out = Vec::new();
    clean_one_page::run(html.as_bytes(), &mut out).unwrap();
    let expected = [
        "title: Tea",
        "charset: UTF-8 (utf8)",
        "warning: truncated: in script",
        "- 100 % nav: Home",
        "   33 % p: Tea is a drink.",
    ];
    let out = String::from_utf8(out).unwrap();
    assert_eq!(out.lines().collect::<Vec<_>>(), expected);
    assert!(clean_one_page::run(b"%PDF-1.4", &mut Vec::new()).is_err());
}
