//! Phase 2: the beginning of the comments.

use std::collections::BTreeMap;

use super::parameters::NceParameters;
use crate::dom::{Dom, NodeId};
use crate::text::words;

/// A vertex of the similarity graph: an element with few words. Connected components are
/// kept in a union-find structure.
struct Block {
    id: NodeId,
    bag: BTreeMap<String, usize>,
    words: usize,
    /// The number of the parent block in the union-find structure; a root is its own
    /// parent.
    parent: usize,
    /// For a root, the number of blocks in its component.
    size: usize,
    /// For a root, the first block of its component.
    first: NodeId,
}

/// The least number of blocks in a component of comments. Two similar blocks may be
/// chance.
const COMPONENT: usize = 3;

/// Finds the first block of the first component that is large enough. Blocks are in page
/// order, so the search ends at the first such component.
pub(super) fn find_start(dom: &Dom, kept: &[bool], parameters: &NceParameters) -> Option<NodeId> {
    let mut blocks: Vec<Block> = Vec::new();
    for (id, bag) in candidates(dom, kept, parameters) {
        let number = blocks.len();
        let words = bag.values().sum();
        blocks.push(Block {
            id,
            bag,
            words,
            parent: number,
            size: 1,
            first: id,
        });
        let close = (0..number)
            .rev()
            .take_while(|other| id - blocks[*other].id <= parameters.block_distance);
        let similar: Vec<usize> = close
            .filter(|other| {
                similarity(&blocks[*other], &blocks[number]) >= parameters.block_similarity
            })
            .collect();
        for other in similar {
            let root = link(&mut blocks, other, number);
            if blocks[root].size >= COMPONENT {
                return Some(blocks[root].first);
            }
        }
    }
    None
}

/// Returns the blocks of the forest after the body of the article, with their words.
fn candidates<'d>(
    dom: &'d Dom,
    kept: &'d [bool],
    parameters: &'d NceParameters,
) -> impl Iterator<Item = (NodeId, BTreeMap<String, usize>)> + 'd {
    let leaf_blocks = dom.leaf_blocks();
    let mut chars = 0;
    (0..dom.len()).filter(|id| kept[*id]).filter_map(move |id| {
        if let Some(text) = dom.text(id) {
            chars += text.chars().count();
        }
        if !leaf_blocks[id] || chars < parameters.separator_chars {
            return None;
        }
        let mut bag = BTreeMap::new();
        let mut count = 0;
        for text in dom.subtree(id).filter_map(|id| dom.text(id)) {
            for word in words(text) {
                let word = word.replace(char::is_numeric, "0");
                *bag.entry(word).or_default() += 1;
                count += 1;
                if count > parameters.block_words_max {
                    return None;
                }
            }
        }
        let numbered = bag.keys().any(|word| word.starts_with('0'));
        let linked = dom.subtree(id).any(|id| dom.is(id, "a"));
        (numbered && linked && count >= parameters.block_words_min).then_some((id, bag))
    })
}

/// The Dice coefficient of the bags of words.
fn similarity(a: &Block, b: &Block) -> f64 {
    let common: usize = a
        .bag
        .iter()
        .filter_map(|(word, count)| b.bag.get(word).map(|other| count.min(other)))
        .sum();
    2.0 * common as f64 / (a.words + b.words) as f64
}

/// Joins two components, and returns the number of the common root.
fn link(blocks: &mut [Block], a: usize, b: usize) -> usize {
    let (a, b) = (root(blocks, a), root(blocks, b));
    if a != b {
        blocks[b].parent = a;
        blocks[a].size += blocks[b].size;
        blocks[a].first = blocks[a].first.min(blocks[b].first);
    }
    a
}

/// Returns the root of a block. The search ends at components of three blocks, so the
/// path to the root is short.
fn root(blocks: &[Block], mut number: usize) -> usize {
    while blocks[number].parent != number {
        number = blocks[number].parent;
    }
    number
}
