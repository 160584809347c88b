//! Time and threads of a process.

use std::io;
use std::pin::pin;
use std::time::Duration;

use futures::future::{Either, select};

/// The process that holds a lease, or asks for one.
///
/// No law of a lease reads a clock. Each waits, and looks at a counter again. So a simulation gives every process
/// its own rate of time.
pub trait Host: Clone + Send + Sync + 'static {
    /// Waits for `time`, by the clock of this process.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;

    /// Starts `work` on its own thread.
    ///
    /// # Errors
    /// The error of the system if it has no thread.
    fn start(
        &self,
        name: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()>;
}

/// The process of the program.
#[derive(Debug, Clone, Copy, Default)]
pub struct ThisProcess;

impl Host for ThisProcess {
    async fn sleep(&self, time: Duration) {
        tokio::time::sleep(time).await;
    }

    /// The thread has its own runtime: the threads of a run parse pages for seconds without a pause.
    fn start(
        &self,
        name: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(move || runtime.block_on(work))?;
        Ok(())
    }
}

/// Awaits `work` for at most `time`. Returns `None` if it takes longer.
pub(crate) async fn within<T>(
    host: &impl Host,
    time: Duration,
    work: impl Future<Output = T>,
) -> Option<T> {
    match select(pin!(work), pin!(host.sleep(time))).await {
        Either::Left((done, _)) => Some(done),
        Either::Right(_) => None,
    }
}
