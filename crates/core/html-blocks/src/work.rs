//! The work for a page, counted in tokens and visited elements, is linear in its bytes.

use crate::tokenizer::{Until, tokenize};
use crate::{BlockOptions, PageLimits};

/// Pieces that, repeated, could make the work more than linear.
const PIECES: &[&str] = &[
    "<div>",
    "<ul><li>x",
    "<table><tr><td>",
    "<table><b><i><tr><u><td>x",
    "<p>x<div>y<p>",
    "<b><i><u><a href=x>x",
    "</div></p></x></table>",
    "<x></y>",
    "<svg><g>x<p>",
    "<math><mi>x<svg>y",
    "<svg><desc><svg><desc>",
    "<table><caption><td>",
    "<select><option>x<optgroup>",
    "<button><dl><dt>x<dd>",
    "<h1>x</h2>",
    "<template><table></table>",
    "<a b c d e f g h>",
    "<p class='a b c d'>x",
    "<!-- -->",
    "<!--",
    "</",
    "<<",
    "&amp",
    "&CounterClockwiseContourIntegral",
    "\0",
    "\r",
    "é",
    "<script><",
    "<textarea></textare",
    "<title>x</title>",
];

/// The work for a page of many open elements followed by `bytes` of a repeated piece, and the
/// length of the page.
fn work(piece: &str, bytes: usize, limits: &PageLimits) -> (usize, usize) {
    let page =
        "<table><tr><td><ul><li><svg><g><desc>".repeat(60) + &piece.repeat(bytes / piece.len());
    let options = BlockOptions {
        limits: limits.clone(),
        ..BlockOptions::default()
    };
    let (builder, _) = tokenize(&page, &options, Until::End, ());
    (builder.work(), page.len())
}

#[test]
fn work_grows_with_the_bytes_and_with_nothing_else() {
    let unlimited = PageLimits {
        tag_bytes: usize::MAX,
        attributes_per_tag: usize::MAX,
        blocks: usize::MAX,
        block_chars: usize::MAX,
        depth: usize::MAX,
        ..PageLimits::default()
    };
    for limits in [PageLimits::default(), unlimited] {
        for piece in PIECES {
            let (work, bytes) = work(piece, 200_000, &limits);
            assert!(work <= bytes, "{piece:?}: {work} for {bytes} bytes");
        }
    }
}
