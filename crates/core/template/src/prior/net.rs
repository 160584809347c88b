//! The net: from the inputs of the blocks of a page to a logit for each of them, and the kind of the page.
//!
//! Residual layers over blocks (He et al. 2016). Each layer reads a block, the blocks four or less, eight or sixteen
//! around it, the mean of the blocks of its DOM path, of an element around it, and of the page. So a block knows what
//! its list, its article and its page look like. Weights have eight bits and are scaled by column.
//!
//! All arithmetic is additions, multiplications, divisions and square roots of `f32` in a fixed order, which IEEE 754
//! defines to the last bit: labels are equal on every machine. The probability of a kind of page has an exponential, so it
//! is rounded to hundredths.

use crate::prior::features::FEATURES;
use crate::prior::inputs::{GROUPS, INPUTS, Inputs, LEVELS};

/// Numbers of a block inside of the net.
pub const CHANNELS: usize = 32;
/// Residual layers.
pub const LAYERS: usize = 3;
/// Numbers of an element's name.
pub const ELEMENT: usize = 12;
/// Codes of elements.
pub const CODES: usize = 28;
/// The blocks before and after a block that a layer reads.
pub const STEPS: [[isize; 5]; LAYERS] = [[0, -1, 1, -2, 2], [0, -4, 4, -2, 2], [0, -16, 16, -8, 8]];

/// Kinds of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PageKind {
    /// One text: an article, a post, a story.
    Article,
    /// Goods or works of one kind.
    Collection,
    /// A manual, a reference.
    Documentation,
    /// Posts of a discussion.
    Forum,
    /// Links with a line or two each.
    Listing,
    /// Something that is sold.
    Product,
    /// An offer of a company, an office or a person.
    Service,
}

impl PageKind {
    /// All kinds, in the order of the net's numbers.
    pub const ALL: [PageKind; 7] = [
        PageKind::Article,
        PageKind::Collection,
        PageKind::Documentation,
        PageKind::Forum,
        PageKind::Listing,
        PageKind::Product,
        PageKind::Service,
    ];

    /// Whether a page of this kind is made of many small texts, so that more of them are kept. With services and
    /// documentation among them, `scrapinghub` loses .016.
    pub(crate) fn is_list(self) -> bool {
        use PageKind::{Collection, Forum, Listing, Product};
        matches!(self, Collection | Forum | Listing | Product)
    }

    /// Returns the name of the kind in gold sets and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            PageKind::Article => "article",
            PageKind::Collection => "collection",
            PageKind::Documentation => "documentation",
            PageKind::Forum => "forum",
            PageKind::Listing => "listing",
            PageKind::Product => "product",
            PageKind::Service => "service",
        }
    }
}

/// A matrix of weights, row by row. A matrix of one row is stored as it is, others with eight bits a weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// Number of columns.
    pub columns: usize,
    /// The weights.
    pub values: Vec<f32>,
}

impl Matrix {
    fn zeros(rows: usize, columns: usize) -> Self {
        Self {
            columns,
            values: vec![0.0; rows * columns],
        }
    }

    fn row(&self, row: usize) -> &[f32] {
        &self.values[row * self.columns..(row + 1) * self.columns]
    }
}

/// The weights of a layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// Of each of [`STEPS`], what each channel of that block counts.
    pub steps: Matrix,
    /// From the channels of a block, its steps, its path, the element around it, and the page.
    pub reads: [Matrix; 5],
    /// Added to these.
    pub bias: Matrix,
    /// From what was read to what is added to the block.
    pub writes: Matrix,
    /// Added to that.
    pub shift: Matrix,
}

/// The weights of the net.
#[derive(Clone, Debug, PartialEq)]
pub struct Net {
    /// The mean of each of the first numbers of a block, and the inverse of its deviation.
    pub scales: [Matrix; 2],
    /// Of each level and code, the numbers of an element.
    pub elements: Matrix,
    /// From these to the channels.
    pub element_reads: Matrix,
    /// From the inputs to the channels.
    pub reads: Matrix,
    /// Added to these.
    pub bias: Matrix,
    /// The layers.
    pub layers: Vec<Layer>,
    /// From the channels to the logit, and added to it.
    pub logit: [Matrix; 2],
    /// From both means of a page to the kinds, and added to these.
    pub kinds: [Matrix; 2],
}

/// The output of the net for a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// Per block, the logit that it is content.
    pub logits: Vec<f32>,
    /// Per kind, in the order of [`PageKind::ALL`], the logit that the page is of it.
    pub kinds: [f32; PageKind::ALL.len()],
}

