//! The memory pool of a run: it divides memory among the sorts and joins of a plan.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use datafusion::common::resources_err;
use datafusion::error::Result;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// Divides memory between consumers that can spill and consumers that cannot, like DataFusion's
/// `FairSpillPool`, with these differences:
///
/// - `FairSpillPool` lets sorts take all memory, and refuses a merge of their runs then, because a
///   merge cannot spill. Which sorts hold memory at that moment depends on the threads: at 48 MB,
///   of six runs over equal pages one or two were refused. This pool counts merges and never
///   refuses them. `max_spill_merge_fan_in` of the session limits the runs of a merge.
/// - `FairSpillPool` can refuse a sort its first batch, when the sort has nothing to spill. This
///   pool always grants the first reservation of a consumer that can spill. The limit is
///   exceeded by at most one batch per sort.
/// - `FairSpillPool` gives every sort an equal part, so the one large sort of a chunk spills
///   while others hold next to nothing. This pool gives a quarter of the shared memory in equal
///   parts, and the rest to the first consumer that needs it. A sort that has spilled holds
///   nothing, and rows are wide only before the last sort, so the last sort gets most of the
///   memory.
/// - `FairSpillPool` gives joins the memory that sorts leave. This pool gives them three quarters,
///   whatever the sorts hold: the rows of a chunk alone decide whether its joins fit.
/// - `FairSpillPool` makes a shuffle spill. This pool counts a shuffle and never refuses it: see
///   [`Kind::Shuffle`].
#[derive(Debug)]
pub(crate) struct RunMemoryPool {
    bytes: usize,
    held: Mutex<Held>,
}

/// Bytes of each consumer, by its kind and id.
type Held = BTreeMap<(Kind, usize), usize>;

/// A kind of consumer, by the name that DataFusion gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// A `RepartitionExec`, which must not spill.
    ///
    /// In DataFusion 55.2 a `RepartitionExec` waits for ever when two of its inputs have spilled
    /// to the same output: the reader waits for the end of the older file, and the batch that it
    /// needs is in the newer one (<https://github.com/apache/datafusion/issues/24883>). An
    /// unrefused operator does not spill. Its rows stay few, because its inputs stop when every
    /// output has a batch. Remove this kind with the release that has
    /// <https://github.com/apache/datafusion/pull/24891>; a test in `plan/shuffle_hang.rs` fails
    /// then.
    Shuffle,
    /// The merge of the runs of a sort, or of sorted partitions.
    Merge,
    /// A sort, an aggregate or a queue.
    Spiller,
    /// A join, or the keys of the chunk.
    Other,
}

impl Kind {
    fn of(consumer: &MemoryConsumer) -> Self {
        let has_prefix = |prefix: &str| consumer.name().starts_with(prefix);
        if has_prefix("RepartitionExec[") {
            Self::Shuffle
        } else if has_prefix("ExternalSorterMerge[") || has_prefix("SortPreservingMergeExec[") {
            Self::Merge
        } else if consumer.can_spill() {
            Self::Spiller
        } else {
            Self::Other
        }
    }

    fn and_id(consumer: &MemoryConsumer) -> (Self, usize) {
        (Self::of(consumer), consumer.id())
    }
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
        let of = |kind| {
            let of_kind = held.iter().filter(move |((found, _), _)| *found == kind);
            of_kind.map(|(_, bytes)| *bytes)
        };
        let sum = |kind| of(kind).sum::<usize>();
        match Kind::of(consumer) {
            Kind::Shuffle | Kind::Merge => return usize::MAX,
            Kind::Other => return (self.bytes - kept).saturating_sub(sum(Kind::Other)),
            Kind::Spiller => {}
        }
        let own = held.get(&Kind::and_id(consumer)).copied().unwrap_or(0);
        if own == 0 {
            return usize::MAX;
        }
        let fixed = kept.max(sum(Kind::Other) + sum(Kind::Merge)) + sum(Kind::Shuffle);
        let shared = self.bytes.saturating_sub(fixed);
        let spillers = of(Kind::Spiller).count();
        let part = shared / 4 / spillers;
        let beyond = of(Kind::Spiller).map(|bytes| bytes.saturating_sub(part));
        let common = (shared - part * spillers).saturating_sub(beyond.sum());
        part.saturating_sub(own) + common
    }
}

impl MemoryPool for RunMemoryPool {
    fn name(&self) -> &str {
        "run.memory_limit"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.held(|held| held.insert(Kind::and_id(consumer), 0));
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.held(|held| held.remove(&Kind::and_id(consumer)));
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        let consumer = Kind::and_id(reservation.consumer());
        self.held(|held| *held.entry(consumer).or_default() += additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, less: usize) {
        let consumer = Kind::and_id(reservation.consumer());
        self.held(|held| *held.entry(consumer).or_default() -= less);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        self.held(|held| {
            let available = self.available(held, consumer);
            if additional > available {
                return resources_err!(
                    "{} has {} bytes and needs {additional} more, {available} are left of \
                     the {} that sorts and joins have of run.memory_limit",
                    consumer.name(),
                    reservation.size(),
                    self.bytes
                );
            }
            *held.entry(Kind::and_id(consumer)).or_default() += additional;
            Ok(())
        })
    }

    fn reserved(&self) -> usize {
        self.held(|held| held.values().sum())
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

    fn other(pool: &Arc<dyn MemoryPool>, name: &str) -> MemoryReservation {
        MemoryConsumer::new(name).register(pool)
    }

    #[test]
    fn one_sort_gets_the_memory_that_others_do_not_use() {
        let pool = pool(1600);
        let (one, _idle) = (sort(&pool), sort(&pool));
        // A quarter of 1600 is kept for merges, and an eighth of the rest for the other sort.
        one.try_grow(1).unwrap();
        one.try_grow(1049).unwrap();
        let refused = one.try_grow(1).unwrap_err().to_string();
        assert!(refused.contains("of the 1600 that"), "{refused}");
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
    fn joins_get_three_quarters_whatever_sorts_hold() {
        for held_by_sort in [1, 100, 1200] {
            let pool = pool(1600);
            let (sort, join) = (sort(&pool), other(&pool, "HashJoinInput"));
            sort.try_grow(held_by_sort).unwrap();
            join.try_grow(1200).unwrap();
            assert!(join.try_grow(1).is_err());
        }
    }

    #[test]
    fn a_join_reduces_the_memory_of_sorts() {
        let pool = pool(1600);
        let (sort, join) = (sort(&pool), other(&pool, "HashJoinInput"));
        join.try_grow(1000).unwrap();
        sort.try_grow(1).unwrap();
        sort.try_grow(599).unwrap();
        assert!(sort.try_grow(1).is_err());
    }

    #[test]
    fn a_merge_is_never_refused_and_reduces_the_memory_of_sorts() {
        for name in ["ExternalSorterMerge[0]", "SortPreservingMergeExec[0]"] {
            let pool = pool(1600);
            let (sort, merge) = (sort(&pool), other(&pool, name));
            sort.try_grow(1).unwrap();
            sort.try_grow(1199).unwrap();
            merge.try_grow(1).unwrap();
            merge.try_grow(999).unwrap();
            assert!(sort.try_grow(1).is_err());
            sort.free();
            sort.try_grow(1).unwrap();
            sort.try_grow(599).unwrap();
            assert!(sort.try_grow(1).is_err());
            merge.free();
            sort.try_grow(600).unwrap();
        }
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
    }
}
