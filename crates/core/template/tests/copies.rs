//! Texts that are on a page more than once.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};
use template::Reason;

/// A page with its paragraphs twice, as for narrow and for wide screens.
fn page(name: &str) -> Sketch {
    let [first, second] = ["one", "two"].map(|part| prose(&format!("{name} {part}"), 120));
    page![
        name,
        format!("main@>h1 | {name}"),
        format!("main@>div.narrow@>p | {first}"),
        format!("main@>div.narrow@>p | {second}"),
        format!("main@>div.wide@>p | {first}"),
        format!("main@>div.wide@>p | {second}"),
        format!("main@>div.wide@>p | Read {name} twice."),
        format!("main@>div.wide@>p | Read {name} twice."),
    ]
}

#[test]
fn a_long_text_of_an_unknown_site_is_content_once() {
    let labelled = SketchSite::default().next_with_reasons(page("Storm"));
    let reasons: Vec<Reason> = labelled.into_iter().map(|(_, reason)| reason).collect();
    use Reason::{Copy, OwnTitle, Unique};
    let once = [OwnTitle, Unique, Unique, Copy, Copy];
    assert_eq!(reasons[..5], once);
    // Short lines are repeated as they are.
    assert_eq!(reasons[5..], [Unique; 2]);
}

/// Answers quote questions, and a reference has one explanation at two functions: on a known site the
/// pages tell what is content.
#[test]
fn copies_of_a_known_site_are_content() {
    let mut site = SketchSite::default();
    for number in 0..9 {
        site.next(page(&format!("Storm {number}")));
    }
    let labelled = site.next_with_reasons(page("Snow"));
    assert!(
        labelled.iter().all(|(_, reason)| reason.is_content()),
        "{labelled:?}"
    );
}

/// A copy off the main branch, such as one in a dialog, does not cost the article its text.
#[test]
fn a_copy_that_is_boilerplate_by_another_rule_does_not_count() {
    let story = prose("the story", 300);
    let kept = SketchSite::default().next(page![
        "Storm",
        format!("nav@>p | {story}"),
        "main@>h1 | Storm",
        format!("main@>p | {story}"),
    ]);
    assert_eq!(kept, ["Storm", &story]);
}
