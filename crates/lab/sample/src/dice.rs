//! Random numbers that do not change between versions.

use md5::{Digest, Md5};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers for one purpose.
///
/// The output is fixed by the algorithms of the generator (PCG XSL 128/64 MCG) and of its
/// seed (MD5 of the name). Only whole numbers are drawn, by code of this module, because
/// the distributions of `rand` may change between versions.
#[derive(Debug)]
pub(crate) struct Dice(Pcg64Mcg);

impl Dice {
    /// Creates the stream for a purpose. Equal arguments give equal streams.
    pub(crate) fn new(seed: u64, purpose: &str, name: &[i64]) -> Self {
        let mut hash = Md5::new();
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        for part in name {
            hash.update(part.to_le_bytes());
        }
        Dice(Pcg64Mcg::from_seed(hash.finalize().into()))
    }

    /// Draws a number in `0..sides`, or 0 if `sides` is 0.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        let wide = u128::from(self.0.next_u64()) * sides as u128;
        (wide >> 64) as usize
    }

    /// Draws a number in `low..=high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// Returns true with a probability of `share` percent.
    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// Rounds thousandths to a whole number, at random: up with a probability equal to the
    /// fraction, down otherwise.
    pub(crate) fn round(&mut self, thousandths: u64) -> usize {
        let up = (self.below(1000) as u64) < thousandths % 1000;
        usize::try_from(thousandths / 1000).unwrap_or(usize::MAX - 1) + usize::from(up)
    }

    /// Draws one item.
    pub(crate) fn one<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Draws `count` items without replacement, in random order.
    pub(crate) fn some<T: Copy>(&mut self, items: &[T], count: usize) -> Vec<T> {
        let mut rest = items.to_vec();
        (0..count.min(items.len()))
            .map(|_| rest.remove(self.below(rest.len())))
            .collect()
    }
}
