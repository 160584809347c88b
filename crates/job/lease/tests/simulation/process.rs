//! A process: its rate of time, and whether it runs, is frozen, or has ended.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use lease::Host;
use tokio::sync::oneshot;

use super::scheduler::{Event, World};

/// A fault of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It stops with all of its threads, and continues after `micros`. A machine that sleeps stops its clock too.
    Freeze { micros: u64, stops_clock: bool },
    /// It ends at once.
    Kill,
    /// It is asked to end, and releases its lease.
    Interrupt,
}

/// A freeze that only the end of the simulation ends.
pub(crate) const UNTIL_THE_END: u64 = u64::MAX;

#[derive(Debug, Default)]
pub(crate) struct Process {
    pub(crate) name: String,
    /// Thousandths of a second of its clock in a second.
    pub(crate) rate: u64,
    /// The number of the request at whose sending each fault happens.
    pub(crate) faults: Vec<(u64, Fault)>,
    pub(crate) requests: u64,
    pub(crate) is_alive: bool,
    pub(crate) is_killed: bool,
    /// Since when it is frozen, and whether its clock is stopped.
    pub(super) frozen: Option<(u64, bool)>,
    pub(super) is_frozen_for_good: bool,
    /// Microseconds during which its clock was stopped.
    pub(super) stopped_clock: u64,
    /// Tasks that can continue when it wakes.
    pub(crate) deferred: Vec<usize>,
    pub(crate) interrupt: Option<oneshot::Sender<()>>,
    /// Whether it was frozen, or a write of its lease was lost, late, repeated or slow. Then it may be declared dead.
    pub(crate) is_disturbed: bool,
    /// When it sent the write of its lease that has no answer yet.
    pub(crate) lease_write: Option<u64>,
    /// Microseconds by which the clock of its machine is ahead of that of the store.
    pub(crate) ahead: u64,
    /// The retention of its vacuum, in microseconds.
    pub(crate) retention: u64,
    /// Its result, when it has ended by itself.
    pub(crate) result: Option<String>,
}

impl Process {
    pub(crate) fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }

    /// Whether only the end of the simulation wakes it.
    pub(crate) fn is_frozen_for_good(&self) -> bool {
        self.is_frozen() && self.is_frozen_for_good
    }

    pub(crate) fn freeze(&mut self, now: u64, micros: u64, stops_clock: bool) {
        self.is_disturbed = true;
        self.is_frozen_for_good |= micros == UNTIL_THE_END;
        self.frozen.get_or_insert((now, stops_clock));
    }

    /// Returns the tasks that can continue.
    pub(crate) fn thaw(&mut self, now: u64) -> Vec<usize> {
        if let Some((since, stops_clock)) = self.frozen.take()
            && stops_clock
        {
            self.stopped_clock += now - since;
        }
        std::mem::take(&mut self.deferred)
    }

    /// Microseconds on its own clock.
    fn clock(&self, now: u64) -> u64 {
        (now - self.stopped_clock) * self.rate / 1000
    }
}

/// A process as the code in it sees it.
#[derive(Clone)]
pub(crate) struct SimHost {
    pub(crate) world: Arc<World>,
    pub(crate) process: usize,
}

impl Host for SimHost {
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        let micros = u64::try_from(time.as_micros()).expect("a short time");
        let state = self.world.state();
        let clock = state.processes[self.process].clock(state.now);
        Sleep {
            host: self.clone(),
            until: clock + micros,
            due: None,
        }
    }

    fn start(
        &self,
        _: &'static str,
        work: impl Future<Output = ()> + Send + 'static,
    ) -> io::Result<()> {
        self.world.spawn(self.process, work);
        Ok(())
    }
}

struct Sleep {
    host: SimHost,
    /// On the clock of the process.
    until: u64,
    /// The time of the event that wakes the task.
    due: Option<u64>,
}

impl Future for Sleep {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let world = Arc::clone(&self.host.world);
        let mut state = world.state();
        let process = &state.processes[self.host.process];
        let (rate, clock) = (process.rate, process.clock(state.now));
        if clock >= self.until {
            return Poll::Ready(());
        }
        if self.due.is_none_or(|due| due <= state.now) {
            let left = (self.until - clock) * 1000 / rate + 1;
            self.due = Some(state.now + left);
            state.after(left, Event::Wake(context.waker().clone()));
        }
        Poll::Pending
    }
}

impl World {
    /// Adds a process, which runs from now on.
    pub(crate) fn add(&self, process: Process) -> usize {
        let mut state = self.state();
        state.processes.push(Process {
            is_alive: true,
            ..process
        });
        state.processes.len() - 1
    }
}
