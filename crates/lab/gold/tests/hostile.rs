//! Broken files: each is an error with file, line and reason. No reader panics or returns
//! a plausible gold text.

use gold::{Comments, File, Format, GoldPage, Labels, json, json_lines};
use proptest::prelude::*;

const ALL: [Format; 5] = [
    Format::CleanEval,
    Format::L3sGn1(Labels::ARTICLE),
    Format::BoilerNet,
    Format::Dragnet(Comments::Dropped),
    Format::Plain,
];
const GN1: Format = Format::L3sGn1(Labels::ARTICLE);

fn read(format: Format, page: Option<&[u8]>, gold: &[u8]) -> Result<GoldPage, String> {
    let name = "1.html";
    let page = page.map(|bytes| File { name, bytes });
    let gold = File {
        name: "1.txt",
        bytes: gold,
    };
    format.read(page, gold).map_err(|error| error.to_string())
}

fn error(format: Format, gold: &str) -> String {
    read(format, None, gold.as_bytes()).expect_err(gold)
}

#[test]
fn a_cut_cleaneval_page_is_an_error() {
    let page = |page: &[u8]| read(Format::CleanEval, Some(page), b"<p>x");
    for cut in ["<text", "<text id=\"http://a.eu/\" title=\"5 > 4 </text>"] {
        let error = page(cut.as_bytes()).expect_err(cut);
        assert_eq!(error, "1.html:1: the start tag <text> is not closed by `>`");
    }
    let open = page(b"<text id=\"u\">\n<html>\n</html>\n").expect_err("no end");
    assert_eq!(
        open,
        "1.html:4: the end tag </text> after the page is missing"
    );
    // A quote that does not follow `=` opens no value.
    let quote = page(b"<text id=\"u\" title=5\" disk>\n<p>x</text>").expect("a page");
    assert_eq!(quote.html.as_deref(), Some(&b"\n<p>x"[..]));
}

#[test]
fn broken_nesting_of_labels_is_an_error_with_its_line() {
    for newline in ["\n", "\r\n"] {
        let html = |html: &str| html.replace('\n', newline);
        let open = html("<p>\n\n<b><span class=x-nc-sel2>\nTrees</b></p>\n<p>Footer");
        assert_eq!(error(GN1, &open), "1.txt:3: the <span> has no end tag");
        let stray = html("<p>\n<span class=x-nc-sel2>Trees</span>\n</span></p>");
        assert_eq!(error(GN1, &stray), "1.txt:3: </span> without a <span>");
        let script = html("<span class=x-nc-sel2>Trees</span>\n<script>\n</span> fell.");
        assert_eq!(error(GN1, &script), "1.txt:2: the <script> has no end tag");
    }
    // The nesting of other elements does not matter.
    let crossed = "<p><b><span class=x-nc-sel2>Trees</b> fell.</p></i></span>";
    let crossed = read(GN1, None, crossed.as_bytes()).expect("a gold text");
    assert_eq!(crossed.text, "Trees fell.");
}

#[test]
fn a_page_without_labels_is_an_error() {
    for html in [
        "",
        "Trees fell.",
        "<p><span class=\"x-nc-sel\">Trees</span>",
    ] {
        assert_eq!(
            error(GN1, html),
            "1.txt: no <span> has the attribute class with a label"
        );
        assert_eq!(
            error(Format::BoilerNet, html),
            "1.txt: no <span> has the attribute __boilernet_label with a label"
        );
    }
    // Only labels of <span> count.
    assert!(error(GN1, "<div class=x-nc-sel2>Trees</div>").contains("no <span>"));
    // A page whose labels are not among the given ones has an empty gold text.
    let none = read(GN1, None, b"<span class=x-nc-sel0>Home</span>").expect("a gold text");
    assert_eq!((none.text.as_str(), none.title), ("", None));
}

#[test]
fn a_binary_file_is_an_error_in_every_format() {
    for format in ALL {
        let error = read(format, None, b"\x1F\x8B\x08\0\0").expect_err("compressed");
        assert_eq!(error, "1.txt:1: not a text file: byte 3 is zero");
        assert!(read(format, None, b"\xFE\xFF\xD8").is_err());
    }
}

