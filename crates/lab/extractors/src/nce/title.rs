//! Phase 3: the title, which may be outside the separator node.

use std::collections::BTreeSet;

use super::parameters::NceParameters;
use crate::dom::{Dom, NodeId};
use crate::text::words;

/// Finds the node before the content that is the title.
pub(super) fn find(dom: &Dom, kept: &[bool], parameters: &NceParameters) -> Option<NodeId> {
    let first = kept.iter().position(|kept| *kept)?;
    let content: BTreeSet<String> = (first..dom.len())
        .filter(|id| kept[*id])
        .filter_map(|id| dom.text(id))
        .flat_map(words)
        .collect();
    let counts = WordCounts::for_subtrees(dom, &content);
    let mut longest = None;
    for id in (0..first).filter(|id| dom.node(*id).end <= first) {
        let count = &counts[id];
        let fits = (parameters.title_words_min..=parameters.title_words_max).contains(&count.words)
            && count.occurring as f64 >= parameters.title_overlap * count.words as f64;
        let is_title = dom.is(id, "title") && count.words > 0;
        let longer = longest.is_none_or(|best: NodeId| count.chars > counts[best].chars);
        if (fits || is_title) && longer {
            longest = Some(id);
        }
    }
    longest
}

/// The characters and words of a subtree.
#[derive(Clone, Default)]
struct WordCounts {
    chars: usize,
    words: usize,
    /// Words that occur in the content.
    occurring: usize,
}

impl WordCounts {
    fn for_subtrees(dom: &Dom, content: &BTreeSet<String>) -> Vec<Self> {
        let mut counts = vec![Self::default(); dom.len()];
        for id in (1..dom.len()).rev() {
            if let Some(text) = dom.text(id) {
                counts[id].chars = text.chars().count();
                for word in words(text) {
                    counts[id].words += 1;
                    counts[id].occurring += usize::from(content.contains(&word));
                }
            }
            let own = counts[id].clone();
            let parent = &mut counts[dom.node(id).parent];
            parent.chars += own.chars;
            parent.words += own.words;
            parent.occurring += own.occurring;
        }
        counts
    }
}
