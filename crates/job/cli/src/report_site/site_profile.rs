//! The URL tree, the DOM paths and the changes of the template of a site, from its window entries.

use std::collections::BTreeMap;

use report::{Count, PathSums};
use template::{DomPath, PagePaths};
use url_key::{Branch, Domain};

/// Pages after which a site is known, and a main DOM path is new.
const KNOWN_PAGES: usize = 10;

/// Pages that a new main DOM path needs, to be a change and not one odd page.
const CHANGED_PAGES: usize = 5;

/// Nodes in a report. The smaller ones are counted.
const NODES: usize = 60;

/// DOM paths in a report.
const PATHS: usize = 40;

/// A site, page by page in time order.
#[derive(Debug)]
pub(super) struct SiteProfile {
    /// Branch items of the domain node.
    domain_labels: usize,
    pages: usize,
    /// Pages of each node, with its name.
    nodes: BTreeMap<Vec<String>, Count>,
    paths: BTreeMap<String, PathSums>,
    /// The first page and the number of pages of each main DOM path.
    main_paths: BTreeMap<String, (usize, usize)>,
}

impl SiteProfile {
    pub(super) fn new(domain: &str) -> Self {
        Self {
            domain_labels: Domain::from_name(domain).labels(),
            pages: 0,
            nodes: BTreeMap::new(),
            paths: BTreeMap::new(),
            main_paths: BTreeMap::new(),
        }
    }

    /// Adds the next page. `paths` has none if the job labels by the tree alone.
    pub(super) fn add(&mut self, url_key: &str, paths: &PagePaths) {
        let branch = Branch::from_key(url_key);
        let items = branch.to_strings();
        for depth in self.domain_labels.min(items.len())..=items.len() {
            let node = self.nodes.entry(items[..depth].to_vec());
            let node = node.or_insert_with(|| Count {
                name: branch.node(depth),
                count: 0,
            });
            node.count += 1;
        }
        let names = names(&paths.paths);
        for (path, name) in paths
            .paths
            .iter()
            .zip(&names)
            .filter(|(path, _)| path.chars > 0)
        {
            let sums = self.paths.entry(name.clone()).or_insert_with(|| PathSums {
                path: name.clone(),
                ..PathSums::default()
            });
            sums.pages += 1;
            sums.chars += u64::from(path.chars);
            sums.link_chars += u64::from(path.link_chars);
            sums.repeated_chars += u64::from(path.repeated_chars);
        }
        let own = |path: &DomPath| {
            let dropped = path.link_chars.max(path.repeated_chars);
            path.chars.saturating_sub(dropped)
        };
        let heaviest = paths
            .paths
            .iter()
            .zip(names)
            .max_by_key(|(path, _)| own(path));
        if let Some((path, name)) = heaviest
            && own(path) > 0
        {
            self.main_paths.entry(name).or_insert((self.pages, 0)).1 += 1;
        }
        self.pages += 1;
    }

    /// The nodes with the most pages in the order of the tree, and the number of the others.
    pub(super) fn nodes(&self) -> (Vec<Count>, u64) {
        let mut counts: Vec<u64> = self.nodes.values().map(|node| node.count).collect();
        counts.sort_unstable_by(|one, other| other.cmp(one));
        let least = counts.get(NODES).map_or(1, |count| count + 1);
        let nodes: Vec<Count> = (self.nodes.values())
            .filter(|node| node.count >= least)
            .cloned()
            .collect();
        let others = self.nodes.len() - nodes.len();
        (nodes, others as u64)
    }

    /// The DOM paths with the most text.
    pub(super) fn paths(&self) -> Vec<PathSums> {
        let mut paths: Vec<PathSums> = self.paths.values().cloned().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.chars));
        paths.truncate(PATHS);
        paths
    }

    /// Main DOM paths that appeared after the site was known; `None` if it has no DOM paths.
    pub(super) fn template_changes(&self) -> Option<u64> {
        let changes = self.main_paths.values();
        let is_change =
            |(first, pages): &&(usize, usize)| *first >= KNOWN_PAGES && *pages >= CHANGED_PAGES;
        (!self.main_paths.is_empty()).then(|| changes.filter(is_change).count() as u64)
    }
}

/// The full name of each path.
fn names(paths: &[DomPath]) -> Vec<String> {
    let mut names: Vec<String> = Vec::with_capacity(paths.len());
    for (at, path) in paths.iter().enumerate() {
        let above = names.get(path.parent as usize).filter(|_| at > 0);
        names.push(match above.map(String::as_str) {
            Some("body") => path.key.clone(),
            Some(above) => format!("{above}>{}", path.key),
            None => "body".to_owned(),
        });
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(main: &str) -> PagePaths {
        let path = |parent, key: &str, chars| DomPath {
            parent,
            key: key.to_owned(),
            chars,
            ..DomPath::default()
        };
        PagePaths {
            paths: vec![
                path(0, "", 0),
                path(0, main, 0),
                path(1, "p", 500),
                path(0, "ul", 90),
            ],
            rows: Vec::new(),
        }
    }

    #[test]
    fn a_new_main_path_of_a_known_site_is_a_change() {
        let mut site = SiteProfile::new("news.example");
        for page in 0..12 {
            site.add(&format!("http://news.example/a/{page}"), &paths("div.old"));
        }
        assert_eq!(site.template_changes(), Some(0));
        for page in 0..5 {
            site.add(&format!("http://news.example/b/{page}"), &paths("div.new"));
        }
        assert_eq!(site.template_changes(), Some(1));
        let (nodes, others) = site.nodes();
        let nodes: Vec<_> = nodes
            .iter()
            .map(|node| (node.name.as_str(), node.count))
            .collect();
        assert_eq!(
            nodes,
            [
                ("news.example", 17),
                ("news.example/a", 12),
                ("news.example/b", 5)
            ]
        );
        assert_eq!(others, 0);
        let text = &site.paths()[0];
        assert_eq!(
            (text.path.as_str(), text.pages, text.chars),
            ("div.old>p", 12, 6000)
        );
    }

    #[test]
    fn a_site_without_dom_paths_has_no_changes() {
        let mut site = SiteProfile::new("news.example");
        site.add("http://news.example/a", &PagePaths::default());
        assert_eq!(site.template_changes(), None);
    }
}
