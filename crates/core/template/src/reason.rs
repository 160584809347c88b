//! The reason of a label.

/// The label of a block: the reason why it is content or boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// Content: the block shows the page's title.
    OwnTitle,
    /// Boilerplate: the block is below an element named after comments.
    Comments,
    /// Boilerplate: the block is below navigation, a header, a footer, a form or the like, or
    /// is a caption and no other page has one at this path.
    SkipElement,
    /// Boilerplate: the block is outside the main branch, or in another article below the page's
    /// own, or in a teaser of another page.
    OffMainBranch,
    /// Boilerplate: more than four fifths of the site's text at this path is link text, and other
    /// pages have a quarter of it.
    LinkSlot,
    /// Boilerplate: more than a quarter of the pages contain the block, or it is a line at a path
    /// whose lines return on many pages: names, dates, categories.
    Repeated,
    /// Boilerplate: the site is unknown, and the text is content earlier on the page.
    Copy,
    /// Content: more than a quarter of the pages contain the block, but less than a tenth of
    /// the site's text at this path repeats, or the block is part of a paragraph or a list with
    /// other text, or a heading right before a text, or the label of a row or column of text, or
    /// a cell in a row of figures that hardly any other page has.
    ContentSlot,
    /// Content: the site is unknown, and blocks like this one are content on other sites.
    PriorContent,
    /// Boilerplate: the site is unknown, and blocks like this one are boilerplate on other sites.
    PriorBoilerplate,
    /// Content: the block is in the main branch or is its lead, and few pages contain it. Link text is
    /// content on a page that is a list of links.
    Unique,
    /// Content: a reader has marked the DOM path of the block as content. No rule gives this reason: the
    /// caller of the template replaces the reason of a marked block.
    MarkedContent,
    /// Boilerplate: a reader has marked the DOM path of the block as boilerplate. As with
    /// [`MarkedContent`](Self::MarkedContent), no rule gives it.
    MarkedBoilerplate,
}

impl Reason {
    /// Returns the name of the reason in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::OwnTitle => "own_title",
            Reason::Comments => "comments",
            Reason::SkipElement => "skip_element",
            Reason::OffMainBranch => "off_main_branch",
            Reason::LinkSlot => "link_slot",
            Reason::Repeated => "repeated",
            Reason::Copy => "copy",
            Reason::ContentSlot => "content_slot",
            Reason::PriorContent => "prior_content",
            Reason::PriorBoilerplate => "prior_boilerplate",
            Reason::Unique => "unique",
            Reason::MarkedContent => "marked_content",
            Reason::MarkedBoilerplate => "marked_boilerplate",
        }
    }

    /// Returns whether the block is content; otherwise it is boilerplate.
    pub fn is_content(self) -> bool {
        matches!(
            self,
            Reason::OwnTitle
                | Reason::ContentSlot
                | Reason::PriorContent
                | Reason::Unique
                | Reason::MarkedContent
        )
    }
}
