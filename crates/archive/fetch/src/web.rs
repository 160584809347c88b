//! One request and its answer.

use std::collections::BTreeMap;
use std::error::Error;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use feeds::Validators;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::header::{self, HeaderMap, HeaderName};
use reqwest::redirect::Policy;
use url::{Host, Url};

use crate::address::is_public;
use crate::error::FetchError;
use crate::failure::Failure;
use crate::options::Options;

/// Connections that are kept for more requests of one host.
const IDLE_CONNECTIONS: usize = 1;
const ENCODINGS: &str = "gzip, br, deflate";

/// Sends requests to public addresses.
#[derive(Debug)]
pub(crate) struct Web {
    client: reqwest::Client,
    may_be_private: bool,
}

/// An answer.
#[derive(Debug, Default)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: Option<String>,
    /// One header per line.
    pub(crate) x_robots_tag: Option<String>,
    pub(crate) tdm_reservation: Option<String>,
    pub(crate) location: Option<String>,
    pub(crate) retry_after: Option<String>,
    pub(crate) validators: Validators,
    /// Without its content encoding. Empty for a status other than success.
    pub(crate) body: Vec<u8>,
}

/// An address of a host that may not be requested.
#[derive(Debug, thiserror::Error)]
#[error("{host} has no public address, but {address}")]
struct PrivateHost {
    host: String,
    address: IpAddr,
}

/// Finds addresses and leaves out those that are not public.
#[derive(Debug)]
struct PublicAddresses {
    may_be_private: bool,
    known: Arc<BTreeMap<String, SocketAddr>>,
}

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        let (may_be_private, known) = (self.may_be_private, Arc::clone(&self.known));
        Box::pin(async move {
            let host = name.as_str();
            if let Some(address) = known.get(host) {
                return Ok(Box::new(std::iter::once(*address)) as Addrs);
            }
            let found: Vec<SocketAddr> = tokio::net::lookup_host((host, 0)).await?.collect();
            let is_allowed = |address: &&SocketAddr| may_be_private || is_public(address.ip());
            let allowed: Vec<SocketAddr> = found.iter().filter(is_allowed).copied().collect();
            if let (true, Some(private)) = (allowed.is_empty(), found.first()) {
                let (host, address) = (host.to_owned(), private.ip());
                return Err(PrivateHost { host, address }.into());
            }
            Ok(Box::new(allowed.into_iter()) as Addrs)
        })
    }
}

impl Web {
    pub(crate) fn new(options: &Options) -> Result<Self, FetchError> {
        let resolver = PublicAddresses {
            may_be_private: options.allow_private,
            known: Arc::new(options.addresses.clone()),
        };
        let client = reqwest::Client::builder()
            .user_agent(&options.user_agent)
            // A proxy would find the addresses itself.
            .no_proxy()
            .redirect(Policy::none())
            .referer(false)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .dns_resolver(Arc::new(resolver))
            .build();
        Ok(Self {
            client: client.map_err(FetchError::Client)?,
            may_be_private: options.allow_private,
        })
    }

    /// Checks scheme and address of a URL. Addresses of names are checked when they are resolved.
    pub(crate) fn check(&self, url: &Url) -> Result<(), Failure> {
        if !["http", "https"].contains(&url.scheme()) {
            return Err(Failure::Scheme(url.to_string()));
        }
        let address = match url.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address),
            Some(Host::Ipv6(address)) => IpAddr::V6(address),
            Some(Host::Domain(_)) => return Ok(()),
            None => return Err(Failure::Scheme(url.to_string())),
        };
        if self.may_be_private || is_public(address) {
            return Ok(());
        }
        Err(Failure::Address(address.to_string()))
    }

    /// Sends one request, without following redirects.
    pub(crate) async fn get(
        &self,
        url: &Url,
        validators: &Validators,
        max_bytes: usize,
        time: Duration,
    ) -> Result<Answer, Failure> {
        self.check(url)?;
        let answer = self.answer(url, validators, max_bytes);
        let answer = tokio::time::timeout(time, answer).await;
        answer.unwrap_or(Err(Failure::Time(time)))
    }

    async fn answer(
        &self,
        url: &Url,
        validators: &Validators,
        max_bytes: usize,
    ) -> Result<Answer, Failure> {
        let mut request = self
            .client
            .get(url.clone())
            .header(header::ACCEPT_ENCODING, ENCODINGS);
        if let Some(etag) = &validators.etag {
            request = request.header(header::IF_NONE_MATCH, etag);
        }
        if let Some(time) = &validators.last_modified {
            request = request.header(header::IF_MODIFIED_SINCE, time);
        }
        let mut response = request.send().await.map_err(|error| failure(&error))?;
        let text = |headers: &HeaderMap, name: HeaderName| {
            let value = headers.get(name)?;
            // Old servers send Latin-1.
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let texts = |headers: &HeaderMap, name: &str| {
            let values = headers.get_all(name).iter();
            let values = values.map(|value| String::from_utf8_lossy(value.as_bytes()));
            let values: Vec<_> = values.collect();
            (!values.is_empty()).then(|| values.join("\n"))
        };
        let headers = response.headers();
        let encodings = text(headers, header::CONTENT_ENCODING);
        let mut answer = Answer {
            status: response.status().as_u16(),
            content_type: text(headers, header::CONTENT_TYPE),
            x_robots_tag: texts(headers, "x-robots-tag"),
            tdm_reservation: texts(headers, "tdm-reservation"),
            location: text(headers, header::LOCATION),
            retry_after: text(headers, header::RETRY_AFTER),
            validators: Validators {
                etag: text(headers, header::ETAG),
                last_modified: text(headers, header::LAST_MODIFIED),
            },
            body: Vec::new(),
        };
        if !response.status().is_success() {
            return Ok(answer);
        }
        let too_large = Failure::TooLarge(max_bytes);
        if response.content_length() > Some(max_bytes as u64) {
            return Err(too_large);
        }
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|error| failure(&error))? {
            if body.len() + chunk.len() > max_bytes {
                return Err(too_large);
            }
            body.extend_from_slice(&chunk);
        }
        let decoded = warc::decoded_body(body, encodings.as_deref(), max_bytes);
        answer.body = decoded.map_err(|reason| match reason {
            warc::Reason::TooLarge(_) => too_large,
            reason => Failure::ContentEncoding(reason.to_string()),
        })?;
        Ok(answer)
    }
}

/// The failure that an error of the client is, with its innermost cause.
fn failure(error: &reqwest::Error) -> Failure {
    let mut cause: &dyn Error = error;
    loop {
        if let Some(private) = cause.downcast_ref::<PrivateHost>() {
            return Failure::Address(private.to_string());
        }
        match cause.source() {
            Some(source) => cause = source,
            None => return Failure::Connection(cause.to_string()),
        }
    }
}
