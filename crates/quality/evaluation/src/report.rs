//! What was measured, as a section of a Markdown page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use md5::{Digest, Md5};
use scoring::{LearningCurve, MacroSummary, Outcome, PageInStream, Score, Summary, Tokens};
use serde::Deserialize;

use crate::results::{by_extractor, summary};
use crate::{Kind, Measured, Overlapping, PageResult, Standing, Tried, standings};

/// A figure that somebody published, to be printed beside what is measured now.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigure {
    /// Name of the [section](section_name) beside whose figures it is put.
    pub beside: String,
    /// Where it stands, such as `Kovačič 2012, table 5.3`.
    pub source: String,
    /// The pages it was measured on.
    pub pages: String,
    /// What it is of, as it is called there.
    pub name: String,
    /// The extractor of today that it is put beside.
    pub extractor: String,
    /// Mean precision, where it was published.
    pub precision: Option<f64>,
    /// Mean recall, where it was published.
    pub recall: Option<f64>,
    /// Mean F1.
    pub f1: f64,
}

/// A file of such figures, each a `[[figure]]`.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigures {
    /// In the order of the file.
    #[serde(rename = "figure")]
    pub figures: Vec<PublishedFigure>,
}

/// Pages of which the worst are told.
const WORST: usize = 20;

/// Domains that fit a table.
const DOMAINS: usize = 60;

/// All that is to be told of `measured`: accuracy, boundary cases, how it depends on
/// earlier pages, language and domain, what was `published` of the same extractors,
/// and the digests of the pages.
pub fn section(measured: &Measured, published: &[PublishedFigure]) -> String {
    let standings = standings(&measured.results);
    let parts = [
        what(measured),
        left_out(measured),
        accuracy(&standings),
        boundary_cases(&standings),
        earlier_pages(measured, &standings),
        languages(measured, &standings),
        domains(measured, &standings),
        worst_pages(measured, &standings),
        beside(measured, published),
        digests(measured),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

/// The name of that section: that of the collection, and how texts were compared, if
/// not as the paper does.
pub fn section_name(measured: &Measured) -> String {
    let tokens = match measured.measure.tokens {
        Tokens::Unicode => "",
        Tokens::Ascii => "-ascii",
    };
    let overlapping = match measured.measure.overlapping {
        Overlapping::Lcs => "",
        Overlapping::Difflib => "-difflib",
        Overlapping::RougeLsum => "-rouge-lsum",
    };
    format!("{}{tokens}{overlapping}", measured.name)
}

/// What was tried of a heuristic's parameter, as a section of its own.
pub fn tuning_section(tried: &[Tried]) -> String {
    let rows = tried.iter().map(|tried| {
        let chosen = if tried.chosen { "chosen" } else { "" };
        vec![
            tried.heuristic.to_string(),
            macro_f1(&tried.prefix),
            macro_f1(&tried.rest),
            chosen.to_owned(),
        ]
    });
    table(
        &["heuristic", "F1 on the prefix", "F1 on the rest", ""],
        rows,
    )
}

/// The page with the section of this name exchanged for `text`: what stands between
/// `<!-- eval:NAME -->` and `<!-- /eval:NAME -->`. A page without it gets it at its end.
pub fn place(page: &str, name: &str, text: &str) -> String {
    let (open, close) = (
        format!("<!-- eval:{name} -->"),
        format!("<!-- /eval:{name} -->"),
    );
    let section = format!("{open}\n{}\n{close}", text.trim_end());
    let found = page.split_once(&open).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(&close)?;
        Some((before, after))
    });
    match found {
        Some((before, after)) => format!("{before}{section}{after}"),
        None if page.is_empty() => format!("{section}\n"),
        None => format!("{}\n\n{section}\n", page.trim_end()),
    }
}

fn what(measured: &Measured) -> String {
    let pages: usize = measured.sets.iter().map(|set| set.pages).sum();
    let compared: BTreeSet<(&str, &str)> = (measured.results.iter())
        .map(|page| (page.set.as_str(), page.url.as_str()))
        .collect();
    let domains: BTreeSet<&str> = (measured.results.iter())
        .map(|page| page.domain.as_str())
        .collect();
    let words = match measured.measure.tokens {
        Tokens::Unicode => "letters, digits and underscores of Unicode",
        Tokens::Ascii => "ASCII letters, digits and underscores",
    };
    let common = match measured.measure.overlapping {
        Overlapping::Lcs => "their longest common subsequence",
        Overlapping::Difflib => "what Python's difflib matches",
        Overlapping::RougeLsum => "ROUGE-LSum",
    };
    format!(
        "{} of {pages} pages, {} domains, pages `{}`. Words: {words}, lower-cased; in common: \
         {common}.\n",
        compared.len(),
        domains.len(),
        digest(measured),
    )
}

