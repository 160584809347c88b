//! Content extraction via text density.
//!
//! F. Sun, D. Song, L. Liao: "DOM Based Content Extraction via Text Density", SIGIR
//! 2011, pp. 245-254. Section 2.2.4 of the thesis has the outline; the
//! equations are from general knowledge of the paper.
//!
//! For a node, `C` is the number of characters of its subtree and `T` the number of tags
//! below it; `LC` and `LT` are those of links, `C'` = `C` - `LC`; `b` is `body`. A
//! denominator of 0 is replaced by 1.
//!
//! - *Text density*: `C / T`.
//! - *Composite text density*: `C / T * log(x)` with `x = C / LC * T / LT` and the
//!   logarithm to the base `ln(C / C' * LC + LCb / Cb * C + e)`. Links increase the base
//!   and decrease `x`.
//! - *Density sum*: the sum of the composite densities of a node's children.
//!
//! [`Cetd`] keeps blocks whose composite density is at least that of `body`.
//!
//! [`CetdDensitySum`] descends from `body`. In a node whose density is at least the
//! threshold, the descendant with the greatest density sum becomes content with its whole
//! subtree; then the children of the node are processed in the same way. The threshold is
//! the least density on the path from the node with the greatest density sum of the page
//! up to `body`. (The thesis names the density of `body` itself, which is on that path.)
//!
//! The descriptions leave some points open. They are decided as follows:
//!
//! - Characters are those of texts without surrounding whitespace. `head` does not count.
//! - On a page without links the base would be 1, to which there is no logarithm. The
//!   base `e` is used, as for a density that links do not affect.
//! - A text is a child like an element: a node with `T` = 1 and no links. Otherwise an
//!   article without paragraphs would have no density sum.
//! - [`Cetd`] decides for the innermost element around a text that ends a line, because a
//!   word in bold type has the density of a menu.
//! - [`CetdDensitySum`] does not descend into content, nor below a node under the
//!   threshold. Of equal sums the first in the page counts.

use crate::dom::{Dom, NodeId, SubtreeCounts, is_inline};
use crate::text::lines_of;
use crate::{ExtractError, Extraction, Extractor, Page, Scope, Site};

const REFERENCE: &str = "F. Sun, D. Song, L. Liao: DOM Based Content Extraction via Text Density. \
                         SIGIR 2011, pp. 245-254";

/// Keeps blocks that are at least as dense as the page. See the [table](crate) of
/// methods.
#[derive(Clone, Copy, Debug)]
pub struct Cetd;

/// Keeps the nodes with the greatest sum of densities. See the [table](crate) of methods.
#[derive(Clone, Copy, Debug)]
pub struct CetdDensitySum;

impl Extractor for Cetd {
    fn name(&self) -> &'static str {
        "cetd"
    }

    fn summary(&self) -> &'static str {
        "blocks whose composite text density is that of the page or more"
    }

    fn reference(&self) -> &'static str {
        REFERENCE
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        extract(page, dense_blocks)
    }
}

impl Extractor for CetdDensitySum {
    fn name(&self) -> &'static str {
        "cetd-ds"
    }

    fn summary(&self) -> &'static str {
        "nodes with the greatest sum of composite text densities"
    }

    fn reference(&self) -> &'static str {
        REFERENCE
    }

    fn scope(&self) -> Scope {
        Scope::Page
    }

    fn extract(&self, page: &Page<'_>, _: &Site<'_>) -> Result<Extraction, ExtractError> {
        extract(page, densest_nodes)
    }
}

fn extract(
    page: &Page<'_>,
    content: fn(&Dom, &[f64]) -> Vec<bool>,
) -> Result<Extraction, ExtractError> {
    let dom = page.dom();
    let counts = SubtreeCounts::new(dom);
    if counts.chars[dom.body()] == 0 {
        return Err(ExtractError::NoText);
    }
    let content = content(dom, &composite_densities(dom, &counts));
    let nodes = content.iter().filter(|kept| **kept).count();
    let text = lines_of(dom, |id| content[id]);
    Ok(Extraction::new(text, Some(nodes)).keeping(|id| content[id], dom))
}

fn composite_densities(dom: &Dom, counts: &SubtreeCounts) -> Vec<f64> {
    let or_one = |count: usize| count.max(1) as f64;
    let body = dom.body();
    let link_share = counts.link_chars[body] as f64 / or_one(counts.chars[body]);
    (0..dom.len())
        .map(|id| {
            let (chars, links) = (counts.chars[id], counts.link_chars[id]);
            if chars == 0 {
                return 0.0;
            }
            let density = chars as f64 / or_one(counts.tags[id]);
            let tags_per_link = or_one(counts.tags[id]) / or_one(counts.link_tags[id]);
            let x = chars as f64 / or_one(links) * tags_per_link;
            let linked = chars as f64 / or_one(chars - links) * links as f64;
            let base = (linked + link_share * chars as f64 + std::f64::consts::E).ln();
            let base = if base > 1.0 {
                base
            } else {
                std::f64::consts::E
            };
            density * x.ln() / base.ln()
        })
        .collect()
}

/// Returns for each node whether the block around it is dense.
fn dense_blocks(dom: &Dom, densities: &[f64]) -> Vec<bool> {
    let body = dom.body();
    let mut dense = vec![false; dom.len()];
    for id in dom.subtree(body) {
        dense[id] = match dom.element(id) {
            Some(element) if !is_inline(&element.name) => densities[id] >= densities[body],
            _ => dense[dom.node(id).parent],
        };
    }
    dense
}

