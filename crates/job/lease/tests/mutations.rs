//! Faults that are injected into the protocol, the tables or the store: the simulation finds each.

use std::io::Write;

use crate::simulation::{Mutation, simulate};

/// Asserts that one of the first `seeds` breaks an invariant, whose text has `named`.
fn assert_found(mutation: Mutation, seeds: u64, named: &[&str]) {
    let violations = (0..seeds).filter_map(|seed| {
        let violation = simulate(seed, mutation, false).violation?;
        named
            .iter()
            .any(|named| violation.contains(named))
            .then_some((seed, violation))
    });
    let (seed, violation) = { violations }
        .next()
        .unwrap_or_else(|| panic!("{mutation:?} is not found in {seeds} seeds"));
    let _ = writeln!(std::io::stderr(), "{mutation:?}: seed {seed}: {violation}");
}

#[test]
fn a_takeover_without_a_token_in_the_tables_is_found() {
    assert_found(Mutation::NoFence, 3_000, &["had token", "Conflict"]);
}

#[test]
fn tables_that_do_not_look_at_tokens_are_found() {
    let named = ["had token", "instead of", "a mixture"];
    assert_found(Mutation::NoTokens, 3_000, &named);
}

#[test]
fn a_heartbeat_that_is_too_slow_is_found() {
    assert_found(Mutation::SlowHeartbeats, 3_000, &["was taken over"]);
}

#[test]
fn dates_that_stay_in_runs_are_found() {
    assert_found(Mutation::NoBegun, 1_000, &["is in runs"]);
}

#[test]
fn runs_before_the_other_tables_is_found() {
    assert_found(Mutation::RunsFirst, 1_000, &["is in runs"]);
}

/// As the engine did: a run that slept before it made `url_parameters` added its rows to those of its successor.
#[test]
fn a_table_that_is_made_after_the_check_is_found() {
    let named = ["had token", "instead of"];
    assert_found(Mutation::LateCreation, 10_000, &named);
}

/// As the engine did in plain folders: a run or vacuum that slept deleted the files of its successor.
#[test]
fn files_that_are_looked_for_after_the_check_are_found() {
    assert_found(Mutation::FindsAgain, 10_000, &["was deleted before"]);
}

#[test]
fn a_put_that_is_not_recognised_is_found() {
    assert_found(Mutation::NoIdempotentPuts, 3_000, &["Conflict"]);
}

/// As the engine did: it looked at the tables of dates only, and the others were opened at other moments.
#[test]
fn a_version_from_before_the_lease_is_found() {
    assert_found(Mutation::StaleSnapshots, 10_000, &["an earlier version"]);
}

#[test]
fn units_whose_files_were_deleted_are_found() {
    let named = ["was deleted before"];
    assert_found(Mutation::UnclaimedUnits, 10_000, &named);
}

#[test]
fn a_store_without_put_if_absent_is_found() {
    assert_found(Mutation::NoPutIfAbsent, 1_000, &["two owners"]);
}
