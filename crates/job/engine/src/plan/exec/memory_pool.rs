//! The memory pool of a run: it divides memory among the sorts and joins of a plan.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// Divides memory between consumers that can spill and consumers that cannot, like DataFusion's
/// `FairSpillPool`, with four differences:
///
/// - `FairSpillPool` lets sorts take all memory. A sort that then merges its spilled runs finds
///   none left, because a merge cannot spill. This pool keeps a quarter for consumers that
///   cannot spill.
/// - `FairSpillPool` can refuse a sort its first batch, when the sort has nothing to spill. This
///   pool always grants the first reservation of a consumer that can spill. The limit is
///   exceeded by at most one batch per sort.
/// - `FairSpillPool` gives every sort an equal part, so the one large sort of a chunk spills
///   while others hold next to nothing. This pool gives a quarter of the shared memory in equal
///   parts, and the rest to the first consumer that needs it. A sort that has spilled holds
///   nothing, and rows are wide only before the last sort, so the last sort gets most of the
///   memory.
/// - `FairSpillPool` makes a shuffle spill. This pool counts a shuffle and never refuses it: see
///   [`is_shuffle`].
#[derive(Debug)]
pub(crate) struct RunMemoryPool {
    bytes: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Bytes of each consumer that can spill, by consumer id.
    by_spillers: BTreeMap<usize, usize>,
    /// Bytes of all shuffles.
    by_shuffles: usize,
    /// Bytes of all consumers that cannot spill.
    by_others: usize,
}

/// Whether `consumer` is a `RepartitionExec`, which must not spill.
///
/// In DataFusion 55.2 a `RepartitionExec` waits for ever when two of its inputs have spilled to
/// the same output: the reader waits for the end of the older file, and the batch that it needs
/// is in the newer one (<https://github.com/apache/datafusion/issues/24883>). An unrefused
/// operator does not spill. Its rows stay few, because its inputs stop when every output has a
/// batch. Remove this rule with the release that has
/// <https://github.com/apache/datafusion/pull/24891>; a test in `plan/shuffle_hang.rs` fails then.
fn is_shuffle(consumer: &MemoryConsumer) -> bool {
    consumer.name().starts_with("RepartitionExec[")
}

impl RunMemoryPool {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            held: Mutex::default(),
        }
    }

    fn held<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        // `change` does not panic between two writes, so a poisoned lock holds valid numbers.
        change(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the bytes by which `consumer` may grow, given `held`.
    fn available(&self, held: &Held, consumer: &MemoryConsumer) -> usize {
        let kept = self.bytes / 4;
        if is_shuffle(consumer) {
            return usize::MAX;
        }
        if !consumer.can_spill() {
            let free = self.bytes.saturating_sub(held.total());
            return free.max(kept.saturating_sub(held.by_others));
        }
        let own = held.by_spillers.get(&consumer.id()).copied().unwrap_or(0);
        if own == 0 {
            return usize::MAX;
        }
        let fixed = kept.max(held.by_others) + held.by_shuffles;
        let shared = self.bytes.saturating_sub(fixed);
        let part = shared / 4 / held.by_spillers.len();
        let beyond: usize = held
            .by_spillers
            .values()
            .map(|bytes| bytes.saturating_sub(part))
            .sum();
        let common = (shared - part * held.by_spillers.len()).saturating_sub(beyond);
        part.saturating_sub(own) + common
    }
}

impl Held {
    fn bytes_of(&mut self, consumer: &MemoryConsumer) -> &mut usize {
        if is_shuffle(consumer) {
            &mut self.by_shuffles
        } else if consumer.can_spill() {
            self.by_spillers.entry(consumer.id()).or_default()
        } else {
            &mut self.by_others
        }
    }

    fn total(&self) -> usize {
        self.by_spillers.values().sum::<usize>() + self.by_shuffles + self.by_others
    }
}

