//! Revisions: duplicates with enough new text [O E3].

use crate::ids::BlockHash;
use crate::replay::TreeLabels;

/// Unseen characters from which a duplicate is a revision [O E3].
pub const UNSEEN_CHARS: usize = 100;

/// Returns the length of the unseen content of a page, in UTF-16 code units [O D8].
///
/// `utf16_lengths` are the lengths of the labelled blocks, in the order of the labels. A
/// repeated block counts each time.
pub fn unseen_chars(labels: &TreeLabels, utf16_lengths: &[usize]) -> usize {
    labels
        .blocks
        .iter()
        .zip(utf16_lengths)
        .filter(|(label, _)| label.unseen)
        .map(|(_, length)| length)
        .sum()
}

/// Returns the hashes of the unseen content of a duplicate, for
/// [`DomainReplay::insert_revision`](crate::DomainReplay::insert_revision).
///
/// Returns `None` if the unseen content has fewer than [`UNSEEN_CHARS`] characters.
/// `hashes` and `utf16_lengths` are those of the labelled blocks, in the order of the
/// labels.
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