fn densest_nodes(dom: &Dom, densities: &[f64]) -> Vec<bool> {
    let body = dom.body();
    let sums = density_sums(dom, densities);
    let best = best_below(dom, &sums);
    let path = std::iter::once(best[body]).chain(dom.ancestors(best[body]));
    let threshold = path
        .take_while(|id| dom.contains(body, *id))
        .map(|id| densities[id])
        .fold(f64::INFINITY, f64::min);

    let mut content = vec![false; dom.len()];
    let mut id = body;
    while id < dom.node(body).end {
        if content[id] || densities[id] < threshold || dom.element(id).is_none() {
            id = dom.node(id).end;
            continue;
        }
        if !content[best[id]] {
            content[dom.subtree(best[id])].fill(true);
        }
        id += 1;
    }
    content
}

fn density_sums(dom: &Dom, densities: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; dom.len()];
    for id in (1..dom.len()).rev() {
        sums[dom.node(id).parent] += densities[id];
    }
    sums
}

/// Returns for each node the node of its subtree with the greatest sum; of equal sums the
/// first in the page.
fn best_below(dom: &Dom, sums: &[f64]) -> Vec<NodeId> {
    let mut best: Vec<NodeId> = (0..dom.len()).collect();
    for id in (1..dom.len()).rev() {
        let parent = dom.node(id).parent;
        // Nodes are visited in reverse order, so an earlier child replaces a later one
        // with the same sum. The parent itself is before all of them and is kept.
        let (own, below) = (sums[best[id]], sums[best[parent]]);
        if own > below || (own == below && best[parent] != parent) {
            best[parent] = best[id];
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use std::f64::consts::E;

    use super::*;
    use crate::parse::parse;

    fn find(dom: &Dom, name: &str) -> NodeId {
        (0..dom.len())
            .find(|id| dom.is(*id, name))
            .expect("an element of this name")
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} for {expected}");
    }

    // body has a p with 10 characters and a div with a link of 4.
    const PAGE: &str = "<p>aaaaaaaaaa</p><div><a href=/>bbbb</a></div>";

    #[test]
    fn composite_densities_follow_the_equation() {
        let dom = parse(PAGE);
        let densities = composite_densities(&dom, &SubtreeCounts::new(&dom));
        // C = 10, T = 0, LC = 0, LT = 0; links are 4 / 14 of the page. The density is
        // 10 / 1, x = 10 / 1 * 1 / 1, and the base ln(0 + 4 / 14 * 10 + e).
        let paragraph = 10.0 * 10_f64.ln() / (40.0 / 14.0 + E).ln().ln();
        close(densities[find(&dom, "p")], paragraph);
        // C = LC and T = LT, with 0 replaced by 1: x = 1 and its logarithm is 0.
        close(densities[find(&dom, "a")], 0.0);
        close(densities[find(&dom, "div")], 0.0);
        // C = 14, T = 3, LC = 4, LT = 1, C' = 10.
        let x: f64 = 14.0 / 4.0 * 3.0;
        let body = 14.0 / 3.0 * x.ln() / (14.0 / 10.0 * 4.0 + 4.0 + E).ln().ln();
        close(densities[dom.body()], body);
    }

    #[test]
    fn without_links_the_base_is_e() {
        let dom = parse("<p>aaaaaaaaaa</p>");
        let densities = composite_densities(&dom, &SubtreeCounts::new(&dom));
        close(densities[find(&dom, "p")], 10.0 * 10_f64.ln());
        // C = 10, T = 1.
        close(densities[dom.body()], 10.0 * 10_f64.ln());
    }

    #[test]
    fn a_density_sum_includes_texts_among_the_children() {
        let dom = parse(PAGE);
        let densities = composite_densities(&dom, &SubtreeCounts::new(&dom));
        let sums = density_sums(&dom, &densities);
        let p = find(&dom, "p");
        close(sums[dom.body()], densities[p]);
        // A text has the density of a paragraph that contains only this text.
        close(sums[p], densities[p]);
        close(sums[find(&dom, "a")], 0.0);
    }

    #[test]
    fn the_best_node_is_the_first_with_the_greatest_sum() {
        // body > ul > (li, li), div > (p, p)
        let dom = parse("<ul><li>a<li>a</ul><div><p>aa<p>aa</div>");
        let [ul, div] = ["ul", "div"].map(|name| find(&dom, name));
        let mut sums = vec![0.0; dom.len()];
        (sums[ul], sums[div]) = (1.0, 2.0);
        let best = best_below(&dom, &sums);
        assert_eq!((best[dom.body()], best[ul], best[div]), (div, ul, div));
        sums[ul] = 2.0;
        assert_eq!(best_below(&dom, &sums)[dom.body()], ul);
        sums[dom.body()] = 2.0;
        assert_eq!(best_below(&dom, &sums)[dom.body()], dom.body());
    }

    #[test]
    fn the_article_is_content_and_the_menu_is_not() {
        let story = "Tea is a drink that is made by pouring hot water over leaves.";
        let menu = "<li><a href=/a>One</a><li><a href=/b>Two</a><li><a href=/c>Three</a>";
        let html = format!(
            "<ul>{menu}</ul><div><h1>Tea</h1><p>{story}<p>{story} <b>Really.</b></div><ul>{menu}</ul>"
        );
        let page = Page::new("", &html);
        let text = |extractor: &dyn Extractor| {
            let extraction = extractor.extract(&page, &Site::default());
            extraction.expect("there is text").text
        };
        // A short heading without links is still denser than the page.
        let article = format!("Tea\n{story}\n{story} Really.");
        assert_eq!(text(&CetdDensitySum), article);
        assert_eq!(text(&Cetd), article);
    }
}
