//! Uses that a page and its response forbid.

use html_blocks::{BlockOptions, page_with};
use metadata::{MetadataReader, UseHeaders};

fn opt_out(head: &str, headers: UseHeaders<'_>) -> Vec<String> {
    let html = format!("<html><head>{head}</head><body><p>Trees fell on the road.</p>");
    let reader = MetadataReader::default();
    let page = page_with(html.as_bytes(), None, &BlockOptions::default(), reader);
    let (_, reader) = page.expect("the page is HTML");
    reader.opt_out(headers)
}

fn of_page(head: &str) -> Vec<String> {
    opt_out(head, UseHeaders::default())
}

fn of_header(x_robots_tag: &str) -> Vec<String> {
    let headers = UseHeaders {
        x_robots_tag: Some(x_robots_tag),
        ..UseHeaders::default()
    };
    opt_out("", headers)
}

#[test]
fn a_page_that_says_nothing_forbids_nothing() {
    assert!(of_page("<meta name=description content='noindex, noai'>").is_empty());
    assert!(of_page("<meta name=robots content='index, follow, max-snippet:-1, all'>").is_empty());
    assert!(of_page("<meta name=tdm-reservation content=0>").is_empty());
    assert!(of_header("all").is_empty());
}

#[test]
fn directives_of_meta_are_sorted_words() {
    let head = "<META NAME=Robots CONTENT=' NoIndex,NOAI,noimageai , nocache'>";
    assert_eq!(of_page(head), ["noai", "noarchive", "noimageai", "noindex"]);
    assert_eq!(
        of_page("<meta name=robots content=none>"),
        ["nofollow", "noindex"]
    );
}

#[test]
fn directives_for_one_crawler_have_its_name() {
    let head = "<meta name=googlebot content=noindex><meta name=GPTBot content='noai, nofollow'>";
    assert_eq!(
        of_page(head),
        ["googlebot: noindex", "gptbot: noai", "gptbot: nofollow"]
    );
}

#[test]
fn a_header_names_crawlers_before_a_colon() {
    let of_all = of_header("noindex, googlebot: nosnippet, noarchive, bingbot: noai");
    assert_eq!(
        of_all,
        [
            "bingbot: noai",
            "googlebot: noarchive",
            "googlebot: nosnippet",
            "noindex"
        ]
    );
    // In a second header, the crawler of the first one does not count.
    assert_eq!(
        of_header("googlebot: nosnippet\nnoai"),
        ["googlebot: nosnippet", "noai"]
    );
    // A date has commas and colons, and max-snippet is not a crawler.
    let dated = "unavailable_after: Mon, 25 Jun 2012 15:00:00 GMT, max-snippet: 0, noindex";
    assert_eq!(of_header(dated), ["noindex"]);
    assert_eq!(of_header("*: noai"), ["noai"]);
}

#[test]
fn page_and_response_both_count() {
    let headers = UseHeaders {
        x_robots_tag: Some("noai"),
        tdm_reservation: Some(" 1"),
    };
    assert_eq!(
        opt_out("<meta name=robots content='index, noarchive'>", headers),
        ["noai", "noarchive", "tdm-reservation"]
    );
    let reserved =
        "<meta name=TDM-Reservation content=1><meta name=tdm-policy content=http://a.example>";
    assert_eq!(of_page(reserved), ["tdm-reservation"]);
}

#[test]
fn a_hostile_header_gives_few_words() {
    let many: Vec<String> = (0..5000).map(|of| format!("bot{of}: noindex")).collect();
    assert_eq!(of_header(&many.join(", ")).len(), 100);
}
