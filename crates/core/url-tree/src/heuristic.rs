//! The classification heuristics of the paper [P 5.4] and the votes of the
//! authors' production system [O D5].

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Pages that a node needs before [`Heuristic::Strict`] or a vote uses it: the paper's
/// `n_min` [P 5.4].
pub const N_MIN: u32 = 5;

/// Pages of a node that a block of content may be in: the paper's `c_max` [P 5.4].
pub const C_MAX: u32 = 1;

/// The constants of the heuristics [P 5.4]. [`Default`] has the paper's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Constants {
    /// Pages that a node needs before [`Heuristic::Strict`] or a vote uses it. At least 1.
    pub n_min: u32,
    /// Most pages of a node that a block of content may be in. Above, it is boilerplate.
    pub c_max: u32,
}

impl Default for Constants {
    fn default() -> Self {
        Self {
            n_min: N_MIN,
            c_max: C_MAX,
        }
    }
}

/// The class of a text block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Text of this page.
    Content,
    /// Text of the template that the page shares with others.
    Boilerplate,
}

/// Selects the nodes of a page's branch that decide, and the count above which a block is
/// boilerplate.
///
/// `n` is the support of a node: its pages. `c` is the number of these pages that contain
/// the block. The labelled page itself is counted in both. The numbers 5 and 1 below are the
/// paper's [`Constants`]; with another `c_max`, thresholds move with it. [`fmt::Display`] writes the
/// names in this list, and [`FromStr`] reads them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Heuristic {
    /// `strict`, the paper's default [P 4]: the node nearest to the leaf with
    /// `n >= `[`N_MIN`], or the root if there is none; boilerplate iff `c > 1`.
    #[default]
    Strict,
    /// `strict-support-N`: the node nearest to the leaf with `n > N`, or the root if there
    /// is none; boilerplate iff `c > 1`. The paper tuned N to 100.
    StrictSupport(u32),
    /// `strict-at-domain`: the domain node at any support; boilerplate iff `c > 1`.
    StrictAtDomain,
    /// `relaxed-at-domain-N`: the domain node; boilerplate iff `c > 2` if `n > N`, and
    /// iff `c > 1` otherwise. The paper tuned N to 500.
    RelaxedAtDomain(u32),
    /// `relaxed-strict-N`: the other reading of the paper's relaxed-at-domain-N. The node of
    /// `strict`; boilerplate iff `c > 2` if the domain node has `n > N`, and iff `c > 1`
    /// otherwise.
    RelaxedStrict(u32),
    /// `vote-slow`: every node of the domain with `n >= `[`N_MIN`] votes, and votes
    /// boilerplate iff `c > n/100 + 1`; a tie is boilerplate [O D5].
    VoteSlow,
    /// `vote-fast`: like `vote-slow` with `c > n/50 + 1`; a tie is content [O D5].
    VoteFast,
}

/// The error for a name that is not the name of a [`Heuristic`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "unknown heuristic {name:?}: expected strict, strict-support-N, strict-at-domain, \
     relaxed-at-domain-N, relaxed-strict-N, vote-slow or vote-fast (N a whole number; \
     strict-support means N = 100, relaxed-at-domain and relaxed-strict N = 500)"
)]
pub struct UnknownHeuristic {
    /// The name as given.
    pub name: String,
}

impl fmt::Display for Heuristic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Heuristic::Strict => f.write_str("strict"),
            Heuristic::StrictSupport(n) => write!(f, "strict-support-{n}"),
            Heuristic::StrictAtDomain => f.write_str("strict-at-domain"),
            Heuristic::RelaxedAtDomain(n) => write!(f, "relaxed-at-domain-{n}"),
            Heuristic::RelaxedStrict(n) => write!(f, "relaxed-strict-{n}"),
            Heuristic::VoteSlow => f.write_str("vote-slow"),
            Heuristic::VoteFast => f.write_str("vote-fast"),
        }
    }
}

impl FromStr for Heuristic {
    type Err = UnknownHeuristic;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let parameter = |prefix: &str| whole_number(name.strip_prefix(prefix)?);
        match name {
            "strict" => Ok(Heuristic::Strict),
            "strict-support" => Ok(Heuristic::StrictSupport(100)),
            "strict-at-domain" => Ok(Heuristic::StrictAtDomain),
            "relaxed-at-domain" => Ok(Heuristic::RelaxedAtDomain(500)),
            "relaxed-strict" => Ok(Heuristic::RelaxedStrict(500)),
            "vote-slow" => Ok(Heuristic::VoteSlow),
            "vote-fast" => Ok(Heuristic::VoteFast),
            _ => parameter("strict-support-")
                .map(Heuristic::StrictSupport)
                .or_else(|| parameter("relaxed-at-domain-").map(Heuristic::RelaxedAtDomain))
                .or_else(|| parameter("relaxed-strict-").map(Heuristic::RelaxedStrict))
                .ok_or_else(|| UnknownHeuristic { name: name.into() }),
        }
    }
}

