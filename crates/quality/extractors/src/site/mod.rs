//! Methods that compare a page with other pages of its site.

mod alarte;
mod iwptd;
mod mapping;
mod neighbours;
mod temex;

pub use alarte::Alarte;
pub use iwptd::Iwptd;
pub(crate) use iwptd::SegmentTable;
pub use temex::TemEx;
