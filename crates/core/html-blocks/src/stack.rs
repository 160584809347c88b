//! The open elements: where in the page a text stands. No tree is built.
//!
//! The rules are those of HTML's tree construction as far as they say which
//! elements are open: implied ends of `p`, `li`, `dt`, `dd`, `option` and table
//! parts, scopes that end tags do not reach across, and `svg` and `math` with the
//! tags that break out of them. Elements laid out inside a line (`b`, `em`) are
//! not kept: where they end is nobody's business here.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::dom_path::{DomPath, PathBuilder};
use crate::elements::{Element, Name, SplitList, Tag};

/// The vocabulary an element belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vocabulary {
    Html,
    Svg,
    Math,
}

/// An open element, with what follows from all the elements around it.
#[derive(Debug)]
struct Open {
    tag: Tag,
    element: Element,
    /// Where in [`Stack::texts`] its own begin: the name, if the tag does not tell
    /// it, and the class.
    texts: usize,
    name_bytes: usize,
    vocabulary: Vocabulary,
    /// HTML may stand inside this `svg` or `math` element.
    integration: bool,
    chrome: bool,
    hidden: bool,
    /// Depths (see [`Stack::close`]) of the innermost open `p`, `li`, `dt` or
    /// `dd`, `button` and `table` that a tag here could end, of the innermost
    /// heading and barrier, and of the next element outwards with this name; 0:
    /// none. Kept per element so that looking one up never walks the stack.
    p: usize,
    item: usize,
    term: usize,
    button: usize,
    table: usize,
    heading: usize,
    barrier: usize,
    namesake: usize,
}

/// The stack of open elements. `html`, `head` and `body` are not on it.
#[derive(Debug)]
pub(crate) struct Stack {
    open: Vec<Open>,
    /// Texts of the open elements, one after the other.
    texts: String,
    /// The depth of the innermost open element of each tag.
    tagged: [usize; Tag::COUNT],
    /// The same of each other name.
    named: HashMap<Box<str>, usize, FixedState>,
    split: SplitList,
    limit: usize,
    /// Open elements beyond the limit: counted, not told apart.
    beyond: usize,
    deepest: usize,
    path: PathBuilder,
    /// Elements that were pushed, named or looked at one by one.
    #[cfg(test)]
    pub(crate) work: usize,
}

impl Stack {
    pub(crate) fn new(split: SplitList, limit: usize) -> Self {
        Self {
            open: Vec::new(),
            texts: String::new(),
            tagged: [0; Tag::COUNT],
            named: HashMap::default(),
            split,
            limit,
            beyond: 0,
            deepest: 0,
            path: PathBuilder::default(),
            #[cfg(test)]
            work: 0,
        }
    }

