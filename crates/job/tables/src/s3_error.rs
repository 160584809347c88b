//! What S3 says of a request it refuses, without the request. Amazon repeats the
//! session token when it has expired, and all signed headers when the signature
//! does not match; the body becomes part of the error that is printed.

/// Elements of an S3 error that say what is wrong and not who asked how.
const KEPT: [&str; 7] = [
    "Code",
    "Message",
    "BucketName",
    "Key",
    "Region",
    "Endpoint",
    "RequestId",
];

/// An S3 error with the elements in [`KEPT`]; nothing where it is none.
pub(crate) fn short(body: &str) -> String {
    let kept = KEPT.into_iter().filter_map(|name| {
        let (_, rest) = body.split_once(&format!("<{name}>"))?;
        let (text, _) = rest.split_once(&format!("</{name}>"))?;
        Some(format!("<{name}>{text}</{name}>"))
    });
    let kept: String = kept.collect();
    if kept.is_empty() {
        kept
    } else {
        format!("<Error>{kept}</Error>")
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn an_error_keeps_what_is_wrong_and_loses_the_request() {
        let expired = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>ExpiredToken</Code>\
             <Message>The provided token has expired.</Message><Token-0>secret</Token-0>\
             <RequestId>7</RequestId><HostId>h</HostId></Error>";
        assert_eq!(
            short(expired),
            "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message>\
             <RequestId>7</RequestId></Error>"
        );
        assert_eq!(
            short("<html>Your headers: authorization: secret</html>"),
            ""
        );
    }
}
