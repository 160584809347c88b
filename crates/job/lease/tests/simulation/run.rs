//! One run of the simulation.

use std::fmt::Write as _;
use std::sync::Arc;

use tokio::sync::oneshot;

use super::actors::{Actor, Ended};
use super::network::{LATEST, Network};
use super::plan::{DATES, Mutation, Plan, Planned, Program};
use super::process::{Process, SimHost};
use super::random::Random;
use super::scheduler::{State, World};
use super::tables::{Name, SimTables, explain};
use super::trace::Trace;

/// Microseconds until all processes of a plan have ended, or are frozen.
const ALL_END: u64 = 400_000_000;
/// Microseconds that a run takes when no fault happens any more, with the wait for an owner that is gone.
const LAST_RUN: u64 = 60_000_000;

/// The result of a seed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The invariant that broke.
    pub(crate) violation: Option<String>,
    /// The end of each process.
    pub(crate) ends: Vec<String>,
    /// Of all events.
    pub(crate) digest: (u64, u64),
}

/// Runs a seed. `is_printed` writes its events to stderr.
pub(crate) fn simulate(seed: u64, mutation: Mutation, is_printed: bool) -> Outcome {
    let mut random = Random::new(seed);
    let plan = Plan::draw(&mut random, mutation);
    let trace = Trace::new(is_printed);
    match mutation {
        Mutation::RunsFirst => Simulation::<true>::run(&plan, random, mutation, trace),
        _ => Simulation::<false>::run(&plan, random, mutation, trace),
    }
}

/// Runs a plan, with moments that the seed decides.
pub(crate) fn simulate_plan(plan: &Plan, seed: u64) -> Outcome {
    let trace = Trace::new(false);
    Simulation::<false>::run(plan, Random::new(seed), Mutation::None, trace)
}

struct Simulation<const REORDERED: bool> {
    world: Arc<World>,
    mutation: Mutation,
    is_calm: bool,
}

impl<const REORDERED: bool> Simulation<REORDERED> {
    fn run(plan: &Plan, random: Random, mutation: Mutation, trace: Trace) -> Outcome {
        let simulation = Self {
            world: World::new(random, plan.network, trace),
            mutation,
            is_calm: plan.is_calm,
        };
        simulation.run_plan(plan);
        simulation.run_at_last();
        simulation.outcome()
    }

    fn run_plan(&self, plan: &Plan) {
        for (number, planned) in plan.processes.iter().enumerate() {
            let name = match &planned.program {
                Program::Run { first, last, .. } => format!("run{number} {first}-{last}"),
                Program::Share { first, last, .. } => format!("share{number} {first}-{last}"),
                Program::Update { .. } => format!("update{number}"),
                Program::Vacuum { .. } => format!("vacuum{number}"),
                Program::Reader { .. } => format!("reader{number}"),
            };
            self.add(name, planned.clone());
        }
        self.until("not every process ends", ALL_END, |state| {
            let mut processes = state.processes.iter();
            processes.all(|process| !process.is_alive || process.is_frozen_for_good())
        });
    }

    /// When faults stop, a run finishes, and the tables are what it wrote, also after all others have woken.
    fn run_at_last(&self) {
        let mut tries = 5;
        let last = loop {
            tries -= 1;
            let last = {
                let mut state = self.world.state();
                state.network = Network {
                    ignores_if_absent: state.network.ignores_if_absent,
                    ..Network::CALM
                };
                for process in &mut state.processes {
                    process.faults.clear();
                }
                drop(state);
                self.add("last run".to_owned(), last_run())
            };
            self.until("the last run does not end", LAST_RUN, |state| {
                !state.processes[last].is_alive
            });
            let state = &mut *self.world.state();
            // A heartbeat that was late arrived.
            let is_busy = state.processes[last].result.as_deref() == Some("busy");
            if state.checks.violation().is_some() || !is_busy || tries == 0 {
                break last;
            }
        };
        let Some(token) = self.check_last(last) else {
            return;
        };
        let processes = self.world.state().processes.len();
        for process in 0..processes {
            self.world.thaw(process);
        }
        self.until("not every process ends after it woke", ALL_END, |state| {
            state.processes.iter().all(|process| !process.is_alive)
        });
        self.until("", LATEST, |_| false);
        self.check_tokens(token);
    }

