//! Charts of results.

use std::collections::BTreeMap;

use charts::{
    BoundaryCases, CaseCounts, ChartError, Curves, Distribution, Distributions, DocumentAxis, Line,
    Mean, MeanScore, MeanScores,
};
use scoring::{Histogram, Outcome, Score, Summary, cumulative_average};

use crate::PageResult;
use crate::results::by_extractor;

/// A chart and the name of its file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Plot {
    /// Name of the file, such as `stream.svg`.
    pub file: String,
    /// SVG text.
    pub svg: String,
}

impl Plot {
    /// Creates a chart with the name of its file.
    pub fn new(file: impl Into<String>, svg: String) -> Self {
        Self {
            file: file.into(),
            svg,
        }
    }
}

/// Draws the paper's figures 4 and 5 and the figures of the thesis over all `results`:
///
/// - `domains-EXTRACTOR.svg`: cumulative F1 of each domain [P figure 4];
/// - `stream.svg`: cumulative F1 of each extractor over all pages in time order
///   [P figure 5];
/// - `means.svg`, `distributions.svg`, `boundary-cases.svg`: one row per extractor.
///
/// # Errors
/// [`ChartError`] if a number cannot be drawn.
pub fn plots(results: &[PageResult]) -> Result<Vec<Plot>, ChartError> {
    let extractors = in_time_order(results);
    let mut plots = Vec::new();
    for (extractor, results) in &extractors {
        let file = format!("domains-{}.svg", file_name(extractor));
        plots.push(Plot::new(file, domains(extractor, results)?));
    }
    let mut add = |file: &str, svg: String| plots.push(Plot::new(file, svg));
    add("stream.svg", stream(&extractors, None)?);
    add("means.svg", means(&extractors)?);
    add("distributions.svg", distributions(&extractors));
    add("boundary-cases.svg", boundary_cases(&extractors));
    Ok(plots)
}

/// Draws figure 5 of the paper alone: `stream.svg` of [`plots`], with at most `shown` documents.
/// The score in brackets is that after all.
///
/// # Errors
/// [`ChartError`] if a number cannot be drawn.
pub fn stream_plot(results: &[PageResult], shown: Option<usize>) -> Result<String, ChartError> {
    stream(&in_time_order(results), shown)
}

type ByExtractor<'a> = BTreeMap<&'a str, Vec<&'a PageResult>>;

fn in_time_order(results: &[PageResult]) -> ByExtractor<'_> {
    let mut extractors = by_extractor(results);
    for results in extractors.values_mut() {
        results.sort_by_key(|result| result.place_in_stream());
    }
    extractors
}

/// Returns the points of the cumulative average, from the first page that counts.
fn curve<'a>(results: impl IntoIterator<Item = &'a &'a PageResult>) -> Vec<(usize, f64)> {
    let outcomes = results.into_iter().map(|result| result.outcome);
    let averages = (1..).zip(cumulative_average(outcomes));
    averages
        .filter_map(|(document, average)| Some((document, average.mean?.f1)))
        .collect()
}

fn domains(extractor: &str, results: &[&PageResult]) -> Result<String, ChartError> {
    let mut domains: BTreeMap<&str, Vec<&PageResult>> = BTreeMap::new();
    for result in results {
        domains.entry(&result.domain).or_default().push(result);
    }
    Curves {
        title: &format!("Cumulative F1 of {extractor} by domain"),
        axis: DocumentAxis::Logarithmic,
        lines: (domains.iter())
            .map(|(name, results)| Line {
                name,
                points: curve(results),
                final_score: None,
            })
            .collect(),
    }
    .to_svg()
}

fn stream(extractors: &ByExtractor<'_>, shown: Option<usize>) -> Result<String, ChartError> {
    let lines = extractors.iter().map(|(name, results)| {
        let mut points = curve(results);
        let final_score = points.last().map(|(_, f1)| *f1);
        if let Some(shown) = shown {
            points.truncate(points.partition_point(|(document, _)| *document <= shown));
        }
        Line {
            name,
            final_score,
            points,
        }
    });
    Curves {
        title: "Cumulative F1 along the stream",
        axis: DocumentAxis::Linear,
        lines: lines.collect(),
    }
    .to_svg()
}

fn outcomes(results: &[&PageResult]) -> impl Iterator<Item = Outcome> {
    results.iter().map(|result| result.outcome)
}

fn means(extractors: &ByExtractor<'_>) -> Result<String, ChartError> {
    let means = extractors.iter().filter_map(|(name, results)| {
        let spread = Summary::from_outcomes(outcomes(results)).spread?;
        let mean = |of: fn(Score) -> f64| Mean {
            mean: of(spread.mean),
            standard_deviation: of(spread.standard_deviation),
        };
        Some(MeanScore {
            name,
            precision: mean(|score| score.precision),
            recall: mean(|score| score.recall),
            f1: mean(|score| score.f1),
        })
    });
    MeanScores {
        title: "Mean over pages, with standard deviation",
        extractors: means.collect(),
    }
    .to_svg()
}

fn distributions(extractors: &ByExtractor<'_>) -> String {
    let distributions = extractors.iter().map(|(name, results)| {
        let histogram = Histogram::from_outcomes(outcomes(results));
        Distribution {
            name,
            precision: histogram.precision,
            recall: histogram.recall,
            f1: histogram.f1,
        }
    });
    Distributions {
        title: "Pages by precision, recall and F1",
        extractors: distributions.collect(),
    }
    .to_svg()
}

fn boundary_cases(extractors: &ByExtractor<'_>) -> String {
    let cases = extractors.iter().map(|(name, results)| {
        let cases = Summary::from_outcomes(outcomes(results)).cases;
        CaseCounts {
            name,
            pages: [
                cases.measured,
                cases.no_overlap,
                cases.empty_extraction,
                cases.failed,
                cases.empty_gold,
                cases.both_empty,
                cases.failed_without_gold,
            ],
        }
    });
    BoundaryCases {
        title: "What came out of the pages",
        extractors: cases.collect(),
    }
    .to_svg()
}

/// Returns the name with only the characters that are safe in a path.
pub(crate) fn file_name(extractor: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (extractor.chars())
        .map(|c| if safe(c) { c } else { '_' })
        .collect()
}