impl MemoryPool for RunMemoryPool {
    fn name(&self) -> &str {
        "run.memory_limit"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() && !is_shuffle(consumer) {
            self.held(|held| held.by_spillers.insert(consumer.id(), 0));
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.held(|held| held.by_spillers.remove(&consumer.id()));
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.held(|held| *held.bytes_of(reservation.consumer()) += additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, less: usize) {
        self.held(|held| *held.bytes_of(reservation.consumer()) -= less);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        self.held(|held| {
            let available = self.available(held, consumer);
            if additional > available {
                return Err(DataFusionError::ResourcesExhausted(format!(
                    "{} has {} bytes and needs {additional} more, {available} are left of \
                     the {} that sorts and joins have of run.memory_limit",
                    consumer.name(),
                    reservation.size(),
                    self.bytes
                )));
            }
            *held.bytes_of(consumer) += additional;
            Ok(())
        })
    }

    fn reserved(&self) -> usize {
        self.held(|held| held.total())
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bytes)
    }
}

impl fmt::Display for RunMemoryPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of run.memory_limit", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn pool(bytes: usize) -> Arc<dyn MemoryPool> {
        Arc::new(RunMemoryPool::new(bytes))
    }

    fn sort(pool: &Arc<dyn MemoryPool>) -> MemoryReservation {
        MemoryConsumer::new("sort")
            .with_can_spill(true)
            .register(pool)
    }

    #[test]
    fn one_sort_gets_the_memory_that_others_do_not_use() {
        let pool = pool(1600);
        let (one, _idle) = (sort(&pool), sort(&pool));
        // A quarter of 1600 is kept for merges, and an eighth of the rest for the other sort.
        one.try_grow(1).unwrap();
        one.try_grow(1049).unwrap();
        assert!(one.try_grow(1).is_err());
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(550).unwrap();
        let refused = merge.try_grow(1).unwrap_err().to_string();
        assert!(refused.contains("of the 1600 that"), "{refused}");
        assert_eq!(pool.reserved(), 1600);
    }

    #[test]
    fn a_late_sort_gets_its_part_and_the_free_rest() {
        let pool = pool(1600);
        let (one, other) = (sort(&pool), sort(&pool));
        one.try_grow(1).unwrap();
        one.try_grow(999).unwrap();
        other.try_grow(1).unwrap();
        other.try_grow(199).unwrap();
        for reservation in [&one, &other] {
            assert!(reservation.try_grow(1).is_err());
        }
        // The first sort spills.
        one.free();
        other.try_grow(850).unwrap();
        assert!(other.try_grow(1).is_err());
    }

    #[test]
    fn a_join_reduces_the_memory_of_sorts() {
        let pool = pool(1600);
        let sort = sort(&pool);
        let join = MemoryConsumer::new("join").register(&pool);
        join.try_grow(1000).unwrap();
        sort.try_grow(1).unwrap();
        sort.try_grow(599).unwrap();
        assert!(sort.try_grow(1).is_err());
        assert!(join.try_grow(1).is_err());
    }

    #[test]
    fn a_shuffle_is_never_refused_and_reduces_the_memory_of_sorts() {
        let pool = pool(1600);
        let shuffle = MemoryConsumer::new("RepartitionExec[0]")
            .with_can_spill(true)
            .register(&pool);
        shuffle.try_grow(1).unwrap();
        shuffle.try_grow(399).unwrap();
        let sort = sort(&pool);
        sort.try_grow(1).unwrap();
        sort.try_grow(799).unwrap();
        assert!(sort.try_grow(1).is_err());
        shuffle.try_grow(5000).unwrap();
        shuffle.free();
        sort.try_grow(400).unwrap();
        assert_eq!(pool.reserved(), 1200);
    }

    #[test]
    fn a_first_reservation_is_granted_above_the_limit() {
        let pool = pool(1000);
        let sort = sort(&pool);
        sort.try_grow(5000).unwrap();
        assert!(sort.try_grow(1).is_err());
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(250).unwrap();
        sort.free();
        merge.try_grow(750).unwrap();
        assert_eq!(pool.reserved(), 1000);
    }
}
