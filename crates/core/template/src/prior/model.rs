//! The learned weights: trees over numbers.

use std::sync::LazyLock;

use crate::prior::features::FEATURES;
use crate::prior::page::PAGE_FEATURES;

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

    /// Reads a model. Lines are `blocks BIAS` or `pages BIAS` before the trees of each, and
    /// `TESTS : LEAVES` for a tree, with tests `NUMBER>VALUE`. Lines that begin with `#` are
    /// comments. Returns `None` for other text.
    pub fn parse(text: &str) -> Option<Prior> {
        let mut prior = Prior::default();
        let mut of_pages = false;
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some(bias) = line.strip_prefix("blocks ") {
                (of_pages, prior.blocks.bias) = (false, bias.parse().ok()?);
            } else if let Some(bias) = line.strip_prefix("pages ") {
                (of_pages, prior.pages.bias) = (true, bias.parse().ok()?);
            } else if of_pages {
                prior.pages.trees.push(parse_tree(line, PAGE_FEATURES)?);
            } else {
                prior.blocks.trees.push(parse_tree(line, FEATURES)?);
            }
        }
        Some(prior)
    }

    /// Returns the model as text for [`parse`](Self::parse), without comments.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for (name, trees) in [("blocks", &self.blocks), ("pages", &self.pages)] {
            text.push_str(&format!("{name} {}\n", trees.bias));
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

/// Levels of a tree. A tree of more has a thousand leaves or more in the text.
const MAX_LEVELS: usize = 8;

fn parse_tree(line: &str, numbers: usize) -> Option<Tree> {
    let (tests, leaves) = line.split_once(" : ")?;
    let test = |test: &str| {
        let (at, than) = test.split_once('>')?;
        let at: u16 = at.parse().ok()?;
        (usize::from(at) < numbers).then_some((at, than.parse().ok()?))
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

impl Tree {
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
        assert!(learned.blocks.trees.len() > 10 && learned.pages.trees.len() > 10);
        assert!(text.ends_with(&learned.to_text()));
        assert!(text.contains("CC-BY-4.0"));
    }

    #[test]
    fn a_tree_has_a_leaf_for_each_outcome_of_its_tests() {
        let prior = Prior::parse("blocks 10\n0>5 1>-3 : 1 2 3 4\npages -7\n").expect("a model");
        let logit = |numbers: [i16; 2]| prior.blocks.logit(&numbers);
        assert_eq!(
            [[5, -3], [6, -3], [5, -2], [6, -2]].map(logit),
            [11, 12, 13, 14]
        );
        assert_eq!(prior.pages.logit(&[0; PAGE_FEATURES]), -7);
    }

    #[test]
    fn other_text_is_no_model() {
        for text in [
            "blocks x",
            "blocks 0\n0>1 : 1",
            "blocks 0\n9999>1 : 1 2",
            "blocks 0\n : 1",
        ] {
            assert_eq!(Prior::parse(text), None, "{text}");
        }
    }
}
