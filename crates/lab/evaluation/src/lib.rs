//! Compares the texts of extractors with gold texts of the same pages.
//!
//! A *gold set* is a Parquet file of pages, each with a gold text: its content, as decided
//! by a person or by a rule made for the site. An extractor gives a text per page, in a
//! Parquet or JSON Lines file or in the table `documents`. Gold texts and texts are
//! matched by URL and, if both have it, by time of fetch:
//!
//! ```
//! use evaluation::{GoldPage, Measure, Text, Texts, compare};
//!
//! let gold = [
//!     GoldPage::new("http://a.example/1", "Storm in Ljubljana"),
//!     GoldPage::new("http://a.example/2", "Trees fell"),
//! ];
//! let mut texts = Texts::of("copy");
//! texts.insert("http://a.example/1", Text::of("Home Storm in Ljubljana"));
//!
//! let results = compare("two pages", &gold, |_| true, &texts, Measure::default());
//! let summary = scoring::Summary::from_outcomes(results.iter().map(|result| result.outcome));
//! // A page without a text of the extractor is a failure, and counts 0.
//! assert_eq!((summary.cases.measured, summary.cases.failed), (1, 1));
//! ```
//!
//! The heuristics of the URL Tree do not need a run of a job: [`replay`] labels the pages
//! of a set under any number of them. The texts are those that a job with the same
//! [`SiteSettings`](site_replay::SiteSettings) writes, because both use the rules of `site_replay`.
//!
//! # Non-goals
//!
//! It does not contain extractors of other projects: an adapter runs each in a separate
//! process. It does not test whether a difference is significant.

mod cause;
mod columns;
mod compare;
mod cpu;
mod duplicates;
mod gold_set;
mod import;
mod input;
mod measured;
mod methods;
mod node_ranges;
mod nodes;
mod page_blocks;
mod peer;
mod plots;
mod published;
mod replay;
mod report;
pub mod reproduce;
mod results;
mod table;
mod texts;
mod thresholds;
mod tuning;

pub use cause::Cause;
pub use compare::{Counted, Measure, Overlapping, PageResult, compare, compare_nodes};
pub use cpu::timed;
pub use duplicates::DuplicatesByStep;
pub use gold_set::{Fetched, GoldPage, GoldSet, evenly};
pub use import::{ImportError, Imported, Layout, Source, import};
pub use input::{InputError, InputProblem};
pub use measured::{Collection, Measured, MeasuredSet};
pub use methods::extract;
pub use node_ranges::NodeRanges;
pub use nodes::NodeTrees;
pub use page_blocks::{LabelledBlocks, PageBlocks};
pub use peer::{Peer, PeerError, Peers};
pub use plots::{Plot, plots, stream_plot};
pub use published::{PublishedCases, PublishedFigure, PublishedFigures};
pub use replay::replay;
pub use report::{comparison_section, place, section, section_name, tuning_section};
pub use results::{Standing, results_table, standings, standings_table, write_results};
pub use texts::{Kind, Text, Texts};
pub use thresholds::{Breach, Reached, Thresholds};
pub use tuning::{SUPPORTS, Tried, tune, tuning_table};
