//! Fault injection for requests.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::future::pending;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Body, Bytes, Frame, Incoming};
use hyper::header::{CONTENT_LENGTH, CONTENT_TYPE, IF_NONE_MATCH, RANGE};
use hyper::service::Service;
use hyper::{Request, Response, StatusCode};
use tokio::sync::watch;
use tokio::time::sleep;

use crate::Waiting;

/// Time to wait before a connection is reset, so that written data is sent first.
const FLUSH: Duration = Duration::from_millis(10);

/// The properties of a request by which a fault is decided.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The number of the request in order of arrival, from 1.
    pub number: usize,
    /// The method, such as `GET`.
    pub method: String,
    /// The path without the query.
    pub path: String,
    /// The query without the `?`, or an empty text.
    pub query: String,
    /// The `Range` header, or an empty text.
    pub range: String,
    /// Whether the request is a `PUT` that must not replace an object.
    pub if_absent: bool,
}

/// The kinds of faults.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// The response is 503 `SlowDown`, as from S3 at a too high request rate. The request
    /// is not executed.
    SlowDown,
    /// The response is 403. The request is not executed.
    Denied,
    /// The server never responds. The request is not executed.
    Silence,
    /// The request is executed, and the connection is reset after half of the response
    /// body. A response without a body is not affected.
    CutBody,
    /// The request is executed, and the connection is reset before the response.
    LostAnswer,
    /// The request is executed, and the response is 503.
    LostInSlowDown,
    /// The request is executed, and the server never responds.
    LostInSilence,
    /// The server is down from now on: open connections are reset, new ones refused.
    Down,
}

/// Decides for each request whether it gets a fault, and which.
pub type Decide = dyn Fn(&Asked) -> Option<Fault> + Send + Sync;

/// The latency and the faults of a server.
pub struct Faults {
    /// The delay of every request.
    pub latency: Duration,
    /// Decides the fault of a request.
    pub decide: Box<Decide>,
}

impl Faults {
    /// Creates faults without latency.
    pub fn new(decide: impl Fn(&Asked) -> Option<Fault> + Send + Sync + 'static) -> Self {
        Self {
            latency: Duration::ZERO,
            decide: Box::new(decide),
        }
    }

    /// Adds a latency.
    pub fn after(self, latency: Duration) -> Self {
        Self { latency, ..self }
    }
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Faults(after {:?})", self.latency)
    }
}

pub(crate) type BoxError = Box<dyn Error + Send + Sync>;
pub(crate) type Answer = Response<UnsyncBoxBody<Bytes, BoxError>>;

/// Wraps a service, injects the faults, and counts them.
#[derive(Debug)]
pub(crate) struct Layer {
    faults: Option<Faults>,
    fired: Mutex<BTreeMap<Fault, usize>>,
    down: watch::Sender<bool>,
}

impl Layer {
    pub(crate) fn new(faults: Option<Faults>) -> Arc<Self> {
        Arc::new(Self {
            faults,
            fired: Mutex::default(),
            down: watch::Sender::new(false),
        })
    }

    pub(crate) fn has_faults(&self) -> bool {
        self.faults.is_some()
    }

    /// Returns the number of injections of each fault.
    pub(crate) fn fired(&self) -> BTreeMap<Fault, usize> {
        self.counts().clone()
    }

    /// Waits until the server is down.
    pub(crate) async fn down(&self) {
        let mut down = self.down.subscribe();
        // The sender lives as long as `self`.
        let _ = down.wait_for(|down| *down).await;
    }

