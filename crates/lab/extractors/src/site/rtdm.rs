//! Template as the nodes that a restricted top-down mapping finds in every page.
//!
//! K. Vieira, A. S. da Silva, N. Pinto, E. S. de Moura, J. M. B. Cavalcanti, J. Freire: "A
//! Fast and Robust Method for Web Page Template Detection and Removal", CIKM 2006,
//! pp. 258-267 (RTDM-TD), with the mapping of D. C. Reis, P. B. Golgher, A. S. Silva,
//! A. H. F. Laender: "Automatic Web News Extraction Using Tree Edit Distance", WWW 2004,
//! pp. 502-511 (RTDM), as described in sections 4 and 5 of [Alarte] (see `alarte`): a
//! top-down variant of the tree edit distance maps the trees of the pages, and the nodes
//! that are in all of them are the template. The definitions are from general knowledge of
//! the papers.
//!
//! 1. The template is at first the whole page.
//! 2. It is mapped to each other page in turn. Of the template, the nodes that are mapped to
//!    an equal node are retained.
//! 3. The nodes outside the template are the content.
//!
//! A mapping is *top-down* if the parents of two mapped nodes are mapped to each other, it
//! keeps the order of siblings, and it is *restricted* if nothing is mapped below two nodes
//! that are not equal. Every inserted, deleted or replaced node costs 1, so the mapping of
//! least cost is one that retains most nodes. See [`Mapping`] for its computation.
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - Elements are equal if their name, id and list of classes are equal, texts if their
//!   words are. The roots are `body`; two `body` elements are always equal.
//! - The paper learns the template from a sample of a site's pages once, and then removes it
//!   from each page by another mapping. Here the page itself begins the template, so one
//!   mapping per other page does both.
//! - The other pages are chosen as in [Alarte 2.1], four of them.
//! - The mapping takes time that is quadratic in the number of siblings. See [`CELLS`].

use std::collections::HashMap;

use super::labels::{hash, labels};
use super::{PageChoice, body_with_text, neighbours, outside};
use crate::dom::{Dom, NodeId};
use crate::options::{OptionProblem, Options};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Keeps the nodes that a top-down mapping does not find in all of four linked pages. See
/// the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct RtdmTd {
    /// The pages to compare with.
    pub choice: PageChoice,
}

impl RtdmTd {
    /// Four linked pages.
    pub const DEFAULT: Self = Self {
        choice: PageChoice::PUBLISHED,
    };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let choice = PageChoice::from_options(options)?;
        Ok(Self { choice })
    }
}

impl Extractor for RtdmTd {
    fn name(&self) -> &'static str {
        "rtdm-td"
    }

    fn summary(&self) -> &'static str {
        "nodes that a top-down mapping does not find in all of four linked pages"
    }

    fn reference(&self) -> &'static str {
        "K. Vieira et al.: A Fast and Robust Method for Web Page Template Detection and \
         Removal. CIKM 2006, pp. 258-267"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let body = body_with_text(dom)?;
        let pages = neighbours::neighbours(page, site, self.choice, self.name())?;
        let mut template = vec![false; dom.len()];
        template[body].fill(true);
        for other in pages {
            template = other.with_dom(|other| Mapping::new(dom, &template, other).retained());
        }
        Ok(outside(dom, &template))
    }
}

/// The most pairs of siblings that are compared for one mapping. The children of further
/// nodes are mapped only to identical subtrees, the first that follows. Lower: large pages
/// are mapped less well. Higher: more time and memory: up to 50 bytes and some
/// nanoseconds per pair.
const CELLS: usize = 1_000_000;

/// The most children that are looked at for one mapping, each once for every pair of nodes
/// above it. Nothing is mapped below further pairs.
const STEPS: usize = 4_000_000;

/// No pair.
const NONE: u32 = u32::MAX;

/// The computation of a mapping that retains most nodes.
///
/// Pairs of nodes that could be mapped are listed from the roots down: identical subtrees
/// are mapped whole, and the remaining children of two equal nodes are paired if they are
/// equal. Then the pairs are solved from the last to the first: the children of a pair are
/// aligned as two sequences, where two children weigh the nodes that are retained if they
/// are mapped. At last the alignments are followed from the roots down.
struct Mapping<'d> {
    left: Tree<'d>,
    right: Tree<'d>,
    pairs: Vec<Pair>,
    cells: usize,
    steps: usize,
}

