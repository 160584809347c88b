//! A part of the sites: a range of the hashes of their domains.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// One of `of` ranges of the hashes of domains. A plan reads the rows of its bucket only.
///
/// Two buckets share no domain. A row without a domain is in the bucket of its row group
/// ([`owner`](crate::plan::row_group_scan::owner)), so each row of an archive is in one bucket.
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

    /// Whether the bucket has the rows of the site with this [`hash`](url_key::hash).
    pub(crate) fn has(self, site: u64) -> bool {
        self.index_of(site) == u128::from(self.index)
    }

    /// Whether the bucket has some of these sites.
    pub(crate) fn overlaps(self, sites: &RangeInclusive<u64>) -> bool {
        (self.index_of(*sites.start())..=self.index_of(*sites.end()))
            .contains(&u128::from(self.index))
    }

    /// Returns the part of `whole` in a bucket, if all buckets are equal.
    pub(crate) fn share(self, whole: u64) -> u64 {
        whole.div_ceil(u64::from(self.of.get()))
    }

    /// The bucket of a hash: the buckets divide 2⁶⁴ hashes in order.
    fn index_of(self, hash: u64) -> u128 {
        (u128::from(hash) * u128::from(self.of.get())) >> 64
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
    use url_key::hash;

    use super::*;

    fn buckets(count: u32) -> Vec<Bucket> {
        Bucket::all(count.try_into().unwrap()).collect()
    }

    fn site(number: u32) -> u64 {
        hash(&format!("site-{number}.example"))
    }

    #[test]
    fn each_site_is_in_one_bucket() {
        for count in [1, 2, 3, 16, 1000] {
            for number in 0..500 {
                let of = (buckets(count).into_iter()).filter(|of| of.has(site(number)));
                assert_eq!(of.count(), 1, "site {number} of {count}");
            }
        }
    }

    #[test]
    fn buckets_are_of_about_the_same_size() {
        let mut sizes = [0; 16];
        for number in 0..16_000 {
            let of = (buckets(16).into_iter()).find(|of| of.has(site(number)));
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
            let of = |count| (buckets(count).into_iter()).find(|of| of.has(site(number)));
            assert_eq!(of(64).unwrap().index() / 4, of(16).unwrap().index());
        }
    }

    #[test]
    fn a_range_of_sites_is_in_the_buckets_of_its_ends_and_those_between() {
        let quarter = 1 << 62;
        let in_range = |sites: &RangeInclusive<u64>| {
            let of = (buckets(4).into_iter()).filter(|of| of.overlaps(sites));
            of.map(Bucket::index).collect::<Vec<_>>()
        };
        assert_eq!(in_range(&(0..=u64::MAX)), [0, 1, 2, 3]);
        assert_eq!(in_range(&(quarter..=2 * quarter - 1)), [1]);
        assert_eq!(in_range(&(quarter - 1..=2 * quarter)), [0, 1, 2]);
    }
}
