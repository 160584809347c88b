//! Content as what is not the site's template.
//!
//! J. Alarte, D. Insa, J. Silva, S. Tamarit: "Site-Level Web Template Extraction
//! Based on DOM Analysis", PSI 2015, LNCS 9609, pp. 36-49, as section 4 of
//! [Alarte] (see `alarte`) describes it: a set of pages of the site is mapped to
//! the page, and a node that is repeated in `t` of them is template. What is left
//! is content, as in the comparison of that paper.
//!
//! Where that description is silent:
//!
//! - Set and mapping are those of [Alarte 2.1, 2.2], four pages, so that the two
//!   methods differ in what they do with the counters alone. The paper of 2015
//!   looks for pages that all link to each other; that is not done here.
//! - The threshold is not published. It is 2 here, half of the pages: chosen, not
//!   fitted. A page with one neighbour is compared with that one.

use super::{mapping, neighbours};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Pages of four in which a node of the template is.
const THRESHOLD: usize = 2;

/// What most of four linked pages do not have. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct TemEx;

impl Extractor for TemEx {
    fn name(&self) -> &'static str {
        "temex"
    }

    fn summary(&self) -> &'static str {
        "nodes that fewer than two of four linked pages have"
    }

    fn reference(&self) -> &'static str {
        "J. Alarte, D. Insa, J. Silva, S. Tamarit: Site-Level Web Template Extraction Based on \
         DOM Analysis. PSI 2015, LNCS 9609, pp. 36-49"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let body = dom.subtree(dom.body());
        if body.clone().all(|id| dom.text(id).is_none()) {
            return Err(ExtractError::NoText);
        }
        let pages = neighbours::neighbours(page, site, self.name())?;
        let occurrences = mapping::occurrences(dom, &pages);
        let threshold = THRESHOLD.min(pages.len());
        let is_content = |id: usize| body.contains(&id) && occurrences[id] < threshold;
        let nodes = body.clone().filter(|id| is_content(*id)).count();
        Ok(Extraction::new(lines_of(dom, is_content), Some(nodes)))
    }
}
