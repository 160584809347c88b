//! Pages of a site with one text under several addresses.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};
use template::{BlockCounts, Outline, Reason, Template};

/// A page with a menu, a title, a text and a notice.
fn page(title: &str, text: &str, notice: &str) -> Sketch {
    page![
        title,
        "nav@>a | Home",
        format!("main@>h1 | {title}"),
        format!("main@>p | {text}"),
        format!("div.notice@>p | {notice}"),
    ]
}

/// The reasons of the last of some pages of a site.
fn last(pages: Vec<Sketch>) -> Vec<Reason> {
    let mut site = SketchSite::default();
    let labelled = pages.into_iter().map(|page| site.next_with_reasons(page));
    let last = labelled.last().expect("a page");
    last.into_iter().map(|(_, reason)| reason).collect()
}

#[test]
fn one_text_at_two_addresses_is_no_template() {
    let story = || page("Trees", &prose("the story", 400), "All rights reserved.");
    let alone = last(vec![story()]);
    assert_eq!(last(vec![story(), story()]), alone);
    let other = page("Ships", &prose("another", 400), "All rights reserved.");
    let reasons = last(vec![other, story(), story()]);
    assert_eq!(reasons[1..3], alone[1..3]);
    assert!(!reasons[0].is_content() && !reasons[3].is_content());
}

/// Most of their text is equal, but their titles differ.
#[test]
fn a_notice_that_ends_all_pages_is_one() {
    let notice = prose("the notice", 900);
    let of = |title: &str| page(title, &prose(title, 200), &notice);
    let reasons = last(vec![of("Trees"), of("Ships"), of("Kites")]);
    assert!(reasons[2].is_content());
    assert!(!reasons[3].is_content());
}

/// A revision is labelled and not counted: two pages have its title, and none has its text.
#[test]
fn a_page_that_is_not_counted_has_no_twins() {
    let page = page("Trees", &prose("the story", 400), "All rights reserved.");
    let blocks = page.blocks();
    let counts = BlockCounts {
        pages: 2,
        blocks: &[2, 2, 0, 2],
        first: &[0, 1, 2, 3],
    };
    let labels = Template::default().label(&Outline::new(&blocks), counts);
    assert!(labels[2].is_content());
}
