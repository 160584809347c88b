//! The poison pages, each with its defect and its expected outcome.

mod markup;
mod rows;
mod text;

use crate::support::Row;

/// A row that is made to be expensive or to break the parser.
#[derive(Clone, Copy)]
pub(crate) struct Poison {
    pub(crate) name: &'static str,
    pub(crate) made: Made,
    pub(crate) outcome: Outcome,
}

/// The maker of a poison row.
#[derive(Clone, Copy)]
pub(crate) enum Made {
    /// A page of about this many bytes.
    Page(fn(usize) -> Vec<u8>),
    /// A change of an ordinary row.
    Row(fn(Row) -> Row),
}

/// The expected outcome of a poison row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// A document with warnings of these codes.
    Document(&'static [&'static str]),
    /// A row of `quarantine` with this reason.
    Quarantine(&'static str),
}

impl Poison {
    pub(super) const fn page(
        name: &'static str,
        page: fn(usize) -> Vec<u8>,
        outcome: Outcome,
    ) -> Self {
        let made = Made::Page(page);
        Self {
            name,
            made,
            outcome,
        }
    }

    pub(super) const fn row(name: &'static str, change: fn(Row) -> Row, outcome: Outcome) -> Self {
        let made = Made::Row(change);
        Self {
            name,
            made,
            outcome,
        }
    }

    /// The poison row made from `ordinary`. A page has about `bytes` bytes, unless its
    /// size is fixed.
    pub(crate) fn of(&self, ordinary: Row, bytes: usize) -> Row {
        match self.made {
            Made::Page(page) => Row {
                html: Some(page(bytes)),
                ..ordinary
            },
            Made::Row(change) => change(ordinary),
        }
    }
}

/// Repeats `piece` up to `bytes`.
pub(super) fn fill(piece: &str, bytes: usize) -> Vec<u8> {
    piece.repeat(bytes / piece.len()).into_bytes()
}

/// Repeats `piece` between `start` and `end`, up to `bytes` in all.
pub(super) fn between(start: &str, piece: &str, end: &str, bytes: usize) -> Vec<u8> {
    let mut page = start.as_bytes().to_vec();
    page.extend(fill(piece, bytes.saturating_sub(start.len() + end.len())));
    page.extend_from_slice(end.as_bytes());
    page
}

/// All poison pages.
pub(crate) fn corpus() -> impl Iterator<Item = &'static Poison> {
    markup::MARKUP.iter().chain(text::TEXT).chain(rows::ROWS)
}
