//! HTML to a [`Dom`], whatever the page is.

use ego_tree::iter::Edge;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use crate::dom::{Dom, Element, Kind, Node};
use crate::feed::feed;
use crate::limits::Limits;
use crate::tree::{Part, PartTree, TreeOfParts};

/// Reads a page.
pub(crate) fn parse(html: &str) -> Dom {
    let options = TreeBuilderOpts {
        // What stands in `noscript` is for readers whose browser runs no script.
        scripting_enabled: true,
        ..TreeBuilderOpts::default()
    };
    let limits = Limits::new(TreeBuilder::new(TreeOfParts::default(), options));
    let tokenizer = Tokenizer::new(limits, TokenizerOpts::default());
    feed(html, &tokenizer);
    tokenizer.end();
    flatten(&tokenizer.sink.into_tree())
}

/// Never seen by a reader.
fn is_invisible(name: &str) -> bool {
    matches!(
        name,
        "base"
            | "iframe"
            | "link"
            | "meta"
            | "noembed"
            | "noframes"
            | "noscript"
            | "script"
            | "style"
            | "svg"
            | "template"
    )
}

/// The visible part of the tree, depth first.
fn flatten(tree: &PartTree) -> Dom {
    let mut nodes: Vec<Node> = Vec::with_capacity(tree.nodes().len());
    let mut open: Vec<usize> = Vec::new();
    let mut base = None;
    // The element whose subtree is passed over.
    let mut hidden = None;
    let mut in_head = false;
    for edge in tree.root().traverse() {
        match edge {
            Edge::Open(node) if hidden.is_none() => match node.value() {
                Part::Element(part) => {
                    let name = &*part.name.local;
                    if base.is_none() && name == "base" {
                        base.clone_from(&part.href);
                    }
                    if is_invisible(name) || (in_head && name != "title") {
                        hidden = Some(node.id());
                        continue;
                    }
                    in_head |= name == "head";
                    let element = Element {
                        name: part.name.local.clone(),
                        id: part.id.clone(),
                        class: part.class.clone(),
                        href: part.href.clone().filter(|_| name == "a"),
                    };
                    let id = push(&mut nodes, &open, Kind::Element(element));
                    open.push(id);
                }
                Part::Text(text) => {
                    let text = squeeze(text);
                    if text != " " {
                        push(&mut nodes, &open, Kind::Text(text));
                    } else if let Some(Node {
                        kind: Kind::Text(before),
                        ..
                    }) = nodes.last_mut()
                        && !before.ends_with(' ')
                    {
                        before.push(' ');
                    }
                }
                Part::Other => {}
            },
            Edge::Close(node) if hidden == Some(node.id()) => hidden = None,
            Edge::Close(node) if hidden.is_none() => {
                if let Part::Element(part) = node.value() {
                    in_head &= &*part.name.local != "head";
                    if let Some(id) = open.pop() {
                        nodes[id].end = nodes.len();
                    }
                }
            }
            Edge::Open(_) | Edge::Close(_) => {}
        }
    }
    Dom::new(nodes, base)
}

fn push(nodes: &mut Vec<Node>, open: &[usize], kind: Kind) -> usize {
    let id = nodes.len();
    nodes.push(Node {
        parent: open.last().copied().unwrap_or(id),
        end: id + 1,
        depth: open.len(),
        kind,
    });
    id
}

