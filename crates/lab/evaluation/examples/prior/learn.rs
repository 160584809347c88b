//! Learns a net by gradients (Adam, Kingma and Ba 2015).

use std::f32::consts::PI;

use scoring::WordId;
use template::prior::{
    CHANNELS, CODES, ELEMENT, GROUPS, INPUTS, Inputs, LAYERS, LEVELS, Matrix, Net, PageKind, STEPS,
    Said, add_products, means, read_steps, unit, unit_scale,
};

type Channels = [f32; CHANNELS];

/// A page to learn from.
#[derive(Debug)]
pub(crate) struct Example {
    pub(crate) inputs: Inputs,
    /// Per block, the part of it that is content, and its words.
    pub(crate) content: Vec<f32>,
    pub(crate) words: Vec<Vec<WordId>>,
    /// Words of the text that is meant.
    pub(crate) meant: usize,
    pub(crate) kind: Option<PageKind>,
    /// What the page counts among the others.
    pub(crate) weight: f32,
}

/// Rounds over all pages.
const ROUNDS: usize = 16;
/// Blocks from which on a step is made.
const STEP_BLOCKS: usize = 8000;
/// The greatest step, and what weights shrink by beside it.
const RATE: f32 = 3e-3;
const DECAY: f32 = 3e-3;
/// Steps until the rate is whole.
const WARM_UP: f32 = 60.0;
/// Part of the numbers that a step does not see.
const DROPPED: f32 = 0.15;
/// What F1 counts beside the entropy, and what the kind counts.
const F1: f32 = 0.5;
const KIND: f32 = 0.1;

/// Returns the net that was learned from pages. The same pages in the same order give the same net.
pub(crate) fn learn(pages: &[&Example]) -> Net {
    let mut dice = Dice(1);
    let mut net = initial(pages, &mut dice);
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
                let (logits, kinds) = loss_slopes(page, &tape.said);
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
            fill(read, root(layer_width()));
        }
        fill(&mut layer.writes, 0.5 * root(CHANNELS));
    }
    fill(&mut net.logit[0], 0.5 * root(CHANNELS));
    fill(&mut net.kinds[0], root(2 * CHANNELS));
    net
}

fn layer_width() -> usize {
    5 * CHANNELS
}

/// Returns how the loss of a page changes with its logits and with those of its kind. The loss is the entropy of its
/// blocks, a block counting by its words, and one minus the expected F1 of its text.
fn loss_slopes(page: &Example, said: &Said) -> (Vec<f32>, Vec<f32>) {
    let words: Vec<f32> = page.words.iter().map(|words| words.len() as f32).collect();
    let counts: Vec<f32> = words.iter().map(|words| words.powf(0.7)).collect();
    let all: f32 = counts.iter().sum::<f32>().max(1e-6);
    let sure: Vec<f32> = said
        .logits
        .iter()
        .map(|logit| 1.0 / (1.0 + (-logit).exp()))
        .collect();
    let blocks = || words.iter().zip(&page.content).zip(&sure);
    let right: f32 = blocks()
        .map(|((words, content), sure)| words * content * sure)
        .sum();
    let kept: f32 = blocks().map(|((words, _), sure)| words * sure).sum();
    let both = (page.meant as f32).max(1.0) + kept;
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
        for ((slope, power), of) in kinds.iter_mut().zip(powers).zip(PageKind::ALL) {
            *slope = KIND * page.weight * (power / all - f32::from(u8::from(of == kind)));
        }
    }
    (logits, kinds)
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

/// What a layer read and wrote.
struct Layer {
    scaled: Vec<Channels>,
    near: Vec<Channels>,
    /// Means of the paths, of the elements around, and of the page, each with the totals of its groups.
    means: [(Vec<Channels>, Vec<f32>); 3],
    read: Vec<Channels>,
    /// What each channel was multiplied by.
    dropped: Vec<f32>,
    before: Vec<Channels>,
}

/// What the net said of a page, and all that it was made of.
struct Tape {
    numbers: Vec<f32>,
    elements: Vec<[f32; ELEMENT]>,
    first: Vec<Channels>,
    layers: Vec<Layer>,
    last: Vec<Channels>,
    said: Said,
}

/// The groups that a layer means over.
fn groups(page: &Inputs, layer: usize) -> [(Vec<usize>, usize); 3] {
    let around = 1 + layer % (GROUPS - 1);
    [
        (page.groups[0].clone(), page.sizes[0]),
        (page.groups[around].clone(), page.sizes[around]),
        (vec![0; page.weights.len()], 1),
    ]
}

