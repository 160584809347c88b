//! Elements without a text have no marks.

use crate::common;

use common::{at, of};

#[test]
fn elements_without_text_are_not_written() {
    for empty in [
        "<h2></h2>",
        "<h3> <b></b>&nbsp;</h3>",
        "<h2><img src='data:image/gif;base64,AA' alt=leaf></h2>",
        "<h2><img alt=leaf></h2>",
        "<h2>&#8288;</h2>",
        "<ul><li></li><li><a href=/x></a></li></ul>",
        "<ol><li> </li><li>&#x2063;</li></ol>",
        "<blockquote></blockquote>",
        "<blockquote><p><em> </em></p></blockquote>",
        "<blockquote>&#8206;</blockquote>",
        "<pre></pre>",
        "<pre> \n\n </pre>",
        "<pre><code class=language-js>&#8288;</code></pre>",
        "<pre><img src=i.png alt=leaf></pre>",
        "<table><tr><td></td><td></td></tr><tr><td></td><td></td></tr></table>",
        "<table><tr><td>&#8288;<td>&#8288;<tr><td>&#8288;<td>&#8288;</table>",
        "<table><caption></caption></table>",
        "<img src='' alt=leaf>",
        "<img src='javascript:x' alt=leaf>",
    ] {
        let html = format!("<p>Before{empty}<p>After");
        assert_eq!(
            at("http://tea.example/", &html),
            "Before\n\nAfter\n",
            "{empty}"
        );
    }
}

#[test]
fn styles_without_text_have_no_marks() {
    for empty in [
        "<b></b>",
        "<i> </i>",
        "<del>&#8288;</del>",
        "<code> </code>",
        "<code>&shy;</code>",
        "<b><i></i></b>",
    ] {
        let written = of(&format!("<p>Green {empty} tea"));
        assert!(!written.contains(['*', '~', '`']), "{empty}: {written}");
        let words: Vec<&str> = written.split_whitespace().collect();
        assert_eq!(words.first(), Some(&"Green"), "{written}");
        assert_eq!(words.last(), Some(&"tea"), "{written}");
    }
}

/// An item without text has no number.
#[test]
fn empty_items_and_rows_leave_the_others_in_order() {
    assert_eq!(
        of("<ol><li>Boil</li><li></li><li><b></b></li><li>Wait</li></ol>"),
        "1. Boil\n2. Wait\n"
    );
    assert_eq!(
        of("<table><tr><th>Tea<th>Minutes<tr><td><td><tr><td>green<td>2</table>"),
        "| Tea | Minutes |\n| --- | --- |\n| green | 2 |\n"
    );
}
