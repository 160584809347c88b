//! SURT: the key of a URL in the indexes of web archives.
//!
//! A SURT (Sort-friendly URI Reordering Transform) has the labels of the host in reverse, `)`, and path and query. Sorted by it,
//! the pages of a domain are neighbours. [`Surt`] gives the form of the Python package `surt` with its defaults, which pywb,
//! Common Crawl (`url_surtkey`) and the Internet Archive have in their indexes.
//!
//! It is no [`UrlKey`](crate::UrlKey): it keeps all parameters, and `http` and `https` have one SURT.

use std::borrow::Cow;
use std::fmt::Write;
use std::net::Ipv4Addr;
use std::sync::LazyLock;

use regex::Regex;
use url::Host;

/// The SURT of a URL, such as `com,example,news)/2011/trees?id=1`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Surt {
    text: String,
    /// Bytes of the host in `text`.
    host: usize,
}

impl Surt {
    /// Returns the SURT of a URL with the scheme `http` or `https`; `None` for all other texts, and for a URL without host or
    /// with a port that is not a number. Takes time linear in the length of the URL, but for the sort of its parameters.
    ///
    /// ```
    /// use url_key::Surt;
    ///
    /// let surt = Surt::of("https://www.news.example.com:443/Trees/?b=2&a=1#top").expect("a URL");
    /// assert_eq!(surt.as_str(), "com,example,news)/trees?a=1&b=2");
    /// assert_eq!(surt.host(), "com,example,news");
    /// ```
    pub fn of(url: &str) -> Option<Self> {
        let url = trimmed(url);
        let (is_https, rest) = after_schemes(&url)?;
        let parts = Parts::of(rest);
        let host = host(parts.host)?;
        let default = if is_https { 443 } else { 80 };
        let port = port(parts.port)?.filter(|port| *port != default);

        let mut text = reversed_host(without_www(&host));
        let host = text.len();
        if let Some(port) = port {
            // Writing to a String cannot fail.
            let _ = write!(text, ":{port}");
        }
        text.push(')');
        text.push_str(&path(parts.path));
        let query = query(parts.query);
        if !query.is_empty() {
            text.push('?');
            text.push_str(&query);
        }
        Some(Self { text, host })
    }

    /// The SURT.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The host with its labels in reverse, such as `com,example,news`. The SURT begins with it, followed by `:` and a port, or
    /// by `)`.
    pub fn host(&self) -> &str {
        &self.text[..self.host]
    }
}

/// Returns the labels of a host in reverse, with commas between them. An IPv4 address is reversed too.
pub fn reversed_host(host: &str) -> String {
    let labels: Vec<&str> = host.rsplit('.').collect();
    labels.join(",")
}

/// Returns a host without a first label that is `www` or `www` and digits.
pub fn without_www(host: &str) -> &str {
    let labels = host.split_once('.');
    match labels.and_then(|(first, rest)| Some((first.strip_prefix("www")?, rest))) {
        Some((digits, rest)) if digits.bytes().all(|byte| byte.is_ascii_digit()) => rest,
        _ => host,
    }
}

/// Returns a text without whitespace around it, and without line breaks and tabs.
fn trimmed(url: &str) -> Cow<'_, str> {
    let url = url.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    match url.contains(['\n', '\r', '\t']) {
        true => Cow::Owned(url.replace(['\n', '\r', '\t'], "")),
        false => Cow::Borrowed(url),
    }
}

/// Returns whether the last of the schemes that a URL begins with is `https`, and the URL after it without the slashes:
/// `http://https://example.com` is of example.com.
fn after_schemes(url: &str) -> Option<(bool, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let mut is_https = scheme.eq_ignore_ascii_case("https");
    if !is_https && !scheme.eq_ignore_ascii_case("http") {
        return None;
    }
    let mut rest = rest.trim_start_matches('/');
    while let Some((again @ ("http" | "https"), after)) = rest.split_once("://") {
        (is_https, rest) = (again == "https", after);
    }
    Some((is_https, rest))
}

/// The parts of a URL after its scheme, as they are written.
struct Parts<'a> {
    host: &'a str,
    /// Empty if there is none.
    port: &'a str,
    path: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    /// Divides `host/path?query#fragment`, also with slashes before the host.
    fn of(rest: &'a str) -> Self {
        let rest = rest.split('#').next().unwrap_or(rest);
        let (address, query) = rest.split_once('?').unwrap_or((rest, ""));
        let address = address.trim_start_matches('/');
        let (authority, path) = match address.find('/') {
            Some(at) => address.split_at(at),
            None => (address, ""),
        };
        let place = authority.rsplit_once('@').map_or(authority, |(_, of)| of);
        let (host, port) = match place.strip_prefix('[').and_then(|of| of.split_once(']')) {
            Some((host, port)) => (host, port.strip_prefix(':').unwrap_or(port)),
            None => place.split_once(':').unwrap_or((place, "")),
        };
        Self {
            host,
            port,
            path,
            query,
        }
    }
}

/// Reads a port; `Some(None)` for none and for 0, and `None` for a text that is no port.
fn port(text: &str) -> Option<Option<u16>> {
    let digits = text.trim_end_matches(':');
    if digits.is_empty() {
        return Some(None);
    }
    let port: u16 = digits.parse().ok()?;
    Some(Some(port).filter(|port| *port > 0))
}

