//! Absolute addresses of links and images.

use boundary::guarded;
use html_blocks::Opened;
use url::{ParseError, Url};

use crate::options::MarkdownOptions;
use crate::structure::Style;

/// Bytes of an address of a link or an image. A longer one is a `data:` URL or a mistake.
pub(crate) const ADDRESS_BYTES: usize = 2048;

/// Schemes of links. The text of any other link (`javascript:`, `data:`, `blob:`) is written without it.
const LINKS: [&str; 5] = ["http", "https", "mailto", "ftp", "tel"];

/// Schemes of images. An image in a `data:` URL is left out.
const IMAGES: [&str; 3] = ["http", "https", "ftp"];

/// The address that a `base` element declares.
pub(crate) fn declared_base(tag: &Opened<'_>) -> Option<String> {
    let href = tag.attribute("href")?;
    let href = href.trim();
    (href.len() <= ADDRESS_BYTES).then(|| href.to_owned())
}

/// Resolves the addresses of a page.
#[derive(Debug)]
pub(crate) struct Addresses {
    /// `None` if the address of the page is unknown.
    base: Option<Url>,
    links: bool,
    images: bool,
}

impl Addresses {
    /// `page` is the address of the page, and `declared` the `href` of its first `base` element that has one.
    /// <https://html.spec.whatwg.org/multipage/semantics.html#the-base-element>
    pub(crate) fn new(page: &str, declared: Option<&str>, options: &MarkdownOptions) -> Self {
        let is_used = options.links || options.images;
        // Nothing is relative to the name of a file.
        let is_of_web = |url: &Url| matches!(url.scheme(), "http" | "https" | "ftp");
        let page = parse(None, page).and_then(Result::ok).filter(is_of_web);
        let declared = declared.and_then(|href| parse(page.as_ref(), href)?.ok());
        let is_base = |url: &Url| !matches!(url.scheme(), "data" | "javascript");
        Self {
            base: declared.filter(is_base).or(page).filter(|_| is_used),
            links: options.links,
            images: options.images,
        }
    }

    /// The absolute address of a link; `None` if the link is not written.
    pub(crate) fn link(&self, written: &str) -> Option<String> {
        self.links.then(|| self.absolute(written, &LINKS))?
    }

    /// The absolute address of an image; `None` if the image is not written.
    pub(crate) fn image(&self, written: &str) -> Option<String> {
        self.images.then(|| self.absolute(written, &IMAGES))?
    }

    /// A style with an absolute address; `None` for a link that is not written.
    pub(crate) fn style(&self, style: &Style) -> Option<Style> {
        match style {
            Style::Link(written) => self.link(written).map(Style::Link),
            style => Some(style.clone()),
        }
    }

    fn absolute(&self, written: &str, schemes: &[&str]) -> Option<String> {
        match parse(self.base.as_ref(), written)? {
            Ok(url) => schemes.contains(&url.scheme()).then(|| url.into()),
            Err(ParseError::RelativeUrlWithoutBase) => Some(written.to_owned()),
            Err(_) => None,
        }
    }
}

/// Parses an address. `None` if the parser panics.
fn parse(base: Option<&Url>, address: &str) -> Option<Result<Url, ParseError>> {
    let parse = || Url::options().base_url(base).parse(address.trim());
    guarded("URLs", address.as_bytes(), parse).ok()
}

#[cfg(test)]
mod tests {
    use super::Addresses;
    use crate::options::MarkdownOptions;

    fn addresses(page: &str, declared: Option<&str>) -> Addresses {
        let options = MarkdownOptions::default()
            .with_links(true)
            .with_images(true);
        Addresses::new(page, declared, &options)
    }

    #[test]
    fn addresses_are_resolved_as_the_url_standard_says() {
        let of_page = addresses("http://tea.example/a/b.html?x=1#y", None);
        for (written, expected) in [
            ("c.html", "http://tea.example/a/c.html"),
            ("../c", "http://tea.example/c"),
            ("?p=2", "http://tea.example/a/b.html?p=2"),
            ("#top", "http://tea.example/a/b.html?x=1#top"),
            ("//cdn.example/x", "http://cdn.example/x"),
            ("HTTPS://Tea.Example", "https://tea.example/"),
            ("/tea house", "http://tea.example/tea%20house"),
            ("/чай", "http://tea.example/%D1%87%D0%B0%D0%B9"),
            ("mailto:ann@tea.example", "mailto:ann@tea.example"),
        ] {
            assert_eq!(of_page.link(written).as_deref(), Some(expected));
        }
    }

    #[test]
    fn scripts_and_addresses_without_meaning_are_no_links() {
        let of_page = addresses("http://tea.example/", None);
        for written in [
            "javascript:void(0)",
            "java\nscript:void(0)",
            " JavaScript:x",
            "data:text/html,x",
            "vbscript:x",
            "about:blank",
            "file:///etc/passwd",
            "http://[",
            "http://",
        ] {
            assert_eq!(of_page.link(written), None, "{written}");
        }
        assert_eq!(of_page.image("data:image/png;base64,AA"), None);
        assert_eq!(of_page.image("mailto:x@y.z"), None);
    }

    #[test]
    fn a_base_element_is_the_base_unless_it_is_no_address() {
        let page = "http://tea.example/a/b";
        for (declared, expected) in [
            ("/root/", "http://tea.example/root/c"),
            ("https://other.example/x/y", "https://other.example/x/c"),
            ("", "http://tea.example/a/c"),
            ("javascript:x", "http://tea.example/a/c"),
            ("data:text/plain,x", "http://tea.example/a/c"),
            ("http://[", "http://tea.example/a/c"),
        ] {
            let found = addresses(page, Some(declared)).link("c");
            assert_eq!(found.as_deref(), Some(expected), "{declared}");
        }
        let unknown = addresses("", Some("http://tea.example/x/"));
        assert_eq!(unknown.link("c").as_deref(), Some("http://tea.example/x/c"));
    }

    #[test]
    fn relative_addresses_of_a_page_without_an_address_stay_as_written() {
        for page in ["", "tea.html", "file:///home/ann/tea.html"] {
            let unknown = addresses(page, None);
            assert_eq!(unknown.link("../c#d").as_deref(), Some("../c#d"));
            assert_eq!(unknown.link("javascript:x"), None);
        }
    }
}
