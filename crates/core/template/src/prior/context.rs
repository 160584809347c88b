//! The numbers of the second stage: what the first stage says about a block and about those around it.

use std::ops::Range;

use crate::outline::Outline;
use crate::prior::features::{self, FEATURES, Features};
use crate::prior::logistic::probability;
use crate::prior::numbers::numbers;
use crate::prior::structure::{Surroundings, container, share, small};

/// Neighbours whose probability is a number.
const STEPS: [isize; 6] = [-3, -2, -1, 1, 2, 3];
/// Blocks on each side whose mean probability is a number.
const AROUND: [usize; 2] = [6, 15];
/// Probabilities of the first stage, in thousandths: of a block and of the elements around it.
pub(crate) struct Said {
    own: i16,
    path: i16,
    element: i16,
    parent: i16,
    grandparent: i16,
    great: i16,
    container: i16,
    record: i16,
    near: i16,
    around: i16,
    page: i16,
    before: i16,
    above_best: i16,
    same_run: i16,
}

numbers! {
    /// Returns the numbers of the second stage without those of neighbours.
    NAMES, of_first(of: &Said) {
        first => of.own,
        first_path => of.path,
        first_element => of.element,
        first_parent => of.parent,
        first_grandparent => of.grandparent,
        first_great => of.great,
        first_container => of.container,
        first_record => of.record,
        first_near => of.near,
        first_around => of.around,
        first_page => of.page,
        first_before => of.before,
        first_above_best => of.above_best,
        first_same_run => of.same_run,
    }
}

/// Number of the numbers of a block in the second stage.
pub const SECOND_FEATURES: usize = FEATURES + NAMES.len() + STEPS.len();

/// The numbers of a block in the second stage: those of the first, and what the first says.
pub type SecondFeatures = [i16; SECOND_FEATURES];

/// Returns the name of a number. The numbers of the second stage begin with those of the first.
pub fn feature_name(at: usize) -> String {
    let Some(at) = at.checked_sub(FEATURES) else {
        return features::feature_name(at);
    };
    match NAMES.get(at) {
        Some(name) => (*name).to_owned(),
        None => format!("first_{:+}", STEPS[(at - NAMES.len()) % STEPS.len()]),
    }
}

/// Sums of characters and of their probabilities, in thousandths, before each block.
struct Content(Vec<(u64, u64)>);

impl Content {
    fn new(outline: &Outline, probabilities: &[u64]) -> Self {
        let mut before = Vec::with_capacity(probabilities.len() + 1);
        let (mut chars, mut content) = (0, 0);
        before.push((0, 0));
        for (block, probability) in outline.blocks.iter().zip(probabilities) {
            chars += u64::from(block.chars);
            content += u64::from(block.chars) * probability;
            before.push((chars, content));
        }
        Content(before)
    }

    /// Returns the mean probability of the characters of some blocks.
    fn mean(&self, range: Range<usize>) -> i16 {
        let (one, other) = (self.0[range.start], self.0[range.end]);
        mean(other.0 - one.0, other.1 - one.1)
    }
}

/// Returns a number as one that fits.
fn signed(number: i32) -> i16 {
    let fits = number.clamp(i16::MIN.into(), i16::MAX.into());
    i16::try_from(fits).unwrap_or_default()
}

fn mean(chars: u64, content: u64) -> i16 {
    small(content / chars.max(1))
}

/// Returns the numbers of the second stage from those of the first and its logits.
pub(crate) fn second_features(
    surroundings: &Surroundings<'_>,
    first: &[Features],
    logits: &[i32],
    best: i32,
) -> Vec<SecondFeatures> {
    let Surroundings {
        outline,
        records,
        record_of,
        ..
    } = surroundings;
    let count = logits.len();
    let probabilities: Vec<u64> = logits.iter().map(|logit| probability(*logit)).collect();
    let content = Content::new(outline, &probabilities);
    let of_node = |node: usize| content.mean(outline.nodes[node].first..outline.nodes[node].end);
    let mut paths = vec![(0, 0); outline.paths.len()];
    for (at, probability) in probabilities.iter().enumerate() {
        let path: &mut (u64, u64) = &mut paths[outline.nodes[outline.leaves[at]].path];
        let chars = u64::from(outline.blocks[at].chars);
        *path = (path.0 + chars, path.1 + chars * probability);
    }
    let runs = runs(&probabilities, outline);
    let around = |at: usize, blocks: usize| {
        content.mean(at.saturating_sub(blocks)..(at + blocks + 1).min(count))
    };
    let all = content.0[count].1;
    let number = |at: usize| {
        let leaf = outline.leaves[at];
        let node = &outline.nodes[leaf];
        let parent = node.parent;
        let grandparent = outline.nodes[parent].parent;
        let great = outline.nodes[grandparent].parent;
        let record = &records[record_of[leaf]];
        let path = paths[node.path];
        let plain = of_first(&Said {
            own: small(probabilities[at]),
            path: mean(path.0, path.1),
            element: of_node(leaf),
            parent: of_node(parent),
            grandparent: of_node(grandparent),
            great: of_node(great),
            container: of_node(container(outline, leaf)),
            record: content.mean(record.blocks.clone()),
            near: around(at, AROUND[0]),
            around: around(at, AROUND[1]),
            page: content.mean(0..count),
            before: share(content.0[at].1, all),
            above_best: signed(logits[at].saturating_sub(best)),
            same_run: share(runs[at], all),
        });
        let mut numbers = [0; SECOND_FEATURES];
        numbers[..FEATURES].copy_from_slice(&first[at]);
        numbers[FEATURES..FEATURES + plain.len()].copy_from_slice(&plain);
        for (number, step) in numbers[FEATURES + plain.len()..].iter_mut().zip(STEPS) {
            let other = at.checked_add_signed(step).filter(|other| *other < count);
            *number = other.map_or(-1, |other| small(probabilities[other]));
        }
        numbers
    };
    (0..count).map(number).collect()
}

/// Probability, in thousandths, from which on a block is in a run.
const LIKELY: u64 = 500;

/// Returns, per block, the content of the run of likely blocks that it is in; 0 of an unlikely one.
fn runs(probabilities: &[u64], outline: &Outline) -> Vec<u64> {
    let mut runs = vec![0; probabilities.len()];
    let mut at = 0;
    while at < probabilities.len() {
        let likely = probabilities[at..].iter().take_while(|one| **one >= LIKELY);
        let run = likely.count();
        let content = |at: usize| u64::from(outline.blocks[at].chars) * probabilities[at];
        let content: u64 = (at..at + run).map(content).sum();
        runs[at..at + run].fill(content);
        at += run.max(1);
    }
    runs
}
