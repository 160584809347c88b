//! Labels of pages whose templates are difficult.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};
use template::Reason;

#[test]
fn the_first_page_of_a_site_is_separated_from_its_template() {
    let mut site = SketchSite::default();
    let story = prose("storms", 300);
    let kept = site.next(page![
        "Trees fell | The Daily Tree",
        "div.head@>h1 | The Daily Tree",
        "div.menu@>ul@>li | [Politics]",
        "div.menu@>ul@>li | [Weather]",
        "div.story@>h2 | Trees fell",
        format!("div.story@>p | {story}"),
        "div.side@>p | Subscribe to our letters from the wood",
        "footer@>p | All rights reserved, and some trees",
    ]);
    assert_eq!(kept, ["Trees fell", &story]);
}

#[test]
fn the_name_of_a_known_site_is_not_a_title() {
    let mut site = SketchSite::default();
    for day in ["one", "two", "three"] {
        let story = prose(day, 200);
        let kept = site.next(page![
            "The Daily Tree",
            "div.head@>h1 | The Daily Tree",
            format!("div.story@>p | {story}"),
        ]);
        if day == "three" {
            assert_eq!(kept, [story]);
        }
    }
}

/// Pages behind a paywall have the lead above a box with the rest of the article.
#[test]
fn a_lead_beside_the_rest_of_an_article_is_kept() {
    let mut site = SketchSite::default();
    let (lead, rest) = (prose("the lead", 120), prose("the rest", 400));
    let kept = site.next(page![
        "",
        "div.menu@>p | [Trees]",
        format!("div.body@>p | {lead}"),
        format!("div.body@>div.box@>p | {rest}"),
    ]);
    assert_eq!(kept, [lead, rest.clone()]);
    // A single line above the box belongs to the template.
    let kept = SketchSite::default().next(page![
        "",
        "div.body@>p | For members of the forest",
        format!("div.body@>div.box@>p | {rest}"),
    ]);
    assert_eq!(kept, [rest]);
}

/// A summary below the headline has a quarter of the text. On an unknown site it can be the
/// whole article, next to other articles. On a known site the main text is elsewhere, and the summary
/// is its lead.
#[test]
fn a_title_with_little_text_leads_on_an_unknown_site_only() {
    let mut site = SketchSite::default();
    let next = |site: &mut SketchSite, day: &str| {
        let (title, story) = (format!("Trees fell on day {day}"), prose(day, 300));
        let kept = site.next(page![
            title,
            format!("div.page@>div.head@>h1 | {title}"),
            format!(
                "div.page@>div.head@>p | {}",
                prose(&format!("summary {day}"), 90)
            ),
            format!("div.page@>div.story@>p | {story}"),
        ]);
        (kept.len(), kept.contains(&title), kept.contains(&story))
    };
    for day in ["one", "two", "three", "four"] {
        assert_eq!(next(&mut site, day), (2, true, false));
    }
    assert_eq!(next(&mut site, "five"), (3, true, true));
}

/// Gold standards disagree on captions. A caption that a site has on several pages is kept.
#[test]
fn a_caption_is_kept_once_another_page_has_one_there() {
    let mut site = SketchSite::default();
    let page = |day: &str| {
        page![
            "",
            format!("div.story@>p | {}", prose(day, 300)),
            format!("div.story@>figure@>figcaption | An oak on day {day}"),
        ]
    };
    let captions = ["one", "two"].map(|day| site.next_with_reasons(page(day)).swap_remove(1));
    let reasons = captions.map(|(_, reason)| reason);
    assert_eq!(reasons, [Reason::Caption, Reason::Unique]);
}

