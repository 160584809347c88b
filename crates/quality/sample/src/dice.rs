//! Random numbers that are the same for ever.

use md5::{Digest, Md5};
use rand_pcg::Pcg64Mcg;
use rand_pcg::rand_core::{Rng, SeedableRng};

/// A stream of random numbers, named by what it is for.
///
/// The generator's output is fixed by its algorithm (PCG XSL 128/64 MCG), and so
/// is its seed (MD5 of the name). What is drawn from it is whole numbers, made
/// here: the distributions of `rand` may change with its versions.
#[derive(Debug)]
pub(crate) struct Dice(Pcg64Mcg);

impl Dice {
    /// The stream for one purpose. Equal names give equal streams.
    pub(crate) fn new(seed: u64, purpose: &str, name: &[i64]) -> Self {
        let mut hash = Md5::new();
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        for part in name {
            hash.update(part.to_le_bytes());
        }
        Dice(Pcg64Mcg::from_seed(hash.finalize().into()))
    }

    /// A number in `0..sides`, or 0 where there are no sides.
    pub(crate) fn below(&mut self, sides: usize) -> usize {
        let wide = u128::from(self.0.next_u64()) * sides as u128;
        (wide >> 64) as usize
    }

    /// A number in `low..=high`.
    pub(crate) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in so many of a hundred cases.
    pub(crate) fn percent(&mut self, share: usize) -> bool {
        self.below(100) < share
    }

    /// `thousandths` of one as a whole number: rounded up as often as its
    /// fraction says.
    pub(crate) fn round(&mut self, thousandths: u64) -> usize {
        let up = (self.below(1000) as u64) < thousandths % 1000;
        usize::try_from(thousandths / 1000).unwrap_or(usize::MAX - 1) + usize::from(up)
    }

    /// One of some.
    pub(crate) fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// Some of them, in a new order.
    pub(crate) fn some<T: Copy>(&mut self, of: &[T], count: usize) -> Vec<T> {
        let mut rest = of.to_vec();
        (0..count.min(of.len()))
            .map(|_| rest.remove(self.below(rest.len())))
            .collect()
    }
}
