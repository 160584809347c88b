//! Sites of other kinds than news.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use sample::{Page, pages};

use crate::archive::{blocks, usual};

/// The kinds, each with the domain of its site.
const KINDS: [(&str, &str); 7] = [
    ("forum", "werkbank-forum.example"),
    ("documentation", "sluicegate.example"),
    ("tickets", "millrace.example"),
    ("shop", "comptoir-valmorel.example"),
    ("glossary", "glosario-molino.example"),
    ("ministry", "wasserwege-ministerium.example"),
    ("endless scroll", "rechnye-vesti.example"),
];

/// Returns the kind of a page; `None` for a page of a news site.
pub(crate) fn kind(page: &Page) -> Option<&'static str> {
    let host = page.request_url.as_deref()?.split('/').nth(2)?;
    let mut kinds = KINDS.iter();
    let (kind, _) = kinds.find(|(_, domain)| host.ends_with(domain))?;
    Some(kind)
}

/// Returns the domain of a kind's site.
pub(crate) fn domain(kind: &str) -> &'static str {
    let mut kinds = KINDS.iter();
    let found = kinds.find(|(name, _)| *name == kind);
    found.expect("a kind").1
}

/// Returns whether the text of a page grows when the page is fetched again.
pub(crate) fn grows(page: &Page) -> bool {
    matches!(kind(page), Some("forum" | "tickets"))
}

/// A page with its gold text.
struct Text {
    url: String,
    gold: String,
    blocks: Vec<String>,
}

impl Text {
    fn gold_lines(&self) -> BTreeSet<&str> {
        self.gold.lines().collect()
    }

    /// Returns the blocks that are not in the gold text.
    fn others(&self) -> impl Iterator<Item = &str> {
        let gold = self.gold_lines();
        let blocks = self.blocks.iter().map(String::as_str);
        blocks.filter(move |block| !gold.contains(block))
    }
}

/// The pages with gold texts in the default archive of `urltree-sample`, by kind.
static TEXTS: LazyLock<BTreeMap<&str, Vec<Text>>> = LazyLock::new(|| {
    let mut texts: BTreeMap<&str, Vec<Text>> = BTreeMap::new();
    for page in pages(&usual()) {
        let (Some(kind), Some(gold)) = (kind(&page), &page.gold) else {
            continue;
        };
        let found = blocks(&page).expect("a page with gold has blocks");
        texts.entry(kind).or_default().push(Text {
            url: page.url.clone().expect("a page with gold has a URL"),
            gold: gold.text.clone(),
            blocks: found.blocks.into_iter().map(|block| block.text).collect(),
        });
    }
    texts
});

/// Returns the number of pages of a kind of which a block outside the gold text has `part`, after
/// asserting that no gold text of the kind has it.
fn boilerplate(kind: &str, part: &str) -> usize {
    let mut count = 0;
    for text in &TEXTS[kind] {
        assert!(!text.gold.contains(part), "{part} in {}", text.url);
        count += usize::from(text.others().any(|block| block.contains(part)));
    }
    count
}

#[test]
fn every_kind_has_100_pages() {
    for (kind, _) in KINDS {
        let urls: BTreeSet<&str> = TEXTS[kind].iter().map(|text| text.url.as_str()).collect();
        assert!(urls.len() >= 100, "{kind}: {}", urls.len());
    }
}

#[test]
fn threads_grow_and_authors_are_boilerplate() {
    let forum = &TEXTS["forum"];
    for part in ["Verfasst am:", "Angemeldet seit:", "Beiträge:", "Melden"] {
        assert_eq!(boilerplate("forum", part), forum.len(), "{part}");
    }
    let quotes = forum
        .iter()
        .filter(|text| text.gold.contains(" hat Folgendes geschrieben:"))
        .count();
    assert!(quotes > 20, "{quotes}");
    let mut first: HashMap<&str, &Text> = HashMap::new();
    let mut grown = 0;
    for text in forum {
        let before = *first.entry(&text.url).or_insert(text);
        grown += usize::from(text.gold.len() > before.gold.len());
    }
    assert!(grown >= 12, "{grown}");
}

