//! Every page gives the same blocks as with the reference.

use conformance::material;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use super::{Outcome, difference};
use crate::tokenizer::{Until, tokenize};
use crate::{BlockOptions, Joining, PageLimits, SplitList};

/// Reads a page, and checks that the reference gives the same result.
#[track_caller]
pub(super) fn read_as_reference(page: &str, options: &BlockOptions) -> Outcome {
    assert_eq!(difference(page, options), None, "{page:?}");
    let found = Outcome::found(page, options);
    let title = tokenize(page, options, Until::Title, ()).0.title;
    assert_eq!(title, found.title, "{page:?} for its title");
    found
}

/// Constructs of every kind, complete and cut by the end of the page.
const PAGES: &[&str] = &[
    "<!doctype html><title>A &amp; B</title><p class='x y'>One <b>tw</b>o\r\n three&nbsp;&copy 4",
    "<p>é&eacute;ž&#x17e;日本<br>\u{1f600}</p><a href='?a=1&b=<c>'>l&lt;</a> <a>m</a>",
    "<script>if (a<b) { '</p></scr' }<!-- <script> </script> --></script>x<style></sty</style>",
    "<!-- a <b> --x--!> y <!-- --><?php <i> ?><![CDATA[z]]></><//>< p>a < b<<p>c</ d>e&l<p>f",
    "<svg><title>t</title><text><![CDATA[a ]] > <b]]></text></svg><math><mi>x</mi></math>",
    "<textarea>\n<b>&lt;</textare</textarea><xmp>&lt;<</xmp><p title=\"a'>\" x=y/>\r\r\ng",
    "<p>x<!-- y",
    "<p>x<a href='y",
    "<p>x<script>y</scr",
    "<p>x</",
    "<p>x<",
    "x&am",
    "x\r",
    "<p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa>x<p>y",
    "<p a='aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'>x<p>y",
    "<!-- <p aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa -->x<p>y",
    "<p>1<p>2<p>3<p>4<p>5<p>6<p>7<p>8<p>9",
    "<p>a text that is far too long for a block<p>y",
    "<p>x<p a b c d e f g>y<p>z",
    "<p>x<p a b c d e f\0 F\u{fffd} A>y<p>z",
    "<div><div><div><div><div>x</div>y<title>z",
    "a\u{feff}<p>\u{feff}b",
];

/// Limits that these pages reach.
fn tight_limits() -> PageLimits {
    PageLimits {
        attributes_per_tag: 6,
        blocks: 8,
        block_chars: 30,
        depth: 4,
        ..PageLimits::default()
    }
}

#[test]
fn constructs_give_the_blocks_of_the_reference() {
    let options = [
        BlockOptions {
            limits: tight_limits(),
            ..BlockOptions::default()
        },
        BlockOptions {
            limits: tight_limits(),
            split: SplitList::Original,
            joining: Joining::Spaced,
            ..BlockOptions::default()
        },
        BlockOptions::default(),
    ];
    let mut cut = 0;
    for options in &options {
        for page in PAGES {
            cut += usize::from(read_as_reference(page, options).cut.is_some());
        }
    }
    assert!(cut >= 6, "{cut} pages were cut");
}

#[test]
fn real_pages_give_the_blocks_of_the_reference() {
    let test = "real_pages_give_the_blocks_of_the_reference";
    let Some(vectors) = material(test, "vectors/html") else {
        return;
    };
    let mut pages = 0;
    for file in ["inputs.jsonl", "real_inputs.jsonl"] {
        let lines = std::fs::read_to_string(vectors.join(file)).expect("a file of pages");
        for line in lines.lines() {
            let page: serde_json::Value = serde_json::from_str(line).expect("a line is JSON");
            let page = page["html"].as_str().expect("a page");
            for split in [SplitList::Html, SplitList::Original] {
                let options = BlockOptions {
                    split,
                    ..BlockOptions::default()
                };
                read_as_reference(page, &options);
            }
            pages += 1;
        }
    }
    assert!(pages >= 70, "{pages} pages");
}

/// Parts of constructs. Most of them have another meaning after another part.
const PARTS: &[&str] = &[
    "<",
    ">",
    "/",
    "!",
    "?",
    "-",
    "--",
    "=",
    "\"",
    "'",
    "&",
    ";",
    "#",
    " ",
    "\n",
    "\r",
    "\0",
    "]",
    "]]>",
    "<p",
    "<p>",
    "</p>",
    "<a href=",
    "</a>",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "--!>",
    "<!doctype",
    "<![CDATA[",
    "<script",
    "<script>",
    "</script>",
    "</scr",
    "<style>",
    "</style>",
    "<title>",
    "</title>",
    "<textarea>",
    "</textarea>",
    "<xmp>",
    "</xmp>",
    "<noscript>",
    "</noscript>",
    "<iframe>",
    "</iframe>",
    "<plaintext>",
    "<svg>",
    "</svg>",
    "<math>",
    "<mi>",
    "<template>",
    "</template>",
    "<table>",
    "<td>",
    "</table>",
    "<li>",
    "<div class=c>",
    "</div>",
    "&amp",
    "&am",
    "&notit;",
    "&#x4",
    "&#",
    "x",
    "y z",
    "\u{e9}",
    "\u{1f600}",
    "\u{feff}",
    " a=b",
    " c",
];

