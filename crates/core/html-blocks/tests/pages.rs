//! The blocks of small pages.

#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use html_blocks::{BlockOptions, Joining, Noscript, Page, SplitList, TextBlock, page, title};

fn read(html: &str) -> Page {
    page(html.as_bytes(), None, &BlockOptions::default()).unwrap()
}

fn texts(html: &str) -> Vec<String> {
    read(html)
        .blocks
        .into_iter()
        .map(|block| block.text)
        .collect()
}

fn original(html: &str) -> Vec<String> {
    let mut options = BlockOptions::default();
    options.split = SplitList::Original;
    options.noscript = Noscript::Never;
    options.joining = Joining::Spaced;
    let page = page(html.as_bytes(), None, &options).unwrap();
    page.blocks.into_iter().map(|block| block.text).collect()
}

fn dom_paths(html: &str) -> Vec<String> {
    read(html)
        .blocks
        .iter()
        .map(|block| block.dom_path.to_string())
        .collect()
}

fn only(html: &str) -> TextBlock {
    let mut blocks = read(html).blocks;
    assert_eq!(blocks.len(), 1, "{html}");
    blocks.remove(0)
}

#[test]
fn block_tags_split_and_inline_tags_do_not() {
    assert_eq!(
        texts("<h1>Hello</h1><p>Hello <em>wo<b>rl</b>d</em><br>again<ul><li>x<li>y</ul>z"),
        ["Hello", "Hello world", "again", "x", "y", "z"]
    );
    assert_eq!(texts("<td>a</td><td>b</td>"), ["a", "b"]);
    assert_eq!(
        texts("one</br>two<main>three</main><x-card>four</x-card>five").len(),
        5
    );
    assert_eq!(
        texts("<p>in <st1:City>Lon</st1:City>don<o:p></o:p></p>"),
        ["in London"]
    );
}

#[test]
fn joining_is_tight_by_default() {
    let html = "<p><b>Hel</b>lo, <i>x</i>!<!-- c -->?</p>";
    assert_eq!(texts(html), ["Hello, x!?"]);
    assert_eq!(original(html), ["Hel lo, x ! ?"]);
    let mut spaced = BlockOptions::default();
    spaced.joining = Joining::Spaced;
    let spaced = page(b"<p>a<em>b</em></p>", None, &spaced).unwrap();
    assert_eq!(spaced.blocks[0].text, "a b");
}

#[test]
fn hidden_elements_give_no_text() {
    assert_eq!(
        texts(
            "<script>if (a<b) '</p>'</script><style>p > b {}</style><noscript><p>no</p></noscript>\
             <iframe><p>no</p></iframe><noframes>no</noframes><noembed>no</noembed>\
             <template><p>no<title>no</title></p></template><!-- no --><p>yes"
        ),
        ["yes"]
    );
    assert_eq!(
        texts("<p>a<!-- <script> --><script><!-- <script>x</script> --></script>b"),
        ["ab"]
    );
}

#[test]
fn form_elements_and_visible_raw_text_are_blocks() {
    assert_eq!(
        texts(
            "<button>Go</button><select><option>One<option>Two</select><textarea><b>&amp;</textarea>"
        ),
        ["Go", "One", "Two", "<b>&"]
    );
    assert_eq!(
        texts("<xmp><b>x</b></xmp><plaintext><i>y"),
        ["<b>x</b>", "<i>y"]
    );
}

#[test]
fn the_original_keeps_more_elements() {
    let html =
        "<title>T</title><iframe><p>frame</p></iframe><template>tpl</template><main>m</main>";
    assert_eq!(original(html), ["T", "frame", "tpl m"]);
    assert_eq!(texts(html), ["m"]);
}

#[test]
fn the_title_is_not_a_block() {
    let html = "<svg><title>icon</title></svg><template><title>t</title></template><title> </title>\
                <title>A &amp;\n B</title><title>later</title><p>text";
    let page = read(html);
    assert_eq!(page.title.as_deref(), Some("A & B"));
    assert_eq!(page.blocks.len(), 1);
    assert_eq!(
        title(html.as_bytes(), None, &BlockOptions::default()),
        page.title
    );
    assert_eq!(title(b"<p>none", None, &BlockOptions::default()), None);
    assert_eq!(title(b"", None, &BlockOptions::default()), None);
}

