//! A page as it is learned.

use scoring::WordId;
use template::prior::{Inputs, PageKind};

/// A page to learn from.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) inputs: Inputs,
    /// Per block, the part of it that is content, and its words.
    pub(crate) content: Vec<f32>,
    pub(crate) words: Vec<Vec<WordId>>,
    /// Words of the text that is meant.
    pub(crate) meant: usize,
    pub(crate) kind: Option<PageKind>,
    /// The kind is that of the whole site: the weights of kinds alone are learned from it. An old blog is made of
    /// articles, and that says little about its blocks.
    pub(crate) is_kind_of_site: bool,
    /// The weight of the page among the others.
    pub(crate) weight: f32,
}