/// A page with infinite scroll contains further articles, one of them longer than its own.
#[test]
fn the_article_with_the_title_is_kept_of_several() {
    let mut site = SketchSite::default();
    let (own, other, third) = (prose("ash", 200), prose("oak", 500), prose("elm", 280));
    let kept = site.next(page![
        "The ash and its friends",
        "div.feed@>article@1>h1 | The ash and its friends",
        format!("div.feed@>article@1>p | {own}"),
        "div.feed@>article@2>h1 | The oak has none",
        format!("div.feed@>article@2>p | {other}"),
        "div.feed@>article@3>h1 | Elms are gone",
        format!("div.feed@>article@3>p | {third}"),
    ]);
    assert_eq!(kept, ["The ash and its friends", &own]);
}

/// On a list of records without a title, no record is the main text, and all are kept.
#[test]
fn the_main_branch_ends_above_equal_records() {
    let mut site = SketchSite::default();
    let parts = [prose("ash", 200), prose("oak", 210), prose("elm", 190)];
    let kept = site.next(page![
        "",
        "div.menu@>p | [Trees]",
        format!("div.list@>div.tree@1>p | {}", parts[0]),
        format!("div.list@>div.tree@2>p | {}", parts[1]),
        format!("div.list@>div.tree@3>p | {}", parts[2]),
    ]);
    assert_eq!(kept, parts);
}

#[test]
fn comments_longer_than_the_article_are_dropped() {
    let mut site = SketchSite::default();
    let story = prose("storms", 400);
    let kept = site.next(page![
        "",
        format!("div.main@>div.entry@>p | {story}"),
        format!(
            "div.main@>ol.Comment-list@>li | {}",
            prose("my opinion", 350)
        ),
        format!(
            "div.main@>ol.Comment-list@>li | {}",
            prose("your opinion", 350)
        ),
    ]);
    assert_eq!(kept, [story]);
}

/// Some whole pages are in a form, or below a class that says that comments are open.
#[test]
fn an_element_around_the_whole_page_is_not_skipped() {
    for around in ["form@", "div.comments-open@", "header@"] {
        let mut site = SketchSite::default();
        let story = prose("storms", 400);
        let labelled = site.next_with_reasons(page![
            "",
            format!("{around}>nav@>p | [Home]"),
            format!("{around}>div.entry@>p | {story}"),
            format!("{around}>p | Printed on wood"),
        ]);
        let reasons: Vec<Reason> = labelled.iter().map(|(_, reason)| *reason).collect();
        use Reason::{OffMainBranch, SkipElement, Unique};
        assert_eq!(reasons, [SkipElement, Unique, OffMainBranch], "{around}");
    }
}

/// A teaser repeats a paragraph of a story on the pages that link to the story.
#[test]
fn a_paragraph_quoted_on_other_pages_is_kept_in_its_story() {
    let mut site = SketchSite::default();
    let lead = prose("the great storm", 150);
    let story = |day: &str| format!("div.story@>p | {}", prose(day, 600));
    for day in ["one", "two", "three"] {
        let quoting = page!["", story(day), format!("div.more@>p | {lead}")];
        let kept = site.next(quoting);
        assert_eq!(kept, [prose(day, 600)]);
    }
    let own = page!["", format!("div.story@>p | {lead}"), story("four")];
    let reasons: Vec<Reason> = site
        .next_with_reasons(own)
        .into_iter()
        .map(|(_, reason)| reason)
        .collect();
    // All four pages have the paragraph, but little other text at its path repeats.
    assert_eq!(reasons, [Reason::ContentSlot, Reason::Unique]);
}

/// The last line of every story is in the main branch, and is boilerplate.
#[test]
fn a_line_below_every_story_is_dropped() {
    let mut site = SketchSite::default();
    let mut last = Vec::new();
    for day in ["one", "two", "three", "four", "five", "six"] {
        let story = prose(day, 300);
        let labelled = site.next_with_reasons(page![
            "",
            format!("div.story@>p | {story}"),
            "div.story@>div.sign@>p | The Daily Tree is printed on recycled leaves.",
        ]);
        last = labelled.into_iter().map(|(_, reason)| reason).collect();
    }
    assert_eq!(last, [Reason::Unique, Reason::FamiliarPath]);
}

