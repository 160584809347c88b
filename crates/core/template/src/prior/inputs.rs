//! The inputs of the net: what it reads of each block of a page.

use std::ops::Range;

use crate::element_code as code;
use crate::prior::features::{ELEMENTS, FEATURES, Features, REASON, REASONS, features};
use crate::prior::page::{PAGE_FEATURES, PageFeatures, page_features};
use crate::prior::structure::Surroundings;
use crate::reason::Reason;
use crate::style::STYLE_INPUTS;

/// Bits of what a page declares to be.
const DECLARED: usize = 13;
/// Numbers of a step from one block to the next.
const STEP: usize = 6;
/// Numbers of the site's evidence about a block.
const SITE: usize = 5;
/// Classes of elements, of the element of a block and the two around it.
const CLASSES: usize = 6;

/// Inputs of a block.
pub const INPUTS: usize = FEATURES
    + ELEMENTS.len() * CLASSES
    + REASONS
    + PAGE_FEATURES
    + STEP
    + STYLE_INPUTS
    + DECLARED
    + SITE;
/// Elements from a block up whose names are inputs.
pub const LEVELS: usize = 8;
/// Groups of blocks whose means are inputs of a layer: those of one DOM path, of one parent element, and of those
/// around it.
pub const GROUPS: usize = 4;

/// The inputs of a page with `n` blocks.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs {
    /// `n` rows of [`INPUTS`] numbers. The first [`FEATURES`] are not scaled yet.
    pub numbers: Vec<f32>,
    /// `n` rows of the codes of [`LEVELS`] elements, the lowest first.
    pub elements: Vec<[u8; LEVELS]>,
    /// Of each group the blocks' positions among the `sizes` groups.
    pub groups: [Vec<usize>; GROUPS],
    /// Number of groups of each kind.
    pub sizes: [usize; GROUPS],
    /// The weight of a block in means: by the root of its characters.
    pub weights: Vec<f32>,
}

impl Inputs {
    /// Returns what the net reads of a page. `main` are the blocks of the main branch, and `reasons` those of the
    /// rules.
    pub(crate) fn new(
        surroundings: &Surroundings<'_>,
        main: &Range<usize>,
        reasons: &[Reason],
    ) -> Self {
        let of_page = page_features(surroundings, main, reasons);
        let of_blocks = features(surroundings, main, reasons);
        let outline = surroundings.outline;
        let count = outline.blocks.len();
        let mut inputs = Inputs {
            numbers: Vec::with_capacity(count * INPUTS),
            elements: Vec::with_capacity(count),
            groups: std::array::from_fn(|_| Vec::with_capacity(count)),
            sizes: [outline.nodes.len(); GROUPS],
            weights: Vec::with_capacity(count),
        };
        inputs.sizes[0] = outline.paths.len();
        let mut depths = vec![0_u16; outline.nodes.len()];
        for (at, node) in outline.nodes.iter().enumerate().skip(1) {
            depths[at] = depths[node.parent] + 1;
        }
        let mut depth_before = 0;
        for (at, block) in of_blocks.iter().enumerate() {
            let leaf = outline.leaves[at];
            let mut chain = std::iter::successors(Some(leaf), |node| {
                (*node != 0).then(|| outline.nodes[*node].parent)
            });
            let depth = depths[leaf];
            let opened = chain
                .clone()
                .take_while(|node| *node != 0 && outline.nodes[*node].first == at);
            let opened = u16::try_from(opened.count()).unwrap_or(u16::MAX);
            let shared = depth - opened.min(depth);
            inputs.push_numbers(surroundings, &of_page, block, at);
            inputs.numbers.extend([
                (f32::from(depth_before - shared.min(depth_before)) / 5.0).min(2.0),
                (f32::from(opened) / 5.0).min(2.0),
                (f32::from(depth) / 10.0).min(3.0),
                flag(shared == 0),
                (at as f32 / 20.0).min(1.0),
                ((count - 1 - at) as f32 / 20.0).min(1.0),
            ]);
            depth_before = depth;
            inputs.groups[0].push(outline.nodes[leaf].path);
            let mut above = outline.nodes[leaf].parent;
            for group in &mut inputs.groups[1..] {
                group.push(above);
                above = outline.nodes[above].parent;
            }
            let code = |_| {
                chain
                    .next()
                    .map_or(code::OTHER, |node| outline.nodes[node].code)
            };
            inputs.elements.push(std::array::from_fn(code));
            let chars = outline.blocks[at].chars as f32;
            inputs.weights.push(chars.sqrt() / 8.0 + 0.05);
        }
        inputs
    }

    /// Adds the numbers of a block, but for those of its step.
    fn push_numbers(
        &mut self,
        surroundings: &Surroundings<'_>,
        page: &PageFeatures,
        block: &Features,
        at: usize,
    ) {
        self.numbers.extend(block.iter().copied().map(f32::from));
        for of in ELEMENTS {
            let code = block[of];
            let classes = [
                (i16::from(code::H6)..=i16::from(code::H1)).contains(&code),
                code == i16::from(code::P),
                code == i16::from(code::ITEM),
                code == i16::from(code::SPAN),
                code == i16::from(code::CELL),
                code <= i16::from(code::HEADER),
            ];
            self.numbers.extend(classes.map(flag));
        }
        for reason in 0..REASONS {
            self.numbers.push(flag(block[REASON] == reason as i16));
        }
        let scaled = |number: &i16| (f32::from(*number) / 500.0).clamp(-2.0, 2.0);
        self.numbers.extend(page.iter().map(scaled));
        let outline = surroundings.outline;
        self.numbers.extend(outline.blocks[at].style.inputs());
        let declared = |bit: usize| flag(outline.declared >> bit & 1 == 1);
        self.numbers.extend((0..DECLARED).map(declared));
        let counts = surroundings.counts;
        let others = counts.pages.saturating_sub(1) as f32;
        let (share, own) = match counts.pages {
            0 | 1 => (0.0, 0.0),
            _ => {
                let on = counts.blocks[at].saturating_sub(1) as f32;
                ((on / others).min(1.0), flag(counts.blocks[at] <= 1))
            }
        };
        // The more pages, the more an evidence is worth.
        let pages = (counts.pages.min(16) as f32 - 1.0) / 15.0;
        self.numbers
            .extend([share, own, pages, share * pages, own * pages]);
    }
}

fn flag(is: bool) -> f32 {
    f32::from(u8::from(is))
}
