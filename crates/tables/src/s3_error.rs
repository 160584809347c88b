//! What S3 says of a request it refuses, without the request.

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService, ReqwestConnector,
};

/// Connects as `object_store` does and cuts the bodies of errors. Amazon repeats
/// the session token when it has expired, and all signed headers when the
/// signature does not match; the body becomes part of the error that is printed.
#[derive(Debug)]
pub(crate) struct ShortErrors;

#[derive(Debug)]
struct ShortErrorsClient(HttpClient);

impl HttpConnector for ShortErrors {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(ShortErrorsClient(client)))
    }
}

#[async_trait]
impl HttpService for ShortErrorsClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let response = self.0.execute(request).await?;
        if !response.status().is_client_error() {
            return Ok(response);
        }
        let (head, body) = response.into_parts();
        let body = body.bytes().await?;
        let short = short(&String::from_utf8_lossy(&body));
        Ok(HttpResponse::from_parts(head, short.into()))
    }
}

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
fn short(body: &str) -> String {
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
