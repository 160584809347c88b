//! The nodes of a page, for measures that count nodes.

use std::ops::Range;

use crate::Page;
use crate::dom::Dom;

/// The visible nodes of a page, elements and texts, from `body` on. An id is the number of nodes
/// before it in document order, so the nodes below an element follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageNodes {
    /// The id of `body`.
    first: usize,
    /// One past the last node below each node.
    ends: Vec<usize>,
    /// The text nodes with their texts, in document order.
    texts: Vec<(usize, String)>,
}

impl PageNodes {
    /// Returns the nodes of a page.
    #[must_use]
    pub fn of(page: &Page<'_>) -> Self {
        page.with_dom(Self::of_dom)
    }

    fn of_dom(dom: &Dom) -> Self {
        let body = dom.subtree(dom.body());
        Self {
            first: body.start,
            ends: body.clone().map(|id| dom.subtree(id).end).collect(),
            texts: body
                .filter_map(|id| Some((id, dom.text(id)?.to_owned())))
                .collect(),
        }
    }

    /// The ids of all nodes.
    #[must_use]
    pub fn ids(&self) -> Range<usize> {
        self.first..self.first + self.ends.len()
    }

    /// The ids of a node and of all nodes below it; empty for an id of no node.
    #[must_use]
    pub fn subtree(&self, id: usize) -> Range<usize> {
        let end = id.checked_sub(self.first).and_then(|at| self.ends.get(at));
        id..end.copied().unwrap_or(id)
    }

    /// The text nodes with their ids, in document order.
    pub fn texts(&self) -> impl ExactSizeIterator<Item = (usize, &str)> {
        self.texts.iter().map(|(id, text)| (*id, text.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Site, by_name};

    const PAGE: &str = "<title>No node</title><body><ul><li>Home</ul><div><h1>Leaves of Assam</h1>
        <p>Tea is a drink that is made by pouring hot water over leaves of the tea plant.
        <p>After water it is the drink that people drink most.</div>";

    #[test]
    fn nodes_are_those_of_the_body_in_document_order() {
        let nodes = PageNodes::of(&Page::new("http://a.example/", PAGE));
        let texts: Vec<&str> = nodes.texts().map(|(_, text)| &text[..3]).collect();
        assert_eq!(texts, ["Hom", "Lea", "Tea", "Aft"]);
        // body, ul, li, its text, div, and three elements with a text each.
        assert_eq!(nodes.ids().len(), 11);
        let body = nodes.ids().start;
        assert_eq!(nodes.subtree(body), nodes.ids());
        assert_eq!(nodes.subtree(body + 1), body + 1..body + 4);
        assert!(nodes.subtree(0).is_empty() && nodes.subtree(99).is_empty());
    }

    #[test]
    fn a_method_on_a_tree_names_the_nodes_that_it_counts() {
        for method in ["nce", "cetd", "cetd-ds"] {
            let page = Page::new("http://a.example/", PAGE);
            let method = by_name(method).expect("a name");
            let found = method.extract(&page, &Site::default()).expect("a text");
            let kept = found.kept.expect("nodes");
            let nodes = PageNodes::of(&page);
            assert_eq!(Some(kept.len()), found.nodes, "{}", method.name());
            for (id, text) in nodes.texts() {
                assert_eq!(kept.contains(&id), found.text.contains(text), "{text}");
            }
        }
    }
}
