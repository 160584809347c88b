//! A part of the sites: a range of the hashes of their domains.

use std::fmt;
use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};

use crate::plan::prior::key_hash::hash;

/// One of `of` ranges of the hashes of domains. A plan reads the rows of its bucket only.
///
/// Two buckets share no domain. A row without a domain is in the bucket of its row group, so each row of an archive
/// is in one bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub(crate) struct Bucket {
    /// From 0.
    index: u32,
    of: NonZeroU32,
}

impl Bucket {
    /// All sites.
    pub(crate) const WHOLE: Self = Self {
        index: 0,
        of: NonZeroU32::MIN,
    };

    /// Returns `count` buckets, which have all sites.
    pub(crate) fn all(count: NonZeroU32) -> impl Iterator<Item = Self> {
        (0..count.get()).map(move |index| Self { index, of: count })
    }

    pub(crate) fn index(self) -> u32 {
        self.index
    }

    pub(crate) fn is_whole(self) -> bool {
        self.of == NonZeroU32::MIN
    }

    /// Whether the bucket has the rows of `domain`.
    pub(crate) fn has_domain(self, domain: &str) -> bool {
        self.is_whole() || self.has(hash(domain).cast_unsigned())
    }

    /// Whether the bucket has the rows without a domain of a row group. Objects without row groups have -1.
    pub(crate) fn has_row_group(self, source: &str, row_group: i32) -> bool {
        self.is_whole() || self.has(hash(&format!("{source} {row_group}")).cast_unsigned())
    }

    /// Returns the part of `whole` in a bucket, if all buckets are equal.
    pub(crate) fn share(self, whole: u64) -> u64 {
        whole.div_ceil(u64::from(self.of.get()))
    }

    /// Whether a hash is in the range: the buckets divide 2⁶⁴ hashes in order.
    fn has(self, hash: u64) -> bool {
        (u128::from(hash) * u128::from(self.of.get())) >> 64 == u128::from(self.index)
    }
}

impl fmt::Display for Bucket {
    /// As people count: `3/16`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn buckets(count: u32) -> Vec<Bucket> {
        Bucket::all(count.try_into().unwrap()).collect()
    }

    #[test]
    fn each_domain_and_each_row_group_is_in_one_bucket() {
        for count in [1, 2, 3, 16, 1000] {
            for number in 0..500 {
                let domain = format!("site-{number}.example");
                let of_domain = (buckets(count).into_iter()).filter(|of| of.has_domain(&domain));
                assert_eq!(of_domain.count(), 1, "{domain} of {count}");
                let groups = buckets(count).into_iter();
                let groups = groups.filter(|of| of.has_row_group("a.parquet", number));
                assert_eq!(groups.count(), 1, "row group {number} of {count}");
            }
        }
    }

    #[test]
    fn buckets_are_of_about_the_same_size() {
        let mut sizes = [0; 16];
        for number in 0..16_000 {
            let domain = format!("site-{number}.example");
            let of = buckets(16).into_iter().find(|of| of.has_domain(&domain));
            sizes[of.unwrap().index() as usize] += 1;
        }
        assert!(
            sizes.iter().all(|size| (850..1150).contains(size)),
            "{sizes:?}"
        );
    }

    #[test]
    fn a_bucket_of_more_buckets_is_a_part_of_one() {
        for number in 0..500 {
            let domain = format!("site-{number}.example");
            let of = |count| buckets(count).into_iter().find(|of| of.has_domain(&domain));
            assert_eq!(of(64).unwrap().index() / 4, of(16).unwrap().index());
        }
    }
}
