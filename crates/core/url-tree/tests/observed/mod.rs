//! The compared values of one document of a stream.

use std::collections::BTreeMap;

use url_tree::{BlockLabel, C_MAX, Heuristic, TreeLabels, Verdict};

use crate::model::{self, Statistics};
use crate::stream::Document;

/// The values of a document that are compared.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Observed {
    /// From the root to the leaf.
    statistics: Vec<Statistics>,
    /// Names and supports of the nodes with enough support, from the leaf to the root.
    returned: Vec<(String, u32)>,
    /// The labels per heuristic of the vectors, and the selected node if the vectors have it.
    outcomes: BTreeMap<String, Outcome>,
    /// Votes for content and for boilerplate per block, of `vote-slow` and `vote-fast`.
    votes: [Vec<String>; 2],
    /// The labels of `vote-slow`, with `U` for unseen content.
    production: String,
}

pub(crate) type Outcome = (String, Option<(u16, u32)>);

impl Observed {
    /// Creates the values from statistics, and from the labels of each heuristic.
    pub(crate) fn new(
        statistics: Vec<Statistics>,
        document: &Document,
        domain_labels: usize,
        n_min: u32,
        labels: impl Fn(&str) -> TreeLabels,
    ) -> Self {
        let outcome = |(name, (_, node)): (&String, &Outcome)| {
            let labels = labels(name);
            let selected = (labels.node.depth, labels.node.support);
            (
                name.clone(),
                (letters(&labels.blocks), node.map(|_| selected)),
            )
        };
        let votes = [Heuristic::VoteSlow, Heuristic::VoteFast]
            .map(|heuristic| votes(heuristic, &statistics, domain_labels, n_min));
        Observed {
            returned: returned(&statistics, document, n_min),
            outcomes: document.outcomes().iter().map(outcome).collect(),
            votes,
            production: production_letters(&labels("slow")),
            statistics,
        }
    }

    /// Returns the values of the vectors.
    pub(crate) fn from_vector(document: &Document) -> Self {
        let expected = &document.expected;
        let votes = |name: &str| {
            let votes = expected.selected[name].as_array().expect("a list of votes");
            let text = |vote: &serde_json::Value| vote.as_str().expect("a text").to_owned();
            votes.iter().map(text).collect()
        };
        let returned = expected.query_nmin.iter();
        Observed {
            statistics: document.statistics(),
            returned: returned.map(|node| (node.key.clone(), node.n)).collect(),
            outcomes: document.outcomes(),
            votes: [votes("slow_votes"), votes("fast_votes")],
            production: expected.production.clone(),
        }
    }

    /// Returns the labels of all heuristics.
    pub(crate) fn letters(&self) -> impl Iterator<Item = char> {
        self.outcomes
            .values()
            .flat_map(|(letters, _)| letters.chars())
    }
}

/// Returns the nodes with enough support, or the root if it has too little [O C5].
fn returned(statistics: &[Statistics], document: &Document, n_min: u32) -> Vec<(String, u32)> {
    let root = ("#".to_owned(), statistics[0].0);
    let below = statistics[1..].iter().zip(&document.branch);
    let mut nodes: Vec<_> = below.map(|((n, _), key)| (key.clone(), *n)).collect();
    nodes.retain(|(_, n)| *n >= n_min);
    nodes.reverse();
    if root.1 < n_min {
        nodes.clear();
    }
    nodes.push(root);
    nodes
}

/// Returns, per block, the number of votes for content and for boilerplate [O D5].
fn votes(
    heuristic: Heuristic,
    statistics: &[Statistics],
    domain_labels: usize,
    n_min: u32,
) -> Vec<String> {
    let supports: Vec<u32> = statistics.iter().map(|(n, _)| *n).collect();
    let (voters, _) = model::deciding(heuristic, &supports, domain_labels, n_min);
    (0..statistics[0].1.len())
        .map(|block| {
            let count = |at: usize| statistics[at].1[block];
            let votes = |&&at: &&usize| {
                model::is_boilerplate(heuristic, supports[0], supports[at], count(at), C_MAX)
            };
            let against = voters.iter().filter(votes).count();
            format!("{} : {against}", voters.len() - against)
        })
        .collect()
}

fn letters(labels: &[BlockLabel]) -> String {
    let letter = |label: &BlockLabel| match label.verdict {
        Verdict::Boilerplate => 'B',
        Verdict::Content => 'C',
    };
    labels.iter().map(letter).collect()
}

/// Returns `letters` with `U` for unseen content.
fn production_letters(labels: &TreeLabels) -> String {
    let letters = letters(&labels.blocks);
    letters
        .chars()
        .zip(&labels.blocks)
        .map(|(letter, label)| if label.unseen { 'U' } else { letter })
        .collect()
}
