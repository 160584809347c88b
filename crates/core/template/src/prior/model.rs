//! The learned weights: trees over numbers.

use std::sync::LazyLock;

use crate::prior::context::{SECOND_FEATURES, feature_name};
use crate::prior::features::FEATURES;
use crate::prior::page::PAGE;

/// A tree. All nodes of one level have the same test, so a tree of six levels has six tests and 64
/// leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tree {
    /// Per level the position of a number, and the value that it must be above.
    pub tests: Vec<(u16, i16)>,
    /// The value of each leaf, in 1/256 of a logit. Bit `n` of its position is the result of the
    /// test `n`.
    pub leaves: Vec<i16>,
}

/// Trees whose values are summed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trees {
    /// The value that the sum begins with, in 1/256 of a logit.
    pub bias: i32,
    /// The trees.
    pub trees: Vec<Tree>,
}

/// The knowledge about blocks of unknown sites. All numbers are whole, so the labels of a page are
/// equal on every machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Prior {
    /// The logit that a block is content, from its [`Features`](crate::prior::Features).
    pub blocks: Trees,
    /// The logit of the second stage, from its [`SecondFeatures`](crate::prior::SecondFeatures).
    pub second: Trees,
    /// The logit that a page is a list, a product or a thread and no article, from its
    /// [`PageFeatures`](crate::prior::PageFeatures).
    pub pages: Trees,
}

static LEARNED: LazyLock<Prior> =
    LazyLock::new(|| Prior::parse(include_str!("../../prior.txt")).unwrap_or_default());

impl Prior {
    /// Returns the model of this version.
    pub fn learned() -> &'static Prior {
        &LEARNED
    }

    /// Reads a model. Lines are `blocks BIAS`, `second BIAS` or `pages BIAS` before the trees of each, then
    /// `numbers NAME...`, and `TESTS : LEAVES` for a tree, with tests `NUMBER>VALUE`. A number is the position of
    /// its name in the line before, so that a version with other numbers reads the same columns. Lines that
    /// begin with `#` are comments. Returns `None` for other text, and for a name that this version has not.
    pub fn parse(text: &str) -> Option<Prior> {
        let mut prior = Prior::default();
        let (mut trees, mut known, mut numbers) = (&mut prior.blocks, Vec::new(), Vec::new());
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            match line.split_once(' ')? {
                (name @ ("blocks" | "second" | "pages"), bias) => {
                    known = names(name);
                    trees = match name {
                        "blocks" => &mut prior.blocks,
                        "second" => &mut prior.second,
                        _ => &mut prior.pages,
                    };
                    trees.bias = bias.parse().ok()?;
                    numbers.clear();
                }
                ("numbers", listed) => {
                    let position = |name| known.iter().position(|known| known == name);
                    let positions = listed.split(' ').map(position);
                    numbers = positions.collect::<Option<_>>()?;
                }
                _ => trees.trees.push(parse_tree(line, &numbers)?),
            }
        }
        Some(prior)
    }

    /// Returns the model as text for [`parse`](Self::parse), without comments.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, trees) in [
            ("blocks", &self.blocks),
            ("second", &self.second),
            ("pages", &self.pages),
        ] {
            if trees.trees.is_empty() {
                continue;
            }
            text.push_str(&format!("{name} {}\n", trees.bias));
            text.push_str(&format!("numbers {}\n", names(name).join(" ")));
            for tree in &trees.trees {
                let tests = tree.tests.iter();
                let tests: Vec<String> = tests.map(|(at, than)| format!("{at}>{than}")).collect();
                let leaves: Vec<String> = tree.leaves.iter().map(i16::to_string).collect();
                text.push_str(&format!("{} : {}\n", tests.join(" "), leaves.join(" ")));
            }
        }
        text
    }
}

/// Returns the names of the numbers that the trees of a name read.
fn names(trees: &str) -> Vec<String> {
    match trees {
        "blocks" => (0..FEATURES).map(feature_name).collect(),
        "second" => (0..SECOND_FEATURES).map(feature_name).collect(),
        _ => PAGE.map(str::to_owned).to_vec(),
    }
}

/// Levels of a tree. A tree of more has a thousand leaves or more in the text.
const MAX_LEVELS: usize = 8;

fn parse_tree(line: &str, numbers: &[usize]) -> Option<Tree> {
    let (tests, leaves) = line.split_once(" : ")?;
    let test = |test: &str| {
        let (at, than) = test.split_once('>')?;
        let at = numbers.get(at.parse::<usize>().ok()?)?;
        Some((u16::try_from(*at).ok()?, than.parse().ok()?))
    };
    let tests: Vec<(u16, i16)> = tests.split(' ').map(test).collect::<Option<_>>()?;
    let leaves = leaves.split(' ').map(|leaf| leaf.parse().ok());
    let leaves: Vec<i16> = leaves.collect::<Option<_>>()?;
    let fits = tests.len() <= MAX_LEVELS && leaves.len() == 1 << tests.len();
    fits.then_some(Tree { tests, leaves })
}

