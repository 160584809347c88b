//! The structure of pages, as a parser of Markdown reads it.

use crate::common;

use common::{convert, everything, of, printed_again, rendered};
use markdown::MarkdownOptions;

/// Checks the HTML that a parser makes of a page's Markdown.
fn assert_read(html: &str, expected: &str) {
    let markdown = of(html);
    let read = rendered(&markdown);
    assert_eq!(
        read.replace('\n', ""),
        expected.replace('\n', ""),
        "{markdown}"
    );
    assert_eq!(printed_again(&markdown), markdown);
}

#[test]
fn headings_keep_their_levels() {
    assert_read(
        "<h1>One</h1><p>a</p><h3>Three <i>x</i> #</h3><h6><span>Six</span> <span>parts</span></h6>",
        "<h1>One</h1><p>a</p><h3>Three <em>x</em> #</h3><h6>Six parts</h6>",
    );
}

#[test]
fn spans_do_not_end_paragraphs_and_boxes_do() {
    assert_read(
        "<p>Tea is <span>a <b>hot</b></span> drink.<div>Second</div>third",
        "<p>Tea is a <strong>hot</strong> drink.</p><p>Second</p><p>third</p>",
    );
}

#[test]
fn one_line_break_is_kept_and_two_are_paragraphs() {
    assert_read("a<br>b<br><br>c", "<p>a<br />b</p><p>c</p>");
    assert_read("<h2>a<br>b</h2>", "<h2>a b</h2>");
}

#[test]
fn a_mark_before_a_line_break_is_text() {
    assert_read(
        "<p><b>* a *<br>b</b>",
        "<p><strong>* a *<br />b</strong></p>",
    );
}

#[test]
fn lists_are_nested_and_numbered() {
    assert_read(
        "<ul><li>a<ol start=3><li>b<li>c</ol><li>d<ul><li>e</ul></ul>",
        "<ul><li><p>a</p><ol start=\"3\"><li>b</li><li>c</li></ol></li>\
         <li><p>d</p><ul><li>e</li></ul></li></ul>",
    );
    assert_eq!(of("<ul><li>a<ul><li>b</ul><li>c</ul>"), "- a\n  - b\n- c\n");
}

#[test]
fn an_item_has_all_its_blocks() {
    assert_read(
        "<ol><li><p>a</p><p>b</p><pre>x\n\ny</pre><li>c</ol>",
        "<ol><li><p>a</p><p>b</p><pre><code>x\n\ny</code></pre></li><li><p>c</p></li></ol>",
    );
}

#[test]
fn lists_side_by_side_stay_apart() {
    assert_read(
        "<ul><li>a</ul><ul><li>b</ul><ol><li>c</ol><ol><li>d</ol>",
        "<ul><li>a</li></ul><ul><li>b</li></ul><ol><li>c</li></ol><ol><li>d</li></ol>",
    );
}

#[test]
fn a_list_in_a_list_belongs_to_the_item_before() {
    assert_read(
        "<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>",
        "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>",
    );
}

#[test]
fn items_without_a_list_are_one_list() {
    assert_read(
        "<div><li>a</li><li>b</li></div>",
        "<ul><li>a</li><li>b</li></ul>",
    );
}

/// One list with a text in its middle would be read as two.
#[test]
fn a_text_ends_a_list_of_items_without_a_list() {
    assert_read(
        "<li>a</li>b<li>c<p>d",
        "<ul><li>a</li></ul><p>b</p><ul><li><p>c</p><p>d</p></li></ul>",
    );
}

#[test]
fn quotes_are_nested_and_stay_apart() {
    assert_read(
        "<blockquote><p>a</p><blockquote>b</blockquote></blockquote><blockquote>c</blockquote>",
        "<blockquote><p>a</p><blockquote><p>b</p></blockquote></blockquote>\
         <blockquote><p>c</p></blockquote>",
    );
}

