//! The main cause of a page's loss of score.

use std::collections::BTreeSet;
use std::fmt;

use scoring::{Tokens, Vocabulary, WordId, lcs};
use template::Reason;

use crate::LabelledBlocks;

/// The largest group of words that a text lacks or has in excess. Words are matched by
/// the longest common subsequence, also if the texts are scored by another measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The text lacks words of the gold text that are in blocks dropped for this reason.
    Dropped {
        /// The reason of the label.
        reason: Reason,
        /// Number of words.
        words: usize,
        /// Words of the gold text.
        gold: usize,
    },
    /// The text lacks words of the gold text that no block of the page has.
    InNoBlock {
        /// Number of words.
        words: usize,
        /// Words of the gold text.
        gold: usize,
    },
    /// The text has words that are not in the gold text, from blocks kept for this reason.
    Kept {
        /// The reason of the label.
        reason: Reason,
        /// Number of words.
        words: usize,
    },
}

impl Cause {
    /// Returns the cause for a page with this gold text; `None` if the text equals it.
    pub fn of(gold: &str, blocks: &LabelledBlocks, tokens: Tokens) -> Option<Self> {
        let causes = Self::all(gold, blocks, tokens).into_iter();
        causes.max_by_key(Cause::words)
    }

    /// Returns all causes for a page with this gold text, at most one for each reason.
    ///
    /// Each reason is taken alone: of two reasons that dropped the same words of a repeated
    /// text, both are causes.
    pub fn all(gold: &str, blocks: &LabelledBlocks, tokens: Tokens) -> Vec<Self> {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(gold, tokens);
        let words: Vec<Vec<WordId>> = (blocks.texts.iter())
            .map(|text| vocabulary.words(text, tokens))
            .collect();
        let of_blocks = |keeps: &dyn Fn(Reason) -> bool| -> Vec<WordId> {
            let kept = (words.iter().zip(&blocks.reasons)).filter(|(_, reason)| keeps(**reason));
            kept.flat_map(|(words, _)| words.iter().copied()).collect()
        };
        let common = |keeps: &dyn Fn(Reason) -> bool| lcs(&gold, &of_blocks(keeps)).common();

        let found = common(&Reason::is_content);
        let missing = gold.len() - common(&|_| true);
        let mut causes = vec![Cause::InNoBlock {
            words: missing,
            gold: gold.len(),
        }];
        let reasons: BTreeSet<Reason> = blocks.reasons.iter().copied().collect();
        causes.extend(reasons.into_iter().map(|reason| {
            if reason.is_content() {
                let without = common(&|other| other.is_content() && other != reason);
                let all = of_blocks(&|other| other == reason).len();
                return Cause::Kept {
                    reason,
                    words: all - (found - without),
                };
            }
            Cause::Dropped {
                reason,
                words: common(&|other| other.is_content() || other == reason) - found,
                gold: gold.len(),
            }
        }));
        causes.retain(|cause| cause.words() > 0);
        causes
    }

    /// Returns the number of words that the text lacks or has in excess.
    pub fn words(&self) -> usize {
        match self {
            Cause::Dropped { words, .. }
            | Cause::InNoBlock { words, .. }
            | Cause::Kept { words, .. } => *words,
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Dropped {
                reason,
                words,
                gold,
            } => write!(f, "`{}` dropped {words} of {gold} words", reason.as_str()),
            Cause::InNoBlock { words, gold } => {
                write!(f, "{words} of {gold} words are in no block")
            }
            Cause::Kept { reason, words } => {
                write!(f, "`{}` kept {words} words too many", reason.as_str())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cause(gold: &str, blocks: &[(&str, Reason)]) -> Option<String> {
        let blocks = LabelledBlocks {
            texts: blocks.iter().map(|(text, _)| (*text).to_owned()).collect(),
            reasons: blocks.iter().map(|(_, reason)| *reason).collect(),
        };
        Cause::of(gold, &blocks, Tokens::Unicode).map(|cause| cause.to_string())
    }

    #[test]
    fn the_reason_that_dropped_most_of_the_gold_is_told() {
        let blocks = [
            ("Storm", Reason::OwnTitle),
            ("News of the wood", Reason::OffMainBranch),
            ("Two trees fell", Reason::Comments),
            ("in the night", Reason::Repeated),
            ("of Monday", Reason::Comments),
            ("Home", Reason::Unique),
        ];
        let gold = "Storm. Two trees fell in the night of Monday.";
        let expected = "`comments` dropped 5 of 9 words";
        assert_eq!(cause(gold, &blocks).as_deref(), Some(expected));
    }

    #[test]
    fn what_was_kept_and_is_not_in_the_gold_is_told() {
        let blocks = [
            ("Storm", Reason::OwnTitle),
            ("Two trees fell", Reason::Unique),
            ("Read more of trees", Reason::Unique),
            ("last night", Reason::LinkSlot),
        ];
        let gold = "Storm. Two trees fell last night.";
        let expected = "`unique` kept 4 words too many";
        assert_eq!(cause(gold, &blocks).as_deref(), Some(expected));
    }

    #[test]
    fn gold_that_no_block_has_is_told_and_a_right_text_has_no_cause() {
        let blocks = [("Two trees", Reason::Unique), ("Home", Reason::Repeated)];
        let expected = "2 of 4 words are in no block";
        assert_eq!(
            cause("Two trees fell today", &blocks).as_deref(),
            Some(expected)
        );
        assert_eq!(cause("Two trees", &blocks), None);
    }
}
