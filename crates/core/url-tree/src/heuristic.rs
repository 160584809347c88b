//! The classification heuristics of the paper [P 5.4] and the votes of the
//! authors' production system [O D5].

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// Documents a node needs before [`Heuristic::Strict`] or a vote listens to
/// it: the paper's `n_min` [P 5.4].
pub const N_MIN: u32 = 5;

/// What a text block is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Text of this document.
    Content,
    /// Text of the template the document shares with others.
    Boilerplate,
}

/// Which node of a document's branch decides, and at which count.
///
/// In all of them `n` is the support of a node (documents seen there), `c` the
/// number of those documents that contain the block, and the document itself
/// is already counted in both. Names are those of [`fmt::Display`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Heuristic {
    /// `strict`, the paper's default [P 4]: the node nearest to the leaf with
    /// `n >= `[`N_MIN`], else the root; boilerplate iff `c > 1`.
    #[default]
    Strict,
    /// `strict-support-N`: the node nearest to the leaf with `n > N`, else the
    /// root; boilerplate iff `c > 1`. The paper tuned N to 100.
    StrictSupport(u32),
    /// `strict-at-domain`: the domain node, whatever its support; boilerplate
    /// iff `c > 1`.
    StrictAtDomain,
    /// `relaxed-at-domain-N`: the domain node; boilerplate iff `c > 2` once
    /// `n > N`, before that iff `c > 1`. The paper tuned N to 500.
    RelaxedAtDomain(u32),
    /// `vote-slow`: every node inside the domain with `n >= `[`N_MIN`] votes
    /// boilerplate iff `c > n/100 + 1`; a tie is boilerplate [O D5].
    VoteSlow,
    /// `vote-fast`: as `vote-slow` with `c > n/50 + 1`; a tie is content
    /// [O D5].
    VoteFast,
}

/// A name that is no [`Heuristic`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown heuristic {name:?}: expected strict, strict-support-N, strict-at-domain, \
     relaxed-at-domain-N, vote-slow or vote-fast (N a whole number; \
     strict-support means N = 100, relaxed-at-domain N = 500)"
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
            "vote-slow" => Ok(Heuristic::VoteSlow),
            "vote-fast" => Ok(Heuristic::VoteFast),
            _ => parameter("strict-support-")
                .map(Heuristic::StrictSupport)
                .or_else(|| parameter("relaxed-at-domain-").map(Heuristic::RelaxedAtDomain))
                .ok_or_else(|| UnknownHeuristic { name: name.into() }),
        }
    }
}

/// Digits only: `u32::from_str` would also take a sign.
fn whole_number(digits: &str) -> Option<u32> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        digits.parse().ok()
    } else {
        None
    }
}

/// The nodes that decide about one document, and how: a heuristic applied to
/// the supports along a branch. One node deciding alone is a jury of one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Jury {
    /// Nearest to the leaf first; never empty.
    voters: Vec<Voter>,
    tie: Verdict,
}

/// A node on the branch and the count above which it votes boilerplate.
#[derive(Debug, PartialEq, Eq)]
struct Voter {
    position: usize,
    threshold: u32,
}

/// What a jury said about one block, and the nearest node to the leaf that
/// said so.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) verdict: Verdict,
    /// Position of that node on the branch.
    pub(crate) position: usize,
    /// Its count of the block.
    pub(crate) count: u32,
}

/// Position of the node nearest to the leaf whose support is `enough`, else
/// that of the root. `supports` runs from the root to the leaf.
pub(crate) fn nearest_to_leaf(supports: &[u32], enough: impl Fn(u32) -> bool) -> usize {
    supports.iter().rposition(|&n| enough(n)).unwrap_or(0)
}

impl Heuristic {
    /// The support below which no label looks at the counts of a node inside the
    /// domain, or `None` if no label looks at any. A block is unseen only if it
    /// is content, which at the domain node of `strict-at-domain` means that one
    /// entry contains it or none: that needs no counts.
    pub(crate) fn min_counted_support(self, n_min: u32) -> Option<u32> {
        match self {
            Heuristic::StrictAtDomain => None,
            Heuristic::StrictSupport(than) => Some(n_min.min(than.saturating_add(1))),
            Heuristic::Strict
            | Heuristic::RelaxedAtDomain(_)
            | Heuristic::VoteSlow
            | Heuristic::VoteFast => Some(n_min),
        }
    }

    /// The jury for a document on whose branch the nodes have these
    /// `supports`, from the domain node (which is also the root, [O C3]) to the
    /// last node that exists.
    pub(crate) fn jury(self, supports: &[u32], n_min: u32) -> Jury {
        match self {
            Heuristic::Strict => Jury::of_one(nearest_to_leaf(supports, |n| n >= n_min), 1),
            Heuristic::StrictSupport(than) => {
                Jury::of_one(nearest_to_leaf(supports, |n| n > than), 1)
            }
            Heuristic::StrictAtDomain => Jury::of_one(0, 1),
            Heuristic::RelaxedAtDomain(than) => {
                let relaxed = supports.first().is_some_and(|&n| n > than);
                Jury::of_one(0, if relaxed { 2 } else { 1 })
            }
            Heuristic::VoteSlow => Jury::of_many(supports, n_min, 100, Verdict::Boilerplate),
            Heuristic::VoteFast => Jury::of_many(supports, n_min, 50, Verdict::Content),
        }
    }
}

