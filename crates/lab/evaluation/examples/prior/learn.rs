//! Learns a net by gradients (Adam, Kingma and Ba 2015).

use std::f32::consts::PI;

use template::prior::{CHANNELS, ELEMENT, INPUTS, Matrix, Net, Nets, PageKind, Said};

use crate::dice::Dice;
use crate::example::{Example, Target};
use crate::tape::Tape;

/// Rounds over all pages.
const ROUNDS: usize = 16;
/// Blocks from which on a step is made.
const STEP_BLOCKS: usize = 8000;
/// The greatest step, and what weights shrink by beside it.
const RATE: f32 = 3e-3;
const DECAY: f32 = 3e-3;
/// Vectors of channels that a layer reads.
const READS: usize = 5;
/// Steps until the rate is whole.
const WARM_UP: f32 = 60.0;
/// The weights of F1 and of the kind beside the entropy.
const F1: f32 = 0.5;
const KIND: f32 = 0.1;
/// Pages that the sites of a kind count as together: most sites are blogs.
const SITES_OF_KIND: f32 = 100.0;

/// Learns a net for each of two seeds.
pub(crate) fn learn_nets(pages: &[&Example], targets: &[Target], seeds: [u64; 2]) -> Nets {
    let learned = std::thread::scope(|scope| {
        let learners = seeds.map(|seed| scope.spawn(move || learn(pages, targets, seed)));
        learners.map(|learner| learner.join().unwrap_or_default())
    });
    // The weights as they are stored.
    Nets::from_bytes(&Nets(learned.into()).to_bytes()).unwrap_or_default()
}

/// Returns the net that was learned from pages and their targets, begun with the random numbers of a seed. The same
/// pages in the same order give the same net.
fn learn(pages: &[&Example], targets: &[Target], seed: u64) -> Net {
    let mut dice = Dice(seed);
    let mut net = initial(pages, &mut dice);
    let of_kinds = PageKind::ALL.map(|kind| weight_of_sites(pages, kind));
    let mut moments = [zeros(), zeros()];
    let mut mean = zeros();
    let mut in_mean = 0.0;
    let blocks: usize = pages.iter().map(|page| page.words.len()).sum();
    let steps = (ROUNDS * (blocks / STEP_BLOCKS + 1)) as f32;
    let mut step = 0.0;
    for round in 0..ROUNDS {
        let mut order: Vec<usize> = (0..pages.len()).collect();
        dice.shuffle(&mut order);
        let mut rest = &order[..];
        while !rest.is_empty() {
            let mut slopes = zeros();
            let (mut seen, mut weight) = (0, 0.0);
            while let Some((first, others)) = rest.split_first() {
                let page = pages[*first];
                if seen > 0 && seen + page.words.len() > STEP_BLOCKS {
                    break;
                }
                rest = others;
                seen += page.words.len();
                weight += page.weight;
                let tape = Tape::new(&net, page, Some(&mut dice));
                let (logits, kinds) = loss_slopes(page, &targets[*first], &tape.said, &of_kinds);
                tape.add_slopes(&net, page, &logits, &kinds, &mut slopes);
            }
            step += 1.0;
            let rate = RATE * (step / WARM_UP).min(1.0) * (0.5 + 0.5 * (PI * step / steps).cos());
            descend(
                &mut net,
                &mut slopes,
                &mut moments,
                weight,
                step,
                rate + 1e-5,
            );
            if round + 3 >= ROUNDS {
                in_mean += 1.0;
                approach(&mut mean, &mut net, 1.0 / in_mean);
            }
        }
    }
    mean.scales = net.scales;
    mean
}

/// Returns the weight of each page of sites of a kind.
fn weight_of_sites(pages: &[&Example], kind: PageKind) -> f32 {
    let of_kind = |page: &&&Example| page.is_kind_of_site && page.kind == Some(kind);
    let all: f32 = pages.iter().filter(of_kind).map(|page| page.weight).sum();
    SITES_OF_KIND / all.max(1.0)
}

fn zeros() -> Net {
    Net::default()
}

/// The matrices that are learned: all but the scales of the numbers.
fn learned(net: &mut Net) -> impl Iterator<Item = &mut Matrix> {
    net.matrices().into_iter().skip(2)
}

