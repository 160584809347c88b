//! The chart of scores along a stream.

use crate::ChartError;
use crate::canvas::{Anchor, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::downsampling::Position;
use crate::error::score;
use crate::palette::stroke;
use crate::scale::{Scale, round_counts};
use crate::text::{grouped, listed, widest};

/// Size of the field with the lines, in units of the chart.
const FIELD: (f64, f64) = (720.0, 440.0);
/// Height of a line of the legend.
const ROW: f64 = 18.0;
/// Space left of the field, for the scores.
const LEFT: f64 = 48.0;
/// Space below the field, for the numbers of documents.
const BELOW: f64 = 48.0;
/// Length of a stroke sample in the legend: twice the longest dash pattern.
const SAMPLE: f64 = 56.0;
/// Width of a score in the legend.
const SCORE: f64 = 56.0;

/// The cumulative F1 over the documents seen so far, as one or more lines.
///
/// The legend lists the lines by their last score, the highest first, which is also
/// their order at the right edge of the field. Strokes are assigned in this order.
#[derive(Clone, Debug, PartialEq)]
pub struct Curves<'a> {
    /// The title.
    pub title: &'a str,
    /// The scale of the horizontal axis.
    pub axis: DocumentAxis,
    /// The lines, in any order.
    pub lines: Vec<Line<'a>>,
}

/// The line of one domain [P figure 4] or of one extractor [P figure 5].
#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    /// The name in the legend.
    pub name: &'a str,
    /// Document numbers, counted from 1, with the mean F1 up to each. A document at
    /// which there is no score yet has no point.
    pub points: Vec<(usize, f64)>,
    /// The F1 in brackets in the legend. It may differ from that of the last point:
    /// figure 5 of the paper shows the beginning of a longer stream.
    pub final_score: Option<f64>,
}

/// The scale of the horizontal axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentAxis {
    /// Linear from 0, for a whole stream.
    Linear,
    /// Logarithmic from 1. It shows after how many documents domains of different sizes
    /// reach a good score.
    Logarithmic,
}

impl Line<'_> {
    /// The score that decides the position in the legend.
    fn ends_at(&self) -> Option<f64> {
        self.final_score.or(self.points.last().map(|(_, f1)| *f1))
    }

    fn check(&self) -> Result<(), ChartError> {
        let mut previous = 0;
        for &(document, f1) in &self.points {
            score(self.name, f1)?;
            if document <= previous {
                return Err(ChartError::Order {
                    name: self.name.to_owned(),
                    document,
                    previous,
                });
            }
            previous = document;
        }
        if let Some(f1) = self.final_score {
            score(self.name, f1)?;
        }
        Ok(())
    }

    /// The tooltip of the line.
    fn tooltip(&self) -> String {
        match (self.points.last(), self.final_score) {
            (_, Some(f1)) => format!("{}: F1 {f1:.3} at the end", self.name),
            (Some((document, f1)), None) => {
                let documents = grouped(*document);
                format!("{}: F1 {f1:.3} after {documents} documents", self.name)
            }
            (None, None) => format!("{}: no score", self.name),
        }
    }
}

impl Curves<'_> {
    /// Draws the chart as SVG text.
    ///
    /// # Errors
    ///
    /// If an F1 is not from 0 to 1, or if the document numbers of a line do not increase
    /// from 1.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        for line in &self.lines {
            line.check()?;
        }
        let lines = self.by_end();
        let names = widest(lines.iter().map(|line| line.name), LETTER);
        let rows = lines.len() as f64 * ROW;
        let field = Field::around(&lines, self.axis, FIELD.1.max(rows));
        let legend = field.documents.positions.1 + 24.0;
        let width = legend + SAMPLE + 8.0 + names + SCORE + MARGIN;
        let height = field.scores.positions.0 + BELOW + MARGIN / 2.0;

        let mut canvas = Canvas::new(self.title, &self.description(&lines), (width, height));
        field.draw(&mut canvas);
        for (rank, line) in lines.iter().enumerate() {
            let y = TOP + ROW * (rank as f64 + 0.5);
            let stroke = stroke(rank);
            canvas.sample((legend, y), SAMPLE, &stroke);
            let text = y + LETTER * 0.35;
            canvas.name((legend + SAMPLE + 8.0, text), Anchor::Start, line.name);
            if let Some(f1) = line.final_score {
                let end = (width - MARGIN, text);
                canvas.text(end, Anchor::End, Weight::Label, &format!("({f1:.3})"));
            }
            canvas.curve(&field.positions(line), &stroke, &line.tooltip());
        }
        Ok(canvas.into_svg())
    }

    /// Sorts the lines by their last score, the highest first, and equal ones by name.
    /// Lines without a score are last.
    fn by_end(&self) -> Vec<&Line<'_>> {
        let mut lines: Vec<&Line<'_>> = self.lines.iter().collect();
        let end = |line: &Line<'_>| line.ends_at().unwrap_or(-1.0);
        lines.sort_by(|one, other| {
            let by_end = end(other).total_cmp(&end(one));
            by_end.then_with(|| one.name.cmp(other.name))
        });
        lines
    }

    fn description(&self, lines: &[&Line<'_>]) -> String {
        format!(
            "Line chart of the cumulative F1 over the documents seen so far. {}",
            listed(lines.iter().map(|line| line.tooltip()))
        )
    }
}

