//! A page as it is learned.

use scoring::WordId;
use template::prior::{Inputs, PageKind};

/// A page to learn from.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) inputs: Inputs,
    /// Per block, its words.
    pub(crate) words: Vec<Vec<WordId>>,
    pub(crate) labels: Target,
    pub(crate) kind: Option<PageKind>,
    /// The kind is that of the whole site: the weights of kinds alone are learned from it. An old blog is made of
    /// articles, and that says little about its blocks.
    pub(crate) is_kind_of_site: bool,
    /// The weight of the page among the others.
    pub(crate) weight: f32,
}

/// The labels of a page that a net learns.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    /// Per block, the part of it that is content, 0 to 1.
    pub(crate) content: Vec<f32>,
    /// Words of the text that is meant. Some may be in no block.
    pub(crate) meant: f32,
}
