//! Which nodes of a page are on other pages too.
//!
//! [Alarte 2.2], algorithm 1: from the root down, a node is mapped to every equal
//! node whose parent its parent is mapped to, and counts the pages where there is
//! one. So a node occurs in another page if that page has a node with an equal
//! path from the root, and that is how it is looked up: in a set of hashed paths.
//!
//! Where the paper is silent:
//!
//! - What makes two nodes equal is only said to be an equality. Here elements are
//!   equal that have one name, id and list of classes; a paragraph, heading or
//!   other element that ends a line and holds none that does is also compared by
//!   its text. Texts are compared as they read. Were paragraphs compared without
//!   their text, every article with a paragraph would be the template of all
//!   others, and its text alone, a node per paragraph, would not be.
//! - Algorithm 1 as printed adds to the counter for every equal node of a page,
//!   the text around it for every page. Here each page adds one.
//! - The root is `body`; `body` is equal to `body` whatever its classes, which
//!   often name the page.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use crate::Page;
use crate::dom::{Dom, Kind};

/// For every node the pages it occurs in; nodes outside `body` have none.
pub(super) fn occurrences(dom: &Dom, pages: &[&Page<'_>]) -> Vec<usize> {
    let paths = paths(dom);
    let mut occurrences = vec![0; dom.len()];
    for page in pages {
        let theirs: HashSet<u64> = page.glance(|dom| {
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

/// For every node in `body` a hash of what it and its ancestors are compared by.
fn paths(dom: &Dom) -> Vec<u64> {
    let body = dom.body();
    let leaf_blocks = dom.leaf_blocks();
    let mut paths = vec![0; dom.len()];
    for id in dom.subtree(body).skip(1) {
        // Its keys are fixed: the same in every run.
        let mut hasher = DefaultHasher::new();
        let node = dom.node(id);
        paths[node.parent].hash(&mut hasher);
        match &node.kind {
            Kind::Element(element) => {
                (&*element.name, &element.id, &element.class).hash(&mut hasher);
                if leaf_blocks[id] {
                    for text in dom.subtree(id).filter_map(|id| dom.text(id)) {
                        text.hash(&mut hasher);
                    }
                }
            }
            Kind::Text(text) => text.trim().hash(&mut hasher),
        }
        paths[id] = hasher.finish();
    }
    paths
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// Elements and texts of `body` with the number of pages they occur in.
    fn counted(key: &str, others: &[&str]) -> Vec<(String, usize)> {
        let dom = parse(key);
        let pages: Vec<Page<'_>> = others.iter().map(|html| Page::new("", html)).collect();
        let occurrences = occurrences(&dom, &pages.iter().collect::<Vec<_>>());
        (dom.subtree(dom.body()).skip(1))
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
    fn nodes_count_the_pages_that_have_an_equal_one() {
        let key = "<body class=k><ul id=m><li>Home<li>Tea</ul><div class=story><p>Leaves.</div>";
        // The first shares the menu, the second all but an item, in another order.
        let first = "<ul id=m><li>Home<li>Tea</ul><div class=story><p>Beans.</div>";
        let second = "<ul id=m><li>Milk<li>Home</ul><div class=other><p>Leaves.</div>";
        let counts = [
            ("ul", 2),
            ("li", 2),
            ("'Home'", 2),
            ("li", 1),
            ("'Tea'", 1),
            ("div", 1),
            // Compared by its text, as it ends a line and holds nothing that does.
            ("p", 0),
            ("'Leaves.'", 0),
        ]
        .map(|(name, count)| (name.to_owned(), count));
        assert_eq!(counted(key, &[first, second]), counts);
    }

    #[test]
    fn nothing_below_a_node_that_is_not_mapped_is() {
        let key = "<div id=a><div><p>Tea</div></div>";
        let other = "<div id=b><div><p>Tea</div></div>";
        let counts = counted(key, &[other]);
        assert_eq!(counts.len(), 4);
        assert!(counts.iter().all(|(_, count)| *count == 0), "{counts:?}");
    }
}