    /// Returns the response of `service` after applying a fault. An error resets the
    /// connection.
    pub(crate) async fn call<S, B>(
        &self,
        service: &S,
        request: Request<Incoming>,
        waiting: Waiting,
    ) -> Result<Answer, BoxError>
    where
        S: Service<Request<Incoming>, Response = Response<B>>,
        S::Error: Into<BoxError>,
        B: Body<Data = Bytes> + Send + 'static,
        B::Error: Into<BoxError>,
    {
        let Some(faults) = &self.faults else {
            return whole(service.call(request).await);
        };
        sleep(faults.latency).await;
        match (faults.decide)(&asked(&request, waiting.number)) {
            None => whole(service.call(request).await),
            Some(fault @ Fault::SlowDown) => {
                drain(request).await?;
                Ok(self.refusal(fault, StatusCode::SERVICE_UNAVAILABLE, "SlowDown"))
            }
            Some(fault @ Fault::Denied) => {
                drain(request).await?;
                Ok(self.refusal(fault, StatusCode::FORBIDDEN, "AccessDenied"))
            }
            Some(fault @ Fault::Silence) => {
                drain(request).await?;
                self.count(fault);
                pending().await
            }
            Some(Fault::CutBody) => self.cut(whole(service.call(request).await)?).await,
            Some(fault @ Fault::LostAnswer) => {
                self.done(fault, whole(service.call(request).await)?)
                    .await?;
                Err("the answer is lost".into())
            }
            Some(fault @ Fault::LostInSlowDown) => {
                self.done(fault, whole(service.call(request).await)?)
                    .await?;
                Ok(refusal(StatusCode::SERVICE_UNAVAILABLE, "SlowDown"))
            }
            Some(fault @ Fault::LostInSilence) => {
                self.done(fault, whole(service.call(request).await)?)
                    .await?;
                pending().await
            }
            Some(fault @ Fault::Down) => {
                self.count(fault);
                self.down.send_replace(true);
                pending().await
            }
        }
    }

    /// Truncates a response to half of its body, and resets the connection.
    async fn cut(&self, answer: Answer) -> Result<Answer, BoxError> {
        let (mut head, body) = answer.into_parts();
        let body = body.collect().await?.to_bytes();
        if body.len() < 2 {
            return Ok(Response::from_parts(head, full(body)));
        }
        self.count(Fault::CutBody);
        head.headers.insert(CONTENT_LENGTH, body.len().into());
        let half = Frame::data(body.slice(..body.len() / 2));
        let frames = stream::unfold(Some(half), |half| async {
            match half {
                Some(half) => Some((Ok::<_, BoxError>(half), None)),
                None => {
                    sleep(FLUSH).await;
                    Some((Err("the connection is reset".into()), None))
                }
            }
        });
        Ok(Response::from_parts(
            head,
            StreamBody::new(frames).boxed_unsync(),
        ))
    }

    /// Counts the fault of an executed request. A request that failed is not counted,
    /// because it has no lost effect.
    async fn done(&self, fault: Fault, answer: Answer) -> Result<(), BoxError> {
        if answer.status().is_success() {
            self.count(fault);
        }
        answer.into_body().collect().await?;
        Ok(())
    }

    fn refusal(&self, fault: Fault, status: StatusCode, code: &str) -> Answer {
        self.count(fault);
        refusal(status, code)
    }

    fn count(&self, fault: Fault) {
        *self.counts().entry(fault).or_default() += 1;
    }

    fn counts(&self) -> std::sync::MutexGuard<'_, BTreeMap<Fault, usize>> {
        self.fired.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn asked(request: &Request<Incoming>, number: usize) -> Asked {
    let header = |name| {
        let value = request.headers().get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
    };
    Asked {
        number,
        method: request.method().to_string(),
        path: request.uri().path().to_owned(),
        query: request.uri().query().unwrap_or_default().to_owned(),
        range: header(RANGE).to_owned(),
        if_absent: request.method() == "PUT" && header(IF_NONE_MATCH) == "*",
    }
}

/// Reads the whole request, so that the client sees the fault as the response and not as a
/// failure to send.
async fn drain(request: Request<Incoming>) -> Result<(), BoxError> {
    request.into_body().collect().await?;
    Ok(())
}

fn whole<B, E>(answer: Result<Response<B>, E>) -> Result<Answer, BoxError>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
    E: Into<BoxError>,
{
    let answer = answer.map_err(Into::into)?;
    Ok(answer.map(|body| body.map_err(Into::into).boxed_unsync()))
}

fn full(body: Bytes) -> UnsyncBoxBody<Bytes, BoxError> {
    Full::new(body)
        .map_err(|never| match never {})
        .boxed_unsync()
}

fn refusal(status: StatusCode, code: &str) -> Answer {
    let body = format!("<Error><Code>{code}</Code><Message>Made up.</Message></Error>");
    let mut answer = Response::new(full(body.into()));
    *answer.status_mut() = status;
    let xml = hyper::header::HeaderValue::from_static("application/xml");
    answer.headers_mut().insert(CONTENT_TYPE, xml);
    answer
}
