//! The content id: a hash of the page's title.

use std::sync::LazyLock;

use md5::{Digest, Md5};
use regex::Regex;

/// The name of the parameter for the content id, which every URL has [P 3].
pub(crate) const CONTENT_ID: &str = "_cid_";

/// The name in rule files written for the original [O A12].
pub(crate) const ORIGINAL_CONTENT_ID: &str = "__cid__";

/// Whether a parameter is the content id, by either name.
pub(crate) fn is_content_id(name: &str) -> bool {
    name == CONTENT_ID || name == ORIGINAL_CONTENT_ID
}

/// Computes the content id of a title: the MD5 of its letters and decimal digits in lower case, as
/// 32 hex digits.
///
/// Spaces, punctuation and case are ignored, so two typographic variants of a title have one id.
/// As in the original, characters outside the Basic Multilingual Plane and combining marks are
/// ignored, and a missing title is an empty one [O A13, A14]. The original prints the same digest
/// in the byte order of a .NET GUID; this function uses the usual one.
///
/// ```
/// assert_eq!(url_key::content_id("Hello, World!"), url_key::content_id("hello world"));
/// assert_eq!(url_key::content_id(""), "d41d8cd98f00b204e9800998ecf8427e");
/// ```
pub fn content_id(title: &str) -> String {
    hex::encode(Md5::digest(normalize_title(title)))
}

fn normalize_title(title: &str) -> String {
    // By general category: `char::is_alphanumeric` includes marks and numerals.
    static COUNTED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"[\p{L}\p{Nd}&&[\x{0}-\x{FFFF}]]+").expect("a constant expression compiles")
    });

    // Unicode's simple lower case: one character for one. Only that of U+0130 is longer, `i` and a
    // mark, and marks do not count. `str::to_lowercase` would apply the final-sigma rule.
    COUNTED
        .find_iter(title)
        .flat_map(|run| run.as_str().chars())
        .filter_map(|character| character.to_lowercase().next())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_letters_and_digits_of_the_basic_plane_count() {
        assert_eq!(
            normalize_title("  O'Brien & Söhne, 10:32 AM "),
            "obriensöhne1032am"
        );
        assert_eq!(normalize_title("Ⅳ ½ ⓐ 〇 😀 𝔘 e\u{301}"), "e");
        assert_eq!(normalize_title("٣ ΣΊΣΥΦΟΣ İ"), "٣σίσυφοσi");
    }
}
