//! Selection of blocks by their share of repeated texts.
//!
//! Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: "Incremental Web Page Template
//! Detection", WWW 2008, pp. 1247-1248 (and "... by Text Segments", WSCS 2008), as
//! described in section 4 of [Alarte] (see `alarte`). Pages are divided into blocks at
//! elements such as `table`, `div` and `ul`. The texts of a block are compared with those
//! of all pages; a text on five or more pages belongs to the template. A ratio decides
//! for each block. Two texts are equal if their words and their paths in the tree are
//! equal; this is from section 2 of the paper.
//!
//! These descriptions leave some points open. They are decided as follows:
//!
//! - Only three of the dividing elements are named. Others that group blocks of text are
//!   added: see `BLOCK_ELEMENTS`. A text belongs to the innermost one around it.
//! - A path consists of element names.
//! - The ratio is that of template texts to all texts of the block. A block is template
//!   if the ratio is more than one half. This value is chosen, not fitted.
//! - The page itself counts among the pages of a text. The paper's table of texts follows
//!   a stream of pages; here it contains the given pages.

use std::collections::HashMap;

use super::segment_table::{blocks, segments};
use crate::dom::NodeId;
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

/// The number of pages from which a text belongs to the template [Alarte 4].
const TEMPLATE_PAGES: usize = 5;

/// Keeps blocks with few repeated texts. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct Iwptd;

impl Extractor for Iwptd {
    fn name(&self) -> &'static str {
        "iwptd"
    }

    fn summary(&self) -> &'static str {
        "blocks of which at least half of the texts are on fewer than five pages"
    }

    fn reference(&self) -> &'static str {
        "Y. Wang, B. Fang, X. Cheng, L. Guo, H. Xu: Incremental Web Page Template Detection. \
         WWW 2008, pp. 1247-1248"
    }

    fn scope(&self) -> Scope {
        Scope::Site
    }

    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError> {
        let dom = page.dom();
        let segments = segments(dom);
        if segments.is_empty() {
            return Err(ExtractError::NoText);
        }
        let key = page.address()?;
        let is_there = site.indices().contains_key(&key.key);
        if site.pages().len() == usize::from(is_there) {
            return Err(ExtractError::NoOtherPages {
                method: self.name(),
                host: key.host.clone(),
            });
        }
        let table = site.segments();
        let here = usize::from(!is_there);
        let blocks = blocks(dom);
        // The number of template texts and of all texts, by block.
        let mut counts: HashMap<NodeId, (usize, usize)> = HashMap::new();
        for (id, segment) in &segments {
            let count = counts.entry(blocks[*id]).or_default();
            count.0 += usize::from(table.pages(*segment) + here >= TEMPLATE_PAGES);
            count.1 += 1;
        }
        let is_content = |id: NodeId| {
            counts
                .get(&blocks[id])
                .is_some_and(|(template, all)| 2 * template <= *all)
        };
        let nodes = dom.subtree(dom.body()).filter(|id| is_content(*id)).count();
        let body = dom.subtree(dom.body());
        let text = lines_of(dom, is_content);
        Ok(Extraction::new(text, Some(nodes))
            .keeping(|id| body.contains(&id) && is_content(id), dom))
    }
}
