//! Main content as the nodes that other pages of the site do not have.
//!
//! J. Alarte, D. Insa, J. Silva, S. Tamarit: "Main Content Extraction from
//! Heterogeneous Webpages", WISE 2018, pp. 393-407. [Alarte n] is section n.
//!
//! 1. Four pages are chosen for comparison [Alarte 2.1]: see `neighbours`.
//! 2. Algorithm 1 [Alarte 2.2] counts the pages in which each node occurs: see `mapping`.
//!    Nodes that occur in none of them are *candidates*. The paper also tried those that
//!    occur in 2, 3 or 4 pages [Alarte 6]: see [`Alarte::repeated`].
//! 3. Algorithm 2 [2.3] keeps the candidates whose parent is not a candidate. (All nodes
//!    below a candidate are candidates, theorem 1.) If only one is left, it is the
//!    content.
//! 4. Algorithm 3 [2.4]: of the parents of the candidates, the one with most descendants
//!    is the *branch*; of equal ones the first.
//! 5. Algorithm 4 [2.5]: candidates outside the branch are discarded.
//! 6. Algorithm 5 [2.6]: candidates that are siblings are replaced by their parent,
//!    repeatedly up the tree.
//!
//! The paper leaves some points open. They are decided as follows:
//!
//! - Texts of only whitespace, comments, scripts and other invisible content have no
//!   nodes.
//! - A kept node inside another kept node counts once. By step 6 the branch itself may
//!   become content, with the template nodes among its children; a node above `body` may
//!   not.
//! - The method does not search for a title.

use super::{PageChoice, body_with_text, mapping, neighbours};
use crate::dom::{Dom, NodeId};
use crate::options::{OptionProblem, Options};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Keeps the nodes that four linked pages do not have, in the part of the page with most
/// of them. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Alarte {
    /// The pages to compare with.
    pub choice: PageChoice,
    /// The most of these pages that may have a candidate.
    pub repeated: usize,
}

impl Alarte {
    /// The method as published: four linked pages, none of which has a candidate.
    pub const PUBLISHED: Self = Self {
        choice: PageChoice::PUBLISHED,
        repeated: 0,
    };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let choice = PageChoice::from_options(options)?;
        // With as many as there are pages, every node would be a candidate.
        let repeated = options.whole("repeated", 0..=choice.pages - 1)?;
        Ok(Self {
            choice,
            repeated: repeated.unwrap_or(0),
        })
    }
}

impl Extractor for Alarte {
    fn name(&self) -> &'static str {
        "alarte"
    }

    fn summary(&self) -> &'static str {
        "the branch of the page with most nodes that four linked pages do not have"
    }

    fn reference(&self) -> &'static str {
        "J. Alarte, D. Insa, J. Silva, S. Tamarit: Main Content Extraction from Heterogeneous \
         Webpages. WISE 2018, pp. 393-407"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        body_with_text(dom)?;
        let pages = neighbours::neighbours(page, site, self.choice, self.name())?;
        let occurrences = mapping::occurrences(dom, &pages);
        // A site may have fewer pages than are asked for.
        let repeated = self.repeated.min(pages.len() - 1);
        let roots = main_content(dom, &reduced(dom, &occurrences, repeated));
        let mut kept = vec![false; dom.len()];
        for root in roots {
            kept[dom.subtree(root)].fill(true);
        }
        let nodes = kept.iter().filter(|kept| **kept).count();
        let text = lines_of(dom, |id| kept[id]);
        Ok(Extraction::new(text, Some(nodes)).keeping(|id| kept[id], dom))
    }
}

/// Algorithm 2: the candidates whose parent is not a candidate.
fn reduced(dom: &Dom, occurrences: &[usize], repeated: usize) -> Vec<NodeId> {
    let body = dom.body();
    let is_candidate = |id: NodeId| occurrences[id] <= repeated;
    dom.subtree(body)
        .skip(1)
        .filter(|id| {
            let parent = dom.node(*id).parent;
            is_candidate(*id) && (parent == body || !is_candidate(parent))
        })
        .collect()
}

/// Algorithms 3 to 5. The nodes are in page order, and none is inside another.
fn main_content(dom: &Dom, reduced: &[NodeId]) -> Vec<NodeId> {
    if reduced.len() <= 1 {
        return reduced.to_vec();
    }
    let Some(branch) = branch(dom, reduced) else {
        return Vec::new();
    };
    let inside = reduced
        .iter()
        .copied()
        .filter(|id| dom.contains(branch, *id));
    joined(dom, inside.collect())
}

