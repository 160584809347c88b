//! Paragraphs, lists and the like, whose fragments are text together.

use crate::block_counts::BlockCounts;
use crate::outline::Outline;
use crate::thresholds::paths::OWN_UNIT;

/// The text of each element of a page, to judge the fragments of paragraphs and lists.
pub(crate) struct Units<'o> {
    outline: &'o Outline,
    /// Per element, the outermost paragraph, list or the like that it is part of.
    outermost: Vec<Option<usize>>,
    /// Per element, its characters.
    chars: Vec<u64>,
    /// Per element, its characters outside links in blocks that few other pages have.
    own_chars: Vec<u64>,
}

impl<'o> Units<'o> {
    pub(crate) fn new(outline: &'o Outline, counts: BlockCounts<'_>) -> Self {
        // Parents come before their children.
        let mut outermost = vec![None; outline.nodes.len()];
        for (at, node) in outline.nodes.iter().enumerate() {
            if node.text_part {
                outermost[at] = outermost[node.parent].or(node.unit.then_some(at));
            }
        }
        Units {
            outline,
            outermost,
            chars: outline.sums(|_, block| u64::from(block.chars)),
            own_chars: outline.sums(|at, block| {
                if counts.is_repeated(at) || counts.is_familiar(at) {
                    0
                } else {
                    u64::from(block.chars.saturating_sub(block.link_chars))
                }
            }),
        }
    }

    /// Returns whether a block is a fragment of a paragraph, a list or the like of which at least a
    /// quarter is text of this page: the value `None` in the signature of a function, or the label
    /// of a list of parameters.
    pub(crate) fn is_own(&self, block: usize) -> bool {
        let unit = self.outermost[self.outline.leaves[block]];
        unit.is_some_and(|unit| OWN_UNIT.is_reached(self.own_chars[unit], self.chars[unit]))
    }
}
