//! What tests compare the product with, and the figures of `docs/method.md`.
//!
//! The product is a published method. Whether it *is* that method is shown by
//! comparing it, case by case, with what the authors' code makes of the same
//! input. This crate is used by tests alone. It finds the material, counts what
//! agrees, and keeps the tables of `docs/method.md` equal to what was counted.
//!
//! A case is identical, or it differs in ways that have a [`Difference::name`], or the
//! test fails. So does a test whose differences excuse no case: what is named
//! in the page exists.
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
//! Tests call [`Comparison::settle`], which holds the table against the section
//! of the page between `<!-- conformance:keys -->` and
//! `<!-- /conformance:keys -->`, and rewrites that section where
//! `URLTREE_WRITE_METHOD=1`.
//!
//! What it deliberately does not do: it knows nothing of URLs, blocks or trees.
//! What a difference is, and which cases it covers, is said in each test.

mod comparison;
mod material;
mod method;

pub use comparison::{Comparison, Difference, Disagreement, Row};
pub use material::{material, rows};
