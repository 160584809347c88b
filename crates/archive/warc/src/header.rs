//! The header of a record: its form and its fields.

use std::net::IpAddr;

use crate::letters;
use crate::time;
use crate::warning::Warning;

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
    /// A record without a type.
    Unknown,
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
            Self::Unknown => "unknown",
            Self::Other(name) => name,
        }
    }

    fn from_name(name: &str) -> Self {
        match name.to_ascii_lowercase().as_str() {
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
    /// Microseconds since 1970, UTC.
    pub(crate) time: Option<i64>,
    pub(crate) record_id: Option<String>,
    pub(crate) payload_digest: Option<String>,
    pub(crate) block_digest: Option<String>,
    pub(crate) refers_to_id: Option<String>,
    pub(crate) refers_to_url: Option<String>,
    pub(crate) refers_to_time: Option<i64>,
    pub(crate) content_type: Option<String>,
    /// Whether the block is a part of what was received, so that digests may be of the whole.
    pub(crate) partial: bool,
    pub(crate) arc: bool,
    pub(crate) warnings: Vec<Warning>,
}

/// Whether a line begins a record.
pub(crate) fn begins_record(line: &[u8]) -> bool {
    line.starts_with(b"WARC/") || arc(line).is_some()
}

/// The fields of the line of an ARC record: URL, address, time, type, more fields in version 2, length.
struct ArcLine<'a> {
    url: String,
    date: &'a str,
    content_type: Option<&'a str>,
    length: &'a str,
}

impl<'a> ArcLine<'a> {
    /// Finds the fields in `line`. Returns `None` if it is another line.
    fn of(line: &'a str) -> Option<Self> {
        let fields: Vec<&str> = line.trim_end().split(' ').collect();
        // URLs with blanks were written as they came, so fields are counted from the end.
        let (length, fields) = fields.split_last()?;
        let date = (2..fields.len()).rev().find(|at| {
            let (address, date) = (fields[at - 1], fields[*at]);
            let digits = date.bytes().all(|byte| byte.is_ascii_digit());
            // Other dates are known by the address before them.
            digits && date.len() == 14
                || address.parse::<IpAddr>().is_ok()
                || address == "0" && digits && date.len() >= 8
        })?;
        let url = fields[..date - 1].join(" ");
        let (scheme, _) = url.split_once(':')?;
        let is_scheme =
            !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_scheme.then(|| Self {
            date: fields[date],
            content_type: fields.get(date + 1).copied(),
            length,
            url,
        })
    }
}

/// Parses the line of an ARC record. Returns `None` if it is another line, or its length is not a
/// number.
pub(crate) fn arc(line: &[u8]) -> Option<Header> {
    // All lines of a file that is not ARC come here.
    if !line.contains(&b' ') || !line.contains(&b':') {
        return None;
    }
    let text = letters::text(line);
    let found = ArcLine::of(&text)?;
    let length = found.length.parse().ok()?;
    let mut warnings = bytes_warning(line);
    let time = time::of_arc(found.date);
    if time.is_some_and(|time| !time.is_standard) {
        warnings.push(Warning::Time);
    }
    Some(Header {
        record_type: if found.url.starts_with("filedesc:") {
            RecordType::ArcHeader
        } else {
            RecordType::Response
        },
        length,
        time: time.map(|time| time.micros),
        content_type: found.content_type.map(str::to_owned),
        url: Some(address(&found.url, &mut warnings)),
        record_id: None,
        payload_digest: None,
        block_digest: None,
        refers_to_id: None,
        refers_to_url: None,
        refers_to_time: None,
        partial: false,
        arc: true,
        warnings,
    })
}

/// The warning about bytes that are not UTF-8.
fn bytes_warning(bytes: &[u8]) -> Vec<Warning> {
    let is_utf8 = std::str::from_utf8(bytes).is_ok();
    if is_utf8 {
        Vec::new()
    } else {
        vec![Warning::Bytes]
    }
}

fn address(value: &str, warnings: &mut Vec<Warning>) -> String {
    let address = letters::address(value);
    if address != value {
        warnings.push(Warning::Address);
    }
    address.into_owned()
}

/// The identity of a record by its header. It is known even if the record cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) record_type: Option<RecordType>,
    pub(crate) record_id: Option<String>,
    pub(crate) url: Option<String>,
}

impl Known {
    /// Reads the lines of a WARC header.
    pub(crate) fn of(lines: &[u8]) -> Self {
        let text = letters::text(lines);
        let fields = Fields::of(&text);
        Self {
            record_type: fields
                .get("warc-type")
                .map(|name| RecordType::from_name(&name)),
            record_id: fields.get("warc-record-id"),
            url: fields
                .get("warc-target-uri")
                .map(|url| letters::address(&url).into_owned()),
        }
    }

    /// Reads a line that begins no record, but is of a record: the line of ARC with a wrong length, or
    /// a field of WARC.
    pub(crate) fn of_line(line: &[u8]) -> Option<Self> {
        if Self::is_field(line) {
            return Some(Self::of(line));
        }
        if !line.contains(&b' ') {
            return None;
        }
        let text = letters::text(line);
        let found = ArcLine::of(&text)?;
        Some(Self {
            url: Some(letters::address(&found.url).into_owned()),
            ..Self::default()
        })
    }

