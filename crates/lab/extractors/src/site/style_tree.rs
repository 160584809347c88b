//! The style tree of a site, and the importance of its nodes [Yi 3, 4]: see [`super::sst`].

use std::collections::{BTreeMap, HashMap, HashSet};

use super::labels::hash;
use crate::Page;
use crate::dom::{Dom, NodeId, NodeKind};

/// The attenuating factor of the importance of nodes further down [Yi 4.2].
const GAMMA: f64 = 0.9;

/// The most element nodes of the tree. Styles that would need more are not added, so their
/// nodes are as important as those of a page that is not in the tree. A site of 300 pages
/// has some ten thousand; a node takes about 200 bytes.
const NODES: usize = 500_000;

/// The most features of the tree, one per word and leaf. Further ones are not counted. A
/// feature takes about 50 bytes.
const FEATURES: usize = 2_000_000;

/// A style tree: element nodes, each with the styles in which pages present its children.
#[derive(Debug)]
pub(crate) struct StyleTree {
    elements: Vec<ElementNode>,
    styles: Vec<StyleNode>,
    pages: HashSet<String>,
    /// The features in all leaves.
    features: usize,
    importance: Vec<Importance>,
}

/// An element node: a place where pages have an element or a text.
#[derive(Debug, Default)]
struct ElementNode {
    /// The pages that have it.
    pages: u32,
    /// The styles of its children by their signatures. A leaf has none.
    styles: HashMap<u64, usize>,
    /// The features of a leaf: words, and the target of the link around it.
    features: HashMap<u64, Feature>,
}

/// A style node: a sequence of children.
#[derive(Debug)]
struct StyleNode {
    /// The pages with this sequence.
    pages: u32,
    children: Vec<usize>,
}

/// The occurrences of a feature on the pages that have a leaf.
#[derive(Clone, Copy, Debug, Default)]
struct Feature {
    all: f64,
    /// The sum of `n ln n` over the numbers `n` of occurrences on a page.
    weighted: f64,
}

/// The importance of an element node.
#[derive(Clone, Copy, Debug, Default)]
struct Importance {
    composite: f64,
    /// The greatest composite importance of the node and of all nodes below it.
    greatest: f64,
    /// The least.
    least: f64,
}

