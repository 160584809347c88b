//! Properties of the template, tested with random pages that are evicted many times.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use template::{
    BlockCounts, LayoutBlock, Outline, PagePaths, Reason, Style, Template, first_equal,
};

/// A fixed seed, so that the pages are the same on every machine. A failing case becomes a
/// separate test.
fn fixed() -> ProptestConfig {
    ProptestConfig {
        cases: 300,
        rng_seed: RngSeed::Fixed(2013),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

#[derive(Clone, Debug)]
struct Page {
    blocks: Vec<(String, LayoutBlock<'static>)>,
    counts: Vec<u32>,
    first: Vec<usize>,
    pages: u32,
}

/// Paths of few different elements, so that pages share paths.
fn path() -> impl Strategy<Value = String> {
    let element = select(vec![
        "div",
        "div.a",
        "div.m.b.c",
        "article",
        "p",
        "li",
        "h1",
        "nav",
        "form",
        "div.comments",
        "td",
        "table>tr>td",
        "div.rare-x",
        "div.rare-y",
    ]);
    vec(element, 0..5).prop_map(|elements| elements.join(">"))
}

/// Path, common prefix, characters, quarters of links, title, count, figures and text of a block.
type Numbers = (String, u16, u32, u32, u32, u32, u32, u32);

fn page() -> impl Strategy<Value = Page> {
    let block = (
        path(),
        0..4_u16,
        0..400_u32,
        0..=4_u32,
        prop_oneof![5 => Just(0), 1 => 1..40_u32],
        0..9_u32,
        prop_oneof![1 => Just(0), 1 => 1..4_u32],
        0..20_u32,
    );
    (vec(block, 0..12), 1..20_u32).prop_map(|(blocks, pages)| {
        let counts = blocks.iter().map(|block| block.5.clamp(1, pages)).collect();
        let texts: Vec<u32> = blocks.iter().map(|block| block.7).collect();
        let block = |(path, common_prefix, chars, links, title, _, figures, _): Numbers| {
            let block = LayoutBlock {
                path: "",
                common_prefix,
                chars,
                link_chars: chars * links / 4,
                marks: chars / 50,
                title,
                figures,
                style: Style::default(),
            };
            (path, block)
        };
        Page {
            blocks: blocks.into_iter().map(block).collect(),
            counts,
            first: first_equal(&texts),
            pages,
        }
    })
}

impl Page {
    fn blocks(&self) -> Vec<LayoutBlock<'_>> {
        self.blocks
            .iter()
            .map(|(path, block)| LayoutBlock { path, ..*block })
            .collect()
    }

    fn counts(&self) -> BlockCounts<'_> {
        BlockCounts {
            pages: self.pages,
            blocks: &self.counts,
            first: &self.first,
        }
    }

    fn paths(&self, template: &Template) -> PagePaths {
        template.page_paths(&Outline::new(&self.blocks()), self.counts())
    }

    fn labels(&self, template: &Template) -> Vec<Reason> {
        template.label(&Outline::new(&self.blocks()), self.counts())
    }
}

fn template_of(pages: &[Page]) -> Template {
    let mut template = Template::default();
    for page in pages {
        template.insert(&page.paths(&template));
    }
    template
}

proptest! {
    #![proptest_config(fixed())]

    /// The template after evictions equals a template of the pages of the window.
    #[test]
    fn evicted_pages_leave_no_trace(
        stream in vec(page(), 1..25),
        probes in vec(page(), 1..6),
        window in 0..12_usize,
    ) {
        let mut template = Template::default();
        for (at, page) in stream.iter().enumerate() {
            template.insert(&page.paths(&template));
            let from = (at + 1).saturating_sub(window);
            template.evict(template.pages().saturating_sub(window));
            let fresh = template_of(&stream[from..=at]);
            prop_assert_eq!(template.pages(), fresh.pages());
            for probe in probes.iter().chain([page]) {
                prop_assert_eq!(probe.labels(&template), probe.labels(&fresh));
            }
        }
    }

    /// The pages of a batch can be inserted in any order.
    #[test]
    fn the_order_of_pages_makes_no_difference(
        pages in vec(page(), 1..12).prop_flat_map(|pages| (Just(pages.clone()), Just(pages).prop_shuffle())),
    ) {
        let (one, other) = (template_of(&pages.0), template_of(&pages.1));
        for page in &pages.0 {
            prop_assert_eq!(page.labels(&one), page.labels(&other));
        }
    }

    /// A template of stored paths equals the original template.
    #[test]
    fn a_template_resumes_from_stored_paths(
        stream in vec(page(), 2..20),
        cut in any::<prop::sample::Index>(),
    ) {
        let (earlier, later) = stream.split_at(cut.index(stream.len()));
        let mut whole = template_of(earlier);
        let stored: Vec<PagePaths> = earlier.iter().map(|page| page.paths(&whole)).collect();
        let mut resumed = Template::default();
        stored.iter().for_each(|paths| resumed.insert(paths));
        for page in later {
            // The paths depend on the page and its counts, not on the template.
            let paths = page.paths(&whole);
            prop_assert_eq!(&paths, &page.paths(&resumed));
            whole.insert(&paths);
            resumed.insert(&paths);
            prop_assert_eq!(page.labels(&whole), page.labels(&resumed));
        }
    }

    /// A caller can insert paths that no page has.
    #[test]
    fn malformed_paths_do_not_panic(
        malformed in vec(vec((any::<u32>(), select(vec!["", "div", "p"]), any::<u32>()), 0..6), 1..5),
        page in page(),
    ) {
        let mut template = Template::default();
        for paths in &malformed {
            let path = |(parent, key, number): &(u32, &str, u32)| template::DomPath {
                parent: parent % 8,
                key: (*key).to_owned(),
                text_mass: *number,
                chars: *number,
                link_chars: *number,
                repeated_chars: *number,
                familiar_chars: number / 2,
                blocks: number % 7,
            };
            template.insert(&PagePaths { paths: paths.iter().map(path).collect(), rows: vec![7] });
        }
        prop_assert_eq!(page.labels(&template).len(), page.counts.len());
        template.evict(usize::MAX);
        prop_assert_eq!(template.pages(), 0);
        prop_assert_eq!(page.labels(&template), page.labels(&Template::default()));
    }
}
