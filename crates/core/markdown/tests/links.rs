//! Links and images: absolute addresses, and nothing without a text.

use crate::common;

use common::{at, convert_at, of, rendered};
use markdown::MarkdownOptions;

const PAGE: &str = "https://www.tea.example/tr/leaves/green.html?page=2";

#[test]
fn links_and_images_are_absolute() {
    let html = "<p>See <a href='../user/238.html'>Ann</a>, <a href=/all>all</a>, <a href='?page=3'>more</a>, \
                <a href='#brew'>brewing</a>, <a href='//cdn.example/x'>a file</a> and \
                <a href='mailto:ann@tea.example'>mail</a> <img src=img/leaf.png alt=leaf>.";
    assert_eq!(
        at(PAGE, html),
        "See [Ann](https://www.tea.example/tr/user/238.html), [all](https://www.tea.example/all), \
         [more](https://www.tea.example/tr/leaves/green.html?page=3), \
         [brewing](https://www.tea.example/tr/leaves/green.html?page=2#brew), \
         [a file](https://cdn.example/x) and [mail](mailto:ann@tea.example) \
         ![leaf](https://www.tea.example/tr/leaves/img/leaf.png) .\n"
    );
}

#[test]
fn the_first_base_element_with_an_address_is_the_base() {
    let link = "<p>See <a href=leaf>the leaf</a>";
    let base = |head: &str| at(PAGE, &format!("<head>{head}</head>{link}"));
    let resolved = |to: &str| format!("See [the leaf]({to})\n");
    for (head, to) in [
        ("<base href=/shop/>", "https://www.tea.example/shop/leaf"),
        (
            "<base target=_top><base href='http://old.example/a/b'><base href=/c/>",
            "http://old.example/a/leaf",
        ),
        (
            "<base href='javascript:x'>",
            "https://www.tea.example/tr/leaves/leaf",
        ),
        (
            "<base href=''><base href=/c/>",
            "https://www.tea.example/tr/leaves/leaf",
        ),
    ] {
        assert_eq!(base(head), resolved(to), "{head}");
    }
    // It counts for the links before it too.
    let late = at(PAGE, &format!("{link}<base href=/shop/>"));
    assert_eq!(late, resolved("https://www.tea.example/shop/leaf"));
}

#[test]
fn links_of_a_page_without_an_address_stay_as_written() {
    assert_eq!(
        of("<p>See <a href=../leaf>the leaf</a>"),
        "See [the leaf](../leaf)\n"
    );
}

#[test]
fn a_link_that_leads_nowhere_is_its_text() {
    for href in [
        "javascript:void(0)",
        " JaVaScript:open()",
        "java&#10;script:open()",
        "data:text/html,x",
        "vbscript:x",
        "blob:https://a.example/1",
        "file:///etc/passwd",
        "about:blank",
        "http://[",
        "https://",
        "",
    ] {
        let html = format!("<p>Tea <a href=\"{href}\">of <b>today</b></a>.");
        assert_eq!(at(PAGE, &html), "Tea of **today**.\n", "{href}");
    }
}

#[test]
fn a_link_without_text_is_not_written() {
    for inside in [
        "",
        " ",
        "\u{200b}",
        "&#8288;",
        "&shy;",
        "<b></b>",
        "<b>&#xfeff;</b>",
        "<img src=i.png>",
        "<img src='data:image/gif;base64,AA' alt=leaf>",
        "<i class=icon></i>",
    ] {
        let html = format!("<h2>Brewing<a class=hash-link href='#brew'>{inside}</a></h2><p>Hot");
        let written = at(PAGE, &html);
        assert!(!written.contains("]("), "{inside}: {written}");
        assert_eq!(rendered(&written).matches("<a").count(), 0, "{inside}");
    }
}

#[test]
fn an_image_in_a_link_is_a_linked_image() {
    let html = "<p>First.</p><a href=/cup><img src=cup.png alt='A [cup]'></a><p>See <a href=/pot><img src=pot.png alt=pot></a> \
                now, <a href=/tea>a <img src=tea.png alt=tea> here</a>.";
    let written = at("http://tea.example/", html);
    assert_eq!(
        written,
        "First.\n\n[![A \\[cup\\]](http://tea.example/cup.png)](http://tea.example/cup)\n\n\
         See [![pot](http://tea.example/pot.png)](http://tea.example/pot) now, \
         [a ![tea](http://tea.example/tea.png) here](http://tea.example/tea).\n"
    );
    let read = rendered(&written);
    assert_eq!(read.matches("<a href").count(), 3, "{read}");
    assert_eq!(read.matches("<img").count(), 3, "{read}");
    let images = MarkdownOptions::default().with_images(true);
    let written = convert_at("http://tea.example/", html, &images).markdown;
    assert!(written.contains("![pot](http://tea.example/pot.png) now"));
    assert_eq!(rendered(&written).matches("<a").count(), 0, "{written}");
    // Without images, a link that has one alone has no text.
    let links = MarkdownOptions::default().with_links(true);
    let written = convert_at("http://tea.example/", html, &links).markdown;
    assert_eq!(
        written,
        "First.\n\nSee now, [a here](http://tea.example/tea).\n"
    );
}

/// An address can have every character that ends a link in Markdown.
#[test]
fn an_address_is_read_back_as_it_was() {
    let html = "<p><a href='/a b_(c)?x=1&amp;lt=2&amp;y=[z]|\"*~`#f'>Tea</a> <a href='/чай'>чай</a> costs $5";
    let read = rendered(&at("http://tea.example/", html));
    let of_href = |part: &str| part.split('"').next().map(str::to_owned);
    let hrefs: Vec<String> = (read.split("href=\"").skip(1))
        .filter_map(of_href)
        .collect();
    assert_eq!(
        hrefs,
        [
            "http://tea.example/a%20b_%28c%29?x=1&amp;lt=2&amp;y=%5Bz%5D%7C%22%2A%7E%60#f",
            "http://tea.example/%D1%87%D0%B0%D0%B9",
        ]
    );
}

#[test]
fn links_are_not_written_unless_they_are_asked_for() {
    let html = "<p>See <a href=/leaf>the leaf</a> <img src=i.png alt=leaf> now.";
    let written = convert_at(PAGE, html, &MarkdownOptions::default()).markdown;
    assert_eq!(written, "See the leaf now.\n");
}
