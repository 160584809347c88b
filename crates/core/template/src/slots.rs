//! What one page adds to the template of its site.

use crate::Counts;
use crate::outline::{Node, Outline};
use crate::rules::{Rule, Rules};

/// Slots of a page. Of 9,353 real pages the mean has 18 and the greatest 96; what a
/// hostile one has beyond this number stands in no slot, so that a window stays small.
const SLOTS: usize = 1024;

/// The slots of a page with what stands in them, `body` first, every slot after the one
/// around it. Whoever keeps a window keeps these, and a template made from them again
/// is the same template.
///
/// Slots under skip elements and comments are not among them: their text is decided.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageSlots {
    /// The slots.
    pub slots: Vec<Slot>,
}

/// A slot, and what one page has in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Position of the slot around it. That of `body` is its own.
    pub parent: u32,
    /// The element and its first class: `div.story`. That of `body` is empty.
    pub key: String,
    /// The square root of the text that counts for the main branch, in sixteenths: that
    /// of the heaviest element of the slot, with all inside it. 0 of what is part of a
    /// text, a paragraph or a list.
    pub mass: u32,
    /// Characters of the blocks of this very slot.
    pub chars: u32,
    /// Those inside links.
    pub link_chars: u32,
    /// Those of blocks that more than a quarter of the pages have.
    pub repeated_chars: u32,
}

impl PageSlots {
    /// The slots of a page that `counts` were taken for.
    pub(crate) fn of(outline: &Outline, counts: Counts<'_>, rules: Rules) -> Self {
        let weights = weights(outline, counts, rules);
        let mut slots = vec![Slot::default()];
        let mut numbers: Vec<Option<u32>> = vec![None; outline.slots.len()];
        let mut of_node: Vec<Option<u32>> = Vec::with_capacity(outline.nodes.len());
        of_node.push(Some(0));
        for node in outline.nodes.iter().skip(1) {
            let parent = of_node[node.parent].filter(|_| !decided(node, rules));
            let number = parent.and_then(|parent| {
                if numbers[node.slot].is_none() && slots.len() < SLOTS {
                    numbers[node.slot] = u32::try_from(slots.len()).ok();
                    slots.push(Slot {
                        parent,
                        key: outline.key(&outline.slots[node.slot]).to_owned(),
                        ..Slot::default()
                    });
                }
                numbers[node.slot]
            });
            of_node.push(number);
        }
        for ((node, weight), slot) in outline.nodes.iter().zip(weights).zip(&of_node) {
            if let Some(slot) = slot.filter(|_| !node.inner) {
                let mass = &mut slots[slot as usize].mass;
                *mass = (*mass).max(root(weight));
            }
        }
        for (at, (block, leaf)) in outline.blocks.iter().zip(&outline.leaves).enumerate() {
            let Some(slot) = of_node[*leaf] else { continue };
            let slot = &mut slots[slot as usize];
            slot.chars = slot.chars.saturating_add(block.chars);
            slot.link_chars = slot.link_chars.saturating_add(block.link_chars);
            if counts.repeated(at) {
                slot.repeated_chars = slot.repeated_chars.saturating_add(block.chars);
            }
        }
        PageSlots { slots }
    }
}

/// Per element of a page the text below it that may be main text: it does not repeat,
/// is not mostly links, and no trait of an element decides about it.
pub(crate) fn weights(outline: &Outline, counts: Counts<'_>, rules: Rules) -> Vec<u64> {
    outline.sums(|at, block| {
        let other = counts.repeated(at)
            || u64::from(block.link_chars) * 2 > u64::from(block.chars)
            || decided(&outline.nodes[outline.leaves[at]], rules);
        if other { 0 } else { u64::from(block.chars) }
    })
}

/// All text in this element is boilerplate.
fn decided(node: &Node, rules: Rules) -> bool {
    (node.comments && rules.has(Rule::Comments)) || (node.skip && rules.has(Rule::SkipElements))
}

/// The square root, in sixteenths.
fn root(weight: u64) -> u32 {
    u32::try_from(weight.saturating_mul(1 << 8).isqrt()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Template};

    #[test]
    fn a_page_of_very_many_slots_is_cut() {
        let paths: Vec<String> = (0..3 * SLOTS)
            .map(|number| format!("div.{}", "x".repeat(number)))
            .collect();
        let blocks: Vec<Block<'_>> = (paths.iter())
            .map(|slot| Block {
                slot,
                shared: 0,
                chars: 9,
                link_chars: 0,
                title: 0,
            })
            .collect();
        let outline = Outline::of(&blocks);
        let counts = Counts {
            pages: 1,
            blocks: &vec![1; blocks.len()],
        };
        let mut template = Template::default();
        let slots = template.slots(&outline, counts);
        assert_eq!(slots.slots.len(), SLOTS);
        template.insert(&slots);
        assert_eq!(template.label(&outline, counts).len(), 3 * SLOTS);
    }

    #[test]
    fn the_heaviest_element_of_a_slot_is_its_mass() {
        let block = |shared, chars| Block {
            slot: "div>p",
            shared,
            chars,
            link_chars: 0,
            title: 0,
        };
        // Two elements, of 64 + 36 and of 81 characters.
        let blocks = [block(0, 64), block(1, 36), block(0, 81)];
        let counts = Counts {
            pages: 8,
            blocks: &[1, 2, 3],
        };
        let slots = PageSlots::of(&Outline::of(&blocks), counts, Rules::default()).slots;
        let [body, div, p] = &slots[..] else {
            panic!("{slots:?}")
        };
        // The last is on three of eight pages and has no weight: 10 times 16.
        assert_eq!((body.mass, div.mass, p.mass), (160, 160, 0));
        assert_eq!((body.chars, div.chars, p.chars), (0, 0, 181));
        assert_eq!(p.repeated_chars, 81);
    }
}
