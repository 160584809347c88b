//! A page as a tree, laid out flat.
//!
//! Nodes stand in the order in which they are visited depth first, so a subtree
//! is a range, what is summed over subtrees takes one pass from the end, and
//! nothing here recurses.

use html5ever::LocalName;

/// A node by its place in the depth-first order. This is the *id* of a node in
/// [Laber 3]: the number of nodes visited before it.
pub(crate) type NodeId = usize;

/// The visible tree of a page: elements and texts. What a reader never sees
/// (scripts, style sheets, comments, templates, drawings) is left out, and of
/// `head` only `title` is there. A text of whitespace alone is no node.
#[derive(Debug)]
pub(crate) struct Dom {
    nodes: Vec<Node>,
    /// What links are relative to, if the page says so.
    pub(crate) base: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct Node {
    /// The root is its own parent.
    pub(crate) parent: NodeId,
    /// One past the last node of the subtree.
    pub(crate) end: NodeId,
    pub(crate) depth: usize,
    pub(crate) kind: Kind,
}

#[derive(Debug)]
pub(crate) enum Kind {
    Element(Element),
    /// Runs of whitespace are one space; there may be one at either end.
    Text(String),
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: LocalName,
    pub(crate) id: Box<str>,
    /// Classes in the order of the source, one space between them.
    pub(crate) class: Box<str>,
    /// Of `a` alone.
    pub(crate) href: Option<Box<str>>,
}

impl Dom {
    pub(crate) fn new(nodes: Vec<Node>, base: Option<Box<str>>) -> Self {
        debug_assert!(!nodes.is_empty());
        Self { nodes, base }
    }

    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id]
    }

    pub(crate) fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.nodes[id].kind {
            Kind::Element(element) => Some(element),
            Kind::Text(_) => None,
        }
    }

    pub(crate) fn is(&self, id: NodeId, name: &str) -> bool {
        self.element(id)
            .is_some_and(|element| &*element.name == name)
    }

    /// The text of a text node, without whitespace around it.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].kind {
            Kind::Text(text) => Some(text.trim()),
            Kind::Element(_) => None,
        }
    }

    /// `body`, or the root of a page of frames.
    pub(crate) fn body(&self) -> NodeId {
        self.children(0)
            .find(|child| self.is(*child, "body"))
            .unwrap_or(0)
    }

    pub(crate) fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.nodes[id].end;
        let first = Some(id + 1).filter(|first| *first < end);
        std::iter::successors(first, move |child| {
            Some(self.nodes[*child].end).filter(|next| *next < end)
        })
    }

    /// From the parent up to and with the root.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let up = |id: NodeId| Some(self.nodes[id].parent).filter(|parent| *parent != id);
        std::iter::successors(up(id), move |id| up(*id))
    }

    /// The node itself is in its subtree.
    pub(crate) fn subtree(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id..self.nodes[id].end
    }

    pub(crate) fn contains(&self, ancestor: NodeId, id: NodeId) -> bool {
        self.subtree(ancestor).contains(&id)
    }

    /// For every element, whether it ends a line of text and no element in it
    /// does: a paragraph, a heading, an item of a list without lists in it.
    pub(crate) fn leaf_blocks(&self) -> Vec<bool> {
        let mut blocks: Vec<bool> = (0..self.len())
            .map(|id| self.element(id).is_some_and(|e| !is_inline(&e.name)))
            .collect();
        let mut holds_block = vec![false; self.len()];
        for id in (1..self.len()).rev() {
            if blocks[id] || holds_block[id] {
                holds_block[self.nodes[id].parent] = true;
            }
        }
        for (block, holds) in blocks.iter_mut().zip(holds_block) {
            *block &= !holds;
        }
        blocks
    }
}

/// What is counted in every subtree.
#[derive(Debug)]
pub(crate) struct Counts {
    /// Characters of the texts, whitespace around each left out.
    pub(crate) chars: Vec<usize>,
    /// Those inside `a`.
    pub(crate) link_chars: Vec<usize>,
    /// Elements below the node.
    pub(crate) tags: Vec<usize>,
    /// `a` below the node.
    pub(crate) link_tags: Vec<usize>,
}

impl Counts {
    pub(crate) fn of(dom: &Dom) -> Self {
        let mut counts = Self {
            chars: vec![0; dom.len()],
            link_chars: vec![0; dom.len()],
            tags: vec![0; dom.len()],
            link_tags: vec![0; dom.len()],
        };
        let mut in_link = vec![false; dom.len()];
        for id in 0..dom.len() {
            in_link[id] = dom.is(id, "a") || in_link[dom.node(id).parent];
        }
        for id in (0..dom.len()).rev() {
            if let Some(text) = dom.text(id) {
                counts.chars[id] = text.chars().count();
                counts.link_chars[id] = if in_link[id] { counts.chars[id] } else { 0 };
            }
            let parent = dom.node(id).parent;
            if parent == id {
                continue;
            }
            counts.chars[parent] += counts.chars[id];
            counts.link_chars[parent] += counts.link_chars[id];
            counts.tags[parent] += counts.tags[id] + usize::from(dom.element(id).is_some());
            counts.link_tags[parent] += counts.link_tags[id] + usize::from(dom.is(id, "a"));
        }
        counts
    }

    /// Characters inside `a` over all characters; 0 where there is no text.
    pub(crate) fn link_density(&self, id: NodeId) -> f64 {
        match self.chars[id] {
            0 => 0.0,
            chars => self.link_chars[id] as f64 / chars as f64,
        }
    }
}

/// Laid out inside a line of text.
pub(crate) fn is_inline(name: &str) -> bool {
    matches!(
        name,
        "a" | "abbr"
            | "acronym"
            | "b"
            | "bdi"
            | "bdo"
            | "big"
            | "cite"
            | "code"
            | "data"
            | "del"
            | "dfn"
            | "em"
            | "font"
            | "i"
            | "img"
            | "ins"
            | "kbd"
            | "label"
            | "mark"
            | "nobr"
            | "q"
            | "rp"
            | "rt"
            | "ruby"
            | "s"
            | "samp"
            | "small"
            | "span"
            | "strike"
            | "strong"
            | "sub"
            | "sup"
            | "time"
            | "tt"
            | "u"
            | "var"
            | "wbr"
    )
}
