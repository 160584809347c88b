//! Replay of the pages of one domain: insertion, labels, eviction.

use crate::heap::HeapBytes;
use crate::heuristic::{Constants, Heuristic, Verdict, Voters, nearest_to_leaf};
use crate::ids::BlockHash;
use crate::tree::{Path, UrlTree};
use crate::window::{EntryKind, WindowOptions};

/// The state of one domain: its URL Tree, and the window of entries that the tree counts.
///
/// A batch has three steps. [`insert`](Self::insert) its unique pages, [`label`](Self::label)
/// all of its pages, and call [`end_batch`](Self::end_batch). A caller that accepts
/// revisions calls [`insert_revision`](Self::insert_revision) while it labels. A batch of
/// one page is the online setting of the paper.
#[derive(Debug)]
pub struct DomainReplay {
    heuristic: Heuristic,
    constants: Constants,
    tree: UrlTree,
    window: WindowOptions,
}

/// A page, or a revision of one, as the tree counts it.
#[derive(Debug)]
pub struct Entry<'a, S> {
    /// Fetch time in microseconds since 1970 UTC.
    pub time_micros: i64,
    /// Host labels from the public suffix down, then path segments [O C1].
    pub branch: &'a [S],
    /// Hashes of the text blocks in any order; a repeated hash counts once.
    pub hashes: &'a [BlockHash],
}

/// The labels of one page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TreeLabels {
    /// One label per given hash, in the given order.
    pub blocks: Vec<BlockLabel>,
    /// The node that decided. If several nodes voted, this is the one nearest to the leaf.
    pub node: SelectedNode,
}

/// A node of a page's branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SelectedNode {
    /// Number of branch items from the root to the node.
    ///
    /// The root, the public suffix and the domain node have equal counts [O C3]. All of
    /// them are reported with the depth of the domain node.
    pub depth: u16,
    /// Pages of the node: `n`.
    pub support: u32,
}

/// The label of a block, and the counts that led to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlockLabel {
    /// The verdict of the heuristic.
    pub verdict: Verdict,
    /// Entries of the deciding node that contain the block: `c`.
    ///
    /// Revisions count here and not in `support`, so `count` can exceed `support`.
    pub count: u32,
    /// Pages of the deciding node: `n`.
    pub support: u32,
    /// Depth of the deciding node, as in [`SelectedNode::depth`].
    ///
    /// If several nodes voted, this is the node nearest to the leaf among the majority.
    pub depth: u16,
    /// Whether the block is content with count 0 at the node nearest to the leaf with
    /// enough support, or at the root if no node has enough [O D8].
    ///
    /// This node does not depend on the heuristic. A block of an inserted page is never
    /// unseen.
    pub unseen: bool,
}

/// The counts of one node for the blocks of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NodeCounts {
    /// Depth of the node, as in [`SelectedNode::depth`].
    pub depth: u16,
    /// Pages of the node: `n`.
    pub support: u32,
    /// Entries of the node that contain the block: `c`, per given hash.
    pub counts: Vec<u32>,
}

impl DomainReplay {
    /// Creates a replay with an empty tree and an empty window.
    ///
    /// `domain_labels` is the number of branch items down to the domain node: 2 for
    /// `["eu", "news", "www", ...]`. The nodes of these items share one set of counters,
    /// because all of them have every entry of the domain [O C3].
    pub fn new(domain_labels: usize, heuristic: Heuristic, window: WindowOptions) -> Self {
        let constants = Constants::default();
        let counted = heuristic.min_counted_support(constants.n_min);
        DomainReplay {
            heuristic,
            constants,
            tree: UrlTree::new(domain_labels, counted),
            window,
        }
    }

    /// Sets the constants of the heuristic. Nothing must be inserted yet.
    #[must_use]
    pub fn with_constants(mut self, constants: Constants) -> Self {
        self.constants = constants;
        self.tree
            .set_min_counted_support(self.heuristic.min_counted_support(constants.n_min));
        self
    }

    /// Counts a unique page at every node of its branch, and appends it to the window.
    pub fn insert<S: AsRef<str>>(&mut self, page: Entry<'_, S>) {
        self.insert_entry(page, EntryKind::Page);
    }

    /// Counts the unseen blocks of a known page: `c` increases and `n` does not [O E3].
    ///
    /// The revision is a separate entry of the window.
    /// [`revision_hashes`](crate::revision_hashes) returns its blocks.
    pub fn insert_revision<S: AsRef<str>>(&mut self, revision: Entry<'_, S>) {
        self.insert_entry(revision, EntryKind::Revision);
    }

