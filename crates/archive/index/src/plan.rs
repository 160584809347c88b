//! Requests that get the chosen records.

use std::collections::BTreeSet;
use std::ops::Range;

use sha2::{Digest, Sha256};

use crate::record::Record;

/// Sizes of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlanLimits {
    /// Bytes between two records from which on they are in two requests. Default 1 MiB, as in marin's plan. A lower value sends
    /// more requests, 0 one for each record, and a higher one reads more bytes that are thrown away.
    pub gap_bytes: u64,
    /// Most bytes of one request. Default 32 MiB: the most that `warc` reads of one record. A record with more is refused. A
    /// lower value sends more requests, and a higher one needs more memory and loses more when a request breaks off.
    pub request_bytes: u64,
}

impl Default for PlanLimits {
    fn default() -> Self {
        Self {
            gap_bytes: 1 << 20,
            request_bytes: 32 << 20,
        }
    }
}

/// The requests for some records. It is a function of the set of records: their order does not matter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// By file, then by offset.
    pub requests: Vec<Request>,
    /// Records without a usable place, in the order of records.
    pub refused: Vec<Refused>,
    /// Records with file, offset, length and URL of another record, which are left out.
    pub duplicates: u64,
}

/// A range of one file that has one or more records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// Path of the file, as the index has it.
    pub file: String,
    /// First byte.
    pub offset: u64,
    /// Number of bytes.
    pub length: u64,
    /// The records, by offset. None overlaps another.
    pub records: Vec<Planned>,
}

/// A record in a request, with everything that the index says and a WARC file has too.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Planned {
    /// Offset in the file, in bytes.
    pub offset: u64,
    /// Bytes in the file. Never 0.
    pub length: u64,
    /// URL.
    pub url: Option<String>,
    /// Seconds since 1970, UTC.
    pub time: Option<i64>,
    /// Digest of the payload.
    pub digest: Option<String>,
}

/// A record that cannot be asked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
#[error("the record of {} cannot be asked for: {reason}", record.url.as_deref().unwrap_or("no URL"))]
pub struct Refused {
    /// The record.
    pub record: Record,
    /// The reason.
    pub reason: RefusedReason,
}

/// The reason why a record cannot be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum RefusedReason {
    /// No file.
    #[error("the index names no file")]
    NoFile,
    /// No offset.
    #[error("the index has no offset of it")]
    NoOffset,
    /// No length, as in CDX with nine fields.
    #[error("the index has no length of it")]
    NoLength,
    /// A length of zero.
    #[error("its length is 0")]
    Empty,
    /// The end is beyond the largest file.
    #[error("its end is beyond 2^63 bytes")]
    TooFar,
    /// The length is above [`PlanLimits::request_bytes`].
    #[error("its {length} bytes are more than one request may have, {limit}")]
    TooLong {
        /// Bytes of the record.
        length: u64,
        /// Bytes of a request.
        limit: u64,
    },
    /// The range has bytes of another record. The plan has as many records as possible without overlaps.
    #[error("its range overlaps that of another record of the file")]
    Overlaps,
}

/// Sums of a plan, to show before anything is requested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Totals {
    /// Files.
    pub files: u64,
    /// Requests.
    pub requests: u64,
    /// Records.
    pub records: u64,
    /// Bytes of the records.
    pub record_bytes: u64,
    /// Bytes of the requests: those of the records, and of the gaps between them.
    pub request_bytes: u64,
}