/// Returns a net with random weights, and the scales of the numbers of these pages.
fn initial(pages: &[&Example], dice: &mut Dice) -> Net {
    let mut net = zeros();
    let known = net.scales[0].values.len();
    let mut sums = vec![[0.0_f64; 2]; known];
    let mut count = 0.0;
    let rows = pages
        .iter()
        .flat_map(|page| page.inputs.numbers.chunks_exact(INPUTS));
    for row in rows {
        count += 1.0;
        for (sum, number) in sums.iter_mut().zip(row) {
            let number = f64::from(*number);
            *sum = [sum[0] + number, sum[1] + number * number];
        }
    }
    for (at, [sum, squares]) in sums.into_iter().enumerate() {
        let mean = sum / count;
        let deviation = (squares / count - mean * mean).max(0.0).sqrt() + 1e-3;
        net.scales[0].values[at] = mean as f32;
        net.scales[1].values[at] = (1.0 / deviation) as f32;
    }
    let mut fill = |matrix: &mut Matrix, deviation: f32| {
        for value in &mut matrix.values {
            *value = deviation * dice.normal();
        }
    };
    let root = |inputs: usize| 1.0 / (inputs as f32).sqrt();
    fill(&mut net.elements, 0.1);
    fill(&mut net.element_reads, root(ELEMENT));
    fill(&mut net.reads, root(INPUTS));
    for layer in &mut net.layers {
        fill(&mut layer.steps, 0.3);
        for read in &mut layer.reads {
            fill(read, root(READS * CHANNELS));
        }
        fill(&mut layer.writes, 0.5 * root(CHANNELS));
    }
    fill(&mut net.logit[0], 0.5 * root(CHANNELS));
    fill(&mut net.kinds[0], root(2 * CHANNELS));
    net
}

/// Returns how the loss of a page changes with its logits and with those of its kind. The loss is the entropy of its
/// blocks, a block counting by its words, and one minus the expected F1 of its text.
/// `of_kinds` is the weight of a page by its kind, where that is known of its site alone.
fn loss_slopes(
    page: &Example,
    target: &Target,
    said: &Said,
    of_kinds: &[f32; PageKind::ALL.len()],
) -> (Vec<f32>, Vec<f32>) {
    let words: Vec<f32> = page.words.iter().map(|words| words.len() as f32).collect();
    let counts: Vec<f32> = words.iter().map(|words| words.powf(0.7)).collect();
    let all: f32 = counts.iter().sum::<f32>().max(1e-6);
    let sure: Vec<f32> = said.logits.iter().copied().map(probability).collect();
    let blocks = || words.iter().zip(&target.content).zip(&sure);
    let right: f32 = blocks()
        .map(|((words, content), sure)| words * content * sure)
        .sum();
    let kept: f32 = blocks().map(|((words, _), sure)| words * sure).sum();
    let both = target.meant.max(1.0) + kept;
    let of_block = |((words, content), sure): ((&f32, &f32), &f32), counts: &f32| {
        let of_f1 = 2.0 * words * (content * both - right) / (both * both);
        let slope = counts / all * (sure - content) - F1 * of_f1 * sure * (1.0 - sure);
        page.weight * slope
    };
    let logits = blocks()
        .zip(&counts)
        .map(|(block, counts)| of_block(block, counts));
    let logits = logits.collect();
    let mut kinds = vec![0.0; said.kinds.len()];
    if let Some(kind) = page.kind {
        let greatest = said.kinds.iter().copied().fold(f32::MIN, f32::max);
        let powers: Vec<f32> = said
            .kinds
            .iter()
            .map(|logit| (logit - greatest).exp())
            .collect();
        let all: f32 = powers.iter().sum();
        let weight = match page.is_kind_of_site {
            true => page.weight * of_kinds[kind as usize],
            false => page.weight,
        };
        for ((slope, power), of) in kinds.iter_mut().zip(powers).zip(PageKind::ALL) {
            *slope = KIND * weight * (power / all - f32::from(u8::from(of == kind)));
        }
    }
    (logits, kinds)
}

/// Returns the probability of a logit.
pub(crate) fn probability(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit).exp())
}

/// Makes a step against the slopes.
fn descend(
    net: &mut Net,
    slopes: &mut Net,
    moments: &mut [Net; 2],
    weight: f32,
    step: f32,
    rate: f32,
) {
    let squares: f32 = learned(slopes)
        .flat_map(|matrix| &matrix.values)
        .map(|x| x * x)
        .sum();
    let weight = weight.max(1e-6);
    let shrink = (1.0 / (squares.sqrt() / weight + 1e-6)).min(1.0) / weight;
    let [first, second] = moments;
    let corrections = [1.0 - 0.9_f32.powf(step), 1.0 - 0.99_f32.powf(step)];
    let matrices = learned(net)
        .zip(learned(slopes))
        .zip(learned(first))
        .zip(learned(second));
    for (((matrix, slopes), first), second) in matrices {
        let decay = if matrix.values.len() == matrix.columns {
            0.0
        } else {
            DECAY
        };
        let values = matrix.values.iter_mut().zip(&slopes.values);
        let moments = first.values.iter_mut().zip(&mut second.values);
        for ((value, slope), (first, second)) in values.zip(moments) {
            let slope = slope * shrink;
            *first = 0.9 * *first + 0.1 * slope;
            *second = 0.99 * *second + 0.01 * slope * slope;
            let step = *first / corrections[0] / ((*second / corrections[1]).sqrt() + 1e-8);
            *value -= rate * (step + decay * *value);
        }
    }
}

/// Moves a net by a part of the way to another.
fn approach(net: &mut Net, other: &mut Net, part: f32) {
    for (matrix, other) in learned(net).zip(learned(other)) {
        for (value, other) in matrix.values.iter_mut().zip(&other.values) {
            *value += part * (other - *value);
        }
    }
}
