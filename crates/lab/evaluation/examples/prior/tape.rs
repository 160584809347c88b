//! The values of a net for a page, and how the loss changes with its weights.

use template::prior::{
    CHANNELS, CODES, ELEMENT, GROUPS, INPUTS, Inputs, LAYERS, Matrix, Net, STEPS, Said,
    add_products, means, read_steps, unit, unit_scale,
};

use crate::dice::Dice;
use crate::example::Example;

type Channels = [f32; CHANNELS];

/// Part of the numbers that a step does not see.
const DROPPED: f32 = 0.15;

/// The values of a layer.
struct Layer {
    scaled: Vec<Channels>,
    near: Vec<Channels>,
    /// Means of the paths, of the elements around, and of the page, each with the totals of its groups.
    means: [(Vec<Channels>, Vec<f32>); 3],
    read: Vec<Channels>,
    /// The factor of each channel.
    dropped: Vec<f32>,
    before: Vec<Channels>,
}

/// The output of the net for a page, with all values on the way.
pub(crate) struct Tape {
    numbers: Vec<f32>,
    elements: Vec<[f32; ELEMENT]>,
    first: Vec<Channels>,
    layers: Vec<Layer>,
    last: Vec<Channels>,
    pub(crate) said: Said,
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
    pub(crate) fn new(net: &Net, page: &Example, mut dice: Option<&mut Dice>) -> Self {
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
            .map(|codes| net.element(codes))
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
    pub(crate) fn add_slopes(
        &self,
        net: &Net,
        page: &Example,
        logits: &[f32],
        kinds: &[f32],
        slopes: &mut Net,
    ) {
        let inputs = &page.inputs;
        let mut blocks = self.add_slopes_of_end(net, page, logits, kinds, slopes);
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
        page: &Example,
        logits: &[f32],
        kinds: &[f32],
        slopes: &mut Net,
    ) -> Vec<Channels> {
        let inputs = &page.inputs;
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
            if page.is_kind_of_site {
                continue;
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
    // By channel, so that the sums of a row are added side by side and not one after the other.
    let mut by_channel = vec![0.0; matrix.values.len()];
    for (at, weights) in matrix.values.chunks_exact(CHANNELS).enumerate() {
        for (channel, weight) in weights.iter().enumerate() {
            by_channel[channel * width + at] = *weight;
        }
    }
    for (slopes, row) in slopes.iter().zip(sums.chunks_exact_mut(width)) {
        for (slope, weights) in slopes.iter().zip(by_channel.chunks_exact(width)) {
            for (sum, weight) in row.iter_mut().zip(weights) {
                *sum += slope * weight;
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use scoring::{Tokens, Vocabulary};
    use template::prior::LEVELS;

    use super::*;
    use crate::example::Target;

    const BLOCKS: usize = 5;

    /// Returns a page of five blocks of a word each, of which none is content.
    pub(crate) fn page(dice: &mut Dice) -> Example {
        let mut vocabulary = Vocabulary::default();
        Example {
            inputs: Inputs {
                numbers: (0..BLOCKS * INPUTS).map(|_| dice.normal()).collect(),
                elements: (0..BLOCKS as u8).map(|block| [block; LEVELS]).collect(),
                groups: [
                    vec![0, 1, 0, 1, 1],
                    vec![0, 0, 1, 1, 2],
                    vec![0; BLOCKS],
                    vec![0, 1, 1, 1, 0],
                ],
                sizes: [2, 3, 1, 2],
                weights: vec![1.0, 0.5, 2.0, 1.0, 1.0],
            },
            words: vec![vocabulary.words("tea", Tokens::Unicode); BLOCKS],
            labels: Target {
                content: vec![0.0; BLOCKS],
                meant: 1.0,
            },
            kind: None,
            is_kind_of_site: false,
            weight: 1.0,
        }
    }

    /// Each slope is what a small change of the weight does.
    #[test]
    fn slopes_are_those_of_small_changes() {
        let mut dice = Dice(7);
        let page = page(&mut dice);
        let mut net = Net::default();
        for (number, matrix) in net.matrices().into_iter().enumerate() {
            for value in &mut matrix.values {
                // The scales of the numbers are not learned.
                *value = if number < 2 {
                    number as f32
                } else {
                    0.3 * dice.normal()
                };
            }
        }
        let logits: Vec<f32> = (0..BLOCKS).map(|_| dice.normal()).collect();
        let kinds: Vec<f32> = (0..7).map(|_| dice.normal()).collect();
        let sum = |net: &Net| -> f32 {
            let said = Tape::new(net, &page, None).said;
            let of_blocks = said
                .logits
                .iter()
                .zip(&logits)
                .map(|(one, other)| one * other);
            let of_kinds = said
                .kinds
                .iter()
                .zip(&kinds)
                .map(|(one, other)| one * other);
            of_blocks.chain(of_kinds).sum()
        };
        let mut slopes = Net::default();
        Tape::new(&net, &page, None).add_slopes(&net, &page, &logits, &kinds, &mut slopes);
        let mut greatest = 0.0_f32;
        for number in 2..net.matrices().len() {
            let at = {
                let found = &slopes.matrices()[number].values;
                let order =
                    |one: &usize, other: &usize| found[*one].abs().total_cmp(&found[*other].abs());
                (0..found.len()).max_by(order).unwrap_or_default()
            };
            let mut changed = |by: f32| {
                net.matrices()[number].values[at] += by;
                sum(&net)
            };
            let (low, high) = (changed(-1e-3), changed(2e-3));
            changed(-1e-3);
            let slope = slopes.matrices()[number].values[at];
            let expected = (high - low) / 2e-3;
            let error = (slope - expected).abs();
            assert!(
                error < 0.02 * expected.abs() + 0.02,
                "{number}: {slope}, {expected}"
            );
            greatest = greatest.max(slope.abs());
        }
        assert!(greatest > 0.1);
    }

    /// The net that is learned says what the released one would.
    #[test]
    fn a_tape_without_dice_says_what_the_net_says() {
        let mut dice = Dice(9);
        let page = page(&mut dice);
        let mut net = Net::default();
        for matrix in net.matrices() {
            matrix
                .values
                .iter_mut()
                .for_each(|value| *value = 0.3 * dice.normal());
        }
        let tape = Tape::new(&net, &page, None).said;
        let said = net.say(&page.inputs);
        for (one, other) in tape.logits.iter().zip(&said.logits) {
            assert!((one - other).abs() < 1e-3, "{one} {other}");
        }
    }
}
