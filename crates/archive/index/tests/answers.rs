//! Answers to requests.

use std::collections::BTreeMap;

use crawl_index::{
    Answer, Counts, Head, Missing, Outcome, Plan, PlanLimits, Record, Request, Wrong, check,
};

use crate::common::{NOON, at};

const DIGEST: &str = "3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ";

/// Bytes 100 to 399: records at 100 and 300, of 100 bytes each.
fn request() -> Request {
    let of = |offset| Record {
        digest: Some(DIGEST.to_owned()),
        ..at("a.warc.gz", offset, 100)
    };
    let mut plan = Plan::new([of(100), of(300)], PlanLimits::default());
    plan.requests.remove(0)
}

const ANSWER: Answer = Answer {
    status: 206,
    content_range: Some("bytes 100-399/5000"),
    body_bytes: 300,
};

const HEAD: Head = Head {
    url: Some("http://example.com/100"),
    time: Some(NOON),
    digest: Some("sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ"),
};

#[test]
fn a_record_is_got_if_range_url_time_and_digest_are_those_of_the_index() {
    let request = request();
    let outcome = |head: Head| check(&request, &request.records[0], &ANSWER, Some(&head));
    assert_eq!(outcome(HEAD), Outcome::Got);
    for (url, expected) in [
        (Some("http://EXAMPLE.com:80/100#top"), Outcome::Got),
        (
            Some("https://example.com/100"),
            Outcome::Wrong(Wrong::OtherUrl),
        ),
        (
            Some("http://example.com/100/"),
            Outcome::Wrong(Wrong::OtherUrl),
        ),
        (Some("no URL"), Outcome::Wrong(Wrong::OtherUrl)),
        (None, Outcome::Wrong(Wrong::OtherUrl)),
    ] {
        assert_eq!(outcome(Head { url, ..HEAD }), expected, "{url:?}");
    }
    for time in [None, Some(NOON + 1)] {
        let expected = Outcome::Wrong(Wrong::OtherTime);
        assert_eq!(outcome(Head { time, ..HEAD }), expected);
    }
    for (digest, expected) in [
        (Some(DIGEST), Outcome::Got),
        (
            Some("sha1:da39a3ee5e6b4b0d3255bfef95601890afd80709"),
            Outcome::Got,
        ),
        (
            Some("sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
            Outcome::Wrong(Wrong::OtherDigest),
        ),
        (
            Some("md5:d41d8cd98f00b204e9800998ecf8427e"),
            Outcome::GotWithoutDigest,
        ),
        (None, Outcome::GotWithoutDigest),
    ] {
        assert_eq!(outcome(Head { digest, ..HEAD }), expected, "{digest:?}");
    }
    let nothing = check(&request, &request.records[0], &ANSWER, None);
    assert_eq!(nothing, Outcome::Wrong(Wrong::NotARecord));
}

#[test]
fn a_field_that_the_index_leaves_out_is_not_compared() {
    let request = request();
    let mut record = request.records[0].clone();
    (record.url, record.time, record.digest) = (None, None, None);
    let outcome = check(&request, &record, &ANSWER, Some(&HEAD));
    assert_eq!(outcome, Outcome::GotWithoutDigest);
}

#[test]
fn another_status_or_range_is_the_outcome_of_all_records() {
    let request = request();
    let status = |status| Answer { status, ..ANSWER };
    let range = |content_range| Answer {
        content_range,
        ..ANSWER
    };
    for (answer, expected) in [
        (status(200), Outcome::Wrong(Wrong::WholeFile)),
        (status(404), Outcome::Missing(Missing::NotFound)),
        (status(410), Outcome::Missing(Missing::NotFound)),
        (status(416), Outcome::Missing(Missing::OutsideFile)),
        (status(403), Outcome::Missing(Missing::Status(403))),
        (status(302), Outcome::Missing(Missing::Status(302))),
        (range(None), Outcome::Wrong(Wrong::NoRange)),
        (range(Some("100-399/5000")), Outcome::Wrong(Wrong::NoRange)),
        (
            range(Some("lines 100-399/5000")),
            Outcome::Wrong(Wrong::NoRange),
        ),
        (range(Some("bytes */5000")), Outcome::Wrong(Wrong::NoRange)),
        (
            range(Some("bytes 399-100/5000")),
            Outcome::Wrong(Wrong::NoRange),
        ),
        (
            range(Some("bytes 100-18446744073709551615/*")),
            Outcome::Wrong(Wrong::NoRange),
        ),
        (
            range(Some("bytes 0-399/5000")),
            Outcome::Wrong(Wrong::OtherRange),
        ),
        (
            range(Some("bytes 100-400/5000")),
            Outcome::Wrong(Wrong::OtherRange),
        ),
    ] {
        for record in &request.records {
            let outcome = check(&request, record, &answer, Some(&HEAD));
            assert_eq!(outcome, expected, "{answer:?}");
        }
        assert_eq!(answer.received(&request), Err(expected));
    }
    let unknown_size = range(Some("Bytes 100-399/*"));
    assert_eq!(unknown_size.received(&request), Ok(300));
}

#[test]
fn of_a_short_answer_the_whole_records_are_got() {
    let request = request();
    for (content_range, body_bytes) in [
        // The connection ends, or the file does.
        (Some("bytes 100-399/5000"), 299),
        (Some("bytes 100-398/399"), 299),
        (Some("bytes 100-398/399"), 300),
        (Some("bytes 100-399/5000"), 100),
    ] {
        let answer = Answer {
            content_range,
            body_bytes,
            ..ANSWER
        };
        let outcomes = (request.records.iter())
            .map(|record| check(&request, record, &answer, Some(&HEAD)))
            .collect::<Vec<_>>();
        let expected = [Outcome::Got, Outcome::Missing(Missing::Short)];
        assert_eq!(outcomes, expected, "{answer:?}");
    }
}

#[test]
fn the_counts_add_up() {
    let mut counts = Counts::default();
    let outcomes = [
        Outcome::Got,
        Outcome::GotWithoutDigest,
        Outcome::Missing(Missing::Short),
        Outcome::Missing(Missing::NoAnswer),
        Outcome::Missing(Missing::Short),
        Outcome::Wrong(Wrong::OtherUrl),
    ];
    outcomes
        .into_iter()
        .for_each(|outcome| counts.count(outcome));
    assert_eq!(
        (counts.asked(), counts.got, counts.got_without_digest),
        (6, 2, 1)
    );
    let missing = BTreeMap::from([(Missing::Short, 2), (Missing::NoAnswer, 1)]);
    assert_eq!(counts.missing, missing);
    assert_eq!(counts.wrong, BTreeMap::from([(Wrong::OtherUrl, 1)]));
}
