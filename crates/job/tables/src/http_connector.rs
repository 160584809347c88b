//! An HTTP connector for `object_store` that retries more failures and shortens
//! error bodies.

use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use crate::s3_error::shorten;

/// The connector of `object_store` with three differences:
///
/// - A response without an entity tag is read to its end before it counts as a
///   response. If a body breaks off, `object_store` resumes in the middle of a body
///   that has a tag and fails for one without, such as a listing.
/// - A put-if-absent without a response is retried, although it may have succeeded.
///   [`IdempotentPuts`](lease::IdempotentPuts) finds out.
/// - The body of a 4xx response is reduced to the elements that describe the
///   problem.
#[derive(Debug)]
pub(crate) struct Connector;

#[derive(Debug)]
struct Connection(HttpClient);

impl HttpConnector for Connector {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = ReqwestConnector::default().connect(options)?;
        Ok(HttpClient::new(Connection(client)))
    }
}

#[async_trait]
impl HttpService for Connection {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let if_absent = is_put_if_absent(&request);
        let is_heartbeat = request.uri().path().contains(LEASES);
        let count = |events| {
            if !is_heartbeat {
                REQUESTS.fetch_add(events, Ordering::Relaxed);
            }
        };
        count(1);
        let response = match self.0.execute(request).await {
            Ok(response) => complete(response).await,
            Err(error) => Err(error),
        };
        count(1);
        response.map_err(|error| {
            let kind = match error.kind() {
                // `object_store` retries this kind for every request, the others only for
                // requests that may be repeated.
                HttpErrorKind::Timeout | HttpErrorKind::Interrupted if if_absent => {
                    HttpErrorKind::Request
                }
                kind => kind,
            };
            HttpError::new(kind, NoResponse(error))
        })
    }
}

/// Requests and responses of this process.
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Part of the path of a lease.
const LEASES: &str = "/_leases/";

/// Returns the number of requests that this process has sent to stores, and of their responses.
/// Requests for leases are not counted: the heartbeat of a stalled run continues.
pub fn store_requests() -> u64 {
    REQUESTS.load(Ordering::Relaxed)
}

/// Whether a request is a put-if-absent: S3 and Azure use the first header, Google
/// the second.
fn is_put_if_absent(request: &HttpRequest) -> bool {
    let headers = request.headers();
    let has = |name: &str, value: &str| {
        headers
            .get(name)
            .is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    request.method() == "PUT"
        && (has("if-none-match", "*") || has("x-goog-if-generation-match", "0"))
}

/// Reads the body now if it cannot be resumed, or belongs to an error.
async fn complete(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let refused = response.status().is_client_error();
    if !refused && response.headers().contains_key("etag") {
        return Ok(response);
    }
    let (head, body) = response.into_parts();
    let body = body.bytes().await.map_err(|error| {
        // Interrupted requests are retried.
        HttpError::new(HttpErrorKind::Interrupted, error)
    })?;
    if refused {
        let short = shorten(&String::from_utf8_lossy(&body));
        return Ok(HttpResponse::from_parts(head, short.into()));
    }
    Ok(HttpResponse::from_parts(head, body.into()))
}

/// An [`HttpError`] that displays its causes. The display of `HttpError` alone
/// does not.
#[derive(Debug)]
struct NoResponse(HttpError);

impl Error for NoResponse {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for NoResponse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut causes: Vec<String> = Vec::new();
        for cause in std::iter::successors(self.source(), |error| (*error).source()) {
            let cause = cause.to_string();
            if !causes.iter().any(|earlier| earlier.contains(&cause)) {
                causes.push(cause);
            }
        }
        write!(f, "{}", causes.join(": "))
    }
}
