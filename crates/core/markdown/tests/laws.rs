//! Laws for all pages: the text is kept, the structure is the page's, and it is stable.

use crate::common;

use common::{convert, everything, formulas, printed_again, rendered, rendered_with_math, text_of};
use markdown::MarkdownOptions;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// Text with all characters that mean something in Markdown.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zé中]{1,5}",
        Just(" ".to_owned()),
        prop::sample::select(vec![
            "*",
            "**",
            "_",
            "`",
            "```",
            "~",
            "~~~",
            "[",
            "]",
            "(",
            ")",
            "!",
            "&lt;",
            "&gt;",
            "&amp;",
            "#",
            "-",
            "+",
            "1.",
            "2)",
            "|",
            "=",
            ":",
            "\\",
            "&amp;amp;",
            "&lt;b&gt;",
            "---",
            "http://a.b/",
            ".",
            "^",
            "$",
            "$$",
            "\\alpha",
            "{",
            "}",
            "\u{200b}",
            "5",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

/// Markup, well-formed or not.
fn html() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec![
        "<p>",
        "</p>",
        "<div>",
        "</div>",
        "<ul>",
        "</ul>",
        "<ol>",
        "<ol start=7>",
        "</ol>",
        "<li>",
        "</li>",
        "<blockquote>",
        "</blockquote>",
        "<h2>",
        "</h2>",
        "<pre>",
        "</pre>",
        "<table>",
        "</table>",
        "<tr>",
        "<td>",
        "<td colspan=2>",
        "<th rowspan=3>",
        "</td>",
        "<b>",
        "</b>",
        "<i>",
        "</i>",
        "<del>",
        "</del>",
        "<code>",
        "</code>",
        "<a href='/x(1)'>",
        "</a>",
        "<span>",
        "</span>",
        "<br>",
        "<nav>",
        "</nav>",
        "<img src=i.png alt='*a*'>",
        "<a href=/l><img src=j.png alt=b></a>",
        "<svg>",
        "</svg>",
        "<dl>",
        "<dt>",
        "<dd>",
        "\n",
    ])
    .prop_map(str::to_owned);
    let piece = prop_oneof![3 => tag, 2 => text()];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A text without whitespace, and with formulas between dollars: what a conversion may not change.
fn letters(text: &str) -> String {
    let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let text = text.replace("\\(", "$").replace("\\)", "$");
    text.replace("\\[", "$$").replace("\\]", "$$")
}

/// A configuration with a fixed seed, so that every run checks the same pages.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(2013),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(fixed())]

    #[test]
    fn a_parser_reads_the_text_of_the_page(html in html()) {
        for options in [MarkdownOptions::default(), everything().with_images(false)] {
            let converted = convert(&html, &options);
            let expected = letters(&converted.texts.join("\n"));
            let read = rendered_with_math(&converted.markdown);
            prop_assert_eq!(letters(&text_of(&read)), expected.clone(), "{}\n{}", converted.markdown, read);
            if formulas(&converted.markdown).is_empty() {
                let read = rendered(&converted.markdown);
                prop_assert_eq!(letters(&text_of(&read)), expected, "{}\n{}", converted.markdown, read);
            }
        }
    }

    #[test]
    fn printing_again_changes_nothing(html in html()) {
        let markdown = convert(&html, &everything()).markdown;
        let again = printed_again(&markdown);
        prop_assert_eq!(rendered_with_math(&again), rendered_with_math(&markdown), "{}\n{}", markdown, again);
    }

    #[test]
    fn any_text_is_one_paragraph_one_item_one_cell(text in text()) {
        let shown = letters(&text_of(&text));
        prop_assume!(!shown.is_empty());
        for (before, after, expected) in [
            ("<p>", "", "<p>"),
            ("<h3>", "</h3>", "<h3>"),
            ("<ul><li>a<li>", "</ul>", "<ul><li>a</li><li>"),
            ("<table><tr><td>a<td>b<tr><td>c<td>", "</table>", "<td>c</td><td>"),
            ("<blockquote>", "", "<blockquote><p>"),
        ] {
            let markdown = convert(&format!("{before}{text}{after}"), &everything()).markdown;
            let read = rendered_with_math(&markdown).replace('\n', "");
            let found = read.split_once(expected);
            prop_assert!(found.is_some(), "{expected}: {markdown} {read}");
            let inner = found.unwrap_or_default().1.split_once("</").unwrap_or_default().0;
            prop_assert_eq!(letters(&text_of(inner)), shown.as_str(), "{}", markdown);
        }
    }

    #[test]
    fn words_of_plain_blocks_are_words_of_the_markdown(blocks in prop::collection::vec("[a-z]{1,6}( [a-z]{1,6}){0,4}", 1..8)) {
        let html: String = blocks.iter().map(|block| format!("<p>{block}</p><span>x</span>")).collect();
        let converted = convert(&html, &MarkdownOptions::default());
        let words: Vec<&str> = converted.markdown.split_whitespace().collect();
        let expected = converted.texts.join("\n");
        prop_assert_eq!(words, expected.split_whitespace().collect::<Vec<_>>());
    }
}
