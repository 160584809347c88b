//! Hostile pages. These tests check the blocks and warnings; `src/work.rs` checks that the work
//! is linear in the length of a page.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use html_blocks::{BlockOptions, Limit, Page, PageLimits, Warning, page};

fn read_within(html: &str, limits: PageLimits) -> Page {
    let mut options = BlockOptions::default();
    options.limits = limits;
    page(html.as_bytes(), None, &options).unwrap()
}

fn read(html: &str) -> Page {
    read_within(html, PageLimits::default())
}

fn warnings(page: &Page) -> Vec<String> {
    page.warnings.iter().map(ToString::to_string).collect()
}

#[test]
fn deep_nesting_keeps_all_text() {
    let levels = 52_428;
    let page = read(&"<ul><li>x".repeat(levels));
    assert_eq!(page.blocks.len(), levels);
    assert_eq!(
        warnings(&page),
        [format!("depth_limit: 512 of {}", 2 * levels)]
    );
    assert_eq!(&*page.blocks[1].dom_path, "ul>li>ul>li");
    assert!(page.blocks.iter().all(|block| block.dom_path.len() <= 1024));
}

#[test]
fn elements_beyond_the_limit_are_closed_by_their_end_tags() {
    let mut limits = PageLimits::default();
    limits.depth = 3;
    let page = read_within(
        "<div>a<div><div><div><nav>b</nav></div></div></div>c",
        limits,
    );
    let dom_paths: Vec<_> = page.blocks.iter().map(|block| &*block.dom_path).collect();
    assert_eq!(dom_paths, ["div", "div>div>div", "div"]);
    assert_eq!(warnings(&page), ["depth_limit: 3 of 5"]);
}

#[test]
fn a_tag_of_too_many_bytes_ends_the_page() {
    let attributes: String = (0..80_000).map(|i| format!(" a{i}='>'")).collect();
    assert!(attributes.len() > 700_000);
    let html = format!("<p>before</p><p{attributes}>after");
    let page = read(&html);
    assert_eq!(page.blocks.len(), 1);
    assert_eq!(
        warnings(&page),
        [format!("tag_bytes_limit: cut at 13 of {}", html.len())]
    );
    assert_eq!(page.warnings[0].as_str(), "tag_bytes_limit");
}

#[test]
fn a_long_tag_is_found_after_any_other_construct() {
    let attributes: String = (0..30_000).map(|i| format!(" a{i}")).collect();
    for before in [
        "<",
        "&l",
        "</",
        "<!>",
        "<p>a</>",
        "<!-- x -->",
        "<title></title>",
        "\r",
        "&#",
    ] {
        let html = format!("text{before}<p{attributes}>after");
        let page = read(&html);
        let cut = Warning::Cut {
            limit: Limit::TagBytes,
            at: 4 + before.len(),
            of: html.len(),
        };
        let in_comment = before == "</";
        assert_eq!(
            page.warnings.contains(&cut),
            !in_comment,
            "{before} {:?}",
            page.warnings
        );
    }
    for raw in ["script", "title", "textarea"] {
        let html = format!("text<{raw}>x</</{raw}{attributes}>after");
        assert_eq!(read(&html).warnings[0].as_str(), "tag_bytes_limit", "{raw}");
    }
}

/// The position of a cut is the last `<` that began markup, or could have begun it.
#[test]
fn a_cut_is_at_the_markup_before_it() {
    let mut limits = PageLimits::default();
    limits.attributes_per_tag = 2;
    limits.blocks = 3;
    limits.block_chars = 12;
    let long = "far too long a text";
    for (html, at) in [
        // At a tag, because of its attributes or because it ends one block too many.
        ("<p>a<p title='<' b c>".to_owned(), 4),
        ("<p>a<title><</title ><p a b c>".to_owned(), 21),
        ("<p>a<script><p></script><p a b c>".to_owned(), 24),
        ("<p>a<p>b<p>c<p>d<p title='<'>".to_owned(), 16),
        ("<p>a<p>b<p>c<p>d <!-- < -->".to_owned(), 17),
        // In text: the position is that of the markup before it.
        (long.to_owned(), 0),
        (format!("<p>{long}<p>"), 0),
        (format!("<p>a</><b>{long}"), 7),
        (format!("a < b {long}"), 2),
        (format!("<title>a <{long}</title>"), 9),
        (format!("<textarea>a</{long}"), 11),
        (format!("<svg><![CDATA[a < b {long}"), 5),
        (format!("<plaintext>a < b {long}"), 0),
    ] {
        let page = read_within(&html, limits.clone());
        let [Warning::Cut { at: found, of, .. }] = page.warnings[..] else {
            panic!("{html}: {:?}", page.warnings);
        };
        assert_eq!((found, of), (at, html.len()), "{html}");
    }
}

