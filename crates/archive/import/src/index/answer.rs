//! One request for a range, and its answer.

use std::ops::Range;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use object_store::{GetOptions, ObjectStoreExt};
use reqwest::header::{self, HeaderMap, HeaderName};
use tables::Location;
use url::Url;

use crate::error::ImportError;
use crate::index::clock;

/// Time to connect. Servers under load answer later, and none after it.
const CONNECT: Duration = Duration::from_secs(30);
/// Longest time without a byte of an answer.
const SILENCE: Duration = Duration::from_secs(60);
/// Longest time of a request: 32 MiB at 28 KB a second. A higher value lets a server that sends a byte a minute hold a request.
const LONGEST: Duration = Duration::from_secs(1200);
/// Most redirects of a request. Archives redirect to the machine that has a file.
const REDIRECTS: usize = 5;

/// The answer to a request.
#[derive(Debug, Clone, Default)]
pub(crate) struct Received {
    /// `None` without an answer.
    pub(crate) status: Option<u16>,
    pub(crate) content_range: Option<String>,
    pub(crate) body: Bytes,
    /// Whether the body ended before its length.
    pub(crate) is_cut: bool,
    /// Seconds that the server asks for.
    pub(crate) retry_after: Option<u64>,
}

impl Received {
    /// Whether another attempt may give more.
    pub(crate) fn may_be_better_later(&self) -> bool {
        self.is_cut
            || matches!(
                self.status,
                None | Some(403 | 408 | 425 | 429 | 500 | 502 | 503 | 504)
            )
    }

    /// The answer in a word or two.
    pub(crate) fn name(&self) -> String {
        match self.status {
            None => "no answer".to_owned(),
            Some(_) if self.is_cut => "an answer that is cut off".to_owned(),
            Some(status) => format!("status {status}"),
        }
    }
}

/// Sends requests.
#[derive(Debug, Clone)]
pub(crate) struct Client(reqwest::Client);

impl Client {
    pub(crate) fn new() -> Result<Self, ImportError> {
        let client = reqwest::Client::builder()
            .user_agent(concat!("urltree/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(CONNECT)
            .read_timeout(SILENCE)
            .timeout(LONGEST)
            .redirect(reqwest::redirect::Policy::limited(REDIRECTS))
            .build();
        Ok(Self(client.map_err(ImportError::Client)?))
    }

    /// Asks for a range of a file.
    pub(crate) async fn range(&self, location: &Location, range: Range<u64>) -> Received {
        if location.is_web() {
            let last = range.end.saturating_sub(1);
            let header = format!("bytes={}-{last}", range.start);
            let most = range.end.saturating_sub(range.start);
            self.get(location.url(), Some(&header), most).await
        } else {
            of_store(location, range).await
        }
    }

    /// Asks for a URL. The body of an answer other than the range that is asked for is not read, nor is more than `most` bytes.
    pub(crate) async fn get(&self, url: &Url, range: Option<&str>, most: u64) -> Received {
        let mut request = self.0.get(url.clone());
        if let Some(range) = range {
            request = request.header(header::RANGE, range);
        }
        let Ok(mut response) = request.send().await else {
            return Received::default();
        };
        let headers = response.headers();
        let after = text(headers, header::RETRY_AFTER);
        let after = after.and_then(|after| crawl_index::retry_after(&after, clock::time()));
        let mut received = Received {
            status: Some(response.status().as_u16()),
            content_range: text(headers, header::CONTENT_RANGE),
            retry_after: after.map(|after| after.as_secs()),
            ..Received::default()
        };
        if range.is_some() && received.status != Some(206) {
            return received;
        }
        let mut body = BytesMut::new();
        loop {
            match response.chunk().await {
                Ok(Some(chunk)) => {
                    let room = usize::try_from(most).unwrap_or(usize::MAX) - body.len();
                    body.extend_from_slice(&chunk[..chunk.len().min(room)]);
                    if chunk.len() > room {
                        break;
                    }
                }
                Ok(None) => break,
                Err(_) => {
                    received.is_cut = true;
                    break;
                }
            }
        }
        received.body = body.freeze();
        received
    }
}

fn text(headers: &HeaderMap, name: HeaderName) -> Option<String> {
    let value = headers.get(name)?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// Reads a range from a disk or an object store, which tries again by itself.
async fn of_store(location: &Location, range: Range<u64>) -> Received {
    let options = GetOptions {
        range: Some(range.clone().into()),
        ..GetOptions::default()
    };
    let status = |status| Received {
        status: Some(status),
        ..Received::default()
    };
    let found = match location.store().get_opts(location.path(), options).await {
        Ok(found) => found,
        Err(object_store::Error::NotFound { .. }) => return status(404),
        Err(object_store::Error::PermissionDenied { .. }) => return status(403),
        Err(object_store::Error::Unauthenticated { .. }) => return status(401),
        Err(_) => {
            return match location.store().head(location.path()).await {
                Ok(meta) if meta.size <= range.start => status(416),
                _ => Received::default(),
            };
        }
    };
    let (start, end, size) = (found.range.start, found.range.end, found.meta.size);
    let body = found.bytes().await;
    Received {
        content_range: Some(format!("bytes {start}-{}/{size}", end.saturating_sub(1))),
        is_cut: body.is_err(),
        body: body.unwrap_or_default(),
        ..status(206)
    }
}
