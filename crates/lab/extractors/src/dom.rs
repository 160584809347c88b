//! A page as a tree in a flat array.
//!
//! Nodes are in depth-first order. A subtree is therefore a range of indices, sums over
//! subtrees need one pass from the end, and nothing recurses.

use html5ever::LocalName;

/// The index of a node in depth-first order. This is the *id* of a node in [Laber 3]: the
/// number of nodes visited before it.
pub(crate) type NodeId = usize;

/// The visible tree of a page: elements and texts.
///
/// Invisible elements (scripts, style sheets, comments, templates, drawings) are left
/// out, and of `head` only `title` is kept. Texts of only whitespace have no node.
#[derive(Debug)]
pub(crate) struct Dom {
    nodes: Vec<Node>,
    /// The `href` of the first `base`, which links are relative to.
    pub(crate) base: Option<Box<str>>,
}

#[derive(Debug)]
pub(crate) struct Node {
    /// The root is its own parent.
    pub(crate) parent: NodeId,
    /// One past the last node of the subtree.
    pub(crate) end: NodeId,
    pub(crate) depth: usize,
    pub(crate) kind: NodeKind,
}

#[derive(Debug)]
pub(crate) enum NodeKind {
    Element(Element),
    /// A text with runs of whitespace replaced by one space, also at either end.
    Text(String),
}

#[derive(Debug)]
pub(crate) struct Element {
    pub(crate) name: LocalName,
    pub(crate) id: Box<str>,
    /// The classes in source order, separated by one space.
    pub(crate) class: Box<str>,
    /// The target of an `a`; `None` for other elements.
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
            NodeKind::Element(element) => Some(element),
            NodeKind::Text(_) => None,
        }
    }

    pub(crate) fn is(&self, id: NodeId, name: &str) -> bool {
        self.element(id)
            .is_some_and(|element| &*element.name == name)
    }

    /// The text of a text node, trimmed.
    pub(crate) fn text(&self, id: NodeId) -> Option<&str> {
        match &self.nodes[id].kind {
            NodeKind::Text(text) => Some(text.trim()),
            NodeKind::Element(_) => None,
        }
    }

    /// The `body`, or the root if there is none, as on a page of frames.
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

    /// The ancestors, from the parent to the root.
    pub(crate) fn ancestors(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let up = |id: NodeId| Some(self.nodes[id].parent).filter(|parent| *parent != id);
        std::iter::successors(up(id), move |id| up(*id))
    }

    /// The ids of a subtree, which includes the node itself.
    pub(crate) fn subtree(&self, id: NodeId) -> std::ops::Range<NodeId> {
        id..self.nodes[id].end
    }

    pub(crate) fn contains(&self, ancestor: NodeId, id: NodeId) -> bool {
        self.subtree(ancestor).contains(&id)
    }

    /// Returns for every node whether it is a block without blocks inside: an element
    /// that ends a line of text and contains no other such element, for example a
    /// paragraph, a heading, or an item of a list.
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

/// Counts of every subtree, by node id.
#[derive(Debug)]
pub(crate) struct SubtreeCounts {
    /// Characters of the trimmed texts.
    pub(crate) chars: Vec<usize>,
    /// Characters inside `a`.
    pub(crate) link_chars: Vec<usize>,
    /// Elements below the node.
    pub(crate) tags: Vec<usize>,
    /// `a` elements below the node.
    pub(crate) link_tags: Vec<usize>,
}

impl SubtreeCounts {
    pub(crate) fn new(dom: &Dom) -> Self {
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

    /// Characters inside `a` over all characters; 0 if there is no text.
    pub(crate) fn link_density(&self, id: NodeId) -> f64 {
        match self.chars[id] {
            0 => 0.0,
            chars => self.link_chars[id] as f64 / chars as f64,
        }
    }
}

/// Whether an element is laid out inside a line of text.
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
