//! Charts of an evaluation as SVG text: open the file in a browser, or put it into a
//! page.
//!
//! | chart | what it shows | after |
//! |---|---|---|
//! | [`Curves`] | cumulative F1 along a stream, a line per domain or extractor | [P figures 4, 5] |
//! | [`Duplicates`] | duplicates after each step of the URL normalisation | [P figure 2] |
//! | [`MeanScores`] | mean precision, recall and F1 with their standard deviations | [K figures 5.1, 5.2] |
//! | [`Distributions`] | pages per twentieth of precision, recall and F1 | [K figures 5.3, 5.4] |
//! | [`BoundaryCases`] | what came out of the pages, and why some have no score | [K figures 5.5, 5.6] |
//!
//! ```
//! use charts::{Curves, DocumentAxis, Line};
//!
//! let curves = Curves {
//!     title: "Cumulative F1",
//!     axis: DocumentAxis::Logarithmic,
//!     lines: vec![
//!         Line {
//!             name: "news.example",
//!             points: vec![(1, 0.0), (2, 0.45), (10, 0.84), (100, 0.9)],
//!             final_score: None,
//!         },
//!         Line {
//!             name: "R&D <weekly>",
//!             points: vec![(1, 0.5), (50, 0.7)],
//!             final_score: Some(0.712),
//!         },
//!     ],
//! };
//! let svg = curves.to_svg()?;
//! assert!(svg.contains("R&amp;D &lt;weekly&gt;") && svg.contains("(0.712)"));
//!
//! // What is no score is not drawn as one.
//! let line = Line { name: "a", points: vec![(1, f64::NAN)], final_score: None };
//! assert!(Curves { lines: vec![line], ..curves }.to_svg().is_err());
//! # Ok::<(), charts::Undrawable>(())
//! ```
//!
//! # The same bytes everywhere
//!
//! A chart is a function of its names and numbers alone. Nothing depends on hash
//! order, a clock or installed fonts, and positions on a logarithmic axis are computed
//! by `libm`, because the logarithm of the standard library may differ between
//! platforms.
//!
//! # Who looks at it
//!
//! - Names are data, so no name can become markup. Characters that XML forbids or
//!   that turn the direction of writing become U+FFFD; a long name is shortened in
//!   the middle and is whole in its tooltip.
//! - Neighbouring lines differ in colour, lines of the same colour in their dashes,
//!   and there are 35 such pairs. A test holds every two colours apart as people with
//!   each kind of colour blindness see them.
//! - A chart brings its own white ground, so it looks the same on a white page
//!   and on a dark one. It has neither style sheet, script nor ids, so several fit
//!   into one page without disturbing it or each other.
//! - `<desc>` says in words what is drawn, and every mark has its numbers as a tooltip.
//!
//! # What it deliberately does not do
//!
//! - It computes no statistic, and reads and writes no files.
//! - It does not animate and has no themes. The same numbers are printed by the
//!   evaluation for who wants to draw them another way.
//! - It does not measure text. Widths are estimated from above, as fonts differ.
//!
//! References: [P figure n] is a figure of Sluban & Grčar, "URL Tree: Efficient
//! Unsupervised Content Extraction from Streams of Web Documents", CIKM 2013;
//! [K figure n] of Kovačič, "Evaluating Web Content Extraction Algorithms",
//! University of Ljubljana 2012.

mod boundary_cases;
mod canvas;
mod curves;
mod distributions;
mod duplicates;
mod lines;
mod means;
mod palette;
mod scale;
mod text;
mod undrawable;

pub use boundary_cases::{BoundaryCases, CaseCounts};
pub use curves::{Curves, DocumentAxis, Line};
pub use distributions::{BINS, Distribution, Distributions};
pub use duplicates::{Duplicates, Step};
pub use means::{Mean, MeanScore, MeanScores};
pub use undrawable::Undrawable;
