//! The pace of requests to a host.

use std::time::Duration;

use crawl_index::{Backoff, Ended, Manners, Next, Pace, Spent};
use proptest::prelude::*;

/// Days since 1970.
const TODAY: u64 = 15_271;
const NOW: u64 = TODAY * 86_400 + 43_200;
const MIDNIGHT: u64 = (TODAY + 1) * 86_400;

fn manners() -> Manners {
    Manners {
        at_once: 2,
        backoff: Backoff {
            first: Duration::from_secs(10),
            longest: Duration::from_secs(60),
        },
        requests_a_day: Some(100),
        bytes_a_day: Some(1_000),
    }
}

fn pace() -> Pace {
    Pace::new(manners(), Spent::default())
}

/// A request of 10 bytes and its end.
fn request(pace: &mut Pace, status: Option<u16>, retry_after: Option<u64>, now: u64) {
    pace.begin(10, now);
    let ended = Ended {
        asked_bytes: 10,
        received_bytes: if status == Some(206) { 10 } else { 0 },
        status,
        retry_after,
    };
    pace.end(ended, now);
}

#[test]
fn few_requests_run_at_a_time() {
    let mut pace = pace();
    pace.begin(10, NOW);
    assert_eq!(pace.next(10, NOW), Next::Now);
    pace.begin(10, NOW);
    assert_eq!(pace.next(10, NOW), Next::AfterAnswer);
    pace.end(Ended::default(), NOW);
    assert_eq!(pace.next(10, NOW), Next::Now);
}

#[test]
fn refusals_double_the_wait_up_to_the_longest_and_an_answer_ends_it() {
    let mut pace = pace();
    let mut now = NOW;
    for (status, wait) in [(503, 10), (429, 20), (403, 40), (503, 60), (503, 60)] {
        request(&mut pace, Some(status), None, now);
        assert_eq!(pace.next(10, now), Next::At(now + wait), "{status}");
        now += wait;
        assert_eq!(pace.next(10, now), Next::Now);
    }
    assert_eq!(pace.failures(), 5);
    // Neither a refusal nor a success.
    for status in [None, Some(404), Some(500)] {
        request(&mut pace, status, None, now);
        assert_eq!((pace.next(10, now), pace.failures()), (Next::Now, 5));
    }
    request(&mut pace, Some(206), None, now);
    assert_eq!(pace.failures(), 0);
    request(&mut pace, Some(503), None, now);
    assert_eq!(pace.next(10, now), Next::At(now + 10));
}

#[test]
fn a_server_can_ask_for_more_time_and_not_for_less() {
    for (asked, wait) in [(3, 10), (500, 500), (u64::MAX, 7 * 86_400)] {
        let mut pace = pace();
        request(&mut pace, Some(503), Some(asked), NOW);
        assert_eq!(pace.next(10, NOW), Next::At(NOW + wait));
    }
    let mut pace = pace();
    request(&mut pace, Some(206), Some(30), NOW);
    assert_eq!(pace.next(10, NOW), Next::At(NOW + 30));
}

#[test]
fn refusals_of_requests_that_ran_together_are_one() {
    let mut pace = pace();
    pace.begin(10, NOW);
    pace.begin(10, NOW);
    let refused = Ended {
        asked_bytes: 10,
        status: Some(503),
        ..Ended::default()
    };
    pace.end(refused, NOW);
    pace.end(refused, NOW + 1);
    assert_eq!(
        (pace.failures(), pace.next(10, NOW)),
        (1, Next::At(NOW + 11))
    );
    // An answer to a request from before the refusal does not open the host.
    pace.begin(10, NOW);
    let ended = Ended {
        status: Some(206),
        ..Ended::default()
    };
    pace.end(ended, NOW + 2);
    assert_eq!(pace.failures(), 1);
}

#[test]
fn the_budget_of_a_day_ends_at_midnight_and_survives_a_restart() {
    let mut pace = pace();
    pace.begin(900, NOW);
    assert_eq!(pace.next(100, NOW), Next::Now);
    assert_eq!(pace.next(101, NOW), Next::At(MIDNIGHT));
    let again = Pace::new(manners(), pace.spent());
    assert_eq!(again.next(101, NOW), Next::At(MIDNIGHT));
    assert_eq!(again.next(101, MIDNIGHT), Next::Now);
    // A clock that goes back by a day.
    assert_eq!(again.next(101, NOW - 86_400), Next::At(MIDNIGHT));
    // Bytes that did not come are not spent, and a whole file is.
    let ended = |received_bytes| Ended {
        asked_bytes: 900,
        received_bytes,
        status: Some(206),
        retry_after: None,
    };
    pace.end(ended(100), NOW);
    assert_eq!(pace.next(900, NOW), Next::Now);
    pace.begin(900, NOW);
    pace.end(ended(5_000), NOW);
    assert_eq!(
        pace.spent(),
        Spent {
            day: TODAY,
            requests: 2,
            bytes: 5_100
        }
    );
    assert_eq!(pace.next(1, NOW), Next::At(MIDNIGHT));
}

#[test]
fn a_request_above_the_budget_of_a_day_never_begins() {
    assert_eq!(pace().next(1_001, NOW), Next::Never);
    let none = Manners {
        requests_a_day: Some(0),
        ..manners()
    };
    assert_eq!(Pace::new(none, Spent::default()).next(1, NOW), Next::Never);
    let mut pace = pace();
    for _ in 0..100 {
        request(&mut pace, None, None, NOW);
    }
    assert_eq!(pace.next(1, NOW), Next::At(MIDNIGHT));
}

proptest! {
    #[test]
    fn a_program_that_waits_is_within_the_limits(
        answers in prop::collection::vec((prop::sample::select(vec![206_u16, 403, 503, 500]), 1..400_u64), 1..60),
    ) {
        let mut pace = pace();
        let mut now = NOW;
        let mut of_days = std::collections::BTreeMap::<u64, u64>::new();
        for (status, bytes) in answers {
            let mut waits = 0;
            while let Next::At(time) = pace.next(bytes, now) {
                prop_assert!(time > now);
                now = time;
                waits += 1;
                prop_assert!(waits < 4);
            }
            pace.begin(bytes, now);
            let spent = of_days.entry(now / 86_400).or_default();
            *spent += bytes;
            prop_assert!(*spent <= 1_000);
            let ended = Ended { asked_bytes: bytes, received_bytes: bytes, status: Some(status), retry_after: None };
            pace.end(ended, now);
        }
    }
}
