//! HTTP as `object_store` speaks it, where it gives up too early or says too
//! much.

use std::error::Error;
use std::fmt;

use async_trait::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpService,
    ReqwestConnector,
};

use crate::s3_error::short;

/// Connects as `object_store` does, with three differences:
///
/// - An answer without an entity tag is read whole before it counts as one. With
///   a tag, `object_store` goes on in the middle of a body that broke off;
///   without (a listing, say), it would fail.
/// - A put-if-absent that is not answered is one to be repeated. It may have been
///   carried out; [`OwnPuts`](crate::own_puts::OwnPuts) finds out.
/// - What a store says of a request it refuses is cut to what is wrong with it.
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
        let answered = match self.0.execute(request).await {
            Ok(response) => whole(response).await,
            Err(error) => Err(error),
        };
        answered.map_err(|error| {
            let kind = match error.kind() {
                HttpErrorKind::Timeout | HttpErrorKind::Interrupted if if_absent => {
                    HttpErrorKind::Request
                }
                kind => kind,
            };
            HttpError::new(kind, Broken(error))
        })
    }
}

/// S3 and Azure know the one header, Google's the other.
fn is_put_if_absent(request: &HttpRequest) -> bool {
    let has = |name: &str, value: &str| {
        (request.headers().get(name)).is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    request.method() == "PUT"
        && (has("if-none-match", "*") || has("x-goog-if-generation-match", "0"))
}

async fn whole(response: HttpResponse) -> Result<HttpResponse, HttpError> {
    let refused = response.status().is_client_error();
    if !refused && response.headers().contains_key("etag") {
        return Ok(response);
    }
    let (head, body) = response.into_parts();
    let body = body.bytes().await.map_err(|error| {
        // The request may be repeated as one that broke off on its way.
        HttpError::new(HttpErrorKind::Interrupted, error)
    })?;
    if refused {
        let short = short(&String::from_utf8_lossy(&body));
        return Ok(HttpResponse::from_parts(head, short.into()));
    }
    Ok(HttpResponse::from_parts(head, body.into()))
}

/// A request that has no answer; says why, where the error alone says that
/// there was one.
#[derive(Debug)]
struct Broken(HttpError);

impl Error for Broken {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said: Vec<String> = Vec::new();
        for cause in std::iter::successors(self.source(), |error| (*error).source()) {
            let cause = cause.to_string();
            if !said.iter().any(|earlier| earlier.contains(&cause)) {
                said.push(cause);
            }
        }
        write!(f, "{}", said.join(": "))
    }
}
