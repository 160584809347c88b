//! Random pages of hostile parts: every method ends, gives the same result twice, and no word
//! that the page does not have.

use std::collections::HashSet;

use extractors::{ExtractError, Page, Site, extractors};
use proptest::prelude::*;

/// A part of a page.
fn part() -> impl Strategy<Value = String> {
    let tag = prop::sample::select(vec![
        "p",
        "div",
        "ul",
        "li",
        "table",
        "tr",
        "td",
        "a href=/1",
        "a href=/2 class=x",
        "b",
        "br",
        "h1",
        "h2",
        "title",
        "script",
        "style",
        "template",
        "svg",
        "select",
        "option",
        "frameset",
        "textarea",
        "noscript",
        "font color=red",
        "span id=a",
        "div class='a b'",
        "body",
        "html",
    ]);
    let text = prop::sample::select(vec![
        "Tea",
        " is a drink, of leaves. ",
        "2013",
        "&amp;",
        "&#0;",
        "<",
        "\u{0}",
        "чай",
        "茶。",
        "\u{202e}",
        "\n\t ",
        "Home | Login",
        "<!--",
        "-->",
        "]]>",
        "'\"",
        "=",
    ]);
    prop_oneof![
        3 => tag.clone().prop_map(|tag| format!("<{tag}>")),
        2 => tag.prop_map(|tag| format!("</{}>", tag.split(' ').next().unwrap_or_default())),
        4 => text.prop_map(str::to_owned),
        1 => "[ -%'-~]{0,12}",
    ]
}

/// Parts, of which a few are repeated many times.
fn page() -> impl Strategy<Value = String> {
    let repeated = (prop::collection::vec(part(), 1..6), 1_usize..400)
        .prop_map(|(parts, times)| parts.concat().repeat(times));
    let mixed = prop::collection::vec(part(), 0..40).prop_map(|parts| parts.concat());
    prop::collection::vec(prop_oneof![repeated, mixed], 0..5).prop_map(|parts| parts.concat())
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_method_ends_with_words_of_the_page(
        key in page(),
        others in prop::collection::vec(page(), 1..4),
    ) {
        let urls: Vec<String> = (0..others.len()).map(|n| format!("http://a.example/{n}")).collect();
        let site = || Site::new(urls.iter().zip(&others).map(|(u, h)| Page::new(u, h)).collect());
        let (first, second) = (site(), site());
        for method in extractors() {
            let extract = |site: &Site<'_>| {
                method.extract(&Page::new("http://a.example/key", &key), site)
            };
            let found = extract(&first);
            prop_assert_eq!(&found, &extract(&second), "{}", method.name());
            match found {
                Ok(found) => {
                    // A text without markup has its words in one piece or, of a method that cuts
                    // words at tags, in several; so the letters are compared.
                    let of_page: HashSet<char> = key.to_lowercase().chars().collect();
                    for word in words(&found.text) {
                        prop_assert!(
                            word.chars().all(|c| of_page.contains(&c)),
                            "{}: {word}", method.name()
                        );
                    }
                }
                Err(error) => prop_assert_eq!(error, ExtractError::NoText),
            }
        }
    }
}

#[test]
fn large_pages_of_equal_siblings_end() {
    // Every paragraph has its own words, so no subtree is identical, and all could be mapped to
    // all; the second page has the paragraphs in the opposite order.
    let paragraph = |n: usize| format!("<div><p>{n} a<p>{n} b<ul><li>{n}<li>{}</ul></div>", n + 1);
    let pages: Vec<String> = vec![
        (0..20_000).map(paragraph).collect(),
        (0..20_000).rev().map(paragraph).collect(),
        format!("<div>{}", "<div><p>a</p>".repeat(100_000)),
        (0..900).map(paragraph).collect(),
        (0..900).rev().map(paragraph).collect(),
    ];
    let urls: Vec<String> = (0..pages.len())
        .map(|n| format!("http://a.example/{n}"))
        .collect();
    let site = Site::new(
        urls.iter()
            .zip(&pages)
            .map(|(u, h)| Page::new(u, h))
            .collect(),
    );
    for method in extractors() {
        for (url, html) in urls.iter().zip(&pages) {
            let found = method.extract(&Page::new(url, html), &site);
            assert!(found.is_ok(), "{}", method.name());
        }
    }
}
