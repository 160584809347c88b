//! The intended differences from the original, and how to recognise their cases.

use std::net::Ipv4Addr;

use conformance::Difference;
use url::Url;
use url_key::{UrlError, UrlKey};

use super::{Answer, in_one_order};

/// One field of one URL, with both answers. The answer is [`NONE`] in case of an error.
pub(crate) struct Case<'a> {
    pub(crate) rules: &'a str,
    pub(crate) field: &'a str,
    pub(crate) url: &'a str,
    pub(crate) theirs: String,
    pub(crate) ours: Answer,
    pub(crate) key: &'a Result<UrlKey, UrlError>,
    /// Our answer for the same page under `http`.
    pub(crate) ours_under_http: Option<String>,
    /// The original's answer with the deployed spelling of the rules.
    pub(crate) theirs_as_deployed: String,
}

pub(crate) const NONE: &str = "(none)";

impl Case<'_> {
    /// The names of the differences between the answers; none if they are identical. `Err`
    /// describes an unexplained difference.
    pub(crate) fn differences(&self) -> Result<Vec<&'static str>, String> {
        let mut names: Vec<&'static str> = self.ours.spelling.iter().copied().collect();
        if self.ours.text != self.theirs {
            let explains = |(_, explains): &&(Difference, Explains)| explains(self);
            let Some((difference, _)) = MEANING.iter().find(explains) else {
                return Err(format!(
                    "{}: {} of {:?} is {:?} there, {:?} here",
                    self.rules, self.field, self.url, self.theirs, self.ours.text
                ));
            };
            names.push(difference.name);
        }
        Ok(names)
    }
}

/// All differences, for the table in `docs/method.md`.
pub(crate) fn all() -> Vec<Difference> {
    let meaning = MEANING.iter().map(|(difference, _)| *difference);
    SPELLING.into_iter().chain(meaning).collect()
}

/// Differences in spelling only.
pub(crate) const SPELLING: [Difference; 7] = [
    Difference::spelling(
        "default port",
        "A key has no default port. The original always prints `:80` and `:443` [O A1].",
    ),
    Difference::spelling(
        "http for https",
        "Both schemes have one key, printed with `http`. In the original they have two [O A2], as here with the option `Scheme::Separate`.",
    ),
    Difference::spelling(
        "escapes",
        "Characters with another meaning in a URL are escaped, so a key is a URL and its own key. The original escapes others [O A5, A10].",
    ),
    Difference::spelling(
        "repeated parameters",
        "`a=1&a=2`. In the original `a=1,2` [O A9].",
    ),
    Difference::spelling(
        "nameless parts",
        "`?278725`. In the original `?null=278725` [O A7].",
    ),
    Difference::spelling(
        "content id",
        "`_cid_` and plain MD5 as in the paper. In the original `__cid__` and the byte order of a GUID [O A12, A13].",
    ),
    Difference::spelling(
        "content id apart",
        "The normalised URL is compared without the content id, which is a separate field here [O A12].",
    ),
];

