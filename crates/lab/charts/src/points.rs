//! The chart of a number of each page against the size of the page.

use crate::ChartError;
use crate::canvas::{Anchor, Bar, Canvas, LETTER, MARGIN, TOP, Weight};
use crate::palette::NAVY;
use crate::scale::{Scale, round_counts};
use crate::text::grouped;

/// Size of the field with the points, in units of the chart.
const FIELD: (f64, f64) = (720.0, 360.0);
/// Space left of the field, for the numbers.
const LEFT: f64 = 64.0;
/// Space below the field, for the sizes.
const BELOW: f64 = 48.0;
/// Width and height of a point.
const POINT: f64 = 4.0;

/// A point for each page: its size, and a number that may depend on it [A figure 4].
#[derive(Clone, Debug, PartialEq)]
pub struct Points<'a> {
    /// The title.
    pub title: &'a str,
    /// The unit of the size, such as `nodes`.
    pub sizes: &'a str,
    /// The unit of the number, such as `milliseconds`.
    pub numbers: &'a str,
    /// Sizes and numbers, in any order.
    pub points: Vec<(usize, f64)>,
}

impl Points<'_> {
    /// Draws the chart as SVG text.
    ///
    /// # Errors
    ///
    /// If a number is negative or not finite.
    pub fn to_svg(&self) -> Result<String, ChartError> {
        let (mut most, mut highest) = (1, 1.0_f64);
        for &(size, number) in &self.points {
            if !(0.0..f64::INFINITY).contains(&number) {
                return Err(ChartError::Number {
                    name: self.numbers.to_owned(),
                    value: number,
                });
            }
            (most, highest) = (most.max(size), highest.max(number));
        }
        let left = MARGIN + LEFT;
        let (right, bottom) = (left + FIELD.0, TOP + FIELD.1);
        let sizes = Scale::for_counts(most, (left, right));
        let numbers = Scale {
            values: (0.0, highest),
            positions: (bottom, TOP),
        };
        let size = (right + MARGIN, bottom + BELOW + MARGIN / 2.0);
        let mut canvas = Canvas::new(self.title, &self.description(), size);
        for count in round_counts(most) {
            let x = sizes.position(count as f64);
            canvas.grid((x, TOP), (x, bottom));
            let below = (x, bottom + LETTER * 1.4);
            canvas.text(below, Anchor::Middle, Weight::Muted, &grouped(count));
        }
        // Less than 1 of the unit has no grid line but that of 0.
        for count in round_counts(highest as usize) {
            let y = numbers.position(count as f64);
            canvas.grid((left, y), (right, y));
            let beside = (left - 8.0, y + LETTER * 0.35);
            canvas.text(beside, Anchor::End, Weight::Muted, &grouped(count));
        }
        for &(size, number) in &self.points {
            let (x, y) = (sizes.position(size as f64), numbers.position(number));
            canvas.bar(Bar {
                at: (x - POINT / 2.0, y - POINT / 2.0),
                width: POINT,
                height: POINT,
                fill: NAVY,
                tooltip: format!(
                    "{} {}: {number:.2} {}",
                    grouped(size),
                    self.sizes,
                    self.numbers
                ),
            });
        }
        canvas.axis((left, bottom), (right, bottom));
        canvas.axis((left, bottom), (left, TOP));
        let middle = ((left + right) / 2.0, bottom + LETTER * 3.0);
        canvas.text(middle, Anchor::Middle, Weight::Label, self.sizes);
        canvas.text(
            (MARGIN, TOP - 10.0),
            Anchor::Start,
            Weight::Label,
            self.numbers,
        );
        Ok(canvas.into_svg())
    }

    fn description(&self) -> String {
        let points = grouped(self.points.len());
        format!(
            "{points} points: {} by {} of the page.",
            self.numbers, self.sizes
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn svg(points: Vec<(usize, f64)>) -> Result<String, ChartError> {
        let chart = Points {
            title: "Time",
            sizes: "nodes",
            numbers: "milliseconds",
            points,
        };
        chart.to_svg()
    }

    #[test]
    fn every_page_has_a_point_with_its_numbers() {
        let svg = svg(vec![(10, 0.5), (2_000, 31.25), (0, 0.0)]).expect("a chart");
        for said in [
            "2,000 nodes: 31.25 milliseconds",
            "10 nodes: 0.50",
            "3 points",
        ] {
            assert!(svg.contains(said), "{said}: {svg}");
        }
        // The largest page is at the right end of the field, the slowest at its top.
        assert!(svg.contains("x=\"802\" y=\"62\""), "{svg}");
    }

    #[test]
    fn a_number_that_cannot_be_drawn_is_refused() {
        for number in [-1.0, f64::NAN, f64::INFINITY] {
            let refused = svg(vec![(1, number)]).expect_err("no number");
            assert!(refused.to_string().contains("milliseconds"), "{refused}");
        }
        assert!(svg(Vec::new()).is_ok());
    }
}
