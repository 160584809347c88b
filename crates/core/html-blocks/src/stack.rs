//! The stack of open elements: the position of a text in the page, without a tree.
//!
//! It implements the rules of HTML's tree construction that decide which elements are
//! open: implied end tags of `p`, `li`, `dt`, `dd`, `option` and table parts; scopes that end
//! tags do not cross; `svg` and `math`, and the tags that break out of them. Inline elements
//! (`b`, `em`) are not on the stack, because no block depends on their ends.
//! <https://html.spec.whatwg.org/multipage/parsing.html#the-stack-of-open-elements>

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::dom_path::{DomPath, Names, PathBuilder};
use crate::elements::{Element, Name, SplitList, Tag};

/// The namespace of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Vocabulary {
    Html,
    Svg,
    Math,
}

/// Which tag of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    Start,
    End,
}

/// How the text of an element is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ElementText {
    Shown,
    /// Attributes hide it. Its blocks say so in their paths.
    Hidden,
    /// Readers do not see it as text.
    Dropped,
}

/// An open element, with the state that it inherits from its ancestors.
#[derive(Debug)]
struct Open {
    tag: Tag,
    element: Element,
    /// The start of its texts in [`Stack::texts`]: the name, if [`Open::tag`] is
    /// [`Tag::Other`], then the class and the id.
    texts: usize,
    name_bytes: usize,
    class_bytes: usize,
    vocabulary: Vocabulary,
    /// An element of `svg` or `math` that may contain HTML (an integration point).
    integration: bool,
    chrome: bool,
    hidden: bool,
    /// Its attributes hide it.
    hides: bool,
    /// The innermost element that is no `span` is a `p`.
    paragraph: bool,
    /// The text is that of a `pre`, in lines.
    code: bool,
    /// Does not appear in paths: it is inside of a unit.
    unnamed: bool,
    depths: Depths,
    /// The depth of the next outer element with the same name, counted from 1; 0 if there is none.
    namesake: usize,
}

/// Depths of open elements, counted from 1; 0 means none. `p` to `table` are the innermost `p`, `li`, `dt` or `dd`,
/// `button` and `table` that a tag here could end. `heading` and `barrier` are the innermost ones. Each element has
/// them so that no lookup walks the stack.
#[derive(Clone, Copy, Debug, Default)]
struct Depths {
    p: usize,
    item: usize,
    term: usize,
    button: usize,
    table: usize,
    heading: usize,
    barrier: usize,
}

impl Depths {
    /// The depths inside of an element at `depth`, whose parent has these.
    fn inside(mut self, tag: Tag, element: Element, is_barrier: bool, depth: usize) -> Self {
        // An element outside a scope cannot be ended from inside it. Barriers end every
        // scope; a list also ends the scope of its items.
        if is_barrier {
            self = Self {
                table: self.table,
                heading: self.heading,
                barrier: depth,
                ..Self::default()
            };
        }
        match tag {
            Tag::P => self.p = depth,
            Tag::Li => self.item = depth,
            Tag::Ul | Tag::Ol | Tag::Menu => self.item = 0,
            Tag::Dt | Tag::Dd => self.term = depth,
            Tag::Dl => self.term = 0,
            Tag::Button => (self.p, self.button) = (0, depth),
            Tag::Table => self.table = depth,
            Tag::Template => self.table = 0,
            _ if element.heading() => self.heading = depth,
            _ => {}
        }
        self
    }
}

/// The stack of open elements. `html`, `head` and `body` are not on it.
#[derive(Debug)]
pub(crate) struct Stack {
    open: Vec<Open>,
    /// Names, classes and ids of the open elements, concatenated.
    texts: String,
    /// The depth of the innermost open element of each tag.
    tagged: [usize; Tag::COUNT],
    /// The depth of the innermost open element of each unknown name.
    named: HashMap<Box<str>, usize, FixedState>,
    split: SplitList,
    limit: usize,
    /// The number of open elements beyond the limit, which are not on the stack.
    beyond: usize,
    deepest: usize,
    path: PathBuilder,
    /// The number of elements pushed, added to a path, or visited in a search.
    #[cfg(test)]
    pub(crate) work: usize,
}