/// One of the two trees.
struct Tree<'d> {
    dom: &'d Dom,
    /// Whether each node is in the tree.
    is_in: Option<&'d [bool]>,
    /// Hashes of the label of each node.
    labels: Vec<u64>,
    /// Hashes of the subtree at each node.
    subtrees: Vec<u64>,
    /// The nodes of each subtree.
    sizes: Vec<u32>,
}

/// Two equal nodes that could be mapped.
struct Pair {
    left: NodeId,
    /// The most nodes that are retained in both subtrees.
    total: u32,
    /// The children, if any of them can be mapped.
    children: Option<Box<Children>>,
}

/// The children of a pair.
#[derive(Default)]
struct Children {
    /// Roots of left subtrees that are mapped whole.
    identical: Vec<NodeId>,
    /// The other children on the left, in order.
    left: Vec<NodeId>,
    /// The number of the other children on the right.
    width: usize,
    /// The pair of each two of the other children: [`NONE`] if they are not equal,
    /// [`IDENTICAL`] if their subtrees are identical.
    choices: Vec<u32>,
    /// The most nodes that are retained at the beginning of both sequences, by the
    /// numbers of children.
    retained: Vec<u32>,
}

/// The mark of two identical subtrees.
const IDENTICAL: u32 = u32::MAX - 1;

impl<'d> Mapping<'d> {
    /// Computes the mapping of the nodes of `left` that are in `is_in` to those of `right`.
    fn new(left: &'d Dom, is_in: &'d [bool], right: &'d Dom) -> Self {
        let mut mapping = Self {
            left: Tree::new(left, Some(is_in)),
            right: Tree::new(right, None),
            pairs: Vec::new(),
            cells: CELLS,
            steps: STEPS,
        };
        mapping.list_pairs();
        mapping.solve();
        mapping
    }

    fn list_pairs(&mut self) {
        let mut found = vec![(self.left.dom.body(), self.right.dom.body())];
        let mut at = 0;
        while let Some((left, right)) = found.get(at).copied() {
            let children = self.children(left, right, &mut found);
            let is_mapped = !children.identical.is_empty()
                || children.choices.iter().any(|choice| *choice != NONE);
            self.pairs.push(Pair {
                left,
                total: 1,
                children: is_mapped.then(|| Box::new(children)),
            });
            at += 1;
        }
    }

    /// Compares the children of two equal nodes. Pairs of children are added to `found`.
    fn children(
        &mut self,
        left: NodeId,
        right: NodeId,
        found: &mut Vec<(NodeId, NodeId)>,
    ) -> Children {
        let mut compared = Children::default();
        if self.steps == 0 {
            return compared;
        }
        let mut children = self.left.children(left);
        let mut others = self.right.children(right);
        self.steps = self.steps.saturating_sub(children.len() + others.len());
        let same = |a: &NodeId, b: &NodeId| self.left.subtrees[*a] == self.right.subtrees[*b];
        // It is optimal to map identical first or last children to each other.
        let first = (children.iter().zip(&others))
            .take_while(|(a, b)| same(a, b))
            .count();
        let rest = children.len().min(others.len()) - first;
        let last = (children.iter().rev().zip(others.iter().rev()))
            .take(rest)
            .take_while(|(a, b)| same(a, b))
            .count();
        let tail = children.split_off(children.len() - last);
        compared.identical.extend(children.drain(..first));
        compared.identical.extend(tail);
        others.truncate(others.len() - last);
        others.drain(..first);
        let cells = children.len() * others.len();
        if cells > self.cells {
            let identical = self.first_identical(&children, &others);
            compared.identical.extend(identical);
            return compared;
        }
        for a in &children {
            for b in &others {
                compared.choices.push(if same(a, b) {
                    IDENTICAL
                } else if self.left.labels[*a] == self.right.labels[*b] {
                    found.push((*a, *b));
                    u32::try_from(found.len() - 1).unwrap_or(NONE)
                } else {
                    NONE
                });
            }
        }
        self.cells -= cells;
        compared.width = others.len();
        compared.left = children;
        compared
    }