impl StyleTree {
    /// Builds the tree of the pages that have an address.
    pub(crate) fn from_pages(pages: &[Page<'_>]) -> Self {
        let mut tree = Self {
            elements: vec![ElementNode::default()],
            styles: Vec::new(),
            pages: HashSet::new(),
            features: 0,
            importance: Vec::new(),
        };
        for page in pages {
            if let Ok(address) = page.address()
                && tree.pages.insert(address.key.clone())
            {
                page.with_dom(|dom| tree.insert(dom));
            }
        }
        tree.importance = tree.importance();
        tree
    }

    /// The number of pages, less one that has the given key.
    pub(super) fn pages_without(&self, key: &str) -> usize {
        self.pages.len() - usize::from(self.pages.contains(key))
    }

    fn insert(&mut self, dom: &Dom) {
        let texts = links_around(dom);
        let mut open = vec![(dom.body(), 0)];
        while let Some((id, element)) = open.pop() {
            self.elements[element].pages += 1;
            let children: Vec<NodeId> = dom.children(id).collect();
            if children.is_empty() {
                self.insert_features(element, dom, id, &texts);
                continue;
            }
            let Some(style) = self.style(element, dom, &children) else {
                continue;
            };
            let nodes = self.styles[style].children.iter().copied();
            open.extend(children.into_iter().zip(nodes));
        }
    }

    /// Returns the style of some children, with one more page; `None` over the limit.
    fn style(&mut self, element: usize, dom: &Dom, children: &[NodeId]) -> Option<usize> {
        let signature = signature(dom, children);
        if let Some(style) = self.elements[element].styles.get(&signature).copied() {
            self.styles[style].pages += 1;
            return Some(style);
        }
        let first = self.elements.len();
        if first + children.len() > NODES {
            return None;
        }
        self.elements
            .resize_with(first + children.len(), ElementNode::default);
        let style = self.styles.len();
        self.styles.push(StyleNode {
            pages: 1,
            children: (first..first + children.len()).collect(),
        });
        self.elements[element].styles.insert(signature, style);
        Some(style)
    }

    fn insert_features(&mut self, element: usize, dom: &Dom, id: NodeId, links: &[Option<NodeId>]) {
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        let words = dom.text(id).into_iter().flat_map(crate::text::words);
        for word in words {
            *counts.entry(hash(("word", word))).or_default() += 1.0;
        }
        let target = links[id].and_then(|link| dom.element(link)?.href.as_deref());
        if let Some(target) = target {
            *counts.entry(hash(("link", target))).or_default() += 1.0;
        }
        let features = &mut self.elements[element].features;
        for (feature, count) in counts {
            let is_there = features.contains_key(&feature);
            if !is_there && self.features >= FEATURES {
                continue;
            }
            self.features += usize::from(!is_there);
            let feature = features.entry(feature).or_default();
            feature.all += count;
            feature.weighted += count * count.ln();
        }
    }

    /// Computes the importance of every element node. The nodes of a style come after the
    /// node that has the style.
    fn importance(&self) -> Vec<Importance> {
        let mut importance = vec![Importance::default(); self.elements.len()];
        for (number, element) in self.elements.iter().enumerate().rev() {
            let composite = self.composite(element, &importance);
            let mut of_node = Importance {
                composite,
                greatest: composite,
                least: composite,
            };
            for style in element.styles.values() {
                for child in &self.styles[*style].children {
                    let below = importance[*child];
                    of_node.greatest = of_node.greatest.max(below.greatest);
                    of_node.least = of_node.least.min(below.least);
                }
            }
            importance[number] = of_node;
        }
        importance
    }

    /// The composite importance of a node [Yi 4.2].
    fn composite(&self, element: &ElementNode, importance: &[Importance]) -> f64 {
        if element.styles.is_empty() {
            return leaf_importance(element);
        }
        let pages = f64::from(element.pages);
        // Sums of numbers depend on their order.
        let mut styles: Vec<&StyleNode> = (element.styles.values())
            .map(|style| &self.styles[*style])
            .collect();
        styles.sort_unstable_by_key(|style| style.children[0]);
        let below: f64 = (styles.iter())
            .map(|style| {
                let children = style.children.iter();
                let sum: f64 = children.map(|child| importance[*child].composite).sum();
                f64::from(style.pages) / pages * sum / style.children.len() as f64
            })
            .sum();
        let attenuated = GAMMA.powi(i32::try_from(styles.len()).unwrap_or(i32::MAX));
        (1.0 - attenuated) * node_importance(element.pages, &styles) + attenuated * below
    }

    /// Returns for each node of `body` whether it is noise: the page is mapped to the tree,
    /// and everything below a node of low importance is noise.
    pub(super) fn noise(&self, dom: &Dom, threshold: f64) -> Vec<bool> {
        let mut noise = vec![false; dom.len()];
        let mut open = vec![(dom.body(), 0)];
        while let Some((id, element)) = open.pop() {
            let importance = self.importance[element];
            if importance.greatest <= threshold {
                noise[dom.subtree(id)].fill(true);
                continue;
            }
            if importance.least > threshold {
                continue;
            }
            let children: Vec<NodeId> = dom.children(id).collect();
            let signature = signature(dom, &children);
            // A style that the tree does not have is kept.
            if let Some(style) = self.elements[element].styles.get(&signature) {
                let nodes = self.styles[*style].children.iter().copied();
                open.extend(children.into_iter().zip(nodes));
            }
        }
        noise
    }
}

/// The importance of a node by its styles: their entropy, to the base of its pages [Yi 4.1].
fn node_importance(pages: u32, styles: &[&StyleNode]) -> f64 {
    if pages <= 1 {
        return 1.0;
    }
    let pages = f64::from(pages);
    let entropy: f64 = (styles.iter())
        .map(|style| f64::from(style.pages) / pages)
        .map(|share| -share * share.ln())
        .sum();
    entropy / pages.ln()
}

/// The importance of a leaf: 1 less the mean entropy of its features over the pages [Yi 4.2].
fn leaf_importance(leaf: &ElementNode) -> f64 {
    if leaf.pages <= 1 {
        return 1.0;
    }
    // An element without content, such as a line break, is noise wherever it is.
    if leaf.features.is_empty() {
        return 0.0;
    }
    let base = f64::from(leaf.pages).ln();
    // Of `n_j` occurrences on page `j`, `n` in all: the sum of -n_j / n ln (n_j / n).
    let mut entropies: Vec<f64> = (leaf.features.values())
        .map(|feature| (feature.all.ln() - feature.weighted / feature.all) / base)
        .collect();
    // Sums of numbers depend on their order.
    entropies.sort_unstable_by(f64::total_cmp);
    1.0 - entropies.iter().sum::<f64>() / entropies.len() as f64
}

/// Returns a hash of a sequence of children: of the names and presentation attributes of
/// elements, and of the places of texts.
fn signature(dom: &Dom, children: &[NodeId]) -> u64 {
    let of_child = |id: &NodeId| match &dom.node(*id).kind {
        NodeKind::Element(element) => Some((element.name.to_string(), element.class.clone())),
        NodeKind::Text(_) => None,
    };
    hash(children.iter().map(of_child).collect::<Vec<_>>())
}

/// Returns for each node the link around it.
fn links_around(dom: &Dom) -> Vec<Option<NodeId>> {
    let mut links = vec![None; dom.len()];
    for id in 1..dom.len() {
        links[id] = match dom.element(id) {
            Some(element) if element.href.is_some() => Some(id),
            _ => links[dom.node(id).parent],
        };
    }
    links
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(pages: &[&str]) -> StyleTree {
        let urls: Vec<String> = (0..pages.len())
            .map(|number| format!("http://a.example/{number}"))
            .collect();
        let pages: Vec<Page<'_>> = (urls.iter().zip(pages))
            .map(|(url, html)| Page::new(url, html))
            .collect();
        StyleTree::from_pages(&pages)
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    #[test]
    fn a_node_is_important_if_pages_present_it_in_many_styles() {
        let style = |pages| StyleNode {
            pages,
            children: vec![0],
        };
        // One style on all pages; as many styles as pages.
        close(node_importance(4, &[&style(4)]), 0.0);
        let ones = [style(1), style(1), style(1), style(1)];
        close(node_importance(4, &ones.each_ref()), 1.0);
        // Two styles, on two pages each: ln 2 / ln 4.
        close(node_importance(4, &[&style(2), &style(2)]), 0.5);
        close(node_importance(1, &[&style(1)]), 1.0);
    }

    #[test]
    fn a_leaf_is_important_if_its_words_are_on_few_pages() {
        let of_leaf = |pages: &[&str]| leaf_importance(&tree(pages).elements[1]);
        // One style: a text. A word on all pages has entropy 1.
        close(of_leaf(&["tea", "tea", "tea", "tea"]), 0.0);
        // Each word is on one page, and has entropy 0.
        close(of_leaf(&["a", "b", "c", "d"]), 1.0);
        // `tea` is on two of four pages, entropy ln 2 / ln 4; four words are on one page.
        close(
            of_leaf(&["tea a", "tea b", "c", "d"]),
            1.0 - (0.5 + 4.0 * 0.0) / 5.0,
        );
        // `tea` three times on one page and once on the other: shares 3/4 and 1/4, base 2.
        let entropy = -(0.75_f64 * 0.75_f64.log2() + 0.25 * 0.25_f64.log2());
        close(of_leaf(&["tea tea tea", "tea"]), 1.0 - entropy);
    }

    #[test]
    fn composite_importance_attenuates_what_is_below() {
        // Body: one style (a `p`) on two pages, importance 0. The `p`: one style, a text with
        // other words on each page, importance 1. One style, so the factor is .9.
        let tree = tree(&["<p>a", "<p>b"]);
        close(tree.importance[2].composite, 1.0);
        close(tree.importance[1].composite, 0.1 * 0.0 + 0.9 * 1.0);
        close(tree.importance[0].composite, 0.9 * 0.9);
        assert!((tree.importance[0].least - 0.81).abs() < 1e-9);
        // Two styles, each on one page: entropy 1, and 1 below; the factor is .81.
        let two = self::tree(&["<p>a", "<div>b</div>"]);
        close(two.importance[0].composite, 0.19 * 1.0 + 0.81 * 1.0);
    }

    #[test]
    fn noise_is_a_part_that_all_pages_have() {
        let page = |story: &str| format!("<ul><li>Home<li>Tea</ul><div><p>{story}</div>");
        let pages = ["Assam", "Ceylon", "Keemun"].map(page);
        let tree = tree(&pages.each_ref().map(String::as_str));
        let kept = |html: &str| {
            let dom = crate::parse::parse(html);
            let noise = tree.noise(&dom, 0.2);
            let texts = (0..dom.len()).filter(|id| !noise[*id]);
            let texts = texts.filter_map(|id| dom.text(id));
            texts.map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(kept(&pages[0]), ["Assam"]);
        // Also on a page that is not in the tree.
        assert_eq!(kept(&page("Oolong")), ["Oolong"]);
        // A page in another style is not known.
        let other = "<ul><li>Home<li>Tea</ul><p>Foot";
        assert_eq!(kept(other), ["Home", "Tea", "Foot"]);
    }

    #[test]
    fn the_same_pages_give_the_same_importance() {
        let pages = [
            "<p>a b c d e</p><p>x",
            "<p>b c d</p><p>y",
            "<p>e f g</p><div>z",
        ];
        let one = tree(&pages);
        let other = tree(&pages);
        let bits = |tree: &StyleTree| -> Vec<u64> {
            let importance = tree.importance.iter();
            importance.map(|one| one.composite.to_bits()).collect()
        };
        assert_eq!(bits(&one), bits(&other));
    }
}
