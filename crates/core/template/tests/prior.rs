//! Labels of pages of unknown sites, with models of a few trees.

#[macro_use]
#[allow(dead_code, reason = "each test uses a part of it")]
mod sketch;

use sketch::{Sketch, prose};
use template::prior::{Prior, Tree, Trees};
use template::{BlockCounts, Outline, Reason, Template};

/// A model for which long blocks are content and short ones are not, on lists or on articles.
fn long_is_content(is_list: bool) -> Prior {
    let long = Tree {
        // The binary logarithm of 60 characters, times eight.
        tests: vec![(0, 48)],
        leaves: vec![-1000, 1000],
    };
    let of_pages = if is_list { 1000 } else { -1000 };
    Prior {
        blocks: Trees {
            bias: 0,
            trees: vec![long],
        },
        pages: Trees {
            bias: of_pages,
            trees: Vec::new(),
        },
    }
}

/// A page with a menu, a story, and many offers beside it.
fn page() -> Sketch {
    page_of("nav", "main")
}

/// The same page with these elements around the menu and the story.
fn page_of(menu: &str, main: &str) -> Sketch {
    let mut lines = vec![
        format!("{menu}@>a | Home"),
        format!("{main}@>h1 | Trees"),
        format!("{main}@>div.text@>p | {}", prose("the story", 400)),
        format!("{main}@>div.text@>p | Print"),
    ];
    for offer in 0..15 {
        lines.push(format!(
            "section@{offer}>p | {}",
            prose(&format!("offer {offer}"), 90)
        ));
        lines.push(format!("section@{offer}>p | Offer {offer}"));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    Sketch::new("Trees", &lines)
}

/// The labels of the last of `pages` equal pages of a site, each with blocks of its own.
fn labels(page: &Sketch, pages: usize, prior: &Prior) -> Vec<Reason> {
    let blocks = page.blocks();
    let outline = Outline::new(&blocks);
    let ones = vec![1; blocks.len()];
    let counts = BlockCounts {
        pages: pages as u32,
        blocks: &ones,
    };
    let mut template = Template::default();
    for _ in 0..pages {
        template.insert(&template.page_paths(&outline, counts));
    }
    template.label_with(&outline, counts, prior)
}

#[test]
fn the_prior_drops_blocks_of_an_unknown_site_but_not_its_title() {
    let labels = labels(&page(), 1, &long_is_content(false));
    let expected = [
        Reason::SkipElement,
        Reason::OwnTitle,
        Reason::Unique,
        Reason::PriorBoilerplate,
    ];
    assert_eq!(labels[..4], expected);
    assert!(
        labels[4..]
            .iter()
            .all(|reason| *reason == Reason::OffMainBranch)
    );
}

#[test]
fn the_prior_keeps_dropped_blocks_of_a_list() {
    let labels = labels(&page(), 1, &long_is_content(true));
    for offer in labels[4..].chunks(2) {
        assert_eq!(offer, [Reason::PriorContent, Reason::OffMainBranch]);
    }
}

#[test]
fn a_page_without_elements_of_html_5_keeps_nothing_more() {
    let labels = labels(&page_of("div.menu", "div.main"), 1, &long_is_content(true));
    assert!(!labels.contains(&Reason::PriorContent), "{labels:?}");
}

#[test]
fn a_known_site_is_judged_by_itself() {
    let (page, none) = (page(), Prior::default());
    for prior in [long_is_content(false), long_is_content(true)] {
        assert_ne!(labels(&page, 9, &prior), labels(&page, 9, &none));
        assert_eq!(labels(&page, 10, &prior), labels(&page, 10, &none));
    }
}

#[test]
fn a_page_of_a_few_blocks_is_judged_by_the_rules() {
    let page = page![
        "Trees",
        "main@>h1 | Trees",
        format!("main@>p | {}", prose("the story", 400)),
        "main@>p | Print",
    ];
    let labels = labels(&page, 1, &long_is_content(false));
    assert_eq!(labels, [Reason::OwnTitle, Reason::Unique, Reason::Unique]);
}
