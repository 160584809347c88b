//! Phase 2: where comments begin.

use std::collections::BTreeMap;

use super::NceParameters;
use crate::dom::{Dom, NodeId};
use crate::text::words;

/// A node of the graph: an element with few words.
struct Block {
    id: NodeId,
    bag: BTreeMap<String, usize>,
    words: usize,
    /// The block this one hangs together with, by its number; a root has itself.
    linked_to: usize,
    /// Of a root: blocks that hang together.
    size: usize,
    /// Of a root: the first of them.
    first: NodeId,
}

/// Three are comments; two may be chance.
const COMPONENT: usize = 3;

/// The first block of the first component that is large enough. Blocks come in
/// the order of the page, so the search ends as soon as there is one.
pub(super) fn begin(dom: &Dom, kept: &[bool], parameters: &NceParameters) -> Option<NodeId> {
    let mut blocks: Vec<Block> = Vec::new();
    for (id, bag) in candidates(dom, kept, parameters) {
        let number = blocks.len();
        let words = bag.values().sum();
        blocks.push(Block {
            id,
            bag,
            words,
            linked_to: number,
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

/// Blocks of the forest after the body of the article, with their words.
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

/// Dice coefficient of the bags.
fn similarity(a: &Block, b: &Block) -> f64 {
    let common: usize = (a.bag.iter())
        .filter_map(|(word, count)| b.bag.get(word).map(|other| count.min(other)))
        .sum();
    2.0 * common as f64 / (a.words + b.words) as f64
}

/// Joins two components; the number of the root of both.
fn link(blocks: &mut [Block], a: usize, b: usize) -> usize {
    let (a, b) = (root(blocks, a), root(blocks, b));
    if a != b {
        blocks[b].linked_to = a;
        blocks[a].size += blocks[b].size;
        blocks[a].first = blocks[a].first.min(blocks[b].first);
    }
    a
}

/// Components have fewer than three blocks while they are joined, so the way is
/// short.
fn root(blocks: &[Block], mut number: usize) -> usize {
    while blocks[number].linked_to != number {
        number = blocks[number].linked_to;
    }
    number
}
