//! Programs that are killed and continue.

use crawl_index::{Missing, Outcome, Plan, PlanLimits, Progress, ProgressError, Wrong};
use proptest::prelude::*;

use crate::common::{at, records};

fn plan() -> Plan {
    let records = [
        at("a", 0, 10),
        at("a", 20, 10),
        at("a", 40, 10),
        at("b", 0, 5),
    ];
    Plan::new(records, PlanLimits::default())
}

#[test]
fn a_request_continues_at_its_next_record() {
    let plan = plan();
    let mut progress = Progress::new(&plan);
    let mut text = progress.text();
    let outcomes = [Outcome::Got, Outcome::Missing(Missing::Status(503))];
    text += &progress.end(0, &outcomes).expect("two of three records");
    // Killed in the middle of a line.
    text += "{\"request\":1,\"outco";

    let mut progress = Progress::read(&text, &plan).expect("the progress");
    let left: Vec<_> = progress.left(&plan).collect();
    let ranges: Vec<_> = left
        .iter()
        .map(|(number, request)| (*number, request.range()))
        .collect();
    assert_eq!(
        ranges,
        [(0, "bytes=40-49".to_owned()), (1, "bytes=0-4".to_owned())]
    );
    assert_eq!(left[0].1.records, plan.requests[0].records[2..]);

    let mut text = progress.text();
    text += &progress
        .end(0, &[Outcome::GotWithoutDigest])
        .expect("the third");
    text += &progress
        .end(1, &[Outcome::Wrong(Wrong::WholeFile)])
        .expect("one");
    let progress = Progress::read(&text, &plan).expect("the progress");
    assert_eq!(progress.left(&plan).count(), 0);
    let counts = progress.counts();
    assert_eq!((counts.asked(), counts.got), (plan.totals().records, 2));
}

/// The text is a format on disk: programs of later versions continue it.
#[test]
fn the_text_is_lines_of_json() {
    let plan = plan();
    let mut progress = Progress::new(&plan);
    let outcomes = [
        Outcome::Got,
        Outcome::Missing(Missing::Status(503)),
        Outcome::Wrong(Wrong::OtherUrl),
    ];
    progress.end(0, &outcomes).expect("three");
    progress.end(1, &[Outcome::GotWithoutDigest]).expect("one");
    let digest = "9d618b525fba54db4bb4c53593e516b172188edf3161bd8c5651261175af1950";
    let expected = format!(
        "{{\"plan\":\"{digest}\",\"requests\":2,\"records\":4}}\n\
        {{\"request\":0,\"outcomes\":[\"got\",{{\"missing\":{{\"status\":503}}}},{{\"wrong\":\"other_url\"}}]}}\n\
        {{\"request\":1,\"outcomes\":[\"got_without_digest\"]}}\n"
    );
    assert_eq!(progress.text(), expected);
}

#[test]
fn another_plan_and_broken_lines_are_errors() {
    let plan = plan();
    let header = Progress::new(&plan).text();
    let other = Plan::new([at("a", 0, 11)], PlanLimits::default());
    let error = Progress::read(&header, &other).expect_err("another plan");
    assert!(matches!(error, ProgressError::OtherPlan));
    let with = |line: &str| {
        let text = format!("{header}{line}\n");
        Progress::read(&text, &plan).expect_err("a broken line")
    };
    assert!(matches!(with("{"), ProgressError::Line { line: 2, .. }));
    let request = with(r#"{"request":2,"outcomes":[]}"#);
    assert!(matches!(
        request,
        ProgressError::NoRequest {
            request: 2,
            requests: 2
        }
    ));
    let outcomes = with(r#"{"request":1,"outcomes":["got","got"]}"#);
    assert!(matches!(
        outcomes,
        ProgressError::TooManyOutcomes {
            request: 1,
            outcomes: 2,
            records: 1
        }
    ));
}

proptest! {
    #[test]
    fn a_program_killed_at_any_byte_counts_each_record_once(
        records in records(), parts in prop::collection::vec((any::<prop::sample::Index>(), 0..4_usize), 0..30),
        cut in any::<prop::sample::Index>(),
    ) {
        let plan = Plan::new(records, PlanLimits { gap_bytes: 100, request_bytes: 500 });
        let mut progress = Progress::new(&plan);
        let mut text = progress.text();
        for (request, outcomes) in parts {
            let Some((number, request)) = progress.left(&plan).nth(request.index(plan.requests.len().max(1))) else {
                continue;
            };
            let outcomes = vec![Outcome::Got; outcomes.min(request.records.len())];
            text += &progress.end(number, &outcomes).expect("records that are left");
        }
        prop_assert_eq!(&Progress::read(&text, &plan).expect("the progress"), &progress);

        let mut progress = Progress::read(&text[..cut.index(text.len() + 1)], &plan).expect("a part of it");
        prop_assert_eq!(&Progress::read(&progress.text(), &plan).expect("its text"), &progress);
        for (number, request) in progress.clone().left(&plan) {
            let outcomes = vec![Outcome::Missing(Missing::NoAnswer); request.records.len()];
            progress.end(number, &outcomes).expect("records that are left");
        }
        prop_assert_eq!(progress.counts().asked(), plan.totals().records);
        prop_assert_eq!(progress.left(&plan).count(), 0);
    }
}
