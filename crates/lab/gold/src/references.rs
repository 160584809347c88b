//! Character references (`&#8217;`, `&amp;`) in plain text.

use std::borrow::Cow;
use std::sync::LazyLock;

use html5gum::{Token, Tokenizer};
use regex::{Captures, Regex};

static REFERENCE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new("&#?[0-9A-Za-z]+;").expect("the pattern is a constant"));

/// Decodes the character references of a text as in HTML, except those without a
/// semicolon: `?a=1&copy=2` is a URL.
pub(crate) fn decode(text: &str) -> Cow<'_, str> {
    REFERENCE.replace_all(text, |reference: &Captures<'_>| {
        let reference = &reference[0];
        let decoded: String = Tokenizer::new(reference)
            .filter_map(|token| match token {
                Ok(Token::String(text)) => Some(String::from_utf8_lossy(&text).into_owned()),
                _ => None,
            })
            .collect();
        // HTML decodes `&nothing;` to `¬hing;`.
        if decoded.ends_with(';') {
            reference.to_owned()
        } else {
            decoded
        }
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn only_complete_references_are_decoded() {
        assert_eq!(
            decode("Japan&#039;s &ldquo;AT&amp;T&#x201d; &#146;"),
            "Japan's “AT&T” ’"
        );
        let none = "R&D <at> 5 &nothing; ?a=1&copy=2;b &#; &amp";
        assert_eq!(decode(none), none);
        assert_eq!(decode("&amp;amp; &lt;p&gt;"), "&amp; <p>");
    }
}
