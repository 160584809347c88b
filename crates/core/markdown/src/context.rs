//! Where a text is written.

/// Where a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Context {
    Paragraph,
    Heading,
    Cell,
}