impl Said {
    /// Returns the likeliest kind of the page; `None` if none is likelier than the others.
    pub fn kind(&self) -> Option<LikelyKind> {
        let least = self.kinds.iter().copied().fold(f32::MAX, f32::min);
        let kinds = PageKind::ALL.into_iter().zip(self.kinds);
        let (kind, most) = kinds.max_by(|(_, one), (_, other)| one.total_cmp(other))?;
        let all: f32 = self.kinds.iter().map(|logit| (logit - most).exp()).sum();
        let hundredths = (100.0 / all).round();
        (most > least).then_some(LikelyKind {
            kind,
            hundredths: hundredths as u8,
        })
    }
}

/// The likeliest kind of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LikelyKind {
    /// The kind.
    pub kind: PageKind,
    /// How likely it is, 0 to 100. Further digits differ between processors.
    pub hundredths: u8,
}

type Channels = [f32; CHANNELS];

impl Default for Net {
    /// A net of zeros, which knows nothing.
    fn default() -> Self {
        let vector = |len: usize| Matrix::zeros(1, len);
        let square = || Matrix::zeros(CHANNELS, CHANNELS);
        let kinds = PageKind::ALL.len();
        Net {
            scales: [vector(FEATURES), vector(FEATURES)],
            elements: Matrix::zeros(LEVELS * CODES, ELEMENT),
            element_reads: Matrix::zeros(ELEMENT, CHANNELS),
            reads: Matrix::zeros(INPUTS, CHANNELS),
            bias: vector(CHANNELS),
            layers: (0..LAYERS)
                .map(|_| Layer {
                    steps: Matrix::zeros(STEPS[0].len(), CHANNELS),
                    reads: std::array::from_fn(|_| square()),
                    bias: vector(CHANNELS),
                    writes: square(),
                    shift: vector(CHANNELS),
                })
                .collect(),
            logit: [vector(CHANNELS), vector(1)],
            kinds: [Matrix::zeros(2 * CHANNELS, kinds), vector(kinds)],
        }
    }
}

impl Net {
    /// Returns all matrices, in the order of the file.
    pub fn matrices(&mut self) -> Vec<&mut Matrix> {
        let mut all: Vec<&mut Matrix> = self.scales.iter_mut().collect();
        all.extend([
            &mut self.elements,
            &mut self.element_reads,
            &mut self.reads,
            &mut self.bias,
        ]);
        for layer in &mut self.layers {
            all.push(&mut layer.steps);
            all.extend(&mut layer.reads);
            all.extend([&mut layer.bias, &mut layer.writes, &mut layer.shift]);
        }
        all.extend(&mut self.logit);
        all.extend(&mut self.kinds);
        all
    }

    /// Reads a net. A vector is little-endian numbers of 32 bits; a matrix is one such number for each column, and then
    /// a byte for each weight, which is multiplied by that of its column. `None` for bytes of another length.
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Net> {
        let net = Net::read(&mut bytes)?;
        bytes.is_empty().then_some(net)
    }

    /// Reads a net from the beginning of `bytes`, which are then those behind it.
    pub(crate) fn read(bytes: &mut &[u8]) -> Option<Net> {
        let mut net = Net::default();
        for matrix in net.matrices() {
            let columns = matrix.columns;
            let scales = bytes.split_off(..4 * columns)?;
            let (scales, _) = scales.as_chunks();
            let scales: Vec<f32> = scales.iter().copied().map(f32::from_le_bytes).collect();
            if matrix.values.len() == columns {
                matrix.values = scales;
                continue;
            }
            let weights = bytes.split_off(..matrix.values.len())?;
            let weights = weights.iter().map(|byte| f32::from(byte.cast_signed()));
            let scaled = weights.zip(scales.iter().cycle());
            matrix.values = scaled.map(|(weight, scale)| weight * scale).collect();
        }
        Some(net)
    }

