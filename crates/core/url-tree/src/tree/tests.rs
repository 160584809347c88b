//! Tests of the counts of a tree, and of the counters that it stores for them.

use super::*;

const HOME: BlockHash = [1; 16];
const STORY: BlockHash = [2; 16];
const OTHER: BlockHash = [3; 16];

fn tree(domain_labels: usize) -> UrlTree {
    UrlTree::new(domain_labels, Some(2))
}

fn insert(tree: &mut UrlTree, branch: &[&str], hashes: &[BlockHash], kind: EntryKind) {
    tree.insert(0, branch, hashes, kind);
    assert_counters(tree);
}

fn remove_oldest(tree: &mut UrlTree) {
    tree.remove_oldest();
    assert_counters(tree);
}

/// Asserts that a node has counters if and only if it needs them, and that they equal those
/// of its entries.
fn assert_counters(tree: &UrlTree) {
    for id in tree.nodes.ids() {
        let entries = tree.nodes.get(id).entries;
        let differs = entries > 0 && tree.has_fewer_entries_than_parent(id);
        match &tree.nodes.get(id).counters {
            Some(counters) => {
                assert!(differs);
                assert_eq!(**counters, tree.counters_from_entries(id));
            }
            None => assert!(!differs || !tree.needs_counters(id)),
        }
    }
}

/// Returns the number of nodes with counters.
fn counted(tree: &UrlTree) -> usize {
    let has_counters = |id: &NodeId| tree.nodes.get(*id).counters.is_some();
    tree.nodes.ids().filter(has_counters).count()
}

/// Returns `(n, c(HOME), c(STORY))` from the domain node to the last existing node.
fn statistics(tree: &UrlTree, branch: &[&str]) -> Vec<(u32, u32, u32)> {
    let path = tree.path(branch);
    let occurrences = [HOME, STORY].map(|hash| tree.occurrence(&path, &hash));
    (0..path.len())
        .map(|at| {
            let counts = tree.counts(&path, at, &occurrences);
            assert_eq!(counts, occurrences.map(|seen| tree.count(&path, at, seen)));
            (tree.support(&path, at), counts[0], counts[1])
        })
        .collect()
}

/// Figure 3 of the paper: every node of the branch counts the page and each of its distinct
/// blocks once.
#[test]
fn a_page_counts_at_every_node_of_its_branch() {
    let mut tree = tree(2);
    let politics = ["eu", "news", "www", "politics"];
    let sport = ["eu", "news", "www", "sport"];
    insert(&mut tree, &politics, &[HOME, STORY, HOME], EntryKind::Page);
    insert(&mut tree, &sport, &[HOME, OTHER], EntryKind::Page);
    assert_eq!(
        statistics(&tree, &["eu", "news", "www", "politics"]),
        [(2, 2, 1), (2, 2, 1), (1, 1, 1)]
    );
    assert_eq!(
        statistics(&tree, &["eu", "news", "www", "sport", "absent"]),
        [(2, 2, 1), (2, 2, 1), (1, 1, 0)]
    );
}

#[test]
fn segments_are_compared_exactly() {
    let mut tree = tree(1);
    insert(&mut tree, &["x", "A"], &[HOME], EntryKind::Page);
    insert(&mut tree, &["x", "a"], &[HOME], EntryKind::Page);
    assert_eq!(statistics(&tree, &["x", "a"]), [(2, 2, 0), (1, 1, 0)]);
}

#[test]
fn a_revision_adds_block_counts_but_no_support() {
    let mut tree = tree(1);
    insert(&mut tree, &["x", "a"], &[HOME], EntryKind::Page);
    insert(&mut tree, &["x", "a"], &[STORY], EntryKind::Revision);
    assert_eq!(statistics(&tree, &["x", "a"]), [(1, 1, 1), (1, 1, 1)]);
}

/// The authors' code would stop at "a", whose last page leaves, and lose the revision below
/// it [O F4].
#[test]
fn a_revision_outlives_the_page_it_revises() {
    let mut tree = tree(1);
    insert(&mut tree, &["x", "a", "b"], &[HOME], EntryKind::Page);
    insert(&mut tree, &["x", "a", "b"], &[STORY], EntryKind::Revision);
    remove_oldest(&mut tree);
    assert_eq!(statistics(&tree, &["x", "a", "b"]), [(0, 0, 1); 3]);
    remove_oldest(&mut tree);
    assert_eq!(statistics(&tree, &["x", "a", "b"]), [(0, 0, 0)]);
}

#[test]
fn a_branch_that_ends_above_the_domain_node_counts_there() {
    let mut tree = tree(2);
    insert(&mut tree, &["eu"], &[HOME], EntryKind::Page);
    assert_eq!(statistics(&tree, &["eu", "news", "www"]), [(1, 1, 0)]);
    assert_eq!(tree.depth(0), 2);
}

