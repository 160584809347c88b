//! Properties that the documentation promises of the archive.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::NaiveDate;
use html_blocks::{BlockOptions, CharsetSource};
use md5::{Digest, Md5};
use sample::{Page, SampleOptions, pages};
use url_key::{
    Blocklist, DuplicateCandidate, DuplicateReason, KeyOptions, Keyer, RuleSet, UrlKey,
    duplicate_reason,
};

use crate::kinds;
use crate::queries::is_general;
use crate::scoring;

pub(crate) const RULES: &str = include_str!("../../../../../jobs/rules/url-keys.tsv");

fn date(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).expect("a date")
}

/// The default range and size of `urltree-sample`.
pub(crate) fn usual() -> SampleOptions {
    SampleOptions {
        first: date(2011, 10, 24),
        last: date(2011, 12, 19),
        pages: 6_000,
        seed: 1,
    }
}

fn keyer() -> Keyer {
    let rules = RuleSet::parse(RULES).expect("the rules are valid");
    Keyer::new(KeyOptions::default(), rules, Blocklist::default()).expect("no options")
}

fn key(keyer: &Keyer, page: &Page) -> Option<UrlKey> {
    let url = keyer.parse(page.url.as_deref()?).ok()?;
    Some(keyer.key(&url, page.title.as_deref()))
}

fn charset(page: &Page) -> Option<&str> {
    let parameter = |value: &'_ str| value.find("charset=").map(|at| at + "charset=".len());
    let content_type = page.content_type.as_deref().unwrap_or_default();
    page.http_charset
        .as_deref()
        .or(parameter(content_type).map(|at| &content_type[at..]))
}

pub(crate) fn blocks(page: &Page) -> Option<html_blocks::Page> {
    html_blocks::page(&page.html, charset(page), &BlockOptions::default()).ok()
}

