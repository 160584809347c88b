//! Processes that are frozen or killed at each of their requests, one after the other.

use crate::simulation::{Fault, Network, Outcome, Plan, Planned, Program, simulate_plan};

const SECOND: u64 = 1_000_000;
/// More requests than a run of the tests here has.
const REQUESTS: u64 = 200;

fn run(request: &str, dates: (u8, u8), start: u64) -> Planned {
    Planned {
        program: Program::Run {
            first: dates.0,
            last: dates.1,
            request: request.to_owned(),
            cleans: dates.0 == 0,
        },
        start,
        rate: 1000,
        ahead: 0,
        faults: Vec::new(),
    }
}

fn frozen(process: Planned, request: u64, micros: u64) -> Planned {
    failing(
        process,
        request,
        Fault::Freeze {
            micros,
            stops_clock: false,
        },
    )
}

fn failing(process: Planned, request: u64, fault: Fault) -> Planned {
    Planned {
        faults: vec![(request, fault)],
        ..process
    }
}

fn check(processes: Vec<Planned>, request: u64) -> Outcome {
    let plan = Plan {
        network: Network::CALM,
        processes,
        is_calm: false,
    };
    let outcome = simulate_plan(&plan, request);
    let violation = &outcome.violation;
    assert_eq!(*violation, None, "request {request}: {plan:?}");
    outcome
}

/// Counts the outcomes in which a process has this end.
fn count(outcomes: &[Outcome], end: &str) -> usize {
    let has_end = |outcome: &&Outcome| outcome.ends.iter().any(|it| it.ends_with(end));
    outcomes.iter().filter(has_end).count()
}

#[test]
fn a_run_that_wakes_after_its_successor_changes_nothing() {
    let outcomes = (1..=REQUESTS).map(|request| {
        let asleep = frozen(run("a", (0, 2), 0), request, 12 * SECOND);
        check(vec![asleep, run("b", (1, 3), SECOND)], request)
    });
    let outcomes: Vec<_> = outcomes.collect();
    let found = count(&outcomes, "taken over");
    assert!(found > 30, "{found}");
}

#[test]
fn a_run_that_wakes_during_its_successor_changes_nothing() {
    let outcomes = (1..=REQUESTS).map(|request| {
        let asleep = frozen(run("a", (0, 2), 0), request, 5 * SECOND);
        check(vec![asleep, run("b", (1, 3), SECOND)], request)
    });
    let outcomes: Vec<_> = outcomes.collect();
    let found = count(&outcomes, "taken over");
    assert!(found > 30, "{found}");
}

#[test]
fn a_killed_run_is_resumed() {
    let outcomes = (1..=REQUESTS).map(|request| {
        let killed = failing(run("a", (0, 2), 0), request, Fault::Kill);
        check(vec![killed, run("a", (0, 2), 5 * SECOND)], request)
    });
    let outcomes: Vec<_> = outcomes.collect();
    let found = count(&outcomes, "killed");
    assert!(found > 50, "{found}");
}

/// Some tables are made by the next owner.
#[test]
fn a_takeover_that_wakes_beside_the_next_changes_nothing() {
    for killed_at in [14, 16, 60] {
        for request in 1..=70 {
            for asleep_for in (24..=32).map(|fifths| fifths * SECOND / 5) {
                let killed = failing(run("a", (0, 2), 0), killed_at, Fault::Kill);
                let asleep = frozen(run("b", (1, 3), SECOND), request, asleep_for);
                let next = run("c", (0, 3), 6 * SECOND);
                check(vec![killed, asleep, next], request);
            }
        }
    }
}

/// It had seen no lease.
#[test]
fn a_process_that_wakes_beside_a_living_owner_waits_or_ends() {
    for request in 1..=20 {
        for asleep_for in [SECOND / 2, SECOND, 2 * SECOND] {
            let asleep = frozen(run("a", (0, 2), 0), request, asleep_for);
            check(vec![asleep, run("b", (0, 3), SECOND / 5)], request);
        }
    }
}

#[test]
fn a_vacuum_that_wakes_beside_a_run_deletes_none_of_its_files() {
    for request in 1..=60 {
        for asleep_for in [4 * SECOND, 5 * SECOND, 6 * SECOND] {
            let killed = failing(run("a", (0, 2), 0), 70, Fault::Kill);
            let vacuum = Planned {
                program: Program::Vacuum { retention: 0 },
                ..run("", (0, 0), 5 * SECOND)
            };
            let asleep = frozen(vacuum, request, asleep_for);
            check(vec![killed, asleep, run("b", (0, 3), 7 * SECOND)], request);
        }
    }
}
