//! Selection of the pages that a page is compared with.
//!
//! [Alarte 2.1], section 2.1 of the paper named in [`super::alarte`]: links of the page to
//! other pages of its domain are sorted by *hyperlink distance*, the smallest first. Of
//! equal ones, those that are farthest apart in the tree are taken. The first four are
//! used. The experiments of the paper use from two to eight [Alarte 3.1, table 1], and pages
//! chosen at random [Alarte 3.1, table 2]: see [`PageChoice`].
//!
//! The paper leaves some points open, or refers to other papers. They are decided as
//! follows:
//!
//! - The domain is the host without `www.`.
//! - The hyperlink distance is the number of folders to leave and to enter on the way from
//!   one page to the other. It is 0 for two pages in one folder.
//! - The DOM distance is the number of edges between two links in the tree. Links are
//!   chosen one after the other: the next is the link whose least distance from the chosen
//!   ones is greatest. The first choice is the first link in the page, and of equal ones
//!   the first is chosen.
//! - Of several links to a page the first counts.
//! - A crawl does not have every page. Links to missing pages are skipped. If fewer than
//!   four pages are left, pages without a link follow, by hyperlink distance and then by
//!   URL.
//! - Random pages are those of the domain whose URLs have the least hashes, together with
//!   the page's own URL and a seed. So the choice depends on nothing but these, and another
//!   page of the site is given another choice.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use url::Url;

use crate::dom::{Dom, NodeId};
use crate::options::{OptionProblem, Options};
use crate::page::Address;
use crate::{ExtractError, Page, Site};

/// The pages that a page is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageChoice {
    /// The number of pages.
    pub pages: usize,
    /// The pages that come first.
    pub order: PageOrder,
}

/// The order in which pages are chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageOrder {
    /// Linked pages by hyperlink distance and DOM distance, then other pages.
    Links,
    /// At random: equal seeds give equal choices.
    Random {
        /// The seed.
        seed: u64,
    },
}

impl PageChoice {
    /// Four linked pages [Alarte 3.1, table 1].
    pub const PUBLISHED: Self = Self {
        pages: 4,
        order: PageOrder::Links,
    };

    /// Takes `pages`, `choice` and `seed`.
    pub(super) fn from_options(options: &mut Options<'_>) -> Result<Self, OptionProblem> {
        let pages = options.whole("pages", 1..=MOST_PAGES)?;
        let random = options.one_of("choice", &[("links", false), ("random", true)])?;
        let seed = options.whole("seed", 0..=u64::MAX)?;
        let order = match (random.unwrap_or(false), seed) {
            (true, seed) => PageOrder::Random {
                seed: seed.unwrap_or(0),
            },
            (false, None) => PageOrder::Links,
            (false, Some(_)) => {
                return Err(OptionProblem::Needs {
                    key: "seed",
                    needed: "choice=random",
                });
            }
        };
        Ok(Self {
            pages: pages.unwrap_or(Self::PUBLISHED.pages),
            order,
        })
    }
}

/// The most pages to compare with: each is parsed again for every page of the site.
const MOST_PAGES: usize = 50;

/// Returns the pages to compare with, the best first. There is at least one.
pub(super) fn neighbours<'s, 'a>(
    page: &Page<'_>,
    site: &'s Site<'a>,
    choice: PageChoice,
    method: &'static str,
) -> Result<Vec<&'s Page<'a>>, ExtractError> {
    let key = page.address()?;
    let chosen = match choice.order {
        PageOrder::Links => {
            let mut chosen = linked(page.dom(), key, site, choice.pages);
            let more = unlinked(key, site, &chosen);
            chosen.extend(more.into_iter().take(choice.pages - chosen.len()));
            chosen
        }
        PageOrder::Random { seed } => {
            let mut others = random(key, site, seed);
            others.truncate(choice.pages);
            others
        }
    };
    if chosen.is_empty() {
        return Err(ExtractError::NoOtherPages {
            method,
            host: key.host.clone(),
        });
    }
    Ok(chosen
        .into_iter()
        .map(|index| &site.pages()[index])
        .collect())
}

