//! The pages of a site.

use std::collections::HashMap;
use std::sync::OnceLock;

use crate::page::Page;
use crate::site::{SegmentTable, StyleTree};

/// Pages of one site, for the methods that compare a page with others. The page to
/// extract may be among them; it is recognised by its URL and skipped.
#[derive(Debug, Default)]
pub struct Site<'a> {
    pages: Vec<Page<'a>>,
    indices: OnceLock<HashMap<String, usize>>,
    segments: OnceLock<SegmentTable>,
    style_tree: OnceLock<StyleTree>,
}

impl<'a> Site<'a> {
    /// Creates a site. A page is parsed when a method needs it. Of several pages with one
    /// URL, the first is used.
    #[must_use]
    pub fn new(pages: Vec<Page<'a>>) -> Self {
        Self {
            pages,
            ..Self::default()
        }
    }

    /// The pages in the order given.
    #[must_use]
    pub fn pages(&self) -> &[Page<'a>] {
        &self.pages
    }

    /// The indices of the pages in [`pages`](Self::pages), by the key of their address. Pages with
    /// an invalid URL are left out, because no link can lead to them.
    pub(crate) fn indices(&self) -> &HashMap<String, usize> {
        self.indices.get_or_init(|| {
            let mut indices = HashMap::new();
            for (index, page) in self.pages.iter().enumerate() {
                if let Ok(address) = page.address() {
                    indices.entry(address.key.clone()).or_insert(index);
                }
            }
            indices
        })
    }

    /// The number of pages on which each text occurs.
    pub(crate) fn segments(&self) -> &SegmentTable {
        self.segments
            .get_or_init(|| SegmentTable::from_pages(&self.pages))
    }

    /// The style tree of the pages.
    pub(crate) fn style_tree(&self) -> &StyleTree {
        self.style_tree
            .get_or_init(|| StyleTree::from_pages(&self.pages))
    }
}
