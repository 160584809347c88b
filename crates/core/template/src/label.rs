//! Where the signals meet: a label per block, with its reason.

use std::cmp::Reverse;

use crate::main_branch::main_branch;
use crate::outline::Outline;
use crate::page_paths::weights;
use crate::rules::Rule;
use crate::{BlockCounts, Template};

/// Why a block is content or boilerplate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reason {
    /// It shows the page's title.
    OwnTitle,
    /// It is part of the comments.
    Comments,
    /// It stands in navigation, a header, a footer, a form or the like, or is a caption
    /// and no other page has one there.
    SkipElement,
    /// It stands outside the main branch.
    OffMainBranch,
    /// Four fifths of what the site shows in its slot is link text.
    LinkSlot,
    /// More than a quarter of the pages have it.
    Repeated,
    /// So it is, but in its slot less than a tenth of the text repeats.
    ContentSlot,
    /// It is in the main branch, and few pages have it.
    Unique,
}

impl Reason {
    /// The name of the reason in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::OwnTitle => "own_title",
            Reason::Comments => "comments",
            Reason::SkipElement => "skip_element",
            Reason::OffMainBranch => "off_main_branch",
            Reason::LinkSlot => "link_slot",
            Reason::Repeated => "repeated",
            Reason::ContentSlot => "content_slot",
            Reason::Unique => "unique",
        }
    }

    /// Content, or else boilerplate.
    pub fn is_content(self) -> bool {
        matches!(
            self,
            Reason::OwnTitle | Reason::ContentSlot | Reason::Unique
        )
    }
}

impl Template {
    /// Labels the blocks of a page by what the template has seen so far. The page itself
    /// should be among that; of a page that is not, slots that are its own count for
    /// nothing.
    ///
    /// # Panics
    /// Where `counts` are not of as many blocks as the outline.
    pub fn label(&self, outline: &Outline, counts: BlockCounts<'_>) -> Vec<Reason> {
        assert_eq!(
            outline.blocks.len(),
            counts.blocks.len(),
            "counts of another page"
        );
        let rules = self.rules();
        let sums = self.sums(outline);
        let weights = weights(outline, counts, rules);
        let title = own_title(outline, counts);
        let leading_title = title.filter(|_| rules.has(Rule::TitleLeads));
        let main = &outline.nodes[main_branch(outline, &weights, &sums, leading_title)];
        let main = main.first..main.end;

        let reason = |block: usize| {
            let leaf = outline.leaves[block];
            let node = &outline.nodes[leaf];
            let path = &sums[node.path];
            if rules.has(Rule::OwnTitle) && title == Some(block) {
                Reason::OwnTitle
            } else if rules.has(Rule::Comments) && node.comments {
                Reason::Comments
            } else if rules.has(Rule::SkipElements)
                && (node.boilerplate || node.caption && path.is_of_one_page())
            {
                Reason::SkipElement
            } else if rules.has(Rule::MainBranch) && !main.contains(&block) {
                Reason::OffMainBranch
            } else if rules.has(Rule::LinkSlots) && path.link_chars * 5 > path.chars * 4 {
                Reason::LinkSlot
            } else if !rules.has(Rule::Repetition) || !counts.is_repeated(block) {
                Reason::Unique
            } else if rules.has(Rule::ContentSlots) && path.repeated_chars * 10 < path.chars {
                Reason::ContentSlot
            } else {
                Reason::Repeated
            }
        };
        (0..outline.blocks.len()).map(reason).collect()
    }
}

/// The block that shows the page's title: headings first, then the one that does it best,
/// then the first. What nearly all pages have is the name of the site.
fn own_title(outline: &Outline, counts: BlockCounts<'_>) -> Option<usize> {
    let shows =
        |block: &usize| outline.blocks[*block].title > 0 && !counts.is_on_most_pages(*block);
    (0..outline.blocks.len())
        .filter(shows)
        .max_by_key(|&block| {
            let heading = outline.nodes[outline.leaves[block]].heading;
            (heading, outline.blocks[block].title, Reverse(block))
        })
}