/// Returns the indices of at most `most` pages that the page links to.
fn linked(dom: &Dom, key: &Address, site: &Site<'_>, most: usize) -> Vec<usize> {
    // Links by distance, in page order.
    let mut links: BTreeMap<usize, Vec<(NodeId, usize)>> = BTreeMap::new();
    let base = dom.base.as_deref().and_then(|base| key.url.join(base).ok());
    let base = base.as_ref().unwrap_or(&key.url);
    let mut seen = vec![false; site.pages().len()];
    for id in 0..dom.len() {
        let href = dom.element(id).and_then(|element| element.href.as_deref());
        let Some(index) = href.and_then(|href| target(href, base, key, site)) else {
            continue;
        };
        if let Ok(address) = site.pages()[index].address()
            && !std::mem::replace(&mut seen[index], true)
        {
            let distance = hyperlink_distance(key, address);
            links.entry(distance).or_default().push((id, index));
        }
    }
    let mut chosen: Vec<(NodeId, usize)> = Vec::new();
    for mut equal in links.into_values() {
        while chosen.len() < most && !equal.is_empty() {
            let next = farthest(dom, &equal, &chosen);
            chosen.push(equal.remove(next));
        }
    }
    chosen.into_iter().map(|(_, index)| index).collect()
}

/// Returns the index of the page that a link leads to, if it is another page of the site.
fn target(href: &str, base: &Url, key: &Address, site: &Site<'_>) -> Option<usize> {
    let address = Address::new(base.join(href).ok()?);
    if address.host != key.host || address.key == key.key {
        return None;
    }
    site.indices().get(&address.key).copied()
}

/// The number of folders to leave and to enter.
fn hyperlink_distance(from: &Address, to: &Address) -> usize {
    let common = from
        .folders
        .iter()
        .zip(&to.folders)
        .take_while(|(a, b)| a == b)
        .count();
    from.folders.len() + to.folders.len() - 2 * common
}

/// Returns the position of the link farthest from the chosen ones; the first if none is
/// chosen.
fn farthest(dom: &Dom, links: &[(NodeId, usize)], chosen: &[(NodeId, usize)]) -> usize {
    let mut best = (0, 0);
    for (number, (link, _)) in links.iter().enumerate() {
        let distance = chosen
            .iter()
            .map(|(other, _)| dom_distance(dom, *link, *other))
            .min()
            .unwrap_or(0);
        if distance > best.0 {
            best = (distance, number);
        }
    }
    best.1
}

/// The number of edges between two nodes.
fn dom_distance(dom: &Dom, a: NodeId, b: NodeId) -> usize {
    let common = std::iter::once(a)
        .chain(dom.ancestors(a))
        .find(|ancestor| dom.contains(*ancestor, b))
        .unwrap_or(0);
    dom.node(a).depth + dom.node(b).depth - 2 * dom.node(common).depth
}

/// Returns the indices of the other pages of the domain, the nearest first.
fn unlinked(key: &Address, site: &Site<'_>, chosen: &[usize]) -> Vec<usize> {
    let mut others: Vec<(usize, &str, usize)> = others(key, site)
        .filter(|(_, index, _)| !chosen.contains(index))
        .map(|(url, index, address)| (hyperlink_distance(key, address), url, index))
        .collect();
    others.sort_unstable();
    others.into_iter().map(|(_, _, index)| index).collect()
}

/// Returns the indices of the other pages of the domain in a random order.
fn random(key: &Address, site: &Site<'_>, seed: u64) -> Vec<usize> {
    let mut others: Vec<(u64, &str, usize)> = others(key, site)
        .map(|(url, index, _)| {
            // The hasher has fixed keys, so hashes are the same in every run.
            let mut hasher = DefaultHasher::new();
            (seed, key.key.as_str(), url).hash(&mut hasher);
            (hasher.finish(), url, index)
        })
        .collect();
    others.sort_unstable();
    others.into_iter().map(|(_, _, index)| index).collect()
}

