//! The slots of a site, and the pages of the window that have them.

use std::collections::{HashMap, VecDeque};

use foldhash::fast::RandomState;

use crate::BlockCounts;
use crate::counters::{Share, Shares, Sums};
use crate::outline::Outline;
use crate::page_paths::PagePaths;
use crate::rules::Rules;

/// Number of a slot; reused once no page has the slot.
pub(crate) type PathId = u32;

/// `body`: the slot around all others.
const BODY: PathId = 0;

/// The template of one site, as the pages of a window show it.
#[derive(Debug)]
pub struct Template {
    rules: Rules,
    /// By number.
    paths: Vec<SitePath>,
    /// Slots that are gone, last to go first to be reused.
    free: Vec<PathId>,
    /// Its order is never observed.
    children: HashMap<(PathId, KeyId), PathId, RandomState>,
    keys: Keys,
    /// What the pages of the window added, oldest first.
    window: VecDeque<Shares>,
}

#[derive(Debug, Default)]
struct SitePath {
    parent: PathId,
    key: KeyId,
    sums: Sums,
}

impl Default for Template {
    fn default() -> Self {
        Self::with_rules(Rules::default())
    }
}

impl Template {
    /// A template that is asked by these rules alone, to measure them.
    pub fn with_rules(rules: Rules) -> Self {
        Template {
            rules,
            paths: vec![SitePath::default()],
            free: Vec::new(),
            children: HashMap::default(),
            keys: Keys::default(),
            window: VecDeque::new(),
        }
    }

    pub(crate) fn rules(&self) -> Rules {
        self.rules
    }

    /// What a page adds. `counts` are those at the time it comes, after the pages of
    /// its batch were counted; the state of the template makes no difference.
    pub fn page_paths(&self, outline: &Outline, counts: BlockCounts<'_>) -> PagePaths {
        PagePaths::new(outline, counts, self.rules)
    }

    /// Adds a page, at the end of the window.
    pub fn insert(&mut self, page: &PagePaths) {
        let mut ids: Vec<PathId> = Vec::with_capacity(page.paths.len());
        for path in &page.paths {
            // Before the first is nothing: it is `body`.
            let id = match ids.get(path.parent as usize) {
                Some(&parent) => self.child_or_new(parent, &path.key),
                None => BODY,
            };
            self.paths[id as usize].sums.add(Share::from(path));
            ids.push(id);
        }
        let shares = ids.into_iter().zip(page.paths.iter().map(Share::from));
        self.window.push_back(Shares::pack(shares));
    }

    /// Takes the oldest pages out of the template.
    pub fn evict(&mut self, pages: usize) {
        for shares in self.window.drain(..pages.min(self.window.len())) {
            // Slots come after those around them, and go before.
            let shares: Vec<(PathId, Share)> = shares.iter().collect();
            for (id, share) in shares.into_iter().rev() {
                let path = &mut self.paths[id as usize];
                path.sums.subtract(share);
                if id != BODY && path.sums.pages == 0 {
                    self.children.remove(&(path.parent, path.key));
                    self.keys.release(path.key);
                    self.free.push(id);
                }
            }
        }
    }

    /// Pages in the window.
    pub fn pages(&self) -> usize {
        self.window.len()
    }

    /// Per slot of a page its sums; nothing of slots no page has.
    pub(crate) fn sums(&self, outline: &Outline) -> Vec<Sums> {
        let mut ids: Vec<Option<PathId>> = Vec::with_capacity(outline.paths.len());
        for path in &outline.paths {
            let id = match ids.get(path.parent) {
                Some(parent) => parent.and_then(|parent| self.child(parent, outline.key(path))),
                None => Some(BODY),
            };
            ids.push(id);
        }
        let sums = |id: Option<PathId>| id.map(|id| self.paths[id as usize].sums);
        ids.into_iter()
            .map(|id| sums(id).unwrap_or_default())
            .collect()
    }

    fn child(&self, parent: PathId, key: &str) -> Option<PathId> {
        let key = self.keys.get(key)?;
        self.children.get(&(parent, key)).copied()
    }

    fn child_or_new(&mut self, parent: PathId, key: &str) -> PathId {
        if let Some(child) = self.child(parent, key) {
            return child;
        }
        let key = self.keys.hold(key);
        let path = SitePath {
            parent,
            key,
            sums: Sums::default(),
        };
        let id = match self.free.pop() {
            Some(id) => {
                self.paths[id as usize] = path;
                id
            }
            None => {
                self.paths.push(path);
                (self.paths.len() - 1) as PathId
            }
        };
        self.children.insert((parent, key), id);
        id
    }
}

type KeyId = u32;

/// The names in slots: each is stored once.
#[derive(Debug, Default)]
struct Keys {
    /// Pages choose names, so with a seed that they cannot know.
    ids: HashMap<Box<str>, KeyId, RandomState>,
    /// By number: the name, and the slots that have it.
    names: Vec<(Box<str>, u32)>,
    free: Vec<KeyId>,
}

impl Keys {
    fn get(&self, name: &str) -> Option<KeyId> {
        self.ids.get(name).copied()
    }

    fn hold(&mut self, name: &str) -> KeyId {
        if let Some(id) = self.get(name) {
            self.names[id as usize].1 += 1;
            return id;
        }
        let entry = (Box::from(name), 1);
        let id = match self.free.pop() {
            Some(id) => {
                self.names[id as usize] = entry;
                id
            }
            None => {
                self.names.push(entry);
                (self.names.len() - 1) as KeyId
            }
        };
        self.ids.insert(name.into(), id);
        id
    }

    fn release(&mut self, id: KeyId) {
        let (name, paths) = &mut self.names[id as usize];
        *paths -= 1;
        if *paths == 0 {
            self.ids.remove(name);
            self.free.push(id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page_paths::DomPath;

    /// `body` with a chain of slots inside.
    fn page(keys: &[&str]) -> PagePaths {
        let chain = keys.iter().enumerate().map(|(at, key)| DomPath {
            parent: at as u32,
            key: (*key).to_owned(),
            text_mass: 16,
            ..DomPath::default()
        });
        PagePaths {
            paths: [DomPath::default()].into_iter().chain(chain).collect(),
        }
    }

    /// Slots and keys in use, `body` not counted.
    fn in_use(template: &Template) -> (usize, usize) {
        assert_eq!(
            template.children.len(),
            template.paths.len() - 1 - template.free.len()
        );
        (template.children.len(), template.keys.ids.len())
    }

    #[test]
    fn slots_go_with_the_last_page_that_has_them() {
        let mut template = Template::default();
        template.insert(&page(&["div", "div", "p"]));
        template.insert(&page(&["div", "ul"]));
        assert_eq!(in_use(&template), (4, 3));
        template.evict(1);
        assert_eq!(in_use(&template), (2, 2));
        template.evict(1);
        assert_eq!(in_use(&template), (0, 0));
        assert_eq!(template.paths[BODY as usize].sums, Sums::default());
    }

    #[test]
    fn a_window_of_pages_with_slots_of_their_own_stays_small() {
        let mut template = Template::default();
        for number in 0..100 {
            let own = format!("div.c{}", "x".repeat(number));
            template.insert(&page(&["main", &own, "p"]));
            template.evict(template.pages().saturating_sub(5));
        }
        assert_eq!(in_use(&template), (11, 7));
        assert!(template.paths.len() <= 14, "{}", template.paths.len());
        assert!(template.keys.names.len() <= 8);
    }
}
