//! The sums per DOM path of a site, and the contributions of the pages of the window.

use std::collections::VecDeque;

use url_tree::interner::{Interner, Keyed};

use crate::block_counts::BlockCounts;
use crate::counters::{Share, Shares, Sums};
use crate::figures::RowCounts;
use crate::outline::Outline;
use crate::page_paths::PagePaths;
use crate::reason::Reason;
use crate::twins::OwnCounts;

/// Id of a DOM path; reused once no page has the path.
pub(crate) type PathId = u32;

/// The path of `body`, which every other path is below.
const BODY: PathId = 0;

/// The numbers that a page of the window added.
#[derive(Debug)]
struct PageShares {
    paths: Shares,
    rows: Box<[u32]>,
}

/// The template of one site, learned from the pages of a window.
#[derive(Debug)]
pub struct Template {
    /// Rows of the table of rules that are not tried.
    left_out: Vec<Reason>,
    paths: Interner<SitePath>,
    keys: Interner<PathKey>,
    /// The numbers that each page of the window added to the sums, oldest page first.
    window: VecDeque<PageShares>,
    /// The pages of the window by their rows of figures.
    rows: RowCounts,
}

#[derive(Debug, Default)]
struct SitePath {
    parent: PathId,
    key: KeyId,
    sums: Sums,
}

impl Keyed for SitePath {
    type Key<'k> = (PathId, KeyId);

    fn key(&self) -> (PathId, KeyId) {
        (self.parent, self.key)
    }
}

/// Id of the last element of a path, as in [`DomPath::key`](crate::DomPath::key).
type KeyId = u32;

/// The last element of one or more paths.
#[derive(Debug, Default)]
struct PathKey {
    name: Box<str>,
    /// Number of paths with this last element.
    paths: u32,
}

impl Keyed for PathKey {
    type Key<'k> = &'k str;

    fn key(&self) -> &str {
        &self.name
    }
}

impl Default for Template {
    fn default() -> Self {
        Self::without(&[])
    }
}

impl Template {
    /// Creates an empty template without the rows of these labels, to measure rows one by one.
    pub fn without(rows: &[Reason]) -> Self {
        Template {
            left_out: rows.to_vec(),
            paths: Interner::with_root(SitePath::default()),
            keys: Interner::default(),
            window: VecDeque::new(),
            rows: RowCounts::default(),
        }
    }

    /// Returns whether the row of a label is tried.
    pub(crate) fn has(&self, row: Reason) -> bool {
        !self.left_out.contains(&row)
    }

    /// Returns the DOM paths of a page for [`insert`](Self::insert).
    ///
    /// `counts` are the block counts once all pages of the batch are in the URL Tree. The
    /// result depends on the page and the counts, not on the template's state. [`BlockCounts::first`] is not
    /// read and may be empty.
    pub fn page_paths(&self, outline: &Outline, counts: BlockCounts<'_>) -> PagePaths {
        let own = OwnCounts::new(outline, counts);
        PagePaths::new(outline, own.in_place_of(counts))
    }

    /// Adds a page at the end of the window.
    pub fn insert(&mut self, page: &PagePaths) {
        let mut ids: Vec<PathId> = Vec::with_capacity(page.paths.len());
        for path in &page.paths {
            // The first path has no parent: it is `body`.
            let id = match ids.get(path.parent as usize) {
                Some(&parent) => self.child_or_new(parent, &path.key),
                None => BODY,
            };
            self.paths[id].sums.add(Share::from(path));
            ids.push(id);
        }
        let shares = ids.into_iter().zip(page.paths.iter().map(Share::from));
        self.rows.add(&page.rows);
        self.window.push_back(PageShares {
            paths: Shares::pack(shares),
            rows: page.rows.as_slice().into(),
        });
    }

