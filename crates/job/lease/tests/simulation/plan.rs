//! The processes and faults of a seed.

use super::network::Network;
use super::process::{Fault, UNTIL_THE_END};
use super::random::Random;

/// The heartbeat interval of all owners.
pub(crate) const HEARTBEAT_MILLIS: u64 = 1000;
/// The most microseconds by which a machine's clock is ahead.
pub(crate) const MOST_AHEAD: u64 = 2_000_000;
/// The dates of the archive are `0..DATES`.
pub(crate) const DATES: u8 = 4;

/// A fault of the protocol or of the store that tests of the simulation inject: an invariant must break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mutation {
    None,
    /// A takeover writes no token to the tables.
    NoFence,
    /// Tables do not look at tokens.
    NoTokens,
    /// Owners write their heartbeat every five seconds and promise one every second.
    SlowHeartbeats,
    /// The first commit of a chunk does not remove its dates from `runs`.
    NoBegun,
    /// `runs` is committed before the other tables.
    RunsFirst,
    /// A table is created by its first commit, after the check of the lease.
    LateCreation,
    /// A vacuum deletes what it finds after the check of the lease.
    FindsAgain,
    /// A put whose answer was lost is not recognised.
    NoIdempotentPuts,
    /// An owner looks at two of the tables that it has opened before its lease.
    StaleSnapshots,
    /// The store has no put-if-absent.
    NoPutIfAbsent,
    /// An owner commits units without a look at their files, and a vacuum does not read which files units claim.
    UnclaimedUnits,
}

/// The program of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Program {
    /// A run of dates. Equal requests resume each other.
    Run {
        first: u8,
        last: u8,
        request: String,
        /// Whether it removes unreferenced files first, as runs of plain folders do.
        cleans: bool,
    },
    /// One of the two units of a run with the same request, without a lease. Requests with an `a` are run by units.
    Share {
        first: u8,
        last: u8,
        request: String,
        unit: u32,
    },
    /// A run of the dates that are not in `runs`.
    Update { request: String },
    /// Retention in microseconds.
    Vacuum { retention: u64 },
    /// Reads tables this often.
    Reader { times: u64 },
}

/// A process of a seed.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    pub(crate) program: Program,
    /// Microseconds until it starts.
    pub(crate) start: u64,
    pub(crate) rate: u64,
    pub(crate) ahead: u64,
    pub(crate) faults: Vec<(u64, Fault)>,
}

/// The plan of a seed.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) network: Network,
    pub(crate) processes: Vec<Planned>,
    /// Nothing fails. Then a process succeeds, or finds another one at work.
    pub(crate) is_calm: bool,
}

impl Plan {
    pub(crate) fn draw(random: &mut Random, mutation: Mutation) -> Self {
        let is_calm = random.permille(200);
        let mut network = Network {
            delay: random.pick(&[2_000, 20_000, 100_000]),
            ..Network::CALM
        };
        if !is_calm {
            network.slow = random.pick(&[0, 10, 50]);
            network.lost = random.pick(&[0, 0, 5, 30, 100]);
            network.lost_answers = random.pick(&[0, 0, 5, 30, 100]);
            network.late = random.pick(&[0, 0, 5, 30, 100]);
            network.repeated = random.pick(&[0, 0, 20]);
        }
        network.ignores_if_absent = mutation == Mutation::NoPutIfAbsent;
        let count = random.within(2..=4);
        let at_once = random.permille(300);
        let spread = if at_once { 50_000 } else { 8_000_000 };
        let mut processes: Vec<_> = (0..count)
            .map(|_| planned(random, spread, is_calm, mutation))
            .collect();
        if random.permille(300) {
            let times = random.within(10..=40);
            let reader = Program::Reader { times };
            processes.push(Planned {
                program: reader,
                faults: Vec::new(),
                ..planned(random, spread, true, mutation)
            });
        }
        Self {
            network,
            processes,
            is_calm,
        }
    }
}

fn planned(random: &mut Random, spread: u64, is_calm: bool, mutation: Mutation) -> Planned {
    let rate = match mutation {
        Mutation::SlowHeartbeats => random.pick(&[200, 1000]),
        _ => random.within(900..=1100),
    };
    Planned {
        program: program(random),
        start: random.within(0..=spread),
        rate,
        ahead: random.within(0..=MOST_AHEAD),
        faults: if is_calm { Vec::new() } else { faults(random) },
    }
}

fn program(random: &mut Random) -> Program {
    let request = random.pick(&["a", "b"]).to_owned();
    match random.within(0..=12) {
        10..=12 => {
            let first = random.within(0..=u64::from(DATES) - 2) as u8;
            Program::Share {
                first,
                last: first + random.within(0..=1) as u8,
                request: format!("a{first}"),
                unit: random.within(0..=1) as u32,
            }
        }
        0..=5 => {
            let first = random.within(0..=u64::from(DATES) - 2) as u8;
            let most = u64::from(DATES - 1 - first).min(2);
            Program::Run {
                first,
                last: first + random.within(0..=most) as u8,
                request: format!("{request}{first}"),
                cleans: random.permille(200),
            }
        }
        6 => Program::Update { request },
        _ => Program::Vacuum {
            retention: random.pick(&[0, 0, 12_000_000]),
        },
    }
}

/// At most one kill or interrupt, and some freezes. The requests of a short run are some hundred.
fn faults(random: &mut Random) -> Vec<(u64, Fault)> {
    let mut faults = Vec::new();
    for _ in 0..random.pick(&[0, 1, 1, 2]) {
        let micros = match random.within(0..=9) {
            0..=1 => UNTIL_THE_END,
            2..=4 => random.within(100_000..=2_000_000),
            _ => random.within(2_000_000..=15_000_000),
        };
        let stops_clock = random.permille(300);
        let freeze = Fault::Freeze {
            micros,
            stops_clock,
        };
        faults.push((random.within(1..=160), freeze));
    }
    if random.permille(300) {
        let fault = random.pick(&[Fault::Kill, Fault::Kill, Fault::Interrupt]);
        faults.push((random.within(1..=200), fault));
    }
    faults
}