impl Plan {
    /// Plans the requests for `records`.
    pub fn new(records: impl IntoIterator<Item = Record>, limits: PlanLimits) -> Self {
        let mut plan = Self::default();
        let mut placed: Vec<(Record, Range<u64>)> = Vec::new();
        for record in records {
            match place(&record, limits) {
                Ok(place) => placed.push((record, place)),
                Err(reason) => plan.refused.push(Refused { record, reason }),
            }
        }
        // Of ranges that overlap, the one that ends first stays: so the number of those that stay is the largest.
        placed.sort_unstable_by(|(one, one_place), (two, two_place)| {
            let one = (&one.file, one_place.end, one_place.start, one);
            one.cmp(&(&two.file, two_place.end, two_place.start, two))
        });
        for (record, place) in placed {
            let file = record.file.as_deref().unwrap_or_default();
            let request = plan.requests.last_mut();
            match request.filter(|request| request.file == file) {
                Some(request) if request.ends_with(&record) => plan.duplicates += 1,
                Some(request) if place.start < request.end() => {
                    let reason = RefusedReason::Overlaps;
                    plan.refused.push(Refused { record, reason });
                }
                Some(request)
                    if place.start - request.end() < limits.gap_bytes
                        && place.end - request.offset <= limits.request_bytes =>
                {
                    request.length = place.end - request.offset;
                    request.records.push(Planned::of(record, &place));
                }
                _ => plan.requests.push(Request {
                    file: file.to_owned(),
                    offset: place.start,
                    length: place.end - place.start,
                    records: vec![Planned::of(record, &place)],
                }),
            }
        }
        plan.refused.sort();
        plan
    }

    /// The sums of the plan.
    pub fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        let mut files = BTreeSet::new();
        for request in &self.requests {
            files.insert(&request.file);
            totals.requests += 1;
            totals.request_bytes = totals.request_bytes.saturating_add(request.length);
            for record in &request.records {
                totals.records += 1;
                totals.record_bytes = totals.record_bytes.saturating_add(record.length);
            }
        }
        totals.files = files.len() as u64;
        totals
    }

    /// The SHA-256 of the requests and their records, in hexadecimal: two plans with one digest ask for the same.
    pub fn digest(&self) -> String {
        let mut hash = Sha256::new();
        let mut text = |text: &str| {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        };
        for request in &self.requests {
            text(&request.file);
            text(&request.records.len().to_string());
            for record in &request.records {
                let time = record.time.map_or("-".to_owned(), |time| time.to_string());
                text(&format!("{} {} {time}", record.offset, record.length));
                text(record.url.as_deref().unwrap_or("-"));
                text(record.digest.as_deref().unwrap_or("-"));
            }
        }
        hex::encode(hash.finalize())
    }
}

impl Planned {
    fn of(record: Record, place: &Range<u64>) -> Self {
        Self {
            offset: place.start,
            length: place.end - place.start,
            url: record.url,
            time: record.time,
            digest: record.digest,
        }
    }
}

impl Request {
    /// Whether the last record is the one that another line of the index describes.
    fn ends_with(&self, record: &Record) -> bool {
        self.records.last().is_some_and(|last| {
            let place = (record.offset, record.length);
            (Some(last.offset), Some(last.length)) == place && last.url == record.url
        })
    }

    /// First byte after the range.
    pub fn end(&self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// The value of the header `Range`, such as `bytes=0-99`.
    pub fn range(&self) -> String {
        format!("bytes={}-{}", self.offset, self.end().saturating_sub(1))
    }

    /// The request for the records after the first `finished`, or `None` if that is all of them.
    pub(crate) fn after(&self, finished: usize) -> Option<Self> {
        let records = self.records.get(finished..)?;
        let offset = records.first()?.offset;
        Some(Self {
            file: self.file.clone(),
            offset,
            length: self.end().saturating_sub(offset),
            records: records.to_vec(),
        })
    }
}

/// The range of a record, which is not empty.
fn place(record: &Record, limits: PlanLimits) -> Result<Range<u64>, RefusedReason> {
    record.file.as_ref().ok_or(RefusedReason::NoFile)?;
    let offset = record.offset.ok_or(RefusedReason::NoOffset)?;
    let length = record.length.ok_or(RefusedReason::NoLength)?;
    if length == 0 {
        return Err(RefusedReason::Empty);
    }
    let end = offset.checked_add(length).ok_or(RefusedReason::TooFar)?;
    if i64::try_from(end).is_err() {
        return Err(RefusedReason::TooFar);
    }
    if length > limits.request_bytes {
        let limit = limits.request_bytes;
        return Err(RefusedReason::TooLong { length, limit });
    }
    Ok(offset..end)
}
