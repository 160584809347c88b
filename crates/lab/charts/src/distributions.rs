//! The chart of score distributions.

use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::BLUE;
use crate::scale::Scale;
use crate::text::{MEASURES, grouped, listed, widest, width_of};

/// The number of bins of a histogram [K 5.2].
pub const BINS: usize = 20;

/// Width and height of a histogram.
const FIELD: (f64, f64) = (240.0, 64.0);
/// Horizontal and vertical space between two histograms.
const GAP: (f64, f64) = (24.0, 32.0);
/// Space between two bars.
const SLIT: f64 = 1.0;
/// Least height of a bar, so that a bin with few pages among many is visible.
const LOWEST: f64 = 1.0;

/// Distributions of precision, recall and F1 over pages [K figures 5.3, 5.4]: a row of
/// histograms for each extractor, all with the same scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distributions<'a> {
    /// The title.
    pub title: &'a str,
    /// The extractors, from top to bottom.
    pub extractors: Vec<Distribution<'a>>,
}

/// The histograms of one extractor: the number of pages in each twentieth of the
/// interval from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Distribution<'a> {
    /// The extractor.
    pub name: &'a str,
    /// Pages by precision.
    pub precision: [usize; BINS],
    /// Pages by recall.
    pub recall: [usize; BINS],
    /// Pages by F1.
    pub f1: [usize; BINS],
}

impl Distribution<'_> {
    /// The histograms in the order of [`MEASURES`].
    fn histograms(&self) -> [[usize; BINS]; 3] {
        [self.precision, self.recall, self.f1]
    }
}

impl Distributions<'_> {
    /// Draws the chart as SVG text.
    pub fn to_svg(&self) -> String {
        let names = widest(
            self.extractors.iter().map(|extractor| extractor.name),
            LETTER,
        );
        let highest = self.highest();
        let counts = width_of(&grouped(highest), LETTER);
        let left = MARGIN + names + 16.0 + counts + 8.0;
        let rows = self.extractors.len() as f64 * (FIELD.1 + GAP.1);
        let top = TOP + 1.6 * LETTER;
        let width = left + 3.0 * (FIELD.0 + GAP.0) - GAP.0 + MARGIN;
        let mut canvas = Canvas::new(
            self.title,
            &self.description(),
            (width, top + rows + MARGIN),
        );

        for (column, name) in MEASURES.into_iter().enumerate() {
            let x = left + (FIELD.0 + GAP.0) * column as f64;
            canvas.text((x, TOP + 4.0), Anchor::Start, Weight::Label, name);
        }
        for (row, extractor) in self.extractors.iter().enumerate() {
            let top = top + (FIELD.1 + GAP.1) * row as f64;
            let bottom = top + FIELD.1;
            let pages = Scale::for_counts(highest, (bottom, top));
            let beside = (MARGIN + names, top + FIELD.1 / 2.0 + LETTER * 0.35);
            canvas.name(beside, Anchor::End, extractor.name);
            for (text, y) in [
                ("0", bottom),
                (grouped(highest).as_str(), top + LETTER * 0.7),
            ] {
                canvas.text((left - 8.0, y), Anchor::End, Weight::Muted, text);
            }
            let histograms = MEASURES.into_iter().zip(extractor.histograms());
            for (column, (measure, bins)) in histograms.enumerate() {
                let left = left + (FIELD.0 + GAP.0) * column as f64;
                let scores = Scale {
                    values: (0.0, 1.0),
                    positions: (left, left + FIELD.0),
                };
                let tooltip = format!("{}: pages with {measure}", extractor.name);
                histogram(&mut canvas, (&scores, &pages), &bins, &tooltip);
            }
        }
        canvas.into_svg()
    }

    /// The number of pages in the fullest bin.
    fn highest(&self) -> usize {
        let histograms = self.extractors.iter().flat_map(Distribution::histograms);
        histograms.flatten().max().unwrap_or(0)
    }

    fn description(&self) -> String {
        let extractors = self.extractors.iter().map(|extractor| {
            let histograms = MEASURES.iter().zip(extractor.histograms());
            let histograms = histograms.map(|(measure, bins)| {
                let bins = bins.map(|pages| pages.to_string());
                format!("{measure} {}", bins.join(" "))
            });
            let histograms: Vec<String> = histograms.collect();
            format!("{}: {}", extractor.name, histograms.join(", "))
        });
        format!(
            "Histograms: pages in each twentieth of precision, recall and F1, from 0 to 1. {}",
            listed(extractors)
        )
    }
}

/// Draws one histogram with its axis. `tooltip` begins the tooltip of each bar.
fn histogram(
    canvas: &mut Canvas,
    (scores, pages): (&Scale, &Scale),
    bins: &[usize; BINS],
    tooltip: &str,
) {
    let bottom = pages.position(0.0);
    let (left, right) = scores.positions;
    canvas.grid((left, pages.positions.1), (right, pages.positions.1));
    for (index, &count) in bins.iter().enumerate().filter(|(_, count)| **count > 0) {
        let (from, to) = (bound(index), bound(index + 1));
        let height = (bottom - pages.position(count as f64)).max(LOWEST);
        canvas.bar(Bar {
            at: (scores.position(from) + SLIT / 2.0, bottom - height),
            width: scores.position(to) - scores.position(from) - SLIT,
            height,
            fill: BLUE,
            tooltip: format!("{tooltip} {from:.2} to {to:.2}: {}", grouped(count)),
        });
    }
    canvas.axis((left, bottom), (right, bottom));
    for (score, anchor) in [
        (0.0, Anchor::Start),
        (0.5, Anchor::Middle),
        (1.0, Anchor::End),
    ] {
        let x = scores.position(score);
        canvas.axis((x, bottom), (x, bottom + 4.0));
        let below = (x, bottom + 4.0 + LETTER);
        canvas.text(below, anchor, Weight::Muted, &score.to_string());
    }
}

/// The lower end of a bin.
fn bound(bin: usize) -> f64 {
    bin as f64 / BINS as f64
}
