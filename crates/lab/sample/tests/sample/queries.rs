//! Sites whose queries no rule knows, and a site with twins by path.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use sample::{Gold, Page, pages};
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

use crate::archive::{RULES, blocks, usual};
use crate::kinds;

const NAMELESS: &str = "gazette-marlieu.example";
const DOC: &str = "brunnthaler-anzeiger.example";
const DESK: &str = "crossbeck-ledger.example";
const FEW: &str = "tarn-observer.example";
const UNIQUE: &str = "tribuna-arenal.example";
const BOTH: &str = "zareski-dnevnik.example";
const TWINS: &str = "wendholm-journal.example";

/// The sites with their parameters without effect.
const SITES: [(&str, &[&str]); 7] = [
    (NAMELESS, &[]),
    (DOC, &[]),
    (DESK, &[]),
    (FEW, &["pos", "skin"]),
    (UNIQUE, &["via"]),
    (BOTH, &["visit"]),
    (TWINS, &[]),
];

/// The suffixes of URLs of twins, except for the mobile host and the session.
const SUFFIXES: [(&str, &str); 3] = [
    ("/index.html", "index"),
    ("/amp", "amp"),
    ("/print", "print"),
];

/// Returns the site of a page in [`SITES`].
fn site(page: &Page) -> Option<&'static str> {
    let host = page.request_url.as_deref()?.split('/').nth(2)?;
    let mut domains = SITES.iter().map(|(domain, _)| *domain);
    domains.find(|domain| host.ends_with(domain))
}

/// Returns whether a page is of one of the thirty sites that share the pages of
/// `SampleOptions::pages`.
pub(crate) fn is_general(page: &Page) -> bool {
    site(page).is_none() && kinds::kind(page).is_none()
}

/// An article page of a site in [`SITES`].
struct Row {
    page: Page,
    site: &'static str,
    gold: Gold,
    /// The URL without session, twin and parameters without effect, and with its
    /// parameters sorted.
    canonical: String,
    /// The twin or the parameter without effect, if the URL has one.
    kind: Option<String>,
    /// Names and values of the parameters, in the order of the URL.
    parameters: Vec<(String, String)>,
}

impl Row {
    fn new(page: Page) -> Option<Self> {
        let site = site(&page)?;
        let gold = page.gold.clone()?;
        let url = page.url.clone()?;
        let (path, query) = url.split_once('?').unwrap_or((&url, ""));
        let parameters: Vec<(String, String)> = query
            .split('&')
            .filter(|part| !part.is_empty())
            .map(|part| part.split_once('=').unwrap_or(("", part)))
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let noise = SITES.iter().find(|(domain, _)| *domain == site)?.1;
        let (noise, mut kept): (Vec<_>, Vec<_>) = parameters
            .iter()
            .cloned()
            .partition(|(name, _)| noise.contains(&name.as_str()));
        kept.sort();
        let (path, twin) = canonical_path(path);
        let kind = noise.first().map(|(name, _)| name.clone());
        Some(Row {
            site,
            gold,
            canonical: format!("{path} {kept:?}"),
            kind: kind.or(twin.map(str::to_owned)),
            parameters,
            page,
        })
    }

    fn url(&self) -> &str {
        self.page.url.as_deref().unwrap_or_default()
    }
}

fn canonical_path(path: &str) -> (String, Option<&'static str>) {
    if let Some((story, _)) = path.split_once(";jsessionid=") {
        return (story.to_owned(), Some("session"));
    }
    if path.contains("://m.") {
        return (path.replacen("://m.", "://www.", 1), Some("mobile"));
    }
    for (suffix, twin) in SUFFIXES {
        if let Some(story) = path.strip_suffix(suffix) {
            let slash = if twin == "index" { "/" } else { "" };
            return (format!("{story}{slash}"), Some(twin));
        }
    }
    (path.to_owned(), None)
}

/// The article pages of [`SITES`] in the default archive of `urltree-sample`.
static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| pages(&usual()).filter_map(Row::new).collect());

fn rows(site: &str) -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(move |row| row.site == site)
}

/// Returns the rows that repeat an earlier row, by site and kind of URL.
fn duplicates() -> BTreeMap<(&'static str, &'static str), usize> {
    let mut seen = BTreeSet::new();
    let mut found: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for row in ROWS.iter() {
        if !seen.insert((row.site, &row.canonical)) {
            let kind = row.kind.as_deref().unwrap_or("plain");
            *found.entry((row.site, kind)).or_default() += 1;
        }
    }
    found
}

#[test]
fn every_site_has_at_least_20_pages() {
    for (site, _) in SITES {
        let unique: BTreeSet<&str> = rows(site).map(|row| row.canonical.as_str()).collect();
        assert!(unique.len() >= 20, "{site}: {} pages", unique.len());
    }
}

#[test]
fn every_kind_of_url_has_at_least_30_duplicates() {
    let found = duplicates();
    for kind in [
        (FEW, "pos"),
        (FEW, "skin"),
        (UNIQUE, "via"),
        (BOTH, "visit"),
        (TWINS, "index"),
        (TWINS, "amp"),
        (TWINS, "mobile"),
        (TWINS, "print"),
        (TWINS, "session"),
    ] {
        let count = found.get(&kind).copied().unwrap_or_default();
        assert!(count >= 30, "{kind:?}: {count}");
    }
    for site in [FEW, UNIQUE, BOTH, TWINS] {
        let plain = rows(site).filter(|row| row.kind.is_none()).count();
        assert!(plain >= 15, "{site}: {plain} pages without noise");
    }
}