fn digest(pages: impl Iterator<Item = Page>) -> String {
    let mut hash = Md5::new();
    for page in pages {
        hash.update(format!("{page:?}"));
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[test]
fn the_digest_of_an_archive_never_changes() {
    let options = SampleOptions {
        last: date(2011, 10, 26),
        pages: 150,
        ..usual()
    };
    assert_eq!(digest(pages(&options)), "26b4de9b2c2cf82004316292f03a9d9f");
    let other = SampleOptions {
        seed: 2,
        ..options.clone()
    };
    assert_ne!(digest(pages(&other)), digest(pages(&options)));
}

#[test]
fn new_sites_leave_the_rows_of_general_sites_unchanged() {
    let short = SampleOptions {
        last: date(2011, 10, 26),
        pages: 150,
        ..usual()
    };
    for (options, expected) in [
        (short, "dc0137a4846eb6e0323ff3633001c3a6"),
        (usual(), "6cbb617e9db03bccad58a8116e7657c1"),
    ] {
        assert_eq!(digest(pages(&options).filter(is_general)), expected);
    }
}

#[test]
fn the_pages_of_a_day_do_not_depend_on_the_range() {
    let fortnight = SampleOptions {
        last: date(2011, 11, 6),
        pages: 14 * 80,
        ..usual()
    };
    let all: Vec<Page> = pages(&fortnight).collect();
    for (first, last) in [(26, 26), (28, 31)] {
        let (first, last) = (date(2011, 10, first), date(2011, 10, last));
        let days = (last - first).num_days().unsigned_abs() + 1;
        let part: Vec<Page> = pages(&SampleOptions {
            first,
            last,
            pages: days * 80,
            seed: 1,
        })
        .collect();
        let is_in = |page: &&Page| {
            let day = page.fetched_at.div_euclid(86_400_000_000);
            (i64::from(first.to_epoch_days())..=i64::from(last.to_epoch_days())).contains(&day)
        };
        assert!(part.len() > 40);
        assert_eq!(
            part.iter().collect::<Vec<_>>(),
            all.iter().filter(is_in).collect::<Vec<_>>()
        );
    }
}

#[test]
fn pages_are_sorted_by_time_and_about_as_many_as_requested() {
    for (total, off) in [(600, 90), (6_000, 300)] {
        let options = SampleOptions {
            pages: total,
            ..usual()
        };
        let archive: Vec<Page> = pages(&options).collect();
        assert!(archive.is_sorted_by_key(|page| page.fetched_at));
        let day = |page: &Page| page.fetched_at.div_euclid(86_400_000_000);
        assert_eq!(day(&archive[0]), i64::from(options.first.to_epoch_days()));
        assert_eq!(
            archive.last().map(day),
            Some(i64::from(options.last.to_epoch_days()))
        );
        let general = archive.iter().filter(|page| is_general(page)).count() as u64;
        assert!(total.abs_diff(general) < off, "{general} of {total}");
        let of_kinds = archive.iter().filter(|page| kinds::kind(page).is_some());
        let of_kinds = of_kinds.count() as f64 / total as f64;
        assert!((0.17..0.25).contains(&of_kinds), "{of_kinds}");
        let others = (archive.len() as u64 - general) as f64 / total as f64 - of_kinds;
        assert!((0.12..0.2).contains(&others), "{others}");
    }
    assert_eq!(
        pages(&SampleOptions {
            last: date(2011, 10, 23),
            ..usual()
        })
        .count(),
        0
    );
    assert!(
        pages(&SampleOptions {
            pages: 0,
            ..usual()
        })
        .count()
            > 0
    );
}

#[test]
fn every_gold_word_is_on_the_page_in_order() {
    let mut seen = 0;
    for page in pages(&usual()) {
        let Some(gold) = &page.gold else { continue };
        let blocks = blocks(&page).expect("a page with gold has blocks").blocks;
        let text: Vec<&str> = blocks.iter().map(|block| block.text.as_str()).collect();
        let mut words = scoring::words(&text.join("\n")).into_iter();
        let missing = scoring::words(&gold.text)
            .into_iter()
            .find(|word| !words.any(|other| other == *word));
        assert_eq!(missing, None, "{:?}", page.url);
        seen += 1;
    }
    assert!(seen > 4_500, "{seen}");
}

#[test]
fn few_paragraphs_repeat() {
    let mut articles: BTreeMap<(&str, String), BTreeSet<String>> = BTreeMap::new();
    for gold in pages(&usual()).filter_map(|page| page.gold) {
        let lines = gold.text.lines().map(str::to_owned);
        let title = gold.text.lines().next().expect("a title").to_owned();
        articles
            .entry((gold.site, title))
            .or_default()
            .extend(lines);
    }
    let mut counts: HashMap<(&str, &str), usize> = HashMap::new();
    for ((site, _), lines) in &articles {
        for line in lines {
            *counts.entry((site, line)).or_default() += 1;
        }
    }
    let all: usize = counts.values().sum();
    let repeated: usize = counts.values().filter(|count| **count > 1).sum();
    let share = repeated as f64 / all as f64;
    assert!((0.02..0.25).contains(&share), "{share}");
}

#[test]
fn sites_differ_in_language_and_charset_declaration() {
    let mut languages = BTreeSet::new();
    let mut charsets: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for page in pages(&usual()) {
        let Some(gold) = &page.gold else { continue };
        languages.insert(gold.lang);
        let found = blocks(&page).expect("a page with gold has blocks");
        *charsets
            .entry((found.charset, found.charset_source.as_str()))
            .or_default() += 1;
    }
    assert_eq!(
        languages,
        BTreeSet::from(["de", "en", "es", "fr", "ja", "ru", "sl", "zh"])
    );
    let declared_by = |source: CharsetSource| -> Vec<&str> {
        let some = charsets
            .iter()
            .filter(|((_, by), count)| *by == source.as_str() && **count >= 10);
        some.map(|((charset, _), _)| *charset).collect()
    };
    assert_eq!(declared_by(CharsetSource::Bom), ["UTF-8"]);
    assert_eq!(declared_by(CharsetSource::Http), ["UTF-8", "windows-1252"]);
    let declared = [
        "EUC-JP",
        "GBK",
        "ISO-8859-2",
        "Shift_JIS",
        "UTF-8",
        "windows-1251",
        "windows-1252",
    ];
    assert_eq!(declared_by(CharsetSource::Meta), declared);
    assert_eq!(declared_by(CharsetSource::Utf8), ["UTF-8"]);
    assert!(
        declared_by(CharsetSource::Detected).contains(&"windows-1251"),
        "{charsets:?}"
    );
}

#[test]
fn pages_have_several_urls_and_are_fetched_again() {
    let keyer = keyer();
    let mut first: HashMap<String, (Page, UrlKey)> = HashMap::new();
    let mut steps: BTreeMap<DuplicateReason, usize> = BTreeMap::new();
    let (mut same, mut changed, mut slashes, mut escapes, mut schemes, mut ids) =
        (0, 0, 0, 0, 0, 0);
    for page in pages(&usual()) {
        let Some(key) = key(&keyer, &page) else {
            continue;
        };
        ids += usize::from(key.rule.is_some());
        let Some((original, known)) = first.get(&key.text) else {
            first.insert(key.text.clone(), (page, key));
            continue;
        };
        let [then, now] =
            [(original, known), (&page, &key)].map(|(page, key)| DuplicateCandidate {
                request_url: page.request_url.as_deref(),
                url: page.url.as_deref().expect("a keyed page has a URL"),
                normalized: &key.normalized,
                rule: key.rule.as_deref(),
                unlearned: "",
            });
        *steps.entry(duplicate_reason(&then, &now)).or_default() += 1;
        slashes += usize::from(then.url.ends_with('/') != now.url.ends_with('/'));
        escapes += usize::from(now.url.contains("%7E") || now.url.contains("%2D"));
        schemes += usize::from(then.url.starts_with("https") != now.url.starts_with("https"));
        if page.gold.is_some() && then.url == now.url && original.http_status == Some(200) {
            if kinds::grows(&page) {
                let [then, now] = [original, &page].map(|page| {
                    let gold = page.gold.as_ref();
                    gold.map(|gold| gold.text.as_str()).unwrap_or_default()
                });
                assert!(now.starts_with(then), "{then}\n\n{now}");
            } else {
                assert_eq!(page.gold, original.gold, "{}", now.url);
            }
            if page.html == original.html {
                same += 1;
            } else {
                changed += 1;
            }
        }
    }
    for step in [
        DuplicateReason::IdenticalUrl,
        DuplicateReason::Redirect,
        DuplicateReason::Encoding,
        DuplicateReason::DroppedQuery,
        DuplicateReason::Rule,
    ] {
        assert!(
            steps.get(&step).is_some_and(|count| *count >= 20),
            "{steps:?}"
        );
    }
    let kinds = [same, changed, slashes, escapes, schemes];
    assert!(kinds.iter().all(|count| *count >= 20), "{kinds:?}");
    assert!(ids > 500, "{ids} pages are named by a parameter");
}

#[test]
fn every_kind_of_broken_row_occurs() {
    let keyer = keyer();
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    let mut count = |kind| *found.entry(kind).or_default() += 1;
    let mut paths = BTreeSet::new();
    for page in pages(&usual()) {
        if page.gold.is_some() {
            continue;
        }
        match (&page.url, page.http_status) {
            (None, _) => count("no url"),
            (Some(url), _) if keyer.parse(url).is_err() => count("invalid url"),
            (_, Some(404)) => count("not found"),
            (_, Some(500)) => count("server error"),
            _ => match html_blocks::page(&page.html, charset(&page), &BlockOptions::default()) {
                Err(error) => count(error.reason()),
                Ok(found) if found.blocks.is_empty() => count("script only"),
                Ok(_) if !page.html.trim_ascii().ends_with(b"</html>") => count("truncated"),
                Ok(found) => {
                    paths.extend(page.url);
                    let texts = found.blocks.iter().filter(|block| !block.chrome).count();
                    count(if texts < 25 { "little text" } else { "list" });
                }
            },
        }
    }
    for kind in [
        "no url",
        "invalid url",
        "not found",
        "server error",
        "empty_html",
        "binary_html",
        "script only",
        "truncated",
        "little text",
        "list",
    ] {
        assert!(
            found.get(kind).is_some_and(|count| *count >= 3),
            "{kind} in {found:?}"
        );
    }
    assert!(paths.len() > 100, "{}", paths.len());
}

#[test]
fn sites_differ_in_size_redesigns_and_launch() {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    let mut days: BTreeMap<&str, BTreeSet<i64>> = BTreeMap::new();
    let mut designs: BTreeMap<&str, BTreeSet<Vec<u8>>> = BTreeMap::new();
    let mut hosts: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for page in pages(&usual()).filter(is_general) {
        let (Some(gold), Some(url)) = (&page.gold, &page.url) else {
            continue;
        };
        *sizes.entry(gold.site).or_default() += 1;
        days.entry(gold.site)
            .or_default()
            .insert(page.fetched_at.div_euclid(86_400_000_000));
        hosts
            .entry(gold.site)
            .or_default()
            .extend(url.split('/').nth(2).map(str::to_owned));
        let style = page
            .html
            .windows(8)
            .position(|bytes| bytes == b"</style>")
            .expect("a style sheet");
        designs
            .entry(gold.site)
            .or_default()
            .insert(page.html[style - 200..style].to_vec());
    }
    assert_eq!(sizes.len(), 30);
    let [largest, smallest] =
        [sizes.values().max(), sizes.values().min()].map(|size| *size.expect("sites"));
    assert!(largest > 500 && smallest < 30, "{largest} and {smallest}");
    let redesigned = designs
        .values()
        .filter(|designs| designs.len() == 2)
        .count();
    assert!((3..=10).contains(&redesigned), "{redesigned}");
    assert!(designs.values().all(|designs| designs.len() <= 2));
    let launch = i64::from(date(2011, 11, 14).to_epoch_days());
    assert!(
        days["voz-santelmo.example"]
            .first()
            .is_some_and(|day| *day >= launch)
    );
    assert!(days["saltmouth.example"].len() < 25);
    assert!(hosts.values().filter(|hosts| hosts.len() > 1).count() >= 3);
}
