//! Nets that judge a page together.

use std::sync::LazyLock;

use crate::prior::inputs::Inputs;
use crate::prior::net::{Net, PageKind, Said};

/// Nets that were learned from the same pages and begun with other random weights. Their outputs are averaged.
#[derive(Clone, Debug, PartialEq)]
pub struct Nets(pub Vec<Net>);

static LEARNED: LazyLock<Nets> =
    LazyLock::new(|| Nets::from_bytes(include_bytes!("../../prior.bin")).unwrap_or_default());

impl Default for Nets {
    /// A net of zeros, which knows nothing.
    fn default() -> Self {
        Nets(vec![Net::default()])
    }
}

impl Nets {
    /// Returns the nets of this version.
    pub fn learned() -> &'static Nets {
        &LEARNED
    }

    /// Reads one or more nets, one after the other. `None` for other bytes: see [`Net::from_bytes`].
    pub fn from_bytes(mut bytes: &[u8]) -> Option<Nets> {
        let mut nets = vec![Net::read(&mut bytes)?];
        while !bytes.is_empty() {
            nets.push(Net::read(&mut bytes)?);
        }
        Some(Nets(nets))
    }

    /// Returns the nets as bytes for [`Self::from_bytes`].
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.iter().flat_map(Net::to_bytes).collect()
    }

    /// Returns the mean of what the nets say of a page.
    pub fn say(&self, page: &Inputs) -> Said {
        let mut said = Said {
            logits: vec![0.0; page.weights.len()],
            kinds: [0.0; PageKind::ALL.len()],
        };
        let part = 1.0 / self.0.len() as f32;
        for of in self.0.iter().map(|net| net.say(page)) {
            let sums = said.logits.iter_mut().chain(&mut said.kinds);
            for (sum, logit) in sums.zip(of.logits.iter().chain(&of.kinds)) {
                *sum += part * logit;
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nets_of_this_version_are_read_and_written_alike() {
        let bytes = include_bytes!("../../prior.bin");
        let nets = Nets::from_bytes(bytes).expect("nets");
        let knows = |net: &Net| net.reads.values.iter().any(|weight| *weight != 0.0);
        assert!(nets.0.iter().all(knows));
        assert_eq!(nets.to_bytes(), bytes);
        assert!(Nets::from_bytes(&bytes[1..]).is_none());
        assert!(Nets::from_bytes(&[]).is_none());
    }

    #[test]
    fn nets_say_the_mean_of_what_each_says() {
        let with_bias = |bias| {
            let mut net = Net::default();
            net.logit[1].values[0] = bias;
            net.kinds[1].values[2] = bias;
            net
        };
        let page = Inputs {
            numbers: vec![0.0; 2 * crate::prior::INPUTS],
            elements: vec![[0; crate::prior::LEVELS]; 2],
            groups: std::array::from_fn(|_| vec![0; 2]),
            sizes: [1; crate::prior::GROUPS],
            weights: vec![1.0; 2],
        };
        let said = Nets(vec![with_bias(1.0), with_bias(4.0)]).say(&page);
        assert_eq!(said.logits, [2.5, 2.5]);
        assert_eq!(said.kinds[2], 2.5);
    }
}
