//! The blocks of a page, in the form of the tree and the template.

use std::sync::Arc;

use html_blocks::TextBlock;
use template::{LayoutBlock, Reason, Title};
use url_tree::BlockHash;

/// The blocks of a page: hashes for the tree, a layout for the template, and the texts.
#[derive(Clone, Debug)]
pub struct PageBlocks {
    /// The hashes that the tree counts.
    pub hashes: Vec<BlockHash>,
    /// The texts of the blocks.
    pub texts: Arc<[String]>,
    slots: Vec<(Arc<str>, u16)>,
    /// Characters, characters inside links, marks, the similarity to the title, and figures.
    sizes: Vec<[u32; 5]>,
}

impl PageBlocks {
    /// Measures the blocks of a page.
    pub fn of(page: html_blocks::Page) -> Self {
        let title = Title::new(page.title.as_deref().unwrap_or_default());
        let size = |block: &TextBlock| {
            let (path, shared) = (&*block.dom_path, block.common_prefix);
            let of = LayoutBlock::new(path, shared, &block.text, block.link_chars, &title);
            [of.chars, of.link_chars, of.marks, of.title, of.figures]
        };
        Self {
            hashes: page.blocks.iter().map(|block| block.hash).collect(),
            sizes: page.blocks.iter().map(size).collect(),
            slots: (page.blocks.iter())
                .map(|block| (Arc::clone(&block.dom_path), block.common_prefix))
                .collect(),
            texts: page.blocks.into_iter().map(|block| block.text).collect(),
        }
    }

    /// Returns the layout that the template counts.
    pub fn layout(&self) -> Vec<LayoutBlock<'_>> {
        (self.slots.iter().zip(&self.sizes))
            .map(
                |((slot, shared), [chars, link_chars, marks, title, figures])| LayoutBlock {
                    path: slot,
                    common_prefix: *shared,
                    chars: *chars,
                    link_chars: *link_chars,
                    marks: *marks,
                    title: *title,
                    figures: *figures,
                },
            )
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
