//! The tree that html5ever builds, in an arena.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use ego_tree::{NodeId, Tree};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName};

pub(crate) type Handle = NodeId;
pub(crate) type Arena = Tree<ArenaNode>;

/// A node of the tree.
#[derive(Debug)]
pub(crate) enum ArenaNode {
    Element(Box<ArenaElement>),
    Text(String),
    /// The document, or another node that the tree builder needs, such as a comment.
    Other,
}

/// An element with the attributes that extractors use.
#[derive(Debug)]
pub(crate) struct ArenaElement {
    pub(crate) name: QualName,
    pub(crate) id: Box<str>,
    pub(crate) class: Box<str>,
    pub(crate) href: Option<Box<str>>,
    /// The number of ancestors when it was inserted into the tree.
    depth: usize,
}

/// The sink of html5ever's tree builder.
#[derive(Debug)]
pub(crate) struct ArenaSink {
    tree: RefCell<Arena>,
    /// The name of nodes that are not elements.
    no_name: RefCell<QualName>,
    depth: Cell<usize>,
}

impl Default for ArenaSink {
    fn default() -> Self {
        Self {
            tree: RefCell::new(Tree::new(ArenaNode::Other)),
            no_name: RefCell::new(QualName::new(
                None,
                html5ever::ns!(),
                html5ever::local_name!(""),
            )),
            depth: Cell::new(0),
        }
    }
}

impl ArenaSink {
    pub(crate) fn into_tree(self) -> Arena {
        self.tree.into_inner()
    }

    /// The number of elements around the current insertion point.
    pub(crate) fn depth(&self) -> usize {
        self.depth.get()
    }

    /// The number of nodes created so far.
    pub(crate) fn len(&self) -> usize {
        self.tree.borrow().nodes().len()
    }

    fn depth_of(tree: &Arena, id: NodeId) -> usize {
        match tree.get(id).map(|node| node.value()) {
            Some(ArenaNode::Element(element)) => element.depth,
            _ => 0,
        }
    }
}

impl TreeSink for ArenaSink {
    type Handle = Handle;
    type Output = Arena;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> Arena {
        self.into_tree()
    }

    fn get_document(&self) -> Handle {
        self.tree.borrow().root().id()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Ref<'a, QualName> {
        let name = Ref::filter_map(self.tree.borrow(), |tree| {
            match tree.get(*target).map(|node| node.value()) {
                Some(ArenaNode::Element(element)) => Some(&element.name),
                _ => None,
            }
        });
        name.unwrap_or_else(|_| self.no_name.borrow())
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Handle {
        let value = |wanted: &str| {
            attrs
                .iter()
                .find(|attribute| &*attribute.name.local == wanted)
                .map(|attribute| &*attribute.value)
        };
        let class: Vec<&str> = value("class").unwrap_or("").split_whitespace().collect();
        let element = ArenaElement {
            id: value("id").unwrap_or("").trim().into(),
            class: class.join(" ").into(),
            href: value("href").map(Box::from),
            depth: 0,
            name,
        };
        let node = ArenaNode::Element(Box::new(element));
        self.tree.borrow_mut().orphan(node).id()
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.tree.borrow_mut().orphan(ArenaNode::Other).id()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.tree.borrow_mut().orphan(ArenaNode::Other).id()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let tree = &mut *self.tree.borrow_mut();
        let depth = Self::depth_of(tree, *parent);
        match child {
            NodeOrText::AppendNode(id) => {
                if let Some(mut node) = tree.get_mut(id) {
                    node.detach();
                    if let ArenaNode::Element(element) = node.value() {
                        element.depth = depth + 1;
                        self.depth.set(depth + 1);
                    }
                }
                if let Some(mut parent) = tree.get_mut(*parent) {
                    parent.append_id(id);
                }
            }
            NodeOrText::AppendText(text) => {
                self.depth.set(depth);
                let Some(mut parent) = tree.get_mut(*parent) else {
                    return;
                };
                if let Some(mut last) = parent.last_child()
                    && let ArenaNode::Text(before) = last.value()
                {
                    before.push_str(&text);
                    return;
                }
                parent.append(ArenaNode::Text(text.to_string()));
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = self
            .tree
            .borrow()
            .get(*element)
            .is_some_and(|e| e.parent().is_some());
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(prev_element, child);
        }
    }

    fn append_before_sibling(&self, sibling: &Handle, new_node: NodeOrText<Handle>) {
        let tree = &mut *self.tree.borrow_mut();
        let depth = Self::depth_of(tree, *sibling);
        match new_node {
            NodeOrText::AppendNode(id) => {
                if let Some(mut node) = tree.get_mut(id) {
                    node.detach();
                    if let ArenaNode::Element(element) = node.value() {
                        element.depth = depth;
                        self.depth.set(depth);
                    }
                }
                if let Some(mut sibling) = tree.get_mut(*sibling) {
                    sibling.insert_id_before(id);
                }
            }
            NodeOrText::AppendText(text) => {
                let Some(mut sibling) = tree.get_mut(*sibling) else {
                    return;
                };
                if let Some(mut before) = sibling.prev_sibling()
                    && let ArenaNode::Text(before) = before.value()
                {
                    before.push_str(&text);
                    return;
                }
                sibling.insert_before(ArenaNode::Text(text.to_string()));
            }
        }
    }

    fn pop(&self, node: &Handle) {
        let depth = Self::depth_of(&self.tree.borrow(), *node);
        self.depth.set(depth.saturating_sub(1));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        // The content is invisible, so it may be in the element itself.
        *target
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x == y
    }

    fn remove_from_parent(&self, target: &Handle) {
        if let Some(mut node) = self.tree.borrow_mut().get_mut(*target) {
            node.detach();
        }
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        if let Some(mut parent) = self.tree.borrow_mut().get_mut(*new_parent) {
            parent.reparent_from_id_append(*node);
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}
    fn set_quirks_mode(&self, _: QuirksMode) {}
    fn add_attrs_if_missing(&self, _: &Handle, _: Vec<Attribute>) {}
    fn parse_error(&self, _: Cow<'static, str>) {}
}
