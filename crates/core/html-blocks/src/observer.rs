//! Reports the markup of a page while its blocks are built.

use std::borrow::Cow;

use crate::TextBlock;
use crate::attributes::Attributes;
use crate::elements::Name;
use crate::tag::decoded;

/// Sees tags, text and blocks of a page in source order.
///
/// An event of a tag follows the events that the tag causes: a tag that ends a block is reported after
/// [`Observer::block`]. The end of a `span` may end the block when the next text is known. Tags inside `svg` and `math`, and in dropped text (`style`, `noscript`), are not
/// reported. Positions are bytes in the text of the block that is being built, 0 if it has no text yet.
///
/// ```
/// use html_blocks::{BlockOptions, Observer, Opened, page_with};
///
/// #[derive(Clone, Default)]
/// struct Links(Vec<String>);
///
/// impl Observer for Links {
///     fn start(&mut self, tag: &Opened<'_>) {
///         let href = tag.attribute("href").filter(|_| tag.name() == "a");
///         self.0.extend(href.map(|href| href.into_owned()));
///     }
/// }
///
/// let html = b"<p>See <a href='/tea?a=1&amp;b=2'>tea</a>.";
/// let (page, links) = page_with(html, None, &BlockOptions::default(), Links::default())?;
/// assert_eq!((page.blocks.len(), &links.0[..]), (1, &["/tea?a=1&b=2".to_owned()][..]));
/// # Ok::<(), html_blocks::PageError>(())
/// ```
pub trait Observer {
    /// A start tag.
    fn start(&mut self, _tag: &Opened<'_>) {}

    /// An end tag, also one without a start tag. `open` is the number of open elements after it. `at` is
    /// the position at which the text before it ends.
    fn end(&mut self, _name: &str, _open: usize, _at: usize) {}

    /// Shown text, with whitespace as in the source and character references decoded. `at` is the
    /// length of the block's text before it.
    fn text(&mut self, _text: &str, _at: usize) {}

    /// The source of a script, after its start tag.
    fn script(&mut self, _source: &str) {}

    /// A block that ends here.
    fn block(&mut self, _block: &TextBlock) {}
}

impl Observer for () {}

/// Both see all events.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn start(&mut self, tag: &Opened<'_>) {
        self.0.start(tag);
        self.1.start(tag);
    }

    fn end(&mut self, name: &str, open: usize, at: usize) {
        self.0.end(name, open, at);
        self.1.end(name, open, at);
    }

    fn text(&mut self, text: &str, at: usize) {
        self.0.text(text, at);
        self.1.text(text, at);
    }

    fn script(&mut self, source: &str) {
        self.0.script(source);
        self.1.script(source);
    }

    fn block(&mut self, block: &TextBlock) {
        self.0.block(block);
        self.1.block(block);
    }
}

/// `None` sees nothing: the settings of a job decide what is observed.
impl<O: Observer> Observer for Option<O> {
    fn start(&mut self, tag: &Opened<'_>) {
        if let Some(observer) = self {
            observer.start(tag);
        }
    }

    fn end(&mut self, name: &str, open: usize, at: usize) {
        if let Some(observer) = self {
            observer.end(name, open, at);
        }
    }

    fn text(&mut self, text: &str, at: usize) {
        if let Some(observer) = self {
            observer.text(text, at);
        }
    }

    fn script(&mut self, source: &str) {
        if let Some(observer) = self {
            observer.script(source);
        }
    }

    fn block(&mut self, block: &TextBlock) {
        if let Some(observer) = self {
            observer.block(block);
        }
    }
}

/// A start tag, as an [`Observer`] sees it.
#[derive(Clone, Copy, Debug)]
pub struct Opened<'t> {
    name: Name<'t>,
    source: &'t [u8],
    depth: Option<usize>,
    open: usize,
    at: usize,
}

impl<'t> Opened<'t> {
    pub(crate) fn new(
        name: Name<'t>,
        source: &'t [u8],
        depth: Option<usize>,
        open: usize,
        at: usize,
    ) -> Self {
        Self {
            name,
            source,
            depth,
            open,
            at,
        }
    }

