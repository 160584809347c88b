//! The elements of a page around a block, and sums of their text.

use std::ops::Range;

use crate::block_counts::BlockCounts;
use crate::element_code as code;
use crate::outline::Outline;

/// Returns a number as one that fits.
pub(crate) fn small(number: u64) -> i16 {
    i16::try_from(number).unwrap_or(i16::MAX)
}

/// Returns a share in thousandths; 0 of nothing.
pub(crate) fn share(part: u64, all: u64) -> i16 {
    small((part * 1000).checked_div(all).unwrap_or_default())
}

/// Returns eight times the binary logarithm.
pub(crate) fn log(number: u64) -> i16 {
    let number = number + 1;
    let whole = number.ilog2();
    // The three bits below the highest one.
    let part = (number << 3 >> whole) & 7;
    small(u64::from(whole) * 8 + part)
}

/// Properties that a node has from the elements around it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Above {
    pub(crate) words: u32,
    /// Words of the last four elements.
    pub(crate) near: [u32; 4],
    pub(crate) depth: u16,
    pub(crate) lists: u16,
    pub(crate) tables: u16,
    pub(crate) paragraphs: u16,
    pub(crate) tags: u16,
}

/// Tags around a block, bits of [`Above::tags`], by the code of the element.
const TAGS: [u8; 8] = [
    code::NAV,
    code::ASIDE,
    code::FOOTER,
    code::HEADER,
    code::FORM,
    code::MAIN,
    code::ARTICLE,
    code::FIGURE,
];

/// Sums over the blocks of an element or a path.
#[derive(Clone, Copy, Default)]
pub(crate) struct Sum {
    pub(crate) chars: u64,
    pub(crate) links: u64,
    /// Characters outside links that do not repeat.
    pub(crate) text: u64,
    pub(crate) marks: u64,
    /// Characters of blocks whose text is earlier on the page.
    pub(crate) copies: u64,
    pub(crate) blocks: u64,
}

impl Sum {
    pub(crate) fn add(&mut self, other: Sum) {
        self.chars += other.chars;
        self.links += other.links;
        self.text += other.text;
        self.marks += other.marks;
        self.copies += other.copies;
        self.blocks += other.blocks;
    }
}

/// The parts of a page that the numbers of the page and of its blocks are both made of.
pub(crate) struct Surroundings<'o> {
    pub(crate) outline: &'o Outline,
    pub(crate) counts: BlockCounts<'o>,
    pub(crate) sums: Page,
    /// The block with the page's own title.
    pub(crate) title: Option<usize>,
    /// Per block, its place among the blocks with its text, and the number of these.
    pub(crate) copies: Vec<(u32, u32)>,
    pub(crate) records: Vec<Record>,
    /// The record of each node.
    pub(crate) record_of: Vec<usize>,
}

impl<'o> Surroundings<'o> {
    pub(crate) fn new(outline: &'o Outline, counts: BlockCounts<'o>, title: Option<usize>) -> Self {
        let sums = Page::new(outline, counts);
        let (records, record_of) = records(outline, &sums);
        Self {
            outline,
            counts,
            sums,
            title,
            copies: copies(counts),
            records,
            record_of,
        }
    }
}

/// Returns, per block, its place among the blocks with its text, and the number of these.
fn copies(counts: BlockCounts<'_>) -> Vec<(u32, u32)> {
    let mut of_text = vec![0; counts.first.len()];
    let mut place = |first: &usize| {
        of_text[*first] += 1;
        of_text[*first]
    };
    let places: Vec<u32> = counts.first.iter().map(&mut place).collect();
    let all = counts.first.iter().map(|first| of_text[*first]);
    places.into_iter().zip(all).collect()
}

/// The text before each block of a page, to sum ranges.
pub(crate) struct Page(Vec<Sum>);

