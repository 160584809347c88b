//! Slots: the text of an element path, built once per element and block.

use std::collections::HashSet;
use std::sync::Arc;

/// Bytes of a path. It ends before the element that does not fit, so that a
/// hostile page of a megabyte cannot ask for a gigabyte of paths.
const PATH_BYTES: usize = 1024;

/// Classes of one element that are looked at, and bytes of them that are kept.
const CLASSES: usize = 64;
const CLASS_BYTES: usize = 256;

/// Where a block stands. See [`crate::TextBlock`].
#[derive(Debug)]
pub(crate) struct Slot {
    pub(crate) path: Arc<str>,
    pub(crate) shared: u16,
}

/// The path text of the stack's elements, as far as blocks have asked for it.
#[derive(Debug, Default)]
pub(crate) struct SlotPath {
    text: String,
    /// The length of `text` after each element.
    ends: Vec<usize>,
    /// The depth of the first element that did not fit.
    full_at: Option<usize>,
    /// Slots given out: blocks of one slot share its text.
    slots: HashSet<Arc<str>>,
    last: Option<Arc<str>>,
}

impl SlotPath {
    /// Elements whose text is known.
    pub(crate) fn depth(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn truncate(&mut self, depth: usize) {
        if depth < self.ends.len() {
            self.ends.truncate(depth);
            self.text.truncate(self.ends.last().copied().unwrap_or(0));
            self.full_at = self.full_at.filter(|full| *full < depth);
        }
    }

    /// Appends an element that is part of no path.
    pub(crate) fn push_unnamed(&mut self) {
        self.ends.push(self.text.len());
    }

    pub(crate) fn push(&mut self, name: &str, class: &str) {
        if self.full_at.is_none() {
            let parent = self.text.len();
            if parent > 0 {
                self.text.push('>');
            }
            self.text.push_str(name);
            self.push_classes(class);
            if self.text.len() > PATH_BYTES {
                self.text.truncate(parent);
                self.full_at = Some(self.ends.len());
            }
        }
        self.ends.push(self.text.len());
    }

    /// Appends `.class` for each class. Digits go, since they number single pages
    /// and items (`post-1234`); so do the separators of the path.
    fn push_classes(&mut self, classes: &str) {
        let first = self.text.len();
        for class in classes.split_ascii_whitespace().take(CLASSES) {
            let start = self.text.len();
            self.text.push('.');
            self.text.extend(
                class
                    .chars()
                    .filter(|c| !c.is_ascii_digit() && !matches!(c, '.' | '>')),
            );
            let (before, class) = self.text.split_at(start);
            let known = before[first..].split('.').any(|known| known == &class[1..]);
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
        let separators = self.text.bytes().filter(|byte| *byte == b'>').count();
        let elements = separators + usize::from(!self.text.is_empty());
        u16::try_from(elements).unwrap_or(u16::MAX)
    }

    pub(crate) fn text(&mut self) -> Arc<str> {
        // Most blocks follow one of the same slot.
        if let Some(last) = self.last.as_ref().filter(|last| ***last == *self.text) {
            return Arc::clone(last);
        }
        let known = self.slots.get(self.text.as_str()).map(Arc::clone);
        let slot = known.unwrap_or_else(|| {
            let slot: Arc<str> = Arc::from(self.text.as_str());
            self.slots.insert(Arc::clone(&slot));
            slot
        });
        self.last = Some(Arc::clone(&slot));
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_lose_digits_separators_and_repeats() {
        let mut path = SlotPath::default();
        path.push("div", " post-12 post-13\tentry 42 w-0.5 [&>p]:mt");
        path.push("h2", "");
        assert_eq!(&*path.text(), "div.post-.entry.w-.[&p]:mt>h2");
    }

    #[test]
    fn equal_slots_share_their_text() {
        let mut path = SlotPath::default();
        path.push("li", "item1");
        let one = path.text();
        path.truncate(0);
        path.push("li", "item2");
        assert!(Arc::ptr_eq(&one, &path.text()));
    }

    #[test]
    fn a_long_path_ends_before_the_element_that_does_not_fit() {
        let mut path = SlotPath::default();
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
        let mut path = SlotPath::default();
        let classes: String = ('a'..='z')
            .map(|c| format!("{} ", c.to_string().repeat(20)))
            .collect();
        path.push("article", &classes);
        path.push("p", "");
        assert_eq!(path.text().len(), "article".len() + 12 * 21 + ">p".len());
    }
}