/// Extractors that were asked for and could not be run.
fn left_out(measured: &Measured) -> String {
    let lines = measured
        .left_out
        .iter()
        .map(|reason| format!("- {reason}\n"));
    let lines: String = lines.collect();
    match lines.as_str() {
        "" => lines,
        lines => titled("Left out", lines),
    }
}

/// One digest for all sets.
fn digest(measured: &Measured) -> String {
    if let [set] = &measured.sets[..] {
        return set.digest.clone();
    }
    let mut digest = Md5::new();
    for set in &measured.sets {
        digest.update(&set.digest);
    }
    hex::encode(digest.finalize())
}

fn accuracy(standings: &[Standing]) -> String {
    let head = [
        "extractor",
        "",
        "F1",
        "P",
        "R",
        "median F1",
        "sd",
        "CPU ms/page",
        "version",
    ];
    let rows = standings.iter().map(|standing| {
        let spread = standing.summary.spread;
        vec![
            standing.extractor.clone(),
            standing.kind.as_str().to_owned(),
            figure(spread.map(|spread| spread.mean.f1)),
            figure(spread.map(|spread| spread.mean.precision)),
            figure(spread.map(|spread| spread.mean.recall)),
            figure(spread.map(|spread| spread.median.f1)),
            figure(spread.map(|spread| spread.standard_deviation.f1)),
            (standing.cpu_seconds).map_or_else(String::new, |time| format!("{:.2}", time * 1e3)),
            standing.version.clone().unwrap_or_default(),
        ]
    });
    titled("Accuracy: means over domains", &table(&head, rows))
}

fn boundary_cases(standings: &[Standing]) -> String {
    let head = [
        "extractor",
        "measured",
        "no overlap",
        "empty",
        "failed",
        "no gold: text",
        "no gold: empty",
        "no gold: failed",
    ];
    let rows = standings.iter().map(|standing| {
        let cases = standing.summary.cases;
        let counts = [
            cases.measured,
            cases.no_overlap,
            cases.empty_extraction,
            cases.failed,
            cases.empty_gold,
            cases.both_empty,
            cases.failed_without_gold,
        ];
        let mut row = vec![standing.extractor.clone()];
        row.extend(counts.map(|count| count.to_string()));
        row
    });
    titled("Pages by what came of them", &table(&head, rows))
}

/// F1 by the place of a page in its site's stream; nothing where no site has more than
/// ten pages.
fn earlier_pages(measured: &Measured, standings: &[Standing]) -> String {
    if measured.results.iter().all(|page| page.earlier < 10) {
        return String::new();
    }
    let results = by_extractor(&measured.results);
    let rows = standings.iter().map(|standing| {
        let pages = results[standing.extractor.as_str()].iter();
        let curve = LearningCurve::from_pages(pages.map(|page| PageInStream {
            domain: &page.domain,
            earlier: page.earlier,
            outcome: page.outcome,
        }));
        let buckets = [
            &curve.pages_1_to_10,
            &curve.pages_11_to_100,
            &curve.pages_from_101,
        ];
        let mut row = vec![standing.extractor.clone()];
        row.extend(buckets.map(macro_f1));
        row
    });
    let head = ["extractor", "pages 1-10", "11-100", "101 and later"];
    titled("F1 by place in the site's stream", &table(&head, rows))
}

fn languages(measured: &Measured, standings: &[Standing]) -> String {
    let languages: BTreeSet<&str> = (measured.results.iter())
        .filter_map(|page| page.lang.as_deref())
        .collect();
    if languages.len() < 2 {
        return String::new();
    }
    let results = by_extractor(&measured.results);
    let rows = standings.iter().map(|standing| {
        let pages = &results[standing.extractor.as_str()];
        let mut row = vec![standing.extractor.clone()];
        row.extend(languages.iter().map(|language| {
            let of_it = pages
                .iter()
                .filter(|page| page.lang.as_deref() == Some(language));
            macro_f1(&summary(of_it.copied()))
        }));
        row
    });
    let head: Vec<&str> = std::iter::once("extractor")
        .chain(languages.iter().copied())
        .collect();
    titled("F1 by language", &table(&head, rows))
}

/// F1 of each domain by the heuristics, and by the best of all others.
fn domains(measured: &Measured, standings: &[Standing]) -> String {
    let domains: BTreeSet<&str> = (standings.iter())
        .flat_map(|standing| standing.summary.domains.keys().map(String::as_str))
        .collect();
    if !(2..=DOMAINS).contains(&domains.len()) || domains.len() == measured.results.len() {
        return String::new();
    }
    let (ours, others): (Vec<&Standing>, Vec<&Standing>) =
        (standings.iter()).partition(|standing| standing.kind == Kind::Heuristic);
    let of = |standing: &Standing, domain: &str| {
        let spread = standing.summary.domains.get(domain)?.spread?;
        Some(spread.mean.f1)
    };
    let rows = domains.iter().map(|domain| {
        let mut row = vec![(*domain).to_owned()];
        row.extend(ours.iter().map(|standing| figure(of(standing, domain))));
        let best = (others.iter())
            .filter_map(|standing| Some((of(standing, domain)?, &standing.extractor)))
            .max_by(|one, other| one.0.total_cmp(&other.0));
        row.push(best.map_or_else(String::new, |(f1, name)| format!("{f1:.3} {name}")));
        row
    });
    let mut head = vec!["domain"];
    head.extend(ours.iter().map(|standing| standing.extractor.as_str()));
    head.push("best other");
    titled("F1 by domain", &table(&head, rows))
}

