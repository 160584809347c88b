//! Parameters that never identify a page, on any site.
//!
//! The list is short on purpose. Names such as `ref`, `source`, `from` or `cid` are noise on one
//! site and identify pages on another, so they are learned per site. A name is here only if one
//! product defines it, and that product never uses it to select content.

/// Name prefixes, in lower case.
const PREFIXES: [&str; 5] = [
    // Campaign tags of Google Analytics (Urchin), copied by all others.
    "utm_", // Campaign tags of Matomo, and of Piwik before it.
    "mtm_", "pk_", // Campaign tags of HubSpot.
    "_hs", "hsa_",
];

/// Names, in lower case. A name that starts with `;` is a parameter of a path segment.
const NAMES: [&str; 22] = [
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
    // Session ids: PHP, Java servlets, ASP, ColdFusion (two), in the query or the path.
    "phpsessid",
    "jsessionid",
    "aspsessionid",
    "cfid",
    "cftoken",
    ";jsessionid",
    ";phpsessid",
];

/// Whether a parameter never identifies a page. `name` is in lower case.
pub(crate) fn is_noise(name: &str) -> bool {
    NAMES.contains(&name) || PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_product_are_noise_and_common_words_are_not() {
        for name in ["utm_source", "fbclid", ";jsessionid", "_hsenc"] {
            assert!(is_noise(name), "{name}");
        }
        for name in ["ref", "source", "from", "cid", "sid", "id", "utm", ""] {
            assert!(!is_noise(name), "{name}");
        }
    }
}
