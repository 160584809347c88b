//! Removes the request from the body of an S3 error, which becomes part of the error
//! that is printed. Amazon repeats the session token if it has expired, and all signed
//! headers if the signature does not match.

use std::fmt::Write;

use quick_xml::Reader;
use quick_xml::events::Event;

/// Elements of an S3 error that describe the problem and not the request.
const KEPT: [&[u8]; 7] = [
    b"Code",
    b"Message",
    b"BucketName",
    b"Key",
    b"Region",
    b"Endpoint",
    b"RequestId",
];

/// Returns the S3 error with the elements in [`KEPT`] only, or an empty text if `body`
/// is not an S3 error.
pub(crate) fn shorten(body: &str) -> String {
    let mut reader = Reader::from_str(body);
    let mut kept = String::new();
    // An invalid document ends here, with the elements before the invalid one.
    while let Ok(event) = reader.read_event() {
        let element = match event {
            Event::Eof => break,
            Event::Start(element) if KEPT.contains(&element.name().as_ref()) => element,
            _ => continue,
        };
        let Ok(text) = reader.read_text(element.name()) else {
            break;
        };
        let name = String::from_utf8_lossy(element.name().into_inner());
        // Writing to a string does not fail.
        let _ = write!(kept, "<{name}>{text}</{name}>");
    }
    if kept.is_empty() {
        kept
    } else {
        format!("<Error>{kept}</Error>")
    }
}

#[cfg(test)]
mod tests {
    use super::shorten;

    #[test]
    fn the_request_is_removed_from_an_error() {
        let expired = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>ExpiredToken</Code>\
             <Message>The provided token has expired.</Message><Token-0>secret</Token-0>\
             <RequestId>7</RequestId><HostId>h</HostId></Error>";
        assert_eq!(
            shorten(expired),
            "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message>\
             <RequestId>7</RequestId></Error>"
        );
        assert_eq!(
            shorten("<html>Your headers: authorization: secret</html>"),
            ""
        );
    }

    #[test]
    fn a_truncated_error_keeps_its_complete_elements() {
        assert_eq!(
            shorten("<Error><Code>SlowDown</Code><Message>Please red"),
            "<Error><Code>SlowDown</Code></Error>"
        );
    }
}
