//! Labels of pages of unknown sites, with nets that know one thing.

use crate::sketch;

use sketch::{Sketch, prose};
use template::prior::{CHANNELS, Net, Nets, PageKind};
use template::{BlockCounts, Outline, Reason, Template};

/// Nets for which long blocks are content with a logit in 1/256, and short ones surely are not, on lists
/// or on articles.
fn long_is_content(is_list: bool, logit: f32) -> Nets {
    let mut net = Net::default();
    // The first number is the binary logarithm of the characters, times eight: 48 are 60 characters.
    net.scales[0].values[0] = 48.0;
    net.scales[1].values[0] = 1.0;
    // The first channel has what is above, the second what is below.
    net.reads.values[..2].copy_from_slice(&[1.0, -1.0]);
    // A block with one channel is scaled to the root of the channels.
    let weights = [logit, -SURE].map(|logit| logit / 256.0 / (CHANNELS as f32).sqrt());
    net.logit[0].values[..2].copy_from_slice(&weights);
    let kind = if is_list {
        PageKind::Listing
    } else {
        PageKind::Article
    };
    net.kinds[1].values[kind as usize] = 1.0;
    Nets(vec![net])
}

/// Too little for a block that the rules drop on an article.
const UNSURE: f32 = 60.0;
/// Too little for a page of a site of nine.
const RATHER_SURE: f32 = 300.0;
const SURE: f32 = 1000.0;

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
fn labels(page: &Sketch, pages: usize, nets: &Nets) -> Vec<Reason> {
    labels_of(page, pages, &vec![1; page.blocks().len()], nets)
}

/// The labels of the last of `pages` equal pages, whose blocks are on `counts` pages.
fn labels_of(page: &Sketch, pages: usize, counts: &[u32], nets: &Nets) -> Vec<Reason> {
    let blocks = page.blocks();
    let outline = Outline::new(&blocks);
    let counts = BlockCounts {
        pages: pages as u32,
        blocks: counts,
        first: &(0..blocks.len()).collect::<Vec<_>>(),
    };
    let mut template = Template::default();
    for _ in 0..pages {
        template.insert(&template.page_paths(&outline, counts));
    }
    template.label_with(&outline, counts, nets)
}

