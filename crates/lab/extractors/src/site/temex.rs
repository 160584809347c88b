//! Content as the nodes that are not in the site's template.
//!
//! J. Alarte, D. Insa, J. Silva, S. Tamarit: "Site-Level Web Template Extraction
//! Based on DOM Analysis", PSI 2015, LNCS 9609, pp. 36-49, as described in section 4 of
//! [Alarte] (see `alarte`). A set of pages of the site is mapped to the page, and a node
//! that is repeated in `t` of them is template. The other nodes are content, as in the
//! comparison of that paper.
//!
//! The description leaves some points open. They are decided as follows:
//!
//! - The pages and the mapping are those of [Alarte 2.1, 2.2], with four pages, so that
//!   the two methods differ only in their use of the counters. The paper of 2015 searches
//!   for pages that all link to each other; this is not done here.
//! - The threshold is not published. Here it is 2, half of the pages; it is chosen, not
//!   fitted. If there is only one page to compare with, the threshold is 1.

use super::{PageChoice, body_with_text, mapping, neighbours, outside};
use crate::options::{OptionProblem, Options};
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// Keeps the nodes that most of four linked pages do not have. See the [table](crate) of
/// methods.
#[derive(Clone, Copy, Debug)]
pub struct TemEx {
    /// The pages to compare with.
    pub choice: PageChoice,
    /// The number of these pages from which a node is template.
    pub threshold: usize,
}

impl TemEx {
    /// Four linked pages, and a threshold of two.
    pub const DEFAULT: Self = Self {
        choice: PageChoice::PUBLISHED,
        threshold: 2,
    };

    pub(crate) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let choice = PageChoice::from_options(options)?;
        let threshold = options.whole("threshold", 1..=choice.pages)?;
        Ok(Self {
            choice,
            threshold: threshold.unwrap_or(Self::DEFAULT.threshold),
        })
    }
}

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
        body_with_text(dom)?;
        let pages = neighbours::neighbours(page, site, self.choice, self.name())?;
        let occurrences = mapping::occurrences(dom, &pages);
        let threshold = self.threshold.min(pages.len());
        let is_template = occurrences.iter().map(|pages| *pages >= threshold);
        Ok(outside(dom, &is_template.collect::<Vec<_>>()))
    }
}
