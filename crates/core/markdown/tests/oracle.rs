//! Another converter, htmd, on pages that both can read.

use crate::common;

use common::{of, rendered};

/// The HTML of a converter's Markdown, without line ends.
fn read(markdown: &str) -> String {
    rendered(markdown).replace('\n', "")
}

#[test]
fn plain_pages_are_read_as_those_of_htmd() {
    for html in [
        "<h1>Tea</h1><p>Tea is <strong>hot</strong>, <em>mostly</em>.</p><h2>Kinds</h2>\
         <ul><li>green</li><li>black<ul><li>Assam</li><li>Darjeeling</li></ul></li><li>white</li></ul>",
        "<ol><li>Boil water.</li><li>Add <a href=\"/leaves\">leaves</a>.</li><li>Wait.</li></ol>",
        "<blockquote><p>No tea is too strong.</p><p>A saying</p></blockquote><p>x*y_z</p>",
        "<p>Run</p><pre><code class=\"language-sh\">brew tea\n  --hot</code></pre><p>or <code>brew</code>.</p>",
        "<table><thead><tr><th>Kind</th><th>Minutes</th></tr></thead><tbody><tr><td>green</td><td>2</td></tr>\
         <tr><td>black</td><td>4</td></tr></tbody></table>",
        "<p># not a heading</p><p>1. not an item</p><p>[not](a link)</p>",
    ] {
        let theirs = htmd::convert(html).expect("memory can be written");
        assert_eq!(read(&of(html)), read(&theirs), "{theirs}");
    }
}