/// The pages on which the best heuristic did worst.
fn worst_pages(measured: &Measured, standings: &[Standing]) -> String {
    let Some(best) = (standings.iter()).find(|standing| standing.kind == Kind::Heuristic) else {
        return String::new();
    };
    let mut pages: Vec<(Score, &PageResult)> = by_extractor(&measured.results)
        [best.extractor.as_str()]
    .iter()
    .filter_map(|page| Some((page.outcome.counted()?, *page)))
    .collect();
    pages.sort_by(|one, other| {
        (one.0.f1.total_cmp(&other.0.f1)).then_with(|| one.1.url.cmp(&other.1.url))
    });
    let rows = pages.iter().take(WORST).map(|(score, page)| {
        let words = page.overlap.map(|overlap| overlap.gold().to_string());
        let mut row: Vec<String> = [score.f1, score.precision, score.recall]
            .map(rounded)
            .into();
        row.push(words.unwrap_or_default());
        row.push(why(page));
        row.push(page.url.clone());
        row
    });
    let title = format!("The {WORST} worst pages of {}", best.extractor);
    let head = ["F1", "P", "R", "words of gold", "why", "page"];
    titled(&title, &table(&head, rows))
}

/// What cost a page most, in a cell.
fn why(page: &PageResult) -> String {
    match (&page.error, page.cause) {
        (Some(error), _) => error.clone(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => String::new(),
    }
}

/// Published figures beside ours, which count as [K 3.3.4] does: over the pages that
/// have both gold and text, and words in common.
fn beside(measured: &Measured, published: &[PublishedFigure]) -> String {
    let results = by_extractor(&measured.results);
    let name = section_name(measured);
    let rows: Vec<Vec<String>> = (published.iter())
        .filter(|figure| figure.beside == name)
        .filter_map(|figure_of| {
            let pages = results.get(figure_of.extractor.as_str())?;
            let spread = Summary::from_outcomes(succeeded(pages)).spread?;
            let mut row = vec![figure_of.extractor.clone()];
            row.extend([spread.mean.precision, spread.mean.recall, spread.mean.f1].map(rounded));
            row.push(figure_of.name.clone());
            row.push(format!("{}, {}", figure_of.source, figure_of.pages));
            row.extend([figure_of.precision, figure_of.recall].map(figure));
            row.push(rounded(figure_of.f1));
            Some(row)
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let head = [
        "extractor",
        "P",
        "R",
        "F1",
        "published as",
        "in",
        "P there",
        "R there",
        "F1 there",
    ];
    let caption = "Beside published figures: means over the pages with words in common";
    titled(caption, &table(&head, rows))
}

fn succeeded<'r>(pages: &'r [&PageResult]) -> impl Iterator<Item = Outcome> + 'r {
    let outcomes = pages.iter().map(|page| page.outcome);
    outcomes.filter(|outcome| matches!(outcome, Outcome::Measured(_)))
}

fn digests(measured: &Measured) -> String {
    if measured.sets.len() < 2 {
        return String::new();
    }
    let mut compared: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for page in &measured.results {
        compared.entry(&page.set).or_default().insert(&page.url);
    }
    let rows = measured.sets.iter().map(|set| {
        let compared = compared.get(set.name.as_str()).map_or(0, BTreeSet::len);
        vec![
            set.name.clone(),
            compared.to_string(),
            set.pages.to_string(),
            format!("`{}`", set.digest),
        ]
    });
    let head = ["gold set", "compared", "pages", "digest"];
    titled("Gold sets", &table(&head, rows))
}

fn macro_f1(summary: &MacroSummary) -> String {
    figure(summary.spread.map(|spread| spread.mean.f1))
}

fn figure(value: Option<f64>) -> String {
    value.map_or_else(String::new, rounded)
}

fn rounded(value: f64) -> String {
    format!("{value:.3}")
}

fn titled(title: &str, table: &str) -> String {
    format!("**{title}**\n\n{table}")
}

fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let mut line = String::from("|");
        for cell in cells {
            let _ = write!(line, " {} |", cell.replace('|', "\\|").replace('\n', " "));
        }
        line.push('\n');
        line
    };
    let mut text = line(&mut head.iter().copied());
    text.push_str(&line(&mut head.iter().map(|_| "---")));
    for row in rows {
        text.push_str(&line(&mut row.iter().map(String::as_str)));
    }
    text
}