    /// Whether a line is a field that only WARC has.
    pub(crate) fn is_field(line: &[u8]) -> bool {
        let name = line.get(..5).unwrap_or_default();
        name.eq_ignore_ascii_case(b"warc-") && line.contains(&b':')
    }
}

/// The fields of a WARC header, with names in lower case.
struct Fields(Vec<(String, String)>);

impl Fields {
    fn of(text: &str) -> Self {
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
        Self(fields)
    }

    /// Returns the first field of this name, unless it is empty.
    fn get(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(found, _)| found == name);
        found
            .map(|(_, value)| value.clone())
            .filter(|value| !value.is_empty())
    }
}

/// Parses the lines of a WARC header, without its version.
///
/// # Errors
/// The reason why the record cannot be read.
pub(crate) fn warc(lines: &[u8]) -> Result<Header, &'static str> {
    let text = letters::text(lines);
    let fields = Fields::of(&text);
    let length = fields
        .get("content-length")
        .ok_or("it has no Content-Length")?;
    let mut warnings = bytes_warning(lines);
    let record_type = match fields.get("warc-type") {
        Some(name) => RecordType::from_name(&name),
        None => {
            warnings.push(Warning::RecordType);
            RecordType::Unknown
        }
    };
    let time = fields
        .get("warc-date")
        .and_then(|date| time::of_warc(&date));
    if time.is_some_and(|time| !time.is_standard) {
        warnings.push(Warning::Time);
    }
    let refers_to_time = fields.get("warc-refers-to-date");
    let refers_to_time = refers_to_time.and_then(|date| time::of_warc(&date));
    let refers_to_url = fields.get("warc-refers-to-target-uri");
    Ok(Header {
        record_type,
        length: (length.parse()).map_err(|_| "its Content-Length is not a number")?,
        url: (fields.get("warc-target-uri")).map(|url| address(&url, &mut warnings)),
        time: time.map(|time| time.micros),
        record_id: fields.get("warc-record-id"),
        payload_digest: fields.get("warc-payload-digest"),
        block_digest: fields.get("warc-block-digest"),
        refers_to_id: fields.get("warc-refers-to"),
        refers_to_url: refers_to_url.map(|url| letters::address(&url).into_owned()),
        refers_to_time: refers_to_time.map(|time| time.micros),
        content_type: fields.get("content-type"),
        partial: fields.get("warc-truncated").is_some()
            || fields.get("warc-segment-number").is_some(),
        arc: false,
        warnings,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arc_line_of_either_version_is_read() {
        let one = arc(b"http://a.example/ 1.2.3.4 20140216050221 text/html 1591\n").unwrap();
        assert_eq!(one.length, 1591);
        assert_eq!(one.time, Some(1_392_526_941_000_000));
        assert_eq!(one.warnings, []);
        let two = b"http://a.example/b c 1.2.3.4 20140216050221 text/html 200 - - 0 f.arc 9\n";
        let two = arc(two).unwrap();
        assert_eq!(two.url.as_deref(), Some("http://a.example/b%20c"));
        assert_eq!(two.content_type.as_deref(), Some("text/html"));
        assert_eq!(two.warnings, [Warning::Address]);
        assert!(arc(b"he said 20140216050221 and 9").is_none());
        assert!(arc(b"see: 201402160502 9").is_none());
    }

    #[test]
    fn an_arc_line_of_another_form_is_read_with_a_warning() {
        for (line, warning) in [
            (
                &b"http://a.example/ 1.2.3.4 201402160502 text/html 9\n"[..],
                Warning::Time,
            ),
            (
                b"http://a.example/ 1.2.3.4 2014021605022100 text/html 9\n",
                Warning::Time,
            ),
            (
                b"http://a.example/ 2001:db8::1 20140216 text/html 9\n",
                Warning::Time,
            ),
            (
                b"http://a.example/ 0 201402160502 text/html 9\n",
                Warning::Time,
            ),
            (
                b"http://a.example/\xe9 1.2.3.4 20140216050221 text/html 9\n",
                Warning::Bytes,
            ),
            (
                b"http://a.example/ 1.2.3.4 20140216050221 \xef[=* 9\n",
                Warning::Bytes,
            ),
        ] {
            let header = arc(line).expect("a record");
            assert_eq!((header.length, header.warnings), (9, vec![warning]));
        }
        let corrupt = arc(b"http://a.example/ 1.2.3.4 99999999999999 text/html 9\n").unwrap();
        assert_eq!((corrupt.length, corrupt.time), (9, None));
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
        assert_eq!(header.time, Some(1_319_457_600_500_000));
        assert_eq!(header.warnings, [Warning::Address]);
        assert!(warc(b"WARC-Type: response\r\n").is_err());
    }

    #[test]
    fn a_line_of_a_lost_record_says_what_is_known() {
        let url = |line: &[u8]| Known::of_line(line).and_then(|known| known.url);
        let expected = Some("http://a.example/".to_owned());
        assert_eq!(url(b"warc-target-uri: <http://a.example/>\r\n"), expected);
        assert_eq!(
            url(b"http://a.example/ 1.2.3.4 2014 text/html -1\n"),
            expected
        );
        assert_eq!(Known::of_line(b"<p>Trees fell on the road: 1.\n"), None);
    }
}
