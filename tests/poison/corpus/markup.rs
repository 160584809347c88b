//! Tags, attributes, nesting, and text that looks like markup.

use super::Outcome::Document;
use super::{Poison, between, fill};

/// A tag `<p a0 a1 a2 ...>` with this many attributes.
fn tag(attributes: usize) -> String {
    let names: String = (0..attributes).map(|name| format!(" a{name:x}")).collect();
    format!("<p{names}>")
}

/// Open elements that give the text after them the longest possible DOM path.
fn long_path() -> String {
    let class = "q".repeat(196);
    format!("<section class={class}>").repeat(5)
}

/// Elements with distinct classes, up to `bytes`.
fn distinct_classes(bytes: usize) -> String {
    let letters = |mut number: usize| {
        let mut word = String::new();
        for _ in 0..5 {
            word.push(char::from(b'a' + (number % 26) as u8));
            number /= 26;
        }
        word
    };
    (0..bytes / 18)
        .map(|number| format!("<p class={}>x", letters(number)))
        .collect()
}

pub(super) const MARKUP: &[Poison] = &[
    // Nesting.
    Poison::page(
        "divs never closed",
        |n| fill("<div>", n),
        Document(&["depth_limit"]),
    ),
    Poison::page(
        "lists in lists",
        |n| fill("<ul><li>x", n),
        Document(&["blocks_limit", "depth_limit", "no_template"]),
    ),
    Poison::page(
        "tables in tables",
        |n| fill("<table><tr><td>", n),
        Document(&["depth_limit"]),
    ),
    Poison::page(
        "tables with text in tables",
        |n| fill("<table><tr><th>x<td>1, 2.<td>", n),
        Document(&["depth_limit", "no_template"]),
    ),
    Poison::page(
        "a wide list of sections",
        |n| fill("<section><p>A ferry, a pier.</section>", n / 4),
        Document(&[]),
    ),
    Poison::page(
        "formatting never closed",
        |n| fill("<b><i><u><a href=x>x", n),
        Document(&[]),
    ),
    Poison::page(
        "end tags of nothing",
        |n| fill("</div></p></x></table>", n),
        Document(&[]),
    ),
    Poison::page(
        "end tags of nothing, below many elements",
        |n| between(&"<div>".repeat(511), "</x>", "", n),
        Document(&[]),
    ),
    Poison::page(
        "end tags of table parts that are not open",
        |n| {
            between(
                &("<table>".to_owned() + &"<div>".repeat(510)),
                "</tr>",
                "",
                n,
            )
        },
        Document(&[]),
    ),
    Poison::page(
        "end tags beyond the scope",
        |n| {
            between(
                &("<x><table><td>".to_owned() + &"<div>".repeat(508)),
                "</x>",
                "",
                n,
            )
        },
        Document(&[]),
    ),
    Poison::page(
        "headings that are not open",
        |n| between(&"<div>".repeat(511), "</h1>", "", n),
        Document(&[]),
    ),
    Poison::page(
        "forms and buttons",
        |n| fill("<form><button><select><option>", n),
        Document(&[]),
    ),
    Poison::page(
        "drawings in drawings",
        |n| fill("<svg><g><foreignObject>", n),
        Document(&["depth_limit"]),
    ),
    Poison::page(
        "formulas in formulas",
        |n| fill("<math><mi><mtext>x", n),
        Document(&["depth_limit"]),
    ),
    Poison::page(
        "tags that break out of drawings",
        |n| fill("<svg><g><p>x", n),
        Document(&["no_template"]),
    ),
    Poison::page(
        "templates in templates",
        |n| fill("<template>x", n),
        Document(&["depth_limit"]),
    ),
    // Tags and attributes.
    Poison::page(
        "one tag of distinct attributes",
        |n| tag(n / 6).into_bytes(),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "tags just below the limit of attributes",
        |n| fill(&tag(1024), n),
        Document(&[]),
    ),
    Poison::page(
        "tags just below the limit of bytes",
        |n| fill(&format!("<p {}>", "x".repeat(65_500)), n),
        Document(&[]),
    ),
    Poison::page(
        "one attribute again and again",
        |n| between("<p", " a=1", ">", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "a value of many bytes",
        |n| between("<img src='", "data", "'><p>x", n),
        Document(&[]),
    ),
    Poison::page(
        "a value without end",
        |n| between("<p>x<a href=\"", "x ", "", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "a tag without end",
        |n| between("<p>x<a ", "x ", "", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "a name of many bytes",
        |n| between("<", "x", ">", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "an end tag of many bytes",
        |n| between("x</", "x", ">", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "slashes in a tag",
        |n| between("<p ", "/", ">x", n),
        Document(&["tag_bytes_limit"]),
    ),
    Poison::page(
        "many classes on every element",
        |n| {
            fill(
                &format!("<div class='{}'>x</div>", "a b c d e f ".repeat(40)),
                n,
            )
        },
        Document(&[]),
    ),
    Poison::page(
        "a long path for every block",
        |n| between(&long_path(), "<p>x", "", n),
        Document(&["blocks_limit", "no_template"]),
    ),
    Poison::page(
        "a long path of its own for every block",
        |n| (long_path() + &distinct_classes(n)).into_bytes(),
        Document(&["no_template"]),
    ),
    // Angle brackets and things that look like markup.
    Poison::page(
        "nothing but <",
        |n| fill("<", n),
        Document(&["block_chars_limit"]),
    ),
    Poison::page(
        "< and a comment without end",
        |n| between("", "< ", "<!--", n.min(900_000)),
        Document(&["truncated"]),
    ),
    Poison::page(
        "< in a script, and a comment without end",
        |n| between("<script>", "<", "</script><!--", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "</ in a script without end",
        |n| between("<script>", "</", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "<!-- in a script without end",
        |n| between("<script>", "<!--<script>-->", "", n),
        Document(&["truncated"]),
    ),
    Poison::page("empty comments", |n| fill("<!---->", n), Document(&[])),
    Poison::page(
        "a comment without end",
        |n| between("x<!--", "- -", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "a comment of dashes",
        |n| between("x<!--", "-", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "a comment of comments",
        |n| between("x<!--", "<!-- ", "", n),
        Document(&["truncated"]),
    ),
    Poison::page("bogus comments", |n| fill("<!x><?x></ >", n), Document(&[])),
    Poison::page(
        "doctypes",
        |n| fill("<!DOCTYPE html PUBLIC 'x' \"y\">", n),
        Document(&[]),
    ),
    Poison::page(
        "a doctype without end",
        |n| between("<!DOCTYPE ", "x ", "", n),
        Document(&["truncated"]),
    ),
    Poison::page(
        "CDATA sections in a drawing",
        |n| between("<svg>", "<![CDATA[x]]>", "</svg>", n.min(3_000_000)),
        Document(&[]),
    ),
];
