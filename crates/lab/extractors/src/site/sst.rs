//! Content as the parts of a page that the pages of its site present differently.
//!
//! L. Yi, B. Liu, X. Li: "Eliminating Noisy Information in Web Pages for Data Mining",
//! KDD 2003, pp. 296-305 (Site Style Tree), as described in sections 4 and 5 of [Alarte] (see
//! `alarte`). [Yi n] is section n of the paper; its definitions are from general knowledge of
//! it.
//!
//! 1. *Style tree* [Yi 3]. The trees of the pages are laid over each other. An element node
//!    has a style node for each sequence of children in which pages present it; a style node
//!    counts its pages, and has an element node for each child.
//! 2. *Node importance* [Yi 4.1]. An element node on `m` pages with styles on shares `p_i` of
//!    them has the importance `- sum p_i log_m p_i`: 0 if all pages present it in one style, 1
//!    if each has its own. On a single page it is 1.
//! 3. *Composite importance* [Yi 4.2] takes the nodes below into account. With `l` styles it is
//!    `(1 - g^l)` times the importance of the node and `g^l` times the mean over the styles,
//!    weighted by `p_i`, of the mean composite importance of their children; `g` is .9. For a
//!    leaf it is `1 - sum H(a) / k` over its `k` features `a`, such as words, with the entropy
//!    `H(a)` of their occurrences on the `m` pages to the base `m`.
//! 4. *Noise* [Yi 5]. An element node is noise if its own composite importance and that of all
//!    nodes below are at most a threshold, and meaningful if all are greater. A page is mapped
//!    to the tree from the root down until a node is one of both, or is not in the tree.
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - The tree consists of all given pages of the site, like the table of `iwptd`. (The paper
//!   samples 500 pages of a site.) The page itself need not be among them.
//! - A child is its name and its classes, the attributes that decide presentation. A text is a
//!   leaf, and is also an element of the sequence.
//! - The features of a leaf are its words, and the target of the link around it. Images have no
//!   features. A leaf without features is noise if several pages have it.
//! - The threshold is chosen per site in the paper. Here it is .2 for all; it is chosen, not
//!   fitted. The option `threshold` sets another.

use super::{body_with_text, outside};
use crate::options::{OptionProblem, Options};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Keeps the parts that are important in the style tree of the site. See the
/// [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Sst {
    /// The greatest composite importance of noise, from 0 to 1.
    pub threshold: f64,
}

impl Sst {
    /// A threshold of .2.
    pub const DEFAULT: Self = Self { threshold: 0.2 };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let threshold = options.decimal("threshold", 0.0..=1.0)?;
        Ok(Self {
            threshold: threshold.unwrap_or(Self::DEFAULT.threshold),
        })
    }
}

impl Extractor for Sst {
    fn name(&self) -> &'static str {
        "sst"
    }

    fn summary(&self) -> &'static str {
        "nodes that the site's pages present with different children or words"
    }

    fn reference(&self) -> &'static str {
        "L. Yi, B. Liu, X. Li: Eliminating Noisy Information in Web Pages for Data Mining. \
         KDD 2003, pp. 296-305"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        body_with_text(dom)?;
        let address = page.address()?;
        let tree = site.style_tree();
        if tree.pages_without(&address.key) == 0 {
            return Err(ExtractError::NoOtherPages {
                method: self.name(),
                host: address.host.clone(),
            });
        }
        Ok(outside(dom, &tree.noise(dom, self.threshold)))
    }
}
