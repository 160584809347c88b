//! Linear scales from values to positions.

/// A linear scale from an interval of values to an interval of positions.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// The first and the last value.
    pub(crate) values: (f64, f64),
    /// The positions of these values, in units of the chart.
    pub(crate) positions: (f64, f64),
}

impl Scale {
    /// Creates a scale of counts from 0 to `most`, or to 1 if `most` is 0.
    pub(crate) fn for_counts(most: usize, positions: (f64, f64)) -> Self {
        Scale {
            values: (0.0, most.max(1) as f64),
            positions,
        }
    }

    /// Returns the position of a value.
    pub(crate) fn position(&self, value: f64) -> f64 {
        let (first, last) = self.values;
        let (start, end) = self.positions;
        start + (value - first) / (last - first) * (end - start)
    }
}

/// Returns at most six round counts from 0 to `most`. The step is 1, 2 or 5 times a power
/// of ten.
pub(crate) fn round_counts(most: usize) -> impl Iterator<Item = usize> {
    let mut steps = (0..=18).flat_map(|power| [1, 2, 5].map(|step| step * 10_usize.pow(power)));
    let step = steps.find(|step| most / step <= 5).unwrap_or(usize::MAX);
    (0..=most / step).map(move |index| index * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_counts_are_at_most_six() {
        let counts = |most| round_counts(most).collect::<Vec<_>>();
        assert_eq!(counts(0), [0]);
        assert_eq!(counts(3), [0, 1, 2, 3]);
        assert_eq!(counts(681), [0, 200, 400, 600]);
        assert_eq!(counts(20_000), [0, 5000, 10_000, 15_000, 20_000]);
        assert_eq!(counts(usize::MAX).len(), 4);
    }
}
