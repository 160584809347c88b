//! Kinds of sites.

/// The versions of a manual. Each page exists in both.
pub(crate) const VERSIONS: [&str; 2] = ["4.2", "5.0"];

/// The kind of a site's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Articles with boxes and readers' comments.
    News,
    /// Threads of posts.
    Forum,
    /// Pages of a manual, each in two versions.
    Documentation,
    /// Tickets with comments and changes of their properties.
    Tickets,
    /// Products.
    Shop,
    /// Terms with short definitions.
    Glossary,
    /// Press releases and pages of offices.
    Ministry,
    /// Articles with whole other articles below.
    Scroll,
}

impl Kind {
    /// Returns whether the site has pages that list the texts of other pages.
    pub(crate) fn has_lists(self) -> bool {
        matches!(self, Kind::News | Kind::Ministry | Kind::Scroll)
    }

    /// Returns whether pages have the boxes of a news site beside the main part.
    pub(crate) fn has_boxes(self) -> bool {
        matches!(self, Kind::News | Kind::Shop | Kind::Scroll)
    }

    /// Returns the probability, in percent, that a page is fetched once more because its text grows.
    /// Higher: more of the figures of an evaluation say which fetch of a page a job keeps, and not
    /// which of its blocks.
    pub(crate) fn growth(self) -> usize {
        match self {
            Kind::Forum => 12,
            _ => 0,
        }
    }

    /// Returns the number that the content of a story is drawn from. Two stories of a manual
    /// in succession are two versions of one page.
    pub(crate) fn drawn(self, number: usize) -> usize {
        match self {
            Kind::Documentation => number / VERSIONS.len(),
            _ => number,
        }
    }
}