#[test]
fn code_keeps_its_lines_its_language_and_its_backticks() {
    assert_read(
        "<pre class='brush: rust'>\nfn main() {\n    a::&lt;u8&gt;(*b);\n}\n</pre>",
        "<pre><code class=\"language-rust\">fn main() {    a::&lt;u8&gt;(*b);}</code></pre>",
    );
    assert_eq!(
        of("<div class=highlight-sh><pre><span>$ a</span> \\\n  <span>``` b</span></pre></div>"),
        "````sh\n$ a \\\n  ``` b\n````\n"
    );
    assert_eq!(
        of("<pre><code class=language-js><div>a</div><div>  b</div></code></pre>"),
        "```js\na\n  b\n```\n"
    );
    assert_eq!(of("<pre>a<br>b</pre>"), "```\na\nb\n```\n");
}

#[test]
fn tables_have_all_their_columns() {
    assert_read(
        "<table><tr><th>A<th>B<tr><td colspan=2>c<tr><td>d|<td><b>e</b></table>",
        "<table><thead><tr><th>A</th><th>B</th></tr></thead><tbody><tr><td>c</td><td></td></tr>\
         <tr><td>d|</td><td><strong>e</strong></td></tr></tbody></table>",
    );
    let high = of("<table><tr><td rowspan=2>a<td>b<tr><td>c</table>");
    assert_eq!(high, "| a | b |\n| --- | --- |\n| | c |\n");
}

#[test]
fn a_caption_is_a_paragraph_above_its_table() {
    let table = "<tr><th>Port<th>Hour<tr><td>North pier<td>9</table>";
    let rows = "| Port | Hour |\n| --- | --- |\n| North pier | 9 |\n";
    let captioned = of(&format!("<table><caption>Ports</caption>{table}"));
    assert_eq!(captioned, format!("Ports\n\n{rows}"));
    assert_eq!(of(&format!("<table>{table}")), rows);
}

#[test]
fn code_has_no_numbers_of_lines_and_an_image_keeps_its_place() {
    let numbered = "<table><tr><td class=gutter><pre>1\n2</pre><td class=code><pre>let a;\n  let b;</pre></table>";
    assert_eq!(of(numbered), "```\nlet a;\n  let b;\n```\n");
    let image = "<p>A <img src=i.png alt=ferry> leaves.";
    assert_eq!(of(image), "A ![ferry](i.png) leaves.\n");
}

#[test]
fn a_layout_table_is_paragraphs() {
    assert_read(
        "<table><tr><td><h2>a</h2><td>b<tr><td>c<td>d</table>",
        "<h2>a</h2><p>b</p><p>c</p><p>d</p>",
    );
    assert_read(
        "<table><tr><td>x<td>y<tr><td>z<td><table><tr><td>a<td>b<tr><td>c<td>d</table></table>",
        "<p>x</p><p>y</p><p>z</p><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>\
         <tr><td>c</td><td>d</td></tr></tbody></table>",
    );
}

#[test]
fn only_content_is_written() {
    let html = "<nav><ul><li>Home</ul></nav><ul><li>a<li>b</ul>\
                <table><tr><td>c<td>d<tr><td>e<td><form>f</form></table><footer>g</footer>";
    assert_eq!(of(html), "- a\n- b\n\n| c | d |\n| --- | --- |\n| e | |\n");
}

#[test]
fn emphasis_links_and_images_are_options() {
    let html = "<p>See <a href='/t?a=1&amp;b=(2)'><b>tea</b></a> <i>now</i>\
                <img src=/t.png alt='A [cup]'>.</p>";
    let with = |options| convert(html, &options).markdown;
    assert_eq!(
        with(everything()),
        "See [**tea**](/t?a=1&amp;b=%282%29) *now* ![A \\[cup\\]](/t.png) .\n"
    );
    let plain = MarkdownOptions::default().with_emphasis(false);
    assert_eq!(with(plain), "See tea now.\n");
}

#[test]
fn a_link_around_blocks_is_a_link_in_each() {
    assert_eq!(
        of("<a href=/x><h2>a</h2><p>b</p></a>c"),
        "## [a](/x)\n\n[b](/x)\n\nc\n"
    );
}

#[test]
fn markup_of_another_page_is_refused() {
    let options = html_blocks::BlockOptions::default();
    let read = html_blocks::page_with(b"<p>a<p>b", None, &options, markdown::Markup::default());
    let markup = read.expect("a page").1;
    let error = markdown::markdown(&["a"], &[true], &markup, "", &everything()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the markup is of 2 blocks, and 1 blocks are given"
    );
    assert!(markdown::Markup::from_bytes(b"\x01\x07\x01\x00").is_err());
}
