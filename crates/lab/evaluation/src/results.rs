//! Results of many pages as a table, and their summaries.

use std::collections::BTreeMap;
use std::path::Path;

use arrow::array::RecordBatch;
use parquet::errors::ParquetError;
use scoring::{MacroSummary, Outcome, Score, cumulative_average};

use crate::table::{Table, write_parquet};
use crate::{Counted, Kind, Measured, Overlapping, PageResult};

/// Returns the value of the column `outcome`.
fn outcome_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Measured(_) => "measured",
        Outcome::NoOverlap => "no_overlap",
        Outcome::EmptyExtraction => "empty_extraction",
        Outcome::EmptyGold => "empty_gold",
        Outcome::BothEmpty => "both_empty",
        Outcome::Failed => "failed",
        Outcome::FailedWithoutGold => "failed_without_gold",
    }
}

/// A row of [`results_table`].
struct Row<'r> {
    measured: &'r Measured,
    page: &'r PageResult,
    running: Running,
}

/// The mean F1 of an extractor up to a page.
#[derive(Clone, Copy, Default)]
struct Running {
    /// Over all pages of the collection.
    of_stream: Option<f64>,
    /// Over the pages of the domain.
    of_domain: Option<f64>,
}

impl Row<'_> {
    fn counts_nodes(&self) -> bool {
        self.measured.measure.counted == Counted::Nodes
    }

    /// A number of words, or of nodes.
    fn count(&self, nodes: bool, of: fn(scoring::Overlap) -> usize) -> Option<usize> {
        let overlap = self.page.overlap.filter(|_| nodes == self.counts_nodes());
        overlap.map(of)
    }

    fn f_beta(&self) -> Option<f64> {
        let beta = self.measured.measure.beta?;
        Some(self.page.outcome.counted()?.f_beta(beta))
    }
}

/// Returns a table with one row per page and extractor. `precision`, `recall` and `f1`
/// are null if the page does not count in a mean; `outcome` has the reason.
///
/// `mean_f1` is the cumulative moving average of the paper's equation 4: the mean F1 of the
/// extractor over the pages of the collection up to this one, in the order of `fetched_at` and
/// `url`. `mean_f1_of_domain` is the same over the pages of the domain.
pub fn results_table(measured: &[Measured]) -> RecordBatch {
    let rows: Vec<Row<'_>> = (measured.iter())
        .flat_map(|one| {
            let pages = one.results.iter().zip(running_means(&one.results));
            pages.map(move |(page, running)| Row {
                measured: one,
                page,
                running,
            })
        })
        .collect();
    let score = |row: &Row<'_>, of: fn(Score) -> f64| row.page.outcome.counted().map(of);
    Table::of(&rows)
        .text("gold", |row| Some(&row.measured.name))
        .text("gold_set", |row| Some(&row.page.set))
        .text("extractor", |row| Some(&row.page.extractor))
        .text("kind", |row| Some(row.page.kind.as_str()))
        .text("version", |row| row.page.version.as_ref())
        .text("domain", |row| Some(&row.page.domain))
        .text("url", |row| Some(&row.page.url))
        .text("lang", |row| row.page.lang.as_ref())
        .count("earlier", |row| Some(row.page.earlier))
        .text("outcome", |row| Some(outcome_name(row.page.outcome)))
        .number("precision", |row| score(row, |score| score.precision))
        .number("recall", |row| score(row, |score| score.recall))
        .number("f1", |row| score(row, |score| score.f1))
        .count("words_in_common", |row| {
            row.count(false, |words| words.common())
        })
        .count("words_extracted", |row| {
            row.count(false, |words| words.extracted())
        })
        .count("words_of_gold", |row| {
            row.count(false, |words| words.gold())
        })
        .text("error", |row| row.page.error.as_ref())
        .number("cpu_seconds", |row| row.page.cpu_seconds)
        .time("fetched_at", |row| row.page.fetched_at)
        .number("mean_f1", |row| row.running.of_stream)
        .number("mean_f1_of_domain", |row| row.running.of_domain)
        .number("f_beta", Row::f_beta)
        .count("edit_distance", |row| edit_distance(row.measured, row.page))
        .count("nodes_in_common", |row| {
            row.count(true, |nodes| nodes.common())
        })
        .count("nodes_extracted", |row| {
            row.count(true, |nodes| nodes.extracted())
        })
        .count("nodes_of_gold", |row| row.count(true, |nodes| nodes.gold()))
        .count("page_nodes", |row| row.page.page_nodes)
        .finish()
}

