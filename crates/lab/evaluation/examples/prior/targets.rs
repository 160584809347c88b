//! Softer labels of the pages to learn from.
//!
//! One gold text has the introduction, the captions or the reviews, the next has none, and some end in the middle. A net
//! that learns such labels word for word is too sure about other pages. So it learns the mean of a page's labels and of
//! the verdicts of nets that did not see its host: a label that no other page confirms counts less.

use template::prior::Nets;

use crate::example::{Example, Target};
use crate::learn::{learn_nets, probability};
use crate::pages::Page;

/// The part of the labels in what is learned. On unseen hosts articles gain .003 over labels alone, `scrapinghub` .002
/// and 29 sites with another page .002; other kinds are within the spread of two seeds. With 0.3, 29 sites gain .004,
/// and CleanEval loses .004.
const LABELS: f32 = 0.5;
/// Parts of the hosts: nets that learned from the other parts judge the pages of each.
const PARTS: usize = 3;
/// The first random numbers of these nets.
const SEEDS: [u64; 2] = [11, 12];

/// Returns the targets of pages: the mean of their labels and of the verdicts of nets that learned from other hosts.
pub(crate) fn softened(pages: &[&Page]) -> Vec<Target> {
    let mut targets: Vec<Target> = pages
        .iter()
        .map(|page| page.example.labels.clone())
        .collect();
    for part in 0..PARTS {
        let is_in_part = |page: &Page| part_of(&page.host) == part;
        let others = pages.iter().filter(|page| !is_in_part(page));
        let others: Vec<&Example> = others.map(|page| &page.example).collect();
        let labels: Vec<Target> = others.iter().map(|other| other.labels.clone()).collect();
        let nets = learn_nets(&others, &labels, SEEDS);
        for (target, page) in targets.iter_mut().zip(pages) {
            if is_in_part(page) {
                soften(target, &page.example, &nets);
            }
        }
    }
    targets
}

/// Moves a target towards what nets say of its page.
fn soften(target: &mut Target, page: &Example, nets: &Nets) {
    let said = nets.say(&page.inputs).logits;
    let sure = said.into_iter().map(probability);
    let mut meant = 0.0;
    for ((content, sure), words) in target.content.iter_mut().zip(sure).zip(&page.words) {
        meant += sure * words.len() as f32;
        *content = LABELS * *content + (1.0 - LABELS) * sure;
    }
    target.meant = LABELS * target.meant + (1.0 - LABELS) * meant;
}

/// Returns the part of a host. Hosts of one fold are in all parts.
fn part_of(host: &str) -> usize {
    number_of(host) / PARTS % PARTS
}

/// Returns a number of a host, 0 to 1008.
pub(crate) fn number_of(host: &str) -> usize {
    let hash = |hash: usize, byte: u8| hash.wrapping_mul(31) ^ usize::from(byte);
    host.bytes().fold(7, hash) % 1009
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Dice;
    use crate::tape::tests::page;

    /// A net of zeros is in doubt about every block.
    #[test]
    fn a_label_moves_half_of_the_way_to_what_nets_say() {
        let mut page = page(&mut Dice(3));
        page.labels.content[0] = 1.0;
        let mut target = page.labels.clone();
        soften(&mut target, &page, &Nets::default());
        assert_eq!(target.content, [0.75, 0.25, 0.25, 0.25, 0.25]);
        // One word is meant, and two and a half of five are to be expected.
        assert_eq!(target.meant, 1.75);
    }

    #[test]
    fn hosts_of_a_fold_are_in_all_parts() {
        let hosts: Vec<String> = (0..300).map(|at| format!("host{at}.example")).collect();
        for fold in 0..3 {
            let of_fold = hosts.iter().filter(|host| number_of(host) % 3 == fold);
            let parts: Vec<usize> = of_fold.map(|host| part_of(host)).collect();
            for part in 0..PARTS {
                let share =
                    parts.iter().filter(|of| **of == part).count() as f32 / parts.len() as f32;
                assert!((0.2..0.5).contains(&share), "{fold} {part} {share}");
            }
        }
    }
}
