//! The lines of a robots.txt.

use super::pattern::Pattern;
use super::verdict::Verdict;

/// Bytes of a line that are read, as in Google's parser: eight times the longest URL of browsers.
const LINE_BYTES: usize = 8 * 2083 - 1;
const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// A line that says something.
#[derive(Debug)]
pub(super) enum Line {
    /// The product token of a group, or `*`.
    Agent(String),
    Rule(Verdict, Pattern),
    /// Seconds between requests.
    Delay(f32),
}

impl Line {
    pub(super) fn is_agent(&self) -> bool {
        matches!(self, Self::Agent(_))
    }

    fn of(line: &[u8]) -> Option<Self> {
        let line = &line[..line.len().min(LINE_BYTES)];
        let line = line.split(|byte| *byte == b'#').next()?.trim_ascii();
        let (key, value) = key_and_value(line)?;
        // Names are recognised by how they begin, in the spellings that Google's parser takes.
        let key = String::from_utf8_lossy(key).to_ascii_lowercase();
        let begins = |names: &[&str]| names.iter().any(|name| key.starts_with(name));
        if begins(&["user-agent", "useragent", "user agent"]) {
            Some(Self::Agent(product_token(value)))
        } else if begins(&["allow"]) {
            Some(Self::Rule(Verdict::Allow, Pattern::new(value)))
        } else if begins(&[
            "disallow",
            "dissallow",
            "dissalow",
            "disalow",
            "diasllow",
            "disallaw",
        ]) {
            Some(Self::Rule(Verdict::Disallow, Pattern::new(value)))
        } else if begins(&["crawl-delay"]) {
            let seconds = std::str::from_utf8(value).ok()?;
            Some(Self::Delay(seconds.parse().ok()?))
        } else {
            None
        }
    }
}

/// The lines that say something.
pub(super) fn lines(body: &[u8]) -> impl Iterator<Item = Line> {
    let marks = body
        .iter()
        .zip(BYTE_ORDER_MARK)
        .take_while(|(byte, mark)| *byte == mark);
    let body = &body[marks.count()..];
    body.split(|byte| matches!(byte, b'\n' | b'\r'))
        .filter_map(Line::of)
}

/// The parts before and after the colon, or of two words without one.
fn key_and_value(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t');
    let at = match line.iter().position(|byte| *byte == b':') {
        Some(colon) => colon,
        None => {
            let space = line.iter().position(is_space)?;
            let value = line[space..].trim_ascii();
            (!value.iter().any(is_space)).then_some(space)?
        }
    };
    let (key, value) = (line[..at].trim_ascii(), line[at + 1..].trim_ascii());
    (!key.is_empty()).then_some((key, value))
}

/// The product token at the start of a name, or `*` for all agents.
fn product_token(name: &[u8]) -> String {
    match name {
        [b'*'] => "*".to_owned(),
        [b'*', space, ..] if space.is_ascii_whitespace() => "*".to_owned(),
        name => {
            let is_token = |byte: &&u8| byte.is_ascii_alphabetic() || matches!(byte, b'-' | b'_');
            let token = name.iter().take_while(is_token);
            token.map(|byte| char::from(*byte)).collect()
        }
    }
}
