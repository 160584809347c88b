//! The three phases of NCE, condition by condition. The constants are small, so that the
//! pages can be small.

use extractors::{Extraction, Extractor, Nce, NceParameters, Page, Site};

const SMALL: NceParameters = NceParameters {
    leaf_chars: 35,
    separator_chars: 80,
    sibling_chars: 30,
    sibling_link_density: 0.4,
    kept_link_density: 0.4,
    remove_comments: true,
    block_words_min: 4,
    block_words_max: 12,
    block_distance: 15,
    block_similarity: 0.6,
    title_words_min: 2,
    title_words_max: 6,
    title_overlap: 0.6,
};

// Sentences of 45 and 42 characters.
const FIRST: &str = "Tea is made of leaves that are dried at home.";
const SECOND: &str = "Water of the right heat makes it a drink.";

fn extract(html: &str, parameters: &NceParameters) -> Extraction {
    let page = Page::new("", html);
    Nce::new(parameters.clone())
        .extract(&page, &Site::default())
        .expect("there is text")
}

fn text(html: &str) -> String {
    extract(html, &SMALL).text
}

#[test]
fn the_separator_is_the_closest_ancestor_that_is_not_a_p() {
    // The first leaf of 35 characters is in a p. The p is skipped (i), although it has the
    // 80 characters of (ii).
    let html = format!(
        "<div>Menu</div><div><div><p>{FIRST} {SECOND}<p>{FIRST}</div><div>Foot</div></div>"
    );
    assert_eq!(text(&html), format!("{FIRST} {SECOND}\n{FIRST}"));
}

#[test]
fn a_separator_has_enough_text() {
    // 45 characters are too few for the inner div (ii); the outer one has 86.
    let html = format!("<div>Menu</div><div><div><p>{FIRST}</div><p>{SECOND}</div><div>Foot</div>");
    assert_eq!(text(&html), format!("{FIRST}\n{SECOND}"));
}

#[test]
fn a_separator_has_at_most_one_sibling_with_text() {
    let story = format!("<div><p>{FIRST}<p>{SECOND}</div>");
    let other = "<div>More than thirty characters of other text.</div>";
    let both = format!("{FIRST}\n{SECOND}");
    // With one such sibling the node is still the separator.
    assert_eq!(text(&format!("<main>{story}{other}</main>")), both);
    // With two (iii), the node above is the separator, and all its children are kept.
    let found = text(&format!("<main>{story}{other}{other}</main>"));
    assert_eq!(found.matches("other text").count(), 2);
    // A sibling whose text is a link does not count.
    let links = "<div><a href=/>More than thirty characters of link text.</a></div>";
    assert_eq!(
        text(&format!("<main>{story}{links}{links}{links}</main>")),
        both
    );
}

#[test]
fn children_of_the_separator_with_many_links_are_dropped() {
    // 4 of 9 characters are a link: .44.
    let html = format!("<div><p>{FIRST}<p>{SECOND}<p>four <a href=/>link</a><p>Foot</div>");
    assert_eq!(text(&html), format!("{FIRST}\n{SECOND}\nFoot"));
}

#[test]
fn without_a_separator_the_whole_page_is_kept() {
    let html =
        format!("<title>A long title that is not in the body</title><div>Menu</div><p>{FIRST}");
    assert_eq!(
        text(&html),
        format!("A long title that is not in the body\nMenu\n{FIRST}")
    );
    assert_eq!(
        text("<p>Too short a leaf<p>and another"),
        "Too short a leaf\nand another"
    );
}

fn comment(name: &str, day: usize) -> String {
    format!("<p>{name} wrote on May {day} <a href=#{day}>here</a></p><p>Yes, {name} likes it.</p>")
}

#[test]
fn three_similar_blocks_are_comments() {
    let page = |comments: &str| format!("<div><p>{FIRST}<p>{SECOND}{comments}</div>");
    let article = format!("{FIRST}\n{SECOND}");
    let three = [comment("Ann", 3), comment("Bob", 4), comment("Cid", 12)].concat();
    // Each has six words and shares wrote, on, May and here with the others, and the day
    // if it has as many digits: 2 * 4 / 12 = .67 at least.
    assert_eq!(text(&page(&three)), article);
    // Two comments may be chance.
    let two = [comment("Ann", 3), comment("Bob", 4)].concat();
    assert!(text(&page(&two)).ends_with("Yes, Bob likes it."));
    // Three blocks that are far apart are not linked.
    let far = three.replace("Yes,", &"<i>x</i>".repeat(20));
    assert!(text(&page(&far)).contains("Cid wrote"));
}

#[test]
fn comments_are_kept_without_phase_2() {
    let three = [comment("Ann", 3), comment("Bob", 4), comment("Cid", 12)].concat();
    let html = format!("<div><p>{FIRST}<p>{SECOND}{three}</div>");
    let parameters = NceParameters {
        remove_comments: false,
        ..SMALL
    };
    assert!(
        extract(&html, &parameters)
            .text
            .ends_with("Yes, Cid likes it.")
    );
}

#[test]
fn similar_blocks_before_the_body_are_not_comments() {
    let three = [comment("Ann", 3), comment("Bob", 4), comment("Cid", 12)].concat();
    // The text before has 18 characters and more, but not the 200 of a body.
    let html = format!("<div><p>Almost nothing yet{three}<p>{FIRST}<p>{SECOND}</div>");
    let parameters = NceParameters {
        separator_chars: 200,
        ..SMALL
    };
    assert!(extract(&html, &parameters).text.ends_with(SECOND));
}

#[test]
fn the_title_is_the_longest_node_before_the_body_with_its_words() {
    let page = |before: &str| format!("{before}<div><p>{FIRST}<p>{SECOND}</div>");
    // Three of four words of the h1 occur in the body. The menu has none of them, one
    // word is too few, and seven are too many.
    let before = "<title>Tea News</title><body><ul><li>About us and them</ul>
                  <h1>Tea is <b>a drink</b></h1><h2>Leaves</h2>
                  <h3>Tea is a drink of leaves dried</h3>";
    let found = extract(&page(before), &SMALL);
    assert_eq!(found.title.as_deref(), Some("Tea is a drink"));
    assert_eq!(found.text, format!("Tea is a drink\n{FIRST}\n{SECOND}"));
    // `title` is a candidate whatever its words are.
    let found = extract(
        &page("<title>Quite another thing</title><p>About us"),
        &SMALL,
    );
    assert_eq!(found.title.as_deref(), Some("Quite another thing"));
    assert_eq!(extract(&page(""), &SMALL).title, None);
}

#[test]
fn the_nodes_of_forest_and_title_are_counted() {
    // An h1 and two paragraphs, each with its text.
    let found = extract(
        &format!("<h1>Tea is a drink</h1><div><p>{FIRST}<p>{SECOND}</div>"),
        &SMALL,
    );
    assert_eq!(found.nodes, Some(6));
    assert_eq!(found.words, 4 + 10 + 9);
}