#[test]
fn invalid_json_is_an_error_with_its_line() {
    let lines = |text: &str| {
        let bytes = text.as_bytes();
        let read = json_lines(File { name: "g", bytes });
        read.expect_err(text).to_string()
    };
    let good = "{\"id\": \"1\", \"text\": \"x\"}\n";
    for (wrong, says) in [
        ("{\"id\": \"2\"}", "g:2: missing field `text`"),
        ("{\"id\": \"2\", \"text\": null}", "g:2: invalid type: null"),
        (
            "{\"text\": \"x\", \"plaintext\": \"x\"}",
            "g:2: duplicate field `text`",
        ),
        ("{\"id\": \"2\", \"text\": ", "g:2: EOF"),
        ("nonsense", "g:2: expected"),
        (
            "{\"text\": \"x\"}",
            "g:2: the object has neither `page_id` nor `id` nor `url`",
        ),
        (
            good,
            "g:2: a second gold text for page 1; the first is on line 1",
        ),
        (
            "\n\n{\"url\": \"1\", \"text\": \"y\"}",
            "g:4: a second gold text for page 1",
        ),
    ] {
        let error = lines(&format!("{good}{wrong}"));
        assert!(error.starts_with(says), "{error}");
    }
    let object = |text: &[u8]| {
        let read = json(File {
            name: "g",
            bytes: text,
        });
        read.expect_err("wrong").to_string()
    };
    for (wrong, says) in [
        (&b""[..], "g:1: EOF"),
        (
            b"[]",
            "g:1: invalid type: sequence, expected an object of gold texts by page id",
        ),
        (b"{\"a\":\n{}}", "g:2: missing field `text`"),
        (
            b"{\"a\":\n5}",
            "g:2: invalid type: integer `5`, expected a text",
        ),
        (
            b"{\"a\": \"x\",\n\"a\": \"y\"}",
            "g:2: a second gold text for page a",
        ),
        (b"{\"a\": \"x\"}\n{}", "g:2: trailing characters"),
        (
            b"{\"a\":\n\"caf\xE9\"}",
            "g:2: not UTF-8: byte 10 is invalid",
        ),
    ] {
        let error = object(wrong);
        assert!(error.starts_with(says), "{error}");
    }
    let deep = object("{\"a\":".repeat(100_000).as_bytes());
    assert!(deep.starts_with("g:1: EOF"), "{deep}");
    let deep = object(format!("{{\"a\": {}", "[".repeat(100_000)).as_bytes());
    assert!(deep.starts_with("g:1: invalid type: sequence"), "{deep}");
}

#[test]
fn deep_nesting_is_read_without_recursion() {
    let depth = 200_000;
    let open = "<span class=x-nc-sel2>".repeat(depth);
    let html = format!("{open}Trees{}", "</span>".repeat(depth));
    let deep = read(GN1, None, html.as_bytes()).expect("a gold text");
    assert_eq!(deep.text, "Trees");
    assert_eq!(error(GN1, &open), "1.txt:1: the <span> has no end tag");
    let markers = "<p>".repeat(depth);
    let empty = read(Format::CleanEval, None, markers.as_bytes()).expect("a gold text");
    assert_eq!(empty.text, "");
    let ends = format!("<text>{}", "</text".repeat(depth));
    let page = read(Format::CleanEval, Some(ends.as_bytes()), b"x").expect("a page");
    assert_eq!(page.html.map(|html| html.len()), Some(6 * (depth - 1)));
}

/// A random page with labelled spans.
#[derive(Clone, Debug)]
enum Node {
    Words(String),
    Span(Option<u8>, Vec<Node>),
    Block(Vec<Node>),
}

fn node() -> impl Strategy<Value = Node> {
    let words = "( [a-z]{1,3}){1,3} ".prop_map(Node::Words);
    words.prop_recursive(6, 60, 5, |inner| {
        let children = prop::collection::vec(inner, 0..5);
        prop_oneof![
            (prop::option::of(0..6_u8), children.clone())
                .prop_map(|(label, children)| Node::Span(label, children)),
            children.prop_map(Node::Block),
        ]
    })
}

