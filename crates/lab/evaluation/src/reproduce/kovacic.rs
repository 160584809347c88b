//! The tables of Kovačič's thesis [K 5].

use arrow::array::RecordBatch;
use scoring::{Cases, Spread, Summary};

use super::{is_measured, rounded};
use crate::report::section_name;
use crate::results::by_extractor;
use crate::table::Table;
use crate::{Measured, PublishedCases, PublishedFigure};

/// The source of the thesis in a file of published figures.
const SOURCE: &str = "Kovačič 2012";

/// The means of an extractor over the pages with a score.
struct Means<'r> {
    measured: &'r Measured,
    extractor: &'r str,
    pages: usize,
    spread: Option<Spread>,
    published: Option<&'r PublishedFigure>,
}

/// Returns tables 5.2 and 5.3, with the standard deviations of figures 5.1 and 5.2: means over the
/// pages with words in common, the best first. Published figures are those of the same pages.
pub fn means_table(measured: &[Measured], figures: &[PublishedFigure]) -> RecordBatch {
    let mut rows = Vec::new();
    for one in measured {
        let section = section_name(one);
        let mut means: Vec<Means<'_>> = (by_extractor(&one.results).into_iter())
            .map(|(extractor, results)| {
                let succeeded = results.iter().filter(|page| is_measured(page));
                let summary = Summary::from_outcomes(succeeded.map(|page| page.outcome));
                Means {
                    measured: one,
                    extractor,
                    pages: summary.cases.measured,
                    spread: summary.spread,
                    published: figures.iter().find(|figure| {
                        figure.source.starts_with(SOURCE)
                            && figure.extractor == extractor
                            && figure.is_beside(&section)
                    }),
                }
            })
            .collect();
        means.sort_by(|one, other| {
            let f1 = |row: &Means<'_>| row.spread.map_or(-1.0, |spread| spread.mean.f1);
            f1(other)
                .total_cmp(&f1(one))
                .then(one.extractor.cmp(other.extractor))
        });
        rows.extend(means);
    }
    Table::of(&rows)
        .text("gold", |row| Some(&row.measured.name))
        .text("extractor", |row| Some(row.extractor))
        .count("pages", |row| Some(row.pages))
        .number("precision", |row| Some(rounded(row.spread?.mean.precision)))
        .number("recall", |row| Some(rounded(row.spread?.mean.recall)))
        .number("f1", |row| Some(rounded(row.spread?.mean.f1)))
        .number("sd_precision", |row| {
            Some(rounded(row.spread?.standard_deviation.precision))
        })
        .number("sd_recall", |row| {
            Some(rounded(row.spread?.standard_deviation.recall))
        })
        .number("sd_f1", |row| {
            Some(rounded(row.spread?.standard_deviation.f1))
        })
        .text("published_as", |row| Some(&row.published?.name))
        .text("published_pages", |row| Some(&row.published?.pages))
        .number("published_precision", |row| row.published?.precision)
        .number("published_recall", |row| row.published?.recall)
        .number("published_f1", |row| Some(row.published?.f1))
        .finish()
}

/// The boundary cases of an extractor.
struct Boundary<'r> {
    measured: &'r Measured,
    extractor: &'r str,
    cases: Cases,
    published: Option<&'r PublishedCases>,
}

/// Returns tables 5.4 and 5.5. The columns of the thesis are named as here; its column
/// `|Seq_rel ∩ Seq_ret| = 0` counts pages where both texts are empty.
pub fn cases_table(measured: &[Measured], published: &[PublishedCases]) -> RecordBatch {
    let mut rows = Vec::new();
    for one in measured {
        let section = section_name(one);
        let extractors = by_extractor(&one.results).into_iter();
        rows.extend(extractors.map(|(extractor, results)| {
            Boundary {
                measured: one,
                extractor,
                cases: Summary::from_outcomes(results.iter().map(|page| page.outcome)).cases,
                published: (published.iter())
                    .find(|cases| cases.extractor == extractor && cases.is_beside(&section)),
            }
        }));
    }
    Table::of(&rows)
        .text("gold", |row| Some(&row.measured.name))
        .text("extractor", |row| Some(row.extractor))
        .count("empty_gold", |row| Some(row.cases.empty_gold))
        .count("both_empty", |row| Some(row.cases.both_empty))
        .count("empty_extraction", |row| Some(row.cases.empty_extraction))
        .count("no_overlap", |row| Some(row.cases.no_overlap))
        .count("failed", |row| {
            Some(row.cases.failed + row.cases.failed_without_gold)
        })
        .count("measured", |row| Some(row.cases.measured))
        .text("published_as", |row| Some(&row.published?.name))
        .count("published_empty_gold", |row| {
            Some(row.published?.empty_gold)
        })
        .count("published_both_empty", |row| {
            Some(row.published?.both_empty)
        })
        .count("published_empty_extraction", |row| {
            Some(row.published?.empty_extraction)
        })
        .count("published_no_overlap", |row| {
            Some(row.published?.no_overlap)
        })
        .count("published_failed", |row| Some(row.published?.failed))
        .count("published_measured", |row| Some(row.published?.measured))
        .finish()
}
