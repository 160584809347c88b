//! The reasons of labels: one for each rule and its verdict.

use std::fmt;

/// Declares the reasons: the rule's name in tables, its verdict, and why a block has it.
macro_rules! reasons {
    ($($reason:ident, $name:literal, $verdict:ident, $why:literal;)*) => {
        /// The label of a block: the rule that decided, with its verdict.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason {
            $(#[doc = concat!(stringify!($verdict), ": ", $why, ".")] $reason,)*
        }

        impl Reason {
            /// All reasons, in the order of their rules.
            pub const ALL: &[Reason] = &[$(Reason::$reason),*];

            /// Returns the name of the reason in tables.
            pub fn as_str(self) -> &'static str {
                match self { $(Reason::$reason => $name,)* }
            }

            /// Returns whether the block is content; otherwise it is boilerplate.
            pub fn is_content(self) -> bool {
                match self { $(Reason::$reason => verdict::$verdict,)* }
            }

            /// Returns a sentence for readers, such as "Dropped: it is in a footer."
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Reason::$reason => concat!(stringify!($verdict), ": ", $why, "."),)*
                }
            }
        }
    };
}

/// The verdicts, by the words of [`Reason::meaning`].
#[allow(
    non_upper_case_globals,
    reason = "they are printed as they are written"
)]
mod verdict {
    pub(super) const Kept: bool = true;
    pub(super) const Dropped: bool = false;
}

reasons! {
    OwnTitle, "own_title", Kept, "it shows the title of the page";
    Comments, "comments", Dropped, "it is below an element for comments or reviews, and the page is not a discussion";
    SkipElement, "skip_element", Dropped, "it is in a navigation, a footer, a form or the like";
    Hidden, "hidden", Dropped, "the attributes of an element around it hide a short text";
    Caption, "caption", Dropped, "it is a caption, and no other page has one at its DOM path";
    Header, "header", Dropped, "it is in a header or an address, and neither a heading nor a sentence of the main part of the page";
    OffMainBranch, "off_main_branch", Dropped, "it is outside of the main part of the page";
    OtherArticle, "other_article", Dropped, "it is in another article below that of the page";
    LinkSlot, "link_slot", Dropped, "the text at its DOM path is link text";
    Figures, "figures", Kept, "it is in a row of figures that hardly any other page has";
    FamiliarPath, "familiar_path", Dropped, "it is a line at a DOM path whose lines return on many pages: a name, a date, a category";
    Unit, "unit", Kept, "it repeats in a paragraph or a list that has text of this page";
    Unique, "unique", Kept, "it is in the main part of the page, and few pages have it";
    ContentSlot, "content_slot", Kept, "it repeats at a DOM path whose text differs from page to page";
    Repeated, "repeated", Dropped, "many pages of the site have it";
    Report, "report", Kept, "its letters repeat, its figures do not, and the page has no other text";
    List, "list", Kept, "it is a link of a page whose main part is a list of links";
    Lead, "lead", Kept, "it is a sentence between the title and the main part of the page";
    Teaser, "teaser", Dropped, "it is in a teaser of another page";
    Heading, "heading", Kept, "it is a heading right before a text, or introduces a list, a table or code, though it repeats, is a link, or is in a header";
    RowLabel, "row_label", Kept, "it is the repeated label of a row or a column of text";
    PriorBoilerplate, "prior_boilerplate", Dropped, "the site is not known yet, and blocks like it are boilerplate elsewhere";
    PriorContent, "prior_content", Kept, "the site is not known yet, and blocks like it are content elsewhere";
    Copy, "copy", Dropped, "the site is not known yet, and the page has this text above";
    MarkedContent, "marked_content", Kept, "its DOM path is marked as content (tree.paths)";
    MarkedBoilerplate, "marked_boilerplate", Dropped, "its DOM path is marked as boilerplate (tree.paths)";
}

impl Reason {
    /// Returns the reason with a name; `None` if none has it.
    ///
    /// ```
    /// use template::Reason;
    ///
    /// assert_eq!(Reason::named("link_slot"), Some(Reason::LinkSlot));
    /// assert_eq!(Reason::LinkSlot.meaning(), "Dropped: the text at its DOM path is link text.");
    /// ```
    pub fn named(name: &str) -> Option<Reason> {
        let mut all = Self::ALL.iter().copied();
        all.find(|reason| reason.as_str() == name)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
