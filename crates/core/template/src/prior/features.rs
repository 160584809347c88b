//! The numbers of a block that the prior reads.

use std::ops::Range;

use crate::prior::numbers::numbers;
use crate::prior::structure::{
    Above, Record, Sum, Surroundings, above, container, log, share, small,
};
use crate::reason::Reason;
use crate::words::FAMILIES;

/// Numbers that are the same for the block and its neighbours: characters, share of links, punctuation,
/// element, same path as the block.
const OF_NEIGHBOUR: usize = 5;
/// Neighbours on each side.
const NEIGHBOURS: usize = 3;
/// Blocks on each side of a block whose text is its surroundings.
const AROUND: usize = 6;

/// The elements and the texts around a block.
pub(crate) struct Around<'p> {
    at: usize,
    /// Blocks of the page.
    count: usize,
    title: Option<usize>,
    main: &'p Range<usize>,
    shows_title: bool,
    /// Its reason by the rules, as [`reason_code`].
    reason: i16,
    /// Its element, and the two around it.
    elements: [u8; 3],
    up: &'p Above,
    record: &'p Record,
    /// Its place among the blocks with its text, and the number of these.
    copies: (u32, u32),
    block: Sum,
    before: Sum,
    page: Sum,
    /// The blocks with its path.
    path: Sum,
    /// The blocks before and after it.
    near: Sum,
    /// Its element, the three around it, and the lowest one that can hold several texts.
    element: Sum,
    parent: Sum,
    grandparent: Sum,
    great: Sum,
    container: Sum,
}

impl Around<'_> {
    /// Returns 1 if one of the elements around the block has the tag at a position of the list of tags.
    fn tag(&self, tag: usize) -> i16 {
        i16::from(self.up.tags & 1 << tag != 0)
    }
}

numbers! {
    /// Returns the numbers of a block without those of words and neighbours.
    PLAIN, plain(of: &Around<'_>) {
        chars => log(of.block.chars),
        links => share(of.block.links, of.block.chars),
        marks => small(of.block.marks),
        marks_per_char => share(of.block.marks, of.block.chars),
        title => i16::from(of.shows_title),
        text_before => share(of.before.text, of.page.text),
        blocks_before => share(of.at as u64, of.count as u64),
        blocks_after => log((of.count - of.at) as u64),
        after_title => after_title(of.title, of.at),
        has_title => i16::from(of.title.is_some()),
        depth => small(u64::from(of.up.depth)),
        element => i16::from(of.elements[0]),
        parent => i16::from(of.elements[1]),
        grandparent => i16::from(of.elements[2]),
        lists => small(u64::from(of.up.lists)),
        tables => small(u64::from(of.up.tables)),
        paragraphs => small(u64::from(of.up.paragraphs)),
        nav => of.tag(0),
        aside => of.tag(1),
        footer => of.tag(2),
        header => of.tag(3),
        form => of.tag(4),
        main => of.tag(5),
        article => of.tag(6),
        figure => of.tag(7),
        path_blocks => log(of.path.blocks),
        path_share => share(of.path.text, of.page.text),
        path_chars => log(of.path.chars / of.path.blocks.max(1)),
        path_links => share(of.path.links, of.path.chars),
        path_marks => share(of.path.marks, of.path.chars),
        element_share => share(of.element.text, of.page.text),
        element_links => share(of.element.links, of.element.chars),
        parent_share => share(of.parent.text, of.page.text),
        parent_links => share(of.parent.links, of.parent.chars),
        parent_blocks => log(of.parent.blocks),
        grandparent_share => share(of.grandparent.text, of.page.text),
        grandparent_links => share(of.grandparent.links, of.grandparent.chars),
        great_share => share(of.great.text, of.page.text),
        great_links => share(of.great.links, of.great.chars),
        container_share => share(of.container.text, of.page.text),
        reason => of.reason,
        in_main => i16::from(of.main.contains(&of.at)),
        after_main => after_main(of.main, of.at),
        text_around => log(of.near.text / of.near.blocks.max(1)),
        links_around => share(of.near.links, of.near.chars),
        records => small(of.record.count),
        record_at => small(of.record.at),
        record_chars => log(of.record.sum.chars / of.record.count.max(1)),
        record_links => share(of.record.sum.links, of.record.sum.chars),
        records_share => share(of.record.sum.text, of.page.text),
        records_title => i16::from(of.title.is_some_and(|title| of.record.blocks.contains(&title))),
        copies => small(u64::from(of.copies.1)),
        copy_at => small(u64::from(of.copies.0)),
        path_copies => share(of.path.copies, of.path.chars),
        parent_copies => share(of.parent.copies, of.parent.chars),
    }
}