/// Algorithm 3: the branch.
fn branch(dom: &Dom, reduced: &[NodeId]) -> Option<NodeId> {
    // Of equal ones the least id, which is the first in the page.
    reduced
        .iter()
        .map(|id| dom.node(*id).parent)
        .min_by_key(|parent| (std::cmp::Reverse(dom.subtree(*parent).len()), *parent))
}

/// Algorithm 5: replaces siblings by their parent, from the deepest nodes up.
fn joined(dom: &Dom, nodes: Vec<NodeId>) -> Vec<NodeId> {
    let deepest = nodes.iter().map(|id| dom.node(*id).depth).max();
    let mut by_depth: Vec<Vec<NodeId>> = vec![Vec::new(); deepest.map_or(0, |depth| depth + 1)];
    for id in nodes {
        by_depth[dom.node(id).depth].push(id);
    }
    let top = dom.node(dom.body()).depth;
    let mut content = Vec::new();
    for depth in (top..by_depth.len()).rev() {
        let mut level = std::mem::take(&mut by_depth[depth]);
        level.sort_unstable();
        level.dedup();
        if depth == top {
            content.extend(level);
            break;
        }
        for siblings in level.chunk_by(|a, b| dom.node(*a).parent == dom.node(*b).parent) {
            match siblings {
                [only] => content.push(*only),
                _ => by_depth[depth - 1].push(dom.node(siblings[0]).parent),
            }
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    fn names(dom: &Dom, nodes: &[NodeId]) -> Vec<String> {
        let name = |id: &NodeId| match dom.element(*id) {
            Some(element) => format!("{}.{}", &*element.name, element.id),
            None => dom.text(*id).unwrap_or_default().to_owned(),
        };
        nodes.iter().map(name).collect()
    }

    fn with_id(dom: &Dom, id: &str) -> NodeId {
        (0..dom.len())
            .find(|node| dom.element(*node).is_some_and(|e| &*e.id == id))
            .expect("an element of this id")
    }

    // The tree of figure 3: candidates below two parents, of which `main` has the larger
    // subtree. body > head(a) + main(b, c, wrap(d)).
    const FIGURE_3: &str = "<body><div id=head><p id=a>1</p><p id=x>2</p></div>\
         <div id=main><p id=b>3</p><p id=c>4</p><div id=wrap><p id=d>5</p></div></div>";

    #[test]
    fn only_the_topmost_candidates_are_kept() {
        let dom = parse(FIGURE_3);
        // The candidates are `wrap` with its subtree, and `a` with its text.
        let mut occurrences = vec![4; dom.len()];
        for id in ["a", "wrap"] {
            occurrences[dom.subtree(with_id(&dom, id))].fill(0);
        }
        assert_eq!(
            names(&dom, &reduced(&dom, &occurrences, 0)),
            ["p.a", "div.wrap"]
        );
        // If two pages may have a candidate, `b` is one.
        occurrences[dom.subtree(with_id(&dom, "b"))].fill(2);
        assert_eq!(
            names(&dom, &reduced(&dom, &occurrences, 2)),
            ["p.a", "p.b", "div.wrap"]
        );
    }

    #[test]
    fn the_branch_is_the_parent_with_most_descendants() {
        let dom = parse(FIGURE_3);
        let reduced = [with_id(&dom, "a"), with_id(&dom, "c")];
        // Below head: 2 p + 2 texts. Below main: 3 p + wrap + 3 texts.
        assert_eq!(branch(&dom, &reduced), Some(with_id(&dom, "main")));
        // a is discarded; c has no sibling among the remaining nodes.
        assert_eq!(names(&dom, &main_content(&dom, &reduced)), ["p.c"]);
    }

    #[test]
    fn siblings_are_replaced_by_their_parent_up_the_tree() {
        let dom = parse(FIGURE_3);
        let node = |id| with_id(&dom, id);
        let join = |nodes: &[NodeId]| names(&dom, &joined(&dom, nodes.to_vec()));
        assert_eq!(join(&[node("b"), node("c")]), ["div.main"]);
        // d has no sibling; wrap and c are siblings.
        assert_eq!(join(&[node("c"), node("d")]), ["p.d", "p.c"]);
        assert_eq!(join(&[node("c"), node("wrap")]), ["div.main"]);
        // a and x give head, b and c give main, these give body.
        let both = [node("a"), node("x"), node("b"), node("c")];
        assert_eq!(join(&both), ["body."]);
    }

    #[test]
    fn a_single_candidate_is_the_content() {
        let dom = parse(FIGURE_3);
        let only = [with_id(&dom, "a")];
        assert_eq!(main_content(&dom, &only), only);
        assert_eq!(main_content(&dom, &[]), []);
    }
}