type Explains = fn(&Case<'_>) -> bool;

/// Differences in meaning.
const MEANING: [(Difference, Explains); 14] = [
    (
        Difference::meaning(
            "ordinal order",
            "Parameters and values are sorted by code points. The original sorts by the culture of the server [O A11].",
        ),
        |case| in_one_order(&case.theirs) == in_one_order(&case.ours.text),
    ),
    (
        Difference::meaning(
            "other schemes",
            "Only `http` and `https` URLs have keys. The original also keys `ftp`, `file`, ... [O A3].",
        ),
        |case| match case.key {
            Err(UrlError::UnsupportedScheme { scheme }) => case.url.starts_with(scheme),
            // A path, to the original a file.
            Err(UrlError::Unparsable { .. }) => case.theirs.starts_with("file://"),
            _ => false,
        },
    ),
    (
        Difference::meaning(
            "repaired addresses",
            "Missing and surplus slashes after the scheme and escaped dots in hosts are parsed as in browsers. In the original they are errors [O A3].",
        ),
        |case| {
            let slashes = case.url.trim_start().strip_prefix("http:");
            let repaired = slashes.is_some_and(|rest| {
                rest.starts_with("///") || !rest.starts_with("//") || rest.contains("%2E")
            });
            case.theirs == NONE && repaired && case.key.is_ok()
        },
    ),
    (
        Difference::meaning(
            "invalid UTF-8",
            "Each maximal invalid part is one U+FFFD, as in the Encoding Standard. In the original each sequence is one [O A5].",
        ),
        |case| {
            let folded = |text: &str| text.replace("\u{fffd}\u{fffd}\u{fffd}", "\u{fffd}\u{fffd}");
            case.url.contains("%ED%A0%80") && folded(&case.ours.text) == case.theirs
        },
    ),
    (
        Difference::meaning(
            "empty parts",
            "Empty parts of a query (`?a=1&&b=2`) are dropped. In the original they are an empty `null` [O A7].",
        ),
        |case| {
            let without = case
                .theirs
                .replacen("&null=", "", 1)
                .replacen("?null=", "", 1);
            case.field == "basic" && case.theirs.ends_with("null=") && without == case.ours.text
        },
    ),
    (
        Difference::meaning(
            "public suffixes",
            "A host that is itself a public suffix (`co.uk`) has no domain and no key. In the original it is its own domain [O B8].",
        ),
        |case| match case.key {
            Err(UrlError::NoDomain { host }) => {
                case.ours.text == NONE && psl::suffix_str(host) == Some(host)
            }
            _ => false,
        },
    ),
    (
        Difference::meaning(
            "suffixes of today",
            "The public-suffix list is today's, with private suffixes. The original has that of 2012 [O B8, B9].",
        ),
        |case| {
            const HOSTS: [&str; 4] = [
                "www.city.kobe.jp",
                "foo.blogspot.com",
                "foo.github.io",
                "foo.s3.amazonaws.com",
            ];
            let host = host(case.url);
            HOSTS.contains(&host.as_str())
                && match case.field {
                    "domain" => case.ours.text.ends_with(&case.theirs),
                    "domain_labels" => case.ours.text > case.theirs,
                    _ => false,
                }
        },
    ),
    (
        Difference::meaning(
            "IP literals",
            "An IP literal is one label and its own domain. In the original the domain of `127.0.0.1` is `0.1`, and IPv6 is an error [O B10].",
        ),
        |case| {
            let host = host(case.url);
            let literal = host.starts_with('[') || host.parse::<Ipv4Addr>().is_ok();
            literal
                && match case.field {
                    "domain" => case.ours.text == host,
                    "domain_labels" => case.ours.text == "1",
                    "branch" => case.ours.text.starts_with(&format!("[\"{host}\"")),
                    _ => false,
                }
        },
    ),
    (
        Difference::meaning(
            "hosts of one label",
            "`localhost` is its own domain. In the original it is an error [O B10].",
        ),
        |case| {
            let host = host(case.url);
            let answer = match case.field {
                "domain" => host.as_str(),
                "domain_labels" => "1",
                _ => return false,
            };
            case.theirs == NONE && !host.contains('.') && case.ours.text == answer
        },
    ),
    (
        Difference::meaning(
            "trailing dots",
            "The dot at the end of a host is not part of its name. In the original the domain of such hosts is `com` [O B10].",
        ),
        |case| {
            let host = host(case.url);
            let ours = &case.ours.text;
            host.ends_with('.')
                && match case.field {
                    "domain" => host.strip_suffix('.') == Some(ours),
                    "domain_labels" => *ours == host.matches('.').count().to_string(),
                    "branch" => case.theirs.replacen("\"\",", "", 1) == *ours,
                    _ => case.theirs.replacen(".:", ":", 1) == *ours,
                }
        },
    ),
    (
        Difference::meaning(
            "punycode",
            "Names outside ASCII are in punycode. The original keeps the given spelling, so a host has two domains [O B10].",
        ),
        |case| host(case.url).contains("xn--") && in_punycode(&case.theirs) == case.ours.text,
    ),
    (
        Difference::meaning(
            "rules cover https",
            "Rules and blocklist written for `http://` cover the https pages of a site. In the original no rule matches an https page [O B5].",
        ),
        |case| match &case.ours_under_http {
            Some(answer) => {
                let ours = case.ours.text.replacen("https://", "http://", 1);
                let rule_applies = matches!(case.key, Ok(key) if key.rule.is_some());
                ours.replacen(":443", ":80", 1) == *answer && rule_applies && case.field != "domain"
            }
            None => false,
        },
    ),
    (
        Difference::meaning(
            "https in a blocklist",
            "An entry with `https://` covers both schemes. In the original it covers https alone [O B7].",
        ),
        |case| case.field == "blacklisted" && case.url == "http://login.medscape.com/",
    ),
    (
        Difference::meaning(
            "Table 1 as printed",
            "The rules as printed in the paper give the same keys as the deployed ones. In the original most never match, because they lack `:80` and `__cid__` [O B6].",
        ),
        |case| {
            case.rules == "table1_as_printed"
                && in_one_order(&case.theirs_as_deployed) == in_one_order(&case.ours.text)
        },
    ),
];

fn in_punycode(theirs: &str) -> String {
    theirs
        .split_inclusive(|c: char| "./:\",[]".contains(c))
        .map(|label| {
            let (name, end) = match label.char_indices().last() {
                Some((at, c)) if !c.is_alphanumeric() => label.split_at(at),
                _ => (label, ""),
            };
            let ascii = Url::parse(&format!("http://{name}")).ok();
            let ascii = ascii.filter(|_| !name.is_ascii());
            ascii.map_or_else(|| label.to_owned(), |ascii| host(ascii.as_str()) + end)
        })
        .collect()
}

fn host(url: &str) -> String {
    let url = Url::parse(url).ok();
    let host = url.as_ref().and_then(Url::host_str);
    host.unwrap_or_default().to_owned()
}