#[test]
fn svg_splits_and_math_does_not() {
    assert_eq!(
        texts(
            "<p>a<svg><style>.x{}</style><desc>no</desc><text>10</text><text>20</text>\
             <script>no</script></svg>b"
        ),
        ["a", "10", "20", "b"]
    );
    assert_eq!(
        texts(
            "<p>so <math><semantics><mrow><mi>x</mi><mo>=</mo><mn>1</mn></mrow>\
             <annotation>x=1</annotation></semantics></math>, then"
        ),
        ["so x=1, then"]
    );
    assert_eq!(
        texts("<svg><text><![CDATA[a < b]]></text></svg>"),
        ["a < b"]
    );
    assert_eq!(texts("<p>a<![CDATA[b]]>c"), ["ac"]);
    // A start tag of HTML closes an open `svg`, and its `style` is not raw text.
    assert_eq!(texts("<svg><style>x<p>text<title>T</title>"), ["text"]);
    assert_eq!(dom_paths("<svg><g><path/><circle><div>x</div>"), ["div"]);
}

#[test]
fn whitespace_is_normalised() {
    assert_eq!(
        texts("<p> one\r\n\ttwo&nbsp;&nbsp;three\u{2003} </p>&nbsp;"),
        ["one two three"]
    );
    assert_eq!(texts("just text\rno markup"), ["just text no markup"]);
}

#[test]
fn dom_paths_have_classes_and_ids() {
    assert_eq!(
        dom_paths(
            "<html><body class=x><div class='content c2 c3' id=i><article class=post-17><p><b>a"
        ),
        ["div.content.c#i>article.post->p"]
    );
    assert_eq!(
        dom_paths("<main><center><p class='a>b 1.5'>x"),
        ["main>center>p.ab"]
    );
}

#[test]
fn common_prefix_counts_elements_and_not_equal_names() {
    let prefixes = |html: &str| -> Vec<(String, u16)> {
        let page = page(html.as_bytes(), None, &BlockOptions::default()).expect("a page");
        page.blocks
            .iter()
            .map(|block| (block.dom_path.to_string(), block.common_prefix))
            .collect()
    };
    let dom_paths = |expected: &[(&str, u16)]| -> Vec<(String, u16)> {
        let owned = |(path, prefix): &(&str, u16)| ((*path).to_owned(), *prefix);
        expected.iter().map(owned).collect()
    };
    assert_eq!(
        prefixes("<div><p>a<br>b<p>c</div><div><p>d</div>e"),
        dom_paths(&[
            ("div>p", 0),
            ("div>p", 2),
            ("div>p", 1),
            ("div>p", 0),
            ("", 0)
        ])
    );
    // Elements without text, and inline elements.
    assert_eq!(
        prefixes("<main><div><img></div><i><p>a</i><section></section>b</main>"),
        dom_paths(&[("main>p", 0), ("main", 1)])
    );
}

#[test]
fn implied_end_tags_close_elements() {
    assert_eq!(
        dom_paths("<p>a<p>b<div>c</div>d<h2>e</h3>f"),
        ["p", "p", "div", "", "h2", ""]
    );
    assert_eq!(
        dom_paths("<ul><li>a<ul><li>b</ul>c<li>d</ul>e"),
        ["ul>li", "ul>li>ul>li", "ul>li", "ul>li", ""]
    );
    assert_eq!(
        dom_paths("<dl><dt>a<dd>b<dt>c</dl>"),
        ["dl>dt", "dl>dd", "dl>dt"]
    );
    assert_eq!(
        dom_paths("<table><tr><td>a<td><p>b<tr><th>c<tbody><tr><td>d</table>e"),
        [
            "table>tr>td",
            "table>tr>td>p",
            "table>tr>th",
            "table>tbody>tr>td",
            ""
        ]
    );
    assert_eq!(
        dom_paths("<select><option>a<option>b<optgroup><option>c<optgroup><option>d"),
        [
            "select>option",
            "select>option",
            "select>optgroup>option",
            "select>optgroup>option"
        ]
    );
    assert_eq!(
        dom_paths("<button>a<button>b</button>c"),
        ["button", "button", ""]
    );
}

#[test]
fn end_tags_without_an_element_in_scope_are_ignored() {
    assert_eq!(
        dom_paths("<section>a</div>b</p>c</li></td>d"),
        ["section"; 4]
    );
    assert_eq!(
        dom_paths("<div><table><tr><td></div></p>a</td></tr></table>b</div>c"),
        ["div>table>tr>td", "div", ""]
    );
    assert_eq!(dom_paths("<div><p>a</div>b"), ["div>p", ""]);
    assert_eq!(dom_paths("<td>a<tr>b</table>c"), ["", "", ""]);
    assert_eq!(dom_paths("<div>a</body></html>b"), ["div"; 2]);
}

