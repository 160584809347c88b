//! Case-by-case comparison with the authors' code, for tests and `docs/method.md`.
//!
//! The product implements a published method. Tests check this by comparing its answers,
//! case by case, with those of the authors' code for the same input. Only tests use this
//! crate. It finds the material, counts equal and different cases, and keeps the tables of
//! `docs/method.md` equal to the counts.
//!
//! A case is either identical, or all its differences have a [`Difference::name`];
//! otherwise the test fails. A test also fails if one of its differences has no case, so
//! every difference named in the page exists.
//!
//! ```
//! use conformance::{Comparison, Difference, Row};
//!
//! const PORT: Difference = Difference::spelling("port", "a default port is not printed");
//!
//! let mut row = Row::new("two keys");
//! row.identical();
//! row.differs(["port"]);
//! let mut comparison = Comparison::new("keys", &[PORT]);
//! comparison.add(row);
//! let table = comparison.table()?;
//! assert!(table.contains("| two keys | 2 | 1 | 1 | 0 |"));
//! # Ok::<(), conformance::Disagreement>(())
//! ```
//!
//! Tests call [`Comparison::finish`], which compares the table with the section of the
//! page between `<!-- conformance:keys -->` and `<!-- /conformance:keys -->`. With
//! `URLTREE_WRITE_METHOD=1` it rewrites that section instead.
//!
//! The crate does not know URLs, blocks or trees. Each test defines its differences and
//! the cases that they cover.

mod comparison;
mod material;
mod method;

pub use comparison::{Comparison, Difference, Disagreement, Row};
pub use material::{material, rows};
