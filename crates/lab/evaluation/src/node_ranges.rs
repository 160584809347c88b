//! Nodes of a page.

use std::ops::Range;

/// Nodes of a page: ranges of ids that increase and do not touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeRanges(Vec<Range<usize>>);

impl NodeRanges {
    /// Collects ids that increase.
    pub fn of(ids: impl IntoIterator<Item = usize>) -> Self {
        let mut ranges = Self::default();
        for id in ids {
            ranges.add(id..id + 1);
        }
        ranges
    }

    /// Appends ids that are all above those before.
    pub(crate) fn add(&mut self, ids: Range<usize>) {
        match self.0.last_mut() {
            Some(last) if last.end == ids.start => last.end = ids.end,
            _ => self.0.push(ids),
        }
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.0.iter().map(Range::len).sum()
    }

    /// The number of nodes that both have.
    pub(crate) fn common(&self, other: &Self) -> usize {
        let (mut i, mut j, mut common) = (0, 0, 0);
        while let (Some(one), Some(two)) = (self.0.get(i), other.0.get(j)) {
            let (start, end) = (one.start.max(two.start), one.end.min(two.end));
            common += end.saturating_sub(start);
            if one.end < two.end {
                i += 1;
            } else {
                j += 1;
            }
        }
        common
    }

    /// Drops the nodes outside of `ids`.
    pub(crate) fn within(&self, ids: &Range<usize>) -> Self {
        let cut = self
            .0
            .iter()
            .map(|range| range.start.max(ids.start)..range.end.min(ids.end));
        Self(cut.filter(|range| !range.is_empty()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_the_nodes_of_both() {
        let (one, two) = (
            NodeRanges::of([1, 2, 3, 7, 8]),
            NodeRanges::of([0, 3, 4, 7, 8, 9]),
        );
        assert_eq!(one.0, [1..4, 7..9]);
        assert_eq!(
            (one.len(), two.len(), one.common(&two), two.common(&one)),
            (5, 6, 3, 3)
        );
    }
}
