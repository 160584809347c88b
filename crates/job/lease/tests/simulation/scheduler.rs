//! Time, events and tasks.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use super::checks::Checks;
use super::network::Network;
use super::objects::Objects;
use super::process::Process;
use super::random::Random;
use super::trace::Trace;

type Act = Box<dyn FnOnce(&Arc<World>) + Send>;
type Work = Pin<Box<dyn Future<Output = ()> + Send>>;

/// An event at a moment.
pub(crate) enum Event {
    /// The time of a task has come.
    Wake(Waker),
    /// Anything else: a request arrives, an answer arrives, a process is started or woken.
    Act(Act),
}

/// Everything outside of the processes, and the processes.
pub(crate) struct World {
    state: Mutex<State>,
    ready: Arc<Mutex<Vec<usize>>>,
}

/// The part of the world that changes.
pub(crate) struct State {
    /// Microseconds since the start of the simulation.
    pub(crate) now: u64,
    pub(crate) random: Random,
    pub(crate) processes: Vec<Process>,
    pub(crate) objects: Objects,
    pub(crate) network: Network,
    pub(crate) checks: Checks,
    pub(crate) trace: Trace,
    events: BTreeMap<(u64, u64), Event>,
    scheduled: u64,
    tasks: Vec<Task>,
}

struct Task {
    process: usize,
    /// `None` while it is polled, and after its end.
    work: Option<Work>,
    waker: Waker,
    queued: Arc<AtomicBool>,
}

struct TaskWaker {
    task: usize,
    queued: Arc<AtomicBool>,
    ready: Arc<Mutex<Vec<usize>>>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        if !self.queued.swap(true, Ordering::Relaxed) {
            lock(&self.ready).push(self.task);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    pub(crate) fn new(random: Random, network: Network, trace: Trace) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                now: 0,
                random,
                processes: Vec::new(),
                objects: Objects::default(),
                network,
                checks: Checks::default(),
                trace,
                events: BTreeMap::new(),
                scheduled: 0,
                tasks: Vec::new(),
            }),
            ready: Arc::default(),
        })
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        lock(&self.state)
    }

    /// Starts `work` in a process. Does nothing if the process has ended.
    pub(crate) fn spawn(&self, process: usize, work: impl Future<Output = ()> + Send + 'static) {
        let mut state = self.state();
        if !state.processes[process].is_alive {
            return;
        }
        let task = state.tasks.len();
        let queued = Arc::new(AtomicBool::new(false));
        let waker = Waker::from(Arc::new(TaskWaker {
            task,
            queued: Arc::clone(&queued),
            ready: Arc::clone(&self.ready),
        }));
        waker.wake_by_ref();
        state.tasks.push(Task {
            process,
            work: Some(Box::pin(work)),
            waker,
            queued,
        });
    }

    /// Ends a process at once: none of its code runs any more, requests that it has sent still arrive.
    pub(crate) fn end(&self, process: usize) {
        let ended: Vec<Work> = {
            let mut state = self.state();
            state.processes[process].is_alive = false;
            let tasks = state.tasks.iter_mut();
            tasks
                .filter(|task| task.process == process)
                .filter_map(|task| task.work.take())
                .collect()
        };
        drop(ended);
    }

    pub(crate) fn thaw(&self, process: usize) {
        let deferred = {
            let mut state = self.state();
            let now = state.now;
            if state.processes[process].is_alive {
                state.line(process, format_args!("wakes"));
            }
            state.processes[process].thaw(now)
        };
        lock(&self.ready).extend(deferred);
    }

    /// Runs until `is_done`, or until nothing is left to happen. Ends at the first violation.
    pub(crate) fn run(self: &Arc<Self>, mut is_done: impl FnMut(&mut State) -> bool) {
        loop {
            if let Some(task) = self.pick() {
                self.poll(task);
                continue;
            }
            let event = {
                let mut state = self.state();
                if state.checks.violation().is_some() || is_done(&mut state) {
                    return;
                }
                let Some(((time, _), event)) = state.events.pop_first() else {
                    return;
                };
                state.now = time;
                event
            };
            match event {
                Event::Wake(waker) => waker.wake(),
                Event::Act(act) => act(self),
            }
        }
    }

    /// Takes one of the tasks that can continue. The tasks of frozen processes wait.
    fn pick(&self) -> Option<usize> {
        let mut ready = lock(&self.ready);
        if ready.is_empty() {
            return None;
        }
        let state = &mut *self.state();
        ready.retain(|task| {
            let process = &mut state.processes[state.tasks[*task].process];
            if process.is_frozen() {
                process.deferred.push(*task);
            }
            process.is_alive && !process.is_frozen()
        });
        let count = ready.len() as u64;
        (count > 0).then(|| ready.swap_remove((state.random.next() % count) as usize))
    }

    fn poll(&self, task: usize) {
        let (process, work, waker) = {
            let mut state = self.state();
            let task = &mut state.tasks[task];
            task.queued.store(false, Ordering::Relaxed);
            (task.process, task.work.take(), task.waker.clone())
        };
        let Some(mut work) = work else { return };
        let polled = work.as_mut().poll(&mut Context::from_waker(&waker));
        let is_killed = {
            let mut state = self.state();
            if polled == Poll::Pending && state.processes[process].is_alive {
                state.tasks[task].work = Some(work);
            }
            state.processes[process].is_killed
        };
        if is_killed {
            self.end(process);
        }
    }
}

impl State {
    /// Lets `event` happen after `micros`.
    pub(crate) fn after(&mut self, micros: u64, event: Event) {
        self.scheduled += 1;
        self.events
            .insert((self.now + micros, self.scheduled), event);
    }

    pub(crate) fn act_after(
        &mut self,
        micros: u64,
        act: impl FnOnce(&Arc<World>) + Send + 'static,
    ) {
        self.after(micros, Event::Act(Box::new(act)));
    }

    /// Whether the next event is after `time`.
    pub(crate) fn next_event_after(&self, time: u64) -> bool {
        let next = self.events.first_key_value();
        next.is_some_and(|((at, _), _)| *at > time)
    }

    /// Takes all tasks and events.
    pub(crate) fn clear(&mut self) -> impl Sized + use<> {
        (
            std::mem::take(&mut self.tasks),
            std::mem::take(&mut self.events),
        )
    }

    /// Adds a line to the trace.
    pub(crate) fn line(&mut self, process: usize, event: fmt::Arguments<'_>) {
        let name = &self.processes[process].name;
        self.trace.line(self.now, name, event);
    }
}