/// Returns a host in its usual spelling: names in lower case and punycode, addresses with four decimal numbers.
fn host(written: &str) -> Option<String> {
    let bytes = unescaped(written.as_bytes());
    let mut host = match String::from_utf8_lossy(&bytes) {
        Cow::Borrowed(name) if name.is_ascii() => name.to_owned(),
        // A name that punycode cannot have is escaped.
        name => match Host::parse(&name.replace('\u{fffd}', "")) {
            Ok(Host::Domain(domain)) => domain,
            _ => escaped(&bytes),
        },
    };
    host = host.replace("..", ".");
    let host = host.trim_matches('.');
    if host.is_empty() {
        return None;
    }
    Some(match ipv4(host) {
        Some(address) => address.to_string(),
        None => escaped(host.to_ascii_lowercase().as_bytes()),
    })
}

/// Reads the forms of an IPv4 address: one to four numbers, octal with a zero before them, of which the last one fills the rest.
/// A single number above 2^32 has its lower 32 bits.
fn ipv4(host: &str) -> Option<Ipv4Addr> {
    if host.bytes().all(|byte| byte.is_ascii_digit()) {
        let lower = |number: u32, digit: u8| {
            let digit = u32::from(digit - b'0');
            number.wrapping_mul(10).wrapping_add(digit)
        };
        return Some(Ipv4Addr::from(host.bytes().fold(0, lower)));
    }
    let number = |part: &str| match part.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => u32::from_str_radix(octal, 8).ok(),
        _ => part.parse().ok(),
    };
    if !host
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return None;
    }
    let numbers: Vec<u32> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = numbers.split_last()?;
    if first.len() > 3 || first.iter().any(|number| *number > 255) {
        return None;
    }
    let rest = 8 * (4 - first.len() as u32);
    if u64::from(*last) >= 1 << rest {
        return None;
    }
    let before = first.iter().fold(0, |all, number| all << 8 | number);
    let before = u64::from(before) << rest;
    Some(Ipv4Addr::from(before as u32 | last))
}

/// Returns a path in lower case, without `.` and `..`, repeated slashes, session ids and the slash at its end.
fn path(written: &str) -> String {
    let bytes = unescaped(written.as_bytes());
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in bytes.split(|byte| *byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            // A path that leads above the root keeps its `..`.
            _ => kept.push(segment),
        }
    }
    let mut path = vec![b'/'];
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            path.extend_from_slice(segment);
            path.push(b'/');
        }
        path.extend_from_slice(last);
    }
    let mut path = escaped(&path).to_ascii_lowercase();
    for session in PATH_SESSIONS.iter() {
        without_session(&mut path, session);
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Returns a query in lower case, without session ids and sorted by names and values.
fn query(written: &str) -> String {
    let mut query = escaped(&unescaped(written.as_bytes()));
    for session in QUERY_SESSIONS.iter() {
        without_session(&mut query, session);
    }
    query.make_ascii_lowercase();
    let mut parameters: Vec<&str> = query.split('&').collect();
    // `a` is before `a=`, which is before `a=1`.
    parameters.sort_by_key(|parameter| match parameter.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (*parameter, None),
    });
    parameters.join("&")
}

/// Session ids in paths of ASP.NET: `/(S(24 letters))/page.aspx` and `/(24 letters)/page.aspx`. The groups stay.
static PATH_SESSIONS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        r"(?i)^(.*/)\((?:[a-z]\([0-9a-z]{24}\))+\)/([^?]+\.aspx.*)$",
        r"(?i)^(.*/)\([0-9a-z]{24}\)/([^?]+\.aspx.*)$",
    ]
    .map(|pattern| Regex::new(pattern).expect("the pattern is a constant"))
});

/// Session ids in queries of Java, PHP, ASP and ColdFusion. The groups stay.
static QUERY_SESSIONS: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    [
        r"(?i)^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)sid=[0-9a-z]{32}(?:&(.*))?$",
        r"(?i)^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$",
        r"(?i)^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$",
    ]
    .map(|pattern| Regex::new(pattern).expect("the pattern is a constant"))
});

fn without_session(text: &mut String, session: &Regex) {
    if let Some(found) = session.captures(text) {
        let kept = [1, 2].map(|group| found.get(group).map_or("", |of| of.as_str()));
        *text = kept.concat();
    }
}

/// Decodes `%XX` until there is none, so `%2541` is `A`.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    for byte in text {
        bytes.push(*byte);
        // A decoded byte may be the last digit of an escape that began before it.
        while let [.., b'%', high, low] = bytes[..]
            && let (Some(high), Some(low)) = (digit(high), digit(low))
        {
            bytes.truncate(bytes.len() - 3);
            bytes.push(high << 4 | low);
        }
    }
    bytes
}

fn digit(hexadecimal: u8) -> Option<u8> {
    let digit = char::from(hexadecimal).to_digit(16)?;
    u8::try_from(digit).ok()
}

/// Escapes `%`, `#`, spaces, controls and all that is not ASCII.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for byte in bytes {
        match byte {
            b'%' | b'#' | 0..=b' ' | 0x7f.. => {
                let _ = write!(text, "%{byte:02X}");
            }
            _ => text.push(char::from(*byte)),
        }
    }
    text
}
