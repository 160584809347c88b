//! The rule: which mark decides about a block.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::marked_path::MarkedPath;
use crate::element::path_key;
use crate::outline::Outline;

/// The label that a reader gives to the blocks at a DOM path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Label {
    /// They are text of their page.
    Content,
    /// They are text of the site's template.
    Boilerplate,
}

/// A text that is not a [`Label`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a label; expected content or boilerplate")]
pub struct UnknownLabel(String);

impl Label {
    /// The name of the label in files and tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Label::Content => "content",
            Label::Boilerplate => "boilerplate",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.as_str())
    }
}

impl FromStr for Label {
    type Err = UnknownLabel;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "content" => Ok(Label::Content),
            "boilerplate" => Ok(Label::Boilerplate),
            other => Err(UnknownLabel(other.to_owned())),
        }
    }
}

/// The marks of all domains.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Marks {
    sites: BTreeMap<String, Arc<SiteMarks>>,
}

impl Marks {
    /// Collects marks of domains. Of two marks of one path, the later counts.
    pub(crate) fn new<'m>(marks: impl Iterator<Item = (&'m str, &'m MarkedPath, Label)>) -> Self {
        let mut sites: BTreeMap<String, BTreeMap<MarkedPath, Label>> = BTreeMap::new();
        for (domain, path, label) in marks {
            let site = sites.entry(domain.to_owned()).or_default();
            site.insert(path.clone(), label);
        }
        let sites = sites.into_iter();
        Self {
            sites: sites
                .map(|(domain, marks)| (domain, Arc::new(SiteMarks::new(marks))))
                .collect(),
        }
    }

    /// Whether no path is marked.
    pub fn is_empty(&self) -> bool {
        self.sites.is_empty()
    }

    /// The marks of a domain; `None` if it has none.
    pub fn of(&self, domain: &str) -> Option<&Arc<SiteMarks>> {
        self.sites.get(domain)
    }

    /// All marks in the order of domains and paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &MarkedPath, Label)> {
        self.sites.iter().flat_map(|(domain, site)| {
            let marks = site.iter();
            marks.map(|(path, label)| (domain.as_str(), path, label))
        })
    }
}

/// The marks of one domain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteMarks {
    marks: BTreeMap<MarkedPath, Label>,
    /// The beginnings of all marked paths. `body` is the first.
    beginnings: Vec<Beginning>,
}

/// The beginning of a marked path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Beginning {
    /// The position of each path that is one element longer, by the key of that element.
    longer: BTreeMap<String, usize>,
    label: Option<Label>,
}

/// A place on the way from `body` down to a block.
#[derive(Clone, Copy)]
struct Place {
    /// The beginning that the path equals so far.
    at: Option<usize>,
    /// The label of the longest marked path so far.
    label: Option<Label>,
}

impl SiteMarks {
    fn new(marks: BTreeMap<MarkedPath, Label>) -> Self {
        let mut site = Self {
            marks,
            beginnings: Vec::new(),
        };
        site.index();
        site
    }

    /// All marks in the order of paths.
    pub fn iter(&self) -> impl Iterator<Item = (&MarkedPath, Label)> {
        self.marks.iter().map(|(path, label)| (path, *label))
    }

    /// Marks a path, instead of its mark if it has one.
    pub fn set(&mut self, path: MarkedPath, label: Label) {
        self.marks.insert(path, label);
        self.index();
    }

    /// Removes the mark of a path. Returns whether there was one.
    pub fn remove(&mut self, path: &MarkedPath) -> bool {
        let is_removed = self.marks.remove(path).is_some();
        self.index();
        is_removed
    }

    fn index(&mut self) {
        self.beginnings = vec![Beginning::default()];
        for (path, label) in &self.marks {
            let mut at = 0;
            for key in path.keys() {
                let new = self.beginnings.len();
                let found = self.beginnings[at].longer.entry(key.to_owned());
                at = *found.or_insert(new);
                if at == new {
                    self.beginnings.push(Beginning::default());
                }
            }
            self.beginnings[at].label = Some(*label);
        }
    }

    /// Returns the label that each block of a page is marked with; `None` for a block without a mark.
    pub fn labels(&self, outline: &Outline) -> Vec<Option<Label>> {
        let places = outline.by_path(self.body(), |place, key| self.below(place, key));
        places.into_iter().map(|place| place.label).collect()
    }

    /// Returns the label that a block at `path`, with any classes, is marked with.
    pub fn label(&self, path: &str) -> Option<Label> {
        let elements = path.split('>').filter(|element| !element.is_empty());
        let place = elements
            .map(path_key)
            .fold(self.body(), |place, key| self.below(place, key));
        place.label
    }

    fn body(&self) -> Place {
        let body = self.beginnings.first();
        Place {
            at: body.map(|_| 0),
            label: body.and_then(|body| body.label),
        }
    }

    fn below(&self, place: Place, key: &str) -> Place {
        let at = place.at.and_then(|at| self.beginnings[at].longer.get(key));
        let label = at.and_then(|at| self.beginnings[*at].label);
        Place {
            at: at.copied(),
            label: label.or(place.label),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site(marks: &[(&str, Label)]) -> SiteMarks {
        let mut site = SiteMarks::default();
        for (path, label) in marks {
            site.set(MarkedPath::parse(path).unwrap(), *label);
        }
        site
    }

    #[test]
    fn the_longest_marked_beginning_decides() {
        let site = site(&[
            ("div.story", Label::Content),
            ("div.story>div.box", Label::Boilerplate),
            ("div.story>div.box>p.update", Label::Content),
        ]);
        for (path, label) in [
            ("div.story", Some(Label::Content)),
            ("div.story.wide>p", Some(Label::Content)),
            ("div.story>div.box", Some(Label::Boilerplate)),
            ("div.story>div.box>ul>li", Some(Label::Boilerplate)),
            ("div.story>div.box.red>p.update.new>b", Some(Label::Content)),
            ("div.story>div.box>p", Some(Label::Boilerplate)),
            ("div.main>div.story>p", None),
            ("div.storyline>p", None),
            ("div>p", None),
            ("", None),
        ] {
            assert_eq!(site.label(path), label, "{path}");
        }
    }

    #[test]
    fn body_is_below_every_other_mark() {
        let site = site(&[("body", Label::Boilerplate), ("div.story", Label::Content)]);
        assert_eq!(site.label(""), Some(Label::Boilerplate));
        assert_eq!(site.label("nav>a"), Some(Label::Boilerplate));
        assert_eq!(site.label("div.story>p"), Some(Label::Content));
    }

    #[test]
    fn a_removed_mark_leaves_no_trace() {
        let mut changed = site(&[("div.a>p", Label::Content), ("div.b", Label::Content)]);
        let path = MarkedPath::parse("div.a>p").unwrap();
        assert!(changed.remove(&path));
        assert!(!changed.remove(&path));
        assert_eq!(changed, site(&[("div.b", Label::Content)]));
        assert_eq!(SiteMarks::default().label("div.a>p"), None);
    }
}
