//! Distinguishable colours and dash patterns.

/// The colour of labels and axes.
pub(crate) const INK: &str = "#1f1f1f";
/// The colour of less prominent text, such as the numbers of ticks.
pub(crate) const MUTED: &str = "#595959";
/// The colour of grid lines.
pub(crate) const GRID: &str = "#dedede";
/// The background of a chart. It is drawn, so that contrast does not depend on the page.
pub(crate) const BACKGROUND: &str = "#ffffff";

/// The colours of marks. Each has a contrast of 3:1 to the background. They were chosen
/// for the distance between any two, with normal sight and with three kinds of colour
/// blindness.
pub(crate) const COLOURS: [&str; 7] = [BLUE, BROWN, GREY, NAVY, ORANGE, BLACK, PURPLE];
pub(crate) const BLUE: &str = "#4494ff";
pub(crate) const BROWN: &str = "#7b1100";
pub(crate) const GREY: &str = "#9a8c96";
pub(crate) const NAVY: &str = "#1000c8";
pub(crate) const ORANGE: &str = "#fa4e02";
pub(crate) const BLACK: &str = "#050015";
pub(crate) const PURPLE: &str = "#6a177f";

/// Dash patterns, in units of the chart. The first is a solid line.
const DASHES: [&str; 5] = ["none", "9 4", "2 3", "9 3 2 3", "18 4 2 4"];

/// The colour and dashes of a line.
pub(crate) struct Stroke {
    pub(crate) colour: &'static str,
    pub(crate) dashes: &'static str,
}

/// Returns the stroke of a line by its rank in the legend. Seven successive lines have
/// different colours; strokes repeat after 35 lines.
pub(crate) fn stroke(rank: usize) -> Stroke {
    Stroke {
        colour: COLOURS[rank % COLOURS.len()],
        dashes: DASHES[rank / COLOURS.len() % DASHES.len()],
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    type Rgb = [f64; 3];

    /// Converts an sRGB colour to linear light.
    fn linear(colour: &str) -> Rgb {
        [1, 3, 5].map(|at| {
            let byte = u8::from_str_radix(&colour[at..at + 2], 16).expect("two hex digits");
            let value = f64::from(byte) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        })
    }

    fn times(matrix: [Rgb; 3], [r, g, b]: Rgb) -> Rgb {
        matrix.map(|row| row[0] * r + row[1] * g + row[2] * b)
    }

    const XYZ: [Rgb; 3] = [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ];

    /// The contrast ratio of WCAG 2.
    fn contrast(one: &str, other: &str) -> f64 {
        let luminance = |colour| times(XYZ, linear(colour))[1] + 0.05;
        let ratio = luminance(one) / luminance(other);
        ratio.max(1.0 / ratio)
    }

    /// Converts linear light to CIELAB with white D65.
    fn lab(rgb: Rgb) -> Rgb {
        let [x, y, z] = times(XYZ, rgb);
        let f = |t: f64| {
            if t > 216.0 / 24389.0 {
                t.cbrt()
            } else {
                (24389.0 / 27.0 * t + 16.0) / 116.0
            }
        };
        let (x, y, z) = (f(x / 0.95047), f(y), f(z / 1.08883));
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    fn distance(one: Rgb, other: Rgb) -> f64 {
        let squares = one.iter().zip(other).map(|(a, b)| (a - b).powi(2));
        squares.sum::<f64>().sqrt()
    }

    /// Normal sight, and full protanopia, deuteranopia and tritanopia in linear light:
    /// Machado, Oliveira & Fernandes 2009, table 1.
    const SIGHTS: [[Rgb; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    #[test]
    fn colours_are_distinct_for_every_kind_of_sight() {
        let mut pairs = 0;
        for sight in SIGHTS {
            let seen = COLOURS.map(|colour| {
                let rgb = times(sight, linear(colour));
                lab(rgb.map(|light| light.clamp(0.0, 1.0)))
            });
            for (index, one) in seen.iter().enumerate() {
                for other in &seen[..index] {
                    // Twice the least distance in the palette of Okabe & Ito, which is 16.
                    assert!(distance(*one, *other) > 32.0, "{sight:?} {index}");
                    pairs += 1;
                }
            }
        }
        assert_eq!(pairs, 4 * 21);
    }

    #[test]
    fn marks_and_texts_contrast_with_the_background() {
        for colour in COLOURS {
            assert!(contrast(colour, BACKGROUND) >= 3.0, "{colour}");
        }
        assert!(contrast(INK, BACKGROUND) >= 7.0 && contrast(MUTED, BACKGROUND) >= 7.0);
    }

    #[test]
    fn strokes_of_35_lines_and_colours_of_neighbours_differ() {
        let strokes = (0..35)
            .map(stroke)
            .map(|stroke| (stroke.colour, stroke.dashes));
        assert_eq!(strokes.collect::<BTreeSet<_>>().len(), 35);
        let neighbours = (0..35).map(|rank| (stroke(rank).colour, stroke(rank + 1).colour));
        assert_eq!(neighbours.filter(|(one, next)| one == next).count(), 0);
    }
}