/// Parses digits only; `u32::from_str` would also accept a sign.
fn whole_number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// The nodes that decide about one page: a heuristic applied to the supports of a branch.
///
/// A node that decides alone is the only voter.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Voters {
    /// The node nearest to the leaf first; never empty.
    nodes: Vec<Voter>,
    /// The verdict of a tied vote.
    tie: Verdict,
}

/// A node of the branch, and the count above which it votes boilerplate.
#[derive(Debug, PartialEq, Eq)]
struct Voter {
    position: usize,
    threshold: u32,
}

/// The verdict about one block, and the node nearest to the leaf that voted for it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    /// Position of that node on the branch.
    pub(crate) position: usize,
    /// Its count of the block.
    pub(crate) count: u32,
}

/// Returns the position of the node nearest to the leaf whose support is `enough`, or that
/// of the root.
///
/// `supports` goes from the root to the leaf.
pub(crate) fn nearest_to_leaf(supports: &[u32], enough: impl Fn(u32) -> bool) -> usize {
    supports.iter().rposition(|&n| enough(n)).unwrap_or(0)
}

impl Heuristic {
    /// Returns the support below which no label reads the counts of a node below the domain
    /// node, or `None` if no label reads such counts at all.
    ///
    /// `strict-at-domain` needs none, also not for [`BlockLabel::unseen`]: only content can
    /// be unseen, and its content is in one entry or none, which the vocabulary knows.
    ///
    /// [`BlockLabel::unseen`]: crate::BlockLabel::unseen
    pub(crate) fn min_counted_support(self, n_min: u32) -> Option<u32> {
        match self {
            Heuristic::StrictAtDomain => None,
            Heuristic::StrictSupport(than) => Some(n_min.min(than.saturating_add(1))),
            Heuristic::Strict
            | Heuristic::RelaxedAtDomain(_)
            | Heuristic::RelaxedStrict(_)
            | Heuristic::VoteSlow
            | Heuristic::VoteFast => Some(n_min),
        }
    }

    /// Returns the voters for a page.
    ///
    /// `supports` are those of its branch, from the domain node, which is also the root
    /// [O C3], to the last node that exists.
    pub(crate) fn voters(self, supports: &[u32], constants: Constants) -> Voters {
        let Constants { n_min, c_max } = constants;
        let strict = || nearest_to_leaf(supports, |n| n >= n_min);
        // The paper relaxes the threshold from 1 to 2.
        let relaxed = |than: u32| {
            let is_relaxed = supports.first().is_some_and(|&n| n > than);
            c_max.saturating_add(u32::from(is_relaxed))
        };
        match self {
            Heuristic::Strict => Voters::one(strict(), c_max),
            Heuristic::StrictSupport(than) => {
                Voters::one(nearest_to_leaf(supports, |n| n > than), c_max)
            }
            Heuristic::StrictAtDomain => Voters::one(0, c_max),
            Heuristic::RelaxedAtDomain(than) => Voters::one(0, relaxed(than)),
            Heuristic::RelaxedStrict(than) => Voters::one(strict(), relaxed(than)),
            Heuristic::VoteSlow => Voters::all(supports, constants, 100, Verdict::Boilerplate),
            Heuristic::VoteFast => Voters::all(supports, constants, 50, Verdict::Content),
        }
    }
}

impl Voters {
    fn one(position: usize, threshold: u32) -> Self {
        Voters {
            nodes: vec![Voter {
                position,
                threshold,
            }],
            // One vote is never tied.
            tie: Verdict::Content,
        }
    }

    /// Returns all nodes with enough support, or the root if it has too little [O D5, D6].
    ///
    /// The threshold of a node grows by one per `per` pages.
    fn all(supports: &[u32], constants: Constants, per: u32, tie: Verdict) -> Self {
        let Constants { n_min, c_max } = constants;
        let voter = |position: usize, n: u32| Voter {
            position,
            threshold: (n / per).saturating_add(c_max),
        };
        let mut nodes: Vec<Voter> = supports
            .iter()
            .enumerate()
            .rev()
            .filter(|&(_, &n)| n >= n_min)
            .map(|(position, &n)| voter(position, n))
            .collect();
        if nodes.is_empty() {
            nodes.push(voter(0, supports.first().copied().unwrap_or(0)));
        }
        Voters { nodes, tie }
    }