impl Trees {
    /// Returns the logit, in 1/256.
    pub fn logit(&self, numbers: &[i16]) -> i32 {
        self.bias
            + self
                .trees
                .iter()
                .map(|tree| tree.value(numbers))
                .sum::<i32>()
    }
}

/// Rows whose trees are walked at once: the tests of a level are one comparison of vectors. With 1 a page
/// takes three times as long.
const LANES: usize = 32;

impl Trees {
    /// Returns the logits of several rows of numbers, in 1/256, equal to [`logit`](Self::logit) of each.
    pub(crate) fn logits<const N: usize>(&self, rows: &[[i16; N]]) -> Vec<i32> {
        let mut logits = Vec::with_capacity(rows.len());
        for rows in rows.chunks(LANES) {
            let mut columns = [[0_i16; LANES]; N];
            for (lane, row) in rows.iter().enumerate() {
                for (column, number) in columns.iter_mut().zip(row) {
                    column[lane] = *number;
                }
            }
            let mut sums = [self.bias; LANES];
            for tree in &self.trees {
                tree.add_values(&columns, &mut sums);
            }
            logits.extend_from_slice(&sums[..rows.len()]);
        }
        logits
    }
}

impl Tree {
    /// Adds the value of the tree for each lane.
    fn add_values(&self, columns: &[[i16; LANES]], sums: &mut [i32; LANES]) {
        let mut leaves = [0_u16; LANES];
        for (level, (number, than)) in self.tests.iter().enumerate() {
            if let Some(column) = columns.get(usize::from(*number)) {
                for (leaf, number) in leaves.iter_mut().zip(column) {
                    *leaf |= u16::from(number > than) << level;
                }
            }
        }
        for (sum, leaf) in sums.iter_mut().zip(leaves) {
            let value = self.leaves.get(usize::from(leaf));
            *sum += value.copied().map_or(0, i32::from);
        }
    }

    fn value(&self, numbers: &[i16]) -> i32 {
        let mut at = 0;
        for (level, (number, than)) in self.tests.iter().enumerate() {
            let number = numbers.get(usize::from(*number));
            at |= usize::from(number.is_some_and(|number| number > than)) << level;
        }
        self.leaves.get(at).copied().map_or(0, i32::from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A model that cannot be read has no trees, and would change no label.
    #[test]
    fn the_model_of_this_version_is_read_and_written_alike() {
        let text = include_str!("../../prior.txt");
        let learned = Prior::learned();
        assert!(
            learned.second.trees.len() > 10
                && learned.blocks.trees.len() > 10
                && learned.pages.trees.len() > 10
        );
        assert!(text.ends_with(&learned.to_text()));
        assert!(text.contains("CC-BY-4.0"));
    }

    #[test]
    fn a_tree_has_a_leaf_for_each_outcome_of_its_tests() {
        let model = "blocks 10\nnumbers chars links\n0>5 1>-3 : 1 2 3 4\npages -7\n";
        let prior = Prior::parse(model).expect("a model");
        let logit = |numbers: [i16; 2]| prior.blocks.logit(&numbers);
        assert_eq!(
            [[5, -3], [6, -3], [5, -2], [6, -2]].map(logit),
            [11, 12, 13, 14]
        );
        assert_eq!(prior.pages.logit(&[0; PAGE.len()]), -7);
    }

    /// The columns of a test are those of its names, wherever they are in this version.
    #[test]
    fn a_model_with_other_numbers_reads_the_same_columns() {
        let one = Prior::parse("pages 0\nnumbers links has_title\n0>5 1>0 : 1 2 3 4");
        let other = Prior::parse("pages 0\nnumbers has_title title_at links\n2>5 0>0 : 1 2 3 4");
        assert!(one.is_some());
        assert_eq!(one, other);
    }

    #[test]
    fn rows_at_once_have_the_logits_of_each() {
        let second = &Prior::learned().second;
        let mut dice = 1_u32;
        let mut number = || {
            dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (dice >> 20) as i16 - 1000
        };
        let rows: Vec<[i16; SECOND_FEATURES]> = (0..LANES + 7)
            .map(|_| std::array::from_fn(|_| number()))
            .collect();
        let each: Vec<i32> = rows.iter().map(|row| second.logit(row)).collect();
        assert_eq!(second.logits(&rows), each);
        assert!(each.iter().any(|logit| *logit != each[0]));
    }

    #[test]
    fn other_text_is_no_model() {
        for text in [
            "blocks x",
            "blocks 0\n0>1 : 1 2",
            "blocks 0\nnumbers chars\n0>1 : 1",
            "blocks 0\nnumbers chars\n1>1 : 1 2",
            "blocks 0\nnumbers colour\n0>1 : 1 2",
            "blocks 0\nnumbers chars\n : 1",
        ] {
            assert_eq!(Prior::parse(text), None, "{text}");
        }
    }
}
