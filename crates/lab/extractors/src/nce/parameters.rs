//! The constants of NCE.

/// The constants of NCE. The paper calls some of them alpha and beta.
#[derive(Clone, Debug, PartialEq)]
pub struct NceParameters {
    /// Phase 1: the least number of characters of a leaf.
    pub leaf_chars: usize,
    /// Phase 1 (ii): the least number of characters of a separator node.
    pub separator_chars: usize,
    /// Phase 1 (iii): the least number of characters of a sibling that counts.
    pub sibling_chars: usize,
    /// Phase 1 (iii): the link density below which a sibling counts.
    pub sibling_link_density: f64,
    /// Phase 1: the greatest link density of a kept child of the separator node.
    pub kept_link_density: f64,
    /// Phase 2: whether comments are removed. The paper measures both [Laber 4].
    pub remove_comments: bool,
    /// Phase 2: the least number of words of a block.
    pub block_words_min: usize,
    /// Phase 2: the greatest number of words of a block.
    pub block_words_max: usize,
    /// Phase 2: the greatest distance of the ids of two close blocks.
    pub block_distance: usize,
    /// Phase 2: the least Dice coefficient of two similar blocks.
    pub block_similarity: f64,
    /// Phase 3: the least number of words of a title.
    pub title_words_min: usize,
    /// Phase 3: the greatest number of words of a title.
    pub title_words_max: usize,
    /// Phase 3: the least share of a title's words that occur in the content.
    pub title_overlap: f64,
}

impl NceParameters {
    /// The constants fitted on the CleanEval development set. The figures are in the
    /// source of this module.
    pub const FITTED: Self = Self {
        leaf_chars: 100,
        separator_chars: 1_000,
        sibling_chars: 200,
        sibling_link_density: 0.4,
        kept_link_density: 0.2,
        remove_comments: true,
        block_words_min: 4,
        block_words_max: 30,
        block_distance: 15,
        block_similarity: 0.7,
        title_words_min: 2,
        title_words_max: 20,
        title_overlap: 0.6,
    };
}
