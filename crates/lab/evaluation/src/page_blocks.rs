//! The blocks of a page, in the form of the tree and the template.

use std::sync::Arc;

use html_blocks::TextBlock;
use template::{Layout, LayoutBlock, Outline, Reason, Title};
use url_tree::BlockHash;

/// The blocks of a page: hashes for the tree, an outline for the template, and the texts.
#[derive(Clone, Debug)]
pub struct PageBlocks {
    /// The hashes that the tree counts.
    pub hashes: Vec<BlockHash>,
    /// The texts of the blocks.
    pub texts: Arc<[String]>,
    /// The measures of each block, without its DOM path.
    measured: Vec<(Arc<str>, LayoutBlock<'static>)>,
    declared: u16,
}

impl PageBlocks {
    /// Measures the blocks of a page.
    pub fn of(page: html_blocks::Page) -> Self {
        let title = Title::new(page.title.as_deref().unwrap_or_default());
        let measured = |block: &TextBlock| {
            let shared = block.common_prefix;
            let measured = LayoutBlock::new("", shared, &block.text, block.link_chars, &title);
            (Arc::clone(&block.dom_path), measured)
        };
        Self {
            hashes: page.blocks.iter().map(|block| block.hash).collect(),
            measured: page.blocks.iter().map(measured).collect(),
            declared: page.declared.bits(),
            texts: page.blocks.into_iter().map(|block| block.text).collect(),
        }
    }

    /// Returns the outline from which the template is counted.
    pub fn outline(&self) -> Outline {
        Outline::new(&self.layout()).declaring(self.declared)
    }

    /// Returns the bytes of the layout in a job.
    pub fn layout_bytes(&self) -> usize {
        Layout::to_bytes(&self.layout(), self.declared).len()
    }

    fn layout(&self) -> Vec<LayoutBlock<'_>> {
        let blocks = self.measured.iter();
        blocks
            .map(|(path, block)| LayoutBlock { path, ..*block })
            .collect()
    }
}

/// All blocks of a page, kept and dropped, with the reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledBlocks {
    /// The texts of the blocks.
    pub texts: Arc<[String]>,
    /// The reason why each block was kept or dropped.
    pub reasons: Vec<Reason>,
}