#[test]
fn ids_of_removed_nodes_are_reused() {
    let mut tree = tree(1);
    for day in 0..100 {
        let day = day.to_string();
        insert(&mut tree, &["x", &day, "a"], &[HOME], EntryKind::Page);
        remove_oldest(&mut tree);
    }
    assert_eq!(tree.nodes.ids().count(), 2);
    assert_eq!(statistics(&tree, &["x", "99"]), [(0, 0, 0)]);
}

/// A host with all pages of its domain, and a year below it with all pages of the host.
/// Other pages are evicted first and inserted later.
#[test]
fn nodes_with_the_same_entries_have_one_set_of_counters() {
    let mut tree = tree(1);
    let year = ["x", "www", "2013"];
    let page = |tree: &mut UrlTree, branch: &[&str], other: BlockHash| {
        insert(tree, branch, &[HOME, other], EntryKind::Page);
    };
    page(&mut tree, &["x", "blog"], OTHER);
    for number in 10..14 {
        page(&mut tree, &year, [number; 16]);
    }
    // The host has fewer entries than the domain, and the year has those of the host.
    assert_eq!(counted(&tree), 1);
    assert_eq!(statistics(&tree, &year), [(5, 5, 0), (4, 4, 0), (4, 4, 0)]);
    remove_oldest(&mut tree);
    assert_eq!(counted(&tree), 0);
    assert_eq!(statistics(&tree, &year), [(4, 4, 0); 3]);
    page(&mut tree, &["x", "www"], STORY);
    assert_eq!(counted(&tree), 1);
    assert_eq!(statistics(&tree, &year), [(5, 5, 1), (5, 5, 1), (4, 4, 0)]);
    page(&mut tree, &["x", "shop", "a"], STORY);
    assert_eq!(counted(&tree), 2);
    assert_eq!(statistics(&tree, &year), [(6, 6, 2), (5, 5, 1), (4, 4, 0)]);
}

/// The two entries are at one node, on two branches, or at two leaves of one node.
#[test]
fn a_block_has_counters_while_two_entries_contain_it() {
    for (first, second) in [
        (["x", "a", "b"], ["x", "a", "b"]),
        (["x", "a", "b"], ["x", "c", "b"]),
        (["x", "a", "b"], ["x", "a", "c"]),
    ] {
        let mut tree = tree(1);
        for branch in [first, second, ["x", "d", "e"]] {
            insert(&mut tree, &branch, &[HOME], EntryKind::Page);
            insert(&mut tree, &branch, &[OTHER], EntryKind::Page);
        }
        // The first entry with the story.
        insert(&mut tree, &first, &[STORY], EntryKind::Page);
        assert_eq!(statistics(&tree, &first)[2].2, 1);
        let block = tree.vocabulary.id(&STORY).expect("it is in an entry");
        let counts = |tree: &UrlTree, branch: &[&str]| {
            let node = tree.nodes.child(DOMAIN, branch[1])?;
            let counters = tree.nodes.get(node).counters.as_ref();
            counters.map(|counters| counters.count(block))
        };
        assert_eq!(counts(&tree, &first), Some(0));
        insert(&mut tree, &second, &[STORY], EntryKind::Page);
        let there = if first[1] == second[1] { 2 } else { 1 };
        assert_eq!(counts(&tree, &first), Some(there));
        assert_eq!(counts(&tree, &second), Some(there));
        for _ in 0..7 {
            remove_oldest(&mut tree);
        }
        assert_eq!(statistics(&tree, &second), [(1, 0, 1); 3]);
        assert_eq!(tree.vocabulary.only_entry(block), Some(7));
    }
}

/// The node gets counters at its fourth entry and loses them below two entries.
#[test]
fn counters_are_dropped_below_half_the_minimum_support() {
    let mut tree = UrlTree::new(1, Some(4));
    for section in ["a", "a", "a", "a", "b", "b", "b"] {
        insert(&mut tree, &["x", section], &[HOME], EntryKind::Page);
    }
    assert_eq!(counted(&tree), 1);
    for (left, nodes) in [(3, 1), (2, 1), (1, 0), (0, 0)] {
        remove_oldest(&mut tree);
        assert_eq!(counted(&tree), nodes, "{left} left");
    }
}

#[test]
fn the_minimum_counted_support_can_change_at_any_time() {
    let mut tree = tree(1);
    for branch in [["x", "a"], ["x", "a"], ["x", "b"], ["x", "a"]] {
        insert(&mut tree, &branch, &[HOME], EntryKind::Page);
    }
    assert_eq!(counted(&tree), 1);
    for (support, nodes) in [(Some(1), 2), (None, 0), (Some(4), 0), (Some(0), 2)] {
        tree.set_min_counted_support(support);
        assert_counters(&tree);
        assert_eq!(counted(&tree), nodes);
        assert_eq!(statistics(&tree, &["x", "a"]), [(4, 4, 0), (3, 3, 0)]);
    }
}