/// Runs of whitespace as one space.
fn squeeze(text: &str) -> String {
    let mut squeezed = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_whitespace() {
            squeezed.push(character);
        } else if !squeezed.ends_with(' ') {
            squeezed.push(' ');
        }
    }
    squeezed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dom::Counts;
    use crate::limits::{DEPTH, NODES};

    /// The tree in one line: names with their children in brackets, texts quoted.
    fn outline(html: &str) -> String {
        let dom = parse(html);
        let mut outline = String::new();
        let mut open: Vec<usize> = Vec::new();
        for id in 0..dom.len() {
            while open.last().is_some_and(|end| *end <= id) {
                open.pop();
                outline.push(')');
            }
            match dom.element(id) {
                Some(element) => outline.push_str(&format!(" {}(", &*element.name)),
                None => outline.push_str(&format!(" '{}'", dom.text(id).unwrap_or_default())),
            }
            if dom.element(id).is_some() {
                open.push(dom.node(id).end);
            }
        }
        outline + &")".repeat(open.len())
    }

    #[test]
    fn the_tree_is_what_a_reader_sees() {
        let html = "<title> A  page </title><style>p{}</style><script>if (a<b) f('</p>')</script>
            <body><!-- no --><noscript>no</noscript><template><p>no</template>
            <svg><title>no</title></svg><p>one <b>two</b> <i>three</i>\n four<p>five";
        assert_eq!(
            outline(html),
            " html( head( title( 'A page')) body( p( 'one' b( 'two') i( 'three') 'four') p( 'five')))"
        );
    }

    #[test]
    fn a_page_without_markup_has_a_body() {
        assert_eq!(outline("words"), " html( head() body( 'words'))");
        assert_eq!(outline(""), " html( head() body())");
    }

    #[test]
    fn broken_markup_becomes_the_tree_that_browsers_build() {
        assert_eq!(
            outline("<table>lost<tr><td>cell</table>"),
            " html( head() body( 'lost' table( tbody( tr( td( 'cell'))))))"
        );
        assert_eq!(
            outline("<b>1<p>2</b>3</p>"),
            " html( head() body( b( '1') p( b( '2') '3')))"
        );
    }

    #[test]
    fn subtrees_are_counted() {
        // html > head, body > p > ("ab", a > "cde", b > "f")
        let dom = parse("<p> ab <a href=/>cde</a><b>f</b>");
        let counts = Counts::of(&dom);
        let body = dom.body();
        assert_eq!(counts.chars[body], 6);
        assert_eq!(counts.link_chars[body], 3);
        assert_eq!(counts.tags[body], 3);
        assert_eq!(counts.link_tags[body], 1);
        assert!((counts.link_density(body) - 0.5).abs() < 1e-12);
        assert_eq!(dom.ancestors(dom.len() - 1).collect::<Vec<_>>().len(), 4);
    }

    #[test]
    fn elements_beyond_the_limit_of_depth_leave_their_text() {
        let deep = 100_000;
        let html = format!(
            "<p>top{}bottom{}",
            "<div>".repeat(deep),
            "</div>".repeat(deep)
        );
        let dom = parse(&(html + "after"));
        let texts: Vec<&str> = (0..dom.len()).filter_map(|id| dom.text(id)).collect();
        assert_eq!(texts, ["top", "bottom", "after"]);
        let depth = |text: &str| {
            let id = (0..dom.len()).find(|id| dom.text(*id) == Some(text));
            dom.node(id.expect("the text is there")).depth
        };
        assert_eq!(depth("bottom"), DEPTH);
        // Every end tag met its own start tag.
        assert_eq!(depth("after"), 2);
    }

    #[test]
    fn unclosed_formatting_does_not_multiply() {
        let unclosed: String = (0..20_000)
            .map(|n| format!("<p><font size={n}>x"))
            .collect();
        let dom = parse(&unclosed);
        let texts = (0..dom.len()).filter(|id| dom.text(*id).is_some()).count();
        // Each paragraph opens at most 32 of them again, and there are 500,000
        // nodes at most: a page that stops early, not one of 200 million nodes.
        assert!(texts > 10_000, "{texts}");
        assert!(dom.len() <= NODES + 100, "{}", dom.len());
    }

    #[test]
    fn the_page_ends_before_a_tag_of_endless_attributes() {
        let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
        // Quotes in scripts and comments do not hide it.
        for start in ["", "<script><a b='</script>", "<!-- <a b=\" -->"] {
            let page = format!("{start}<p>before<p{attributes} a='' b=\"\">after");
            assert!(outline(&page).contains("p( 'before')"), "{start}");
            assert!(!outline(&page).contains("after"), "{start}");
        }
        // Long values are no attributes.
        let page = format!("<p>one<img alt=\"{attributes}\"><p>two");
        assert!(outline(&page).ends_with(" p( 'two')))"));
    }
}