    /// The name of the element in lower case.
    pub fn name(&self) -> &'t str {
        self.name.text
    }

    /// The depth of the element, counted from 1, if it is open now: it is neither void nor inline.
    /// Elements of this depth and deeper that were open before are closed.
    pub fn depth(&self) -> Option<usize> {
        self.depth
    }

    /// The number of open elements after the tag.
    pub fn open(&self) -> usize {
        self.open
    }

    /// The position at which text after the tag begins.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether the source of the attributes has these letters: a first look, before attributes are read.
    pub(crate) fn mentions(&self, letters: &str) -> bool {
        memchr::memmem::find(self.source, letters.as_bytes()).is_some()
    }

    /// The value of the first attribute of this name (in lower case), with character references
    /// decoded. Reads the attributes from their source: a tag whose attributes are not asked for costs
    /// nothing.
    pub fn attribute(&self, name: &str) -> Option<Cow<'t, str>> {
        attribute(self.source, name)
    }
}

/// The value of the first attribute of this name (in lower case) in the source of a tag after its name.
pub(crate) fn attribute<'t>(source: &'t [u8], name: &str) -> Option<Cow<'t, str>> {
    let mut attributes = Attributes::new(source, 0);
    let (_, value) = attributes.find(|(key, _)| key.eq_ignore_ascii_case(name.as_bytes()))?;
    // ASCII characters delimit the value, so it never splits a character.
    Some(decoded(str::from_utf8(value).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use crate::{BlockOptions, Observer, Opened, TextBlock, page_with};

    /// One line for each event.
    #[derive(Clone, Default)]
    struct Log(String);

    impl Observer for Log {
        fn start(&mut self, tag: &Opened<'_>) {
            let line = format!("<{} {:?} {}\n", tag.name(), tag.depth(), tag.at());
            self.0.push_str(&line);
        }

        fn end(&mut self, name: &str, open: usize, at: usize) {
            self.0.push_str(&format!("/{name} {open} {at}\n"));
        }

        fn text(&mut self, text: &str, at: usize) {
            self.0.push_str(&format!("{text:?} {at}\n"));
        }

        fn script(&mut self, source: &str) {
            self.0.push_str(&format!("script {source}\n"));
        }

        fn block(&mut self, block: &TextBlock) {
            self.0.push_str(&format!("[{}]\n", block.text));
        }
    }

    fn log(html: &str) -> String {
        let read = page_with(
            html.as_bytes(),
            None,
            &BlockOptions::default(),
            Log::default(),
        );
        read.expect("a page").1.0
    }

    #[test]
    fn a_tag_is_reported_after_the_block_that_it_ends() {
        let expected = "<p Some(1) 0\n\"a \" 0\n<b None 2\n\"b\" 1\n/b 1 3\n[a b]\n<p Some(1) 0\n\"c\" 0\n[c]\n";
        assert_eq!(log("<p>a <b>b</b><p>c"), expected);
    }

    /// A look beyond the tag would make the work for a page quadratic.
    #[test]
    fn a_tag_mentions_what_is_in_itself() {
        #[derive(Clone, Default)]
        struct Mentions(Vec<bool>);

        impl Observer for Mentions {
            fn start(&mut self, tag: &Opened<'_>) {
                self.0.push(tag.mentions("itemtype"));
            }
        }

        let html = b"<div><p class=a itemtype=x>a<b>b</b><div/itemtype><p>itemtype itemtype=x";
        let read = page_with(html, None, &BlockOptions::default(), Mentions::default());
        let Mentions(found) = read.expect("a page").1;
        assert_eq!(found, [false, true, false, true, false]);
    }

    #[test]
    fn the_source_of_a_script_is_reported() {
        assert_eq!(
            log("<script>1 < 2</script>x").lines().nth(1),
            Some("script 1 < 2")
        );
    }

    #[test]
    fn a_page_of_noscript_is_observed_once() {
        let posts = "<div><p>A post of a forum, long enough.</p></div>".repeat(8);
        let observed = log(&format!("<p>Menu</p><noscript>{posts}</noscript>"));
        assert_eq!(observed.matches("[A post").count(), 8, "{observed}");
        assert_eq!(observed.matches("[Menu]").count(), 1, "{observed}");
    }
}