/// The field of the chart, which maps documents and scores to positions.
struct Field {
    axis: DocumentAxis,
    /// The scale of document numbers, or of their logarithms.
    documents: Scale,
    most_documents: usize,
    scores: Scale,
    /// The lowest and the highest score, in tenths.
    tenths: (u32, u32),
}

impl Field {
    /// Creates a field that contains all lines.
    fn around(lines: &[&Line<'_>], axis: DocumentAxis, height: f64) -> Self {
        let points = lines.iter().flat_map(|line| &line.points);
        let (mut most_documents, mut lowest, mut highest) = (10, 1.0_f64, 0.0_f64);
        for &(document, f1) in points {
            most_documents = most_documents.max(document);
            (lowest, highest) = (lowest.min(f1), highest.max(f1));
        }
        let tenths = if lowest <= highest {
            around_tenths(lowest, highest)
        } else {
            (0, 10)
        };
        let last = match axis {
            DocumentAxis::Linear => most_documents as f64,
            DocumentAxis::Logarithmic => libm::log10(most_documents as f64),
        };
        let left = MARGIN + LEFT;
        Field {
            axis,
            documents: Scale {
                values: (0.0, last),
                positions: (left, left + FIELD.0),
            },
            most_documents,
            scores: Scale {
                values: (f64::from(tenths.0) / 10.0, f64::from(tenths.1) / 10.0),
                positions: (TOP + height, TOP),
            },
            tenths,
        }
    }

    fn x(&self, document: usize) -> f64 {
        self.documents.position(match self.axis {
            DocumentAxis::Linear => document as f64,
            DocumentAxis::Logarithmic => libm::log10(document as f64),
        })
    }

    fn positions(&self, line: &Line<'_>) -> Vec<Position> {
        let position =
            |&(document, f1): &(usize, f64)| (self.x(document), self.scores.position(f1));
        line.points.iter().map(position).collect()
    }

    fn draw(&self, canvas: &mut Canvas) {
        let (left, right) = self.documents.positions;
        let (bottom, top) = self.scores.positions;
        for (score, decimals) in self.round_scores() {
            let y = self.scores.position(score);
            canvas.grid((left, y), (right, y));
            let beside = (left - 8.0, y + LETTER * 0.35);
            let text = format!("{score:.decimals$}");
            canvas.text(beside, Anchor::End, Weight::Muted, &text);
        }
        let counts: Vec<usize> = match self.axis {
            DocumentAxis::Linear => round_counts(self.most_documents).collect(),
            DocumentAxis::Logarithmic => {
                let powers = (0..).map_while(|power| 10_usize.checked_pow(power));
                powers
                    .take_while(|power| *power <= self.most_documents)
                    .collect()
            }
        };
        for count in counts {
            let x = self.x(count);
            canvas.grid((x, top), (x, bottom));
            let below = (x, bottom + LETTER * 1.4);
            canvas.text(below, Anchor::Middle, Weight::Muted, &grouped(count));
        }
        canvas.axis((left, bottom), (right, bottom));
        canvas.axis((left, bottom), (left, top));
        let documents = match self.axis {
            DocumentAxis::Linear => "documents so far",
            DocumentAxis::Logarithmic => "documents so far (logarithmic)",
        };
        let middle = ((left + right) / 2.0, bottom + LETTER * 3.0);
        canvas.text(middle, Anchor::Middle, Weight::Label, documents);
        canvas.text((MARGIN, top - 10.0), Anchor::Start, Weight::Label, "F1");
    }

    /// The scores of the grid lines, with the number of decimals to print.
    fn round_scores(&self) -> impl Iterator<Item = (f64, usize)> {
        let (first, last) = self.tenths;
        let (step, decimals) = match last - first {
            0..=1 => (2, 2),
            2..=4 => (5, 2),
            _ => (10, 1),
        };
        (first * 10..=last * 10)
            .step_by(step)
            .map(move |hundredths| (f64::from(hundredths) / 100.0, decimals))
    }
}

/// The tenth below the lowest and the tenth above the highest score, at least one apart.
fn around_tenths(lowest: f64, highest: f64) -> (u32, u32) {
    let last = ((highest * 10.0).ceil() as u32).clamp(1, 10);
    let first = ((lowest * 10.0).floor() as u32).min(last - 1);
    (first, last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_ends_at_tenths() {
        assert_eq!(around_tenths(0.0, 0.0), (0, 1));
        assert_eq!(around_tenths(1.0, 1.0), (9, 10));
        assert_eq!(around_tenths(0.7, 0.7), (6, 7));
        assert_eq!(around_tenths(0.712, 0.978), (7, 10));
        assert_eq!(around_tenths(0.0, 0.93), (0, 10));
    }
}
