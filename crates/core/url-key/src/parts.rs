//! The parts of a URL that may identify a page or not, where no rule says which.

use crate::address::{Address, MOBILE_LABELS, without_noise};
use crate::keyer::{Keyer, UrlKey};
use crate::page_url::PageUrl;
use crate::part::{PartKind, UrlPart};

/// Most parts of a URL that are learned. All parts of a URL with more of them stay in the key: its
/// query is the state of a form or a map. A higher value keeps more keys per page in later lookups.
const MAX_PARTS: usize = 8;

/// Segments longer than this are names of pages in the [shape](UrlParts::shape) of a path.
pub(crate) const MAX_FOLDER_CHARS: usize = 24;

/// Segments of a path that its shape shows.
pub(crate) const MAX_SHAPE_SEGMENTS: usize = 8;

/// The undecided parts of a URL, and the URL without them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UrlParts {
    /// The URL without its parts. For a mobile host, `www` takes the place of its first label.
    pub base: String,
    /// The host of `base`, with its port.
    pub host: String,
    /// The path of `base` with `*` for segments that are names of pages: those with a digit, a
    /// hyphen or an underscore, and long ones. `/2013/05/summer-in-rome` has the shape `/*/*/*`,
    /// `/forum/thread.php` is its own.
    pub shape: String,
    /// The parts, sorted.
    pub parts: Vec<UrlPart>,
}

impl Keyer {
    /// Returns the parts of a URL that nothing decides about: no rule applies to the URL, and the
    /// parameter is not on the list of those that never identify a page. A URL without such
    /// parts has an empty list. Returns `None` if a rule or the blocklist decides about the URL,
    /// or if it has too many parts.
    pub fn parts(&self, url: &PageUrl) -> Option<UrlParts> {
        if url.rule.is_some() || url.blocklisted {
            return None;
        }
        let clean = without_noise(&url.address);
        let address = Address::split(clean.as_deref().unwrap_or(&url.address));
        let mut parts: Vec<UrlPart> = address.parts().collect();
        parts.extend(url.query.undecided());
        if parts.len() > MAX_PARTS {
            return None;
        }
        parts.sort();
        let bare = address.without(|_| true);
        Some(UrlParts {
            base: bare.to_string(),
            shape: shape(&bare.segments),
            host: bare.authority.into_owned(),
            parts,
        })
    }

    /// Computes the key of the page at `url`, as [`key`](Self::key) does. If nothing decides about
    /// the [`parts`](Self::parts) of the URL, those stay for which `is_noise` is false.
    pub fn key_with_parts(
        &self,
        url: &PageUrl,
        title: Option<&str>,
        is_noise: impl Fn(&UrlParts, &PartKind) -> bool,
    ) -> UrlKey {
        let mut key = self.key(url, title);
        let clean = without_noise(&url.address);
        let Some(parts) = self.parts(url) else {
            // A rule decides about the query. No session in the path identifies a page.
            if let Some(clean) = clean {
                key.text.replace_range(..url.address.len(), &clean);
            }
            if url.rule.is_none() && !url.blocklisted {
                url.query.print_undecided(&mut key.text, |_| true);
            }
            return key;
        };
        if parts.parts.is_empty() && clean.is_none() {
            return key;
        }
        let is_noise = |kind: &PartKind| is_noise(&parts, kind);
        let address = Address::split(clean.as_deref().unwrap_or(&url.address));
        key.text = address.without(is_noise).to_string();
        url.query
            .print_undecided(&mut key.text, |kind| !is_noise(kind));
        key
    }
}

