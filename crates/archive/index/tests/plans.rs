//! Plans of requests.

use crawl_index::{Plan, PlanLimits, Record, RefusedReason, Request, Totals};
use proptest::prelude::*;

use crate::common::{at, page, records};

fn ranges(plan: &Plan) -> Vec<(String, String)> {
    let range = |request: &Request| (request.file.clone(), request.range());
    plan.requests.iter().map(range).collect()
}

#[test]
fn records_less_than_a_mebibyte_apart_are_one_request() {
    let mebibyte = 1 << 20;
    let records = [
        at("b", 0, 10),
        at("a", 100 + mebibyte - 1, 50),
        at("a", 0, 100),
        at("a", 149 + 2 * mebibyte, 1),
    ];
    let plan = Plan::new(records, PlanLimits::default());
    let expected = [
        ("a", format!("bytes=0-{}", 148 + mebibyte)),
        ("a", format!("bytes={0}-{0}", 149 + 2 * mebibyte)),
        ("b", "bytes=0-9".to_owned()),
    ];
    let expected = expected.map(|(file, range)| (file.to_owned(), range));
    assert_eq!(ranges(&plan), expected);
    let totals = Totals {
        files: 2,
        requests: 3,
        records: 4,
        record_bytes: 161,
        request_bytes: 160 + mebibyte,
    };
    assert_eq!(plan.totals(), totals);
}

#[test]
fn a_request_ends_before_it_is_too_large() {
    let limits = PlanLimits {
        gap_bytes: 10,
        request_bytes: 100,
    };
    let plan = Plan::new([at("a", 0, 60), at("a", 60, 40), at("a", 100, 1)], limits);
    let ranges: Vec<_> = plan.requests.iter().map(Request::range).collect();
    assert_eq!(ranges, ["bytes=0-99", "bytes=100-100"]);
}

#[test]
fn a_record_without_a_usable_place_is_refused_with_the_reason() {
    let most = i64::MAX as u64;
    let (limit, large) = (32 << 20, (32 << 20) + 1);
    let of = |change: &dyn Fn(&mut Record)| {
        let mut record = page("http://example.com/");
        change(&mut record);
        record
    };
    for (record, reason) in [
        (of(&|it| it.file = None), RefusedReason::NoFile),
        (of(&|it| it.offset = None), RefusedReason::NoOffset),
        (of(&|it| it.length = None), RefusedReason::NoLength),
        (at("a", 0, 0), RefusedReason::Empty),
        (at("a", most, 1), RefusedReason::TooFar),
        (at("a", u64::MAX, u64::MAX), RefusedReason::TooFar),
        (
            at("a", 0, large),
            RefusedReason::TooLong {
                length: large,
                limit,
            },
        ),
    ] {
        let plan = Plan::new(
            [record.clone(), at("z", most - 1, 1)],
            PlanLimits::default(),
        );
        assert_eq!(plan.refused.len(), 1, "{record:?}");
        assert_eq!(plan.refused[0].reason, reason);
        assert_eq!(plan.refused[0].record, record);
        assert_eq!(plan.totals().records, 1);
    }
}

#[test]
fn a_range_over_others_is_refused_and_the_others_stay() {
    let lie = at("a", 50, 1000);
    let records = [
        at("a", 0, 100),
        lie.clone(),
        at("a", 100, 100),
        at("a", 200, 100),
    ];
    let plan = Plan::new(records, PlanLimits::default());
    assert_eq!(plan.totals().records, 3);
    assert_eq!(plan.refused[0].record, lie);
    assert_eq!(plan.refused[0].reason, RefusedReason::Overlaps);
    // Another length, or another URL, at one offset: one of the two lies.
    let other = Record {
        url: Some("http://example.com/other".to_owned()),
        ..at("a", 0, 100)
    };
    for other in [other, at("a", 0, 101)] {
        let plan = Plan::new([at("a", 0, 100), other], PlanLimits::default());
        assert_eq!((plan.totals().records, plan.refused.len()), (1, 1));
    }
}

#[test]
fn a_record_of_two_lines_is_asked_for_once() {
    let other_type = Record {
        mime: None,
        ..at("a", 0, 100)
    };
    let plan = Plan::new(
        [at("a", 0, 100), other_type, at("b", 0, 100)],
        PlanLimits::default(),
    );
    assert_eq!((plan.totals().records, plan.duplicates), (2, 1));
    assert_eq!(plan.refused, []);
}

#[test]
fn each_change_of_a_record_changes_the_digest() {
    let plan = |record: Record| Plan::new([record, at("b", 0, 1)], PlanLimits::default()).digest();
    let first = plan(page("http://example.com/"));
    assert_eq!(first, plan(page("http://example.com/")));
    for change in [
        |it: &mut Record| it.url = Some("http://example.com/a".to_owned()),
        |it: &mut Record| it.url = None,
        |it: &mut Record| it.time = None,
        |it: &mut Record| it.digest = Some("AAAA".to_owned()),
        |it: &mut Record| it.file = Some("b".to_owned()),
        |it: &mut Record| it.offset = Some(1),
        |it: &mut Record| it.length = Some(99),
    ] {
        let mut record = page("http://example.com/");
        change(&mut record);
        assert_ne!(plan(record.clone()), first, "{record:?}");
    }
}

proptest! {
    #[test]
    fn each_byte_of_a_record_is_in_one_request_and_each_record_is_counted(
        records in records(), gap_bytes in 0..200_u64, request_bytes in 20..400_u64, turn in 0..80_usize,
    ) {
        let limits = PlanLimits { gap_bytes, request_bytes };
        let plan = Plan::new(records.clone(), limits);
        let planned: usize = plan.requests.iter().map(|request| request.records.len()).sum();
        prop_assert_eq!(planned + plan.refused.len() + plan.duplicates as usize, records.len());

        for request in &plan.requests {
            prop_assert!(request.length <= request_bytes);
            prop_assert_eq!(request.offset, request.records[0].offset);
            let mut end = request.offset;
            for record in &request.records {
                prop_assert!(record.length > 0);
                let gap = record.offset.checked_sub(end).expect("records do not overlap");
                prop_assert!(record.offset == request.offset || gap < gap_bytes);
                end = record.offset + record.length;
            }
            prop_assert_eq!(end, request.end());
        }
        for pair in plan.requests.windows(2) {
            let [one, two] = pair else { continue };
            prop_assert!((&one.file, one.offset) < (&two.file, two.offset));
            if one.file == two.file {
                prop_assert!(one.end() <= two.offset);
                // Two requests are two for a reason.
                let next = two.records[0].offset + two.records[0].length;
                let is_far = two.offset - one.end() >= gap_bytes;
                prop_assert!(is_far || next - one.offset > request_bytes);
            }
        }

        let mut turned = records;
        turned.reverse();
        let turn = turn.min(turned.len());
        turned.rotate_left(turn);
        prop_assert_eq!(Plan::new(turned, limits), plan);
    }
}
