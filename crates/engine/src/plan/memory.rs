//! The memory of a run, shared out among the sorts and joins of its plan.

use std::fmt;
use std::sync::{Mutex, PoisonError};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// Shares as DataFusion's `FairSpillPool` does: who can spill to disk gets an equal
/// part of what those leave who cannot. Under that pool a run ends for want of
/// memory in two cases in which nothing is amiss, and here it does not:
///
/// - Sorts fill all of it, and when one comes to merge what it spilled, the merge,
///   which cannot spill, finds nothing left. Here a quarter is kept for those who
///   cannot.
/// - One batch is larger than the part of the sort it is for, which then has
///   nothing to spill to make room. Here who holds nothing always gets what it asks
///   for: at most one batch for each sort goes beyond the limit.
#[derive(Debug)]
pub(crate) struct RunMemory {
    bytes: usize,
    held: Mutex<Held>,
}

#[derive(Debug, Default, Clone, Copy)]
struct Held {
    /// Consumers that can spill.
    spillers: usize,
    by_spillers: usize,
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

    /// What `held` leaves for a reservation of `size` bytes to grow by.
    fn available(&self, held: Held, can_spill: bool, size: usize) -> usize {
        let kept = self.bytes / 4;
        if !can_spill {
            let free = (self.bytes).saturating_sub(held.by_spillers + held.by_others);
            return free.max(kept.saturating_sub(held.by_others));
        }
        if size == 0 {
            return usize::MAX;
        }
        let shared = self.bytes - kept.max(held.by_others).min(self.bytes);
        (shared / held.spillers.max(1)).saturating_sub(size)
    }
}

impl Held {
    fn of(&mut self, can_spill: bool) -> &mut usize {
        if can_spill {
            &mut self.by_spillers
        } else {
            &mut self.by_others
        }
    }
}

impl MemoryPool for RunMemory {
    fn name(&self) -> &str {
        "run.memory"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.held(|held| held.spillers += usize::from(consumer.can_spill()));
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.held(|held| held.spillers -= usize::from(consumer.can_spill()));
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let can_spill = reservation.consumer().can_spill();
        self.held(|held| *held.of(can_spill) += additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, less: usize) {
        let can_spill = reservation.consumer().can_spill();
        self.held(|held| *held.of(can_spill) -= less);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        let can_spill = consumer.can_spill();
        self.held(|held| {
            let available = self.available(*held, can_spill, reservation.size());
            if additional > available {
                return Err(DataFusionError::ResourcesExhausted(format!(
                    "{} has {} bytes and needs {additional} more, {available} are left of \
                     run.memory = {}",
                    consumer.name(),
                    reservation.size(),
                    self.bytes
                )));
            }
            *held.of(can_spill) += additional;
            Ok(())
        })
    }

    fn reserved(&self) -> usize {
        self.held(|held| held.by_spillers + held.by_others)
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.bytes)
    }
}

impl fmt::Display for RunMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "run.memory = {}", self.bytes)
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
    fn sorts_share_what_is_not_kept_for_merges() {
        let pool = pool(1000);
        let (one, other) = (sort(&pool), sort(&pool));
        for reservation in [&one, &other] {
            reservation.try_grow(300).unwrap();
            reservation.try_grow(75).unwrap();
            assert!(reservation.try_grow(1).is_err());
        }
        let merge = MemoryConsumer::new("merge").register(&pool);
        merge.try_grow(250).unwrap();
        let refused = merge.try_grow(1).unwrap_err().to_string();
        assert!(refused.contains("run.memory = 1000"), "{refused}");
        assert_eq!(pool.reserved(), 1000);
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
