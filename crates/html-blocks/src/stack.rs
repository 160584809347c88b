//! The open elements: where in the page a text stands. No tree is built.
//!
//! The rules are those of HTML's tree construction as far as they say which
//! elements are open: implied ends of `p`, `li`, `dt`, `dd`, `option` and table
//! parts, scopes that end tags do not reach across, and `svg` and `math` with the
//! tags that break out of them. Elements laid out inside a line (`b`, `em`) are
//! not kept: where they end is nobody's business here.

use std::collections::HashMap;
use std::sync::Arc;

use html5ever::tendril::StrTendril;
use html5ever::{LocalName, local_name};

use crate::elements::{Element, SplitList};
use crate::slot::SlotPath;

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
    name: LocalName,
    element: Element,
    class: StrTendril,
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
    /// The depth of the innermost open element of each name.
    named: HashMap<LocalName, usize>,
    split: SplitList,
    limit: usize,
    /// Open elements beyond the limit: counted, not told apart.
    beyond: usize,
    deepest: usize,
    path: SlotPath,
}

impl Stack {
    pub(crate) fn new(split: SplitList, limit: usize) -> Self {
        Self {
            open: Vec::new(),
            named: HashMap::new(),
            split,
            limit,
            beyond: 0,
            deepest: 0,
            path: SlotPath::default(),
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

    /// The path of the open elements. See [`crate::TextBlock::slot`].
    pub(crate) fn slot(&mut self) -> Arc<str> {
        for open in &self.open[self.path.depth()..] {
            match open.element.inline() || open.vocabulary == Vocabulary::Math {
                true => self.path.push_unnamed(),
                false => self.path.push(&open.name, &open.class),
            }
        }
        self.path.slot()
    }

    /// A start tag inside a drawing or formula. False if it ends that instead, and
    /// is now to be handled as HTML.
    pub(crate) fn start_foreign(
        &mut self,
        name: &LocalName,
        element: Element,
        class: StrTendril,
        self_closing: bool,
    ) -> bool {
        let Some(vocabulary) = self.open.last().map(|top| top.vocabulary) else {
            return false;
        };
        if element.breaks_out() {
            let html = |open: &Open| open.vocabulary == Vocabulary::Html || open.integration;
            let depth = self.open.iter().rposition(html).map_or(0, |at| at + 1);
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
        name: &LocalName,
        element: Element,
        class: StrTendril,
        self_closing: bool,
    ) {
        self.imply_ends(name, element);
        match *name {
            local_name!("svg") if self_closing => {}
            local_name!("math") if self_closing => {}
            local_name!("svg") => self.push(name, element, class, Vocabulary::Svg),
            local_name!("math") => self.push(name, element, class, Vocabulary::Math),
            _ if element.root() || element.void() || element.inline() => {}
            _ if table_part(name) && self.top(|top| top.table) == 0 => {}
            _ => self.push(name, element, class, Vocabulary::Html),
        }
    }

    /// An end tag. One that matches nothing in scope is ignored.
    pub(crate) fn end(&mut self, name: &LocalName, element: Element) {
        if element.root() || element.void() || (element.inline() && !self.cdata_allowed()) {
            return;
        }
        if self.beyond > 0 {
            self.beyond -= 1;
            return;
        }
        match *name {
            local_name!("p") => self.close(self.top(|top| top.p)),
            local_name!("li") => self.close(self.top(|top| top.item)),
            local_name!("table") => self.close(self.top(|top| top.table)),
            _ if table_part(name) => {
                let table = self.top(|top| top.table);
                let part = self.named(name);
                self.close(if part > table { part } else { 0 });
            }
            _ if element.heading() => self.close(self.in_scope(self.top(|top| top.heading))),
            _ => self.close(self.in_scope(self.named(name))),
        }
    }

    /// Closes the elements whose end tag this start tag makes superfluous.
    fn imply_ends(&mut self, name: &LocalName, element: Element) {
        if self.beyond > 0 {
            return;
        }
        match *name {
            local_name!("li") => self.close(self.top(|top| top.item)),
            local_name!("dt") | local_name!("dd") => self.close(self.top(|top| top.term)),
            local_name!("button") => self.close(self.top(|top| top.button)),
            local_name!("option") => self.close_top(|open| *open == local_name!("option")),
            local_name!("optgroup") => {
                self.close_top(|open| *open == local_name!("option"));
                self.close_top(|open| *open == local_name!("optgroup"));
            }
            local_name!("tr") => self.close_to_table_part(row_group),
            local_name!("td") | local_name!("th") => {
                self.close_to_table_part(|open| row_group(open) || *open == local_name!("tr"));
            }
            _ if table_part(name) => self.close_to_table_part(|_| false),
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
    fn close_to_table_part(&mut self, stays: impl Fn(&LocalName) -> bool) {
        let table = self.top(|top| top.table);
        if table > 0 {
            let part = self
                .open
                .iter()
                .skip(table)
                .rposition(|open| stays(&open.name));
            self.close(table + part.map_or(0, |at| at + 1) + 1);
        }
    }

    fn close_top(&mut self, is: impl Fn(&LocalName) -> bool) {
        if self.open.last().is_some_and(|top| is(&top.name)) {
            self.close(self.open.len());
        }
    }

    /// Closes the element at this depth (counted from 1) and all inside it; does
    /// nothing at depth 0.
    fn close(&mut self, depth: usize) {
        if depth > 0 {
            for closed in self.open.drain(depth - 1..).rev() {
                match closed.namesake {
                    0 => self.named.remove(&closed.name),
                    outer => self.named.insert(closed.name, outer),
                };
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
    fn named(&self, name: &LocalName) -> usize {
        self.named.get(name).copied().unwrap_or(0)
    }

    fn top(&self, depth: impl Fn(&Open) -> usize) -> usize {
        self.open.last().map_or(0, depth)
    }

    fn push(
        &mut self,
        name: &LocalName,
        element: Element,
        class: StrTendril,
        vocabulary: Vocabulary,
    ) {
        self.deepest = self.deepest.max(self.open.len() + self.beyond + 1);
        if self.open.len() == self.limit {
            self.beyond += 1;
            return;
        }
        let depth = self.open.len() + 1;
        let parent = self.open.last();
        // What stands outside a barrier, or outside a list for items, is out of reach.
        let inherit = |of: fn(&Open) -> usize, ends: bool| match parent {
            Some(parent) if !ends => of(parent),
            _ => 0,
        };
        let barrier = element.barrier() || integration(name, vocabulary);
        let list = matches!(
            *name,
            local_name!("ul") | local_name!("ol") | local_name!("menu")
        );
        let or_self = |is: bool, inherited: usize| if is { depth } else { inherited };
        let open = Open {
            element,
            vocabulary,
            integration: integration(name, vocabulary),
            chrome: element.chrome() || parent.is_some_and(|parent| parent.chrome),
            hidden: self.hides(name, vocabulary) || parent.is_some_and(|parent| parent.hidden),
            p: or_self(
                *name == local_name!("p"),
                inherit(|open| open.p, barrier || *name == local_name!("button")),
            ),
            item: or_self(
                *name == local_name!("li"),
                inherit(|open| open.item, barrier || list),
            ),
            term: or_self(
                matches!(*name, local_name!("dt") | local_name!("dd")),
                inherit(|open| open.term, barrier || *name == local_name!("dl")),
            ),
            button: or_self(
                *name == local_name!("button"),
                inherit(|open| open.button, barrier),
            ),
            table: or_self(
                *name == local_name!("table"),
                inherit(|open| open.table, *name == local_name!("template")),
            ),
            heading: or_self(element.heading(), inherit(|open| open.heading, false)),
            barrier: or_self(barrier, inherit(|open| open.barrier, false)),
            namesake: self.named.insert(name.clone(), depth).unwrap_or(0),
            name: name.clone(),
            class,
        };
        self.open.push(open);
    }

    fn hides(&self, name: &LocalName, vocabulary: Vocabulary) -> bool {
        let shown_by_original = self.split == SplitList::Original;
        match vocabulary {
            Vocabulary::Html => *name == local_name!("template") && !shown_by_original,
            Vocabulary::Svg => match &**name {
                "style" | "script" => true,
                "title" | "desc" | "metadata" => !shown_by_original,
                _ => false,
            },
            Vocabulary::Math => name.starts_with("annotation") && !shown_by_original,
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
fn table_part(name: &LocalName) -> bool {
    row_group(name)
        || matches!(
            *name,
            local_name!("tr")
                | local_name!("td")
                | local_name!("th")
                | local_name!("caption")
                | local_name!("colgroup")
        )
}

fn row_group(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("tbody") | local_name!("thead") | local_name!("tfoot")
    )
}
