//! The form in which the original prints keys.

use percent_encoding::percent_decode_str;
use url_key::UrlKey;

/// A key or normalised URL as the original prints it: the port always there,
/// less escaped, one part per name with its values joined, parts without a
/// name under `null`, and the content id in the byte order of a GUID.
pub(crate) fn original_form(text: &str, key: &UrlKey) -> String {
    let (address, query) = text.split_once('?').unwrap_or((text, ""));
    let (scheme, rest) = address.split_once("://").expect("a key is absolute");
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));

    let mut out = format!("{scheme}://{authority}");
    let after_literal = authority.rfind(']').map_or(0, |bracket| bracket + 1);
    if !authority[after_literal..].contains(':') {
        out.push_str(if scheme == "https" { ":443" } else { ":80" });
    }
    for segment in path.split('/').skip(1) {
        out.push('/');
        out.push_str(&escaped(&decoded(segment), "%/?"));
    }
    let mut separator = '?';
    for (name, values) in parameters(query, key) {
        out.push(separator);
        separator = '&';
        out.push_str(&format!(
            "{name}={}",
            values.join(",").trim_end_matches(',')
        ));
    }
    out
}

fn parameters(query: &str, key: &UrlKey) -> Vec<(String, Vec<String>)> {
    let mut parameters: Vec<(String, Vec<String>)> = Vec::new();
    let mut last_name = None;
    for part in query.split('&').filter(|part| !part.is_empty()) {
        let (name, value) = match part.split_once('=') {
            Some((name, value)) => (Some(decoded(name)), decoded(value)),
            None => (None, decoded(part)),
        };
        let printed = escaped(&escaped(&value, "%,"), "&=");
        let ours = name.as_deref() == Some("_cid_") && key.content_id.as_ref() == Some(&value);
        match parameters.last_mut() {
            _ if ours => parameters.push(("__cid__".to_owned(), vec![guid_order(&value)])),
            Some((_, values)) if last_name.as_ref() == Some(&name) => values.push(printed),
            _ => {
                let name = name.as_deref().unwrap_or("null");
                parameters.push((escaped(name, "%&="), vec![printed]));
            }
        }
        last_name = Some(name);
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

/// The same URL with its parameters, and the values of each, in one order.
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
    let escape = |character: char| match characters.contains(character) {
        true => format!("%{:02X}", u32::from(character)),
        false => character.to_string(),
    };
    text.chars().map(escape).collect()
}
