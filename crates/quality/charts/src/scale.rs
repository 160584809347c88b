//! From values to positions.

/// Values of an interval on a stretch of the chart, in proportion.
#[derive(Clone, Copy)]
pub(crate) struct Scale {
    /// The first and the last value.
    pub(crate) values: (f64, f64),
    /// Where these lie, in units of the chart.
    pub(crate) positions: (f64, f64),
}

impl Scale {
    /// Counts from none to a number of them, at least one.
    pub(crate) fn of_counts(most: usize, positions: (f64, f64)) -> Self {
        Scale {
            values: (0.0, most.max(1) as f64),
            positions,
        }
    }

    /// Where a value lies.
    pub(crate) fn at(&self, value: f64) -> f64 {
        let (first, last) = self.values;
        let (start, end) = self.positions;
        start + (value - first) / (last - first) * (end - start)
    }
}

/// Round counts from 0 to the number: as many as there are steps of 1, 2 or 5 times a
/// power of ten between, at most six.
pub(crate) fn round_counts(most: usize) -> impl Iterator<Item = usize> {
    let mut steps = (0..=18).flat_map(|power| [1, 2, 5].map(|step| step * 10_usize.pow(power)));
    let step = steps.find(|step| most / step <= 5).unwrap_or(usize::MAX);
    (0..=most / step).map(move |index| index * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_counts_are_few_and_reach_far() {
        let counts = |most| round_counts(most).collect::<Vec<_>>();
        assert_eq!(counts(0), [0]);
        assert_eq!(counts(3), [0, 1, 2, 3]);
        assert_eq!(counts(681), [0, 200, 400, 600]);
        assert_eq!(counts(20_000), [0, 5000, 10_000, 15_000, 20_000]);
        assert_eq!(counts(usize::MAX).len(), 4);
    }
}
