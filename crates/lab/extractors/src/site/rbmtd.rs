//! Template as the subtrees that are at the same place in every page.
//!
//! K. Vieira, A. L. da Costa Carvalho, K. Berlt, E. S. de Moura, A. S. da Silva, J. Freire:
//! "On Finding Templates on Web Collections", World Wide Web 12 (2009), pp. 171-211
//! (RBM-TD), as described in section 4 of [Alarte] (see `alarte`), which calls it RBMTD. A
//! *bottom-up* mapping maps two nodes only if everything below them is mapped: it finds
//! identical subtrees. It is *restricted* to subtrees that are in all pages "exactly in the
//! same position"; these are the template. It takes linear time.
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - Elements are equal if their name, id and list of classes are equal, texts if their
//!   words are, as in `rtdm-td`.
//! - The position of a node is the path of its ancestors from `body`, each with its name and
//!   its number among its siblings.
//! - The other pages are chosen as in [Alarte 2.1], four of them. (The paper first divides a
//!   collection into clusters of pages with one template; here the choice does that.)

use std::collections::HashSet;

use super::labels::{hash, labels};
use super::{PageChoice, body_with_text, neighbours, outside};
use crate::dom::{Dom, NodeId};
use crate::options::{OptionProblem, Options};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Keeps the subtrees that are not at the same place in all of four linked pages. See the
/// [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct RbmTd {
    /// The pages to compare with.
    pub choice: PageChoice,
}

impl RbmTd {
    /// Four linked pages.
    pub const DEFAULT: Self = Self {
        choice: PageChoice::PUBLISHED,
    };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let choice = PageChoice::from_options(options)?;
        Ok(Self { choice })
    }
}

impl Extractor for RbmTd {
    fn name(&self) -> &'static str {
        "rbmtd"
    }

    fn summary(&self) -> &'static str {
        "subtrees that are not at the same place in all of four linked pages"
    }

    fn reference(&self) -> &'static str {
        "K. Vieira et al.: On Finding Templates on Web Collections. World Wide Web 12 (2009), \
         pp. 171-211"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let body = body_with_text(dom)?;
        let pages = neighbours::neighbours(page, site, self.choice, self.name())?;
        let placed = placed_subtrees(dom);
        let mut template = vec![false; dom.len()];
        template[body.clone()].fill(true);
        for other in pages {
            let theirs: HashSet<u64> = other.with_dom(|other| {
                placed_subtrees(other)[other.subtree(other.body())]
                    .iter()
                    .copied()
                    .collect()
            });
            for id in body.clone() {
                template[id] &= theirs.contains(&placed[id]);
            }
        }
        Ok(outside(dom, &template))
    }
}

/// Returns for each node in `body` a hash of its position and its subtree.
fn placed_subtrees(dom: &Dom) -> Vec<u64> {
    let labels = labels(dom);
    let body = dom.body();
    let mut positions = vec![0_u64; dom.len()];
    let mut siblings = vec![0_u32; dom.len()];
    for id in dom.subtree(body).skip(1) {
        let parent = dom.node(id).parent;
        siblings[parent] += 1;
        let name = dom.element(id).map(|element| &*element.name);
        positions[id] = hash((positions[parent], siblings[parent], name));
    }
    let mut children = vec![0_u64; dom.len()];
    let mut placed = vec![0_u64; dom.len()];
    for id in dom.subtree(body).rev() {
        let subtree = hash((labels[id], children[id]));
        placed[id] = hash((positions[id], subtree));
        let parent: NodeId = dom.node(id).parent;
        children[parent] = hash((children[parent], subtree));
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse;

    /// The texts of `left` that are in a subtree at the same place on the right.
    fn common(left: &str, right: &str) -> Vec<String> {
        let (left, right) = (parse(left), parse(right));
        let theirs: HashSet<u64> = placed_subtrees(&right).into_iter().collect();
        let placed = placed_subtrees(&left);
        let name = |id: NodeId| match left.element(id) {
            Some(element) => (*element.name).to_owned(),
            None => format!("'{}'", left.text(id).unwrap_or_default()),
        };
        left.subtree(left.body())
            .filter(|id| theirs.contains(&placed[*id]))
            .map(name)
            .collect()
    }

    #[test]
    fn a_node_is_mapped_if_all_below_it_is() {
        // The text `a` is at the same place in both, and so is its paragraph; the `div` has
        // another paragraph too.
        let found = common("<div><p>a<p>b</div><p>c", "<div><p>a<p>x</div><p>c");
        assert_eq!(found, ["p", "'a'", "p", "'c'"]);
    }

    #[test]
    fn a_subtree_at_another_place_is_not_mapped() {
        assert!(common("<p>new</p><p>a</p>", "<p>a</p>").is_empty());
        // Of another parent at the same place.
        assert!(common("<div><p>a</div>", "<ul><p>a</ul>").is_empty());
        assert_eq!(
            common("<p>a</p><p>new</p>", "<p>a</p>"),
            ["p".to_owned(), "'a'".to_owned()]
        );
    }
}
