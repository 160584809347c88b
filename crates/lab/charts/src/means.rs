//! The chart of mean scores.

use crate::ChartError;
use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::error::score;
use crate::palette::BLUE;
use crate::scale::Scale;
use crate::text::{MEASURES, listed, widest};

/// Height of a bar.
const BAR: f64 = 14.0;
/// Height of a row of the chart.
const ROW: f64 = 26.0;
/// Width of the bars of one measure.
const FIELD: f64 = 170.0;
/// Width of the numbers beside the bars.
const NUMBERS: f64 = 112.0;
/// Space between two measures.
const GAP: f64 = 26.0;
/// Half the height of the ends of a whisker.
const CAP: f64 = 4.0;

/// Mean precision, recall and F1 of extractors, with whiskers of one standard deviation
/// to both sides [K figures 5.1, 5.2]. The extractor with the highest F1 is first.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanScores<'a> {
    /// The title.
    pub title: &'a str,
    /// The extractors, in any order.
    pub extractors: Vec<MeanScore<'a>>,
}

/// The means of one extractor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanScore<'a> {
    /// The extractor.
    pub name: &'a str,
    /// The mean precision of pages.
    pub precision: Mean,
    /// The mean recall of pages.
    pub recall: Mean,
    /// The mean F1 of pages.
    pub f1: Mean,
}

/// A mean of scores from 0 to 1, with the standard deviation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mean {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the scores.
    pub standard_deviation: f64,
}

impl Mean {
    fn check(self, name: &str) -> Result<(), ChartError> {
        score(name, self.mean)?;
        let value = self.standard_deviation;
        if value.is_finite() && value >= 0.0 {
            return Ok(());
        }
        Err(ChartError::Deviation {
            name: name.to_owned(),
            value,
        })
    }

    /// The ends of the whisker, which may be outside of 0 to 1.
    fn whisker(self) -> (f64, f64) {
        let Mean {
            mean,
            standard_deviation,
        } = self;
        (mean - standard_deviation, mean + standard_deviation)
    }

    /// Formats the mean as `0.939 ± 0.102`.
    fn numbers(self) -> String {
        format!("{:.3} ± {:.3}", self.mean, self.standard_deviation)
    }
}

impl MeanScore<'_> {
    /// The means in the order of [`MEASURES`].
    fn means(&self) -> [Mean; 3] {
        [self.precision, self.recall, self.f1]
    }
}

impl MeanScores<'_> {
    /// Draws the chart as SVG text.
    ///
    /// # Errors
    ///
    /// If a mean is not from 0 to 1, or if a standard deviation is negative or infinite.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        for extractor in &self.extractors {
            for mean in extractor.means() {
                mean.check(extractor.name)?;
            }
        }
        let extractors = self.by_f1();
        let names = widest(extractors.iter().map(|extractor| extractor.name), LETTER);
        let left = MARGIN + names + 10.0;
        let top = TOP + 1.6 * LETTER;
        let bottom = top + ROW * extractors.len() as f64;
        let measure = FIELD + NUMBERS + GAP;
        let size = (
            left + 3.0 * measure - GAP + MARGIN,
            bottom + 2.0 * LETTER + MARGIN,
        );

        let mut canvas = Canvas::new(self.title, &description(&extractors), size);
        for (column, name) in MEASURES.into_iter().enumerate() {
            let scale = Scale {
                values: self.values(),
                positions: {
                    let left = left + measure * column as f64;
                    (left, left + FIELD)
                },
            };
            canvas.text(
                (scale.position(0.0), TOP + 4.0),
                Anchor::Start,
                Weight::Label,
                name,
            );
            for tick in [0.0, 0.5, 1.0] {
                let x = scale.position(tick);
                canvas.grid((x, top), (x, bottom));
                let below = (x, bottom + 1.4 * LETTER);
                canvas.text(below, Anchor::Middle, Weight::Muted, &tick.to_string());
            }
            for (rank, extractor) in extractors.iter().enumerate() {
                let middle = top + ROW * (rank as f64 + 0.5);
                let mean = extractor.means()[column];
                draw(&mut canvas, &scale, middle, extractor.name, (name, mean));
            }
            canvas.axis((scale.position(0.0), top), (scale.position(0.0), bottom));
        }
        for (rank, extractor) in extractors.iter().enumerate() {
            let text = top + ROW * (rank as f64 + 0.5) + LETTER * 0.35;
            canvas.name((left - 10.0, text), Anchor::End, extractor.name);
        }
        Ok(canvas.into_svg())
    }

    /// Sorts the extractors by F1, the highest first, and equal ones by name.
    fn by_f1(&self) -> Vec<MeanScore<'_>> {
        let mut extractors = self.extractors.clone();
        extractors.sort_by(|one, other| {
            let by_f1 = other.f1.mean.total_cmp(&one.f1.mean);
            by_f1.then_with(|| one.name.cmp(other.name))
        });
        extractors
    }

    /// The range of the axis: from 0 to 1, extended to the ends of all whiskers.
    fn values(&self) -> (f64, f64) {
        let means = self.extractors.iter().flat_map(MeanScore::means);
        means.fold((0.0, 1.0), |(first, last), mean| {
            let (start, end) = mean.whisker();
            (start.min(first), end.max(last))
        })
    }
}

/// Draws a bar with its whisker and numbers.
fn draw(
    canvas: &mut Canvas,
    scale: &Scale,
    middle: f64,
    extractor: &str,
    (measure, mean): (&str, Mean),
) {
    let zero = scale.position(0.0);
    canvas.bar(Bar {
        at: (zero, middle - BAR / 2.0),
        width: scale.position(mean.mean) - zero,
        height: BAR,
        fill: BLUE,
        tooltip: format!("{extractor}: {measure} {}", mean.numbers()),
    });
    let (start, end) = mean.whisker();
    let (start, end) = (scale.position(start), scale.position(end));
    canvas.axis((start, middle), (end, middle));
    for x in [start, end] {
        canvas.axis((x, middle - CAP), (x, middle + CAP));
    }
    let numbers = (scale.positions.1 + NUMBERS, middle + LETTER * 0.35);
    canvas.text(numbers, Anchor::End, Weight::Label, &mean.numbers());
}

fn description(extractors: &[MeanScore<'_>]) -> String {
    let means_of_extractors = extractors.iter().map(|extractor| {
        let means = MEASURES.iter().zip(extractor.means());
        let means = means.map(|(measure, mean)| format!("{measure} {}", mean.numbers()));
        format!(
            "{}: {}",
            extractor.name,
            means.collect::<Vec<_>>().join(", ")
        )
    });
    format!(
        "Bar chart of the mean precision, recall and F1 of extractors, with standard \
         deviations, the highest F1 first. {}",
        listed(means_of_extractors)
    )
}