/// The positions of the codes of three elements among the numbers, and of the reason.
pub(crate) const ELEMENTS: [usize; 3] = [11, 12, 13];
pub(crate) const REASON: usize = 40;
/// Codes of reasons that a block has before the prior.
pub(crate) const REASONS: usize = 8;

/// Number of the numbers of a block.
pub const FEATURES: usize = PLAIN.len() + 2 * FAMILIES + 2 * NEIGHBOURS * OF_NEIGHBOUR;

/// The numbers of a block.
pub(crate) type Features = [i16; FEATURES];

/// Returns the numbers of all blocks of a page. `main` are the blocks of the main branch, and
/// `reasons` those of the rules.
pub(crate) fn features(
    surroundings: &Surroundings<'_>,
    main: &Range<usize>,
    reasons: &[Reason],
) -> Vec<Features> {
    let Surroundings {
        outline,
        counts,
        sums,
        title,
        copies,
        records,
        record_of,
    } = surroundings;
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
        let leaf = outline.leaves[at];
        let node = &outline.nodes[leaf];
        let up = &above[leaf];
        let parent = node.parent;
        let grandparent = outline.nodes[parent].parent;
        let plain = plain(&Around {
            at,
            count,
            title: *title,
            main,
            shows_title: outline.blocks[at].title > 0,
            reason: reason_code(*reason, counts.is_repeated(at)),
            elements: [leaf, parent, grandparent].map(|node| outline.nodes[node].code),
            up,
            record: &records[record_of[leaf]],
            copies: copies[at],
            block: of_block(at),
            before: sums.of(0..at),
            page,
            path: paths[node.path],
            near: sums.of(at.saturating_sub(AROUND)..(at + AROUND + 1).min(count)),
            element: of_node(leaf),
            parent: of_node(parent),
            grandparent: of_node(grandparent),
            great: of_node(outline.nodes[grandparent].parent),
            container: of_node(container(outline, leaf)),
        });
        let mut numbers = [0; FEATURES];
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

/// Codes of the reasons: those of content are higher. The model was learned with these, so newer
/// reasons share the code of the one that they were part of.
fn reason_code(reason: Reason, repeats: bool) -> i16 {
    match reason {
        Reason::Comments => 0,
        Reason::SkipElement | Reason::Hidden | Reason::Caption | Reason::Header => 1,
        Reason::Repeated | Reason::FamiliarPath => 2,
        Reason::LinkSlot => 3,
        Reason::OffMainBranch | Reason::OtherArticle | Reason::Teaser => 4,
        Reason::Figures if !repeats => 6,
        Reason::Unit
        | Reason::Report
        | Reason::ContentSlot
        | Reason::Heading
        | Reason::RowLabel
        | Reason::Figures => 5,
        Reason::Unique | Reason::List | Reason::Lead => 6,
        Reason::OwnTitle => 7,
        // They are given by the prior, or after it.
        Reason::PriorContent
        | Reason::PriorBoilerplate
        | Reason::Copy
        | Reason::MarkedContent
        | Reason::MarkedBoilerplate => 8,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_those_of_their_names() {
        let names = ELEMENTS.map(|at| PLAIN[at]);
        assert_eq!(names, ["element", "parent", "grandparent"]);
        assert_eq!(PLAIN[REASON], "reason");
    }
}
