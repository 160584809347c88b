//! Gradient boosting of trees whose levels have one test each.

use template::prior::{Tree, Trees};

/// The settings of a training.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings {
    pub(crate) trees: usize,
    /// Levels of a tree.
    pub(crate) depth: usize,
    /// Share of a tree's values that is added.
    pub(crate) rate: f64,
    /// Weight of pages that pulls a leaf to 0.
    pub(crate) ridge: f64,
    /// One of so many pages is seen by a tree, so that trees differ and learn faster.
    pub(crate) pages: u64,
}

/// The rows to learn from.
#[derive(Default)]
pub(crate) struct Rows {
    /// Per number, its value in each row.
    columns: Vec<Vec<i16>>,
    targets: Vec<bool>,
    weights: Vec<f32>,
    /// The page of each row.
    pages: Vec<u64>,
}

impl Rows {
    /// Adds a row. Rows of one page are adjacent.
    pub(crate) fn push(&mut self, numbers: &[i16], target: bool, weight: f32, page: usize) {
        self.columns.resize_with(numbers.len(), Vec::new);
        for (column, number) in self.columns.iter_mut().zip(numbers) {
            column.push(*number);
        }
        self.targets.push(target);
        self.weights.push(weight);
        self.pages.push(page as u64);
    }
}

/// One logit in the values of leaves.
const LOGIT: f64 = 256.0;

/// Numbers that a feature is compared with, at most. More are finer and slower.
const BINS: usize = 32;

/// The features in bins.
struct Binned {
    /// Per feature the upper numbers of its bins except the last.
    cuts: Vec<Vec<i16>>,
    /// Per feature the bin of each block.
    bins: Vec<Vec<u8>>,
}

impl Binned {
    fn new(rows: &Rows) -> Self {
        let mut binned = Binned {
            cuts: Vec::new(),
            bins: Vec::new(),
        };
        for column in &rows.columns {
            let mut sorted = column.clone();
            sorted.sort_unstable();
            let mut cuts = sorted.clone();
            cuts.dedup();
            if cuts.len() > BINS {
                cuts = (1..BINS)
                    .map(|bin| sorted[sorted.len() * bin / BINS])
                    .collect();
                cuts.dedup();
            } else {
                cuts.pop();
            }
            let bin = |number: &i16| cuts.partition_point(|cut| cut < number) as u8;
            binned.bins.push(column.iter().map(bin).collect());
            binned.cuts.push(cuts);
        }
        binned
    }
}

/// A generator of numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ number >> 31
    }
}

/// Learns the logit of the targets.
pub(crate) fn train(rows: &Rows, settings: Settings) -> Trees {
    let binned = Binned::new(rows);
    let weight = |of: bool| -> f64 {
        let rows = rows.weights.iter().zip(&rows.targets);
        rows.filter(|(_, is)| **is == of)
            .map(|(weight, _)| f64::from(*weight))
            .sum()
    };
    let bias = ((weight(true) / weight(false)).ln() * LOGIT).round();
    let mut trees = Trees {
        bias: bias as i32,
        trees: Vec::new(),
    };
    let mut scores = vec![(bias / LOGIT) as f32; rows.weights.len()];
    let mut dice = Dice(1);
    for _ in 0..settings.trees {
        let seed = dice.next();
        let is_seen = |page: u64| Dice(seed ^ page).next().is_multiple_of(settings.pages);
        let seen: Vec<u32> = (0..rows.weights.len() as u32)
            .filter(|row| is_seen(rows.pages[*row as usize]))
            .collect();
        // Half of the numbers.
        let numbers: Vec<usize> = (0..binned.cuts.len())
            .filter(|number| !binned.cuts[*number].is_empty() && dice.next() & 1 == 0)
            .collect();
        let slope = |row: &u32| {
            let row = *row as usize;
            let probability = 1.0 / (1.0 + (-scores[row]).exp());
            let target = f32::from(u8::from(rows.targets[row]));
            let curvature = (probability * (1.0 - probability)).max(1e-4);
            [
                rows.weights[row] * (target - probability),
                rows.weights[row] * curvature,
            ]
        };
        let slopes: Vec<[f32; 2]> = seen.iter().map(slope).collect();
        let tree = grow(&binned, &seen, &numbers, &slopes, settings);
        if tree.tests.is_empty() {
            continue;
        }
        for (row, score) in scores.iter_mut().enumerate() {
            let mut at = 0;
            for (level, (number, than)) in tree.tests.iter().enumerate() {
                at |= usize::from(rows.columns[usize::from(*number)][row] > *than) << level;
            }
            *score += f32::from(tree.leaves[at]) / LOGIT as f32;
        }
        trees.trees.push(tree);
    }
    trees
}

fn grow(
    binned: &Binned,
    rows: &[u32],
    numbers: &[usize],
    slopes: &[[f32; 2]],
    settings: Settings,
) -> Tree {
    let mut leaves = vec![0_u8; rows.len()];
    let mut tests: Vec<(u16, i16)> = Vec::new();
    let ridge = settings.ridge as f32;
    for level in 0..settings.depth {
        let count = 1 << level;
        let mut best = (0.0_f32, 0, 0);
        for &feature in numbers {
            let mut sums = vec![[0.0_f32; 2]; count * BINS];
            let bins = &binned.bins[feature];
            for ((row, leaf), slope) in rows.iter().zip(&leaves).zip(slopes) {
                let sum = &mut sums[usize::from(*leaf) * BINS + usize::from(bins[*row as usize])];
                sum[0] += slope[0];
                sum[1] += slope[1];
            }
            let cuts = binned.cuts[feature].len();
            let mut gains = [0.0_f32; BINS];
            for of_leaf in sums.chunks_exact(BINS) {
                let all = of_leaf
                    .iter()
                    .fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
                let value = |sum: [f32; 2]| sum[0] * sum[0] / (sum[1] + ridge);
                let mut low = [0.0; 2];
                for (cut, gain) in gains.iter_mut().enumerate().take(cuts) {
                    low = [low[0] + of_leaf[cut][0], low[1] + of_leaf[cut][1]];
                    *gain += value(low) + value([all[0] - low[0], all[1] - low[1]]) - value(all);
                }
            }
            for (cut, gain) in gains.iter().enumerate().take(cuts) {
                if *gain > best.0 {
                    best = (*gain, feature, cut);
                }
            }
        }
        let (gain, feature, cut) = best;
        if gain <= 0.0 {
            break;
        }
        let bins = &binned.bins[feature];
        for (row, leaf) in rows.iter().zip(&mut leaves) {
            *leaf |= u8::from(usize::from(bins[*row as usize]) > cut) << level;
        }
        tests.push((feature as u16, binned.cuts[feature][cut]));
    }
    let mut sums = vec![[0.0_f64; 2]; 1 << tests.len()];
    for (leaf, slope) in leaves.iter().zip(slopes) {
        sums[usize::from(*leaf)][0] += f64::from(slope[0]);
        sums[usize::from(*leaf)][1] += f64::from(slope[1]);
    }
    let value = |sum: &[f64; 2]| {
        let value = sum[0] / (sum[1] + settings.ridge);
        (value * settings.rate * LOGIT)
            .round()
            .clamp(-2000.0, 2000.0) as i16
    };
    Tree {
        tests,
        leaves: sums.iter().map(value).collect(),
    }
}