impl Stack {
    pub(crate) fn new(split: SplitList, limit: usize) -> Self {
        Self {
            // Most pages need no more.
            open: Vec::with_capacity(32),
            texts: String::with_capacity(512),
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

    /// The deepest nesting so far, elements beyond the limit included.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest
    }

    /// The number of open elements on the stack.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Whether text here is never shown: in a template, or in a style sheet, title or
    /// annotation of `svg` or `math`. The original drops only style sheets and scripts.
    pub(crate) fn hidden(&self) -> bool {
        self.open.last().is_some_and(|top| top.hidden)
    }

    /// Whether a tag here may end an element that its attributes hide.
    pub(crate) fn ends_hidden(&self, edge: Edge) -> bool {
        edge == Edge::End && self.open.last().is_some_and(|top| top.hides)
    }

    /// Whether text here is part of a paragraph.
    pub(crate) fn paragraph(&self) -> bool {
        self.open.last().is_some_and(|top| top.paragraph)
    }

    /// Whether text here is that of a `pre`.
    pub(crate) fn code(&self) -> bool {
        self.open.last().is_some_and(|top| top.code)
    }

    /// Whether the innermost element is a `span`.
    pub(crate) fn in_span(&self) -> bool {
        self.open.last().is_some_and(|top| top.tag == Tag::Span)
    }

    /// Whether the text here is inside a boilerplate element (see [`Element::chrome`]).
    pub(crate) fn chrome(&self) -> bool {
        self.open.last().is_some_and(|top| top.chrome)
    }

    /// Whether a start tag here belongs to `svg` or `math`, not to HTML.
    pub(crate) fn foreign(&self) -> bool {
        self.open
            .last()
            .is_some_and(|top| top.vocabulary != Vocabulary::Html && !top.integration)
    }

    /// Whether a tag of this element ends a block here. Tags inside a formula do not: the
    /// formula is part of its line of text.
    pub(crate) fn splits(&self, element: Element) -> bool {
        let formula = self.split == SplitList::Html
            && !element.breaks_out()
            && self
                .open
                .last()
                .is_some_and(|top| top.vocabulary == Vocabulary::Math);
        element.splits(self.split) && !formula
    }

    /// Whether a CDATA section may start here: the innermost element is not an HTML element.
    pub(crate) fn cdata_allowed(&self) -> bool {
        self.open
            .last()
            .is_some_and(|top| top.vocabulary != Vocabulary::Html)
    }

    /// The DOM path of a block that begins here.
    pub(crate) fn dom_path(&mut self) -> DomPath {
        // The path has lost the elements closed since the last block, and does not have
        // the elements opened since then: its elements are those that both blocks share.
        let common_prefix = self.path.elements();
        for at in self.path.depth()..self.open.len() {
            #[cfg(test)]
            (self.work += 1);
            let open = &self.open[at];
            if open.unnamed {
                self.path.push_unnamed();
                continue;
            }
            let end = self.open.get(at + 1).map(|next| next.texts);
            let texts = &self.texts[open.texts..end.unwrap_or(self.texts.len())];
            let (name, names) = texts.split_at(open.name_bytes);
            let (class, id) = names.split_at(open.class_bytes);
            let name = if open.tag == Tag::Other {
                name
            } else {
                open.tag.name()
            };
            self.path.push(name, Names { class, id }, open.hides);
        }
        DomPath {
            text: self.path.text(),
            common_prefix,
        }
    }

    /// Handles a start tag inside `svg` or `math`. Returns false if the tag breaks out of it;
    /// the caller must then handle the tag as HTML.
    pub(crate) fn start_foreign(
        &mut self,
        name: Name<'_>,
        element: Element,
        names: Names<'_>,
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
            self.push(name, element, names, vocabulary, ElementText::Shown);
        }
        true
    }