#[test]
fn lists_of_links_are_dropped_and_linked_paragraphs_kept() {
    let mut site = SketchSite::default();
    let story = prose("storms", 300);
    let labelled = site.next_with_reasons(page![
        "",
        format!("div.story@>p | {story}"),
        "div.story@>p | [a storm of last year]",
        "div.story@>ul.related@>li | [Storms of the year]",
        "div.story@>ul.related@>li | [What trees do in storms]",
    ]);
    let reasons: Vec<Reason> = labelled.iter().map(|(_, reason)| *reason).collect();
    use Reason::{LinkSlot, Unique};
    assert_eq!(reasons, [Unique, Unique, LinkSlot, LinkSlot]);
}

/// One host has two blogs, and the second one has a new template.
#[test]
fn pages_of_a_second_template_get_their_own_main_branch() {
    let mut site = SketchSite::default();
    for number in 0..20 {
        let name = format!("storm {number}");
        let story = prose(&name, 300);
        let kept = site.next(page![
            format!("{name} | News"),
            "div.top@>p | News from the wood",
            format!("div.story@>h2 | {name}"),
            format!("div.story@>p | {story}"),
        ]);
        assert_eq!(kept.last(), Some(&story));
    }
    for number in 0..3 {
        let name = format!("poem {number}");
        let poem = prose(&name, 80);
        let kept = site.next(page![
            format!("{name} - Verse"),
            format!("table@>tr@>td.left@>p | {}", prose("the poets", 60)),
            format!("table@>tr@>td.right@>h3 | {name}"),
            format!("table@>tr@>td.right@>p | {poem}"),
        ]);
        assert_eq!(kept, [name, poem], "page {number} of the new template");
    }
}

/// The elements have neither classes nor ids.
#[test]
fn nested_tables_without_classes_are_labelled() {
    let mut site = SketchSite::default();
    let mut kept = Vec::new();
    let mut story = String::new();
    for day in ["one", "two", "three", "four"] {
        story = prose(day, 350);
        kept = site.next(page![
            "",
            "table@1>tr@1>td@1 | [Home]",
            "table@1>tr@1>td@1 | [Guestbook]",
            format!("table@1>tr@1>td@2>p | {story}"),
            "table@1>tr@1>td@3>p | You are visitor number one million",
            "p | Best viewed with trees",
        ]);
    }
    assert_eq!(kept, [story]);
}

/// The page has a line of text next to longer boxes that change from page to page.
#[test]
fn a_short_text_is_found_at_the_path_of_longer_ones() {
    let mut site = SketchSite::default();
    let side = |number: usize| prose(&format!("what else happened, part {number}"), 120);
    for number in 0..10 {
        site.next(page![
            "",
            format!(
                "div.page@>div.post@>p | {}",
                prose(&format!("day {number}"), 600)
            ),
            format!("div.page@>div.box@>p | {}", side(number)),
        ]);
    }
    let kept = site.next(page![
        "",
        "div.page@>div.post@>p | Nothing happened.",
        format!("div.page@>div.box@>p | {}", side(10)),
    ]);
    assert_eq!(kept, ["Nothing happened."]);
}

/// No rule depends on words, sentences or spaces.
#[test]
fn a_script_without_spaces_is_labelled() {
    let mut site = SketchSite::default();
    for number in 0..4 {
        let kept = site.next(page![
            format!("嵐の夜 {number} - 木の日記"),
            "div.menu@>ul@>li | [日記]",
            format!("div.main@>h2 | 嵐の夜 {number}"),
            format!("div.main@>p | {number} 今夜は風が強くて、森の木がたくさん倒れた。明日の朝、見に行くつもりだ。"),
            "div.side@>p | 木について書いています",
        ]);
        assert_eq!(kept.len(), 2, "{kept:?}");
        assert!(kept[1].contains("今夜は風が強くて"));
    }
}