/// Whether a URL may have parts: a quick test of its text that is never wrong about a URL that has
/// some, or that has listed noise.
pub fn may_have_parts(url: &str) -> bool {
    /// The beginnings of segments that may be parts.
    const SEGMENTS: [&[u8]; 5] = [b"amp", b"print", b"index.", b"default.", b"("];
    let bytes = url.as_bytes();
    // A host that is not plain may begin with the label of a mobile edition.
    plain_host(url).is_none()
        || bytes.iter().enumerate().any(|(at, byte)| match byte {
            // A parser reads `\` as `/`, and leaves out control characters.
            b'?' | b';' | b'=' | b'%' | b'\\' | ..=0x1f => true,
            b'/' => {
                let rest = &bytes[at + 1..];
                SEGMENTS.iter().any(|segment| {
                    let found = rest.get(..segment.len());
                    found.is_some_and(|found| found.eq_ignore_ascii_case(segment))
                })
            }
            _ => false,
        })
}

/// The host in the text of a URL, if parsing cannot change it: a quick test that spares parsing
/// most URLs of other hosts. Returns `None` if the host has capitals, a port, a character that a
/// parser changes, or one of the first labels that mobile editions have.
///
/// ```
/// use url_key::plain_host;
///
/// assert_eq!(plain_host("https://www.example.com/a?b"), Some("www.example.com"));
/// assert_eq!(plain_host("https://m.example.com/a"), None);
/// assert_eq!(plain_host("https://Example.com:8080/a"), None);
/// ```
pub fn plain_host(url: &str) -> Option<&str> {
    let rest = url.strip_prefix("http://");
    let rest = rest.or_else(|| url.strip_prefix("https://"))?;
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let host = &rest[..end];
    let is_plain = host
        .bytes()
        .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.'));
    // A host whose last label begins with a digit may be a number, which has several spellings.
    let (first, _) = host.split_once('.')?;
    let (_, last) = host.rsplit_once('.')?;
    let is_name = last.starts_with(|first: char| first.is_ascii_lowercase());
    (is_plain && is_name && !MOBILE_LABELS.contains(&first)).then_some(host)
}

