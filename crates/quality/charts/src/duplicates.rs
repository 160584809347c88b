//! What the normalisation of URLs finds.

use crate::Undrawable;
use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::{BLUE, NAVY};
use crate::scale::Scale;
use crate::text::{grouped, listed, widest};

/// Height of a bar, and from one to the next.
const BAR: f64 = 18.0;
const ROW: f64 = 30.0;
/// Width of the bar of all documents.
const FIELD: f64 = 480.0;
/// Widths of the columns of numbers beside the bars.
const NUMBERS: [f64; 3] = [100.0, 100.0, 72.0];
/// The two parts of a bar.
const EARLIER: (&str, &str) = (BLUE, "found by earlier steps");
const FOUND: (&str, &str) = (NAVY, "found by this step");

/// Duplicates within domains after each step of the URL normalisation [P figure 2],
/// out of all documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Duplicates<'a> {
    /// The title.
    pub title: &'a str,
    /// All documents, duplicates too: the whole width of the chart.
    pub documents: usize,
    /// The steps in the order in which they are taken.
    pub steps: Vec<Step<'a>>,
}

/// One step of the normalisation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step<'a> {
    /// What it is called.
    pub name: &'a str,
    /// Duplicates it finds that no earlier step found.
    pub found: usize,
}

/// Duplicates before and after a step.
struct Counted<'a> {
    name: &'a str,
    before: usize,
    after: usize,
}

impl Duplicates<'_> {
    /// The chart as SVG text.
    ///
    /// # Errors
    ///
    /// If the steps find more duplicates than there are documents.
    pub fn to_svg(&self) -> Result<String, Undrawable> {
        let steps = self.counted()?;
        let names = widest(steps.iter().map(|step| step.name), LETTER);
        let left = MARGIN + names + 10.0;
        let right = left + FIELD;
        let scale = Scale::of_counts(self.documents, (left, right));
        let top = TOP + ROW;
        let bottom = top + ROW * steps.len() as f64;
        let numbers = NUMBERS.iter().sum::<f64>();
        let size = (right + numbers + MARGIN, bottom + 3.0 * LETTER + MARGIN);

        let mut canvas = Canvas::new(self.title, &self.description(&steps), size);
        legend(&mut canvas);
        canvas.count_axis(&scale, self.documents, (top, bottom));
        canvas.grid((right, top), (right, bottom));
        for (place, step) in steps.iter().enumerate() {
            let middle = top + ROW * (place as f64 + 0.5);
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

    fn counted(&self) -> Result<Vec<Counted<'_>>, Undrawable> {
        let mut before = 0_usize;
        let counted = self.steps.iter().map(|step| {
            let after = before.checked_add(step.found);
            let after = after.filter(|after| *after <= self.documents);
            let after = after.ok_or(Undrawable::Duplicates {
                documents: self.documents,
            })?;
            let name = step.name;
            let step = Counted {
                name,
                before,
                after,
            };
            before = after;
            Ok(step)
        });
        counted.collect()
    }

    /// Duplicates after the step, those it found, and their share of all documents.
    fn numbers(&self, step: &Counted<'_>) -> [String; 3] {
        let share = 100.0 * step.after as f64 / self.documents.max(1) as f64;
        [
            grouped(step.after),
            format!("(+{})", grouped(step.after - step.before)),
            format!("{share:.1} %"),
        ]
    }

    fn description(&self, steps: &[Counted<'_>]) -> String {
        let said = steps.iter().map(|step| {
            let numbers = self.numbers(step).join(" ");
            format!("{}: {numbers}", step.name)
        });
        format!(
            "Bar chart of the duplicates within domains after each step of the URL \
             normalisation, out of {} documents. {}",
            grouped(self.documents),
            listed(said)
        )
    }
}

impl Counted<'_> {
    /// The bar of the step, below a height.
    fn draw(&self, canvas: &mut Canvas, scale: &Scale, top: f64) {
        for (from, to, (fill, says)) in
            [(0, self.before, EARLIER), (self.before, self.after, FOUND)]
        {
            let (x, end) = (scale.at(from as f64), scale.at(to as f64));
            canvas.bar(Bar {
                at: (x, top),
                width: end - x,
                height: BAR,
                fill,
                says: format!("{}: {} {says}", self.name, grouped(to - from)),
            });
        }
    }
}

fn legend(canvas: &mut Canvas) {
    let y = TOP + LETTER;
    for (x, (fill, says)) in [(MARGIN, EARLIER), (MARGIN + 200.0, FOUND)] {
        canvas.swatch((x, y), fill);
        canvas.text((x + 17.0, y), Anchor::Start, Weight::Label, says);
    }
}
