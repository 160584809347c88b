//! Results as sections of a Markdown page.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use md5::{Digest, Md5};
use scoring::{LearningCurve, MacroSummary, Outcome, PageInStream, Score, Summary, Tokens};

use crate::results::{by_extractor, summary};
use crate::{
    Counted, Kind, Measure, Measured, Overlapping, PageResult, PublishedFigure, Standing, Tried,
    standings,
};

/// The length of the list of worst pages.
const WORST: usize = 20;

/// The most domains that a table of domains has; sets with more have no such table.
const DOMAINS: usize = 60;

/// Returns the section of a collection: accuracy, boundary cases, F1 by earlier pages,
/// language and domain, `published` figures of the same extractors, and the digests of
/// the pages.
pub fn section(measured: &Measured, published: &[PublishedFigure]) -> String {
    let standings = standings(&measured.results);
    let parts = [
        pages_and_measure(measured),
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

/// Returns the name of the section of a collection: the name of the collection, and the
/// method of comparing texts, unless it is the paper's.
pub fn section_name(measured: &Measured) -> String {
    format!("{}{}", measured.name, suffix(&measured.measure))
}

/// Returns the name and text of the section that compares the collections: F1 of each extractor
/// on each of them, best mean first. Returns `None` for fewer than two collections.
pub fn comparison_section(measured: &[Measured]) -> Option<(String, String)> {
    let [first, _, ..] = measured else {
        return None;
    };
    let columns: Vec<BTreeMap<String, Standing>> = (measured.iter())
        .map(|one| {
            let standings = standings(&one.results).into_iter();
            standings
                .map(|standing| (standing.extractor.clone(), standing))
                .collect()
        })
        .collect();
    let best: Vec<Option<f64>> = (columns.iter())
        .map(|column| column.values().map(Standing::f1).reduce(f64::max))
        .collect();
    let kinds: BTreeMap<&str, Kind> = (columns.iter().flat_map(BTreeMap::values))
        .map(|standing| (standing.extractor.as_str(), standing.kind))
        .collect();
    let mut rows: Vec<(Option<f64>, Vec<String>)> = (kinds.iter())
        .map(|(extractor, kind)| {
            let reached: Vec<Option<f64>> = (columns.iter())
                .map(|column| column.get(*extractor).map(Standing::f1))
                .collect();
            let all: Option<Vec<f64>> = reached.iter().copied().collect();
            let mean = all.map(|all| all.iter().sum::<f64>() / all.len() as f64);
            let cells = reached.iter().zip(&best).map(|(f1, best)| match f1 {
                Some(_) if f1 == best => format!("**{}**", figure(*f1)),
                f1 => figure(*f1),
            });
            let names = [(*extractor).to_owned(), kind.as_str().to_owned()];
            let cells = names.into_iter().chain(cells).chain([figure(mean)]);
            (mean, cells.collect())
        })
        .collect();
    // Extractors that miss on a collection have no mean, and are last.
    rows.sort_by(|one, other| (other.0.unwrap_or(-1.0)).total_cmp(&one.0.unwrap_or(-1.0)));
    let mut head = vec!["extractor", ""];
    head.extend(measured.iter().map(|one| one.name.as_str()));
    head.push("mean");
    Some((
        format!("collections{}", suffix(&first.measure)),
        titled(
            "F1 of each collection: means over domains",
            &table(&head, rows.into_iter().map(|(_, row)| row)),
        ),
    ))
}

/// The part of a section's name that says how texts were compared.
fn suffix(measure: &Measure) -> String {
    let tokens = match measure.tokens {
        Tokens::Unicode => "",
        Tokens::Ascii => "-ascii",
    };
    let overlapping = match measure.overlapping {
        Overlapping::Lcs => "",
        Overlapping::Difflib => "-difflib",
        Overlapping::Bag => "-bag",
        Overlapping::RougeLsum => "-rouge-lsum",
    };
    let counted = match measure.counted {
        Counted::Words => "",
        Counted::EditDistance => "-edit",
        Counted::Weighted(_) => "-weighted",
        Counted::Nodes => "-nodes",
    };
    format!("{tokens}{overlapping}{counted}")
}

/// Returns the section of the parameters that were tried.
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

/// Replaces the section of this name, between `<!-- eval:NAME -->` and
/// `<!-- /eval:NAME -->`, by `text`. If the page has no such section, appends it.
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

fn pages_and_measure(measured: &Measured) -> String {
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
        Overlapping::Difflib => "the matches of Python's difflib",
        Overlapping::Bag => "those of both bags of words",
        Overlapping::RougeLsum => "ROUGE-LSum",
    };
    let counted = match measured.measure.counted {
        Counted::Words => String::new(),
        Counted::EditDistance => " Edit distance: words inserted and deleted.".to_owned(),
        Counted::Weighted(weights) => format!(
            " Weights of words: {} in the title, {} for the first {} words after it, {} for \
             noise inside the text, 1 else.",
            weights.title, weights.start, weights.start_words, weights.inline
        ),
        Counted::Nodes => " Counted are the nodes of the page that a text covers, or that a \
                            method names."
            .to_owned(),
    };
    format!(
        "{} of {pages} pages, {} domains, pages `{}`. Words: {words}, lower-cased; in common: \
         {common}.{counted}\n",
        compared.len(),
        domains.len(),
        digest(measured),
    )
}

/// The extractors that could not be run.
fn left_out(measured: &Measured) -> String {
    let lines = measured
        .left_out
        .iter()
        .map(|reason| format!("- {reason}\n"));
    let lines: String = lines.collect();
    match lines.as_str() {
        "" => lines,
        lines => titled("Extractors that could not be run", lines),
    }
}

/// Returns one digest for all sets.
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
    titled("Pages by outcome", &table(&head, rows))
}

/// F1 by the number of earlier pages of the domain; empty if no domain has more than ten
/// pages.
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
    titled(
        "F1 by position in the stream of the domain",
        &table(&head, rows),
    )
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

/// F1 of each domain: each heuristic, and the best of the other extractors.
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

/// The pages with the lowest F1 of the best heuristic.
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

/// Returns the error or the main cause of a page's loss of score.
fn why(page: &PageResult) -> String {
    match (&page.error, page.cause) {
        (Some(error), _) => error.clone(),
        (None, Some(cause)) => cause.to_string(),
        (None, None) => String::new(),
    }
}

/// Published figures beside today's results. The means are over the pages with words in
/// common, as in [K 3.3.4].
fn beside(measured: &Measured, published: &[PublishedFigure]) -> String {
    let results = by_extractor(&measured.results);
    let name = section_name(measured);
    let rows: Vec<Vec<String>> = (published.iter())
        .filter(|figure| figure.is_beside(&name))
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
        "published P",
        "published R",
        "published F1",
    ];
    let caption = "Published figures beside today's: means over the pages with words in common";
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
