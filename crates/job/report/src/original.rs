//! The HTML of a crawled page in a frame that neither requests nor executes anything.

use std::fmt::Write;

use crate::format::is_hidden;

/// Most bytes of an original that a page embeds. A higher value shows more pages; a browser takes seconds to lay out
/// 2 MB of HTML, and the file of a page has each byte of the original.
pub(crate) const MAX_ORIGINAL_BYTES: usize = 2_000_000;

/// The first elements of the frame. Beside this policy, that of the page around the frame is in force: browsers
/// hand it down to `srcdoc`.
const HEAD: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
     style-src 'unsafe-inline'; img-src data:\"><meta http-equiv=\"x-dns-prefetch-control\" content=\"off\">";

/// Returns the value of the attribute `srcdoc` for the HTML of a page, escaped. Invisible characters are written as
/// references, so they do not change how the file reads.
pub(crate) fn srcdoc(original: &str) -> String {
    let mut value = String::with_capacity(original.len() + original.len() / 4);
    escape(HEAD, &mut value);
    escape(&without_links(original), &mut value);
    value
}

/// Returns the HTML of a page with `meta` elements, which do nothing, for `link` elements: no directive of a policy is about
/// `<link rel=preconnect>`. A server sends it with [`ORIGINAL_POLICY`](crate::ORIGINAL_POLICY).
///
/// ```
/// assert_eq!(report::without_links("<LINK rel=preconnect>"), "<meta rel=preconnect>");
/// ```
pub fn without_links(original: &str) -> String {
    let mut html = String::with_capacity(original.len());
    let mut rest = original;
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at + 1);
        html.push_str(before);
        let is_link = |name: &&str| name.eq_ignore_ascii_case("link");
        rest = match tag.get(..4).filter(is_link) {
            Some(_) => {
                html.push_str("meta");
                &tag[4..]
            }
            None => tag,
        };
    }
    html.push_str(rest);
    html
}

fn escape(text: &str, value: &mut String) {
    for character in text.chars() {
        let is_space = matches!(character, '\t' | '\n' | '\r');
        let is_markup = matches!(character, '&' | '<' | '>' | '"' | '\'');
        if is_markup || (is_hidden(character) && !is_space) {
            // Writing to a string cannot fail.
            let _ = write!(value, "&#{};", u32::from(character));
        } else {
            value.push(character);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_original_stays_in_its_attribute_behind_its_policy_and_links_to_nothing() {
        let value =
            srcdoc("\"'</iframe>&lt;\u{1b}\u{202e}é\n<LINK rel=preconnect><lin<link>é<é<link");
        let policy = "&#60;meta http-equiv=&#34;Content-Security-Policy&#34; content=&#34;default-src &#39;none&#39;;";
        assert!(value.starts_with(policy), "{value}");
        let expected = "&#34;off&#34;&#62;&#34;&#39;&#60;/iframe&#62;&#38;lt;&#27;&#8238;é\n\
            &#60;meta rel=preconnect&#62;&#60;lin&#60;meta&#62;é&#60;é&#60;meta";
        assert!(value.ends_with(expected), "{value}");
    }
}
