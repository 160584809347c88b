//! The header of a record: its form and its fields.

use chrono::{DateTime, NaiveDateTime};

/// The type of a record.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordType {
    /// The head of an ARC file.
    ArcHeader,
    /// A segment of a record.
    Continuation,
    /// A conversion of another record, such as the text of a page.
    Conversion,
    /// Notes of a crawler about another record.
    Metadata,
    /// The request of a response.
    Request,
    /// A resource without a response.
    Resource,
    /// A response, and any record of ARC.
    Response,
    /// A capture whose content is that of an earlier one.
    Revisit,
    /// Notes of a crawler about the file.
    Warcinfo,
    /// A type that the standard does not have.
    Other(String),
}

impl RecordType {
    /// Returns the name in files.
    pub fn name(&self) -> &str {
        match self {
            Self::ArcHeader => "arc_header",
            Self::Continuation => "continuation",
            Self::Conversion => "conversion",
            Self::Metadata => "metadata",
            Self::Request => "request",
            Self::Resource => "resource",
            Self::Response => "response",
            Self::Revisit => "revisit",
            Self::Warcinfo => "warcinfo",
            Self::Other(name) => name,
        }
    }

    fn from_name(name: &str) -> Self {
        match name {
            "continuation" => Self::Continuation,
            "conversion" => Self::Conversion,
            "metadata" => Self::Metadata,
            "request" => Self::Request,
            "resource" => Self::Resource,
            "response" => Self::Response,
            "revisit" => Self::Revisit,
            "warcinfo" => Self::Warcinfo,
            other => Self::Other(other.chars().take(64).collect()),
        }
    }
}

/// The fields of a record that are used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) record_type: RecordType,
    pub(crate) length: u64,
    pub(crate) url: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) record_id: Option<String>,
    pub(crate) payload_digest: Option<String>,
    pub(crate) block_digest: Option<String>,
    pub(crate) refers_to_url: Option<String>,
    pub(crate) refers_to_date: Option<String>,
    pub(crate) content_type: Option<String>,
    /// Whether the block is a part of what was received, so that digests may be of the whole.
    pub(crate) partial: bool,
    pub(crate) arc: bool,
}

/// Whether a line begins a record.
pub(crate) fn begins_record(line: &[u8]) -> bool {
    line.starts_with(b"WARC/") || arc(line).is_some()
}

/// Parses the line of an ARC record: URL, address, time, type, more fields in version 2, length.
pub(crate) fn arc(line: &[u8]) -> Option<Header> {
    let line = std::str::from_utf8(line).ok()?.trim_end();
    // URLs with blanks were written as they came, so fields are counted from the end.
    let (rest, length) = line.rsplit_once(' ')?;
    let length = length.parse().ok()?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let date = (2..fields.len())
        .rev()
        .find(|at| is_arc_time(fields[*at]))?;
    let url = fields[..date - 1].join(" ");
    let (scheme, _) = url.split_once(':')?;
    if scheme.is_empty() || !scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return None;
    }
    Some(Header {
        record_type: if scheme == "filedesc" {
            RecordType::ArcHeader
        } else {
            RecordType::Response
        },
        length,
        date: Some(fields[date].to_owned()),
        content_type: fields.get(date + 1).map(|field| (*field).to_owned()),
        url: Some(url),
        record_id: None,
        payload_digest: None,
        block_digest: None,
        refers_to_url: None,
        refers_to_date: None,
        partial: false,
        arc: true,
    })
}

fn is_arc_time(field: &str) -> bool {
    field.len() == 14 && field.bytes().all(|byte| byte.is_ascii_digit())
}

/// Parses the lines of a WARC header, without its version.
///
/// # Errors
/// The reason why the record cannot be read.
pub(crate) fn warc(lines: &[u8]) -> Result<Header, &'static str> {
    let text = String::from_utf8_lossy(lines);
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in text.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_ascii_lowercase(), value.trim().to_owned()));
        }
    }
    let get = |name: &str| {
        let found = fields.iter().find(|(found, _)| found == name);
        found
            .map(|(_, value)| value.clone())
            .filter(|value| !value.is_empty())
    };
    let record_type = get("warc-type").ok_or("it has no WARC-Type")?;
    let length = get("content-length").ok_or("it has no Content-Length")?;
    let unbracketed = |value: String| match value.strip_prefix('<') {
        // WARC 1.0 has angle brackets around URLs in its grammar, and some writers follow it.
        Some(value) => value.trim_end_matches('>').to_owned(),
        None => value,
    };
    Ok(Header {
        record_type: RecordType::from_name(&record_type.to_ascii_lowercase()),
        length: length
            .parse()
            .map_err(|_| "its Content-Length is not a number")?,
        url: get("warc-target-uri").map(unbracketed),
        date: get("warc-date"),
        record_id: get("warc-record-id"),
        payload_digest: get("warc-payload-digest"),
        block_digest: get("warc-block-digest"),
        refers_to_url: get("warc-refers-to-target-uri").map(unbracketed),
        refers_to_date: get("warc-refers-to-date"),
        content_type: get("content-type"),
        partial: get("warc-truncated").is_some() || get("warc-segment-number").is_some(),
        arc: false,
    })
}

/// Converts the time of a record to microseconds since 1970, UTC.
pub(crate) fn time(date: &str) -> Option<i64> {
    if is_arc_time(date) {
        let time = NaiveDateTime::parse_from_str(date, "%Y%m%d%H%M%S").ok()?;
        return Some(time.and_utc().timestamp_micros());
    }
    DateTime::parse_from_rfc3339(date)
        .map(|time| time.timestamp_micros())
        .ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_line_of_either_version_is_read() {
        let one = arc(b"http://a.example/ 1.2.3.4 20140216050221 text/html 1591\n").unwrap();
        assert_eq!(one.length, 1591);
        assert_eq!(time(&one.date.unwrap()), Some(1_392_526_941_000_000));
        let two = b"http://a.example/b c 1.2.3.4 20140216050221 text/html 200 - - 0 f.arc 9\n";
        let two = arc(two).unwrap();
        assert_eq!(two.url.as_deref(), Some("http://a.example/b c"));
        assert_eq!(two.content_type.as_deref(), Some("text/html"));
        assert!(arc(b"he said 20140216050221 and 9").is_none());
    }

    #[test]
    fn fields_have_any_case_and_may_be_folded() {
        let header = warc(
            b"warc-type: Response\r\nWARC-Target-URI: <http://a.example/>\r\n\
            WARC-Date: 2011-10-24T12:00:00.5Z\r\nX: y\r\n  z\r\ncontent-length: 3\r\n",
        )
        .unwrap();
        assert_eq!(header.record_type, RecordType::Response);
        assert_eq!(header.url.as_deref(), Some("http://a.example/"));
        assert_eq!(time(&header.date.unwrap()), Some(1_319_457_600_500_000));
        assert!(warc(b"WARC-Type: response\r\n").is_err());
    }
}