    /// The deepest nesting so far.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest
    }

    /// Text here is never shown: that of templates, and of the style sheets, titles
    /// and annotations of drawings and formulas. The original drops only the style
    /// sheets and scripts.
    pub(crate) fn hidden(&self) -> bool {
        self.open.last().is_some_and(|top| top.hidden)
    }

    pub(crate) fn chrome(&self) -> bool {
        self.open.last().is_some_and(|top| top.chrome)
    }

    /// Tags here are those of a drawing or formula, not of HTML.
    pub(crate) fn foreign(&self) -> bool {
        self.open
            .last()
            .is_some_and(|top| top.vocabulary != Vocabulary::Html && !top.integration)
    }

    /// Whether a tag of this element ends a block here. A formula is part of its
    /// line, whatever it is made of.
    pub(crate) fn splits(&self, element: Element) -> bool {
        let formula = self.split == SplitList::Html
            && !element.breaks_out()
            && self
                .open
                .last()
                .is_some_and(|top| top.vocabulary == Vocabulary::Math);
        element.splits(self.split) && !formula
    }

    /// The innermost element is not HTML's: a CDATA section may start here.
    pub(crate) fn cdata_allowed(&self) -> bool {
        self.open
            .last()
            .is_some_and(|top| top.vocabulary != Vocabulary::Html)
    }

    /// The path of the open elements, which is now that of a block.
    pub(crate) fn dom_path(&mut self) -> DomPath {
        // Closed elements were taken off the path, and opened ones are not on it yet.
        let shared = self.path.elements();
        for at in self.path.depth()..self.open.len() {
            #[cfg(test)]
            (self.work += 1);
            let open = &self.open[at];
            if open.element.inline() || open.vocabulary == Vocabulary::Math {
                self.path.push_unnamed();
                continue;
            }
            let end = self.open.get(at + 1).map(|next| next.texts);
            let texts = &self.texts[open.texts..end.unwrap_or(self.texts.len())];
            let (name, class) = texts.split_at(open.name_bytes);
            let name = if open.tag == Tag::Other {
                name
            } else {
                open.tag.name()
            };
            self.path.push(name, class);
        }
        DomPath {
            text: self.path.text(),
            shared,
        }
    }

    /// A start tag inside a drawing or formula. False if it ends that instead, and
    /// is now to be handled as HTML.
    pub(crate) fn start_foreign(
        &mut self,
        name: Name<'_>,
        element: Element,
        class: &str,
        self_closing: bool,
    ) -> bool {
        let Some(vocabulary) = self.open.last().map(|top| top.vocabulary) else {
            return false;
        };
        if element.breaks_out() {
            let html = |open: &Open| open.vocabulary == Vocabulary::Html || open.integration;
            let depth = self.innermost(0, html);
            self.close(depth + 1);
            return false;
        }
        if !self_closing {
            self.push(name, element, class, vocabulary);
        }
        true
    }

    /// A start tag of HTML.
    pub(crate) fn start(
        &mut self,
        name: Name<'_>,
        element: Element,
        class: &str,
        self_closing: bool,
    ) {
        self.imply_ends(name, element);
        match name.tag {
            Tag::Svg if self_closing => {}
            Tag::Math if self_closing => {}
            Tag::Svg => self.push(name, element, class, Vocabulary::Svg),
            Tag::Math => self.push(name, element, class, Vocabulary::Math),
            _ if element.root() || element.void() || element.inline() => {}
            _ if table_part(name.tag) && self.top(|top| top.table) == 0 => {}
            _ => self.push(name, element, class, Vocabulary::Html),
        }
    }

    /// An end tag. One that matches nothing in scope is ignored.
    pub(crate) fn end(&mut self, name: Name<'_>, element: Element) {
        if element.root() || element.void() || (element.inline() && !self.cdata_allowed()) {
            return;
        }
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        match name.tag {
            Tag::P => self.close(self.top(|top| top.p)),
            Tag::Li => self.close(self.top(|top| top.item)),
            Tag::Table => self.close(self.top(|top| top.table)),
            _ if table_part(name.tag) => {
                let table = self.top(|top| top.table);
                let part = self.named(name);
                self.close(if part > table { part } else { 0 });
            }
            _ if element.heading() => self.close(self.in_scope(self.top(|top| top.heading))),
            _ => self.close(self.in_scope(self.named(name))),
        }
    }

    /// Closes the elements whose end tag this start tag makes superfluous.
    fn imply_ends(&mut self, name: Name<'_>, element: Element) {
        if self.beyond > 0 {
            return;
        }
        match name.tag {
            Tag::Li => self.close(self.top(|top| top.item)),
            Tag::Dt | Tag::Dd => self.close(self.top(|top| top.term)),
            Tag::Button => self.close(self.top(|top| top.button)),
            Tag::Option => self.close_top(|open| open == Tag::Option),
            Tag::Optgroup => {
                self.close_top(|open| open == Tag::Option);
                self.close_top(|open| open == Tag::Optgroup);
            }
            Tag::Tr => self.close_to_table_part(row_group),
            Tag::Td | Tag::Th => {
                self.close_to_table_part(|open| row_group(open) || open == Tag::Tr);
            }
            _ if table_part(name.tag) => self.close_to_table_part(|_| false),
            _ => {}
        }
        if element.ends_p() {
            self.close(self.top(|top| top.p));
        }
        if element.heading() && self.open.last().is_some_and(|top| top.element.heading()) {
            self.close(self.open.len());
        }
    }

    /// Closes everything inside the innermost table down to a part that `stays`.
    fn close_to_table_part(&mut self, stays: impl Fn(Tag) -> bool) {
        let table = self.top(|top| top.table);
        if table > 0 {
            let part = self.innermost(table, |open| stays(open.tag));
            self.close(part + 1);
        }
    }

    /// The depth of the innermost element below `outer` that `is`, or `outer`. What
    /// is looked at in vain is closed by those who ask.
    fn innermost(&mut self, outer: usize, is: impl Fn(&Open) -> bool) -> usize {
        let inner = self.open[outer..].iter().rposition(is);
        let depth = outer + inner.map_or(0, |at| at + 1);
        #[cfg(test)]
        (self.work += self.open.len() - depth);
        depth
    }

    fn close_top(&mut self, is: impl Fn(Tag) -> bool) {
        if self.open.last().is_some_and(|top| is(top.tag)) {
            self.close(self.open.len());
        }
    }

    /// Closes the element at this depth (counted from 1) and all inside it; does
    /// nothing at depth 0.
    fn close(&mut self, depth: usize) {
        if depth > 0 {
            for closed in self.open.drain(depth - 1..).rev() {
                if closed.tag == Tag::Other {
                    let name = &self.texts[closed.texts..closed.texts + closed.name_bytes];
                    match self.named.get_mut(name) {
                        Some(innermost) if closed.namesake > 0 => *innermost = closed.namesake,
                        _ => drop(self.named.remove(name)),
                    }
                } else {
                    self.tagged[closed.tag as usize] = closed.namesake;
                }
                self.texts.truncate(closed.texts);
            }
            self.path.truncate(self.open.len());
            self.beyond = 0;
        }
    }

    /// The depth of an element, unless a barrier stands inside it; 0 if one does.
    fn in_scope(&self, depth: usize) -> usize {
        if depth >= self.top(|top| top.barrier) {
            depth
        } else {
            0
        }
    }

    /// The depth of the innermost element of this name; 0 if there is none.
    fn named(&self, name: Name<'_>) -> usize {
        let depth = match name.tag {
            Tag::Other => self.named.get(name.text),
            tag => self.tagged.get(tag as usize),
        };
        depth.copied().unwrap_or(0)
    }

    /// Makes this the depth of the innermost element of a name; gives the one before.
    fn set_named(&mut self, name: Name<'_>, depth: usize) -> usize {
        match name.tag {
            Tag::Other => self.named.insert(name.text.into(), depth).unwrap_or(0),
            tag => std::mem::replace(&mut self.tagged[tag as usize], depth),
        }
    }

    fn top(&self, depth: impl Fn(&Open) -> usize) -> usize {
        self.open.last().map_or(0, depth)
    }

    fn push(&mut self, name: Name<'_>, element: Element, class: &str, vocabulary: Vocabulary) {
        self.deepest = self.deepest.max(self.open.len() + self.beyond + 1);
        if self.open.len() == self.limit {
            self.beyond += 1;
            return;
        }
        let depth = self.open.len() + 1;
        let namesake = self.set_named(name, depth);
        let parent = self.open.last();
        // What stands outside a barrier, or outside a list for items, is out of reach.
        let inherit = |of: fn(&Open) -> usize, ends: bool| match parent {
            Some(parent) if !ends => of(parent),
            _ => 0,
        };
        let barrier = element.barrier() || integration(name.text, vocabulary);
        let list = matches!(name.tag, Tag::Ul | Tag::Ol | Tag::Menu);
        let or_self = |is: bool, inherited: usize| if is { depth } else { inherited };
        let name_text = if name.tag == Tag::Other {
            name.text
        } else {
            ""
        };
        let open = Open {
            element,
            vocabulary,
            integration: integration(name.text, vocabulary),
            chrome: element.chrome() || parent.is_some_and(|parent| parent.chrome),
            hidden: self.hides(name, vocabulary) || parent.is_some_and(|parent| parent.hidden),
            p: or_self(
                name.tag == Tag::P,
                inherit(|open| open.p, barrier || name.tag == Tag::Button),
            ),
            item: or_self(
                name.tag == Tag::Li,
                inherit(|open| open.item, barrier || list),
            ),
            term: or_self(
                matches!(name.tag, Tag::Dt | Tag::Dd),
                inherit(|open| open.term, barrier || name.tag == Tag::Dl),
            ),
            button: or_self(
                name.tag == Tag::Button,
                inherit(|open| open.button, barrier),
            ),
            table: or_self(
                name.tag == Tag::Table,
                inherit(|open| open.table, name.tag == Tag::Template),
            ),
            heading: or_self(element.heading(), inherit(|open| open.heading, false)),
            barrier: or_self(barrier, inherit(|open| open.barrier, false)),
            namesake,
            tag: name.tag,
            texts: self.texts.len(),
            name_bytes: name_text.len(),
        };
        self.open.push(open);
        #[cfg(test)]
        (self.work += 1);
        self.texts.push_str(name_text);
        self.texts.push_str(class);
    }

    fn hides(&self, name: Name<'_>, vocabulary: Vocabulary) -> bool {
        let shown_by_original = self.split == SplitList::Original;
        match vocabulary {
            Vocabulary::Html => name.tag == Tag::Template && !shown_by_original,
            Vocabulary::Svg => match name.text {
                "style" | "script" => true,
                "title" | "desc" | "metadata" => !shown_by_original,
                _ => false,
            },
            Vocabulary::Math => name.text.starts_with("annotation") && !shown_by_original,
        }
    }
}

/// HTML elements may stand inside these.
fn integration(name: &str, vocabulary: Vocabulary) -> bool {
    match vocabulary {
        Vocabulary::Html => false,
        Vocabulary::Svg => matches!(name, "foreignobject" | "desc" | "title"),
        Vocabulary::Math => matches!(name, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml"),
    }
}

/// Parts of a table: outside of one their tags are ignored.
fn table_part(tag: Tag) -> bool {
    row_group(tag)
        || matches!(
            tag,
            Tag::Tr | Tag::Td | Tag::Th | Tag::Caption | Tag::Colgroup
        )
}

fn row_group(tag: Tag) -> bool {
    matches!(tag, Tag::Tbody | Tag::Thead | Tag::Tfoot)
}