#[test]
fn values_comments_and_scripts_do_not_count_as_tag_bytes() {
    let long = "x y ".repeat(50_000);
    for html in [
        format!("<img src='data:{long}'><p>after"),
        format!("<img alt=\"<a {long}\"><p>after"),
        format!("<!-- <a {long} --><p>after"),
        format!("<? <a {long} ?><p>after"),
        format!("<script>if (i<a {long}) f()</script><p>after"),
        format!("<svg><style><![CDATA[<a {long}]]></style></svg><p>after"),
    ] {
        let page = read(&html);
        assert_eq!(warnings(&page), [""; 0], "{}", &html[..20]);
        assert_eq!(page.blocks[0].text, "after", "{}", &html[..20]);
    }
}

#[test]
fn the_limit_of_a_tag_is_exact() {
    let limits = |tag_bytes| {
        let mut limits = PageLimits::default();
        limits.tag_bytes = tag_bytes;
        limits
    };
    let tag = format!("<p {}='value'>", "é".repeat(50));
    let length = tag.len() - "value".len();
    let html = format!("<p>a{tag}after");
    assert_eq!(read_within(&html, limits(length)).blocks.len(), 2);
    assert_eq!(
        read_within(&html, limits(length - 1)).warnings[0].as_str(),
        "tag_bytes_limit"
    );
}

#[test]
fn a_tag_of_too_many_attributes_ends_the_page() {
    let attributes: String = (0..1_025).map(|i| format!(" a{i}")).collect();
    let html = format!("<p>before</p><p{attributes}>after");
    let page = read(&html);
    assert_eq!(page.blocks.len(), 1);
    assert_eq!(
        warnings(&page),
        [format!(
            "attributes_per_tag_limit: cut at 13 of {}",
            html.len()
        )]
    );
}

#[test]
fn a_page_of_too_many_blocks_is_cut() {
    let html = "<p>x".repeat(100_001);
    let page = read(&html);
    assert_eq!(page.blocks.len(), 100_000);
    assert_eq!(page.warnings[0].as_str(), "blocks_limit");
    assert_eq!(read(&"<p>x".repeat(100_000)).warnings, []);
}

#[test]
fn a_block_of_too_many_characters_ends_the_page() {
    let mut limits = PageLimits::default();
    limits.block_chars = 5;
    let page = read_within(
        "<title>title</title><p>é<b>bé</b>d efg<p>after",
        limits.clone(),
    );
    assert_eq!(page.blocks.len(), 1);
    assert_eq!(page.blocks[0].text, "ébéd");
    assert_eq!(page.warnings[0].as_str(), "block_chars_limit");
    // Text after the one that did not fit is dropped, even if it would fit.
    let page = read_within("<svg><![CDATA[abcd efg\0h", limits.clone());
    assert_eq!(page.blocks[0].text, "abcd");
    assert_eq!(read_within("<p>ébéde <p>after", limits).warnings, []);
}

#[test]
fn a_page_of_too_many_bytes_is_cut_between_characters() {
    let mut limits = PageLimits::default();
    limits.page_bytes = 5;
    let page = read_within("<p>až and more", limits);
    assert_eq!(page.blocks[0].text, "a");
    assert_eq!(warnings(&page), ["page_bytes_limit: cut at 5 of 15"]);
    assert_eq!(page.charset_source.as_str(), "utf8");
}

#[test]
fn a_page_without_matching_tags_keeps_all_blocks() {
    let page = read(&"<b><div><a href=x><table><td><form><svg><p>x".repeat(10_000));
    assert_eq!(page.blocks.len(), 10_000);
    let page = read(&"</div></p></li></table></svg></a>x".repeat(10_000));
    assert_eq!(page.blocks.len(), 10_000);
    assert_eq!(page.warnings, []);
}

#[test]
fn classes_and_depth_share_the_limit_of_a_path() {
    let html: String = (0..20_000)
        .map(|i| format!("<div class='{}{i:x}'>x", "k ".repeat(40)))
        .collect();
    let page = read(&html);
    assert_eq!(page.blocks.len(), 20_000);
    assert!(page.blocks.iter().all(|block| block.dom_path.len() <= 1024));
}
