//! The numbers of a block that the prior reads.

use std::ops::Range;

use crate::prior::structure::{Sum, Surroundings, above, container, log, share, small};
use crate::reason::Reason;
use crate::words::FAMILIES;

/// Numbers that are the same for the block and its neighbours: characters, share of links, punctuation,
/// element, same path as the block.
const OF_NEIGHBOUR: usize = 5;
/// Neighbours on each side.
const NEIGHBOURS: usize = 3;
/// Blocks on each side of a block whose text is its surroundings.
const AROUND: usize = 6;

/// Names of the numbers without those of words and neighbours, in their order.
const PLAIN: [&str; 55] = [
    "chars",
    "links",
    "marks",
    "marks_per_char",
    "title",
    "text_before",
    "blocks_before",
    "blocks_after",
    "after_title",
    "has_title",
    "depth",
    "element",
    "parent",
    "grandparent",
    "lists",
    "tables",
    "paragraphs",
    "nav",
    "aside",
    "footer",
    "header",
    "form",
    "main",
    "article",
    "figure",
    "path_blocks",
    "path_share",
    "path_chars",
    "path_links",
    "path_marks",
    "element_share",
    "element_links",
    "parent_share",
    "parent_links",
    "parent_blocks",
    "grandparent_share",
    "grandparent_links",
    "great_share",
    "great_links",
    "container_share",
    "reason",
    "in_main",
    "after_main",
    "text_around",
    "links_around",
    "records",
    "record_at",
    "record_chars",
    "record_links",
    "records_share",
    "records_title",
    "copies",
    "copy_at",
    "path_copies",
    "parent_copies",
];

/// Number of the numbers of a block.
pub const FEATURES: usize = PLAIN.len() + 2 * FAMILIES + 2 * NEIGHBOURS * OF_NEIGHBOUR;

/// The numbers of a block.
pub type Features = [i16; FEATURES];

/// Returns the name of a number.
pub(crate) fn feature_name(at: usize) -> String {
    if let Some(name) = PLAIN.get(at) {
        return (*name).to_owned();
    }
    let at = at - PLAIN.len();
    if at < 2 * FAMILIES {
        let of = ["near_words", "all_words"][at / FAMILIES];
        return format!("{of}_{}", at % FAMILIES);
    }
    let at = at - 2 * FAMILIES;
    let what = ["chars", "links", "marks", "element", "same_path"][at % OF_NEIGHBOUR];
    let steps = [-3, -2, -1, 1, 2, 3][at / OF_NEIGHBOUR];
    format!("{what}_{steps:+}")
}