fn totals(groups: &[usize], count: usize, weights: &[f32]) -> Vec<f32> {
    let mut totals = vec![0.0; count];
    for (group, weight) in groups.iter().zip(weights) {
        totals[*group] += weight;
    }
    totals
}

impl Tape {
    /// Reads a page. With dice, some numbers are dropped.
    fn new(net: &Net, page: &Example, mut dice: Option<&mut Dice>) -> Self {
        let inputs = &page.inputs;
        let count = inputs.weights.len();
        let mut drop = |count: usize| -> Vec<f32> {
            let keep = 1.0 / (1.0 - DROPPED);
            match &mut dice {
                None => vec![1.0; count],
                Some(dice) => (0..count)
                    .map(|_| if dice.unit() < DROPPED { 0.0 } else { keep })
                    .collect(),
            }
        };
        let mut numbers = inputs.numbers.clone();
        net.scale(&mut numbers);
        for (number, factor) in numbers.iter_mut().zip(drop(count * INPUTS)) {
            *number *= factor;
        }
        let elements: Vec<[f32; ELEMENT]> = inputs
            .elements
            .iter()
            .map(|codes| element(net, codes))
            .collect();
        let mut blocks = vec![[0.0; CHANNELS]; count];
        blocks
            .iter_mut()
            .for_each(|block| add(block, &net.bias.values));
        add_products(&numbers, &net.reads, &mut blocks);
        add_products(elements.as_flattened(), &net.element_reads, &mut blocks);
        blocks
            .as_flattened_mut()
            .iter_mut()
            .for_each(|value| *value = value.max(0.0));
        let first = blocks.clone();
        let mut layers = Vec::with_capacity(LAYERS);
        for (number, (layer, steps)) in net.layers.iter().zip(STEPS).enumerate() {
            let before = blocks.clone();
            let scaled: Vec<Channels> = blocks.iter().map(unit).collect();
            let mut near = vec![[0.0; CHANNELS]; count];
            read_steps(&scaled, &layer.steps, &steps, &mut near);
            let mut read = vec![[0.0; CHANNELS]; count];
            read.iter_mut()
                .for_each(|read| add(read, &layer.bias.values));
            add_products(scaled.as_flattened(), &layer.reads[0], &mut read);
            add_products(near.as_flattened(), &layer.reads[1], &mut read);
            let means = groups(inputs, number).map(|(groups, count)| {
                let means = means(&scaled, &groups, count, &inputs.weights);
                (means, totals(&groups, count, &inputs.weights))
            });
            for (at, (groups, count)) in groups(inputs, number).into_iter().enumerate() {
                let mut products = vec![[0.0; CHANNELS]; count];
                add_products(
                    means[at].0.as_flattened(),
                    &layer.reads[2 + at],
                    &mut products,
                );
                for (read, group) in read.iter_mut().zip(groups) {
                    add(read, &products[group]);
                }
            }
            let dropped = drop(count * CHANNELS);
            for (value, factor) in read.as_flattened_mut().iter_mut().zip(&dropped) {
                *value = value.max(0.0) * factor;
            }
            blocks
                .iter_mut()
                .for_each(|block| add(block, &layer.shift.values));
            add_products(read.as_flattened(), &layer.writes, &mut blocks);
            layers.push(Layer {
                scaled,
                near,
                means,
                read,
                dropped,
                before,
            });
        }
        let said = net.read_out(&blocks, inputs);
        Tape {
            numbers,
            elements,
            first,
            layers,
            last: blocks,
            said,
        }
    }