    /// Maps each of many children to the first identical one after those already mapped.
    fn first_identical(&self, children: &[NodeId], others: &[NodeId]) -> Vec<NodeId> {
        let mut places: HashMap<u64, Vec<usize>> = HashMap::new();
        for (at, other) in others.iter().enumerate().rev() {
            places
                .entry(self.right.subtrees[*other])
                .or_default()
                .push(at);
        }
        let mut next = 0;
        let mut mapped = Vec::new();
        for child in children {
            let Some(places) = places.get_mut(&self.left.subtrees[*child]) else {
                continue;
            };
            while places.last().is_some_and(|place| *place < next) {
                places.pop();
            }
            if let Some(place) = places.pop() {
                next = place + 1;
                mapped.push(*child);
            }
        }
        mapped
    }

    /// Aligns the children of each pair. The pairs of children come after their pair.
    fn solve(&mut self) {
        for number in (0..self.pairs.len()).rev() {
            let Some(mut children) = self.pairs[number].children.take() else {
                continue;
            };
            let (height, width) = (children.left.len(), children.width);
            let row = width + 1;
            let mut retained = vec![0; (height + 1) * row];
            for (at, choice) in children.choices.iter().enumerate() {
                let (i, j) = (at / width, at % width);
                let weight = match *choice {
                    NONE => 0,
                    IDENTICAL => self.left.sizes[children.left[i]],
                    below => self.pairs[below as usize].total,
                };
                let here = (i + 1) * row + j + 1;
                retained[here] = (retained[here - row - 1] + weight)
                    .max(retained[here - 1])
                    .max(retained[here - row]);
            }
            let whole = children.identical.iter().map(|id| self.left.sizes[*id]);
            self.pairs[number].total = 1 + whole.sum::<u32>() + retained[height * row + width];
            children.retained = retained;
            self.pairs[number].children = Some(children);
        }
    }

    /// Returns for each node on the left whether it is mapped to an equal one.
    fn retained(&self) -> Vec<bool> {
        let mut retained = vec![false; self.left.dom.len()];
        let mut followed = vec![0];
        while let Some(number) = followed.pop() {
            let pair = &self.pairs[number];
            retained[pair.left] = true;
            let Some(children) = &pair.children else {
                continue;
            };
            for root in &children.identical {
                self.left.mark(*root, &mut retained);
            }
            let row = children.width + 1;
            let (mut i, mut j) = (children.left.len(), children.width);
            while i > 0 && j > 0 {
                let best = children.retained[i * row + j];
                if best == children.retained[(i - 1) * row + j] {
                    i -= 1;
                } else if best == children.retained[i * row + j - 1] {
                    j -= 1;
                } else {
                    (i, j) = (i - 1, j - 1);
                    match children.choices[i * children.width + j] {
                        NONE => {}
                        IDENTICAL => self.left.mark(children.left[i], &mut retained),
                        below => followed.push(below as usize),
                    }
                }
            }
        }
        retained
    }
}

impl<'d> Tree<'d> {
    fn new(dom: &'d Dom, is_in: Option<&'d [bool]>) -> Self {
        let labels = labels(dom);
        let is_in_tree = |id: NodeId| is_in.is_none_or(|is_in| is_in[id]);
        let mut sizes = vec![0; dom.len()];
        let mut subtrees = vec![0; dom.len()];
        // A polynomial over the children, the last of them first.
        let mut children = vec![0_u64; dom.len()];
        for id in dom.subtree(dom.body()).rev().filter(|id| is_in_tree(*id)) {
            let parent = dom.node(id).parent;
            sizes[id] += 1;
            subtrees[id] = hash((labels[id], children[id], sizes[id]));
            sizes[parent] += sizes[id];
            children[parent] = hash((children[parent], subtrees[id]));
        }
        Self {
            dom,
            is_in,
            labels,
            subtrees,
            sizes,
        }
    }

    fn children(&self, id: NodeId) -> Vec<NodeId> {
        let is_in = |id: &NodeId| self.is_in.is_none_or(|is_in| is_in[*id]);
        self.dom.children(id).filter(is_in).collect()
    }

