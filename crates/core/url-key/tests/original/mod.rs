//! The answers of this crate in the spelling of the original.

pub(crate) mod differences;

use std::collections::BTreeSet;

use percent_encoding::percent_decode_str;
use url_key::UrlKey;

/// An answer in the spelling of the original, and the names of the
/// [differences](differences::SPELLING) between that spelling and ours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) spelling: BTreeSet<&'static str>,
}

impl Answer {
    /// An answer with the same spelling in both.
    pub(crate) fn alike(text: impl Into<String>) -> Self {
        Answer {
            text: text.into(),
            spelling: BTreeSet::new(),
        }
    }

    /// A key or normalised URL in the original's spelling: always with the port, with other
    /// escapes, with the values of a name joined, with the name `null` for parts without one,
    /// and with the content id in the byte order of a GUID.
    pub(crate) fn url(text: &str, key: &UrlKey) -> Self {
        let (address, query) = text.split_once('?').unwrap_or((text, ""));
        let (scheme, rest) = address.split_once("://").expect("a key is absolute");
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));

        let mut answer = Answer::alike(format!("{scheme}://{authority}"));
        let after_literal = authority.rfind(']').map_or(0, |bracket| bracket + 1);
        if !authority[after_literal..].contains(':') {
            answer.text += if scheme == "https" { ":443" } else { ":80" };
            answer.spelling.insert("default port");
        }
        for segment in path.split('/').skip(1) {
            answer.text.push('/');
            answer.push(segment, escaped(&decoded(segment), "%/?"));
        }
        let mut separator = '?';
        for parameter in parameters(query) {
            answer.text.push(separator);
            separator = '&';
            answer.push_parameter(&parameter, key);
        }
        answer
    }

    fn push_parameter(&mut self, (name, values): &Parameter<'_>, key: &UrlKey) {
        if let [value] = values[..]
            && *name == Some("_cid_")
            && key.content_id.as_deref() == Some(value)
        {
            self.text += &format!("__cid__={}", guid_order(value));
            self.spelling.insert("content id");
            return;
        }
        match name {
            Some(name) => self.push(name, escaped(&decoded(name), "%&=")),
            None => {
                self.text += "null";
                self.spelling.insert("nameless parts");
            }
        }
        if values.len() > 1 {
            self.spelling.insert("repeated parameters");
        }
        self.text.push('=');
        let start = self.text.len();
        for (at, value) in values.iter().enumerate() {
            if at > 0 {
                self.text.push(',');
            }
            self.push(value, escaped(&escaped(&decoded(value), "%,"), "&="));
        }
        let kept = self.text[start..].trim_end_matches(',').len();
        self.text.truncate(start + kept);
    }

    fn push(&mut self, ours: &str, theirs: String) {
        if ours != theirs {
            self.spelling.insert("escapes");
        }
        self.text += &theirs;
    }
}

/// A name and its values, as printed.
type Parameter<'q> = (Option<&'q str>, Vec<&'q str>);

/// The parameters of a printed query. Each content id is a separate parameter.
fn parameters(query: &str) -> Vec<Parameter<'_>> {
    let mut parameters: Vec<Parameter<'_>> = Vec::new();
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (Some(name), value),
            None => (None, part),
        };
        match parameters.last_mut() {
            Some((last, values)) if *last == name && name != Some("_cid_") => values.push(value),
            _ => parameters.push((name, vec![value])),
        }
    }
    parameters
}

/// 32 hex digits with the bytes of a GUID's first three fields reversed [O A13].
pub(crate) fn guid_order(hex: &str) -> String {
    [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
        .iter()
        .map(|byte| &hex[2 * byte..2 * byte + 2])
        .collect()
}

/// Sorts the parameters of a URL, and the values of each parameter.
pub(crate) fn in_one_order(url: &str) -> String {
    let Some((address, query)) = url.split_once('?') else {
        return url.to_owned();
    };
    let sorted = |text: &str, separator: &str| {
        let mut parts: Vec<&str> = text.split(separator).collect();
        parts.sort_unstable();
        parts.join(separator)
    };
    let parts: Vec<String> = query
        .split('&')
        .map(|part| match part.split_once('=') {
            Some((name, values)) => format!("{name}={}", sorted(values, ",")),
            None => part.to_owned(),
        })
        .collect();
    format!("{address}?{}", sorted(&parts.join("&"), "&"))
}

fn decoded(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

fn escaped(text: &str, characters: &str) -> String {
    let escape = |character: char| {
        if characters.contains(character) {
            format!("%{:02X}", u32::from(character))
        } else {
            character.to_string()
        }
    };
    text.chars().map(escape).collect()
}
