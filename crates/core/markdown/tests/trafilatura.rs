//! Reports about trafilatura's Markdown, as pages that were written for these tests. Each test links the issue.

use crate::common;

use common::{of, printed_again, rendered};

/// <https://github.com/adbar/trafilatura/issues/167>: items of a nested list are fused.
#[test]
fn t167_a_nested_list_keeps_its_items() {
    let html = "<h2>Orders</h2><ul><li>Soup</li><li>Bread\n<ul>\n<li>Rye bread</li>\n<li>White bread</li>\n\
                </ul>\n</li><li>Salt</li></ul>";
    assert_eq!(
        of(html),
        "## Orders\n\n- Soup\n- Bread\n  - Rye bread\n  - White bread\n- Salt\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/351>: code has no fence.
#[test]
fn t351_code_is_fenced() {
    let html = "<p>Run it:</p><pre><code class=\"python\">for x in y:\n    print(x)\n</code></pre><p>Done.</p>";
    assert_eq!(
        of(html),
        "Run it:\n\n```\nfor x in y:\n    print(x)\n```\n\nDone.\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/404>: links and emphasis break lines.
#[test]
fn t404_links_and_emphasis_break_no_lines() {
    let html = "<p>I am\n<em>not</em> a <a href=\"/mage\">mage</a>,\nbut <i>an <a href=/i>illusionist</a></i>.</p>";
    assert_eq!(
        of(html),
        "I am *not* a [mage](/mage), but *an [illusionist](/i)*.\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/562> and
/// <https://github.com/adbar/trafilatura/issues/599>: line ends in cells, missing cells, several headers,
/// lists and `wbr` in cells.
#[test]
fn t599_rows_of_a_table_are_lines_with_equal_cells() {
    let html = "<table><thead><tr><th>Name</th><th>Notes</th></tr></thead><tbody>\
                <tr><th>rye<wbr>bread</th><td><p>dark</p>\n<p>sour</p></td></tr>\
                <tr><td>soup</td></tr>\
                <tr><td><p><i>salt</i> </p></td><td><ul><li>fine</li><li>coarse</li></ul></td></tr>\
                </tbody></table>";
    let markdown = of(html);
    assert_eq!(
        markdown,
        "| Name | Notes |\n| --- | --- |\n| ryebread | dark sour |\n| soup | |\n| *salt* | fine coarse |\n"
    );
    assert_eq!(rendered(&markdown).matches("<tr>").count(), 4);
    assert_eq!(rendered(&markdown).matches("<td>").count(), 6);
}

/// <https://github.com/adbar/trafilatura/issues/769>: items with paragraphs or links are lost.
#[test]
fn t769_items_with_paragraphs_and_links_are_items() {
    let html = "<ul><li>\n  <p>Plans at scale.</p>\n</li><li><a href=/py>Python</a></li>\
                <li>Azure, <a href=/net>use it</a>.</li></ul>";
    assert_eq!(
        of(html),
        "- Plans at scale.\n- [Python](/py)\n- Azure, [use it](/net).\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/845>: the space after emphasis is lost.
#[test]
fn t845_spaces_around_emphasis_are_kept() {
    assert_eq!(
        of("<ol><li>Foo <em>bar</em> baz.</li><li>There <b> are </b>two.</li></ol>"),
        "1. Foo *bar* baz.\n2. There **are** two.\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/896>: headings are fused with the text around them.
#[test]
fn t896_a_heading_is_never_part_of_a_line() {
    let html = "<div>Before<h2>Heading</h2>after</div><section><a href=/x><h3>Linked</h3></a>\
                <span>text</span></section><td><h4>Cell</h4>x</td>";
    let markdown = of(html);
    assert_eq!(
        markdown,
        "Before\n\n## Heading\n\nafter\n\n### [Linked](/x)\n\ntext\n\n#### Cell\n\nx\n"
    );
}

/// <https://github.com/adbar/trafilatura/issues/914>: characters of the text are read as marks.
#[test]
fn t914_characters_of_the_text_are_text() {
    for text in [
        "This *should* not be italic and 3*4=12",
        "__init__ and `code` and ~~x~~",
        "[a](b) ![c](d) [1]: e",
        "&lt;b&gt; &amp;lt; &lt;!-- x",
        "# not a heading",
        "1. not an item",
        "- not an item",
        "+ x",
        "* x",
        "&gt; not a quote",
        "---",
        "===",
        "~~~",
        "```",
        "| a | b |",
    ] {
        let shown = text
            .replace("&lt;", "<")
            .replace("&gt;", ">")
            .replace("&amp;", "&");
        for around in ["p", "li", "blockquote", "h2"] {
            let markdown = of(&format!("<{around}>{text}</{around}>"));
            let read = rendered(&markdown);
            let tags = read.matches('<').count();
            let expected = match around {
                "li" => 4,
                "blockquote" => 4,
                _ => 2,
            };
            assert_eq!(tags, expected, "{markdown} {read}");
            assert_eq!(common::text_of(&read).trim(), shown, "{markdown}");
            assert_eq!(printed_again(&markdown), markdown);
        }
    }
}