    /// Marks the nodes of a subtree that are in the tree.
    fn mark(&self, root: NodeId, marked: &mut [bool]) {
        for id in self.dom.subtree(root) {
            marked[id] |= self.is_in.is_none_or(|is_in| is_in[id]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// The nodes of `body` that are mapped to nodes of another page.
    fn retained(left: &str, right: &str) -> Vec<String> {
        let (left, right) = (parse(left), parse(right));
        let mut all = vec![false; left.len()];
        all[left.subtree(left.body())].fill(true);
        let retained = Mapping::new(&left, &all, &right).retained();
        let body = left.subtree(left.body()).skip(1);
        let name = |id: NodeId| match left.element(id) {
            Some(element) => (*element.name).to_owned(),
            None => format!("'{}'", left.text(id).unwrap_or_default()),
        };
        body.filter(|id| retained[*id]).map(name).collect()
    }

    #[test]
    fn equal_nodes_are_mapped_top_down_in_order() {
        // The menus are identical. The two `div` are equal; of their children `h1` and `p` are
        // mapped, but no text.
        let left = "<ul><li>Home<li>Tea</ul><div><h1>Assam</h1><p>One</p></div><p>Foot";
        let right = "<ul><li>Home<li>Tea</ul><div><h1>Ceylon</h1><p>Two</p></div><p>Foot";
        assert_eq!(
            retained(left, right),
            [
                "ul", "li", "'Home'", "li", "'Tea'", "div", "h1", "p", "p", "'Foot'"
            ]
        );
    }

    #[test]
    fn nothing_is_mapped_below_unequal_nodes() {
        // The paragraphs are identical, but their parents differ in class.
        let left = "<div class=a><p>Tea</div>";
        assert!(retained(left, "<div class=b><p>Tea</div>").is_empty());
        assert_eq!(retained(left, left), ["div", "p", "'Tea'"]);
    }

    #[test]
    fn the_mapping_retains_most_nodes() {
        // Order allows either the short list (3 nodes: ul, li, 'x') or the article (5 nodes:
        // div, p, 'a', p, 'b') to be mapped, because they have changed places.
        let left = "<p>1</p><ul><li>x</ul><div><p>a<p>b</div><p>2</p>";
        let right = "<p>3</p><div><p>a<p>b</div><ul><li>x</ul><p>4</p>";
        assert_eq!(
            retained(left, right),
            ["p", "div", "p", "'a'", "p", "'b'", "p"]
        );
    }

    #[test]
    fn an_inserted_sibling_does_not_move_the_others() {
        let left = "<ul><li>a<li>b<li>c</ul>";
        let right = "<ul><li>a<li>new<li>b<li>c</ul>";
        assert_eq!(retained(left, right).len(), 7);
        // From the longer page, the inserted item alone is not mapped: `li` and its text.
        assert_eq!(retained(right, left).len(), 7);
    }

    #[test]
    fn the_template_shrinks_page_by_page() {
        let page = parse("<ul><li>a<li>b<li>c</ul>");
        let mut template = vec![false; page.len()];
        template[page.subtree(page.body())].fill(true);
        // The text `a` is not in the first page, and `c` not in the second.
        for other in ["<ul><li>x<li>b<li>c</ul>", "<ul><li>a<li>b<li>y</ul>"] {
            template = Mapping::new(&page, &template, &parse(other)).retained();
        }
        let texts: Vec<&str> = (0..page.len())
            .filter(|id| template[*id])
            .filter_map(|id| page.text(id))
            .collect();
        assert_eq!(texts, ["b"]);
    }

    #[test]
    fn over_the_limit_children_are_mapped_to_identical_ones_in_order() {
        let items = |skip: usize| -> String {
            (0..3_000)
                .filter(|number| number % skip != 1)
                .map(|number| format!("<p>{number}</p>"))
                .collect()
        };
        // 3,000 by 1,500 and more pairs of children are more than the limit; one child in two
        // and one in three are left out, so each third of the others is in both.
        let (left, right) = (items(2), items(3));
        let found = retained(&left, &right);
        let expected: Vec<String> = (0..3_000)
            .filter(|number| number % 2 != 1 && number % 3 != 1)
            .flat_map(|number| ["p".to_owned(), format!("'{number}'")])
            .collect();
        assert_eq!(found, expected);
    }
}
