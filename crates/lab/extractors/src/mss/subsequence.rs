//! Subsequences of greatest sum.

use std::collections::BTreeSet;
use std::ops::Range;

/// Returns at most `most` disjoint ranges of the scores whose sum is greatest, in order. Of
/// equal sums, fewer and shorter ranges are chosen. There is none if no score is positive.
///
/// The scores are cut into runs of one sign. All positive runs together have the greatest
/// sum. While there are more than `most`, the sum falls least by either dropping the positive
/// run, or filling the gap between two of them, that is nearest to zero. A dropped run and the
/// gaps around it become one gap, a filled gap and the runs around it one run. With a sorted
/// set this takes O(n log n).
pub(super) fn maximum_subsequences(scores: &[i32], most: usize) -> Vec<Range<usize>> {
    let mut runs = Runs::new(scores);
    while runs.positive > most {
        runs.merge_smallest();
    }
    runs.into_ranges()
}

/// A run of scores of one sign.
struct Run {
    range: Range<usize>,
    sum: i64,
    before: Option<usize>,
    after: Option<usize>,
}

/// Runs of alternating signs, the first and the last of them positive.
struct Runs {
    runs: Vec<Run>,
    first: Option<usize>,
    /// Runs that can be merged, by their absolute sums.
    by_sum: BTreeSet<(u64, usize)>,
    positive: usize,
}

impl Runs {
    fn new(scores: &[i32]) -> Self {
        let mut runs: Vec<Run> = Vec::new();
        for (at, score) in scores.iter().enumerate().filter(|(_, score)| **score != 0) {
            match runs.last_mut() {
                Some(run) if (run.sum > 0) == (*score > 0) => {
                    run.range.end = at + 1;
                    run.sum += i64::from(*score);
                }
                None if *score < 0 => {}
                _ => runs.push(Run {
                    range: at..at + 1,
                    sum: i64::from(*score),
                    before: None,
                    after: None,
                }),
            }
        }
        // A gap after the last positive run is in no range.
        runs.pop_if(|run| run.sum < 0);
        let count = runs.len();
        for (number, run) in runs.iter_mut().enumerate() {
            run.before = number.checked_sub(1);
            run.after = Some(number + 1).filter(|after| *after < count);
        }
        Self {
            first: (count > 0).then_some(0),
            by_sum: (runs.iter().enumerate())
                .map(|(number, run)| (run.sum.unsigned_abs(), number))
                .collect(),
            positive: count.div_ceil(2),
            runs,
        }
    }

    /// Merges the run that is nearest to zero with its neighbours. A positive run at either end
    /// has one neighbour, a gap that then divides nothing: both are dropped.
    fn merge_smallest(&mut self) {
        let Some((_, number)) = self.by_sum.pop_first() else {
            return;
        };
        self.positive -= 1;
        match (self.runs[number].before, self.runs[number].after) {
            (Some(before), Some(after)) => {
                self.remove(before);
                self.remove(after);
                let (first, last) = (&self.runs[before], &self.runs[after]);
                let (start, end) = (first.range.start, last.range.end);
                let sum = first.sum + last.sum;
                let (outer_before, outer_after) = (first.before, last.after);
                let run = &mut self.runs[number];
                run.range = start..end;
                run.sum += sum;
                run.before = outer_before;
                run.after = outer_after;
                let sum = run.sum.unsigned_abs();
                match outer_before {
                    Some(before) => self.runs[before].after = Some(number),
                    None => self.first = Some(number),
                }
                if let Some(after) = outer_after {
                    self.runs[after].before = Some(number);
                }
                self.by_sum.insert((sum, number));
            }
            (None, Some(gap)) => {
                self.remove(gap);
                self.first = self.runs[gap].after;
                if let Some(first) = self.first {
                    self.runs[first].before = None;
                }
            }
            (Some(gap), None) => {
                self.remove(gap);
                if let Some(last) = self.runs[gap].before {
                    self.runs[last].after = None;
                }
            }
            (None, None) => self.first = None,
        }
    }

    fn remove(&mut self, number: usize) {
        self.by_sum
            .remove(&(self.runs[number].sum.unsigned_abs(), number));
    }

    fn into_ranges(self) -> Vec<Range<usize>> {
        let numbers = std::iter::successors(self.first, |number| self.runs[*number].after);
        numbers
            .map(|number| &self.runs[number])
            .filter(|run| run.sum > 0)
            .map(|run| run.range.clone())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_of_greatest_sum() {
        // 5 - 2 + 4 = 7; to the end it would be 7 - 4 + 3.
        let scores = [-1, 5, -2, 4, -4, 3, -9];
        let one = |range: Range<usize>| std::iter::once(range).collect::<Vec<_>>();
        assert_eq!(maximum_subsequences(&scores, 1), one(1..4));
        assert!(maximum_subsequences(&[-1, -2], 1).is_empty());
        assert!(maximum_subsequences(&[], 1).is_empty());
        assert_eq!(maximum_subsequences(&[0, 2, 0], 1), one(1..2));
    }

    #[test]
    fn several_ranges_of_greatest_sum() {
        // With two, the gap of 4 divides 7 and 3; with three, the gap of 2 divides 5 and 4.
        let scores = [-1, 5, -2, 4, -4, 3, -9];
        assert_eq!(maximum_subsequences(&scores, 2), [1..4, 5..6]);
        assert_eq!(maximum_subsequences(&scores, 3), [1..2, 3..4, 5..6]);
        assert_eq!(maximum_subsequences(&scores, 9), [1..2, 3..4, 5..6]);
    }

    /// The greatest sum of at most `most` ranges, by trying each score inside and outside.
    fn greatest(scores: &[i32], most: usize) -> i64 {
        let mut outside = vec![0_i64; most + 1];
        let mut inside = vec![i64::MIN / 2; most + 1];
        for score in scores {
            for ranges in (1..=most).rev() {
                let begun = inside[ranges].max(outside[ranges - 1]);
                inside[ranges] = begun + i64::from(*score);
                outside[ranges] = outside[ranges].max(inside[ranges]);
            }
        }
        outside.into_iter().max().unwrap_or(0)
    }

    #[test]
    fn the_sum_is_that_of_exhaustive_search() {
        let mut state = 7_u32;
        let mut random = |below: u32| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) % below
        };
        for round in 0..2_000 {
            let scores: Vec<i32> = (0..random(14)).map(|_| random(13) as i32 - 6).collect();
            for most in 1..5 {
                let ranges = maximum_subsequences(&scores, most);
                assert!(ranges.len() <= most);
                assert!(ranges.windows(2).all(|pair| pair[0].end <= pair[1].start));
                let sum: i64 = ranges
                    .into_iter()
                    .flat_map(|range| &scores[range])
                    .map(|score| i64::from(*score))
                    .sum();
                assert_eq!(sum, greatest(&scores, most), "{round}: {scores:?} {most}");
            }
        }
    }
}
