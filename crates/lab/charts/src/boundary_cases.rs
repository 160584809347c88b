//! The chart of boundary cases.

use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::{BLACK, BLUE, BROWN, GREY, NAVY, ORANGE, PURPLE};
use crate::scale::Scale;
use crate::text::{grouped, listed, widest};

/// Height of a bar.
const BAR: f64 = 16.0;
/// Height of a row of the chart.
const ROW: f64 = 26.0;
/// Width of the bars of one half.
const FIELD: f64 = 300.0;
/// Space between the halves.
const GAP: f64 = 36.0;
/// Width of a column of numbers.
const COLUMN: f64 = 66.0;
/// Width of a column and height of a line of the legend.
const LEGEND: (f64, f64) = (330.0, 20.0);

/// The outcomes of a page, in the order of [`CaseCounts::pages`].
pub const CASES: [&str; 7] = [
    "measured",
    "no overlap, counts 0",
    "empty extraction, counts 0",
    "failed, counts 0",
    "empty gold, not counted",
    "both empty, not counted",
    "failed without gold, not counted",
];
/// The colours of [`CASES`].
const FILLS: [&str; CASES.len()] = [BLUE, BROWN, ORANGE, BLACK, GREY, PURPLE, NAVY];

/// Pages by outcome [K figures 5.5, 5.6].
///
/// The left half shows all pages. The right half shows the boundary cases, which are
/// few, with a larger scale. The numbers are at the right edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryCases<'a> {
    /// The title.
    pub title: &'a str,
    /// The extractors, from top to bottom.
    pub extractors: Vec<CaseCounts<'a>>,
}

/// The pages of one extractor by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseCounts<'a> {
    /// The extractor.
    pub name: &'a str,
    /// The number of pages of each outcome, in the order of [`CASES`].
    pub pages: [usize; CASES.len()],
}

impl BoundaryCases<'_> {
    /// Draws the chart as SVG text.
    pub fn to_svg(&self) -> String {
        let extractors = &self.extractors;
        let names = widest(extractors.iter().map(|extractor| extractor.name), LETTER);
        let left = MARGIN + names + 10.0;
        let right = left + FIELD + GAP;
        let numbers = right + FIELD + GAP / 2.0;
        let legend_lines = CASES.len().div_ceil(3) as f64;
        let heads = TOP + LEGEND.1 * legend_lines + LETTER;
        let top = heads + 0.8 * LETTER;
        let bottom = top + ROW * extractors.len() as f64;
        let width = numbers + COLUMN * CASES.len() as f64 + MARGIN;
        let size = (width, bottom + 1.4 * LETTER + MARGIN);

        let mut canvas = Canvas::new(self.title, &self.description(), size);
        legend(&mut canvas, heads, numbers);
        let most_from = |first_case: usize| {
            let pages = extractors
                .iter()
                .map(|extractor| extractor.pages[first_case..].iter().sum::<usize>());
            pages.max()
        };
        let halves = [
            ("all pages", left, most_from(0), 0),
            ("boundary cases", right, most_from(1), 1),
        ];
        for (head, left, most, first_case) in halves {
            let most = most.unwrap_or(0);
            let scale = Scale::for_counts(most, (left, left + FIELD));
            canvas.text((left, heads), Anchor::Start, Weight::Label, head);
            canvas.count_axis(&scale, most, (top, bottom));
            for (row, extractor) in extractors.iter().enumerate() {
                let y = top + ROW * row as f64 + (ROW - BAR) / 2.0;
                stack(&mut canvas, &scale, y, extractor, first_case);
            }
            canvas.axis((left, top), (left, bottom));
        }
        for (row, extractor) in extractors.iter().enumerate() {
            let y = top + ROW * (row as f64 + 0.5) + LETTER * 0.35;
            canvas.name((left - 10.0, y), Anchor::End, extractor.name);
            for (column, count) in extractor.pages.into_iter().enumerate() {
                let at = (numbers + COLUMN * (column + 1) as f64, y);
                let weight = match count {
                    0 => Weight::Muted,
                    _ => Weight::Label,
                };
                canvas.text(at, Anchor::End, weight, &grouped(count));
            }
        }
        canvas.into_svg()
    }

    fn description(&self) -> String {
        let extractors = self.extractors.iter().map(|extractor| {
            let cases = CASES.iter().zip(extractor.pages);
            let cases = cases.map(|(case, count)| format!("{} {case}", grouped(count)));
            format!(
                "{}: {}",
                extractor.name,
                cases.collect::<Vec<_>>().join(", ")
            )
        });
        format!(
            "Stacked bar chart of what came out of the pages. {}",
            listed(extractors)
        )
    }
}

/// Draws the names of the cases, and their swatches above the columns of numbers.
fn legend(canvas: &mut Canvas, heads: f64, numbers: f64) {
    for (index, (case, fill)) in CASES.into_iter().zip(FILLS).enumerate() {
        let x = MARGIN + LEGEND.0 * (index % 3) as f64;
        let y = TOP + LEGEND.1 * (index / 3) as f64 + 4.0;
        canvas.swatch((x, y), fill);
        canvas.text((x + 17.0, y), Anchor::Start, Weight::Label, case);
        let column = numbers + COLUMN * (index + 1) as f64;
        canvas.swatch((column - 11.0, heads), fill);
    }
}

/// Draws the cases of one extractor, starting with `first_case`, as a stacked bar.
fn stack(canvas: &mut Canvas, scale: &Scale, y: f64, cases: &CaseCounts<'_>, first_case: usize) {
    let mut before = 0;
    let counted = CASES.iter().zip(FILLS).zip(cases.pages);
    for ((case, fill), count) in counted.skip(first_case) {
        let (x, end) = (
            scale.position(before as f64),
            scale.position((before + count) as f64),
        );
        canvas.bar(Bar {
            at: (x, y),
            width: end - x,
            height: BAR,
            fill,
            tooltip: format!("{}: {} {case}", cases.name, grouped(count)),
        });
        before += count;
    }
}