#[test]
fn the_prior_drops_blocks_of_an_unknown_site_but_not_its_title() {
    let labels = labels(&page(), 1, &long_is_content(false, UNSURE));
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

/// The rules keep ten short lines, and the prior all else, which on an article is too unsure.
#[test]
fn the_prior_does_not_take_all_text_of_a_page() {
    let line = |at: usize| format!("main@>p | {}", prose(&format!("line {at}"), 50));
    let mut lines = vec!["nav@>a | Home".to_owned(), "main@>h1 | Trees".to_owned()];
    lines.extend((0..10).map(line));
    lines.extend(
        (0..20).map(|at| format!("section@{at}>p | {}", prose(&format!("offer {at}"), 70))),
    );
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let page = Sketch::new("Trees", &lines);
    let article = labels(&page, 1, &long_is_content(false, UNSURE));
    assert_eq!(article[2..12], [Reason::Unique; 10]);
    let list = labels(&page, 1, &long_is_content(true, UNSURE));
    assert_eq!(list[2..12], [Reason::PriorBoilerplate; 10]);
}

#[test]
fn the_prior_keeps_dropped_blocks_of_a_list() {
    let labels = labels(&page(), 1, &long_is_content(true, UNSURE));
    for offer in labels[4..].chunks(2) {
        assert_eq!(offer, [Reason::PriorContent, Reason::OffMainBranch]);
    }
}

#[test]
fn a_sure_block_is_kept_on_every_kind_of_page() {
    let labels = labels(&page(), 1, &long_is_content(false, SURE));
    for offer in labels[4..].chunks(2) {
        assert_eq!(offer, [Reason::PriorContent, Reason::OffMainBranch]);
    }
}

#[test]
fn comments_of_an_article_stay_boilerplate_however_sure_the_prior_is() {
    let comments = (0..20).map(|at| {
        let text = prose(&format!("comment {at}"), 90);
        format!("section.comments>p | {text}")
    });
    let mut lines = vec![
        "nav@>a | Home".to_owned(),
        "main@>h1 | Trees".to_owned(),
        format!("main@>p | {}", prose("the story", 400)),
    ];
    lines.extend((0..10).map(|at| format!("main@>p | {}", prose(&format!("part {at}"), 300))));
    lines.extend(comments);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let labels = labels(
        &Sketch::new("Trees", &lines),
        1,
        &long_is_content(false, SURE),
    );
    assert!(!labels.contains(&Reason::PriorContent), "{labels:?}");
    assert_eq!(
        labels
            .iter()
            .filter(|one| **one == Reason::Comments)
            .count(),
        20
    );
}

#[test]
fn a_page_without_elements_of_html_5_keeps_nothing_more() {
    for logit in [UNSURE, SURE] {
        let page = page_of("div.menu", "div.main");
        let labels = labels(&page, 1, &long_is_content(true, logit));
        assert!(!labels.contains(&Reason::PriorContent), "{labels:?}");
    }
}

/// Each page says more about the template, so the prior must be surer to overturn it.
#[test]
fn the_prior_yields_as_pages_are_known() {
    let page = page();
    let net = long_is_content(false, RATHER_SURE);
    let kept = |pages| labels(&page, pages, &net).contains(&Reason::PriorContent);
    assert_eq!([1, 4, 9].map(kept), [true, true, false]);
}

/// An endless scroll: other pages have the articles below the page's own.
#[test]
fn known_other_articles_stay_boilerplate_however_sure_the_prior_is() {
    let mut lines = vec!["nav@>a | Home".to_owned()];
    for article in 0..4 {
        let name = ["Trees", "Ships", "Kites", "Wells"][article];
        lines.push(format!("main@>div.post@{article}>h1 | {name}"));
        lines.extend((0..10).map(|at| {
            let text = prose(&format!("part {at} of {name}"), 300);
            format!("main@>div.post@{article}>p | {text}")
        }));
    }
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let page = Sketch::new("Trees", &lines);
    // The menu, the article with its heading, and the articles that one other page has.
    let counts: Vec<u32> = (0..lines.len())
        .map(|at| [6, 1, 2][usize::from(at > 0) + usize::from(at > 11)])
        .collect();
    for is_list in [false, true] {
        let prior = long_is_content(is_list, SURE);
        let labels = labels_of(&page, 6, &counts, &prior);
        assert_eq!(labels[11], Reason::Unique);
        assert!(labels[12..].iter().all(|one| *one == Reason::OffMainBranch));
    }
}

#[test]
fn a_known_site_is_judged_by_itself() {
    let (page, none) = (page(), Nets::default());
    for (is_list, known) in [(false, 10), (true, 30)] {
        let prior = long_is_content(is_list, UNSURE);
        let before = known - 1;
        assert_ne!(labels(&page, before, &prior), labels(&page, before, &none));
        assert_eq!(labels(&page, known, &prior), labels(&page, known, &none));
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
    let labels = labels(&page, 1, &long_is_content(false, UNSURE));
    assert_eq!(labels, [Reason::OwnTitle, Reason::Unique, Reason::Unique]);
}

/// Its numbers would take more memory than a page may.
#[test]
fn a_page_of_ten_thousand_blocks_is_judged_by_the_rules() {
    let lines: Vec<String> = (0..10_000)
        .map(|at| format!("main@>p | Line {at}"))
        .collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let page = Sketch::new("Trees", &lines);
    let labels = labels(&page, 1, &long_is_content(false, UNSURE));
    assert!(!labels.contains(&Reason::PriorBoilerplate));
}

#[test]
fn a_net_that_knows_nothing_changes_nothing() {
    let page = page();
    let blocks = page.blocks();
    let outline = Outline::new(&blocks);
    let counts = BlockCounts {
        pages: 1,
        blocks: &vec![1; blocks.len()],
        first: &(0..blocks.len()).collect::<Vec<_>>(),
    };
    let mut template = Template::default();
    template.insert(&template.page_paths(&outline, counts));
    let judged = template.label_with(&outline, counts, &Nets::default());
    assert_eq!(judged, template.rules(&outline, counts));
}
