//! Writes units with the marks of the quotes, lists and items around them.

use std::collections::HashSet;

use crate::context::Context;
use crate::form::Form;
use crate::inline::longest_run;
use crate::structure::{Kind, Structure};
use crate::units::{Leaf, Unit};

/// Highest number of an item: CommonMark reads nine digits.
const HIGHEST: u32 = 999_999_999;

/// An open quote, list or item.
#[derive(Debug)]
struct Level {
    container: u32,
    kind: LevelKind,
    /// The beginning of each line inside it after the first.
    indent: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LevelKind {
    Quote,
    /// A list with its mark.
    Bullets(char),
    /// A numbered list with its delimiter and its next number.
    Numbers(char, u32),
    Item,
}

/// Writes the units of a page.
pub(crate) fn write(structure: &Structure, units: &[Unit], form: &Form) -> String {
    let loose = loose_lists(structure, units);
    let mut writer = Writer {
        structure,
        loose,
        levels: Vec::new(),
        out: String::new(),
    };
    for unit in units {
        let text = match &unit.leaf {
            Leaf::Paragraph(inline) => inline.write(Context::Paragraph, form),
            Leaf::Heading(level, inline) => {
                let text = inline.write(Context::Heading, form);
                format!("{} {text}", "#".repeat(usize::from(*level).clamp(1, 6)))
            }
            Leaf::Code(language, code) => fenced(language, code),
            Leaf::Table(grid) => grid.write(form),
        };
        if !text.is_empty() {
            writer.unit(&unit.path, &text);
        }
    }
    if !writer.out.is_empty() {
        writer.out.push('\n');
    }
    writer.out
}

/// Code between more backticks than it has in a row.
fn fenced(language: &str, code: &str) -> String {
    let code = code.replace("\r\n", "\n").replace('\r', "\n");
    // Blank lines at both ends are of the source, not of the code; the indent of its first line is.
    let blank = code.len() - code.trim_start().len();
    let start = code[..blank].rfind('\n').map_or(0, |at| at + 1);
    let code = code[start..].trim_end();
    let fence = "`".repeat(longest_run(code, '`').max(2) + 1);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// The lists with an item of more than a paragraph and the lists below it. Blank lines separate their
/// items; without, the items of other lists are read as single lines.
fn loose_lists(structure: &Structure, units: &[Unit]) -> HashSet<u32> {
    let mut loose = HashSet::new();
    // The open items that have a unit.
    let mut filled: HashSet<u32> = HashSet::new();
    let is_item = |at: u32| matches!(structure.kind(at), Some(Kind::Item(_)));
    for unit in units {
        let plain = matches!(unit.leaf, Leaf::Paragraph(_));
        filled.retain(|item| unit.path.contains(item));
        for (depth, at) in unit.path.iter().enumerate().filter(|(_, at)| is_item(**at)) {
            let list = structure.containers[*at as usize - 1].parent;
            let direct = depth + 1 == unit.path.len();
            let below = unit
                .path
                .get(depth + 1)
                .map(|inner| (*inner, structure.kind(*inner)));
            let first_number = unit
                .path
                .get(depth + 2)
                .map(|item| number(structure, *item));
            let is_filled = !filled.insert(*at);
            let tight = match below {
                None => direct && plain && !is_filled,
                Some((_, Some(Kind::List))) => true,
                // Only a list that begins with 1 is read as a list below a line of text.
                Some((_, Some(Kind::Ordered(_)))) => first_number == Some(1) || !is_filled,
                Some(_) => false,
            };
            if !tight {
                loose.insert(list);
            }
        }
    }
    loose
}

/// The number of an item of a numbered list.
fn number(structure: &Structure, item: u32) -> u32 {
    let container = &structure.containers[item as usize - 1];
    let Kind::Item(before) = container.kind else {
        return 1;
    };
    match structure.kind(container.parent) {
        Some(Kind::Ordered(first)) => first.saturating_add(before).min(HIGHEST),
        _ => 1,
    }
}

struct Writer<'s> {
    structure: &'s Structure,
    loose: HashSet<u32>,
    levels: Vec<Level>,
    out: String,
}

impl Writer<'_> {
    /// Writes a unit with this text inside these quotes, lists and items.
    fn unit(&mut self, path: &[u32], text: &str) {
        let open = self.levels.iter().map(|level| level.container);
        let common = open.zip(path).take_while(|(open, at)| open == *at).count();
        let before = self.levels.drain(common..).next().map(|level| level.kind);
        if !self.out.is_empty() {
            let tight = self.tight(path, common);
            self.out.push('\n');
            if !tight {
                let indent = self.indent();
                self.out.push_str(indent.trim_end());
                self.out.push('\n');
            }
        }
        let indent = self.indent();
        self.out.push_str(&indent);
        for (at, container) in path.iter().enumerate().skip(common) {
            self.open(*container, before.filter(|_| at == common));
        }
        let indent = self.indent();
        for (at, line) in text.split('\n').enumerate() {
            if at > 0 {
                self.out.push('\n');
                let indent = if line.is_empty() {
                    indent.trim_end()
                } else {
                    &indent
                };
                self.out.push_str(indent);
            }
            self.out.push_str(line);
        }
    }

    /// Whether no blank line separates a unit from the one before. They have the first `common`
    /// levels in common.
    fn tight(&self, path: &[u32], common: usize) -> bool {
        let Some(inner) = self.levels.last() else {
            return false;
        };
        let list = match inner.kind {
            LevelKind::Quote => return false,
            LevelKind::Bullets(_) | LevelKind::Numbers(..) => inner.container,
            LevelKind::Item if path.len() > common => {
                self.structure.containers[inner.container as usize - 1].parent
            }
            LevelKind::Item => return false,
        };
        !self.loose.contains(&list)
    }

    fn indent(&self) -> String {
        self.levels
            .iter()
            .map(|level| level.indent.as_str())
            .collect()
    }

    /// Opens a level and writes its mark. `before` is the list that ends directly before it: lists
    /// side by side have other marks, or they would be one.
    fn open(&mut self, container: u32, before: Option<LevelKind>) {
        let (kind, mark, indent) = match self.structure.kind(container) {
            Some(Kind::Quote) => (LevelKind::Quote, "> ".to_owned(), "> ".to_owned()),
            Some(Kind::Ordered(_)) => {
                let other = matches!(before, Some(LevelKind::Numbers('.', _)));
                let delimiter = if other { ')' } else { '.' };
                (
                    LevelKind::Numbers(delimiter, 0),
                    String::new(),
                    String::new(),
                )
            }
            Some(Kind::Item(_)) => {
                let first = number(self.structure, container);
                let mark = match self.levels.last_mut().map(|level| &mut level.kind) {
                    Some(LevelKind::Numbers(delimiter, next)) => {
                        let number = if *next == 0 { first } else { *next };
                        *next = number.saturating_add(1).min(HIGHEST);
                        format!("{number}{delimiter} ")
                    }
                    Some(LevelKind::Bullets(mark)) => format!("{mark} "),
                    _ => "- ".to_owned(),
                };
                let indent = " ".repeat(mark.len());
                (LevelKind::Item, mark, indent)
            }
            _ => {
                let other = matches!(before, Some(LevelKind::Bullets('-')));
                let mark = if other { '*' } else { '-' };
                (LevelKind::Bullets(mark), String::new(), String::new())
            }
        };
        self.out.push_str(&mark);
        self.levels.push(Level {
            container,
            kind,
            indent,
        });
    }
}
