//! The stored slots of pages are enough to continue a replay.

use std::sync::Arc;

use proptest::prelude::*;
use site_replay::{Labelling, PageLabels, SiteReplay, marked_reason};
use template::marks::{Label, MarkedPath, SiteMarks};
use template::{LayoutBlock, Outline, PagePaths, Style};
use url_tree::{BlockHash, Entry, WindowOptions};

const BRANCH: [&str; 3] = ["example", "news", "www"];
const SLOTS: [&str; 5] = [
    "ul.menu>li",
    "div.story>p",
    "div.story>h1",
    "div.more>p",
    "footer",
];

/// A block: its slot, its text by number, its length, and whether it is a link.
type Piece = (usize, u8, u32, bool);

#[derive(Clone, Debug)]
struct Page {
    hashes: Vec<BlockHash>,
    layout: Vec<LayoutBlock<'static>>,
}

fn pages() -> impl Strategy<Value = Vec<Page>> {
    let piece = (0..SLOTS.len(), 0..9_u8, 1..300_u32, any::<bool>());
    let page = prop::collection::vec(piece, 1..8).prop_map(|pieces: Vec<Piece>| Page {
        hashes: pieces.iter().map(|piece| [piece.1; 16]).collect(),
        layout: (pieces.iter())
            .map(|(slot, _, chars, link)| LayoutBlock {
                path: SLOTS[*slot],
                common_prefix: 0,
                chars: *chars,
                link_chars: if *link { *chars } else { 0 },
                marks: 0,
                title: 0,
                figures: 0,
                style: Style::default(),
            })
            .collect(),
    });
    prop::collection::vec(page, 2..40)
}

const WINDOW: WindowOptions = WindowOptions {
    max_pages: 6,
    max_age_micros: 9,
    min_pages: 3,
};

fn entry(at: usize, page: &Page) -> Entry<'_, &'static str> {
    Entry {
        time_micros: at as i64,
        branch: &BRANCH,
        hashes: &page.hashes,
    }
}

/// Replays pages in batches of `size`. Returns the labels and the slots.
fn replay(
    site: &mut SiteReplay,
    pages: &[(usize, &Page)],
    size: usize,
) -> Vec<(PageLabels, PagePaths)> {
    let mut seen = Vec::new();
    for batch in pages.chunks(size) {
        for (at, page) in batch {
            site.insert(entry(*at, page), Some(Outline::new(&page.layout)));
        }
        for (_, page) in batch {
            let kept = site.take_outline().expect("there is room for all of them");
            let labels = site.label(&BRANCH, &page.hashes, Some(&kept));
            let anew = Outline::new(&page.layout);
            assert_eq!(labels, site.label(&BRANCH, &page.hashes, Some(&anew)));
            seen.push((labels, site.take_slots().expect("every page was inserted")));
        }
        let newest = batch.last().map_or(0, |(at, _)| *at as i64);
        site.end_batch(newest);
        assert!(site.take_slots().is_none());
    }
    seen
}

proptest! {
    /// replay(prefix), then a new site restored from the stored slots, is replay(all).
    #[test]
    fn a_restored_site_continues_its_replay(pages in pages(), batches in 0..9_usize, size in 1..4_usize) {
        let pages: Vec<(usize, &Page)> = pages.iter().enumerate().collect();
        let all = replay(&mut SiteReplay::new(2, Labelling::Template, WINDOW), &pages, size);
        let cut = (batches * size).min(pages.len());
        let mut next = SiteReplay::new(2, Labelling::Template, WINDOW);
        for ((at, page), (_, slots)) in pages[..cut].iter().zip(&all) {
            let kept = PagePaths::from_bytes(&slots.to_bytes()).expect("they were kept");
            next.restore(entry(*at, page), &kept);
        }
        next.end_batch(cut.saturating_sub(1) as i64);
        let rest = replay(&mut next, &pages[cut..], size);
        prop_assert_eq!(&all[cut..], &rest[..]);
    }

    /// Marks replace the labels of the blocks that they are for, and change nothing else: neither the labels of
    /// other blocks and other pages, nor what is stored of a page.
    #[test]
    fn marks_change_the_labels_of_their_blocks_alone(pages in pages(), slots in prop::collection::btree_map(0..SLOTS.len(), any::<bool>(), 0..4), size in 1..4_usize) {
        let pages: Vec<(usize, &Page)> = pages.iter().enumerate().collect();
        let mut marks = SiteMarks::default();
        for (slot, is_content) in slots {
            let label = if is_content { Label::Content } else { Label::Boilerplate };
            marks.set(MarkedPath::parse(SLOTS[slot]).expect("a path"), label);
        }
        let marks = Arc::new(marks);
        let site = || SiteReplay::new(2, Labelling::Template, WINDOW);
        let plain = replay(&mut site(), &pages, size);
        let marked = replay(&mut site().with_marks(Some(Arc::clone(&marks))), &pages, size);
        for (((_, page), (before, learned)), (after, learned_too)) in pages.iter().zip(&plain).zip(&marked) {
            prop_assert_eq!(learned, learned_too);
            prop_assert_eq!(before.labels.node, after.labels.node);
            let blocks = page.layout.iter().enumerate();
            for (at, block) in blocks {
                let expected = marks.label(block.path).map(marked_reason);
                let expected = expected.unwrap_or(before.reasons[at]);
                prop_assert_eq!(after.reasons[at], expected);
                let (before, after) = (before.labels.blocks[at], after.labels.blocks[at]);
                prop_assert_eq!(after.verdict == url_tree::Verdict::Content, expected.is_content());
                prop_assert_eq!((after.count, after.support, after.unseen), (before.count, before.support, before.unseen));
            }
        }
    }

    /// A page without an outline is labelled by the tree.
    #[test]
    fn a_page_without_a_layout_is_labelled_by_repetition(pages in pages()) {
        let mut site = SiteReplay::new(2, Labelling::Template, WINDOW);
        for (at, page) in pages.iter().enumerate() {
            site.insert(entry(at, page), None);
            let bare = site.label(&BRANCH, &page.hashes, None);
            prop_assert_eq!(bare.reasons.len(), page.hashes.len());
            prop_assert_eq!(site.take_slots(), Some(PagePaths::default()));
        }
    }
}

#[test]
fn outlines_are_kept_as_long_as_there_is_room() {
    let mut site = SiteReplay::new(2, Labelling::Template, WINDOW);
    let layout = vec![
        LayoutBlock {
            path: "div.story>p",
            common_prefix: 0,
            chars: 9,
            link_chars: 0,
            marks: 0,
            title: 0,
            figures: 0,
            style: Style::default(),
        };
        60_000
    ];
    let page = Page {
        hashes: vec![[0; 16]; layout.len()],
        layout,
    };
    let kept = |site: &mut SiteReplay, pages: usize| -> Vec<Option<usize>> {
        let outline = || Some(Outline::new(&page.layout));
        (0..pages).for_each(|at| site.insert(entry(at, &page), outline()));
        (0..pages)
            .map(|_| {
                let outline = site.take_outline();
                assert!(site.take_outline().is_none(), "it is given away once");
                assert!(site.take_slots().is_some());
                outline.map(|outline| outline.block_count())
            })
            .collect()
    };
    assert_eq!(kept(&mut site, 3), [Some(60_000), Some(60_000), None]);
    assert_eq!(kept(&mut site, 1), [Some(60_000)]);
}
