//! The blocks of a page beside its gold text.

/// The gold text of a page, compared with its blocks.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldComparison {
    /// The gold text.
    pub text: String,
    /// Precision, recall and F1 of the kept blocks; `None` if a text has no words.
    pub score: Option<(f64, f64, f64)>,
    /// The words of each block that the gold text has, in the order of blocks.
    pub blocks: Vec<GoldShare>,
}

/// The words of a block that are in the gold text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GoldShare {
    /// Words of the block.
    pub words: u32,
    /// Number of these words in the longest common subsequence of the page and the gold text.
    pub in_gold: u32,
}

impl GoldShare {
    /// Whether most of the block is in the gold text. A block without words is not.
    pub fn is_gold(self) -> bool {
        self.in_gold * 2 > self.words
    }
}
