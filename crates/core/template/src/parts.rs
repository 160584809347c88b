//! The parts of a page that its contribution to the template and its labels are both made of.

use crate::block_counts::BlockCounts;
use crate::discussion::is_discussion;
use crate::main_text::own_title;
use crate::node::Node;
use crate::other_articles::OtherArticles;
use crate::outline::Outline;

/// The parts of a page that its contribution to the template and its labels are both made of.
pub(crate) struct Parts {
    /// The block that shows the page's own title.
    pub(crate) title: Option<usize>,
    /// The comments of the page are its content.
    pub(crate) is_discussion: bool,
    /// Elements that are built like the page's own article.
    pub(crate) alike: Option<OtherArticles>,
}

impl Parts {
    pub(crate) fn new(outline: &Outline, counts: BlockCounts<'_>) -> Self {
        let title = own_title(outline, counts);
        Self {
            title,
            is_discussion: is_discussion(outline, counts, title),
            alike: OtherArticles::find(outline, counts, title),
        }
    }

    /// Returns whether all text in an element is boilerplate.
    pub(crate) fn is_boilerplate(&self, node: &Node) -> bool {
        node.comments && !self.is_discussion || node.boilerplate || node.header
    }
}
