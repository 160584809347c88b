//! When a duplicate is worth an entry of its own [O E3].

use crate::ids::BlockHash;
use crate::replay::TreeLabels;

/// Unseen characters that make a duplicate a revision [O E3].
pub const UNSEEN_CHARS: usize = 100;

/// Characters of unseen content in a document, in UTF-16 code units [O D8].
///
/// `utf16_lengths` are the lengths of the blocks that were labelled, in the
/// same order. A block that is repeated counts each time.
pub fn unseen_chars(labels: &TreeLabels, utf16_lengths: &[usize]) -> usize {
    (labels.blocks.iter().zip(utf16_lengths))
        .filter(|(label, _)| label.unseen)
        .map(|(_, length)| length)
        .sum()
}

/// What a duplicate adds to the tree: the hashes of its unseen content if that
/// has at least [`UNSEEN_CHARS`] characters, else nothing.
///
/// `hashes` and `utf16_lengths` belong to the blocks that were labelled, in
/// the same order. The result is for
/// [`DomainReplay::insert_revision`](crate::DomainReplay::insert_revision).
pub fn revision_hashes(
    labels: &TreeLabels,
    hashes: &[BlockHash],
    utf16_lengths: &[usize],
) -> Option<Vec<BlockHash>> {
    if unseen_chars(labels, utf16_lengths) < UNSEEN_CHARS {
        return None;
    }
    let unseen = labels.blocks.iter().zip(hashes);
    Some(
        unseen
            .filter(|(label, _)| label.unseen)
            .map(|(_, hash)| *hash)
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DomainReplay, Entry, Heuristic, WindowOptions};

    #[test]
    fn a_duplicate_with_a_hundred_unseen_characters_is_a_revision() {
        let (known, new, other) = ([1; 16], [2; 16], [3; 16]);
        let mut replay = DomainReplay::new(1, Heuristic::Strict, WindowOptions::default());
        replay.insert(Entry {
            time_micros: 0,
            branch: &["x"],
            hashes: &[known],
        });
        let hashes = [known, new, other, new];
        let labels = replay.label(&["x"], &hashes);
        assert_eq!(revision_hashes(&labels, &hashes, &[500, 30, 39, 30]), None);
        assert_eq!(
            revision_hashes(&labels, &hashes, &[500, 30, 40, 30]),
            Some(vec![new, other, new])
        );
    }
}
