//! Parsing of HTML into a [`Dom`].

use ego_tree::iter::Edge;
use html5ever::tokenizer::{Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};

use crate::dom::{Dom, Element, Node, NodeKind};
use crate::feed::feed;
use crate::limits::LimitingSink;
use crate::tree::{Arena, ArenaNode, ArenaSink};

/// Parses a page. Every input gives a tree.
pub(crate) fn parse(html: &str) -> Dom {
    let options = TreeBuilderOpts {
        // With scripting, the content of `noscript` is one text that is not visible.
        scripting_enabled: true,
        ..TreeBuilderOpts::default()
    };
    let limits = LimitingSink::new(TreeBuilder::new(ArenaSink::default(), options));
    let tokenizer = Tokenizer::new(limits, TokenizerOpts::default());
    feed(html, &tokenizer);
    tokenizer.end();
    flatten(&tokenizer.sink.into_tree())
}

/// Whether the content of an element is never visible.
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

/// Copies the visible part of the tree into depth-first order.
fn flatten(tree: &Arena) -> Dom {
    let mut nodes: Vec<Node> = Vec::with_capacity(tree.nodes().len());
    let mut open: Vec<usize> = Vec::new();
    let mut base = None;
    // The element whose subtree is being skipped.
    let mut hidden = None;
    let mut in_head = false;
    for edge in tree.root().traverse() {
        match edge {
            Edge::Open(node) if hidden.is_none() => match node.value() {
                ArenaNode::Element(parsed) => {
                    let name = &*parsed.name.local;
                    if base.is_none() && name == "base" {
                        base.clone_from(&parsed.href);
                    }
                    if is_invisible(name) || (in_head && name != "title") {
                        hidden = Some(node.id());
                        continue;
                    }
                    in_head |= name == "head";
                    let element = Element {
                        name: parsed.name.local.clone(),
                        id: parsed.id.clone(),
                        class: parsed.class.clone(),
                        href: parsed.href.clone().filter(|_| name == "a"),
                    };
                    let id = push(&mut nodes, &open, NodeKind::Element(element));
                    open.push(id);
                }
                ArenaNode::Text(text) => {
                    let text = squeeze(text);
                    if text != " " {
                        push(&mut nodes, &open, NodeKind::Text(text));
                    } else if let Some(Node {
                        kind: NodeKind::Text(before),
                        ..
                    }) = nodes.last_mut()
                        && !before.ends_with(' ')
                    {
                        before.push(' ');
                    }
                }
                ArenaNode::Other => {}
            },
            Edge::Close(node) if hidden == Some(node.id()) => hidden = None,
            Edge::Close(node) if hidden.is_none() => {
                if let ArenaNode::Element(parsed) = node.value() {
                    in_head &= &*parsed.name.local != "head";
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

fn push(nodes: &mut Vec<Node>, open: &[usize], kind: NodeKind) -> usize {
    let id = nodes.len();
    nodes.push(Node {
        parent: open.last().copied().unwrap_or(id),
        end: id + 1,
        depth: open.len(),
        kind,
    });
    id
}

/// Replaces runs of whitespace by one space.
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
    use crate::dom::SubtreeCounts;
    use crate::limits::{DEPTH, NODES};

    /// Formats a tree on one line: element names with their children in parentheses, and
    /// quoted texts.
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
    fn the_tree_has_only_visible_nodes() {
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
    fn broken_markup_gives_the_tree_of_a_browser() {
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
        let counts = SubtreeCounts::new(&dom);
        let body = dom.body();
        assert_eq!(counts.chars[body], 6);
        assert_eq!(counts.link_chars[body], 3);
        assert_eq!(counts.tags[body], 3);
        assert_eq!(counts.link_tags[body], 1);
        assert!((counts.link_density(body) - 0.5).abs() < 1e-12);
        assert_eq!(dom.ancestors(dom.len() - 1).collect::<Vec<_>>().len(), 4);
    }

    #[test]
    fn text_below_the_depth_limit_is_kept() {
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
        // Every end tag closed its own start tag.
        assert_eq!(depth("after"), 2);
    }

    #[test]
    fn unclosed_formatting_elements_are_limited() {
        let unclosed: String = (0..20_000)
            .map(|n| format!("<p><font size={n}>x"))
            .collect();
        let dom = parse(&unclosed);
        let texts = (0..dom.len()).filter(|id| dom.text(*id).is_some()).count();
        // Each paragraph reopens at most 32 of them, and the tree has at most 500,000
        // nodes, not 200 million.
        assert!(texts > 10_000, "{texts}");
        assert!(dom.len() <= NODES + 100, "{}", dom.len());
    }

    #[test]
    fn the_page_ends_before_a_tag_with_too_many_attributes() {
        let attributes: String = (0..100_000).map(|n| format!(" a{n}")).collect();
        // Quotes in scripts and comments do not hide the tag.
        for start in ["", "<script><a b='</script>", "<!-- <a b=\" -->"] {
            let page = format!("{start}<p>before<p{attributes} a='' b=\"\">after");
            assert!(outline(&page).contains("p( 'before')"), "{start}");
            assert!(!outline(&page).contains("after"), "{start}");
        }
        // A long value does not count as attributes.
        let page = format!("<p>one<img alt=\"{attributes}\"><p>two");
        assert!(outline(&page).ends_with(" p( 'two')))"));
    }
}