/// The path with `*` for the names of pages.
fn shape<S: AsRef<str>>(segments: &[S]) -> String {
    let mut shape = String::new();
    for (at, segment) in segments.iter().enumerate() {
        if at == MAX_SHAPE_SEGMENTS {
            shape.push_str("/...");
            break;
        }
        shape.push('/');
        let segment = segment.as_ref();
        let (stem, extension) = segment.rsplit_once('.').unwrap_or((segment, ""));
        let is_name = stem
            .chars()
            .any(|c| c.is_numeric() || matches!(c, '-' | '_' | '%'))
            || stem.chars().count() > MAX_FOLDER_CHARS;
        match (is_name, extension) {
            (false, _) => shape.push_str(segment),
            (true, "") => shape.push('*'),
            (true, extension) => {
                shape.push_str("*.");
                shape.push_str(extension);
            }
        }
    }
    shape
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocklist, KeyOptions, RuleSet};

    fn keyer() -> Keyer {
        let rules = RuleSet::parse("/ruled\\.php(\\?|$)\tid").unwrap();
        Keyer::new(KeyOptions::default(), rules, Blocklist::default()).unwrap()
    }

    fn parts(url: &str) -> Option<(String, String, Vec<String>)> {
        let keyer = keyer();
        let found = keyer.parts(&keyer.parse(url).unwrap())?;
        let parts = found.parts.iter();
        let parts = parts.map(|part| format!("{}={}", part.kind, part.value));
        Some((found.base, found.shape, parts.collect()))
    }

    fn key(url: &str, noise: &[&str]) -> String {
        let keyer = keyer();
        let url = keyer.parse(url).unwrap();
        let is_noise = |_: &UrlParts, kind: &PartKind| noise.contains(&kind.to_string().as_str());
        keyer.key_with_parts(&url, None, is_noise).text
    }

    #[test]
    fn parts_are_named_and_sorted() {
        for (url, base, shape, expected) in [
            (
                "http://a.com/spip.php?article117",
                "http://a.com/spip.php",
                "/spip.php",
                &["?article=article117"][..],
            ),
            (
                "http://a.com/x?b=2&A=1&utm_source=q&a=0",
                "http://a.com/x",
                "/x",
                &["a=0&1", "b=2"],
            ),
            (
                "https://www.a.com/2013/05/summer-in-rome/amp/",
                "http://www.a.com/2013/05/summer-in-rome",
                "/*/*/*",
                &["/amp=amp"],
            ),
            (
                "http://m.a.com/dir/Index.html",
                "http://www.a.com/dir",
                "/dir",
                &["/index=Index.html", "m.=m"],
            ),
            (
                "http://a.com/x;jsessionid=AB;sid=7?q=1",
                "http://a.com/x",
                "/x",
                &["q=1", ";sid=7"],
            ),
            (
                "http://a.com/print/story-7.html",
                "http://a.com/story-7.html",
                "/*.html",
                &["/print=print/"],
            ),
            (
                "http://a.com/(S(lit3py55t21z5v55vlm25s55))/amp/x/sid=7/y.aspx",
                "http://a.com/x/y.aspx",
                "/x/y.aspx",
                &["/amp=amp/", ";sid=7"],
            ),
            (
                "http://a.com/dir/index.jsp;jsessionid=AB",
                "http://a.com/dir",
                "/dir",
                &["/index=index.jsp"],
            ),
            (
                "http://a.com/list?tag=%e4%EE&%C0%ED",
                "http://a.com/list",
                "/list",
                &["tag=%E4%EE", "?=%C0%ED"],
            ),
            // Not the name of a parameter: a formula.
            ("http://a.com/2=1", "http://a.com/2=1", "/*", &[]),
            ("http://a.com/amp", "http://a.com/amp", "/amp", &[]),
            (
                "http://a.com/index.php",
                "http://a.com",
                "",
                &["/index=index.php"],
            ),
            ("http://m.com/x", "http://m.com/x", "/x", &[]),
        ] {
            let expected: Vec<String> = expected.iter().map(|part| (*part).to_owned()).collect();
            let mut found = parts(url).unwrap();
            found.2.sort();
            let mut sorted = expected;
            sorted.sort();
            assert_eq!(found, (base.to_owned(), shape.to_owned(), sorted), "{url}");
        }
    }

    #[test]
    fn kinds_are_parsed_back() {
        for text in [
            "page", "?article", "?", ";sid", "/index", "/amp", "/print", "m.",
        ] {
            assert_eq!(PartKind::from_text(text).to_string(), text);
        }
    }

    #[test]
    fn a_rule_or_too_many_parts_leave_nothing_undecided() {
        assert_eq!(parts("http://a.com/ruled.php?id=1&x=2"), None);
        assert_eq!(
            parts("http://a.com/?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1"),
            None
        );
    }

    #[test]
    fn a_key_keeps_all_parts_that_are_not_noise() {
        for (url, noise, expected) in [
            (
                "http://a.com/s.php?article117&utm_medium=x",
                &[][..],
                "http://a.com/s.php?article117",
            ),
            (
                "http://a.com/s?id=7&visit=ab",
                &[],
                "http://a.com/s?id=7&visit=ab",
            ),
            (
                "http://a.com/s?visit=ab&id=7",
                &["visit"],
                "http://a.com/s?id=7",
            ),
            (
                "http://a.com/s?visit=ab&visit=cd",
                &["visit"],
                "http://a.com/s",
            ),
            (
                "http://a.com/ruled.php?id=1&x=2",
                &["id"],
                "http://a.com/ruled.php?id=1",
            ),
            ("http://a.com/story/amp", &["/amp"], "http://a.com/story"),
            ("http://a.com/story/amp", &[], "http://a.com/story/amp"),
            ("http://a.com/x;jsessionid=AB", &[], "http://a.com/x"),
            (
                "http://a.com/x;jsessionid=AB;sid=7",
                &[],
                "http://a.com/x;sid=7",
            ),
            ("http://a.com/x;JSESSIONID=AB!1", &[], "http://a.com/x"),
            (
                "http://a.com/x.cfm;cfid=1;cftoken=2?id=7",
                &[],
                "http://a.com/x.cfm?id=7",
            ),
            ("http://a.com/PHPSESSID=AB/x", &[], "http://a.com/x"),
            (
                "http://a.com/x?ASPSESSIONIDQABCDEFG=AB",
                &[],
                "http://a.com/x",
            ),
            // The rest of the value is of another parameter.
            (
                "http://a.com/x;jsessionid=AB&id=7",
                &[],
                "http://a.com/x;jsessionid=AB&id=7",
            ),
            (
                "http://a.com/(S(lit3py55t21z5v55vlm25s55))/x.aspx?id=7",
                &[],
                "http://a.com/x.aspx?id=7",
            ),
            (
                "http://a.com/%28s%28lit3py55t21z5v55vlm25s55%29%29/x.aspx",
                &[],
                "http://a.com/x.aspx",
            ),
            // A rule sees the URL without its session.
            (
                "http://a.com/ruled.php;jsessionid=AB?id=1&x=2",
                &[],
                "http://a.com/ruled.php?id=1",
            ),
            (
                "http://a.com/(S(lit3py55t21z5v55vlm25s55))/ruled.php?id=1&x=2",
                &[],
                "http://a.com/ruled.php?id=1",
            ),
            ("http://a.com/sid=AB/x", &[], "http://a.com/sid=AB/x"),
            ("http://a.com/sid=AB/x", &[";sid"], "http://a.com/x"),
            (
                "http://a.com/list?tag=%e4%EE%ec",
                &[],
                "http://a.com/list?tag=%E4%EE%EC",
            ),
            ("http://a.com/M%FCller", &[], "http://a.com/M%FCller"),
            (
                "http://m.a.com/dir/index.html?q",
                &["m.", "/index"],
                "http://www.a.com/dir?q",
            ),
            (
                "http://a.com/?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1",
                &["a"],
                "http://a.com?a=1&b=1&c=1&d=1&e=1&f=1&g=1&h=1&i=1",
            ),
        ] {
            assert_eq!(key(url, noise), expected, "{url} {noise:?}");
        }
    }

    #[test]
    fn a_plain_host_is_the_host_of_the_base() {
        let keyer = keyer();
        for url in [
            "http://www.a.com/x?y=1",
            "https://a.co.uk?y",
            "http://xn--bcher-kva.example/x#y",
            "http://a.com",
            "http://a.com./x",
            "http://A.com/x",
            "http://m.a.com/x",
            "http://user@a.com/x",
            "http://a.com:80/x",
            "http://a.com\\x",
            "http://a\t.com/x",
            "http://1.2.3/x",
            "http://1.2.0x3/x",
            "http://bücher.example/x",
            " http://a.com/x",
            "HTTP://a.com/x",
        ] {
            let parsed = keyer.parse(url).unwrap();
            let host = keyer.parts(&parsed).unwrap().host;
            if let Some(plain) = plain_host(url) {
                assert_eq!(plain, host, "{url}");
            }
        }
        assert_eq!(plain_host("http://www.a.com/x?y=1"), Some("www.a.com"));
        assert_eq!(plain_host("http://1.2.3/x"), None);
    }

    #[test]
    fn the_quick_test_finds_every_url_with_parts() {
        for url in [
            "http://a.com/x?y",
            "http://a.com/x;y=1",
            "http://a.com/sid=1/x",
            "http://a.com/x/AMP",
            "http://M.a.com/",
            "http://a.com/%61mp/x",
            "http://a.com/print/x",
            "http://a.com/Default.aspx",
            "http:m.a.com/x",
            "http://user@m.a.com/x",
            "http://a.com\\amp\\x",
            "http://a.com/x/a\tmp",
        ] {
            assert!(
                parts(url).is_some_and(|(_, _, parts)| !parts.is_empty()),
                "{url}"
            );
            assert!(may_have_parts(url), "{url}");
        }
        assert!(!may_have_parts(
            "http://www.a.com/2013/05/summer-in-rome.html"
        ));
    }
}
