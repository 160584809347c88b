//! The tables of Alarte et al. [A 3, 4].

use std::collections::BTreeMap;

use arrow::array::RecordBatch;
use charts::{ChartError, Points};
use scoring::Score;

use super::{mean, published, rounded};
use crate::table::Table;
use crate::{Measured, PageResult, Plot, PublishedFigure};

/// The scores of a method by nodes and by words, over some pages.
struct Row<'r> {
    extractor: &'r str,
    domain: Option<&'r str>,
    pages: usize,
    nodes: Option<Score>,
    words: Option<Score>,
    cpu_ms: Option<f64>,
}

/// Returns tables 1 and 3: recall, precision and F1 of each extractor by nodes and by words, and
/// the time of a page, means over all pages. `nodes` and `words` are results of the same pages.
/// Published figures are of `table`, such as `table 3`.
pub fn methods_table(
    nodes: &[Measured],
    words: &[Measured],
    figures: &[PublishedFigure],
    table: &str,
) -> RecordBatch {
    let rows = rows(nodes, words, |page| (page.extractor.as_str(), None));
    let of = |row: &Row<'_>, unit: &str| {
        let source = format!("Alarte et al. 2018, {table}, {unit}");
        Some(published(figures, &source, row.extractor)?.f1)
    };
    columns(&rows)
        .number("published_nodes_f1", |row| of(row, "nodes"))
        .number("published_words_f1", |row| of(row, "words"))
        .finish()
}

/// Returns table 2: the same for each domain.
pub fn sites_table(nodes: &[Measured], words: &[Measured]) -> RecordBatch {
    let rows = rows(nodes, words, |page| {
        (page.extractor.as_str(), Some(page.domain.as_str()))
    });
    columns(&rows).text("domain", |row| row.domain).finish()
}

type Key<'r> = (&'r str, Option<&'r str>);

fn rows<'r>(
    nodes: &'r [Measured],
    words: &'r [Measured],
    key: impl Fn(&'r PageResult) -> Key<'r>,
) -> Vec<Row<'r>> {
    let grouped = |measured: &'r [Measured]| {
        let mut groups: BTreeMap<Key<'r>, Vec<&'r PageResult>> = BTreeMap::new();
        for page in measured.iter().flat_map(|one| &one.results) {
            groups.entry(key(page)).or_default().push(page);
        }
        groups
    };
    let nodes = grouped(nodes);
    (grouped(words).into_iter())
        .map(|((extractor, domain), pages)| {
            let times: Vec<f64> = pages.iter().filter_map(|page| page.cpu_seconds).collect();
            let mean_time = times.iter().sum::<f64>() * 1e3 / times.len().max(1) as f64;
            Row {
                extractor,
                domain,
                pages: pages.len(),
                nodes: nodes.get(&(extractor, domain)).and_then(mean),
                words: mean(&pages),
                cpu_ms: (!times.is_empty()).then_some(mean_time),
            }
        })
        .collect()
}

fn columns<'t, 'r>(rows: &'t [Row<'r>]) -> Table<'t, Row<'r>> {
    Table::of(rows)
        .text("extractor", |row| Some(row.extractor))
        .count("pages", |row| Some(row.pages))
        .number("nodes_recall", |row| Some(rounded(row.nodes?.recall)))
        .number("nodes_precision", |row| Some(rounded(row.nodes?.precision)))
        .number("nodes_f1", |row| Some(rounded(row.nodes?.f1)))
        .number("words_recall", |row| Some(rounded(row.words?.recall)))
        .number("words_precision", |row| Some(rounded(row.words?.precision)))
        .number("words_f1", |row| Some(rounded(row.words?.f1)))
        .number("cpu_ms", |row| Some(rounded(row.cpu_ms?)))
}

/// Draws figure 4, the time of each page against its nodes, for each extractor with times:
/// `time-EXTRACTOR.svg`. `nodes` are results by nodes.
///
/// # Errors
/// [`ChartError`] if a number cannot be drawn.
pub fn run_times(nodes: &[Measured]) -> Result<Vec<Plot>, ChartError> {
    let mut extractors: BTreeMap<&str, Vec<(usize, f64)>> = BTreeMap::new();
    for page in nodes.iter().flat_map(|one| &one.results) {
        if let (Some(size), Some(seconds)) = (page.page_nodes, page.cpu_seconds) {
            let points = extractors.entry(&page.extractor).or_default();
            points.push((size, seconds * 1e3));
        }
    }
    let plots = extractors.into_iter().map(|(extractor, points)| {
        let chart = Points {
            title: &format!("Time of {extractor} against the size of the page"),
            sizes: "nodes of the page",
            numbers: "milliseconds",
            points,
        };
        let file = format!("time-{}.svg", crate::plots::file_name(extractor));
        Ok(Plot::new(file, chart.to_svg()?))
    });
    plots.collect()
}