    /// Handles a start tag of HTML. Returns the depth of the element, counted from 1, if it is on
    /// the stack now. An inline element is on the stack only if its text is dropped: its end matters then.
    pub(crate) fn start(
        &mut self,
        name: Name<'_>,
        element: Element,
        names: Names<'_>,
        self_closing: bool,
        text: ElementText,
    ) -> Option<usize> {
        self.imply_ends(name, element);
        let outside = self.open.len();
        match name.tag {
            Tag::Svg if self_closing => {}
            Tag::Math if self_closing => {}
            Tag::Svg => self.push(name, element, names, Vocabulary::Svg, text),
            Tag::Math => self.push(name, element, names, Vocabulary::Math, text),
            _ if element.root() || element.void() => {}
            _ if element.inline() && text != ElementText::Dropped => {}
            _ if table_part(name.tag) && self.depths().table == 0 => {}
            _ => self.push(name, element, names, Vocabulary::Html, text),
        }
        Some(self.open.len()).filter(|depth| *depth > outside)
    }

    /// Handles an end tag. It is ignored if no matching element is in scope.
    pub(crate) fn end(&mut self, name: Name<'_>, element: Element) {
        if element.root() || element.void() {
            return;
        }
        if name.tag == Tag::Ruby {
            self.close_top(is_reading);
        }
        if element.inline() && !self.cdata_allowed() && self.named(name) == 0 {
            return;
        }
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        match name.tag {
            Tag::P => self.close(self.depths().p),
            Tag::Li => self.close(self.depths().item),
            Tag::Table => self.close(self.depths().table),
            _ if table_part(name.tag) => {
                let table = self.depths().table;
                let part = self.named(name);
                self.close(if part > table { part } else { 0 });
            }
            _ if element.heading() => self.close(self.in_scope(self.depths().heading)),
            _ => self.close(self.in_scope(self.named(name))),
        }
    }

    /// Closes the elements whose end tags this start tag implies.
    fn imply_ends(&mut self, name: Name<'_>, element: Element) {
        if self.beyond > 0 {
            return;
        }
        match name.tag {
            Tag::Li => self.close(self.depths().item),
            Tag::Dt | Tag::Dd => self.close(self.depths().term),
            Tag::Button => self.close(self.depths().button),
            Tag::Rt | Tag::Rp | Tag::Rtc | Tag::Rb => self.close_top(is_reading),
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
            self.close(self.depths().p);
        }
        if element.heading() && self.open.last().is_some_and(|top| top.element.heading()) {
            self.close(self.open.len());
        }
    }

    /// Closes all elements of the innermost table inside the innermost part that `stays`.
    fn close_to_table_part(&mut self, stays: impl Fn(Tag) -> bool) {
        let table = self.depths().table;
        if table > 0 {
            let part = self.innermost(table, |open| stays(open.tag));
            self.close(part + 1);
        }
    }

    /// The depth of the innermost element deeper than `outer` that `is`, or `outer`. Callers
    /// close every element that this search visits, so the work is linear in the page.
    fn innermost(&mut self, outer: usize, is: impl Fn(&Open) -> bool) -> usize {
        let inner = self.open[outer..].iter().rposition(is);
        let depth = outer + inner.map_or(0, |at| at + 1);
        #[cfg(test)]
        (self.work += self.open.len() - depth);
        depth
    }

    /// Closes the innermost element if it `is`.
    fn close_top(&mut self, is: impl Fn(Tag) -> bool) {
        if self.open.last().is_some_and(|top| is(top.tag)) {
            self.close(self.open.len());
        }
    }

    /// Closes the element at this depth (counted from 1) and all elements inside it. Does
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

