//! The options of Markdown.

/// Options: marks beside structure and text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkdownOptions {
    /// `**bold**`, `*italic*` and `~~deleted~~`. Default true.
    pub emphasis: bool,
    /// `[text](address)`, with absolute addresses. Default false: addresses are a third of the characters of a
    /// page with many links, and are not text.
    pub links: bool,
    /// `![alternative text](address)`, for images with both, between blocks that are content. With
    /// [`MarkdownOptions::links`], an image in a link is linked. Default false.
    pub images: bool,
}

impl Default for MarkdownOptions {
    fn default() -> Self {
        Self {
            emphasis: true,
            links: false,
            images: false,
        }
    }
}

impl MarkdownOptions {
    /// Sets [`MarkdownOptions::emphasis`].
    pub fn with_emphasis(self, emphasis: bool) -> Self {
        Self { emphasis, ..self }
    }

    /// Sets [`MarkdownOptions::links`].
    pub fn with_links(self, links: bool) -> Self {
        Self { links, ..self }
    }

    /// Sets [`MarkdownOptions::images`].
    pub fn with_images(self, images: bool) -> Self {
        Self { images, ..self }
    }
}