    /// Removes the oldest pages from the window and from all sums.
    pub fn evict(&mut self, pages: usize) {
        for page in self.window.drain(..pages.min(self.window.len())) {
            self.rows.subtract(&page.rows);
            // A path comes after its parent, so it is removed before its parent.
            let shares: Vec<(PathId, Share)> = page.paths.iter().collect();
            for (id, share) in shares.into_iter().rev() {
                let path = &mut self.paths[id];
                path.sums.subtract(share);
                if id != BODY && path.sums.pages == 0 {
                    let path = self.paths.remove(id);
                    self.keys[path.key].paths -= 1;
                    if self.keys[path.key].paths == 0 {
                        self.keys.remove(path.key);
                    }
                }
            }
        }
    }

    /// Returns the number of pages in the window.
    pub fn pages(&self) -> usize {
        self.window.len()
    }

    /// Returns the number of pages with each row of figures.
    pub(crate) fn rows(&self) -> &RowCounts {
        &self.rows
    }

    /// Returns the sums of each path of a page; zeros for a path that no page has.
    pub(crate) fn sums(&self, outline: &Outline) -> Vec<Sums> {
        let mut ids: Vec<Option<PathId>> = Vec::with_capacity(outline.paths.len());
        for path in &outline.paths {
            let id = match ids.get(path.parent) {
                Some(parent) => parent.and_then(|parent| self.child(parent, outline.key(path))),
                None => Some(BODY),
            };
            ids.push(id);
        }
        let sums = |id: Option<PathId>| id.map(|id| self.paths[id].sums);
        ids.into_iter()
            .map(|id| sums(id).unwrap_or_default())
            .collect()
    }

    /// Returns the sums of a path below `body`; zeros if no page has it.
    pub(crate) fn sums_of_key(&self, key: &str) -> Sums {
        let path = self.child(BODY, key);
        path.map_or_else(Sums::default, |path| self.paths[path].sums)
    }

    fn child(&self, parent: PathId, key: &str) -> Option<PathId> {
        self.paths.find((parent, self.keys.find(key)?))
    }

    fn child_or_new(&mut self, parent: PathId, name: &str) -> PathId {
        let known = self.keys.find(name);
        if let Some(child) = known.and_then(|key| self.paths.find((parent, key))) {
            return child;
        }
        let key = known.unwrap_or_else(|| {
            self.keys.insert(PathKey {
                name: name.into(),
                paths: 0,
            })
        });
        self.keys[key].paths += 1;
        self.paths.insert(SitePath {
            parent,
            key,
            sums: Sums::default(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_paths::DomPath;

    /// A page with one chain of elements below `body`.
    fn page(keys: &[&str]) -> PagePaths {
        let chain = keys.iter().enumerate().map(|(at, key)| DomPath {
            parent: at as u32,
            key: (*key).to_owned(),
            text_mass: 16,
            ..DomPath::default()
        });
        PagePaths {
            paths: [DomPath::default()].into_iter().chain(chain).collect(),
            rows: Vec::new(),
        }
    }

    /// Numbers of paths, without `body`, and of keys.
    fn in_use(template: &Template) -> (usize, usize) {
        (template.paths.len(), template.keys.len())
    }

    #[test]
    fn a_path_is_removed_with_the_last_page_that_has_it() {
        let mut template = Template::default();
        template.insert(&page(&["div", "div", "p"]));
        template.insert(&page(&["div", "ul"]));
        assert_eq!(in_use(&template), (4, 3));
        template.evict(1);
        assert_eq!(in_use(&template), (2, 2));
        template.evict(1);
        assert_eq!(in_use(&template), (0, 0));
        assert_eq!(template.paths[BODY].sums, Sums::default());
    }

    #[test]
    fn a_template_stays_small_if_every_page_has_a_new_path() {
        let mut template = Template::default();
        for number in 0..100 {
            let own = format!("div.c{}", "x".repeat(number));
            template.insert(&page(&["main", &own, "p"]));
            template.evict(template.pages().saturating_sub(5));
        }
        assert_eq!(in_use(&template), (11, 7));
        let paths = template.paths.values().len();
        assert!(paths <= 14, "{paths}");
        assert!(template.keys.values().len() <= 8);
    }
}
