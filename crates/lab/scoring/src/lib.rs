//! Scores of an extraction against a gold text: precision, recall and F1.
//!
//! An extraction is compared with a gold text as in the paper [P 5.2]: both become
//! sequences of words, the *overlap* is the length of their longest common
//! subsequence, and
//!
//! ```text
//! precision = overlap / words extracted     F1 = 2 P R / (P + R)
//! recall    = overlap / words of the gold
//! ```
//!
//! ```
//! use scoring::{Outcome, Summary, Tokens, Vocabulary, lcs};
//!
//! let mut vocabulary = Vocabulary::default();
//! let gold = vocabulary.words("Storm in Ljubljana. Trees fell.", Tokens::Unicode);
//! let extracted = vocabulary.words("Home: Storm in Ljubljana", Tokens::Unicode);
//!
//! let overlap = lcs(&gold, &extracted);
//! assert_eq!((overlap.common(), overlap.extracted(), overlap.gold()), (3, 4, 5));
//! let Outcome::Measured(score) = overlap.outcome() else { unreachable!() };
//! assert_eq!((score.precision, score.recall), (0.75, 0.6));
//!
//! // A page from which nothing was extracted counts 0, and the summary counts it.
//! let nothing = lcs(&gold, &[]).outcome();
//! let summary = Summary::from_outcomes([overlap.outcome(), nothing]);
//! assert_eq!(summary.cases.empty_extraction, 1);
//! assert_eq!(summary.spread.map(|spread| spread.mean.f1), Some(score.f1 / 2.0));
//! ```
//!
//! # Which F1?
//!
//! The literature uses "F1" for several numbers. This crate has four overlaps and two
//! ways to split a text into words:
//!
//! | | overlap | words |
//! |---|---|---|
//! | the paper [P 5.2] | [`lcs`] | [`Tokens::Unicode`] |
//! | the thesis [K 4] | [`ratcliff_obershelp`] with [`Autojunk::On`] | [`Tokens::Ascii`] |
//! | bag of words [N 2] | [`bag_of_words`] | either |
//! | ROUGE-LSum [L 3.2] | [`rouge_lsum`] of [`Vocabulary::lines`] | either |
//!
//! [`ratcliff_obershelp`] equals the matching of Python's `difflib`. It is never more
//! than the longest common subsequence and depends on the order of its arguments, so
//! figures made with it and with [`lcs`] are not comparable.
//!
//! [`weighted`] gives words at the start of a text, and noise inside it, more weight
//! [K 6.1]. [`Score::f_beta`] weighs recall against precision. [`Overlap::edit_distance`] is
//! the measure of CleanEval.
//!
//! # Boundary cases
//!
//! An [`Outcome`] distinguishes the boundary cases of [K 3.3.4, 5.3]. A mean is taken
//! over all pages that have gold, whatever was extracted from them, so that all
//! extractors are averaged over the same pages:
//!
//! | case | gold | extraction | counts as |
//! |---|---|---|---|
//! | [`Measured`](Outcome::Measured) | words | words, some in common | its score |
//! | [`NoOverlap`](Outcome::NoOverlap) | words | words, none in common | 0 |
//! | [`EmptyExtraction`](Outcome::EmptyExtraction) | words | none | 0 |
//! | [`Failed`](Outcome::Failed) | words | the extractor failed | 0 |
//! | [`EmptyGold`](Outcome::EmptyGold) | none | words | not at all |
//! | [`BothEmpty`](Outcome::BothEmpty) | none | none | not at all |
//! | [`FailedWithoutGold`](Outcome::FailedWithoutGold) | none | the extractor failed | not at all |
//!
//! The thesis leaves all but the first case out of the means. That favours an extractor
//! that gives up on difficult pages, as [K 5.3] says itself. Here every mean is
//! returned together with the [`Cases`] it was computed from.
//!
//! # Determinism
//!
//! Sums of floating-point numbers depend on their order, so the order is part of the
//! contract: pages are added in the order given, domains by name. Nothing depends on
//! hash order.
//!
//! # Limits of the crate
//!
//! - It reads no files, parses no HTML and calls no extractor. Its input is a gold
//!   text and an extracted text; the words of a page fit in memory.
//! - It does not stem, drop stop words or fold accents. ROUGE's optional Porter
//!   stemmer is left out because it is for English, and the pages are not.
//! - It does not test significance, and it has no score for a whole site at once
//!   (words of all pages pooled): every page has the same weight in its domain.
//!
//! References: [P n] is section n of Sluban & Grčar, "URL Tree: Efficient
//! Unsupervised Content Extraction from Streams of Web Documents", CIKM 2013;
//! [K n] is chapter or section n of Kovačič, "Evaluating Web Content Extraction
//! Algorithms", University of Ljubljana 2012, and where it is silent, the program
//! published with it; [N n] is section n of Laber et al., "A Fast and Simple Method for
//! Extracting Relevant Content from News Webpages", CIKM 2009; [L n] is section n of Lin, "ROUGE: A Package for Automatic
//! Evaluation of Summaries", 2004, as in Google Research's `rouge_score`.

mod alignment;
mod bag;
mod cases;
mod curve;
mod histogram;
mod lcs;
mod outcome;
mod ratcliff_obershelp;
mod rouge;
mod summary;
mod weighted;
mod words;

pub use alignment::alignment;
pub use bag::bag_of_words;
pub use cases::Cases;
pub use curve::{Average, LearningCurve, PageInStream, cumulative_average};
pub use histogram::{BINS, Histogram};
pub use lcs::{lcs, lcs_members};
pub use outcome::{ImpossibleOverlap, Outcome, Overlap, Score};
pub use ratcliff_obershelp::{Autojunk, MatchingBlock, matching_blocks, ratcliff_obershelp};
pub use rouge::rouge_lsum;
pub use summary::{MacroSummary, Spread, Summary};
pub use weighted::{UnknownWeight, Weights, weighted};
pub use words::{Tokens, Vocabulary, WordId};
