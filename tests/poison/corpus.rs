//! The poison pages: what is wrong with each, and what has to become of it.

mod markup;
mod rows;
mod text;

use crate::support::Row;

/// A row made to hurt.
#[derive(Clone, Copy)]
pub(crate) struct Poison {
    pub(crate) name: &'static str,
    pub(crate) made: Made,
    pub(crate) outcome: Outcome,
}

/// How it is made.
#[derive(Clone, Copy)]
pub(crate) enum Made {
    /// A page of about this many bytes.
    Page(fn(usize) -> Vec<u8>),
    /// An ordinary row with something done to it.
    Row(fn(Row) -> Row),
}

/// What becomes of it.
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

    /// The row that `ordinary` becomes; a page is of about `bytes` bytes, unless it
    /// has a size of its own.
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

/// `piece` again and again, up to `bytes`.
pub(super) fn fill(piece: &str, bytes: usize) -> Vec<u8> {
    piece.repeat(bytes / piece.len()).into_bytes()
}

/// The same between a beginning and an end.
pub(super) fn between(start: &str, piece: &str, end: &str, bytes: usize) -> Vec<u8> {
    let mut page = start.as_bytes().to_vec();
    page.extend(fill(piece, bytes.saturating_sub(start.len() + end.len())));
    page.extend_from_slice(end.as_bytes());
    page
}

/// All of them.
pub(crate) fn corpus() -> impl Iterator<Item = &'static Poison> {
    markup::MARKUP.iter().chain(text::TEXT).chain(rows::ROWS)
}