    /// Returns the net as bytes for [`Self::from_bytes`]: each weight is rounded to one of 255 values of its column.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for matrix in self.clone().matrices() {
            let columns = matrix.columns;
            if matrix.values.len() == columns {
                bytes.extend(matrix.values.iter().flat_map(|value| value.to_le_bytes()));
                continue;
            }
            let mut scales = vec![0_f32; columns];
            for (at, value) in matrix.values.iter().enumerate() {
                let scale = &mut scales[at % columns];
                *scale = scale.max(value.abs() / 127.0);
            }
            bytes.extend(scales.iter().flat_map(|scale| scale.to_le_bytes()));
            let rounded = matrix.values.iter().zip(scales.iter().cycle());
            bytes.extend(rounded.map(|(value, scale)| {
                let weight = if *scale > 0.0 {
                    (value / scale).round()
                } else {
                    0.0
                };
                (weight as i8).cast_unsigned()
            }));
        }
        bytes
    }

    /// Returns what the net says of a page.
    pub fn say(&self, page: &Inputs) -> Said {
        let count = page.weights.len();
        let mut blocks = self.read_inputs(page);
        let mut near = vec![[0.0; CHANNELS]; count];
        for (number, (layer, steps)) in self.layers.iter().zip(STEPS).enumerate() {
            let scaled: Vec<Channels> = blocks.iter().map(unit).collect();
            read_steps(&scaled, &layer.steps, &steps, &mut near);
            let group = 1 + number % (GROUPS - 1);
            let paths = means(&scaled, &page.groups[0], page.sizes[0], &page.weights);
            let around = means(
                &scaled,
                &page.groups[group],
                page.sizes[group],
                &page.weights,
            );
            let of_page = means(&scaled, &vec![0; count], 1, &page.weights);
            // A mean is multiplied once for its group.
            let paths = products(&paths, &layer.reads[2]);
            let around = products(&around, &layer.reads[3]);
            let of_page = products(&of_page, &layer.reads[4]);
            let mut read = products(&scaled, &layer.reads[0]);
            add_products(near.as_flattened(), &layer.reads[1], &mut read);
            for (at, read) in read.iter_mut().enumerate() {
                let path = &paths[page.groups[0][at]];
                let around = &around[page.groups[group][at]];
                for (channel, value) in read.iter_mut().enumerate() {
                    let means = path[channel] + around[channel] + of_page[0][channel];
                    *value = (*value + means + layer.bias.values[channel]).max(0.0);
                }
            }
            for block in &mut blocks {
                add(block, &layer.shift.values);
            }
            add_products(read.as_flattened(), &layer.writes, &mut blocks);
        }
        self.read_out(&blocks, page)
    }

    fn read_inputs(&self, page: &Inputs) -> Vec<Channels> {
        let mut numbers = page.numbers.clone();
        self.scale(&mut numbers);
        let mut blocks = vec![[0.0; CHANNELS]; page.weights.len()];
        for block in &mut blocks {
            add(block, &self.bias.values);
        }
        add_products(&numbers, &self.reads, &mut blocks);
        let elements = page.elements.iter();
        let elements: Vec<[f32; ELEMENT]> = elements.map(|codes| self.element(codes)).collect();
        add_products(elements.as_flattened(), &self.element_reads, &mut blocks);
        for value in blocks.as_flattened_mut() {
            *value = value.max(0.0);
        }
        blocks
    }

    /// Scales the first numbers of each block to a mean of 0 and a deviation of 1, and cuts them at 3.
    pub fn scale(&self, numbers: &mut [f32]) {
        let [means, inverses] = &self.scales;
        for row in numbers.chunks_exact_mut(INPUTS) {
            let scales = means.values.iter().zip(&inverses.values);
            for (number, (mean, inverse)) in row.iter_mut().zip(scales) {
                *number = ((*number - mean) * inverse).clamp(-3.0, 3.0);
            }
        }
    }

    /// Returns the sum of the numbers of the elements around a block.
    pub fn element(&self, codes: &[u8; LEVELS]) -> [f32; ELEMENT] {
        let mut sum = [0.0; ELEMENT];
        for (level, code) in codes.iter().enumerate() {
            let row = self
                .elements
                .row(level * CODES + usize::from(*code).min(CODES - 1));
            for (sum, value) in sum.iter_mut().zip(row) {
                *sum += value;
            }
        }
        sum
    }

    /// Returns what the net says of a page, from its blocks after the last layer.
    pub fn read_out(&self, blocks: &[Channels], page: &Inputs) -> Said {
        let scaled: Vec<Channels> = blocks.iter().map(unit).collect();
        let [weights, bias] = &self.logit;
        let logit = |block: &Channels| {
            let products = block.iter().zip(&weights.values);
            bias.values[0] + products.map(|(value, weight)| value * weight).sum::<f32>()
        };
        let logits = scaled.iter().map(logit).collect();
        let count = scaled.len();
        let of_page = |weights: &[f32]| means(&scaled, &vec![0; count], 1, weights)[0];
        let [weights, bias] = &self.kinds;
        let mut kinds = [0.0; PageKind::ALL.len()];
        kinds.copy_from_slice(&bias.values);
        let both = [of_page(&page.weights), of_page(&vec![1.0; count])];
        for (at, mean) in both.as_flattened().iter().enumerate() {
            for (kind, weight) in kinds.iter_mut().zip(weights.row(at)) {
                *kind += mean * weight;
            }
        }
        Said { logits, kinds }
    }
}

/// Returns a block scaled to a mean square of 1 (Zhang and Sennrich 2019).
pub fn unit(block: &Channels) -> Channels {
    let scale = unit_scale(block);
    block.map(|value| value * scale)
}

/// Returns what [`unit()`] multiplies by.
pub fn unit_scale(block: &Channels) -> f32 {
    let squares: f32 = block.iter().map(|value| value * value).sum();
    1.0 / (squares / CHANNELS as f32 + 1e-3).sqrt()
}

