//! The number of other pages in which each node of a page occurs.
//!
//! [Alarte 2.2], algorithm 1: from the root down, a node is mapped to every equal node
//! whose parent its own parent is mapped to. The pages with such a node are counted. A
//! node therefore occurs in another page if that page has a node with an equal path from
//! the root; it is looked up in a set of hashed paths.
//!
//! The paper leaves some points open. They are decided as follows:
//!
//! - The paper does not define the equality of two nodes. Here elements are equal if
//!   their name, id and list of classes are equal. A block without blocks inside, such as
//!   a paragraph or a heading, is also compared by its text. If paragraphs were compared
//!   without their text, every article with a paragraph would be template for all others;
//!   only the text node in each paragraph would not.
//! - Algorithm 1 as printed increments the counter for every equal node of a page; the
//!   text around it says for every page. Here each page adds one.
//! - The root is `body`. Two `body` elements are equal whatever their classes, which often
//!   name the page.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Page;
use crate::dom::{Dom, NodeKind};

/// Returns for every node the number of pages in which it occurs; 0 for nodes outside
/// `body`.
pub(super) fn occurrences(dom: &Dom, pages: &[&Page<'_>]) -> Vec<usize> {
    let paths = paths(dom);
    let mut occurrences = vec![0; dom.len()];
    for page in pages {
        let theirs: HashSet<u64> = page.with_dom(|dom| {
            self::paths(dom)[dom.subtree(dom.body())]
                .iter()
                .copied()
                .collect()
        });
        for id in dom.subtree(dom.body()) {
            occurrences[id] += usize::from(theirs.contains(&paths[id]));
        }
    }
    occurrences
}

/// Returns for every node in `body` a hash of its path: of the properties by which the
/// node and its ancestors are compared.
fn paths(dom: &Dom) -> Vec<u64> {
    let body = dom.body();
    let leaf_blocks = dom.leaf_blocks();
    let mut paths = vec![0; dom.len()];
    for id in dom.subtree(body).skip(1) {
        // The hasher has fixed keys, so hashes are the same in every run.
        let mut hasher = DefaultHasher::new();
        let node = dom.node(id);
        paths[node.parent].hash(&mut hasher);
        match &node.kind {
            NodeKind::Element(element) => {
                (&*element.name, &element.id, &element.class).hash(&mut hasher);
                if leaf_blocks[id] {
                    for text in dom.subtree(id).filter_map(|id| dom.text(id)) {
                        text.hash(&mut hasher);
                    }
                }
            }
            NodeKind::Text(text) => text.trim().hash(&mut hasher),
        }
        paths[id] = hasher.finish();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// The elements and texts of `body` with the number of pages in which they occur.
    fn counted(key: &str, others: &[&str]) -> Vec<(String, usize)> {
        let dom = parse(key);
        let pages: Vec<Page<'_>> = others.iter().map(|html| Page::new("", html)).collect();
        let occurrences = occurrences(&dom, &pages.iter().collect::<Vec<_>>());
        dom.subtree(dom.body())
            .skip(1)
            .map(|id| {
                let name = match dom.element(id) {
                    Some(element) => (*element.name).to_owned(),
                    None => format!("'{}'", dom.text(id).unwrap_or_default()),
                };
                (name, occurrences[id])
            })
            .collect()
    }

    #[test]
    fn a_node_counts_the_pages_with_an_equal_node() {
        let key = "<body class=k><ul id=m><li>Home<li>Tea</ul><div class=story><p>Leaves.</div>";
        // The first page has the same menu, the second a menu with one other item, in
        // another order.
        let first = "<ul id=m><li>Home<li>Tea</ul><div class=story><p>Beans.</div>";
        let second = "<ul id=m><li>Milk<li>Home</ul><div class=other><p>Leaves.</div>";
        let counts = [
            ("ul", 2),
            ("li", 2),
            ("'Home'", 2),
            ("li", 1),
            ("'Tea'", 1),
            ("div", 1),
            // A block without blocks inside is compared by its text.
            ("p", 0),
            ("'Leaves.'", 0),
        ]
        .map(|(name, count)| (name.to_owned(), count));
        assert_eq!(counted(key, &[first, second]), counts);
    }

    #[test]
    fn nodes_below_an_unmapped_node_are_not_mapped() {
        let key = "<div id=a><div><p>Tea</div></div>";
        let other = "<div id=b><div><p>Tea</div></div>";
        let counts = counted(key, &[other]);
        assert_eq!(counts.len(), 4);
        assert!(counts.iter().all(|(_, count)| *count == 0), "{counts:?}");
    }
}
