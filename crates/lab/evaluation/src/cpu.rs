//! Processor time.

use rustix::time::{ClockId, clock_gettime};

/// Runs `work`. Returns its result, and the processor time of this thread in seconds.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let before = thread_seconds();
    let done = work();
    (done, thread_seconds() - before)
}

fn thread_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