    /// Adds how the loss changes with each weight, from how it changes with what the net says.
    fn add_slopes(
        &self,
        net: &Net,
        page: &Example,
        logits: &[f32],
        kinds: &[f32],
        slopes: &mut Net,
    ) {
        let inputs = &page.inputs;
        let mut blocks = self.add_slopes_of_end(net, inputs, logits, kinds, slopes);
        for number in (0..LAYERS).rev() {
            self.add_slopes_of_layer(net, inputs, number, &mut blocks, slopes);
        }
        for (slope, value) in blocks
            .as_flattened_mut()
            .iter_mut()
            .zip(self.first.as_flattened())
        {
            if *value <= 0.0 {
                *slope = 0.0;
            }
        }
        blocks
            .iter()
            .for_each(|block| add_to(&mut slopes.bias, block));
        add_outer(&self.numbers, &blocks, &mut slopes.reads);
        add_outer(
            self.elements.as_flattened(),
            &blocks,
            &mut slopes.element_reads,
        );
        let mut elements = vec![[0.0; ELEMENT]; blocks.len()];
        add_back(&blocks, &net.element_reads, elements.as_flattened_mut());
        for (slope, codes) in elements.iter().zip(&inputs.elements) {
            for (level, code) in codes.iter().enumerate() {
                let row = element_row(level, *code) * ELEMENT;
                for (sum, slope) in slopes.elements.values[row..row + ELEMENT]
                    .iter_mut()
                    .zip(slope)
                {
                    *sum += slope;
                }
            }
        }
    }

    fn add_slopes_of_end(
        &self,
        net: &Net,
        inputs: &Inputs,
        logits: &[f32],
        kinds: &[f32],
        slopes: &mut Net,
    ) -> Vec<Channels> {
        let count = logits.len();
        let scaled: Vec<Channels> = self.last.iter().map(unit).collect();
        let mut of_scaled = vec![[0.0; CHANNELS]; count];
        for ((of, scaled), slope) in of_scaled.iter_mut().zip(&scaled).zip(logits) {
            for channel in 0..CHANNELS {
                of[channel] = slope * net.logit[0].values[channel];
                slopes.logit[0].values[channel] += slope * scaled[channel];
            }
            slopes.logit[1].values[0] += slope;
        }
        let zeros = vec![0; count];
        let ones = vec![1.0; count];
        for (half, weights) in [&inputs.weights, &ones].into_iter().enumerate() {
            let mean = means(&scaled, &zeros, 1, weights)[0];
            let total: f32 = weights.iter().sum();
            let mut of_mean = [0.0; CHANNELS];
            for channel in 0..CHANNELS {
                let row = (half * CHANNELS + channel) * kinds.len();
                for (kind, slope) in kinds.iter().enumerate() {
                    of_mean[channel] += slope * net.kinds[0].values[row + kind];
                    slopes.kinds[0].values[row + kind] += slope * mean[channel];
                }
            }
            for (of, weight) in of_scaled.iter_mut().zip(weights) {
                let part = weight / total.max(1e-6);
                add(of, &of_mean.map(|slope| slope * part));
            }
        }
        kinds
            .iter()
            .zip(&mut slopes.kinds[1].values)
            .for_each(|(slope, sum)| *sum += slope);
        let mut of_last = vec![[0.0; CHANNELS]; count];
        add_unit_slopes(&self.last, &scaled, &of_scaled, &mut of_last);
        of_last
    }

    fn add_slopes_of_layer(
        &self,
        net: &Net,
        inputs: &Inputs,
        number: usize,
        blocks: &mut [Channels],
        slopes: &mut Net,
    ) {
        let (layer, tape) = (&net.layers[number], &self.layers[number]);
        let sums = &mut slopes.layers[number];
        blocks
            .iter()
            .for_each(|block| add_to(&mut sums.shift, block));
        add_outer(tape.read.as_flattened(), blocks, &mut sums.writes);
        let count = blocks.len();
        let mut read = vec![[0.0; CHANNELS]; count];
        add_back(blocks, &layer.writes, read.as_flattened_mut());
        let values = tape.read.as_flattened().iter().zip(&tape.dropped);
        for (slope, (value, factor)) in read.as_flattened_mut().iter_mut().zip(values) {
            *slope = if *value > 0.0 { *slope * factor } else { 0.0 };
        }
        read.iter().for_each(|read| add_to(&mut sums.bias, read));
        add_outer(tape.scaled.as_flattened(), &read, &mut sums.reads[0]);
        add_outer(tape.near.as_flattened(), &read, &mut sums.reads[1]);
        let mut scaled = vec![[0.0; CHANNELS]; count];
        add_back(&read, &layer.reads[0], scaled.as_flattened_mut());
        let mut near = vec![[0.0; CHANNELS]; count];
        add_back(&read, &layer.reads[1], near.as_flattened_mut());
        for (at, near) in near.iter().enumerate() {
            for (tap, step) in STEPS[number].iter().enumerate() {
                let Some(other) = at.checked_add_signed(*step).filter(|other| *other < count)
                else {
                    continue;
                };
                let row = tap * CHANNELS;
                for channel in 0..CHANNELS {
                    scaled[other][channel] += near[channel] * layer.steps.values[row + channel];
                    sums.steps.values[row + channel] += near[channel] * tape.scaled[other][channel];
                }
            }
        }
        for (at, (groups, groups_count)) in groups(inputs, number).into_iter().enumerate() {
            let (means, totals) = &tape.means[at];
            let mut of_group = vec![[0.0; CHANNELS]; groups_count];
            for (read, group) in read.iter().zip(&groups) {
                add(&mut of_group[*group], read);
            }
            add_outer(means.as_flattened(), &of_group, &mut sums.reads[2 + at]);
            let mut of_mean = vec![[0.0; CHANNELS]; groups_count];
            add_back(&of_group, &layer.reads[2 + at], of_mean.as_flattened_mut());
            for ((of, group), weight) in scaled.iter_mut().zip(&groups).zip(&inputs.weights) {
                let part = weight / totals[*group].max(1e-6);
                add(of, &of_mean[*group].map(|slope| slope * part));
            }
        }
        add_unit_slopes(&tape.before, &tape.scaled, &scaled, blocks);
    }
}

