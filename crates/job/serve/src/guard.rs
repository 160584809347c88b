//! The requests that are refused before anything is computed.

use std::net::SocketAddr;

use axum::http::header::{HOST, ORIGIN};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};

/// The names by which readers may reach a server.
#[derive(Debug, Clone)]
pub(crate) struct Hosts(Vec<String>);

/// The reason why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It names another server.
    Host,
    /// A page of another site sends it.
    Origin,
}

impl Refusal {
    pub(crate) fn status(self) -> StatusCode {
        match self {
            Self::Host => StatusCode::MISDIRECTED_REQUEST,
            Self::Origin => StatusCode::FORBIDDEN,
        }
    }

    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::Host => {
                "The request names another host. Open the address that urltree serve printed, or localhost \
                 with the same port: a forwarded port must have the same number.\n"
            }
            Self::Origin => "The request comes from a page of another site.\n",
        }
    }
}

impl Hosts {
    /// The address itself, and `localhost` with its port.
    pub(crate) fn of(address: SocketAddr) -> Self {
        let mut names = vec![address.to_string(), format!("localhost:{}", address.port())];
        if address.port() == 80 {
            // Browsers leave the port of HTTP out.
            let host = match address {
                SocketAddr::V4(address) => address.ip().to_string(),
                SocketAddr::V6(address) => format!("[{}]", address.ip()),
            };
            names.extend([host, "localhost".to_owned()]);
        }
        Self(names)
    }

    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|host| host.eq_ignore_ascii_case(name))
    }

    /// Checks a request.
    pub(crate) fn check(&self, request: &Parts) -> Result<(), Refusal> {
        let host = single(&request.headers, &HOST).ok_or(Refusal::Host)?;
        // The target of a request may have a host too.
        let target = request.uri.authority().map(|authority| authority.as_str());
        if !self.has(host) || target.is_some_and(|target| !self.has(target)) {
            return Err(Refusal::Host);
        }
        let origins = request.headers.get_all(ORIGIN);
        if !origins.iter().all(|origin| self.is_own(origin.as_bytes())) {
            return Err(Refusal::Origin);
        }
        let own = [&b"same-origin"[..], b"none"];
        let sites = request.headers.get_all("sec-fetch-site");
        let is_own = sites.iter().all(|site| own.contains(&site.as_bytes()));
        if is_own || is_followed_link(request) {
            Ok(())
        } else {
            Err(Refusal::Origin)
        }
    }

    fn is_own(&self, origin: &[u8]) -> bool {
        let host = std::str::from_utf8(origin).ok();
        let host = host.and_then(|origin| origin.strip_prefix("http://"));
        host.is_some_and(|host| self.has(host))
    }
}

/// Whether a reader follows a link of another site: the page replaces that site, which does not see it.
fn is_followed_link(request: &Parts) -> bool {
    let is = |name: &str, value: &str| {
        let found = request.headers.get(name);
        found.is_some_and(|found| found.as_bytes() == value.as_bytes())
    };
    request.method == Method::GET
        && is("sec-fetch-mode", "navigate")
        && is("sec-fetch-dest", "document")
}

fn single<'a>(headers: &'a HeaderMap, name: &axum::http::HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::Request;

    fn checked(method: &str, uri: &str, headers: &[(&str, &str)]) -> Result<(), Refusal> {
        let mut request = Request::builder().method(method).uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).unwrap().into_parts();
        Hosts::of("127.0.0.1:7080".parse().unwrap()).check(&parts)
    }

    #[test]
    fn the_host_must_be_the_address_or_localhost() {
        for host in ["127.0.0.1:7080", "localhost:7080", "LOCALHOST:7080"] {
            assert_eq!(checked("GET", "/", &[("host", host)]), Ok(()), "{host}");
        }
        for host in [
            "evil.example:7080",
            "evil.example",
            "localhost",
            "127.0.0.1",
            "localhost:80",
            "127.0.0.1:7080.evil.example",
            "127.0.0.1:7080@evil.example",
            "",
        ] {
            let refused = checked("GET", "/", &[("host", host)]);
            assert_eq!(refused, Err(Refusal::Host), "{host}");
        }
        assert_eq!(checked("GET", "/", &[]), Err(Refusal::Host));
        let two = [("host", "localhost:7080"), ("host", "evil.example")];
        assert_eq!(checked("GET", "/", &two), Err(Refusal::Host));
        let target = checked(
            "GET",
            "http://evil.example:7080/",
            &[("host", "localhost:7080")],
        );
        assert_eq!(target, Err(Refusal::Host));
        let standard = Hosts::of("[::1]:80".parse().unwrap());
        assert!(standard.has("[::1]") && standard.has("localhost") && standard.has("[::1]:80"));
    }

    #[test]
    fn requests_of_other_pages_are_refused_and_links_are_followed() {
        let with = |method: &str, headers: &[(&'static str, &'static str)]| {
            let host = [("host", "localhost:7080")];
            checked(method, "/sql", &[&host, headers].concat())
        };
        for origin in ["http://localhost:7080", "http://127.0.0.1:7080"] {
            assert_eq!(with("POST", &[("origin", origin)]), Ok(()), "{origin}");
        }
        for origin in [
            "null",
            "https://localhost:7080",
            "http://localhost:3000",
            "http://evil.example",
            "http://127.0.0.1:7080.evil.example",
        ] {
            let refused = with("POST", &[("origin", origin)]);
            assert_eq!(refused, Err(Refusal::Origin), "{origin}");
        }
        for own in ["same-origin", "none"] {
            assert_eq!(with("POST", &[("sec-fetch-site", own)]), Ok(()));
        }
        let navigate = ("sec-fetch-mode", "navigate");
        let document = ("sec-fetch-dest", "document");
        for other in ["cross-site", "same-site", "unknown"] {
            let site = ("sec-fetch-site", other);
            assert_eq!(with("GET", &[site]), Err(Refusal::Origin), "{other}");
            assert_eq!(with("GET", &[site, navigate, document]), Ok(()), "{other}");
            let frame = [site, navigate, ("sec-fetch-dest", "iframe")];
            assert_eq!(with("GET", &frame), Err(Refusal::Origin), "{other}");
            let form = [site, navigate, document];
            assert_eq!(with("POST", &form), Err(Refusal::Origin), "{other}");
        }
    }
}