fn limits() -> impl Strategy<Value = PageLimits> {
    let tight = (0..6_usize, 0..6_usize, 1..20_usize, 0..5_usize).prop_map(
        |(attributes_per_tag, blocks, block_chars, depth)| PageLimits {
            attributes_per_tag,
            blocks,
            block_chars,
            depth,
            ..PageLimits::default()
        },
    );
    prop_oneof![1 => Just(PageLimits::default()), 1 => tight]
}

/// Names of elements, some of them not in lower case.
const ELEMENTS: &[&str] = &[
    "p",
    "div",
    "DIV",
    "span",
    "a",
    "b",
    "li",
    "ul",
    "table",
    "tr",
    "td",
    "h1",
    "h2",
    "form",
    "button",
    "option",
    "select",
    "nav",
    "section",
    "x-card",
    "st1:City",
    "svg",
    "g",
    "title",
    "foreignObject",
    "math",
    "mi",
    "template",
    "textarea",
    "noscript",
    "iframe",
    "br",
    "img",
    "hr",
    "é",
    "Blockquote",
];

const TEXTS: &[&str] = &[
    "word",
    " ",
    "two words",
    " 1 < 2 ",
    "a&amp;b",
    "&nbsp;",
    "&eacute",
    "&#8220;",
    "&#x1F600;",
    "&notin",
    "R&D",
    "?a=1&copy=2",
    "é \u{a0} ž",
    "日本語",
    "\r\n\t",
    "\0",
    "-->",
    "]]>",
    "\"",
];

const VALUES: &[&str] = &[
    "",
    "x",
    "one two one",
    "c1 c2",
    "/path?a=1&amp;b=2",
    "&lt;p&gt",
    "a.b>c",
    "é",
    "\0",
    "<b>",
];

/// Markup as authors write it: attributes in every notation, raw text elements, comments and
/// references. Some are incomplete.
fn construct() -> impl Strategy<Value = String> {
    let attribute = (
        select(vec!["class", "CLASS", "href", "name", "id", "data-x", "é"]),
        select(VALUES),
        select(vec![
            "='#'", "=\"#\"", " = '#' ", "=#", "", "=", " ", "='#'/",
        ]),
    );
    let attribute = attribute
        .prop_map(|(name, value, notation)| format!(" {name}{}", notation.replace('#', value)));
    let tag = (
        select(ELEMENTS),
        vec(attribute, 0..4),
        select(vec![">", ">", ">", " >", "/>", "\n>", ""]),
    );
    let start =
        tag.prop_map(|(name, attributes, end)| format!("<{name}{}{end}", attributes.concat()));
    let end = (
        select(ELEMENTS),
        select(vec![">", ">", ">", " >", " x='>'>", ""]),
    )
        .prop_map(|(name, end)| format!("</{name}{end}"));
    let scripts = vec![
        "if (a < b) { x('<p>') }",
        "<!--\nx\n//-->",
        "<!-- <script> x </script> -->",
        "'</scripty>'",
        "<!-- <script> ",
        "<!--> <script>",
        "&amp;",
        "\0",
    ];
    let script = (
        select(vec![
            "script", "style", "Title", "textarea", "noscript", "xmp", "iframe",
        ]),
        select(scripts),
        select(vec!["</#>", "</#>", "</# >", "</#", "</#/>", "</p>"]),
    );
    let script =
        script.prop_map(|(name, text, end)| format!("<{name}>{text}{}", end.replace('#', name)));
    let comments = vec![
        "<!-- x -->",
        "<!-->",
        "<!--->",
        "<!---->",
        "<!-- > -- -! --!>",
        "<!-- <p> --",
        "<!x>",
        "<?php > ?>",
        "<![CDATA[<p>x]]]>",
        "<![CDATA[x",
        "</ x>",
        "</>",
        "<!doctype html>",
        "<!DOCTYPE a PUBLIC '>'>",
    ];
    prop_oneof![
        4 => start,
        3 => end,
        4 => select(TEXTS).prop_map(str::to_owned),
        1 => script,
        1 => select(comments).prop_map(str::to_owned),
    ]
}

proptest! {
    // Add a failing case to `PAGES`.
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_parts_give_the_blocks_of_the_reference(
        parts in vec(select(PARTS), 0..40),
        limits in limits(),
        split in select(vec![SplitList::Html, SplitList::Original]),
        joining in select(vec![Joining::Tight, Joining::Spaced]),
    ) {
        read_as_reference(&parts.concat(), &BlockOptions { split, joining, limits, ..BlockOptions::default() });
    }

    #[test]
    fn random_markup_gives_the_blocks_of_the_reference(
        constructs in vec(construct(), 0..40),
        limits in limits(),
        split in select(vec![SplitList::Html, SplitList::Original]),
        joining in select(vec![Joining::Tight, Joining::Spaced]),
    ) {
        read_as_reference(&constructs.concat(), &BlockOptions { split, joining, limits, ..BlockOptions::default() });
    }
}