#[test]
fn two_versions_of_a_page_have_most_lines_in_common() {
    let texts = &TEXTS["documentation"];
    let of: HashMap<&str, &Text> = texts.iter().map(|text| (text.url.as_str(), text)).collect();
    let mut pairs = 0;
    for text in texts.iter().filter(|text| text.url.contains("/en/4.2/")) {
        let Some(other) = of.get(text.url.replace("/4.2/", "/5.0/").as_str()) else {
            continue;
        };
        let (lines, others) = (text.gold_lines(), other.gold_lines());
        let common = lines.intersection(&others).count();
        assert!(common * 10 > lines.len() * 7, "{}", text.url);
        assert_ne!(text.gold, other.gold);
        pairs += 1;
    }
    assert!(pairs >= 30, "{pairs}");
    for text in texts {
        let others = text.others().count();
        assert!(others >= 40, "{others} links of contents in {}", text.url);
        for label in ["Type", "Default", "Required"] {
            assert!(text.gold_lines().contains(label), "{label}: {}", text.url);
        }
    }
    assert_eq!(
        boilerplate("documentation", "Was this page helpful?"),
        texts.len()
    );
}

#[test]
fn changes_of_properties_are_boilerplate() {
    let tickets = TEXTS["tickets"].len();
    for part in [" changed from ", " set to "] {
        let pages = boilerplate("tickets", part);
        assert!(pages * 3 > tickets, "{part}: {pages} of {tickets}");
    }
    assert_eq!(boilerplate("tickets", "Vote for this ticket"), tickets);
    assert!(boilerplate("tickets", ".patch") > 20);
}

#[test]
fn specifications_are_text_and_prices_are_not() {
    let shop = &TEXTS["shop"];
    assert_eq!(boilerplate("shop", "€"), shop.len());
    let sold_out = boilerplate("shop", "Actuellement épuisé");
    assert!((5..shop.len() / 3).contains(&sold_out), "{sold_out}");
    for text in shop {
        for label in ["Référence", "Couleur", "Poids"] {
            assert!(text.gold_lines().contains(label), "{label}: {}", text.url);
        }
    }
}

#[test]
fn terms_refer_to_other_terms() {
    let terms = &TEXTS["glossary"];
    let titles: BTreeSet<&str> = terms
        .iter()
        .filter_map(|text| text.gold.lines().next())
        .collect();
    let references = terms.iter().filter_map(|text| {
        let (_, related) = text.gold.split_once("Compárese con ")?;
        Some(related.trim_end_matches('.').split(" y "))
    });
    let known = references.filter(|related| related.clone().all(|term| titles.contains(term)));
    let known = known.count();
    assert!(known * 10 > terms.len() * 9, "{known} of {}", terms.len());
}

#[test]
fn an_address_is_text_on_one_page_and_boilerplate_on_others() {
    let pages = &TEXTS["ministry"];
    let mut addresses: BTreeSet<&str> = BTreeSet::new();
    for text in pages {
        let mut lines = text.gold.lines();
        if lines.any(|line| line == "Anschrift:") {
            addresses.extend(lines.next());
        }
    }
    assert!(addresses.len() >= 50, "{}", addresses.len());
    let elsewhere = pages
        .iter()
        .filter(|text| text.others().any(|block| addresses.contains(block)))
        .count();
    assert!(elsewhere * 10 > pages.len() * 8, "{elsewhere}");
}

#[test]
fn whole_other_articles_follow_and_differ_by_fetch() {
    let pages = &TEXTS["endless scroll"];
    let titles: BTreeSet<&str> = pages
        .iter()
        .filter_map(|text| text.gold.lines().next())
        .collect();
    let below = |text: &Text| -> Vec<String> {
        let title = text.gold.lines().next().expect("a title").to_owned();
        let others = text.blocks.iter().filter(|block| **block != title);
        others
            .filter(|block| titles.contains(block.as_str()))
            .cloned()
            .collect()
    };
    let mut first: HashMap<&str, Vec<String>> = HashMap::new();
    let mut differ = 0;
    for text in pages {
        let others: usize = text.others().map(str::len).sum();
        assert!(others > text.gold.len(), "{}", text.url);
        let now = below(text);
        let before = first.entry(&text.url).or_insert_with(|| now.clone());
        differ += usize::from(*before != now);
    }
    assert!(differ >= 5, "{differ}");
}