impl Jury {
    fn of_one(position: usize, threshold: u32) -> Self {
        Jury {
            voters: vec![Voter {
                position,
                threshold,
            }],
            // One vote cannot tie.
            tie: Verdict::Content,
        }
    }

    /// Every node with enough support votes; while the root has too little,
    /// the root decides alone [O D5, D6]. A node tolerates one more document
    /// for every `per` documents it has seen.
    fn of_many(supports: &[u32], n_min: u32, per: u32, tie: Verdict) -> Self {
        let voter = |position: usize, n: u32| Voter {
            position,
            threshold: n / per + 1,
        };
        let mut voters: Vec<Voter> = (supports.iter().enumerate().rev())
            .filter(|&(_, &n)| n >= n_min)
            .map(|(position, &n)| voter(position, n))
            .collect();
        if voters.is_empty() {
            voters.push(voter(0, supports.first().copied().unwrap_or(0)));
        }
        Jury { voters, tie }
    }

    /// Position of the voter nearest to the leaf.
    pub(crate) fn nearest(&self) -> usize {
        self.voters.first().map_or(0, |voter| voter.position)
    }

    /// Decides about a block that the node at a position counted
    /// `count_at(position)` times.
    pub(crate) fn decide(&self, count_at: impl Fn(usize) -> u32) -> Decision {
        let mut content = Ballot::default();
        let mut boilerplate = Ballot::default();
        for voter in &self.voters {
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

/// The votes for one verdict and the first node that voted for it.
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

    fn decided_at(heuristic: Heuristic, supports: &[u32]) -> usize {
        heuristic.jury(supports, N_MIN).nearest()
    }

    #[test]
    fn names_round_trip() {
        for name in [
            "strict",
            "strict-support-100",
            "strict-support-0",
            "strict-at-domain",
            "relaxed-at-domain-500",
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
            let jury = Heuristic::StrictAtDomain.jury(supports, N_MIN);
            assert_eq!(jury.nearest(), 0);
            assert_eq!(jury.decide(|_| 1).verdict, Verdict::Content);
            assert_eq!(jury.decide(|_| 2).verdict, Verdict::Boilerplate);
        }
    }

    #[test]
    fn relaxed_allows_a_second_page_above_support_n() {
        let second = |n| {
            let jury = Heuristic::RelaxedAtDomain(500).jury(&[n, 9], N_MIN);
            jury.decide(|_| 2).verdict
        };
        assert_eq!(second(500), Verdict::Boilerplate);
        assert_eq!(second(501), Verdict::Content);
    }

    #[test]
    fn a_tied_vote_is_boilerplate_when_slow_and_content_when_fast() {
        // The leaf has seen the block once, the domain often.
        let counts = |position: usize| [50, 1][position];
        let slow = Heuristic::VoteSlow.jury(&[99, 5], N_MIN).decide(counts);
        assert_eq!(
            slow,
            Decision {
                verdict: Verdict::Boilerplate,
                position: 0,
                count: 50
            }
        );
        let fast = Heuristic::VoteFast.jury(&[99, 5], N_MIN).decide(counts);
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
            |heuristic: Heuristic, n, c| heuristic.jury(&[n], N_MIN).decide(|_| c).verdict;
        assert_eq!(verdict(Heuristic::VoteSlow, 199, 2), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteSlow, 199, 3), Verdict::Boilerplate);
        assert_eq!(verdict(Heuristic::VoteSlow, 200, 3), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteFast, 200, 5), Verdict::Content);
        assert_eq!(verdict(Heuristic::VoteFast, 200, 6), Verdict::Boilerplate);
    }

    /// Below the root, where only nodes with so many documents are counted.
    #[test]
    fn every_voter_has_the_minimum_counted_support() {
        let mut asked = 0;
        for heuristic in [
            Heuristic::Strict,
            Heuristic::StrictSupport(0),
            Heuristic::StrictSupport(2),
            Heuristic::StrictSupport(u32::MAX),
            Heuristic::StrictAtDomain,
            Heuristic::RelaxedAtDomain(2),
            Heuristic::VoteSlow,
            Heuristic::VoteFast,
        ] {
            for supports in (0..7 * 7 * 7).map(|n| [9, n / 49, n / 7 % 7, n % 7]) {
                let jury = heuristic.jury(&supports, N_MIN);
                for voter in jury.voters.iter().filter(|voter| voter.position > 0) {
                    let from = heuristic
                        .min_counted_support(N_MIN)
                        .expect("a node is asked");
                    assert!(supports[voter.position] >= from, "{heuristic} {supports:?}");
                    asked += 1;
                }
            }
        }
        assert!(asked > 1_000, "{asked}");
    }

    #[test]
    fn a_root_with_too_little_support_decides_alone() {
        let jury = Heuristic::VoteSlow.jury(&[4, 3, 2], N_MIN);
        assert_eq!(jury, Heuristic::VoteSlow.jury(&[4], N_MIN));
        assert_eq!(jury.decide(|_| 2).verdict, Verdict::Boilerplate);
    }
}
