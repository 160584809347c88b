//! The experiments of Sluban and Grčar [P 5].

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use scoring::cumulative_average;

use super::{mean, published, rounded};
use crate::results::by_extractor;
use crate::table::Table;
use crate::{Measured, PageResult, PublishedFigure};

/// The source of the paper's figures in a file of published figures.
const SOURCE: &str = "Sluban and Grčar 2013";

/// The algorithms of the paper's table 2, and the extractors of today. A port without
/// maintainers has none.
const ALGORITHMS: [(&str, Option<&str>); 10] = [
    ("Boilerpipe DE", Some("boilerpipe-default")),
    ("Boilerpipe AE", Some("boilerpipe-article")),
    ("Boilerpipe ASE", Some("boilerpipe-article-sentences")),
    ("Boilerpipe LCE", Some("boilerpipe-largest-content")),
    ("Boilerpipe NWRE", Some("boilerpipe-num-words")),
    ("jusText", Some("justext")),
    ("NCleaner default", Some("ncleaner")),
    ("NCleaner non-lexical", Some("ncleaner-nonlexical")),
    ("Readability .NET", None),
    ("Readability Python", Some("readability-lxml")),
];

/// The pages of the test set: those after the first `share` of each gold set, on which a
/// parameter is chosen ([`tune`](crate::tune)).
#[must_use]
pub fn test_part(measured: &Measured, share: f64) -> Measured {
    let mut pages: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for result in &measured.results {
        *pages.entry((&result.set, &result.extractor)).or_default() += 1;
    }
    let mut seen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut results = Vec::new();
    for result in &measured.results {
        let key = (result.set.as_str(), result.extractor.as_str());
        let prefix = (pages[&key] as f64 * share).round() as usize;
        let seen = seen.entry(key).or_default();
        if *seen >= prefix {
            results.push(result.clone());
        }
        *seen += 1;
    }
    Measured {
        results,
        ..measured.clone()
    }
}

/// A line of figure 4.
struct Domain<'r> {
    name: &'r str,
    pages: usize,
    /// The cumulative F1 after 10, after 100 and after all pages with gold.
    after: [Option<f64>; 3],
}

/// Returns the rows behind figure 4: the cumulative F1 of each domain under `extractor`, after 10,
/// 100 and all pages.
pub fn domains_table(measured: &[Measured], extractor: &str) -> RecordBatch {
    let mut domains: BTreeMap<&str, Vec<&PageResult>> = BTreeMap::new();
    let results = measured.iter().flat_map(|one| &one.results);
    for result in results.filter(|result| result.extractor == extractor) {
        domains.entry(&result.domain).or_default().push(result);
    }
    let rows: Vec<Domain<'_>> = (domains.into_iter())
        .map(|(name, mut results)| {
            results.sort_by_key(|result| result.place_in_stream());
            let means: Vec<f64> = running(&results).collect();
            Domain {
                name,
                pages: means.len(),
                after: [10, 100, means.len()].map(|pages| Some(*means.get(pages.checked_sub(1)?)?)),
            }
        })
        .collect();
    Table::of(&rows)
        .text("domain", |row| Some(row.name))
        .count("pages", |row| Some(row.pages))
        .number("f1_after_10", |row| row.after[0].map(rounded))
        .number("f1_after_100", |row| row.after[1].map(rounded))
        .number("f1", |row| row.after[2].map(rounded))
        .finish()
}

/// The cumulative F1 at each page that counts [P equation 4].
fn running(results: &[&PageResult]) -> impl Iterator<Item = f64> {
    let counted = results.iter().map(|result| result.outcome);
    let counted = counted.filter(|outcome| outcome.counted().is_some());
    cumulative_average(counted).filter_map(|average| Some(average.mean?.f1))
}

/// A line of figure 5.
struct Final<'r> {
    measured: &'r Measured,
    extractor: &'r str,
    pages: usize,
    /// The cumulative F1 after 1,000 and after all pages with gold.
    after: [Option<f64>; 2],
    published: Option<&'r PublishedFigure>,
}

/// Returns the rows behind figure 5: the cumulative F1 of each extractor over all pages in time
/// order, after 1,000 pages and after all, the best first.
pub fn finals_table(measured: &[Measured], figures: &[PublishedFigure]) -> RecordBatch {
    let mut rows = Vec::new();
    for one in measured {
        let mut finals: Vec<Final<'_>> = (by_extractor(&one.results).into_iter())
            .map(|(extractor, mut results)| {
                results.sort_by_key(|result| result.place_in_stream());
                let means: Vec<f64> = running(&results).collect();
                Final {
                    measured: one,
                    extractor,
                    pages: means.len(),
                    after: [means.get(999).copied(), means.last().copied()],
                    published: published(figures, SOURCE, extractor),
                }
            })
            .collect();
        finals.sort_by(|one, other| {
            let f1 = |row: &Final<'_>| row.after[1].unwrap_or(-1.0);
            f1(other)
                .total_cmp(&f1(one))
                .then(one.extractor.cmp(other.extractor))
        });
        rows.extend(finals);
    }
    Table::of(&rows)
        .text("gold", |row| Some(&row.measured.name))
        .text("extractor", |row| Some(row.extractor))
        .count("pages", |row| Some(row.pages))
        .number("f1_after_1000", |row| row.after[0].map(rounded))
        .number("f1", |row| row.after[1].map(rounded))
        .text("published_as", |row| Some(&row.published?.name))
        .number("published_f1", |row| Some(row.published?.f1))
        .finish()
}

/// Returns table 2 with the F1 of each algorithm's successor over all pages.
pub fn algorithms_table(measured: &[Measured], figures: &[PublishedFigure]) -> RecordBatch {
    let results: Vec<&PageResult> = measured.iter().flat_map(|one| &one.results).collect();
    let f1 = |extractor: &str| {
        let own = results.iter().filter(|page| page.extractor == extractor);
        Some(rounded(mean(own)?.f1))
    };
    Table::of(&ALGORITHMS)
        .text("algorithm", |row| Some(row.0))
        .text("extractor", |row| row.1)
        .number("f1", |row| f1(row.1?))
        .number("published_f1", |row| {
            Some(published(figures, SOURCE, row.1?)?.f1)
        })
        .finish()
}
