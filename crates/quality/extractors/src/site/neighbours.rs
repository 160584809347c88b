//! Which pages of the site a page is compared with.
//!
//! [Alarte 2.1], section 2.1 of the paper named in [`super::alarte`]: the links of
//! the page that lead to its own domain, and not to itself, by *hyperlink
//! distance*, as close to zero as possible; of equal ones those that are, among
//! all of them, as far apart as possible in the tree. The first four are taken.
//!
//! Where the paper is silent, or refers to others that say more:
//!
//! - The domain is the host without `www.`.
//! - Hyperlink distance: the folders that have to be left and entered to get from
//!   one page to the other; two pages in one folder have 0.
//! - DOM distance: edges between two links in the tree. One after the other, the
//!   link whose least distance from those chosen is greatest is chosen; the first
//!   one, and the first of equals, is the one that stands first.
//! - Of several links to a page the first counts.
//! - A crawl does not have every page. Links to pages that are not there are
//!   passed over; if fewer than four are left, pages that nothing links to follow
//!   by hyperlink distance, then by URL.

use std::collections::BTreeMap;

use url::Url;

use crate::dom::{Dom, NodeId};
use crate::page::Address;
use crate::{ExtractError, Page, Site};

/// Pages compared with [Alarte 3.1, table 1].
pub(super) const PAGES: usize = 4;

/// The pages to compare with, the best first: at least one.
pub(super) fn neighbours<'s, 'a>(
    page: &Page<'_>,
    site: &'s Site<'a>,
    method: &'static str,
) -> Result<Vec<&'s Page<'a>>, ExtractError> {
    let key = page.address()?;
    let mut chosen = linked(page.dom(), key, site);
    if chosen.len() < PAGES {
        let more = unlinked(key, site, &chosen);
        chosen.extend(more.into_iter().take(PAGES - chosen.len()));
    }
    if chosen.is_empty() {
        return Err(ExtractError::NoOtherPages {
            method,
            host: key.host.clone(),
        });
    }
    Ok(chosen
        .into_iter()
        .map(|place| &site.pages()[place])
        .collect())
}

/// Places of pages that the page links to, at most [`PAGES`].
fn linked(dom: &Dom, key: &Address, site: &Site<'_>) -> Vec<usize> {
    // By distance; links stand in the order of the page.
    let mut links: BTreeMap<usize, Vec<(NodeId, usize)>> = BTreeMap::new();
    let base = (dom.base.as_deref()).and_then(|base| key.url.join(base).ok());
    let base = base.as_ref().unwrap_or(&key.url);
    let mut seen = vec![false; site.pages().len()];
    for id in 0..dom.len() {
        let href = dom.element(id).and_then(|element| element.href.as_deref());
        let Some(place) = href.and_then(|href| target(href, base, key, site)) else {
            continue;
        };
        if let Ok(address) = site.pages()[place].address()
            && !std::mem::replace(&mut seen[place], true)
        {
            let distance = hyperlink_distance(key, address);
            links.entry(distance).or_default().push((id, place));
        }
    }
    let mut chosen: Vec<(NodeId, usize)> = Vec::new();
    for mut equal in links.into_values() {
        while chosen.len() < PAGES && !equal.is_empty() {
            let next = farthest(dom, &equal, &chosen);
            chosen.push(equal.remove(next));
        }
    }
    chosen.into_iter().map(|(_, place)| place).collect()
}

/// The page of the site that a link leads to, if it is another one.
fn target(href: &str, base: &Url, key: &Address, site: &Site<'_>) -> Option<usize> {
    let address = Address::new(base.join(href).ok()?);
    if address.host != key.host || address.key == key.key {
        return None;
    }
    site.places().get(&address.key).copied()
}

/// Folders to leave and to enter.
fn hyperlink_distance(from: &Address, to: &Address) -> usize {
    let common = (from.folders.iter().zip(&to.folders))
        .take_while(|(a, b)| a == b)
        .count();
    from.folders.len() + to.folders.len() - 2 * common
}

/// Which of the links is farthest from those chosen. With none chosen, the first.
fn farthest(dom: &Dom, links: &[(NodeId, usize)], chosen: &[(NodeId, usize)]) -> usize {
    let mut best = (0, 0);
    for (number, (link, _)) in links.iter().enumerate() {
        let distance = (chosen
            .iter()
            .map(|(other, _)| dom_distance(dom, *link, *other)))
        .min()
        .unwrap_or(0);
        if distance > best.0 {
            best = (distance, number);
        }
    }
    best.1
}