/// A page of an app: scripts write the text, and a copy for crawlers is in `noscript`.
#[test]
fn noscript_has_the_text_of_a_page_that_scripts_write() {
    let post = "<div class=post><p>The storm took <b>two</b> trees down.</p></div>";
    let copy = format!("<noscript><h1>Storm</h1>{}</noscript>", post.repeat(9));
    let texts = |html: &str| -> Vec<String> {
        read(html)
            .blocks
            .into_iter()
            .map(|block| block.text)
            .collect()
    };
    let shown = texts(&format!("<title>Storm</title><p>Loading{copy}<p>About"));
    assert_eq!(shown.len(), 12);
    assert_eq!(
        shown[..3],
        ["Loading", "Storm", "The storm took two trees down."]
    );
    // A page with its own text has no need of a copy, and a note is not a copy.
    let article = "<p>The storm took two trees down in the night.</p>".repeat(9);
    assert_eq!(texts(&format!("{article}{copy}")).len(), 9);
    let note = format!("<noscript>{}Enable scripts</noscript>", "<br>".repeat(30));
    assert_eq!(
        texts(&format!("<p>Loading the page{note}")),
        ["Loading the page"]
    );
}

#[test]
fn a_title_in_noscript_is_no_title_and_a_cut_page_is_read_without_noscript() {
    let post = "<p>The storm took two trees down.</p>".repeat(9);
    let html = format!("<p>Loading<noscript><title>Copy</title>{post}</noscript><p>About");
    let options = BlockOptions::default();
    let whole = page(html.as_bytes(), None, &options).unwrap();
    assert_eq!(whole.blocks.len(), 11);
    assert_eq!(whole.title, title(html.as_bytes(), None, &options));
    assert_eq!(whole.title, None);
    let mut tight = options.clone();
    tight.limits.blocks = 1;
    let cut = page(html.as_bytes(), None, &tight).unwrap();
    assert_eq!(cut.blocks, [whole.blocks[0].clone()]);
    tight.noscript = Noscript::Never;
    assert_eq!(cut, page(html.as_bytes(), None, &tight).unwrap());
}

#[test]
fn link_chars_count_characters_of_the_final_text() {
    let all = |html: &str| {
        let block = only(html);
        block.link_chars as usize == block.text.chars().count()
    };
    assert!(all(
        "<li><a href=/>Home</a> <a href=/n><b>Ne</b>ws</a></li>"
    ));
    assert!(!all("<li><a href=/>Home</a> | <a href=/n>News</a></li>"));
    assert_eq!(only("<p>see <a href=x> this  link </a>.").link_chars, 9);
    assert_eq!(only("<p><a name=top>Heading").link_chars, 0);
    assert_eq!(only("<p><a id=top>Heading").link_chars, 0);
    assert_eq!(only("<a href=x>a<a name=y>b").link_chars, 1);
}

#[test]
fn chrome_is_inherited() {
    let chrome =
        |html: &str| -> Vec<bool> { read(html).blocks.iter().map(|block| block.chrome).collect() };
    assert_eq!(
        chrome("<nav><ul><li>a</ul></nav>b<footer><p>c</footer><p>d"),
        [true, false, true, false]
    );
    assert_eq!(
        chrome("<p>x <label>Name</label> y<textarea>t</textarea>z"),
        [false, true, false, true, false]
    );
}

#[test]
fn a_truncated_page_names_the_open_construct() {
    let warnings = |html: &str| -> Vec<String> {
        read(html)
            .warnings
            .iter()
            .map(ToString::to_string)
            .collect()
    };
    for (html, inside) in [
        ("<p>a<b", "tag"),
        ("<p>a<a title='x>y", "tag"),
        ("<p>a</", "tag"),
        ("<p>a<!-- b", "comment"),
        ("<p>a<!doctype", "comment"),
        ("<p>a<script>x</scr", "script"),
        ("<p>a<script>x", "script"),
        ("<p>a<style>x", "style"),
        ("<p>a<textarea>x", "textarea"),
        ("<p>a<title>x", "title"),
    ] {
        assert_eq!(
            warnings(html),
            [format!("truncated: in {inside}")],
            "{html}"
        );
        assert!(texts(html)[0].starts_with('a'), "{html}");
    }
    for html in [
        "<p>a<div>b",
        "a <",
        "1 < 2",
        "a &copy",
        "a &am",
        "<plaintext>a",
        "a</>",
        "a\r",
    ] {
        assert_eq!(warnings(html), [""; 0], "{html}");
    }
}