    /// The last run has succeeded. Returns its token.
    fn check_last(&self, last: usize) -> Option<i64> {
        let token = {
            let state = &mut *self.world.state();
            let result = &state.processes[last].result;
            if result.as_deref() != Some("ok") {
                let text = format!("the last run ended: {result:?}");
                state.checks.violate(text);
                return None;
            }
            state.checks.latest_token()?
        };
        self.check_tokens(token);
        Some(token)
    }

    /// Every date has rows of the owner of `token`, or of one that acquired the lease after it.
    fn check_tokens(&self, token: i64) {
        let state = &mut *self.world.state();
        let is_latest = state.checks.latest_token() == Some(token);
        for date in 0..DATES {
            let runs = state.checks.latest(Name::Runs);
            let files = runs.and_then(|runs| runs.files.get(&date));
            let attempt = files.and_then(|files| state.checks.attempt_of(files));
            let is_expected = match attempt {
                Some(attempt) => attempt.token >= token,
                // A later owner was killed or interrupted.
                None => !is_latest,
            };
            if !is_expected {
                let text = format!("date {date} is not of the last run");
                state.checks.violate(text);
                return;
            }
        }
    }

    /// Continues until `is_done`, for at most this time.
    fn until(&self, otherwise: &str, micros: u64, is_done: impl Fn(&State) -> bool) {
        let end = self.world.state().now + micros;
        self.world
            .run(|state| is_done(state) || state.next_event_after(end));
        let mut state = self.world.state();
        if !otherwise.is_empty() && !is_done(&state) {
            state.checks.violate(otherwise.to_owned());
        }
    }

    /// Starts a process at its time.
    fn add(&self, name: String, planned: Planned) -> usize {
        let (sender, interrupt) = oneshot::channel();
        let process = self.world.add(Process {
            name,
            rate: planned.rate,
            ahead: planned.ahead,
            faults: planned.faults,
            interrupt: Some(sender),
            retention: match planned.program {
                Program::Vacuum { retention } => retention,
                _ => 0,
            },
            ..Process::default()
        });
        let (mutation, is_calm) = (self.mutation, self.is_calm);
        let start = planned.start;
        self.world.state().act_after(start, move |world| {
            let host = SimHost {
                world: Arc::clone(world),
                process,
            };
            let actor = Actor::<REORDERED> {
                tables: SimTables::new(host.clone(), mutation),
                host: host.clone(),
                interrupt,
            };
            world.spawn(process, async move {
                let ended = actor.run(&planned.program).await;
                end(&host, ended, is_calm);
            });
        });
        process
    }

    fn outcome(&self) -> Outcome {
        // Tasks and events hold the world.
        let left = self.world.state().clear();
        drop(left);
        let state = self.world.state();
        let ends = state.processes.iter().map(|process| {
            let mut end = process.name.clone();
            let _ = write!(end, ": {}", process.result.as_deref().unwrap_or("killed"));
            end
        });
        Outcome {
            violation: state.checks.violation().map(str::to_owned),
            ends: ends.collect(),
            digest: state.trace.digest(),
        }
    }
}

fn last_run() -> Planned {
    Planned {
        program: Program::Run {
            first: 0,
            last: DATES - 1,
            request: "the last".to_owned(),
            cleans: false,
        },
        start: 0,
        rate: 1000,
        ahead: 0,
        faults: Vec::new(),
    }
}

/// Ends a process with its result, which a fault must explain.
fn end(host: &SimHost, ended: Result<(), Ended>, is_calm: bool) {
    let explained = match &ended {
        Ok(()) => Some("ok"),
        Err(Ended::Interrupted) => Some("interrupted"),
        Err(Ended::Failed(failure)) => explain(failure),
    };
    {
        let state = &mut *host.world.state();
        let result = explained.map_or_else(|| format!("{ended:?}"), str::to_owned);
        state.line(host.process, format_args!("ends: {result}"));
        let is_expected = match explained {
            Some("ok" | "busy") => true,
            Some(_) => !is_calm,
            None => false,
        };
        if !is_expected {
            let name = &state.processes[host.process].name;
            let text = format!("{name} ended without a fault that explains it: {result}");
            state.checks.violate(text);
        }
        state.processes[host.process].result = Some(result);
    }
    host.world.end(host.process);
}
