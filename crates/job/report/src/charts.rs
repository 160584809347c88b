//! Charts of numbers by date, as SVG that takes its colours from the style of the page.
//!
//! A chart has no text in its drawing, so that it can be stretched to any width: its scale is HTML beside it,
//! and its numbers are a table below it.

use std::fmt::Write;

use svg::Document;
use svg::node::element::{Path, Rectangle};

/// Width of the drawing, in its own units.
const WIDTH: f64 = 1000.0;
/// Height of the drawing.
const HEIGHT: f64 = 100.0;

/// Most bars or points of a drawing. More are less than a pixel wide on a phone, and neighbours are merged.
const MAX_POINTS: usize = 400;

/// Draws bars from left to right, each a stack of parts. Parts have the classes `s1`, `s2` and so on.
pub(crate) fn bars(stacks: &[Vec<f64>]) -> String {
    let stacks = merged(stacks);
    let most = stacks
        .iter()
        .map(|stack| stack.iter().sum::<f64>())
        .fold(0.0, f64::max);
    let slot = WIDTH / stacks.len().max(1) as f64;
    let mut document = drawing();
    for (at, stack) in stacks.iter().enumerate() {
        let mut top = HEIGHT;
        for (part, value) in stack.iter().enumerate() {
            let height = if most > 0.0 {
                value / most * HEIGHT
            } else {
                0.0
            };
            if height <= 0.0 {
                continue;
            }
            top -= height;
            document = document.add(
                Rectangle::new()
                    .set("class", format!("s{}", part + 1))
                    .set("x", tenths(at as f64 * slot + slot * 0.1))
                    .set("y", tenths(top))
                    .set("width", tenths((slot * 0.8).max(0.1)))
                    .set("height", tenths(height.max(0.5))),
            );
        }
    }
    document.to_string()
}

/// Draws a line through values from 0 to `most`. A missing value is a gap.
pub(crate) fn line(values: &[Option<f64>], most: f64) -> String {
    let step = WIDTH / (values.len().max(2) - 1) as f64;
    let mut path = String::new();
    let mut is_down = false;
    for (at, value) in values.iter().enumerate() {
        let Some(value) = value else {
            is_down = false;
            continue;
        };
        let share = if most > 0.0 {
            (value / most).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let (x, y) = (tenths(at as f64 * step), tenths(HEIGHT - share * HEIGHT));
        // Writing to a string cannot fail. A point between gaps is drawn by its round end.
        let _ = match is_down {
            true => write!(path, "L{x} {y}"),
            false => write!(path, "M{x} {y}h.1"),
        };
        is_down = true;
    }
    let line = Path::new().set("class", "line").set("d", path);
    drawing().add(line).to_string()
}

fn drawing() -> Document {
    Document::new()
        .set("viewBox", (0, 0, WIDTH as i32, HEIGHT as i32))
        .set("preserveAspectRatio", "none")
        .set("aria-hidden", "true")
        .set("focusable", "false")
}

/// Adds up neighbours until there are few enough.
fn merged(stacks: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let group = stacks.len().div_ceil(MAX_POINTS).max(1);
    let sum = |group: &[Vec<f64>]| {
        let parts = group.iter().map(Vec::len).max().unwrap_or(0);
        let part = |at: usize| group.iter().filter_map(|stack| stack.get(at)).sum();
        (0..parts).map(part).collect()
    };
    stacks.chunks(group).map(sum).collect()
}

fn tenths(number: f64) -> f64 {
    (number * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_stand_on_the_ground_and_fill_the_height() {
        let svg = bars(&[vec![1.0, 1.0], vec![4.0, 0.0]]);
        assert_eq!(svg.matches("<rect").count(), 3, "{svg}");
        assert!(
            svg.contains("height=\"100\"") && svg.contains("y=\"75\""),
            "{svg}"
        );
        assert_eq!(bars(&[vec![0.0]]).matches("<rect").count(), 0);
    }

    #[test]
    fn a_year_of_many_dates_is_merged() {
        let svg = bars(&vec![vec![1.0]; 5 * MAX_POINTS]);
        assert_eq!(svg.matches("<rect").count(), MAX_POINTS);
    }

    #[test]
    fn a_line_has_gaps_where_values_are_missing() {
        let svg = line(&[Some(0.0), Some(2.0), None, Some(9.0)], 2.0);
        assert!(svg.contains("M0 100h.1L333.3 0M1000 0h.1"), "{svg}");
    }
}