    fn insert_entry<S: AsRef<str>>(&mut self, entry: Entry<'_, S>, kind: EntryKind) {
        let (branch, hashes) = (entry.branch, entry.hashes);
        self.tree.insert(entry.time_micros, branch, hashes, kind);
    }

    /// Labels the blocks of a page by the current counts of the tree.
    ///
    /// The page should be inserted before, unless it is a duplicate. A node of the branch
    /// that does not exist has `n = 0`, and is not created.
    pub fn label<S: AsRef<str>>(&self, branch: &[S], hashes: &[BlockHash]) -> TreeLabels {
        let path = self.tree.path(branch);
        let supports = self.supports(&path);
        let voters = self.heuristic.voters(&supports, self.constants);
        let supported = nearest_to_leaf(&supports, |n| n >= self.constants.n_min);
        TreeLabels {
            blocks: hashes
                .iter()
                .map(|hash| self.label_block(hash, &path, &voters, supported))
                .collect(),
            node: SelectedNode {
                depth: self.tree.depth(voters.nearest()),
                support: supports[voters.nearest()],
            },
        }
    }

    fn label_block(
        &self,
        hash: &BlockHash,
        path: &Path,
        voters: &Voters,
        supported: usize,
    ) -> BlockLabel {
        let occurrence = self.tree.occurrence(path, hash);
        let count_at = |position: usize| self.tree.count(path, position, occurrence);
        let decision = voters.decide(count_at);
        BlockLabel {
            verdict: decision.verdict,
            count: decision.count,
            support: self.tree.support(path, decision.position),
            depth: self.tree.depth(decision.position),
            unseen: decision.verdict == Verdict::Content && count_at(supported) == 0,
        }
    }

    /// Returns the counts behind [`label`](Self::label).
    ///
    /// There is one item per existing node of the branch, from the domain node to the leaf.
    pub fn counts<S: AsRef<str>>(&self, branch: &[S], hashes: &[BlockHash]) -> Vec<NodeCounts> {
        let path = self.tree.path(branch);
        let occurrence = |hash: &BlockHash| self.tree.occurrence(&path, hash);
        let occurrences: Vec<_> = hashes.iter().map(occurrence).collect();
        (0..path.len())
            .map(|position| NodeCounts {
                depth: self.tree.depth(position),
                support: self.tree.support(&path, position),
                counts: self.tree.counts(&path, position, &occurrences),
            })
            .collect()
    }

    /// Evicts the oldest entries by [`WindowOptions::evicts`], and returns their number.
    ///
    /// `newest_micros` is the newest time of the batch in this domain. The authors' code
    /// takes it over all pages of the batch, including duplicates. Duplicates are not among
    /// the stored entries, so a caller that rebuilds its window from stored entries must
    /// pass the newest time of an entry. Otherwise the window differs from the one that
    /// [`window_start`](crate::window_start) selects.
    pub fn end_batch(&mut self, newest_micros: i64) -> usize {
        let before = self.window_len();
        while let Some(oldest) = self.tree.window().oldest()
            && self
                .window
                .evicts(self.window_len(), oldest.time_micros, newest_micros)
        {
            self.tree.remove_oldest();
        }
        before - self.window_len()
    }

    /// Returns the number of entries in the window: pages and revisions.
    pub fn window_len(&self) -> usize {
        self.tree.window().len()
    }

    /// Returns the heap bytes of the tree and the window.
    ///
    /// The call visits every node and every entry, so it is too slow to make per page.
    pub fn heap_bytes(&self) -> HeapBytes {
        self.tree.heap_bytes()
    }

