//! DOM paths: element names, classes and ids from `body` down to a block. The text is extended once
//! per element, and paths are interned.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::FixedState;

/// Longest path, in bytes. A longer path ends before the element that does not fit, so a
/// hostile page of a megabyte cannot produce a gigabyte of paths.
const PATH_BYTES: usize = 1024;

/// Classes read per element; the rest is ignored.
const CLASSES: usize = 64;

/// Bytes of classes kept per element, separators included.
const CLASS_BYTES: usize = 256;

/// Bytes of the longest id that is kept, its separator included. Longer ones are made for one element.
const ID_BYTES: usize = 64;

/// The DOM path of a block. The fields are those of [`crate::TextBlock`].
#[derive(Debug)]
pub(crate) struct DomPath {
    pub(crate) text: Arc<str>,
    pub(crate) common_prefix: u16,
}

/// The names of an element beside that of its tag: the values of two attributes, empty if it has none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Names<'t> {
    pub(crate) class: &'t str,
    pub(crate) id: &'t str,
}

/// The prefix of a path that ends with one of its elements.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// Length in bytes.
    bytes: usize,
    /// Number of elements that appear in the path.
    named: u16,
}

/// Builds the path of the open elements lazily: an element is added once a block needs it.
#[derive(Debug, Default)]
pub(crate) struct PathBuilder {
    text: String,
    /// The end of each element in `text`.
    ends: Vec<End>,
    /// The depth of the first element that did not fit.
    full_at: Option<usize>,
    /// All paths of the page, interned.
    paths: HashSet<Arc<str>, FixedState>,
    /// The path of the last block.
    last: Option<Arc<str>>,
}

impl PathBuilder {
    /// The number of elements added, unnamed ones included.
    pub(crate) fn depth(&self) -> usize {
        self.ends.len()
    }

    /// Removes the elements deeper than `depth`.
    pub(crate) fn truncate(&mut self, depth: usize) {
        if depth < self.ends.len() {
            self.ends.truncate(depth);
            self.text.truncate(self.end().bytes);
            self.full_at = self.full_at.filter(|full| *full < depth);
        }
    }

    /// Appends an element that does not appear in paths.
    pub(crate) fn push_unnamed(&mut self) {
        self.ends.push(self.end());
    }

    /// Appends an element, unless it or an ancestor does not fit. `hides` says that its attributes hide it.
    pub(crate) fn push(&mut self, name: &str, names: Names<'_>, hides: bool) {
        let parent = self.end();
        if self.full_at.is_some() {
            return self.ends.push(parent);
        }
        if parent.bytes > 0 {
            self.text.push('>');
        }
        self.text.push_str(name);
        self.push_names(names);
        if hides {
            self.text.push_str("[hidden]");
        }
        if self.text.len() > PATH_BYTES {
            self.text.truncate(parent.bytes);
            self.full_at = Some(self.ends.len());
            return self.ends.push(parent);
        }
        self.ends.push(End {
            bytes: self.text.len(),
            named: parent.named + 1,
        });
    }

    /// Appends `.class` for each distinct class, and `#id`. Digits are removed, because they number single
    /// pages and items (`post-1234`). The separators `.`, `#` and `>` and the spaces of an id are removed too.
    fn push_names(&mut self, names: Names<'_>) {
        let first = self.text.len();
        for class in names.class.split_ascii_whitespace().take(CLASSES) {
            let start = self.push_name('.', class);
            let (before, class) = self.text.as_bytes().split_at(start);
            let mut others = before[first..].split(|byte| *byte == b'.');
            let known = start > first && others.any(|known| known == &class[1..]);
            let full = self.text.len() - first > CLASS_BYTES;
            if class.len() == 1 || known || full {
                self.text.truncate(start);
            }
            if full {
                break;
            }
        }
        if names.id.is_empty() {
            return;
        }
        let start = self.push_name('#', names.id);
        let bytes = self.text.len() - start;
        if bytes == 1 || bytes > ID_BYTES {
            self.text.truncate(start);
        }
    }

    /// Appends a class or an id, and returns where it begins.
    fn push_name(&mut self, separator: char, name: &str) -> usize {
        let start = self.text.len();
        self.text.push(separator);
        if name.bytes().any(dropped) {
            let kept = name.split(|c: char| u8::try_from(c).is_ok_and(dropped));
            self.text.extend(kept);
        } else {
            self.text.push_str(name);
        }
        start
    }

    /// The number of elements that appear in the path.
    pub(crate) fn elements(&self) -> u16 {
        self.end().named
    }

    fn end(&self) -> End {
        self.ends.last().copied().unwrap_or_default()
    }

    /// The interned text of the path.
    pub(crate) fn text(&mut self) -> Arc<str> {
        // Most blocks have the path of the block before.
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *self.text) {
            return Arc::clone(last);
        }
        let known = self.paths.get(self.text.as_str()).map(Arc::clone);
        let path = known.unwrap_or_else(|| {
            let path: Arc<str> = Arc::from(self.text.as_str());
            self.paths.insert(Arc::clone(&path));
            path
        });
        self.last = Some(Arc::clone(&path));
        path
    }
}

/// Whether a character of a class or an id is removed from paths.
fn dropped(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_whitespace() || matches!(byte, b'.' | b'#' | b'>')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names<'t>(class: &'t str, id: &'t str) -> Names<'t> {
        Names { class, id }
    }

    #[test]
    fn classes_lose_digits_separators_and_repeats() {
        let mut path = PathBuilder::default();
        path.push(
            "div",
            names(" post-12 post-13\tentry 42 w-0.5 [&>p]:mt", ""),
            false,
        );
        path.push("h2", names("", ""), false);
        assert_eq!(&*path.text(), "div.post-.entry.w-.[&p]:mt>h2");
    }

    #[test]
    fn an_id_follows_the_classes_and_has_a_limit_of_its_own() {
        let mut path = PathBuilder::default();
        path.push("div", names("content wide", "main-12"), false);
        path.push("ul", names("", "menu .top#1>x"), false);
        path.push("li", names("", "42"), false);
        path.push("p", names(&"x".repeat(300), "lead"), false);
        path.push("b", names("", &"y".repeat(64)), false);
        assert_eq!(
            &*path.text(),
            "div.content.wide#main->ul#menutopx>li>p#lead>b"
        );
    }

    #[test]
    fn equal_paths_share_their_text() {
        let mut path = PathBuilder::default();
        path.push("li", names("item1", ""), false);
        let one = path.text();
        path.truncate(0);
        path.push("li", names("item2", ""), false);
        assert!(Arc::ptr_eq(&one, &path.text()));
    }

    #[test]
    fn a_long_path_ends_before_the_element_that_does_not_fit() {
        let mut path = PathBuilder::default();
        for _ in 0..5 {
            path.push("div", names(&"x".repeat(200), ""), false);
        }
        path.push("section", names("y", ""), false);
        path.push("p", names("", ""), false);
        assert_eq!(path.text().len(), 5 * 205 - 1);
        path.truncate(4);
        path.push("p", names("", ""), false);
        assert!(path.text().ends_with("x>p"));
    }

    #[test]
    fn an_element_of_many_classes_keeps_its_first() {
        let mut path = PathBuilder::default();
        let classes: String = ('a'..='z')
            .map(|c| format!("{} ", c.to_string().repeat(20)))
            .collect();
        path.push("article", names(&classes, ""), false);
        path.push("p", names("", ""), false);
        assert_eq!(path.text().len(), "article".len() + 12 * 21 + ">p".len());
    }
}
