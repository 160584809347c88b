//! Phase 3: the title, which may stand outside the separator node.

use std::collections::BTreeSet;

use super::NceParameters;
use crate::dom::{Dom, NodeId};
use crate::text::words;

/// The node before the content that is its title.
pub(super) fn find(dom: &Dom, kept: &[bool], parameters: &NceParameters) -> Option<NodeId> {
    let first = kept.iter().position(|kept| *kept)?;
    let content: BTreeSet<String> = (first..dom.len())
        .filter(|id| kept[*id])
        .filter_map(|id| dom.text(id))
        .flat_map(words)
        .collect();
    let tallies = Tally::of_subtrees(dom, &content);
    let mut longest = None;
    for id in (0..first).filter(|id| dom.node(*id).end <= first) {
        let tally = &tallies[id];
        let fits = (parameters.title_words_min..=parameters.title_words_max).contains(&tally.words)
            && tally.occurring as f64 >= parameters.title_overlap * tally.words as f64;
        let is_title = dom.is(id, "title") && tally.words > 0;
        let longer = longest.is_none_or(|best: NodeId| tally.chars > tallies[best].chars);
        if (fits || is_title) && longer {
            longest = Some(id);
        }
    }
    longest
}

/// What a subtree holds.
#[derive(Clone, Default)]
struct Tally {
    chars: usize,
    words: usize,
    /// Words that occur in the content.
    occurring: usize,
}

impl Tally {
    fn of_subtrees(dom: &Dom, content: &BTreeSet<String>) -> Vec<Self> {
        let mut tallies = vec![Self::default(); dom.len()];
        for id in (1..dom.len()).rev() {
            if let Some(text) = dom.text(id) {
                tallies[id].chars = text.chars().count();
                for word in words(text) {
                    tallies[id].words += 1;
                    tallies[id].occurring += usize::from(content.contains(&word));
                }
            }
            let own = tallies[id].clone();
            let parent = &mut tallies[dom.node(id).parent];
            parent.chars += own.chars;
            parent.words += own.words;
            parent.occurring += own.occurring;
        }
        tallies
    }
}
