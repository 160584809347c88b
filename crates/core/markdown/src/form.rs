//! How the inline text of a page is written.

use crate::address::Addresses;
use crate::options::MarkdownOptions;
use crate::structure::Structure;

/// The options, with what they depend on in the page.
#[derive(Debug)]
pub(crate) struct Form {
    pub(crate) emphasis: bool,
    pub(crate) links: bool,
    pub(crate) addresses: Addresses,
    /// Whether the page loads MathJax or KaTeX.
    pub(crate) has_tex: bool,
}

impl Form {
    /// `address` is that of the page, empty if it is unknown.
    pub(crate) fn new(structure: &Structure, address: &str, options: &MarkdownOptions) -> Self {
        Self {
            emphasis: options.emphasis,
            links: options.links,
            addresses: Addresses::new(address, structure.base.as_deref(), options),
            has_tex: structure.has_tex,
        }
    }
}