/// Sums, for each block, the channels of the blocks at some steps from it, each with its own weight.
pub fn read_steps(blocks: &[Channels], weights: &Matrix, steps: &[isize], sums: &mut [Channels]) {
    for (at, sum) in sums.iter_mut().enumerate() {
        *sum = [0.0; CHANNELS];
        for (number, step) in steps.iter().enumerate() {
            let other = at.checked_add_signed(*step).and_then(|at| blocks.get(at));
            let Some(other) = other else { continue };
            let weights = weights.row(number);
            for channel in 0..CHANNELS {
                sum[channel] += other[channel] * weights[channel];
            }
        }
    }
}

/// Returns the weighted means of the blocks of each group.
pub fn means(
    blocks: &[Channels],
    groups: &[usize],
    count: usize,
    weights: &[f32],
) -> Vec<Channels> {
    let mut sums = vec![[0.0; CHANNELS]; count];
    let mut totals = vec![0.0_f32; count];
    for ((block, group), weight) in blocks.iter().zip(groups).zip(weights) {
        totals[*group] += weight;
        for (sum, value) in sums[*group].iter_mut().zip(block) {
            *sum += value * weight;
        }
    }
    for (sum, total) in sums.iter_mut().zip(&totals) {
        let inverse = 1.0 / total.max(1e-6);
        for value in sum {
            *value *= inverse;
        }
    }
    sums
}

fn add(block: &mut Channels, values: &[f32]) {
    for (channel, value) in block.iter_mut().zip(values) {
        *channel += value;
    }
}

fn products(rows: &[Channels], matrix: &Matrix) -> Vec<Channels> {
    let mut sums = vec![[0.0; CHANNELS]; rows.len()];
    add_products(rows.as_flattened(), matrix, &mut sums);
    sums
}

/// Adds, to each row of `sums`, the product of a row of numbers and a matrix. `numbers` has as many rows as `sums`.
pub fn add_products(numbers: &[f32], matrix: &Matrix, sums: &mut [Channels]) {
    let width = matrix.values.len() / CHANNELS;
    let (weights, _) = matrix.values.as_chunks::<CHANNELS>();
    for (sums, row) in sums.iter_mut().zip(numbers.chunks_exact(width)) {
        // The sums of one row stay in registers; those of more do not.
        let mut kept = *sums;
        for (number, weights) in row.iter().zip(weights) {
            for channel in 0..CHANNELS {
                kept[channel] += number * weights[channel];
            }
        }
        *sums = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that differ, between -1 and 1.
    fn fill(net: &mut Net) {
        let mut dice = 1_u32;
        for matrix in net.matrices() {
            for value in &mut matrix.values {
                dice = dice.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                *value = (f32::from((dice >> 16) as u16) - 32_768.0) / 32_768.0;
            }
        }
    }

    #[test]
    fn weights_are_kept_to_a_part_in_254_of_the_greatest_of_their_column() {
        let mut net = Net::default();
        fill(&mut net);
        let mut read = Net::from_bytes(&net.to_bytes()).expect("a net");
        for (one, other) in net.matrices().into_iter().zip(read.matrices()) {
            for (one, other) in one.values.iter().zip(&other.values) {
                assert!((one - other).abs() <= 1.01 / 254.0, "{one} {other}");
            }
        }
    }

    #[test]
    fn bytes_of_another_length_are_no_net() {
        let bytes = Net::default().to_bytes();
        assert!(Net::from_bytes(&bytes).is_some());
        assert!(Net::from_bytes(&bytes[1..]).is_none());
        assert!(Net::from_bytes(&[&bytes[..], &[0]].concat()).is_none());
    }

    #[test]
    fn products_are_those_of_each_row() {
        let mut net = Net::default();
        fill(&mut net);
        let matrix = &net.layers[0].writes;
        let numbers: Vec<f32> = net.layers[1].writes.values[..7 * CHANNELS].to_vec();
        let mut sums = vec![[0.5; CHANNELS]; 7];
        add_products(&numbers, matrix, &mut sums);
        for (row, sums) in numbers.chunks_exact(CHANNELS).zip(sums) {
            for (channel, sum) in sums.into_iter().enumerate() {
                let expected = row.iter().enumerate().fold(0.5, |sum, (at, number)| {
                    sum + number * matrix.row(at)[channel]
                });
                assert_eq!(sum, expected);
            }
        }
    }

    #[test]
    fn means_are_of_each_group_by_weight() {
        let block = |value| [value; CHANNELS];
        let blocks = [block(1.0), block(4.0), block(9.0)];
        let means = means(&blocks, &[0, 0, 2], 3, &[2.0, 1.0, 1.0]);
        assert_eq!(means, [block(2.0), block(0.0), block(9.0)]);
    }
}
