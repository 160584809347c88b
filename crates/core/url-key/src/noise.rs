//! Parameters that never identify a page, on any site.
//!
//! The list is short on purpose. Names such as `ref`, `source`, `from` or `cid` are noise on one
//! site and identify pages on another, so they are learned per site. A name is here only if one
//! product defines it, and that product never uses it to select content.

/// Name prefixes, in lower case.
const PREFIXES: [&str; 6] = [
    // Campaign tags of Google Analytics (Urchin), copied by all others.
    "utm_", // Campaign tags of Matomo, and of Piwik before it.
    "mtm_",
    "pk_", // Campaign tags of HubSpot.
    "_hs",
    "hsa_", // Session ids of ASP, whose names end with eight letters.
    "aspsessionid",
];

/// Names, in lower case.
const NAMES: [&str; 19] = [
    // Ids of a click on an advertisement or a link: Google Ads, DoubleClick, Google Ads on iOS.
    "gclid",
    "dclid",
    "wbraid",
    "gbraid",
    "gclsrc",
    // Ids of a click in Facebook, Microsoft, Twitter, Instagram, Yandex and TikTok.
    "fbclid",
    "msclkid",
    "twclid",
    "igshid",
    "yclid",
    "ttclid",
    // Google Analytics: the visitor's id in links between domains.
    "_ga",
    "_gl",
    // Mailchimp: the campaign and the recipient of a mail.
    "mc_cid",
    "mc_eid",
    // Session ids: PHP, Java servlets, ColdFusion (two).
    "phpsessid",
    "jsessionid",
    "cfid",
    "cftoken",
];

/// Whether a parameter of the query or the path never identifies a page. `name` is in lower case.
pub(crate) fn is_noise(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Whether a segment of a path is the session of ASP.NET without cookies: `(S(...))`, also with
/// the tickets `A`, `F` and `P` and the mark `X`, or in ASP.NET 1 the 24 characters of the id alone.
pub(crate) fn is_session_segment(segment: &str) -> bool {
    /// Characters of a session id.
    const ID: usize = 24;
    let is_id = |id: &str| {
        let is_digit = |byte: u8| byte.is_ascii_digit();
        id.len() == ID
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
            && id.bytes().any(is_digit)
    };
    let Some(inner) = (segment.strip_prefix('(')).and_then(|rest| rest.strip_suffix(')')) else {
        return false;
    };
    if is_id(inner) {
        return true;
    }
    let is_ticket = |ticket: &str| {
        let Some((kind, value)) = ticket.split_once('(') else {
            return false;
        };
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        match kind.to_ascii_uppercase().as_str() {
            "X" => value == "1",
            "A" | "F" | "P" | "S" => value.len() >= MIN_TICKET && value.bytes().all(is_letter),
            _ => false,
        }
    };
    (inner.strip_suffix(')')).is_some_and(|tickets| tickets.split(')').all(is_ticket))
}

/// Fewest characters of the value of a ticket. A lower value takes formulas such as `(F(x))` for one.
const MIN_TICKET: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_asp_net_are_segments() {
        for segment in [
            "(S(lit3py55t21z5v55vlm25s55))",
            "(s(lit3py55t21z5v55vlm25s55))",
            "(X(1)S(lit3py55t21z5v55vlm25s55))",
            "(X(1))",
            "(A(2hE0_x-9AAAAAAAA)F(jD7aaaaaaaa)S(lit3py55t21z5v55vlm25s55))",
            "(lit3py55t21z5v55vlm25s55)",
        ] {
            assert!(is_session_segment(segment), "{segment}");
        }
        for segment in [
            "(F(x))",
            "(film)",
            "S(lit3py55t21z5v55vlm25s55)",
            "(S(lit3py55t21z5v55vlm25s55)",
            "(S(lit3py55 t21z5v55vlm25s5))",
            "(T(lit3py55t21z5v55vlm25s55))",
            "(abcdefghijklmnopqrstuvwx)",
            "()",
            "(())",
            "",
        ] {
            assert!(!is_session_segment(segment), "{segment}");
        }
    }

    #[test]
    fn names_of_one_product_are_noise_and_common_words_are_not() {
        for name in ["utm_source", "fbclid", "jsessionid", "_hsenc"] {
            assert!(is_noise(name), "{name}");
        }
        for name in ["ref", "source", "from", "cid", "sid", "id", "utm", ""] {
            assert!(!is_noise(name), "{name}");
        }
    }
}
