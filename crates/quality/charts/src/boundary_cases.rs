//! What came out of the pages.

use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::{BLACK, BLUE, BROWN, GREY, NAVY, ORANGE, PURPLE};
use crate::scale::Scale;
use crate::text::{grouped, listed, widest};

/// Height of a bar, and from one to the next.
const BAR: f64 = 16.0;
const ROW: f64 = 26.0;
/// Width of the bars of one half, and space between the halves.
const FIELD: f64 = 300.0;
const GAP: f64 = 36.0;
/// Width of a column of numbers.
const COLUMN: f64 = 66.0;
/// Columns and lines of the legend.
const LEGEND: (f64, f64) = (330.0, 20.0);

/// What a case is called, and how it is drawn.
const CASES: [(&str, &str); 7] = [
    ("measured", BLUE),
    ("no overlap, counts 0", BROWN),
    ("empty extraction, counts 0", ORANGE),
    ("failed, counts 0", BLACK),
    ("empty gold, not counted", GREY),
    ("both empty, not counted", PURPLE),
    ("failed without gold, not counted", NAVY),
];

/// What came out of the pages [K figures 5.5, 5.6]: on the left all pages, then the
/// boundary cases, which are few, on a scale of their own, and beside them the numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundaryCases<'a> {
    /// The title.
    pub title: &'a str,
    /// The extractors, from top to bottom.
    pub extractors: Vec<CaseCounts<'a>>,
}

/// Pages of one extractor by what came out of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CaseCounts<'a> {
    /// The extractor.
    pub name: &'a str,
    /// Pages with a score of their own.
    pub measured: usize,
    /// Pages that counted 0: the texts have no word in common.
    pub no_overlap: usize,
    /// Pages that counted 0: nothing was extracted.
    pub empty_extraction: usize,
    /// Pages that counted 0: the extractor failed.
    pub failed: usize,
    /// Pages that did not count: something was extracted, there is no gold.
    pub empty_gold: usize,
    /// Pages that did not count: nothing was extracted, there is no gold.
    pub both_empty: usize,
    /// Pages that did not count: the extractor failed, there is no gold.
    pub failed_without_gold: usize,
}

impl CaseCounts<'_> {
    /// In the order of [`CASES`].
    fn counts(&self) -> [usize; CASES.len()] {
        [
            self.measured,
            self.no_overlap,
            self.empty_extraction,
            self.failed,
            self.empty_gold,
            self.both_empty,
            self.failed_without_gold,
        ]
    }

    fn pages(&self) -> usize {
        self.counts().iter().sum()
    }
}

impl BoundaryCases<'_> {
    /// The chart as SVG text.
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
        let pages = extractors.iter().map(CaseCounts::pages);
        let boundary = extractors
            .iter()
            .map(|cases| cases.pages() - cases.measured);
        let halves = [
            ("all pages", left, pages.max(), 0),
            ("boundary cases", right, boundary.max(), 1),
        ];
        for (head, left, most, first_case) in halves {
            let most = most.unwrap_or(0);
            let scale = Scale::of_counts(most, (left, left + FIELD));
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
            for (column, count) in extractor.counts().into_iter().enumerate() {
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
        let said = self.extractors.iter().map(|extractor| {
            let cases = CASES.iter().zip(extractor.counts());
            let cases = cases.map(|((case, _), count)| format!("{} {case}", grouped(count)));
            format!(
                "{}: {}",
                extractor.name,
                cases.collect::<Vec<_>>().join(", ")
            )
        });
        format!(
            "Stacked bar chart of what came out of the pages. {}",
            listed(said)
        )
    }
}

/// The names of the cases, and their swatches above the columns of numbers.
fn legend(canvas: &mut Canvas, heads: f64, numbers: f64) {
    for (index, (case, fill)) in CASES.into_iter().enumerate() {
        let x = MARGIN + LEGEND.0 * (index % 3) as f64;
        let y = TOP + LEGEND.1 * (index / 3) as f64 + 4.0;
        canvas.swatch((x, y), fill);
        canvas.text((x + 17.0, y), Anchor::Start, Weight::Label, case);
        let column = numbers + COLUMN * (index + 1) as f64;
        canvas.swatch((column - 11.0, heads), fill);
    }
}

/// The cases of one extractor from one of them on, end to end.
fn stack(canvas: &mut Canvas, scale: &Scale, y: f64, cases: &CaseCounts<'_>, first_case: usize) {
    let mut before = 0;
    let counted = CASES.iter().zip(cases.counts()).skip(first_case);
    for ((case, fill), count) in counted {
        let (x, end) = (scale.at(before as f64), scale.at((before + count) as f64));
        canvas.bar(Bar {
            at: (x, y),
            width: end - x,
            height: BAR,
            fill,
            says: format!("{}: {} {case}", cases.name, grouped(count)),
        });
        before += count;
    }
}