/// Returns the other pages of the domain, in no order.
fn others<'s>(
    key: &Address,
    site: &'s Site<'_>,
) -> impl Iterator<Item = (&'s str, usize, &'s Address)> {
    site.indices()
        .iter()
        .filter(|(other, _)| **other != key.key)
        .filter_map(|(other, index)| {
            let address = site.pages()[*index].address().ok()?;
            (address.host == key.host).then_some((other.as_str(), *index, address))
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The paths of the pages that a page is compared with.
    fn chosen(key: &str, html: &str, others: &[&str]) -> Vec<String> {
        chosen_by(PageChoice::PUBLISHED, key, html, others)
    }

    fn chosen_by(choice: PageChoice, key: &str, html: &str, others: &[&str]) -> Vec<String> {
        let urls: Vec<String> = others
            .iter()
            .map(|path| format!("http://tea.example{path}"))
            .collect();
        let site = Site::new(urls.iter().map(|url| Page::new(url, "")).collect());
        let key = format!("http://www.tea.example{key}");
        let page = Page::new(&key, html);
        let pages = neighbours(&page, &site, choice, "alarte").expect("there are pages");
        pages
            .iter()
            .map(|page| page.url()["http://tea.example".len()..].to_owned())
            .collect()
    }

    #[test]
    fn links_are_ordered_by_hyperlink_distance() {
        let html = "<a href=/>0</a><a href=/x/y/1>1</a><a href=c>2</a><a href=../d>3</a>
                    <a href=b#top>self</a><a href=http://other.example/e>4</a>";
        let others = ["/", "/a/b", "/a/c", "/d", "/x/y/1", "/a/unlinked"];
        // From folder a: c is in it (0), / and d are one level up (1), /x/y/1 is one up and
        // two down (3). All links are siblings, 2 edges apart, so of / and d the first in
        // the page is taken first.
        assert_eq!(chosen("/a/b", html, &others), ["/a/c", "/", "/d", "/x/y/1"]);
    }

    #[test]
    fn equally_distant_links_are_chosen_far_apart() {
        let html = "<ul><li><a href=1>1</a><a href=2>2</a></ul>
                    <div><p><b><a href=3>3</a></b></p><a href=4>4</a></div>
                    <a href=5>5</a>";
        let others = ["/1", "/2", "/3", "/4", "/5"];
        // 1 is first. Distances from it: 2 has 2, 3 has 7 (a li ul body div p b a), 4 has
        // 5, 5 has 4. Least distances from {1, 3}: 2 has 2, 4 has 4 (a b p div a), 5 has 4
        // from 1. 4 is before 5. From 4, 5 has 3.
        assert_eq!(chosen("/", html, &others), ["/1", "/3", "/4", "/5"]);
    }

    #[test]
    fn pages_without_a_link_fill_up_to_four() {
        let html = "<base href=/a/><a href=z>z</a><a href=missing>gone</a>";
        let others = ["/p/q", "/b", "/a/z", "/a"];
        assert_eq!(chosen("/k", html, &others), ["/a/z", "/a", "/b", "/p/q"]);
    }

    #[test]
    fn the_number_of_pages_is_a_parameter() {
        let html = "<a href=1>1</a><a href=2>2</a>";
        let others = ["/1", "/2", "/3", "/4", "/5", "/6"];
        let chosen = |pages| {
            let choice = PageChoice {
                pages,
                order: PageOrder::Links,
            };
            chosen_by(choice, "/k", html, &others)
        };
        assert_eq!(chosen(1), ["/1"]);
        assert_eq!(chosen(3), ["/1", "/2", "/3"]);
        assert_eq!(chosen(8), others);
    }

    #[test]
    fn random_pages_depend_on_seed_and_page_alone() {
        let others: Vec<String> = (0..40).map(|number| format!("/{number}")).collect();
        let mut others: Vec<&str> = others.iter().map(String::as_str).collect();
        let chosen = |seed, key, others: &[&str]| {
            let choice = PageChoice {
                pages: 5,
                order: PageOrder::Random { seed },
            };
            chosen_by(choice, key, "<a href=/1>1</a>", others)
        };
        let first = chosen(1, "/k", &others);
        assert_eq!(first.len(), 5);
        assert_ne!(first, chosen(2, "/k", &others));
        assert_ne!(first, chosen(1, "/l", &others));
        others.reverse();
        assert_eq!(first, chosen(1, "/k", &others));
        assert!(!chosen(1, "/3", &others).contains(&"/3".to_owned()));
    }

    #[test]
    fn a_page_is_not_compared_with_itself() {
        let site = Site::new(vec![Page::new("https://www.tea.example/a/", "")]);
        let page = Page::new("http://tea.example/a#b", "<a href=/a>a</a>");
        let error =
            neighbours(&page, &site, PageChoice::PUBLISHED, "alarte").map(|pages| pages.len());
        let expected = ExtractError::NoOtherPages {
            method: "alarte",
            host: "tea.example".to_owned(),
        };
        assert_eq!(error, Err(expected));
    }
}