    /// Returns the position of the voter nearest to the leaf.
    pub(crate) fn nearest(&self) -> usize {
        self.nodes.first().map_or(0, |voter| voter.position)
    }

    /// Decides about a block. `count_at` returns its count at the node of a position.
    pub(crate) fn decide(&self, count_at: impl Fn(usize) -> u32) -> Decision {
        let mut content = Ballot::default();
        let mut boilerplate = Ballot::default();
        for voter in &self.nodes {
            let count = count_at(voter.position);
            if count > voter.threshold {
                boilerplate.cast(voter.position, count);
            } else {
                content.cast(voter.position, count);
            }
        }
        let verdict = match boilerplate.votes.cmp(&content.votes) {
            Ordering::Greater => Verdict::Boilerplate,
            Ordering::Less => Verdict::Content,
            Ordering::Equal => self.tie,
        };
        let winner = match verdict {
            Verdict::Content => content,
            Verdict::Boilerplate => boilerplate,
        };
        Decision {
            verdict,
            position: winner.position,
            count: winner.count,
        }
    }
}

/// The votes for one verdict, and the first node that voted for it.
#[derive(Default)]
struct Ballot {
    votes: u32,
    position: usize,
    count: u32,
}

impl Ballot {
    fn cast(&mut self, position: usize, count: u32) {
        if self.votes == 0 {
            self.position = position;
            self.count = count;
        }
        self.votes += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAPER: Constants = Constants {
        n_min: N_MIN,
        c_max: C_MAX,
    };

    fn decided_at(heuristic: Heuristic, supports: &[u32]) -> usize {
        heuristic.voters(supports, PAPER).nearest()
    }

    #[test]
    fn names_round_trip() {
        for name in [
            "strict",
            "strict-support-100",
            "strict-support-0",
            "strict-at-domain",
            "relaxed-at-domain-500",
            "relaxed-strict-500",
            "vote-slow",
            "vote-fast",
        ] {
            assert_eq!(name.parse::<Heuristic>().unwrap().to_string(), name);
        }
        assert_eq!("strict-support".parse(), Ok(Heuristic::StrictSupport(100)));
        assert_eq!(
            "relaxed-at-domain".parse(),
            Ok(Heuristic::RelaxedAtDomain(500))
        );
    }

    #[test]
    fn the_error_for_an_unknown_name_lists_the_known_ones() {
        for name in [
            "",
            "Strict",
            "strict-support-",
            "strict-support-+5",
            "strict-support-4294967296",
            "vote",
        ] {
            let error = name.parse::<Heuristic>().unwrap_err();
            assert_eq!(error.name, name);
            let message = error.to_string();
            for known in ["strict-support-N", "relaxed-at-domain-N", "vote-fast"] {
                assert!(message.contains(known), "{message}");
            }
        }
    }

    #[test]
    fn strict_takes_the_nearest_node_with_five_pages_else_the_root() {
        assert_eq!(decided_at(Heuristic::Strict, &[40, 12, 5]), 2);
        assert_eq!(decided_at(Heuristic::Strict, &[40, 12, 4]), 1);
        assert_eq!(decided_at(Heuristic::Strict, &[4, 4, 4]), 0);
    }

    #[test]
    fn strict_support_needs_more_than_n_pages() {
        let heuristic = Heuristic::StrictSupport(100);
        assert_eq!(decided_at(heuristic, &[200, 101, 100]), 1);
        assert_eq!(decided_at(heuristic, &[100, 100, 100]), 0);
    }

    #[test]
    fn strict_at_domain_uses_the_domain_node_at_any_support() {
        for supports in [&[2, 2, 1][..], &[900, 40, 5]] {
            let voters = Heuristic::StrictAtDomain.voters(supports, PAPER);
            assert_eq!(voters.nearest(), 0);
            assert_eq!(voters.decide(|_| 1).verdict, Verdict::Content);
            assert_eq!(voters.decide(|_| 2).verdict, Verdict::Boilerplate);
        }
    }

    #[test]
    fn relaxed_allows_a_second_page_above_support_n() {
        let second = |n| {
            let voters = Heuristic::RelaxedAtDomain(500).voters(&[n, 9], PAPER);
            voters.decide(|_| 2).verdict
        };
        assert_eq!(second(500), Verdict::Boilerplate);
        assert_eq!(second(501), Verdict::Content);
    }

    #[test]
    fn the_other_reading_relaxes_the_node_of_strict() {
        let heuristic = Heuristic::RelaxedStrict(500);
        assert_eq!(decided_at(heuristic, &[501, 9, 4]), 1);
        for (n, verdict) in [(500, Verdict::Boilerplate), (501, Verdict::Content)] {
            assert_eq!(
                heuristic.voters(&[n, 9], PAPER).decide(|_| 2).verdict,
                verdict
            );
        }
        let third = heuristic.voters(&[501, 9], PAPER).decide(|_| 3);
        assert_eq!((third.verdict, third.position), (Verdict::Boilerplate, 1));
    }

    #[test]
    fn thresholds_move_with_the_constants() {
        let constants = Constants { n_min: 9, c_max: 3 };
        let strict = Heuristic::Strict.voters(&[40, 9, 8], constants);
        assert_eq!(strict.nearest(), 1);
        assert_eq!(strict.decide(|_| 3).verdict, Verdict::Content);
        assert_eq!(strict.decide(|_| 4).verdict, Verdict::Boilerplate);
        let relaxed = Heuristic::RelaxedAtDomain(10).voters(&[11], constants);
        assert_eq!(relaxed.decide(|_| 4).verdict, Verdict::Content);
        let slow = Heuristic::VoteSlow.voters(&[99], constants);
        assert_eq!(slow.decide(|_| 3).verdict, Verdict::Content);
        assert_eq!(slow.decide(|_| 4).verdict, Verdict::Boilerplate);
    }

    #[test]
    fn a_tied_vote_is_boilerplate_when_slow_and_content_when_fast() {
        // The count of the block is 1 at the leaf and 50 at the domain node.
        let counts = |position: usize| [50, 1][position];
        let slow = Heuristic::VoteSlow.voters(&[99, 5], PAPER).decide(counts);
        assert_eq!(
            slow,
            Decision {
                verdict: Verdict::Boilerplate,
                position: 0,
                count: 50
            }
        );
        let fast = Heuristic::VoteFast.voters(&[99, 5], PAPER).decide(counts);
        assert_eq!(
            fast,
            Decision {
                verdict: Verdict::Content,
                position: 1,
                count: 1
            }
        );
    }

    #[test]
    fn vote_thresholds_grow_with_support() {
        let verdict =
            |heuristic: Heuristic, n, c| heuristic.voters(&[n], PAPER).decide(|_| c).verdict;
        assert_eq!(verdict(Heuristic::VoteSlow, 199, 2), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteSlow, 199, 3), Verdict::Boilerplate);
        assert_eq!(verdict(Heuristic::VoteSlow, 200, 3), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteFast, 200, 5), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteFast, 200, 6), Verdict::Boilerplate);
    }

    /// The root is exempt: its counts are always known.
    #[test]
    fn every_voter_has_the_minimum_counted_support() {
        let mut checked = 0;
        for heuristic in [
            Heuristic::Strict,
            Heuristic::StrictSupport(0),
            Heuristic::StrictSupport(2),
            Heuristic::StrictSupport(u32::MAX),
            Heuristic::StrictAtDomain,
            Heuristic::RelaxedAtDomain(2),
            Heuristic::RelaxedStrict(2),
            Heuristic::VoteSlow,
            Heuristic::VoteFast,
        ] {
            for supports in (0..7 * 7 * 7).map(|n| [9, n / 49, n / 7 % 7, n % 7]) {
                let voters = heuristic.voters(&supports, PAPER);
                for voter in voters.nodes.iter().filter(|voter| voter.position > 0) {
                    let from = heuristic
                        .min_counted_support(N_MIN)
                        .expect("nodes below the root vote");
                    assert!(supports[voter.position] >= from, "{heuristic} {supports:?}");
                    checked += 1;
                }
            }
        }
        assert!(checked > 1_000, "{checked}");
    }

    #[test]
    fn a_root_with_too_little_support_decides_alone() {
        let voters = Heuristic::VoteSlow.voters(&[4, 3, 2], PAPER);
        assert_eq!(voters, Heuristic::VoteSlow.voters(&[4], PAPER));
        assert_eq!(voters.decide(|_| 2).verdict, Verdict::Boilerplate);
    }
}