/// Returns the numbers of all blocks of a page. `main` are the blocks of the main branch, and
/// `reasons` those of the rules.
pub(crate) fn features(
    surroundings: &Surroundings<'_>,
    main: &Range<usize>,
    reasons: &[Reason],
) -> Vec<Features> {
    let Surroundings {
        outline,
        sums,
        title,
        copies,
        records,
        record_of,
    } = surroundings;
    let title = *title;
    let count = outline.blocks.len();
    let above = above(outline);
    let page = sums.of(0..count);
    let of_block = |at: usize| sums.of(at..at + 1);
    let of_node = |node: usize| sums.of_node(outline, node);
    let mut paths = vec![Sum::default(); outline.paths.len()];
    for at in 0..count {
        paths[outline.nodes[outline.leaves[at]].path].add(of_block(at));
    }
    let mut made = Vec::with_capacity(count);
    for (at, reason) in reasons.iter().enumerate() {
        let block = of_block(at);
        let leaf = outline.leaves[at];
        let node = &outline.nodes[leaf];
        let up = &above[leaf];
        let parent = node.parent;
        let grandparent = outline.nodes[parent].parent;
        let great = outline.nodes[grandparent].parent;
        let container = container(outline, leaf);
        let path = paths[node.path];
        let around = at.saturating_sub(AROUND)..(at + AROUND + 1).min(count);
        let around = sums.of(around);
        let (element, of_parent) = (of_node(leaf), of_node(parent));
        let (of_grandparent, of_great) = (of_node(grandparent), of_node(great));
        let record = &records[record_of[leaf]];
        let tag = |tag: usize| i16::from(up.tags & 1 << tag != 0);
        let mut numbers = [0; FEATURES];
        let plain: [i16; PLAIN.len()] = [
            log(block.chars),
            share(block.links, block.chars),
            small(block.marks),
            share(block.marks, block.chars),
            i16::from(outline.blocks[at].title > 0),
            share(sums.of(0..at).text, page.text),
            share(at as u64, count as u64),
            log((count - at) as u64),
            after_title(title, at),
            i16::from(title.is_some()),
            small(u64::from(up.depth)),
            i16::from(node.code),
            i16::from(outline.nodes[parent].code),
            i16::from(outline.nodes[grandparent].code),
            small(u64::from(up.lists)),
            small(u64::from(up.tables)),
            small(u64::from(up.paragraphs)),
            tag(0),
            tag(1),
            tag(2),
            tag(3),
            tag(4),
            tag(5),
            tag(6),
            tag(7),
            log(path.blocks),
            share(path.text, page.text),
            log(path.chars / path.blocks.max(1)),
            share(path.links, path.chars),
            share(path.marks, path.chars),
            share(element.text, page.text),
            share(element.links, element.chars),
            share(of_parent.text, page.text),
            share(of_parent.links, of_parent.chars),
            log(of_parent.blocks),
            share(of_grandparent.text, page.text),
            share(of_grandparent.links, of_grandparent.chars),
            share(of_great.text, page.text),
            share(of_great.links, of_great.chars),
            share(of_node(container).text, page.text),
            reason_code(*reason),
            i16::from(main.contains(&at)),
            after_main(main, at),
            log(around.text / around.blocks.max(1)),
            share(around.links, around.chars),
            small(record.count),
            small(record.at),
            log(record.sum.chars / record.count.max(1)),
            share(record.sum.links, record.sum.chars),
            share(record.sum.text, page.text),
            i16::from(title.is_some_and(|title| record.blocks.contains(&title))),
            small(u64::from(copies[at].1)),
            small(u64::from(copies[at].0)),
            share(path.copies, path.chars),
            share(of_parent.copies, of_parent.chars),
        ];
        numbers[..PLAIN.len()].copy_from_slice(&plain);
        let near = up.near.iter().fold(0, |all, words| all | words);
        for (group, words) in [near, up.words].into_iter().enumerate() {
            for family in 0..FAMILIES {
                let at = PLAIN.len() + group * FAMILIES + family;
                numbers[at] = i16::from(words & 1 << family != 0);
            }
        }
        let steps = [-3_isize, -2, -1, 1, 2, 3];
        for (side, step) in steps.into_iter().enumerate() {
            let start = PLAIN.len() + 2 * FAMILIES + side * OF_NEIGHBOUR;
            let numbers = &mut numbers[start..start + OF_NEIGHBOUR];
            let Some(other) = at.checked_add_signed(step).filter(|other| *other < count) else {
                numbers.fill(-1);
                continue;
            };
            let block = of_block(other);
            let of_other = &outline.nodes[outline.leaves[other]];
            numbers.copy_from_slice(&[
                log(block.chars),
                share(block.links, block.chars),
                share(block.marks, block.chars),
                i16::from(of_other.code),
                i16::from(of_other.path == node.path),
            ]);
        }
        made.push(numbers);
    }
    made
}

/// Returns how far a block is behind the title, and a negative number for one before it.
pub(crate) fn after_title(title: Option<usize>, at: usize) -> i16 {
    match title {
        None => -1000,
        Some(title) if title <= at => log((at - title) as u64),
        Some(title) => -log((title - at) as u64),
    }
}

/// Returns how far a block is behind the main branch, and a negative number for one before it.
fn after_main(main: &Range<usize>, at: usize) -> i16 {
    if at >= main.end {
        log((at - main.end) as u64 + 1)
    } else if at < main.start {
        -log((main.start - at) as u64)
    } else {
        0
    }
}

/// Codes of the reasons: those of content are higher.
fn reason_code(reason: Reason) -> i16 {
    match reason {
        Reason::Comments => 0,
        Reason::SkipElement => 1,
        Reason::Repeated => 2,
        Reason::LinkSlot => 3,
        Reason::OffMainBranch => 4,
        Reason::ContentSlot => 5,
        Reason::Unique => 6,
        Reason::OwnTitle => 7,
        Reason::PriorContent | Reason::PriorBoilerplate => 8,
        // They are given after the prior.
        Reason::Copy | Reason::MarkedContent | Reason::MarkedBoilerplate => 8,
    }
}