#[test]
fn rows_have_one_gold_text_exactly_if_they_are_one_page() {
    let mut gold_of: HashMap<&str, &Gold> = HashMap::new();
    let mut page_of: HashMap<(&str, &str), &str> = HashMap::new();
    for row in ROWS.iter() {
        assert_eq!(row.gold.site, row.site);
        let gold = *gold_of.entry(&row.canonical).or_insert(&row.gold);
        assert_eq!(*gold, row.gold, "{}", row.url());
        let article = (row.site, row.gold.text.as_str());
        let canonical = *page_of.entry(article).or_insert(&row.canonical);
        assert_eq!(canonical, row.canonical, "{}", row.url());
    }
}

#[test]
fn no_rule_applies_and_no_parameter_is_listed() {
    let rules = RuleSet::parse(RULES).expect("the rules are valid");
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default()).expect("no options");
    let columns = RULES.lines().filter(|line| !line.starts_with('#'));
    let listed: BTreeSet<&str> = columns.flat_map(|line| line.split('\t').skip(1)).collect();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    for row in ROWS.iter() {
        let url = keyer.parse(row.url()).expect("a valid URL");
        let key = keyer.key(&url, row.page.title.as_deref());
        assert_eq!(key.rule, None, "{}", row.url());
        names.extend(row.parameters.iter().map(|(name, _)| name.as_str()));
    }
    assert_eq!(
        names,
        BTreeSet::from(["", "desk", "doc", "pos", "skin", "via", "visit"])
    );
    for name in names.into_iter().filter(|name| !name.is_empty()) {
        assert!(!listed.contains(name), "{name}");
    }
}

#[test]
fn all_articles_of_query_sites_are_at_one_path() {
    for site in [NAMELESS, DOC, DESK, BOTH] {
        let paths: BTreeSet<&str> = rows(site)
            .filter_map(|row| row.url().split('?').next())
            .collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
    }
    assert!(
        rows(NAMELESS).all(|row| matches!(&row.parameters[..], [(name, _)] if name.is_empty()))
    );
    assert!(rows(DOC).all(|row| matches!(&row.parameters[..], [(name, _)] if name == "doc")));
}

/// Returns the number of values of a parameter that several pages have.
fn shared_values(site: &str, name: &str) -> usize {
    let mut pages: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows(site) {
        let mut parameters = row.parameters.iter();
        if let Some((_, value)) = parameters.find(|(other, _)| other == name) {
            pages.entry(value).or_default().insert(&row.canonical);
        }
    }
    pages.values().filter(|pages| pages.len() > 1).count()
}

#[test]
fn two_parameters_identify_a_page_only_together() {
    assert!(rows(DESK).all(|row| row.parameters.len() == 2));
    let (desk, pos) = (shared_values(DESK, "desk"), shared_values(DESK, "pos"));
    assert!(desk >= 5 && pos >= 8, "{desk} and {pos}");
}

#[test]
fn the_order_of_parameters_varies() {
    for (site, name) in [(DESK, "desk"), (BOTH, "doc")] {
        let two = rows(site).filter(|row| row.parameters.len() == 2);
        let (first, last): (Vec<_>, Vec<_>) = two.partition(|row| row.parameters[0].0 == name);
        assert!(
            first.len() >= 30 && last.len() >= 30,
            "{site}: {} and {}",
            first.len(),
            last.len()
        );
    }
    let mut orders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for row in rows(DESK) {
        orders.entry(&row.canonical).or_default().insert(row.url());
    }
    let both = orders.values().filter(|urls| urls.len() == 2).count();
    assert!(both >= 30, "{both}");
}

#[test]
fn noise_has_three_values_or_another_value_for_each_fetch() {
    let values = |site: &str, name: &str| -> Vec<&str> {
        let parameters = rows(site).flat_map(|row| &row.parameters);
        parameters
            .filter(|(other, _)| other == name)
            .map(|(_, value)| value.as_str())
            .collect()
    };
    for (site, name) in [(FEW, "pos"), (FEW, "skin")] {
        let values = values(site, name);
        let distinct: BTreeSet<&str> = values.iter().copied().collect();
        assert_eq!(distinct.len(), 3, "{name}");
        assert!(shared_values(site, name) == 3, "{name}");
    }
    for (site, name) in [(UNIQUE, "via"), (BOTH, "visit")] {
        let values = values(site, name);
        let distinct: BTreeSet<&str> = values.iter().copied().collect();
        assert_eq!(distinct.len(), values.len(), "{name}");
    }
}

#[test]
fn pages_of_a_twin_differ_around_the_article() {
    let mut first: HashMap<&str, &Row> = HashMap::new();
    let mut differ: BTreeMap<&str, usize> = BTreeMap::new();
    let texts = |row: &Row| -> BTreeSet<String> {
        let blocks = blocks(&row.page)
            .expect("a page with gold has blocks")
            .blocks;
        blocks.into_iter().map(|block| block.text).collect()
    };
    for row in rows(TWINS) {
        let before = *first.entry(&row.canonical).or_insert(row);
        let Some(kind) = row.kind.as_deref().filter(|_| before.kind != row.kind) else {
            continue;
        };
        let (one, other) = (texts(before), texts(row));
        let article: BTreeSet<String> = row.gold.text.lines().map(str::to_owned).collect();
        let [then, now] = [&one, &other].map(|texts| article.intersection(texts).count());
        assert!(then == now && now > 3, "{then} and {now}: {}", row.url());
        if one != other {
            *differ.entry(kind).or_default() += 1;
        }
    }
    for kind in ["index", "amp", "mobile", "print", "session"] {
        let count = differ.get(kind).copied().unwrap_or_default();
        assert!(count >= 25, "{kind}: {differ:?}");
    }
}
