//! The effect of other marks on pages.

use template::Reason;
use template::marks::SiteMarks;
use text::signals::tokens;

use crate::explain::labelled::ExplainedPage;

/// The changes on pages if the marks of their domain change.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarksEffect {
    /// Pages that were compared.
    pub pages: usize,
    /// Pages on which marks have no effect: the tree alone labels them.
    pub without_template: usize,
    /// Pages of which a block gets the other label.
    pub changed_pages: usize,
    /// Blocks that are marked after the change, whether their label changes or not.
    pub marked: BlocksAndWords,
    /// Blocks that are kept after the change, and were dropped.
    pub kept: BlocksAndWords,
    /// Blocks that are dropped after the change, and were kept.
    pub dropped: BlocksAndWords,
    /// The blocks that get the other label, in the order of pages and blocks.
    pub changed: Vec<ChangedBlock>,
}

/// Blocks, and the words in them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BlocksAndWords {
    /// Blocks.
    pub blocks: usize,
    /// Words of Unicode with a letter or a digit.
    pub words: usize,
}

/// A block that gets the other label.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChangedBlock {
    /// The position of its page among the pages that were compared.
    pub page: usize,
    /// Its position in the page.
    pub ordinal: usize,
    /// The reason before.
    pub before: Reason,
    /// The reason after.
    pub after: Reason,
}

impl MarksEffect {
    /// Compares the labels of pages of one domain with the marks `before` and `after`.
    pub fn of(
        pages: &[ExplainedPage],
        before: Option<&SiteMarks>,
        after: Option<&SiteMarks>,
    ) -> Self {
        let mut effect = Self {
            pages: pages.len(),
            ..Self::default()
        };
        for (at, page) in pages.iter().enumerate() {
            effect.without_template += usize::from(!page.takes_marks);
            let changed = effect.changed.len();
            let reasons = page.reasons(before).into_iter().zip(page.reasons(after));
            for (ordinal, (block, (before, after))) in page.blocks.iter().zip(reasons).enumerate() {
                if matches!(after, Reason::MarkedContent | Reason::MarkedBoilerplate) {
                    effect.marked.add(&block.text);
                }
                match (before.is_content(), after.is_content()) {
                    (false, true) => effect.kept.add(&block.text),
                    (true, false) => effect.dropped.add(&block.text),
                    _ => continue,
                }
                effect.changed.push(ChangedBlock {
                    page: at,
                    ordinal,
                    before,
                    after,
                });
            }
            effect.changed_pages += usize::from(effect.changed.len() > changed);
        }
        effect
    }
}

impl BlocksAndWords {
    fn add(&mut self, text: &str) {
        let words = tokens(text);
        let is_word = |word: &&&str| word.chars().any(char::is_alphanumeric);
        self.blocks += 1;
        self.words += words.iter().filter(is_word).count();
    }
}
