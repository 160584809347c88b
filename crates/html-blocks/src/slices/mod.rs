//! A page is fed to the tokenizer in slices, and read in one of two ways: what
//! becomes of it depends on neither.

mod html5lib;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;

use crate::feed::{SLICE, Until, careful, read};
use crate::sink::Reader;
use crate::{BlockOptions, Joining, PageLimits, SplitList, TextBlock, Warning};

/// All that reading gives.
#[derive(Debug, PartialEq)]
struct Outcome {
    title: Option<String>,
    blocks: Vec<TextBlock>,
    deepest: usize,
    warning: Option<Warning>,
}

impl Outcome {
    fn of((reader, warning): (Reader, Option<Warning>)) -> Self {
        Outcome {
            deepest: reader.deepest(),
            title: reader.title,
            blocks: reader.blocks,
            warning,
        }
    }
}

/// What becomes of a page, the same in slices of any size.
#[track_caller]
fn sliced_alike(page: &str, options: &BlockOptions) -> Outcome {
    let whole = Outcome::of(read(page, options, Until::End, SLICE));
    for slice in [1, 2, 3, 5, 7, 16, 61] {
        let sliced = Outcome::of(read(page, options, Until::End, slice));
        assert_eq!(sliced, whole, "{page:?} in slices of {slice}");
    }
    let carefully = Outcome::of(careful(page, options, Until::End, SLICE));
    assert_eq!(carefully, whole, "{page:?} read carefully");
    let title = read(page, options, Until::Title, 3).0.title;
    assert_eq!(title, whole.title, "{page:?} for its title");
    whole
}

/// Every kind of construct, whole and cut by the end of the page.
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
    "<div><div><div><div><div>x</div>y<title>z",
    "a\u{feff}<p>\u{feff}b",
];

/// Limits that these pages meet.
fn tight_limits() -> PageLimits {
    PageLimits {
        tag_bytes: 64,
        attributes_per_tag: 6,
        blocks: 8,
        block_chars: 30,
        depth: 4,
        ..PageLimits::default()
    }
}

#[test]
fn slicing_does_not_matter() {
    let options = [
        BlockOptions {
            limits: tight_limits(),
            ..BlockOptions::default()
        },
        BlockOptions {
            limits: tight_limits(),
            split: SplitList::Original,
            joining: Joining::Spaced,
        },
        BlockOptions::default(),
    ];
    let mut ended_early = 0;
    for options in &options {
        for page in PAGES {
            let outcome = sliced_alike(page, options);
            ended_early += usize::from(outcome.warning.is_some());
        }
    }
    assert!(ended_early >= 20, "{ended_early} pages ended early");
}

/// Parts of constructs, most of which mean something else after another part.
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
    let tight = (1..80_usize, 0..6_usize, 0..6_usize, 1..20_usize, 0..5_usize).prop_map(
        |(tag_bytes, attributes_per_tag, blocks, block_chars, depth)| PageLimits {
            tag_bytes,
            attributes_per_tag,
            blocks,
            block_chars,
            depth,
            ..PageLimits::default()
        },
    );
    prop_oneof![1 => Just(PageLimits::default()), 1 => tight]
}

proptest! {
    // What fails becomes a page of the list above.
    #![proptest_config(ProptestConfig {
        cases: 3_000,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn slicing_does_not_matter_to_any_page(
        parts in vec(select(PARTS), 0..40),
        limits in limits(),
        split in select(vec![SplitList::Html, SplitList::Original]),
        joining in select(vec![Joining::Tight, Joining::Spaced]),
    ) {
        sliced_alike(&parts.concat(), &BlockOptions { split, joining, limits });
    }
}
