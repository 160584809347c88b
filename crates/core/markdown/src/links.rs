//! The links of a page as a list: where they lead, their texts, and the blocks that have them.

use html_blocks::{Observer, Opened, TextBlock};

use crate::address::{ADDRESS_BYTES, Addresses, declared_base};
use crate::options::MarkdownOptions;

/// Links of a page that are kept. Real pages have some hundreds; a page of 10 MiB can have half a million, which would be
/// more bytes than the page.
const LINKS: usize = 10_000;

/// Bytes of the text of a link that are kept. A teaser inside a link has some hundreds.
const TEXT_BYTES: usize = 1000;

/// A link of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The absolute address.
    pub target: String,
    /// The text that is shown, whitespace collapsed, cut after 1,000 bytes; of images their alternative texts. Empty for an
    /// icon.
    pub text: String,
    /// The block in which the link begins, counted from 0. It can be the number of blocks, for a link without a text behind
    /// the last one.
    pub block: usize,
}

/// The links of a page: [`LinkReader::finish`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Links {
    /// In source order, at most 10,000.
    pub links: Vec<Link>,
    /// Links of the page that are not in `links`, because it has more.
    pub left_out: usize,
}

/// Observes a page for its links: `a` and `area` elements with an `href`. Give it to [`html_blocks::page_with`], and then
/// call [`LinkReader::finish`].
///
/// ```
/// use html_blocks::{BlockOptions, page_with};
/// use markdown::LinkReader;
///
/// let html = b"<nav><a href=/>Home</a></nav><p>See <a href='kinds?a=1'>all <b>kinds</b></a>.";
/// let (page, reader) = page_with(html, None, &BlockOptions::default(), LinkReader::default())?;
/// let found = reader.finish("http://tea.example/shop/");
///
/// let [home, kinds] = &found.links[..] else { panic!("two links") };
/// assert_eq!((home.target.as_str(), home.text.as_str()), ("http://tea.example/", "Home"));
/// assert_eq!(kinds.target, "http://tea.example/shop/kinds?a=1");
/// assert_eq!((kinds.text.as_str(), &*page.blocks[kinds.block].text), ("all kinds", "See all kinds."));
/// # Ok::<(), html_blocks::PageError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkReader {
    /// The `href` of the first `base` element that has one.
    base: Option<String>,
    /// Links with their addresses as written.
    links: Vec<Link>,
    left_out: usize,
    /// If the last link is open, so that text is its text: the number of open elements around it.
    open: Option<usize>,
    /// Whether whitespace is between the text of the open link and the text that follows.
    has_space: bool,
    /// Blocks that have ended.
    blocks: usize,
}

impl LinkReader {
    /// Returns the links of the page that was observed. `page` is its address, empty if it is unknown.
    ///
    /// Addresses are absolute as in Markdown, and links that have none there are left out: those of `javascript:`,
    /// `data:` and the like. Links to a place in the page itself (`#top`) are left out too.
    pub fn finish(self, page: &str) -> Links {
        let options = MarkdownOptions::default().with_links(true);
        let addresses = Addresses::new(page, self.base.as_deref(), &options);
        let absolute = |link: Link| {
            let target = addresses.link(&link.target)?;
            Some(Link { target, ..link })
        };
        Links {
            links: self.links.into_iter().filter_map(absolute).collect(),
            left_out: self.left_out,
        }
    }

    /// Begins a link. It ends the one before, as in browsers.
    fn begin(&mut self, tag: &Opened<'_>) {
        self.open = None;
        let href = tag.attribute("href").unwrap_or_default();
        let target = href.trim();
        if target.is_empty() || target.starts_with('#') || target.len() > ADDRESS_BYTES {
            return;
        }
        if self.links.len() == LINKS {
            self.left_out += 1;
            return;
        }
        self.links.push(Link {
            target: target.to_owned(),
            text: String::new(),
            block: self.blocks,
        });
        (self.open, self.has_space) = (Some(tag.open()), false);
    }

    /// Elements of this depth and deeper are closed, and with them the link inside.
    fn close(&mut self, depth: usize) {
        self.open = self.open.filter(|open| *open < depth);
    }

    /// Adds to the text of the open link, if there is one.
    fn push(&mut self, text: &str) {
        let Some(link) = self.links.last_mut().filter(|_| self.open.is_some()) else {
            return;
        };
        self.has_space |= text.starts_with(char::is_whitespace);
        for word in text.split_whitespace() {
            // The first word tells in which block the link is: `<a><h2>Tea</h2></a>` begins before the heading.
            if link.text.is_empty() {
                link.block = self.blocks;
            } else if link.text.len() >= TEXT_BYTES {
                return;
            } else if self.has_space {
                link.text.push(' ');
            }
            let room = TEXT_BYTES.saturating_sub(link.text.len());
            link.text.push_str(&word[..word.floor_char_boundary(room)]);
            // A word without room leaves the space before it.
            link.text.truncate(link.text.trim_end().len());
            self.has_space = true;
        }
        self.has_space &= text.is_empty() || text.ends_with(char::is_whitespace);
    }
}

impl Observer for LinkReader {
    fn start(&mut self, tag: &Opened<'_>) {
        self.close(tag.depth().unwrap_or(tag.open() + 1));
        match tag.name() {
            "a" => self.begin(tag),
            "area" => {
                self.begin(tag);
                self.push(&tag.attribute("alt").unwrap_or_default());
                self.open = None;
            }
            "img" => {
                // An image is a word.
                self.has_space = true;
                self.push(&tag.attribute("alt").unwrap_or_default());
                self.has_space = true;
            }
            "br" => self.has_space = true,
            "base" if self.base.is_none() => self.base = declared_base(tag),
            _ => {}
        }
    }

    fn end(&mut self, name: &str, open: usize, _: usize) {
        if name == "a" {
            self.open = None;
        }
        self.close(open + 1);
    }

    fn text(&mut self, text: &str, _: usize) {
        self.push(text);
    }

    fn block(&mut self, _: &TextBlock) {
        self.blocks += 1;
        self.has_space = true;
    }
}