impl Node {
    fn html(&self) -> String {
        let all = |nodes: &[Node]| nodes.iter().map(Node::html).collect::<String>();
        match self {
            Node::Words(words) => words.clone(),
            Node::Span(None, inner) => format!("<span>{}</span>", all(inner)),
            Node::Span(Some(label), inner) => {
                format!("<span class='x-nc-sel{label}'>{}</span>", all(inner))
            }
            Node::Block(inner) => format!("<div>{}</div>", all(inner)),
        }
    }

    /// Appends the words whose innermost label is 1 or 2.
    fn article<'n>(&'n self, label: Option<u8>, words: &mut Vec<&'n str>) {
        match self {
            Node::Words(text) if matches!(label, Some(1 | 2)) => words.extend(text.split(' ')),
            Node::Words(_) => {}
            Node::Span(own, inner) => {
                inner
                    .iter()
                    .for_each(|node| node.article(own.or(label), words));
            }
            Node::Block(inner) => inner.iter().for_each(|node| node.article(label, words)),
        }
    }
}

/// Random sequences of fragments of all formats and of arbitrary bytes.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop::sample::select(vec![
        "<text id=\"u\" title='t",
        "\" encoding=\"euc-kr\">",
        "</text>",
        "URL:",
        "<p>",
        "<h>",
        "\n",
        "<span class=x-nc-sel2>",
        "<span __boilernet_label=1>",
        "</span>",
        "<script>",
        "</script>",
        "<!--",
        "&#x",
        "&amp;",
        "!@#$%^&*()",
        "{\"a\": \"b\"",
        "}",
        "\"text\":",
        "č",
        "\u{feff}",
    ]);
    let any = prop::collection::vec(any::<u8>(), 0..4);
    let part = prop_oneof![3 => piece.prop_map(|piece| piece.as_bytes().to_vec()), 1 => any];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 512, ..<_>::default() })]

    #[test]
    fn no_input_makes_a_reader_panic(page in bytes(), gold in bytes()) {
        for format in ALL {
            let Ok(read) = read(format, Some(&page), &gold) else { continue };
            prop_assert_eq!(read.text.trim_ascii(), &read.text);
            if !matches!(format, Format::Plain | Format::Dragnet(_)) {
                for line in read.text.lines() {
                    prop_assert!(!line.is_empty() && line.trim_ascii() == line, "{:?}", line);
                }
            }
        }
        let name = "g";
        let _ = json(File { name, bytes: &gold }).map_err(|error| error.to_string());
        let _ = json_lines(File { name, bytes: &gold }).map_err(|error| error.to_string());
    }

    #[test]
    fn blocks_written_as_cleaneval_are_read_back(
        blocks in prop::collection::vec("[a-zč<>&]{1,6}( [a-z]{1,6}){0,5}", 0..8),
        layout in prop::collection::vec((0..6_usize, prop::sample::select(vec!["<p>", "<H>", "<l> "])), 8),
        newline in prop::sample::select(vec!["\n", "\r\n"]),
    ) {
        let marks = |text: &String| ["<p>", "<h>", "<l>"].iter().any(|mark| text.contains(mark));
        prop_assume!(!blocks.iter().any(marks));
        let mut file = format!("URL: http://a.eu/{newline}");
        for (block, (indent, marker)) in blocks.iter().zip(layout) {
            let gap = format!("{newline}{}", " ".repeat(indent));
            file += &format!("{gap}{marker}{}{newline}", block.replace(' ', &gap).replace('&', "&amp;"));
        }
        let read = read(Format::CleanEval, None, file.as_bytes()).expect("a gold text");
        let one_space = |block: &String| block.split_whitespace().collect::<Vec<_>>().join(" ");
        let expected: Vec<String> = blocks.iter().map(one_space).collect();
        prop_assert_eq!(read.text, expected.join("\n"));
    }

    #[test]
    fn the_innermost_label_decides(nodes in prop::collection::vec(node(), 1..6)) {
        let html: String = nodes.iter().map(Node::html).collect();
        // A page needs at least one label; this one is not gold.
        let html = format!("<span class=x-nc-sel0>end</span>{html}");
        let read = read(GN1, None, html.as_bytes()).expect("a gold text");
        let mut words = Vec::new();
        nodes.iter().for_each(|node| node.article(None, &mut words));
        words.retain(|word| !word.is_empty());
        prop_assert_eq!(read.text.split_whitespace().collect::<Vec<_>>(), words);
    }
}
