//! The tree html5ever builds, in an arena.

use std::borrow::Cow;
use std::cell::{Cell, Ref, RefCell};

use ego_tree::{NodeId, Tree};
use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::{Attribute, QualName};

pub(crate) type Handle = NodeId;
pub(crate) type PartTree = Tree<Part>;

/// A node of the tree.
#[derive(Debug)]
pub(crate) enum Part {
    Element(Box<ElementPart>),
    Text(String),
    /// The document, and what the tree builder wants a node for.
    Other,
}

/// An element with the attributes that extractors look at.
#[derive(Debug)]
pub(crate) struct ElementPart {
    pub(crate) name: QualName,
    pub(crate) id: Box<str>,
    pub(crate) class: Box<str>,
    pub(crate) href: Option<Box<str>>,
    /// Elements around it when it was put into the tree.
    depth: usize,
}

/// Takes what the tree builder makes.
#[derive(Debug)]
pub(crate) struct TreeOfParts {
    tree: RefCell<PartTree>,
    /// Stands for what is no element.
    no_name: RefCell<QualName>,
    depth: Cell<usize>,
}

impl Default for TreeOfParts {
    fn default() -> Self {
        Self {
            tree: RefCell::new(Tree::new(Part::Other)),
            no_name: RefCell::new(QualName::new(
                None,
                html5ever::ns!(),
                html5ever::local_name!(""),
            )),
            depth: Cell::new(0),
        }
    }
}

impl TreeOfParts {
    pub(crate) fn into_tree(self) -> PartTree {
        self.tree.into_inner()
    }

    /// Elements around the place where text would go.
    pub(crate) fn depth(&self) -> usize {
        self.depth.get()
    }

    /// Nodes made so far.
    pub(crate) fn len(&self) -> usize {
        self.tree.borrow().nodes().len()
    }

    fn depth_of(tree: &PartTree, id: NodeId) -> usize {
        match tree.get(id).map(|node| node.value()) {
            Some(Part::Element(element)) => element.depth,
            _ => 0,
        }
    }
}

impl TreeSink for TreeOfParts {
    type Handle = Handle;
    type Output = PartTree;
    type ElemName<'a> = Ref<'a, QualName>;

    fn finish(self) -> PartTree {
        self.into_tree()
    }

    fn get_document(&self) -> Handle {
        self.tree.borrow().root().id()
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> Ref<'a, QualName> {
        let name = Ref::filter_map(self.tree.borrow(), |tree| {
            match tree.get(*target).map(|node| node.value()) {
                Some(Part::Element(element)) => Some(&element.name),
                _ => None,
            }
        });
        name.unwrap_or_else(|_| self.no_name.borrow())
    }

    fn create_element(&self, name: QualName, attrs: Vec<Attribute>, _: ElementFlags) -> Handle {
        let value = |wanted: &str| {
            (attrs.iter())
                .find(|attribute| &*attribute.name.local == wanted)
                .map(|attribute| &*attribute.value)
        };
        let class: Vec<&str> = value("class").unwrap_or("").split_whitespace().collect();
        let element = ElementPart {
            id: value("id").unwrap_or("").trim().into(),
            class: class.join(" ").into(),
            href: value("href").map(Box::from),
            depth: 0,
            name,
        };
        let part = Part::Element(Box::new(element));
        self.tree.borrow_mut().orphan(part).id()
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.tree.borrow_mut().orphan(Part::Other).id()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.tree.borrow_mut().orphan(Part::Other).id()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        let tree = &mut *self.tree.borrow_mut();
        let depth = Self::depth_of(tree, *parent);
        match child {
            NodeOrText::AppendNode(id) => {
                if let Some(mut node) = tree.get_mut(id) {
                    node.detach();
                    if let Part::Element(element) = node.value() {
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
                    && let Part::Text(before) = last.value()
                {
                    before.push_str(&text);
                    return;
                }
                parent.append(Part::Text(text.to_string()));
            }
        }
    }

    fn append_based_on_parent_node(
        &self,
        element: &Handle,
        prev_element: &Handle,
        child: NodeOrText<Handle>,
    ) {
        let has_parent = (self.tree.borrow().get(*element)).is_some_and(|e| e.parent().is_some());
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
                    if let Part::Element(element) = node.value() {
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
                    && let Part::Text(before) = before.value()
                {
                    before.push_str(&text);
                    return;
                }
                sibling.insert_before(Part::Text(text.to_string()));
            }
        }
    }

    fn pop(&self, node: &Handle) {
        let depth = Self::depth_of(&self.tree.borrow(), *node);
        self.depth.set(depth.saturating_sub(1));
    }

    fn get_template_contents(&self, target: &Handle) -> Handle {
        // Not seen by a reader, so it may lie where the element does.
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
