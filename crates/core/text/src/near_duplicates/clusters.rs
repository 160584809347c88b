//! Clusters of texts.

/// Disjoint sets of numbered texts. The text with the least number stands for its cluster, so the result
/// does not depend on the order of joins.
#[derive(Debug, Clone, Default)]
pub struct Clusters {
    /// A text of the same cluster with a smaller number, or the text itself. 4 bytes per text.
    parents: Vec<u32>,
}

impl Clusters {
    /// Makes `texts` clusters of one text each, numbered from 0 upwards.
    pub fn new(texts: u32) -> Self {
        Self {
            parents: (0..texts).collect(),
        }
    }

    /// Adds a cluster of one text, and returns its number, or `None` after 2^32 texts.
    pub fn add(&mut self) -> Option<u32> {
        let number = u32::try_from(self.parents.len()).ok()?;
        self.parents.push(number);
        Some(number)
    }

    /// Returns the least number in the cluster of `text`, which is itself if it was never joined.
    pub fn first(&mut self, text: u32) -> u32 {
        let mut at = text;
        while let Some(parent) = self.parent(at) {
            // Halves the path, so that the next search is shorter.
            let above = self.parent(parent).unwrap_or(parent);
            self.parents[at as usize] = above;
            at = above;
        }
        at
    }

    /// Returns the parent of a text that is not the first of its cluster.
    fn parent(&self, text: u32) -> Option<u32> {
        let parent = *self.parents.get(text as usize)?;
        (parent != text).then_some(parent)
    }

    /// Joins the clusters of two texts. Texts that are not numbered are left alone.
    pub fn join(&mut self, one: u32, other: u32) {
        let (one, other) = (self.first(one), self.first(other));
        let (least, later) = (one.min(other), one.max(other));
        if let Some(parent) = self.parents.get_mut(later as usize) {
            *parent = least;
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn firsts(texts: u32, joins: &[(u32, u32)]) -> Vec<u32> {
        let mut clusters = Clusters::new(texts);
        for (one, other) in joins {
            clusters.join(*one, *other);
        }
        (0..texts).map(|text| clusters.first(text)).collect()
    }

    #[test]
    fn the_least_number_stands_for_a_chain() {
        assert_eq!(firsts(5, &[(4, 3), (1, 3), (3, 9)]), [0, 1, 2, 1, 1]);
        let mut clusters = Clusters::new(1);
        assert_eq!((clusters.add(), clusters.add()), (Some(1), Some(2)));
        clusters.join(2, 1);
        assert_eq!((clusters.first(0), clusters.first(2)), (0, 1));
    }

    proptest! {
        #[test]
        fn the_order_of_joins_does_not_matter(
            (joins, shuffled) in prop::collection::vec((0_u32..30, 0_u32..30), 0..40)
                .prop_flat_map(|joins| (Just(joins.clone()), Just(joins).prop_shuffle()))
        ) {
            let found = firsts(30, &joins);
            let swapped: Vec<_> = shuffled.into_iter().map(|(a, b)| (b, a)).collect();
            prop_assert_eq!(&found, &firsts(30, &swapped));
            for (one, other) in joins {
                prop_assert_eq!(found[one as usize], found[other as usize]);
                prop_assert!(found[one as usize] <= one.min(other));
            }
        }
    }
}
