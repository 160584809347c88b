//! Whether an answer has the records that were asked for.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use url::{Position, Url};

use crate::plan::{Planned, Request};

/// The answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer<'a> {
    /// Status.
    pub status: u16,
    /// Header `Content-Range`.
    pub content_range: Option<&'a str>,
    /// Bytes of the body that were received.
    pub body_bytes: u64,
}

/// The headers of the WARC record that begins at the place of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head<'a> {
    /// `WARC-Target-URI`.
    pub url: Option<&'a str>,
    /// `WARC-Date`, in seconds since 1970, UTC.
    pub time: Option<i64>,
    /// `WARC-Payload-Digest`, or the digest of the payload.
    pub digest: Option<&'a str>,
}

/// The end of a record that was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The record of the index, with the same digest.
    Got,
    /// The record of the index. Its digest was not compared: one is missing, or they are of two algorithms.
    GotWithoutDigest,
    /// The bytes of the record were not received.
    Missing(Missing),
    /// Other bytes or another record were received.
    Wrong(Wrong),
}

/// The reason why a record was not received.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    thiserror::Error,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Missing {
    /// The server has no such file: 404 or 410.
    #[error("no such file")]
    NotFound,
    /// The file ends before the range: 416.
    #[error("the file ends before the record begins")]
    OutsideFile,
    /// The answer, or the file, ends before the record does.
    #[error("the file ends before the record does")]
    Short,
    /// Another status, such as 403 after the last attempt.
    #[error("status {0}")]
    Status(u16),
    /// No answer.
    #[error("no answer")]
    NoAnswer,
}

/// The reason why a record is not the one of the index.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    thiserror::Error,
)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Wrong {
    /// The server ignores ranges, and answers 200 with the whole file.
    #[error("the server ignores ranges")]
    WholeFile,
    /// Status 206 without a readable `Content-Range`, such as an answer of several parts.
    #[error("an answer without Content-Range")]
    NoRange,
    /// Another range than the request asks for.
    #[error("another range")]
    OtherRange,
    /// No record, or no compressed member, begins at the offset.
    #[error("no record begins here")]
    NotARecord,
    /// Another URL.
    #[error("another URL")]
    OtherUrl,
    /// Another time.
    #[error("another time")]
    OtherTime,
    /// Another digest.
    #[error("another digest")]
    OtherDigest,
}

impl Answer<'_> {
    /// Bytes from the offset of `request` on that the answer has. The body need not be read if this is an error.
    ///
    /// # Errors
    ///
    /// Returns the outcome of all records of the request if the answer is not the range, or the beginning of the range.
    pub fn received(&self, request: &Request) -> Result<u64, Outcome> {
        match self.status {
            206 => {}
            200 => return Err(Outcome::Wrong(Wrong::WholeFile)),
            404 | 410 => return Err(Outcome::Missing(Missing::NotFound)),
            416 => return Err(Outcome::Missing(Missing::OutsideFile)),
            other => return Err(Outcome::Missing(Missing::Status(other))),
        }
        let range = self.content_range.and_then(range);
        let (first, end) = range.ok_or(Outcome::Wrong(Wrong::NoRange))?;
        if first != request.offset || end > request.end() {
            return Err(Outcome::Wrong(Wrong::OtherRange));
        }
        Ok(self.body_bytes.min(end - first))
    }
}

/// Decides about one record of `request`. `head` has the headers of the WARC record that begins at its place, or `None` if none
/// can be read there. URLs are compared as browsers read them, times by their seconds, and digests in any form.
pub fn check(request: &Request, record: &Planned, answer: &Answer, head: Option<&Head>) -> Outcome {
    let received = match answer.received(request) {
        Ok(received) => received,
        Err(outcome) => return outcome,
    };
    let before = record.offset.checked_sub(request.offset);
    let end = before.and_then(|before| before.checked_add(record.length));
    if end.is_none_or(|end| end > received) {
        return Outcome::Missing(Missing::Short);
    }
    let Some(head) = head else {
        return Outcome::Wrong(Wrong::NotARecord);
    };
    if let Some(url) = &record.url
        && !head.url.is_some_and(|other| is_same_url(url, other))
    {
        return Outcome::Wrong(Wrong::OtherUrl);
    }
    if record.time.is_some() && record.time != head.time {
        return Outcome::Wrong(Wrong::OtherTime);
    }
    let digests = record.digest.as_deref().zip(head.digest);
    match digests.and_then(|(one, other)| warc::same_digest(one, other)) {
        Some(true) => Outcome::Got,
        Some(false) => Outcome::Wrong(Wrong::OtherDigest),
        None => Outcome::GotWithoutDigest,
    }
}

/// Counts of the records that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// Records that were got, those without a comparison of digests among them.
    pub got: u64,
    /// Records that were got, and whose digests were not compared.
    pub got_without_digest: u64,
    /// Records that are missing, by reason.
    pub missing: BTreeMap<Missing, u64>,
    /// Records that are wrong, by reason.
    pub wrong: BTreeMap<Wrong, u64>,
}

impl Counts {
    /// Counts the outcome of a record.
    pub fn count(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Got => self.got += 1,
            Outcome::GotWithoutDigest => {
                self.got += 1;
                self.got_without_digest += 1;
            }
            Outcome::Missing(reason) => *self.missing.entry(reason).or_default() += 1,
            Outcome::Wrong(reason) => *self.wrong.entry(reason).or_default() += 1,
        }
    }

    /// Records that were asked for: those that were got, are missing or are wrong.
    pub fn asked(&self) -> u64 {
        let missing: u64 = self.missing.values().sum();
        self.got + missing + self.wrong.values().sum::<u64>()
    }
}

/// First byte of a `Content-Range`, and the first byte after it.
fn range(header: &str) -> Option<(u64, u64)> {
    let (unit, range) = header.trim().split_once(' ')?;
    let (range, _total) = range.split_once('/')?;
    let (first, last) = range.trim().split_once('-')?;
    let (first, last): (u64, u64) = (first.parse().ok()?, last.parse().ok()?);
    let end = last.checked_add(1)?;
    (unit.eq_ignore_ascii_case("bytes") && first < end).then_some((first, end))
}

/// Whether two URLs are equal: as texts, or as browsers read them without fragments.
fn is_same_url(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (Ok(one), Ok(other)) = (Url::parse(one), Url::parse(other)) else {
        return false;
    };
    one[..Position::AfterQuery] == other[..Position::AfterQuery]
}
