//! A unit has one label, and what a reader does not see is none.

use crate::sketch;

use sketch::{Sketch, SketchSite, prose};
use template::Reason;

fn reasons(page: Sketch) -> Vec<Reason> {
    let labelled = SketchSite::default().next_with_reasons(page);
    labelled.into_iter().map(|(_, reason)| reason).collect()
}

/// An error that a script would show. An article that is hidden until a script runs is the article.
#[test]
fn a_short_hidden_text_is_dropped_and_a_long_one_is_not() {
    let [story, other] = ["story", "other"].map(|of| prose(of, 300));
    let short = reasons(page![
        "Storm",
        "div.page@>h1 | Storm",
        format!("div.page@>p | {story}"),
        "div.page@>div.note[hidden]@>p | Please enter a valid address.",
        format!("div.page@>p | {other}"),
    ]);
    use Reason::{Hidden, OwnTitle, Unique};
    assert_eq!(short, [OwnTitle, Unique, Hidden, Unique]);
    let long = reasons(page![
        "Storm",
        "div.page@>h1 | Storm",
        format!("div.page@>div.answer[hidden]@>p | {story}"),
        format!("div.page@>div.answer[hidden]@>p | {other}"),
    ]);
    assert_eq!(long, [OwnTitle, Unique, Unique]);
}

/// The daily report of a place where little happens.
#[test]
fn sentences_that_differ_in_figures_are_no_copies() {
    let report = |day: usize| {
        format!(
            "div.page@>p | On this day the harbour had {day} ships, {} boats and a ferry, and the wind \
             came from the west with {} knots, as on most days of the year.",
            day * 3,
            day + 7
        )
    };
    let lines: Vec<String> = (1..9).map(report).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_eq!(SketchSite::default().next(Sketch::new("", &lines)).len(), 8);
    let twice = [lines[0], lines[1], lines[0]];
    assert_eq!(SketchSite::default().next(Sketch::new("", &twice)).len(), 2);
}

#[test]
fn a_sentence_and_a_heading_that_are_links_are_text() {
    let [first, second] = ["first", "second"].map(|of| prose(of, 300));
    let linked = "All of it is in the report of the harbour, which was printed in spring, and in the papers.";
    let kept = SketchSite::default().next(page![
        "",
        format!("div.page@>p | {first}"),
        "div.page@>h2 | [Where the ferry went]",
        format!("div.page@>p | {second}"),
        format!("div.page@>div.wrap@>p | [{linked}]"),
        "div.page@>div.wrap@>p | [More of the harbour]",
    ]);
    assert_eq!(kept, [&first, "Where the ferry went", &second, linked]);
}

/// The lines of a paragraph, and the cells of a row.
#[test]
fn a_unit_is_kept_or_dropped_as_a_whole() {
    let mut site = SketchSite::default();
    for day in 0..12_usize {
        let story = prose(&format!("story {day}"), 300);
        let line = prose(&format!("line {day}"), 60);
        let name = prose(&format!("name {day}"), 20);
        let kept = site.next(page![
            "",
            format!("div.page@>p | {story}"),
            "div.page@>p@1 | Yours faithfully,",
            format!("div.page@>p@1 | {line}"),
            "div.page@>table@>tr@1>td | Ship",
            format!("div.page@>table@>tr@1>td | {name}"),
            "div.page@>table@>tr@2>td | Flag of the ship",
            "div.page@>table@>tr@2>td | None",
        ]);
        if day > 5 {
            let expected = [&story, "Yours faithfully,", &line, "Ship", &name];
            assert_eq!(kept, expected, "{day}");
        }
    }
}

/// The first row of a table is its head, wherever the body begins.
#[test]
fn the_head_of_a_table_is_on_the_main_branch() {
    let rows = (1..20).map(|row| {
        format!(
            "div.page@>table@>tbody@>tr@{row}>td | {}",
            prose(&format!("film {row}"), 90)
        )
    });
    let mut lines = vec![
        "div.page@>table@>caption | Films of the harbour".to_owned(),
        "div.page@>table@>thead@>tr@>th | Title and year".to_owned(),
    ];
    lines.extend(rows);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let kept = SketchSite::default().next(Sketch::new("", &lines));
    assert_eq!(kept[..2], ["Films of the harbour", "Title and year"]);
}
