//! The template on real streams.

use std::collections::HashMap;

use conformance::material;
use evaluation::{GoldPage, GoldSet, Measure, PageBlocks, Text, Texts, compare, standings};
use html_blocks::BlockOptions;
use template::{BlockCounts, PagePaths, Template, first_equal};
use url_tree::{DomainReplay, Entry, Heuristic, WindowOptions};

/// Short streams in four languages, with the thresholds of their F1.
const STREAMS: [(&str, f64); 4] = [
    ("aakinshin_ru", 0.99),
    ("insertcredit", 0.99),
    ("lgkblog", 0.99),
    ("openpompei", 0.99),
];

/// A page of a stream, and the counts of the URL Tree at its insertion.
struct Visit {
    page: GoldPage,
    blocks: PageBlocks,
    pages: u32,
    counts: Vec<u32>,
    first: Vec<usize>,
}

impl Visit {
    fn counts(&self) -> BlockCounts<'_> {
        BlockCounts {
            pages: self.pages,
            blocks: &self.counts,
            first: &self.first,
        }
    }

    /// Inserts the page. Returns its text and its slots.
    fn enter(&self, template: &mut Template) -> (String, PagePaths) {
        let outline = self.blocks.outline();
        let slots = template.page_paths(&outline, self.counts());
        template.insert(&slots);
        let reasons = template.label(&outline, self.counts());
        let labelled = self.blocks.texts.iter().zip(reasons);
        let content = labelled.filter(|(_, reason)| reason.is_content());
        let texts: Vec<&str> = content.map(|(text, _)| text.as_str()).collect();
        (texts.join("\n"), slots)
    }
}

/// The pages of a stream; if the stream is missing, prints that the test skips, and returns
/// `None`.
fn stream(test: &str, name: &str) -> Option<Vec<Visit>> {
    let path = material(test, &format!("data/streams/{name}.parquet"))?;
    let set = GoldSet::file(path);
    let mut html = HashMap::new();
    set.for_each_fetched(|page| {
        html.insert(page.url.to_owned(), page.html.unwrap_or_default().to_vec());
    })
    .expect("a gold set");
    let mut tree = DomainReplay::new(2, Heuristic::default(), WindowOptions::default());
    let visit = |page: GoldPage| {
        let parsed = html_blocks::page(&html[&page.url], None, &BlockOptions::default());
        let blocks = PageBlocks::of(parsed.expect("a page"));
        let branch: [&str; 0] = [];
        tree.insert(Entry {
            time_micros: page.fetched_at.unwrap_or_default(),
            branch: &branch,
            hashes: &blocks.hashes,
        });
        let counted = tree.counts(&branch, &blocks.hashes).swap_remove(0);
        Visit {
            page,
            first: first_equal(&blocks.hashes),
            blocks,
            pages: counted.support,
            counts: counted.counts,
        }
    };
    let pages = set.pages().expect("a gold set");
    Some(pages.into_iter().map(visit).collect())
}

#[test]
fn streams_reach_their_thresholds() {
    for (name, threshold) in STREAMS {
        let Some(visits) = stream("streams_reach_their_thresholds", name) else {
            return;
        };
        let mut template = Template::default();
        let mut texts = Texts::of("template");
        for visit in &visits {
            texts.insert(&visit.page.url, Text::of(visit.enter(&mut template).0));
        }
        let gold: Vec<GoldPage> = visits.into_iter().map(|visit| visit.page).collect();
        let results = compare(name, &gold, |_| true, &texts, Measure::default());
        let standing = standings(&results).swap_remove(0);
        assert!(standing.summary.cases.measured >= 50, "{name}");
        let f1 = standing.summary.spread.expect("pages with gold").mean.f1;
        assert!(f1 >= threshold, "{name}: {f1}");
    }
}

/// replay(all) equals replay(prefix), then replay(rest) from the stored window.
#[test]
fn a_stream_continues_from_its_stored_window() {
    const WINDOW: usize = 20;
    let test = "a_stream_goes_on_from_its_stored_window";
    for (name, _) in STREAMS {
        let Some(visits) = stream(test, name) else {
            return;
        };
        let (earlier, later) = visits.split_at(visits.len() / 2);
        let mut whole = Template::default();
        let mut stored = Vec::new();
        for visit in earlier {
            stored.push(visit.enter(&mut whole).1);
            whole.evict(whole.pages().saturating_sub(WINDOW));
        }
        let mut resumed = Template::default();
        let window = &stored[stored.len() - WINDOW..];
        window.iter().for_each(|slots| resumed.insert(slots));
        assert!(later.len() > WINDOW, "{name}");
        for visit in later {
            let expected = visit.enter(&mut whole);
            assert_eq!(visit.enter(&mut resumed), expected, "{}", visit.page.url);
            for template in [&mut whole, &mut resumed] {
                template.evict(1);
            }
        }
    }
}