/// Adds the slopes of blocks from those of the blocks that [`unit`] made of them.
fn add_unit_slopes(
    blocks: &[Channels],
    scaled: &[Channels],
    of: &[Channels],
    sums: &mut [Channels],
) {
    for (((block, scaled), of), sum) in blocks.iter().zip(scaled).zip(of).zip(sums) {
        let scale = unit_scale(block);
        let common: f32 = scaled
            .iter()
            .zip(of)
            .map(|(value, slope)| value * slope)
            .sum();
        let common = common / CHANNELS as f32;
        for channel in 0..CHANNELS {
            sum[channel] += scale * (of[channel] - scaled[channel] * common);
        }
    }
}

fn element_row(level: usize, code: u8) -> usize {
    level * CODES + usize::from(code).min(CODES - 1)
}

fn element(net: &Net, codes: &[u8; LEVELS]) -> [f32; ELEMENT] {
    let mut sum = [0.0; ELEMENT];
    for (level, code) in codes.iter().enumerate() {
        let row = element_row(level, *code) * ELEMENT;
        let values = &net.elements.values[row..row + ELEMENT];
        sum.iter_mut()
            .zip(values)
            .for_each(|(sum, value)| *sum += value);
    }
    sum
}

fn add(block: &mut Channels, values: &[f32]) {
    block
        .iter_mut()
        .zip(values)
        .for_each(|(sum, value)| *sum += value);
}

fn add_to(vector: &mut Matrix, block: &Channels) {
    vector
        .values
        .iter_mut()
        .zip(block)
        .for_each(|(sum, value)| *sum += value);
}

/// Adds the products of each number of a row with each slope of the row.
fn add_outer(rows: &[f32], slopes: &[Channels], sums: &mut Matrix) {
    let width = sums.values.len() / CHANNELS;
    let (sums, _) = sums.values.as_chunks_mut::<CHANNELS>();
    for (row, slopes) in rows.chunks_exact(width).zip(slopes) {
        for (number, sums) in row
            .iter()
            .zip(sums.iter_mut())
            .filter(|(number, _)| **number != 0.0)
        {
            for channel in 0..CHANNELS {
                sums[channel] += number * slopes[channel];
            }
        }
    }
}

/// Adds the slopes of the numbers of each row from those of its products with a matrix.
fn add_back(slopes: &[Channels], matrix: &Matrix, sums: &mut [f32]) {
    let width = matrix.values.len() / CHANNELS;
    let (weights, _) = matrix.values.as_chunks::<CHANNELS>();
    for (slopes, row) in slopes.iter().zip(sums.chunks_exact_mut(width)) {
        for (sum, weights) in row.iter_mut().zip(weights) {
            *sum += slopes
                .iter()
                .zip(weights)
                .map(|(slope, weight)| slope * weight)
                .sum::<f32>();
        }
    }
}

/// Numbers that look random: SplitMix64 (Steele et al. 2014).
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let one = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let two = (one ^ one >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        two ^ two >> 31
    }

    /// From 0 to below 1.
    fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u32 << 24) as f32
    }

    /// About normal, with a deviation of 1.
    fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    fn shuffle(&mut self, order: &mut [usize]) {
        for at in (1..order.len()).rev() {
            order.swap(at, (self.next() % (at as u64 + 1)) as usize);
        }
    }
}