    /// Returns `depth` if the element there is in scope, or 0 if a barrier is inside it.
    fn in_scope(&self, depth: usize) -> usize {
        if depth >= self.depths().barrier {
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

    /// Sets the depth of the innermost element of this name and returns the previous one.
    fn set_named(&mut self, name: Name<'_>, depth: usize) -> usize {
        match name.tag {
            Tag::Other => self.named.insert(name.text.into(), depth).unwrap_or(0),
            tag => std::mem::replace(&mut self.tagged[tag as usize], depth),
        }
    }

    /// The depths of the innermost element.
    fn depths(&self) -> Depths {
        self.open
            .last()
            .map_or_else(Depths::default, |top| top.depths)
    }

    fn push(
        &mut self,
        name: Name<'_>,
        element: Element,
        names: Names<'_>,
        vocabulary: Vocabulary,
        text: ElementText,
    ) {
        self.deepest = self.deepest.max(self.open.len() + self.beyond + 1);
        if self.open.len() == self.limit {
            self.beyond += 1;
            return;
        }
        let depth = self.open.len() + 1;
        let namesake = self.set_named(name, depth);
        let parent = self.open.last();
        let integration = integration(name.text, vocabulary);
        let is_barrier = element.barrier() || integration;
        let depths = parent.map_or_else(Depths::default, |parent| parent.depths);
        let name_text = if name.tag == Tag::Other {
            name.text
        } else {
            ""
        };
        let is_html = self.split == SplitList::Html && vocabulary == Vocabulary::Html;
        let is_span = name.tag == Tag::Span;
        let paragraph = is_html
            && (name.tag == Tag::P || (is_span && parent.is_some_and(|parent| parent.paragraph)));
        let in_code =
            is_html && (is_span || element.line()) && parent.is_some_and(|parent| parent.code);
        let starts_code = is_html && matches!(name.tag, Tag::Pre | Tag::Listing | Tag::Xmp);
        let open = Open {
            paragraph,
            code: in_code || starts_code,
            unnamed: text != ElementText::Hidden
                && (element.inline()
                    || vocabulary == Vocabulary::Math
                    || (is_span && paragraph)
                    || in_code),
            element,
            vocabulary,
            integration,
            chrome: element.chrome() || parent.is_some_and(|parent| parent.chrome),
            hides: text == ElementText::Hidden,
            hidden: text == ElementText::Dropped
                || self.hides(name, vocabulary)
                || parent.is_some_and(|parent| parent.hidden),
            depths: depths.inside(name.tag, element, is_barrier, depth),
            namesake,
            tag: name.tag,
            texts: self.texts.len(),
            name_bytes: name_text.len(),
            class_bytes: names.class.len(),
        };
        self.open.push(open);
        #[cfg(test)]
        (self.work += 1);
        self.texts.push_str(name_text);
        self.texts.push_str(names.class);
        self.texts.push_str(names.id);
    }

    /// Whether the text of this element is never shown.
    fn hides(&self, name: Name<'_>, vocabulary: Vocabulary) -> bool {
        let shown_by_original = self.split == SplitList::Original;
        match vocabulary {
            Vocabulary::Html => false,
            Vocabulary::Svg => match name.text {
                "style" | "script" => true,
                "title" | "desc" | "metadata" => !shown_by_original,
                _ => false,
            },
            Vocabulary::Math => name.text.starts_with("annotation") && !shown_by_original,
        }
    }
}

/// Whether an element of `svg` or `math` may contain HTML: an HTML or MathML text integration
/// point of the standard.
fn integration(name: &str, vocabulary: Vocabulary) -> bool {
    match vocabulary {
        Vocabulary::Html => false,
        Vocabulary::Svg => matches!(name, "foreignobject" | "desc" | "title"),
        Vocabulary::Math => matches!(name, "mi" | "mo" | "mn" | "ms" | "mtext" | "annotation-xml"),
    }
}

/// Whether this is a reading of the characters before it in `ruby`, or its brackets.
pub(crate) fn is_reading(tag: Tag) -> bool {
    matches!(tag, Tag::Rt | Tag::Rp | Tag::Rtc)
}

/// Whether this is a part of a table. Outside a table its tags are ignored.
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
