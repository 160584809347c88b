//! Work of several threads whose results keep the order of the work.

use std::io;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes of items that a thread gets at a time, or one item. With one item of 33 KB at a time, a file took 15 % more time.
const BATCH_BYTES: usize = 1 << 20;
/// Bytes of an item beside its content.
const ITEM_BYTES: usize = 1 << 10;

/// Items or results that are in memory together.
type Batch<T> = Vec<T>;

/// Something with content in memory.
pub(crate) trait Weighed {
    /// Bytes of the content.
    fn bytes(&self) -> usize;
}

/// Calls `work` for each of `items` on `threads` threads, and `take` for each result, in the order of the items, on one
/// more. The items come on the calling thread. Each thread has at most one batch of items and one of results. A batch has
/// [`BATCH_BYTES`] before its last item, which may be larger.
///
/// # Errors
/// The first of `take`. The items behind it are left.
///
/// # Panics
/// If one of the functions does.
pub(crate) fn in_order<T: Weighed + Send, U: Weighed + Send>(
    items: impl Iterator<Item = T>,
    threads: NonZeroUsize,
    work: impl Fn(T) -> U + Sync,
    take: impl FnMut(U) -> io::Result<()> + Send,
) -> io::Result<()> {
    thread::scope(|scope| {
        let workers = (0..threads.get()).map(|_| {
            // Without a place, so that a batch is with one thread or another.
            let (batches, given) = sync_channel(0);
            let (finished, results) = sync_channel(0);
            let work = &work;
            scope.spawn(move || work_on(&given, work, &finished));
            (batches, results)
        });
        let (batches, results): (Vec<_>, Vec<_>) = workers.unzip();
        let taker = scope.spawn(move || take_all(&results, take));
        give(items, &batches);
        drop(batches);
        taker.join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Divides the items among the threads in turn. Ends early if a thread has ended.
fn give<T: Weighed>(items: impl Iterator<Item = T>, threads: &[SyncSender<Batch<T>>]) {
    let mut threads = threads.iter().cycle();
    let mut give = |batch| threads.next().is_some_and(|to| to.send(batch).is_ok());
    let (mut batch, mut bytes) = (Batch::new(), 0);
    for item in items {
        bytes += ITEM_BYTES + item.bytes();
        batch.push(item);
        if bytes >= BATCH_BYTES {
            bytes = 0;
            if !give(std::mem::take(&mut batch)) {
                return;
            }
        }
    }
    // If the thread has ended, the one that takes its results knows.
    let _ = give(batch);
}

/// Results of a batch, and whether they are its last.
type Finished<U> = (Batch<U>, bool);

fn work_on<T, U: Weighed>(
    batches: &Receiver<Batch<T>>,
    work: impl Fn(T) -> U,
    finished: &SyncSender<Finished<U>>,
) {
    for batch in batches {
        let (mut results, mut bytes) = (Batch::new(), 0);
        for item in batch {
            let result = work(item);
            bytes += ITEM_BYTES + result.bytes();
            results.push(result);
            // Content can be a thousand times as large without its encoding.
            if bytes >= BATCH_BYTES {
                bytes = 0;
                if finished
                    .send((std::mem::take(&mut results), false))
                    .is_err()
                {
                    return;
                }
            }
        }
        if finished.send((results, true)).is_err() {
            return;
        }
    }
}

/// Takes the results of the threads in turn, until a thread has no batch more. One that panics ends within a batch.
fn take_all<U>(
    threads: &[Receiver<Finished<U>>],
    mut take: impl FnMut(U) -> io::Result<()>,
) -> io::Result<()> {
    for thread in threads.iter().cycle() {
        let mut is_last = false;
        while !is_last {
            let Ok((results, last)) = thread.recv() else {
                return Ok(());
            };
            is_last = last;
            results.into_iter().try_for_each(&mut take)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};

    use super::*;

    impl Weighed for Vec<u8> {
        fn bytes(&self) -> usize {
            self.len()
        }
    }

    const SIZES: [usize; 7] = [0, 3 << 20, 1, 700 << 10, 700 << 10, 2, 5 << 20];

    fn items() -> impl Iterator<Item = Vec<u8>> {
        (0..200_u8).map(|number| vec![number; 1 + SIZES[usize::from(number) % SIZES.len()] / 8])
    }

    fn threads(number: usize) -> NonZeroUsize {
        NonZeroUsize::new(number).unwrap()
    }

    #[test]
    fn results_have_the_order_of_the_items() {
        for number in 1..6 {
            let mut taken = Vec::new();
            let doubled = |item: Vec<u8>| item.repeat(2);
            let take = |result| {
                taken.push(result);
                Ok(())
            };
            in_order(items(), threads(number), doubled, take).unwrap();
            assert!(taken.into_iter().eq(items().map(doubled)), "{number}");
        }
        in_order(
            std::iter::empty(),
            threads(2),
            |item: Vec<u8>| item,
            |_| Ok(()),
        )
        .unwrap();
    }

    #[test]
    fn an_error_of_the_taker_ends_the_work() {
        let mut left = 50;
        let endless = std::iter::repeat_with(|| vec![0; 100_000]);
        let take = |_| {
            left -= 1;
            if left == 0 {
                Err(io::ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        };
        let error = in_order(endless, threads(3), |item| item, take).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }

    #[test]
    fn a_panic_of_any_thread_is_one_of_the_caller() {
        let fails = |at: u8| move |item: &Vec<u8>| assert!(item.first() != Some(&at), "injected");
        for (of_items, of_work, of_take) in [(100, 255, 255), (255, 100, 255), (255, 255, 100)] {
            let ended = catch_unwind(AssertUnwindSafe(|| {
                let work = |item| {
                    fails(of_work)(&item);
                    item
                };
                let take = |result: Vec<u8>| {
                    fails(of_take)(&result);
                    Ok(())
                };
                in_order(items().inspect(fails(of_items)), threads(2), work, take)
            }));
            assert!(ended.is_err(), "{of_items} {of_work} {of_take}");
        }
    }
}