    fn supports(&self, path: &Path) -> Vec<u32> {
        let support = |position| self.tree.support(path, position);
        (0..path.len()).map(support).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MENU: BlockHash = [1; 16];
    const FOOTER: BlockHash = [2; 16];

    fn story(page: u8) -> BlockHash {
        [100 + page; 16]
    }

    /// Inserts pages of one section. Each has the menu, its own story and the footer.
    fn section(replay: &mut DomainReplay, name: &str, pages: std::ops::Range<u8>) {
        for page in pages {
            replay.insert(Entry {
                time_micros: i64::from(page),
                branch: &["eu", "news", "www", name],
                hashes: &[MENU, story(page), FOOTER],
            });
        }
    }

    fn replay(heuristic: Heuristic) -> DomainReplay {
        DomainReplay::new(2, heuristic, WindowOptions::default())
    }

    #[test]
    fn the_first_page_of_a_domain_is_content() {
        for heuristic in [Heuristic::Strict, Heuristic::VoteSlow, Heuristic::VoteFast] {
            let mut replay = replay(heuristic);
            section(&mut replay, "sport", 0..1);
            let labels = replay.label(&["eu", "news", "www", "sport"], &[MENU, story(0)]);
            for label in labels.blocks {
                let (verdict, count, support) = (label.verdict, label.count, label.support);
                assert_eq!((verdict, count, support), (Verdict::Content, 1, 1));
                assert!(!label.unseen);
            }
        }
    }

    /// The default heuristic of [P 4] selects the node nearest to the leaf with five pages,
    /// or the root.
    #[test]
    fn a_section_with_five_pages_is_selected() {
        let mut replay = replay(Heuristic::Strict);
        section(&mut replay, "politics", 0..3);
        let sport = ["eu", "news", "www", "sport"];
        for (pages, node) in [(3..4, (2, 4)), (4..5, (3, 5)), (5..8, (4, 5))] {
            section(&mut replay, "sport", pages);
            let selected = replay.label(&sport, &[]).node;
            assert_eq!((selected.depth, selected.support), node);
        }
        let elsewhere = replay.label(&["eu", "news", "www", "culture"], &[]).node;
        assert_eq!((elsewhere.depth, elsewhere.support), (3, 8));
    }

    #[test]
    fn a_repeated_block_is_labelled_each_time_and_counts_once() {
        let mut replay = replay(Heuristic::StrictAtDomain);
        section(&mut replay, "sport", 0..2);
        let hashes = [MENU, story(1), story(1), MENU];
        let labels = replay.label(&["eu", "news", "www", "sport"], &hashes);
        let counts: Vec<u32> = labels.blocks.iter().map(|label| label.count).collect();
        assert_eq!(counts, [2, 1, 1, 2]);
        assert_eq!(labels.node.depth, 2);
    }

    #[test]
    fn only_content_that_the_tree_never_saw_is_unseen() {
        let mut replay = replay(Heuristic::VoteFast);
        section(&mut replay, "sport", 0..9);
        let duplicate = replay.label(
            &["eu", "news", "www", "sport"],
            &[MENU, story(3), story(99)],
        );
        let unseen: Vec<bool> = duplicate.blocks.iter().map(|label| label.unseen).collect();
        assert_eq!(unseen, [false, false, true]);
    }

    /// In a batch of two pages the label of the first depends on the second [O E2]. In
    /// batches of one page, as in the paper, it does not.
    #[test]
    fn a_batch_is_counted_before_it_is_labelled() {
        let sport = ["eu", "news", "www", "sport"];
        let first_of = |pages| {
            let mut replay = replay(Heuristic::Strict);
            section(&mut replay, "sport", pages);
            replay.label(&sport, &[MENU, story(0)])
        };
        let verdicts =
            |labels: TreeLabels| labels.blocks.iter().map(|l| l.verdict).collect::<Vec<_>>();
        let (content, boilerplate) = (Verdict::Content, Verdict::Boilerplate);
        assert_eq!(verdicts(first_of(0..1)), [content, content]);
        assert_eq!(verdicts(first_of(0..2)), [boilerplate, content]);
    }

    /// An old page that was inserted late is evicted after the pages before it [O F2].
    #[test]
    fn entries_are_evicted_first_in_first_out() {
        let window = WindowOptions {
            max_age_micros: 10,
            min_pages: 0,
            ..WindowOptions::default()
        };
        let mut replay = DomainReplay::new(2, Heuristic::Strict, window);
        for time_micros in [95, 10, 100] {
            replay.insert(Entry {
                time_micros,
                branch: &["eu", "news"],
                hashes: &[MENU],
            });
        }
        assert_eq!(replay.end_batch(100), 0);
        assert_eq!(replay.end_batch(106), 2);
        assert_eq!(replay.window_len(), 1);
    }

    #[test]
    fn evicted_entries_are_not_counted() {
        let window = WindowOptions {
            max_pages: 3,
            min_pages: 0,
            ..WindowOptions::default()
        };
        let mut replay = DomainReplay::new(2, Heuristic::Strict, window);
        section(&mut replay, "sport", 0..5);
        assert_eq!(replay.end_batch(4), 2);
        assert_eq!(replay.window_len(), 3);
        let domain = &replay.counts(&["eu", "news"], &[MENU, story(0), story(4)])[0];
        assert_eq!((domain.support, &domain.counts[..]), (3, &[3, 0, 1][..]));
    }
}
