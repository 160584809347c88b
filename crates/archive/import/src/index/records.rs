//! The records of an answer: which of them are those of the index, and their pages.

use std::io;
use std::ops::Range;
use std::sync::Arc;

use crawl_index::{Answer, Head, Missing, Outcome, Planned, Request, Wrong, check};
use warc::{Blocks, Decoder, Limits};

use crate::found::Found;
use crate::index::answer::Received;
use crate::quarantine::Quarantined;

/// A request as its server sees it: of a file in a WACZ file, with the offsets of the WACZ file.
pub(crate) fn shifted(request: &Request, within: Option<&Range<u64>>) -> Request {
    let start = within.map_or(0, |within| within.start);
    let mut request = request.clone();
    request.offset = request.offset.saturating_add(start);
    for record in &mut request.records {
        record.offset = record.offset.saturating_add(start);
    }
    request
}

/// Adds the records of `request` that were received to `found`. `file` and `offset` are the name and the first offset of the
/// file itself.
pub(crate) fn add(
    found: &mut Found,
    file: &Arc<str>,
    (request, start): (&Request, u64),
    received: &Received,
    limits: Limits,
) -> io::Result<Vec<Outcome>> {
    found.begin(file);
    let answer = received.status.map(|status| Answer {
        status,
        content_range: received.content_range.as_deref(),
        body_bytes: received.body.len() as u64,
    });
    let mut outcomes = Vec::new();
    for record in &request.records {
        let outcome = match &answer {
            None => Outcome::Missing(Missing::NoAnswer),
            Some(answer) => one(found, (request, record, start), answer, received, limits)?,
        };
        let reason = match outcome {
            Outcome::Got | Outcome::GotWithoutDigest => None,
            Outcome::Missing(reason) => Some(format!("missing: {reason}")),
            Outcome::Wrong(reason) => Some(format!("wrong: {reason}")),
        };
        if let Some(kind) = reason {
            found.add_unusable(Quarantined {
                file: None,
                position: position(record.offset.saturating_sub(start)),
                name: None,
                record_type: None,
                url: record.url.clone(),
                reason: format!("the record of the index is {kind}"),
                kind,
            });
        }
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// An offset as a column has it.
pub(crate) fn position(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}

/// Checks one record, and adds it if it is that of the index.
fn one(
    found: &mut Found,
    (request, record, start): (&Request, &Planned, u64),
    answer: &Answer<'_>,
    received: &Received,
    limits: Limits,
) -> io::Result<Outcome> {
    let bytes = match answer.received(request) {
        Ok(bytes) => usize::try_from(bytes).unwrap_or(usize::MAX),
        Err(outcome) => return Ok(outcome),
    };
    let place = usize::try_from(record.offset - request.offset).unwrap_or(usize::MAX);
    let length = usize::try_from(record.length).unwrap_or(usize::MAX);
    let slice = received.body[..bytes.min(received.body.len())]
        .get(place..)
        .and_then(|rest| rest.get(..length));
    let block = slice.and_then(|slice| Blocks::new(slice, limits).next());
    let Some(block) = block else {
        // Not received, or without a record.
        return Ok(check(request, record, answer, None));
    };
    let (url, seconds, stored) = match &block {
        Ok(block) => (
            block.url().map(str::to_owned),
            block.seconds(),
            block.payload_digest().map(str::to_owned),
        ),
        // A record whose block cannot be read is known by its URL alone.
        Err(error) => (error.origin.url.clone(), record.time, None),
    };
    if block.is_err() && url.is_none() {
        return Ok(Outcome::Wrong(Wrong::NotARecord));
    }
    let decoded = block.and_then(|block| Decoder::new(limits).html_only().decode(block));
    let computed = decoded
        .as_ref()
        .ok()
        .and_then(|decoded| decoded.payload_digest());
    let head = Head {
        url: url.as_deref(),
        time: seconds,
        digest: stored.as_deref().or(computed),
    };
    let outcome = check(request, record, answer, Some(&head));
    if matches!(outcome, Outcome::Got | Outcome::GotWithoutDigest) {
        found.add_at(decoded, Some(record.offset - start))?;
    }
    Ok(outcome)
}
