//! The chart of duplicates found by URL normalisation.

use crate::ChartError;
use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::{BLUE, NAVY};
use crate::scale::Scale;
use crate::text::{grouped, listed, widest};

/// Height of a bar.
const BAR: f64 = 18.0;
/// Height of a row of the chart.
const ROW: f64 = 30.0;
/// Width of a bar of all documents.
const FIELD: f64 = 480.0;
/// Widths of the columns of numbers beside the bars.
const NUMBERS: [f64; 3] = [100.0, 100.0, 72.0];
/// Colour and name of the left part of a bar.
const EARLIER: (&str, &str) = (BLUE, "found by earlier steps");
/// Colour and name of the right part of a bar.
const FOUND: (&str, &str) = (NAVY, "found by this step");

/// Duplicates after each step of the URL normalisation [P figure 2], out of all
/// documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicates<'a> {
    /// The title.
    pub title: &'a str,
    /// The number of documents, including duplicates. A bar of full width has as many.
    pub documents: usize,
    /// The steps in their order.
    pub steps: Vec<Step<'a>>,
}

/// One step of the normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// The name of the step.
    pub name: &'a str,
    /// The duplicates by the addresses of this step alone. A step that adds to an address,
    /// such as the hash of the title, can have fewer than the step before.
    pub duplicates: usize,
}

/// The duplicates after a step and after the one before.
struct CumulativeStep<'a> {
    name: &'a str,
    before: usize,
    after: usize,
}

impl Duplicates<'_> {
    /// Draws the chart as SVG text.
    ///
    /// # Errors
    ///
    /// If a step has more duplicates than there are documents.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        let steps = self.cumulative()?;
        let names = widest(steps.iter().map(|step| step.name), LETTER);
        let left = MARGIN + names + 10.0;
        let right = left + FIELD;
        let scale = Scale::for_counts(self.documents, (left, right));
        let top = TOP + ROW;
        let bottom = top + ROW * steps.len() as f64;
        let numbers = NUMBERS.iter().sum::<f64>();
        let size = (right + numbers + MARGIN, bottom + 3.0 * LETTER + MARGIN);

        let mut canvas = Canvas::new(self.title, &self.description(&steps), size);
        legend(&mut canvas);
        canvas.count_axis(&scale, self.documents, (top, bottom));
        canvas.grid((right, top), (right, bottom));
        for (row, step) in steps.iter().enumerate() {
            let middle = top + ROW * (row as f64 + 0.5);
            step.draw(&mut canvas, &scale, middle - BAR / 2.0);
            let text = middle + LETTER * 0.35;
            canvas.name((left - 10.0, text), Anchor::End, step.name);
            let mut end = right;
            for (number, width) in self.numbers(step).into_iter().zip(NUMBERS) {
                end += width;
                canvas.text((end, text), Anchor::End, Weight::Label, &number);
            }
        }
        canvas.axis((left, top), (left, bottom));
        let middle = (left + FIELD / 2.0, bottom + 3.0 * LETTER);
        let documents = format!("of {} documents", grouped(self.documents));
        canvas.text(middle, Anchor::Middle, Weight::Label, &documents);
        Ok(canvas.into_svg())
    }

    fn cumulative(&self) -> Result<Vec<CumulativeStep<'_>>, ChartError> {
        let mut before = 0_usize;
        let counted = self.steps.iter().map(|step| {
            if step.duplicates > self.documents {
                return Err(ChartError::Duplicates {
                    documents: self.documents,
                });
            }
            let cumulative = CumulativeStep {
                name: step.name,
                before,
                after: step.duplicates,
            };
            before = step.duplicates;
            Ok(cumulative)
        });
        counted.collect()
    }

    /// The texts of a row: the duplicates after the step, the difference to the step
    /// before, and the share of the former in all documents.
    fn numbers(&self, step: &CumulativeStep<'_>) -> [String; 3] {
        let share = 100.0 * step.after as f64 / self.documents.max(1) as f64;
        [
            grouped(step.after),
            match step.after.checked_sub(step.before) {
                Some(more) => format!("(+{})", grouped(more)),
                None => format!("(−{})", grouped(step.before - step.after)),
            },
            format!("{share:.1} %"),
        ]
    }

    fn description(&self, steps: &[CumulativeStep<'_>]) -> String {
        let steps = steps.iter().map(|step| {
            let numbers = self.numbers(step).join(" ");
            format!("{}: {numbers}", step.name)
        });
        format!(
            "Bar chart of the duplicates after each step of the URL normalisation, out of {} \
             documents. {}",
            grouped(self.documents),
            listed(steps)
        )
    }
}

impl CumulativeStep<'_> {
    /// Draws the bar of the step.
    fn draw(&self, canvas: &mut Canvas, scale: &Scale, top: f64) {
        let earlier = self.before.min(self.after);
        for (from, to, (fill, name)) in [(0, earlier, EARLIER), (earlier, self.after, FOUND)] {
            let (x, end) = (scale.position(from as f64), scale.position(to as f64));
            canvas.bar(Bar {
                at: (x, top),
                width: end - x,
                height: BAR,
                fill,
                tooltip: format!("{}: {} {name}", self.name, grouped(to - from)),
            });
        }
    }
}

fn legend(canvas: &mut Canvas) {
    let y = TOP + LETTER;
    for (x, (fill, name)) in [(MARGIN, EARLIER), (MARGIN + 200.0, FOUND)] {
        canvas.swatch((x, y), fill);
        canvas.text((x + 17.0, y), Anchor::Start, Weight::Label, name);
    }
}
