//! Charts of an evaluation as SVG text, to be opened in a browser or embedded in a page.
//!
//! | chart | what it shows | after |
//! |---|---|---|
//! | [`Curves`] | cumulative F1 along a stream, a line per domain or extractor | [P figures 4, 5] |
//! | [`Duplicates`] | duplicates after each step of the URL normalisation | [P figure 2] |
//! | [`MeanScores`] | mean precision, recall and F1 with their standard deviations | [K figures 5.1, 5.2] |
//! | [`Distributions`] | pages per twentieth of precision, recall and F1 | [K figures 5.3, 5.4] |
//! | [`BoundaryCases`] | pages by outcome, and why some have no score | [K figures 5.5, 5.6] |
//! | [`Points`] | the time of each page against its size | [A figure 4] |
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
//! // A value that is not a score is an error.
//! let line = Line { name: "a", points: vec![(1, f64::NAN)], final_score: None };
//! assert!(Curves { lines: vec![line], ..curves }.to_svg().is_err());
//! # Ok::<(), charts::ChartError>(())
//! ```
//!
//! # Determinism
//!
//! A chart is a function of its names and numbers: its bytes are the same on every
//! machine. Nothing depends on hash order, a clock or installed fonts. Positions on a
//! logarithmic axis are computed with `libm`, because the logarithm of the standard
//! library may differ between platforms.
//!
//! # Readability and embedding
//!
//! - Names are data and cannot become markup. Characters that XML forbids or that change
//!   the direction of writing become U+FFFD. A long name is shortened in the middle; its
//!   tooltip has the full name.
//! - Neighbouring lines differ in colour, and lines of the same colour in their dashes;
//!   there are 35 combinations. A test checks that any two colours can be distinguished
//!   with normal sight and with each kind of colour blindness.
//! - A chart has its own white background, so it looks the same on light and dark pages.
//!   It has no style sheet, script or ids, so several charts can be embedded in one page.
//! - `<desc>` describes the chart in words, and every mark has its numbers as a tooltip.
//!
//! # Limits of the crate
//!
//! - It computes no statistics, and reads and writes no files.
//! - It has no animation and no themes. The evaluation prints the same numbers, for
//!   drawing them with other tools.
//! - It does not measure text. Fonts differ, so widths are upper estimates.
//!
//! References: [P figure n] is a figure of Sluban & Grčar, "URL Tree: Efficient
//! Unsupervised Content Extraction from Streams of Web Documents", CIKM 2013;
//! [K figure n] of Kovačič, "Evaluating Web Content Extraction Algorithms",
//! University of Ljubljana 2012; [A figure 4] of Alarte et al., "Main Content Extraction from
//! Heterogeneous Webpages", WISE 2018.

mod boundary_cases;
mod canvas;
mod curves;
mod distributions;
mod downsampling;
mod duplicates;
mod error;
mod means;
mod palette;
mod points;
mod scale;
mod text;

pub use boundary_cases::{BoundaryCases, CASES, CaseCounts};
pub use curves::{Curves, DocumentAxis, Line};
pub use distributions::{BINS, Distribution, Distributions};
pub use duplicates::{Duplicates, Step};
pub use error::ChartError;
pub use means::{Mean, MeanScore, MeanScores};
pub use points::Points;
