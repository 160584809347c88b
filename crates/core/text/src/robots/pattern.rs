//! Patterns of paths, with `*` and a final `$`.

use url::Url;

use super::verdict::Verdict;

/// A path with its query, in two forms.
#[derive(Debug)]
pub(super) struct Path {
    /// Escapes in upper case, and letters that are not of ASCII as escapes.
    escaped: String,
    /// Without the escapes of letters that need none. `None` is the same.
    plain: Option<String>,
}

/// The pattern of a rule.
#[derive(Debug)]
pub(super) struct Pattern(Path);

/// The path of a URL with its query.
pub(super) fn path(url: &Url) -> Path {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    // A URL without an authority may have a path without a slash.
    match path.starts_with('/') {
        true => Path::new(path.as_bytes()),
        false => Path::new(format!("/{path}").as_bytes()),
    }
}

impl Path {
    fn new(bytes: &[u8]) -> Self {
        let (mut escaped, mut plain) = (String::with_capacity(bytes.len()), String::new());
        let mut is_plain = true;
        let mut rest = bytes;
        while let [first, after @ ..] = rest {
            rest = after;
            match (first, after) {
                (b'%', [high, low, after @ ..])
                    if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() =>
                {
                    rest = after;
                    let escape = [b'%', high.to_ascii_uppercase(), low.to_ascii_uppercase()];
                    let escape = escape.map(char::from);
                    escaped.extend(escape);
                    match unreserved(*high, *low) {
                        Some(letter) => {
                            is_plain = false;
                            plain.push(letter);
                        }
                        None => plain.extend(escape),
                    }
                }
                (byte, _) if byte.is_ascii() => {
                    escaped.push(char::from(*byte));
                    plain.push(char::from(*byte));
                }
                (byte, _) => {
                    let escape = format!("%{byte:02X}");
                    escaped += &escape;
                    plain += &escape;
                }
            }
        }
        Self {
            escaped,
            plain: (!is_plain).then_some(plain),
        }
    }

    fn plain(&self) -> &str {
        self.plain.as_ref().unwrap_or(&self.escaped)
    }
}

/// The letter that an escape stands for, if a URL can have it without one (RFC 3986, 2.3).
fn unreserved(high: u8, low: u8) -> Option<char> {
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let letter = char::from_u32(digit(high)? * 16 + digit(low)?)?;
    (letter.is_ascii_alphanumeric() || "-._~".contains(letter)).then_some(letter)
}

impl Pattern {
    pub(super) fn new(value: &[u8]) -> Self {
        Self(Path::new(value))
    }

    /// The length of the pattern if it matches a path. RFC 9309 compares letters with their escapes,
    /// and Google's parser does not. The stricter reading counts: rules that disallow are compared by
    /// RFC 9309, and rules that allow by their bytes.
    pub(super) fn matched(&self, path: &Path, verdict: Verdict) -> Option<usize> {
        let Self(Path { escaped, .. }) = self;
        let is_match = match verdict {
            Verdict::Disallow => matches(self.0.plain(), path.plain()),
            Verdict::Allow => matches(escaped, &path.escaped),
        };
        match verdict {
            _ if is_match => Some(escaped.len()),
            Verdict::Disallow => None,
            Verdict::Allow => folder(escaped, path),
        }
    }
}

/// The length of the rule for a folder that a rule for its `index.html` is too, as in Google's parser.
fn folder(pattern: &str, path: &Path) -> Option<usize> {
    let (folder, _) = pattern
        .rsplit_once('/')
        .filter(|(_, file)| file.starts_with("index.htm"))?;
    let pattern = format!("{folder}/$");
    matches(&pattern, &path.escaped).then_some(pattern.len())
}

/// Whether a pattern matches from the start of a path. Each part between stars is taken at its first
/// place, which leaves most of the path for the next one.
fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, is_anchored) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = path.strip_prefix(first) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return !is_anchored || rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if is_anchored && parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}