/// CleanEval's edit distance of a page. It follows from the words in common only if these are a
/// longest common subsequence.
fn edit_distance(measured: &Measured, page: &PageResult) -> Option<usize> {
    let measure = measured.measure;
    let is_exact = measure.overlapping == Overlapping::Lcs && measure.counted != Counted::Nodes;
    Some(page.overlap.filter(|_| is_exact)?.edit_distance())
}

/// Returns the running means at each of `results`, in their order.
fn running_means(results: &[PageResult]) -> Vec<Running> {
    let mut means = vec![Running::default(); results.len()];
    let mut streams: BTreeMap<(&str, Option<&str>), Vec<usize>> = BTreeMap::new();
    for (index, page) in results.iter().enumerate() {
        for domain in [None, Some(page.domain.as_str())] {
            let stream = streams.entry((&page.extractor, domain)).or_default();
            stream.push(index);
        }
    }
    for ((_, domain), mut stream) in streams {
        stream.sort_by_key(|index| results[*index].place_in_stream());
        let outcomes = stream.iter().map(|index| results[*index].outcome);
        for (index, average) in stream.iter().zip(cumulative_average(outcomes)) {
            let f1 = average.mean.map(|mean| mean.f1);
            match domain {
                None => means[*index].of_stream = f1,
                Some(_) => means[*index].of_domain = f1,
            }
        }
    }
    means
}

/// Writes [`results_table`] as a Parquet file.
///
/// # Errors
/// [`ParquetError`] if the file cannot be written.
pub fn write_results(measured: &[Measured], path: &Path) -> Result<(), ParquetError> {
    write_parquet(&results_table(measured), path)
}

/// Returns a table with one row per collection and extractor, the best of each collection
/// first. Means are over domains; `measured` and the columns after it count pages. `f_beta`
/// and `edit_similarity` are there if the measure asks for them.
pub fn standings_table(measured: &[Measured]) -> RecordBatch {
    let rows: Vec<(&Measured, Standing)> = (measured.iter())
        .flat_map(|one| {
            let standings = standings(&one.results).into_iter();
            standings.map(move |standing| (one, standing))
        })
        .collect();
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let spread = |row: &(&Measured, Standing)| row.1.summary.spread;
    let cases = |row: &(&Measured, Standing)| row.1.summary.cases;
    let mean = |row: &(&Measured, Standing), of: &dyn Fn(&PageResult) -> Option<f64>| {
        let own = row.0.results.iter();
        let own = own.filter(|page| page.extractor == row.1.extractor);
        Some(rounded(mean_over_domains(own, of)?))
    };
    let mut table = Table::of(&rows)
        .text("gold", |row| Some(&row.0.name))
        .text("extractor", |row| Some(&row.1.extractor))
        .text("version", |row| row.1.version.as_ref())
        .number("f1", |row| Some(rounded(spread(row)?.mean.f1)))
        .number("precision", |row| {
            Some(rounded(spread(row)?.mean.precision))
        })
        .number("recall", |row| Some(rounded(spread(row)?.mean.recall)))
        .number("median_f1", |row| Some(rounded(spread(row)?.median.f1)))
        .number("sd_f1", |row| {
            Some(rounded(spread(row)?.standard_deviation.f1))
        })
        .count("domains", |row| Some(row.1.summary.counted_domains()))
        .count("measured", |row| Some(cases(row).measured))
        .count("no_overlap", |row| Some(cases(row).no_overlap))
        .count("empty_extraction", |row| Some(cases(row).empty_extraction))
        .count("failed", |row| Some(cases(row).failed))
        .count("empty_gold", |row| Some(cases(row).empty_gold))
        .count("both_empty", |row| Some(cases(row).both_empty))
        .count("failed_without_gold", |row| {
            Some(cases(row).failed_without_gold)
        })
        .number("cpu_ms", |row| Some(rounded(row.1.cpu_seconds? * 1e3)));
    if measured.iter().any(|one| one.measure.beta.is_some()) {
        table = table.number("f_beta", |row| {
            let beta = row.0.measure.beta?;
            mean(row, &|page| Some(page.outcome.counted()?.f_beta(beta)))
        });
    }
    let is_edit = |one: &Measured| one.measure.counted == Counted::EditDistance;
    if measured.iter().any(is_edit) {
        table = table.number("edit_similarity", |row| {
            mean(row, &|page| Some(page.overlap?.edit_similarity()))
        });
    }
    table.finish()
}

