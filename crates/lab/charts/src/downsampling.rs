//! Downsampling of long lines to the resolution of a screen.
//!
//! Of the points in one column of pixels, the first, the lowest, the highest and the
//! last are enough: with them a line of one colour covers the same pixels. Jugel et al.,
//! "M4: A Visualization-Oriented Time Series Data Aggregation", VLDB 2014. Methods that
//! choose points by shape, such as LTTB, lose peaks. Only the dashes of a line may be at
//! other positions than with all points.

use std::fmt::Write as _;

/// A position, in units of the chart.
pub(crate) type Position = (f64, f64);

/// Width of a column, in units of the chart: a pixel of a screen with two pixels per
/// unit.
const COLUMN: f64 = 0.5;

/// Returns the data of a `<path>` through downsampled positions. The positions are sorted
/// from left to right.
pub(crate) fn path(positions: &[Position]) -> String {
    let mut data = String::new();
    let mut command = 'M';
    for (x, y) in without_flats(downsampled(positions).into_iter().map(rounded)) {
        // Writing to a string cannot fail.
        let _ = write!(data, "{command}{x} {y}");
        command = 'L';
    }
    data
}

/// Keeps at most four positions per column.
fn downsampled(positions: &[Position]) -> Vec<Position> {
    let column = |(x, _): Position| (x / COLUMN).floor();
    let mut kept = Vec::new();
    for points in positions.chunk_by(|one, next| column(*one) == column(*next)) {
        let by_height = |one: &usize, other: &usize| points[*one].1.total_cmp(&points[*other].1);
        let last = points.len() - 1;
        let lowest = (0..=last).min_by(by_height).unwrap_or(0);
        let highest = (0..=last).max_by(by_height).unwrap_or(last);
        let mut indices = vec![0, lowest, highest, last];
        indices.sort_unstable();
        indices.dedup();
        kept.extend(indices.into_iter().map(|index| points[index]));
    }
    kept
}

/// Rounds a position to tenths of a unit.
fn rounded((x, y): Position) -> Position {
    (tenths(x), tenths(y))
}

/// Rounds a number to tenths, so that no chart depends on the rounding of a last digit.
pub(crate) fn tenths(value: f64) -> f64 {
    // Adding 0 turns -0 into 0.
    (value * 10.0).round() / 10.0 + 0.0
}

/// Removes the inner points of horizontal segments.
fn without_flats(positions: impl Iterator<Item = Position>) -> Vec<Position> {
    let mut kept: Vec<Position> = Vec::new();
    for position in positions {
        if let [.., (_, before), (_, last)] = kept[..]
            && before == last
            && last == position.1
        {
            kept.pop();
        }
        kept.push(position);
    }
    kept
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The lowest and the highest point of the line in every column, including the points
    /// at which it enters and leaves the column.
    fn covered(line: &[Position]) -> Vec<(i64, f64, f64)> {
        let mut extents: Vec<(i64, f64, f64)> = Vec::new();
        let mut cover = |column: i64, y: f64| match extents.last_mut() {
            Some((last, low, high)) if *last == column => {
                *low = low.min(y);
                *high = high.max(y);
            }
            _ => extents.push((column, y, y)),
        };
        let column = |x: f64| (x / COLUMN).floor() as i64;
        for (index, &(x, y)) in line.iter().enumerate() {
            if let Some(&(before_x, before_y)) = index.checked_sub(1).map(|before| &line[before]) {
                for border in column(before_x) + 1..=column(x) {
                    let share = (border as f64 * COLUMN - before_x) / (x - before_x);
                    let y = before_y + share * (y - before_y);
                    cover(border - 1, y);
                    cover(border, y);
                }
            }
            cover(column(x), y);
        }
        extents
    }

    fn line() -> impl Strategy<Value = Vec<Position>> {
        let steps = prop::collection::vec((0.0..1.5_f64, 0.0..400.0_f64), 1..600);
        (steps, prop::sample::select(vec![0.001, 0.05, 1.0])).prop_map(|(steps, pace)| {
            let mut x = 50.0;
            let next = steps.into_iter().map(|(step, y)| {
                x += step * pace;
                (x, y)
            });
            next.collect()
        })
    }

    proptest! {
        #[test]
        fn downsampling_covers_the_same_pixels(line in line()) {
            prop_assert_eq!(covered(&downsampled(&line)), covered(&line));
        }

        #[test]
        fn a_column_keeps_at_most_four_points_and_both_ends(line in line()) {
            let downsampled = downsampled(&line);
            let full = |x: f64| downsampled.iter().filter(|point| (point.0 / COLUMN).floor() == x).count();
            prop_assert!(downsampled.iter().all(|point| full((point.0 / COLUMN).floor()) <= 4));
            prop_assert_eq!(downsampled.first(), line.first());
            prop_assert_eq!(downsampled.last(), line.last());
        }
    }

    #[test]
    fn one_outlier_among_fifty_thousand_points_is_visible() {
        let mut line: Vec<Position> = (0..50_000)
            .map(|index| (f64::from(index) * 720.0 / 50_000.0, 100.0))
            .collect();
        assert_eq!(path(&line), "M0 100L720 100");
        line[31_415].1 = 300.0;
        let seen = path(&line);
        assert!(seen.contains("L452.4 300L"), "{seen}");
        assert!(seen.len() < 80, "{seen}");
    }

    #[test]
    fn the_points_of_noise_are_bounded_by_the_chart_width() {
        let noise = |index: u64| (index.wrapping_mul(6_364_136_223_846_793_005) >> 33) as f64;
        let line: Vec<Position> = (0..200_000)
            .map(|index| (index as f64 * 720.0 / 200_000.0, noise(index) / 1e7))
            .collect();
        let kept = downsampled(&line);
        assert_eq!(covered(&kept), covered(&line));
        assert!((4000..=4 * 1440).contains(&kept.len()), "{}", kept.len());
    }

    #[test]
    fn short_lines_keep_their_points() {
        assert_eq!(path(&[]), "");
        assert_eq!(path(&[(3.04, -0.01)]), "M3 0");
        let steps = [
            (0.0, 5.0),
            (10.0, 5.0),
            (20.0, 5.0),
            (20.0, 7.0),
            (30.0, 7.0),
        ];
        assert_eq!(path(&steps), "M0 5L20 5L20 7L30 7");
    }
}