/// Edges between two nodes.
fn dom_distance(dom: &Dom, a: NodeId, b: NodeId) -> usize {
    let common = (std::iter::once(a).chain(dom.ancestors(a)))
        .find(|ancestor| dom.contains(*ancestor, b))
        .unwrap_or(0);
    dom.node(a).depth + dom.node(b).depth - 2 * dom.node(common).depth
}

/// Places of the other pages of the domain, the nearest first.
fn unlinked(key: &Address, site: &Site<'_>, chosen: &[usize]) -> Vec<usize> {
    let mut others: Vec<(usize, &str, usize)> = (site.places().iter())
        .filter(|(other, place)| **other != key.key && !chosen.contains(place))
        .filter_map(|(other, place)| {
            let address = site.pages()[*place].address().ok()?;
            let distance = hyperlink_distance(key, address);
            (address.host == key.host).then_some((distance, other.as_str(), *place))
        })
        .collect();
    others.sort_unstable();
    others.into_iter().map(|(_, _, place)| place).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The URLs of the pages that a page is compared with. Pages are named by
    /// what follows the host.
    fn chosen(key: &str, html: &str, others: &[&str]) -> Vec<String> {
        let urls: Vec<String> = (others.iter())
            .map(|path| format!("http://tea.example{path}"))
            .collect();
        let site = Site::new(urls.iter().map(|url| Page::new(url, "")).collect());
        let key = format!("http://www.tea.example{key}");
        let page = Page::new(&key, html);
        let pages = neighbours(&page, &site, "alarte").expect("there are pages");
        (pages.iter())
            .map(|page| page.url()["http://tea.example".len()..].to_owned())
            .collect()
    }

    #[test]
    fn links_are_ordered_by_hyperlink_distance() {
        let html = "<a href=/>0</a><a href=/x/y/1>1</a><a href=c>2</a><a href=../d>3</a>
                    <a href=b#top>self</a><a href=http://other.example/e>4</a>";
        let others = ["/", "/a/b", "/a/c", "/d", "/x/y/1", "/a/unlinked"];
        // From folder a: c lies in it (0), / and d one above (1), /x/y/1 is one up
        // and two down (3). Of the equal ones / comes second: it stands farther
        // from c, two links away in a row of siblings is 2 edges for all.
        assert_eq!(chosen("/a/b", html, &others), ["/a/c", "/", "/d", "/x/y/1"]);
    }

    #[test]
    fn equal_links_are_taken_far_apart_in_the_tree() {
        let html = "<ul><li><a href=1>1</a><a href=2>2</a></ul>
                    <div><p><b><a href=3>3</a></b></p><a href=4>4</a></div>
                    <a href=5>5</a>";
        let others = ["/1", "/2", "/3", "/4", "/5"];
        // 1 stands first. From it: 2 is 2 edges away, 3 is 7 (a li ul body div p b a),
        // 4 is 5, 5 is 4. Then the least distances from {1, 3} are: 2 has 2, 4 has 4
        // (a b p div a), 5 has 4 from 1. 4 stands before 5; from 4, 5 is 3.
        assert_eq!(chosen("/", html, &others), ["/1", "/3", "/4", "/5"]);
    }

    #[test]
    fn pages_without_links_fill_up_what_is_missing() {
        let html = "<base href=/a/><a href=z>z</a><a href=missing>gone</a>";
        let others = ["/p/q", "/b", "/a/z", "/a"];
        assert_eq!(chosen("/k", html, &others), ["/a/z", "/a", "/b", "/p/q"]);
    }

    #[test]
    fn a_page_is_not_compared_with_itself() {
        let site = Site::new(vec![Page::new("https://www.tea.example/a/", "")]);
        let page = Page::new("http://tea.example/a#b", "<a href=/a>a</a>");
        let error = neighbours(&page, &site, "alarte").map(|pages| pages.len());
        let expected = ExtractError::NoOtherPages {
            method: "alarte",
            host: "tea.example".to_owned(),
        };
        assert_eq!(error, Err(expected));
    }
}
