//! Memory of a run, shared out among the sorts and joins of its plan.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// Shares as DataFusion's `FairSpillPool` does, between those who can spill to disk and
/// those who cannot, but for three things:
///
/// - There, sorts fill all of it, and when one comes to merge what it spilled, the merge,
///   which cannot spill, finds nothing left. Here a quarter is kept for those who
///   cannot.
/// - There, one batch is larger than the part of the sort it is for, which then has
///   nothing to spill to make room. Here who holds nothing always gets what it asks
///   for: at most one batch for each sort goes beyond the limit.
/// - There, every sort of a plan has an equal part, and a chunk's one large sort spills
///   beside others that hold next to nothing. Here a quarter of what they share is in
///   equal parts, and the rest is for who needs it first. Who has spilled holds nothing
///   any more, and rows are wide only before the last sort: so that one finds it.
#[derive(Debug)]
pub(crate) struct RunMemory {
    bytes: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Held {
    /// Bytes of each consumer that can spill, by its number.
    by_spillers: BTreeMap<usize, usize>,
    by_others: usize,
}

impl RunMemory {
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            bytes,
            held: Mutex::default(),
        }
    }

    fn held<T>(&self, change: impl FnOnce(&mut Held) -> T) -> T {
        // Numbers are never left half changed.
        change(&mut self.held.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What `held` leaves for `consumer` to grow by.
    fn available(&self, held: &Held, consumer: &MemoryConsumer) -> usize {
        let kept = self.bytes / 4;
        if !consumer.can_spill() {
            let free = (self.bytes).saturating_sub(held.total());
            return free.max(kept.saturating_sub(held.by_others));
        }
        let own = (held.by_spillers).get(&consumer.id()).copied().unwrap_or(0);
        if own == 0 {
            return usize::MAX;
        }
        let shared = self.bytes - kept.max(held.by_others).min(self.bytes);
        let part = shared / 4 / held.by_spillers.len();
        let beyond: usize = (held.by_spillers.values())
            .map(|bytes| bytes.saturating_sub(part))
            .sum();
        let common = (shared - part * held.by_spillers.len()).saturating_sub(beyond);
        part.saturating_sub(own) + common
    }
}

impl Held {
    fn of(&mut self, consumer: &MemoryConsumer) -> &mut usize {
        if consumer.can_spill() {
            self.by_spillers.entry(consumer.id()).or_default()
        } else {
            &mut self.by_others
        }
    }

    fn total(&self) -> usize {
        self.by_spillers.values().sum::<usize>() + self.by_others
    }
}

impl MemoryPool for RunMemory {
    fn name(&self) -> &str {
        "run.memory_limit"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.held(|held| held.by_spillers.insert(consumer.id(), 0));
        }
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        if consumer.can_spill() {
            self.held(|held| held.by_spillers.remove(&consumer.id()));
        }
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.held(|held| *held.of(reservation.consumer()) += additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, less: usize) {
        self.held(|held| *held.of(reservation.consumer()) -= less);
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
            *held.of(consumer) += additional;
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

impl fmt::Display for RunMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of run.memory_limit", self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn pool(bytes: usize) -> Arc<dyn MemoryPool> {
        Arc::new(RunMemory::new(bytes))
    }

    fn sort(pool: &Arc<dyn MemoryPool>) -> MemoryReservation {
        MemoryConsumer::new("sort")
            .with_can_spill(true)
            .register(pool)
    }

    #[test]
    fn one_sort_may_hold_what_the_others_do_not_need() {
        let pool = pool(1600);
        let (one, _idle) = (sort(&pool), sort(&pool));
        // A quarter is kept for merges, and an eighth of the rest for the other sort.
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
    fn a_sort_that_comes_late_has_its_part_and_what_is_left() {
        let pool = pool(1600);
        let (one, other) = (sort(&pool), sort(&pool));
        one.try_grow(1).unwrap();
        one.try_grow(999).unwrap();
        other.try_grow(1).unwrap();
        other.try_grow(199).unwrap();
        for reservation in [&one, &other] {
            assert!(reservation.try_grow(1).is_err());
        }
        // The first spills.
        one.free();
        other.try_grow(850).unwrap();
        assert!(other.try_grow(1).is_err());
    }

    #[test]
    fn what_cannot_spill_takes_from_what_sorts_share() {
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
    fn a_batch_beyond_its_share_is_taken_by_who_holds_nothing() {
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