/// Returns the mean over domains of a number of each page that counts in a mean. A page that the
/// extractor failed on counts 0.
fn mean_over_domains<'r>(
    pages: impl Iterator<Item = &'r PageResult>,
    of: &dyn Fn(&PageResult) -> Option<f64>,
) -> Option<f64> {
    let mut domains: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for page in pages.filter(|page| page.outcome.counted().is_some()) {
        let (sum, count) = domains.entry(&page.domain).or_default();
        *sum += of(page).unwrap_or_default();
        *count += 1;
    }
    let means = domains.values().map(|(sum, count)| sum / *count as f64);
    (!domains.is_empty()).then(|| means.sum::<f64>() / domains.len() as f64)
}

/// The scores of an extractor over some pages.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Standing {
    /// The extractor.
    pub extractor: String,
    /// The kind of the extractor.
    pub kind: Kind,
    /// The version of the extractor, if it is known.
    pub version: Option<String>,
    /// Means over pages, domains and the boundary cases.
    pub summary: MacroSummary,
    /// Mean processor time of a page in seconds, over the pages with a measured time.
    pub cpu_seconds: Option<f64>,
}

impl Standing {
    fn of(results: &[&PageResult]) -> Option<Self> {
        let first = results.first()?;
        let times: Vec<f64> = (results.iter())
            .filter_map(|result| result.cpu_seconds)
            .collect();
        Some(Self {
            extractor: first.extractor.clone(),
            kind: first.kind,
            version: first.version.clone(),
            summary: summary(results.iter().copied()),
            cpu_seconds: (!times.is_empty())
                .then(|| times.iter().sum::<f64>() / times.len() as f64),
        })
    }

    /// Returns macro F1; 0 if no page has a gold text.
    pub fn f1(&self) -> f64 {
        self.summary.spread.map_or(0.0, |spread| spread.mean.f1)
    }
}

/// Summarises results by domain.
pub(crate) fn summary<'r>(results: impl IntoIterator<Item = &'r PageResult>) -> MacroSummary {
    let pages = results.into_iter();
    MacroSummary::from_pages(pages.map(|result| (result.domain.as_str(), result.outcome)))
}

/// Returns the scores of each extractor over all `results`, best macro F1 first.
pub fn standings(results: &[PageResult]) -> Vec<Standing> {
    let mut standings: Vec<Standing> = (by_extractor(results).into_values())
        .filter_map(|results| Standing::of(&results))
        .collect();
    standings.sort_by(|one, other| {
        (other.f1().total_cmp(&one.f1())).then_with(|| one.extractor.cmp(&other.extractor))
    });
    standings
}

/// Groups results by extractor, and keeps their order.
pub(crate) fn by_extractor(results: &[PageResult]) -> BTreeMap<&str, Vec<&PageResult>> {
    let mut extractors: BTreeMap<&str, Vec<&PageResult>> = BTreeMap::new();
    for result in results {
        let known = extractors.entry(&result.extractor).or_default();
        known.push(result);
    }
    extractors
}
