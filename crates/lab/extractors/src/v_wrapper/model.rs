//! Boosted decision stumps.

use super::features::{Features, NAMES};

/// Units of the weight of a stump.
const WEIGHT: f64 = 1_000.0;

/// A test of one number, and the weight of its vote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stump {
    feature: usize,
    /// The test is passed by greater numbers.
    than: u8,
    /// The vote of a leaf that passes, in 1/1000; one that does not votes the opposite.
    weight: i32,
}

/// The stumps of the two classes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeafModel {
    pub(super) body: Vec<Stump>,
    pub(super) title: Vec<Stump>,
}

impl LeafModel {
    /// Reads a model of lines `body|title NUMBER > VALUE WEIGHT`. Lines that begin with `#`
    /// are comments. Returns `None` for other text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut model = Self::default();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let mut parts = line.split(' ');
            let stumps = match parts.next()? {
                "body" => &mut model.body,
                "title" => &mut model.title,
                _ => return None,
            };
            let name = parts.next()?;
            let feature = NAMES.iter().position(|other| *other == name)?;
            parts.next().filter(|sign| *sign == ">")?;
            stumps.push(Stump {
                feature,
                than: parts.next()?.parse().ok()?,
                weight: parts.next()?.parse().ok()?,
            });
            if parts.next().is_some() {
                return None;
            }
        }
        Some(model)
    }

    /// Returns the model as text for [`parse`](Self::parse), after a comment.
    #[must_use]
    pub fn to_text(&self, comment: &str) -> String {
        let mut text = format!("{}\n", comment.trim_end());
        for (class, stumps) in [("body", &self.body), ("title", &self.title)] {
            for stump in stumps {
                let name = NAMES[stump.feature];
                text.push_str(&format!(
                    "{class} {name} > {} {}\n",
                    stump.than, stump.weight
                ));
            }
        }
        text
    }
}

/// The sum of the votes, in 1/1000.
pub(super) fn votes(stumps: &[Stump], features: &Features) -> i32 {
    let vote = |stump: &Stump| match features[stump.feature] > stump.than {
        true => stump.weight,
        false => -stump.weight,
    };
    stumps.iter().map(vote).sum()
}

/// A leaf to learn from.
pub(super) struct Example {
    pub(super) features: Features,
    pub(super) is_in_class: bool,
    pub(super) weight: f64,
}

/// Learns stumps by `AdaBoost`: each is the best one for the examples, whose weights grow where
/// the stumps before it were wrong.
pub(super) fn boost(examples: &[Example], rounds: usize) -> Vec<Stump> {
    let mut weights: Vec<f64> = examples.iter().map(|example| example.weight).collect();
    let mut stumps: Vec<Stump> = Vec::new();
    for _ in 0..rounds {
        let sum: f64 = weights.iter().sum();
        let Some((feature, than, correct)) = best(examples, &weights) else {
            break;
        };
        // The share that a vote of the better sign decides rightly; never all or nothing.
        let share = (correct / sum).clamp(1e-6, 1.0 - 1e-6);
        let alpha = 0.5 * (share / (1.0 - share)).ln();
        let weight = (alpha * WEIGHT).round() as i32;
        if weight == 0 {
            break;
        }
        for (weight, example) in weights.iter_mut().zip(examples) {
            let passes = example.features[feature] > than;
            let agrees = passes == example.is_in_class;
            *weight *= if agrees { -alpha } else { alpha }.exp();
        }
        stumps.push(Stump {
            feature,
            than,
            weight,
        });
    }
    stumps
}

/// Returns the test that decides most, and the weight of the examples for which passing it is
/// being in the class.
fn best(examples: &[Example], weights: &[f64]) -> Option<(usize, u8, f64)> {
    let sum: f64 = weights.iter().sum();
    let mut best: Option<(usize, u8, f64)> = None;
    for feature in 0..NAMES.len() {
        // By value: the weight in the class less that outside of it.
        let mut by_value = [0.0_f64; 256];
        let mut inside = 0.0;
        for (example, weight) in examples.iter().zip(weights) {
            let signed = if example.is_in_class {
                *weight
            } else {
                -weight
            };
            by_value[usize::from(example.features[feature])] += signed;
            inside += if example.is_in_class { *weight } else { 0.0 };
        }
        let total: f64 = by_value.iter().sum();
        let mut below = 0.0;
        for (than, value) in (0..=u8::MAX).zip(by_value) {
            below += value;
            // Right are those in the class that pass, and the others that do not.
            let correct = (total - below) + (sum - inside);
            let gain = (correct - sum / 2.0).abs();
            if best.is_none_or(|(_, _, other)| gain > (other - sum / 2.0).abs() + 1e-12) {
                best = Some((feature, than, correct));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example(chars: u8, linked: u8, is_in_class: bool) -> Example {
        let mut features = [0; NAMES.len()];
        (features[1], features[4]) = (chars, linked);
        Example {
            features,
            is_in_class,
            weight: 1.0,
        }
    }

    #[test]
    fn the_first_stump_is_the_best_test() {
        // More than 7 is right for four of five.
        let examples = [
            example(3, 0, false),
            example(7, 0, false),
            example(8, 0, true),
            example(9, 0, true),
            example(9, 1, false),
        ];
        let stumps = boost(&examples, 1);
        // ln (.8 / .2) / 2.
        let expected = Stump {
            feature: 1,
            than: 7,
            weight: 693,
        };
        assert_eq!(stumps, [expected]);
        // With more, the link decides the last one.
        let stumps = boost(&examples, 10);
        for example in &examples {
            assert_eq!(votes(&stumps, &example.features) > 0, example.is_in_class);
        }
    }

    #[test]
    fn a_model_is_written_and_read() {
        let model = LeafModel {
            body: boost(&[example(3, 0, false), example(9, 0, true)], 3),
            title: boost(&[example(9, 1, false), example(9, 0, true)], 3),
        };
        let text = model.to_text("# A comment.");
        assert_eq!(LeafModel::parse(&text), Some(model));
        let broken = [
            "body chars > 7",
            "foot chars > 7 1",
            "body width > 7 1",
            "body chars < 7 1",
            "body chars > 7 1 1",
        ];
        for line in broken {
            assert_eq!(LeafModel::parse(line), None, "{line}");
        }
    }
}
