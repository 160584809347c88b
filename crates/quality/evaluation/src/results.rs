//! Results of many pages as a table, and their summaries.

use std::collections::BTreeMap;
use std::path::Path;

use arrow::array::RecordBatch;
use parquet::errors::ParquetError;
use scoring::{MacroSummary, Outcome, Score};

use crate::table::{Table, write_parquet};
use crate::{Kind, Measured, PageResult};

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

/// Returns a table with one row per page and extractor. `precision`, `recall` and `f1`
/// are null if the page does not count in a mean; `outcome` has the reason.
pub fn results_table(measured: &[Measured]) -> RecordBatch {
    let rows: Vec<(&str, &PageResult)> = (measured.iter())
        .flat_map(|one| one.results.iter().map(|page| (one.name.as_str(), page)))
        .collect();
    let score = |page: &PageResult, of: fn(Score) -> f64| page.outcome.counted().map(of);
    Table::of(&rows)
        .text("gold", |(gold, _)| Some(gold))
        .text("gold_set", |(_, page)| Some(&page.set))
        .text("extractor", |(_, page)| Some(&page.extractor))
        .text("kind", |(_, page)| Some(page.kind.as_str()))
        .text("version", |(_, page)| page.version.as_ref())
        .text("domain", |(_, page)| Some(&page.domain))
        .text("url", |(_, page)| Some(&page.url))
        .text("lang", |(_, page)| page.lang.as_ref())
        .count("earlier", |(_, page)| Some(page.earlier))
        .text("outcome", |(_, page)| Some(outcome_name(page.outcome)))
        .number("precision", |(_, page)| {
            score(page, |score| score.precision)
        })
        .number("recall", |(_, page)| score(page, |score| score.recall))
        .number("f1", |(_, page)| score(page, |score| score.f1))
        .count("words_in_common", |(_, page)| Some(page.overlap?.common()))
        .count("words_extracted", |(_, page)| {
            Some(page.overlap?.extracted())
        })
        .count("words_of_gold", |(_, page)| Some(page.overlap?.gold()))
        .text("error", |(_, page)| page.error.as_ref())
        .number("cpu_seconds", |(_, page)| page.cpu_seconds)
        .finish()
}

/// Writes [`results_table`] as a Parquet file.
///
/// # Errors
/// [`ParquetError`] if the file cannot be written.
pub fn write_results(measured: &[Measured], path: &Path) -> Result<(), ParquetError> {
    write_parquet(&results_table(measured), path)
}

/// Returns a table with one row per collection and extractor, the best of each collection
/// first. Means are over domains; `measured` and the columns after it count pages.
pub fn standings_table(measured: &[Measured]) -> RecordBatch {
    let rows: Vec<(&str, Standing)> = (measured.iter())
        .flat_map(|one| {
            let standings = standings(&one.results).into_iter();
            standings.map(|standing| (one.name.as_str(), standing))
        })
        .collect();
    let rounded = |value: f64| (value * 1e4).round() / 1e4;
    let spread = |row: &(&str, Standing)| row.1.summary.spread;
    let cases = |row: &(&str, Standing)| row.1.summary.cases;
    Table::of(&rows)
        .text("gold", |row| Some(row.0))
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
        .number("cpu_ms", |row| Some(rounded(row.1.cpu_seconds? * 1e3)))
        .finish()
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
