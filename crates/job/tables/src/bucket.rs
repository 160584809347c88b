//! A part of the sites: a range of the hashes of their domains.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};

/// One of `of` ranges of the hashes of domains. Two buckets share no domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub struct Bucket {
    /// From 0.
    index: u32,
    of: NonZeroU32,
}

impl Bucket {
    /// All sites.
    pub const WHOLE: Self = Self {
        index: 0,
        of: NonZeroU32::MIN,
    };

    /// Returns `count` buckets, which have all sites.
    pub fn all(count: NonZeroU32) -> impl Iterator<Item = Self> {
        (0..count.get()).map(move |index| Self { index, of: count })
    }

    /// The number of the bucket, from 0.
    pub fn index(self) -> u32 {
        self.index
    }

    /// The number of buckets.
    pub(crate) fn of(self) -> NonZeroU32 {
        self.of
    }

    /// Returns the one of `count` buckets that has all sites of this one, if the number of buckets is a multiple of `count`.
    pub(crate) fn within(self, count: NonZeroU32) -> Option<Self> {
        let (of, whole) = (self.of.get(), count.get());
        of.is_multiple_of(whole).then(|| Self {
            index: self.index / (of / whole),
            of: count,
        })
    }

    /// Whether the bucket has all sites.
    pub fn is_whole(self) -> bool {
        self.of == NonZeroU32::MIN
    }

    /// Whether the bucket has the rows of the site with this hash.
    pub fn has(self, site: u64) -> bool {
        self.index_of(site) == u128::from(self.index)
    }

    /// Whether the bucket has some of these sites.
    pub fn overlaps(self, sites: &RangeInclusive<u64>) -> bool {
        (self.index_of(*sites.start())..=self.index_of(*sites.end()))
            .contains(&u128::from(self.index))
    }

    /// Whether the buckets may have a site in common.
    fn meets(self, other: Self) -> bool {
        // The first hash of a bucket is index * 2⁶⁴ / of.
        let (one, two) = (u64::from(self.of.get()), u64::from(other.of.get()));
        let (a, b) = (u64::from(self.index), u64::from(other.index));
        a * two < (b + 1) * one && b * one < (a + 1) * two
    }

    /// Returns the folder of the files that have rows of this bucket only: `3-of-16`.
    pub(crate) fn folder(self) -> String {
        format!("{}-of-{}", self.index + 1, self.of)
    }

    /// Returns the bucket of a folder.
    pub(crate) fn of_folder(name: &str) -> Option<Self> {
        let (number, of) = name.split_once("-of-")?;
        let (number, of) = (number.parse::<u32>().ok()?, of.parse::<NonZeroU32>().ok()?);
        let bucket = Self {
            index: number.checked_sub(1)?,
            of,
        };
        (bucket.index < of.get() && bucket.folder() == name).then_some(bucket)
    }

    /// Whether a data file may have rows of this bucket. `path` is that of the file, with the folder of its partition.
    pub fn may_be_in(self, path: &str) -> bool {
        Self::of_file(path).is_none_or(|of_file| self.meets(of_file))
    }

    /// Returns the bucket of a data file, if it is in the folder of one.
    pub(crate) fn of_file(path: &str) -> Option<Self> {
        path.rsplit('/').nth(1).and_then(Self::of_folder)
    }

    /// Returns the part of `whole` in a bucket, if all buckets are equal.
    pub fn share(self, whole: u64) -> u64 {
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
    use super::*;

    fn buckets(count: u32) -> Vec<Bucket> {
        Bucket::all(count.try_into().unwrap()).collect()
    }

    /// Numbers over the whole range, as hashes are.
    fn site(number: u32) -> u64 {
        u64::from(number).wrapping_mul(0x9e37_79b9_7f4a_7c15)
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

    #[test]
    fn a_file_is_read_by_the_buckets_that_its_folder_meets() {
        let readers = |count, path: &str| {
            let of = (buckets(count).into_iter()).filter(|of| of.may_be_in(path));
            of.map(Bucket::index).collect::<Vec<_>>()
        };
        let part = "part-00001-2b0a4e3c-5d0f-4a3c-9f57-0c4c7e0b7a11-c000.zstd.parquet";
        let path = format!("date=2011-10-24/3-of-16/{part}");
        assert_eq!(readers(16, &path), [2]);
        assert_eq!(readers(4, &path), [0]);
        assert_eq!(readers(32, &path), [4, 5]);
        assert_eq!(
            readers(3, &format!("date=2011-10-24/2-of-4/{part}")),
            [0, 1]
        );
        assert_eq!(readers(2, &format!("date=2011-10-24/{part}")), [0, 1]);
        for other in ["0-of-3", "4-of-3", "03-of-16", "3-of-0", "a-of-b"] {
            assert_eq!(Bucket::of_folder(other), None, "{other}");
        }
    }
}