impl Page {
    pub(crate) fn new(outline: &Outline, counts: BlockCounts<'_>) -> Self {
        let mut before = Vec::with_capacity(outline.blocks.len() + 1);
        let mut sum = Sum::default();
        before.push(sum);
        for (at, block) in outline.blocks.iter().enumerate() {
            let (chars, links) = (u64::from(block.chars), u64::from(block.link_chars));
            let is_repeated = counts.is_repeated(at);
            sum.add(Sum {
                chars,
                links,
                text: if is_repeated {
                    0
                } else {
                    chars.saturating_sub(links)
                },
                marks: u64::from(block.marks),
                copies: if counts.first[at] < at { chars } else { 0 },
                blocks: 1,
            });
            before.push(sum);
        }
        Page(before)
    }

    /// Returns the sum of a range of blocks.
    pub(crate) fn of(&self, range: Range<usize>) -> Sum {
        let (one, other) = (self.0[range.start], self.0[range.end]);
        Sum {
            chars: other.chars - one.chars,
            links: other.links - one.links,
            text: other.text - one.text,
            marks: other.marks - one.marks,
            copies: other.copies - one.copies,
            blocks: other.blocks - one.blocks,
        }
    }

    /// Returns the sum of an element.
    pub(crate) fn of_node(&self, outline: &Outline, node: usize) -> Sum {
        let node = &outline.nodes[node];
        self.of(node.first..node.end)
    }
}

/// An element that is one of several with its path below one parent.
#[derive(Clone, Default)]
pub(crate) struct Record {
    /// Number of the elements.
    pub(crate) count: u64,
    /// Number of the elements before this one, plus 1.
    pub(crate) at: u64,
    /// The blocks of this element.
    pub(crate) blocks: Range<usize>,
    /// The text of all these elements.
    pub(crate) sum: Sum,
}

/// Elements of one path below one parent, from which on they are records.
const RECORDS: u64 = 3;

/// Returns the records of a page, and per element the lowest record around it. The first record is
/// that of elements in none.
fn records(outline: &Outline, sums: &Page) -> (Vec<Record>, Vec<usize>) {
    let mut records = vec![Record::default()];
    let mut of_node = vec![0; outline.nodes.len()];
    // Per path, its elements below the parent that was read last.
    let mut of_path: Vec<(usize, u64, u64, Sum)> =
        vec![(usize::MAX, 0, 0, Sum::default()); outline.paths.len()];
    let is_record = |child: &usize| {
        let node = &outline.nodes[*child];
        !node.text_part || node.code == code::ITEM
    };
    for parent in 0..outline.nodes.len() {
        if of_node[parent] == 0 {
            of_node[parent] = of_node[outline.nodes[parent].parent];
        }
        for child in outline.children(parent).filter(is_record) {
            let known = &mut of_path[outline.nodes[child].path];
            if known.0 != parent {
                *known = (parent, 0, 0, Sum::default());
            }
            known.1 += 1;
            known.3.add(sums.of_node(outline, child));
        }
        for child in outline.children(parent).filter(is_record) {
            let node = &outline.nodes[child];
            let (_, count, seen, sum) = &mut of_path[node.path];
            *seen += 1;
            if *count >= RECORDS {
                of_node[child] = records.len();
                records.push(Record {
                    count: *count,
                    at: *seen,
                    blocks: node.first..node.end,
                    sum: *sum,
                });
            }
        }
    }
    (records, of_node)
}

/// Returns what each element has from the elements around it.
pub(crate) fn above(outline: &Outline) -> Vec<Above> {
    let mut above: Vec<Above> = Vec::with_capacity(outline.nodes.len());
    above.push(Above::default());
    let words = outline.all_words();
    for (node, words) in outline.nodes.iter().zip(words).skip(1) {
        let mut own = above[node.parent];
        own.words |= words;
        own.near.rotate_right(1);
        own.near[0] = words;
        own.depth += 1;
        own.lists += u16::from(node.code == code::LIST);
        own.tables += u16::from(node.code == code::TABLE);
        own.paragraphs += u16::from(node.code == code::P);
        if let Some(tag) = TAGS.iter().position(|tag| *tag == node.code) {
            own.tags |= 1 << tag;
        }
        above.push(own);
    }
    above
}

/// Returns the lowest element around a node that is not a part of a text.
pub(crate) fn container(outline: &Outline, leaf: usize) -> usize {
    let mut at = leaf;
    while at != 0 && outline.nodes[at].text_part {
        at = outline.nodes[at].parent;
    }
    at
}
