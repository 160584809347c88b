//! DOM paths: the text of an element path, built once per element and block.

use std::collections::HashSet;
use std::sync::Arc;

use foldhash::fast::FixedState;

/// Bytes of a path. It ends before the element that does not fit, so that a
/// hostile page of a megabyte cannot ask for a gigabyte of paths.
const PATH_BYTES: usize = 1024;

/// Classes of one element that are looked at, and bytes of them that are kept.
const CLASSES: usize = 64;
const CLASS_BYTES: usize = 256;

/// Where a block stands. See [`crate::TextBlock`].
#[derive(Debug)]
pub(crate) struct DomPath {
    pub(crate) text: Arc<str>,
    pub(crate) shared: u16,
}

/// A path up to one of its elements.
#[derive(Clone, Copy, Debug, Default)]
struct End {
    /// Its length.
    bytes: usize,
    /// Its elements that have a name.
    named: u16,
}

/// The path text of the stack's elements, as far as blocks have asked for it.
#[derive(Debug, Default)]
pub(crate) struct PathBuilder {
    text: String,
    /// What `text` is after each element.
    ends: Vec<End>,
    /// The depth of the first element that did not fit.
    full_at: Option<usize>,
    /// Paths given out: blocks of one path share its text.
    paths: HashSet<Arc<str>, FixedState>,
    last: Option<Arc<str>>,
}

impl PathBuilder {
    /// Elements whose text is known.
    pub(crate) fn depth(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn truncate(&mut self, depth: usize) {
        if depth < self.ends.len() {
            self.ends.truncate(depth);
            self.text.truncate(self.end().bytes);
            self.full_at = self.full_at.filter(|full| *full < depth);
        }
    }

    /// Appends an element that is part of no path.
    pub(crate) fn push_unnamed(&mut self) {
        self.ends.push(self.end());
    }

    pub(crate) fn push(&mut self, name: &str, class: &str) {
        let parent = self.end();
        if self.full_at.is_some() {
            return self.ends.push(parent);
        }
        if parent.bytes > 0 {
            self.text.push('>');
        }
        self.text.push_str(name);
        self.push_classes(class);
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

    /// Appends `.class` for each class. Digits go, since they number single pages
    /// and items (`post-1234`); so do the separators of the path.
    fn push_classes(&mut self, classes: &str) {
        let first = self.text.len();
        for class in classes.split_ascii_whitespace().take(CLASSES) {
            let start = self.text.len();
            self.text.push('.');
            if class.bytes().any(dropped) {
                let kept = class.split(|c: char| u8::try_from(c).is_ok_and(dropped));
                self.text.extend(kept);
            } else {
                self.text.push_str(class);
            }
            let (before, class) = self.text.split_at(start);
            let known =
                start > first && before[first..].split('.').any(|known| known == &class[1..]);
            let full = self.text.len() - first > CLASS_BYTES;
            if class.len() == 1 || known || full {
                self.text.truncate(start);
            }
            if full {
                return;
            }
        }
    }

    /// Elements of the path that have a name.
    pub(crate) fn elements(&self) -> u16 {
        self.end().named
    }

    fn end(&self) -> End {
        self.ends.last().copied().unwrap_or_default()
    }

    pub(crate) fn text(&mut self) -> Arc<str> {
        // Most blocks follow one of the same path.
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

/// Whether a character of a class is not part of a path.
fn dropped(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'.' | b'>')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_lose_digits_separators_and_repeats() {
        let mut path = PathBuilder::default();
        path.push("div", " post-12 post-13\tentry 42 w-0.5 [&>p]:mt");
        path.push("h2", "");
        assert_eq!(&*path.text(), "div.post-.entry.w-.[&p]:mt>h2");
    }

    #[test]
    fn equal_paths_share_their_text() {
        let mut path = PathBuilder::default();
        path.push("li", "item1");
        let one = path.text();
        path.truncate(0);
        path.push("li", "item2");
        assert!(Arc::ptr_eq(&one, &path.text()));
    }

    #[test]
    fn a_long_path_ends_before_the_element_that_does_not_fit() {
        let mut path = PathBuilder::default();
        for _ in 0..5 {
            path.push("div", &"x".repeat(200));
        }
        path.push("section", "y");
        path.push("p", "");
        assert_eq!(path.text().len(), 5 * 205 - 1);
        path.truncate(4);
        path.push("p", "");
        assert!(path.text().ends_with("x>p"));
    }

    #[test]
    fn an_element_of_many_classes_keeps_its_first() {
        let mut path = PathBuilder::default();
        let classes: String = ('a'..='z')
            .map(|c| format!("{} ", c.to_string().repeat(20)))
            .collect();
        path.push("article", &classes);
        path.push("p", "");
        assert_eq!(path.text().len(), "article".len() + 12 * 21 + ">p".len());
    }
}
