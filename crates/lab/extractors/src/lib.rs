//! Published content extractors under one trait, as baselines for comparison.
//!
//! The URL Tree was compared with other methods. Most methods in the literature cannot be
//! installed: they were never released, or for an environment that no longer exists. This
//! crate implements them from their papers. Each module states the equations and
//! algorithms that it follows, the points on which the paper is silent, and the choices
//! made there.
//!
//! ```
//! use extractors::{Page, Site, by_name};
//!
//! let page = Page::new(
//!     "http://tea.example/p/1",
//!     "<body><ul><li><a href=/>Home</a><li><a href=/p>Posts</a></ul>
//!      <div><h1>Tea</h1>
//!      <p>Tea is a drink that is made by pouring hot water over leaves.
//!      <p>After water it is the drink that people drink most.</div>",
//! );
//! let extraction = by_name("cetd-ds")?.extract(&page, &Site::default())?;
//!
//! assert!(extraction.text.starts_with("Tea\nTea is a drink that"));
//! assert_eq!(extraction.words, 24);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | name | method | looks at |
//! |---|---|---|
//! | `nce` | [`Nce`]: separator node, comments, title | the page |
//! | `ncleaner` | [`NCleaner`]: segments whose characters are likelier in content | the page |
//! | `ncleaner-nonlexical` | the same without letters: punctuation and lengths of words | the page |
//! | `mss` | [`Mss`]: the sequence of tokens likeliest to be content | the page |
//! | `v-wrapper` | [`VWrapper`]: leaves that a learned classifier calls title or body | the page |
//! | `alarte` | [`Alarte`]: what four linked pages do not have | the site |
//! | `temex` | [`TemEx`]: what most of four linked pages do not have | the site |
//! | `iwptd` | [`Iwptd`]: blocks without repeated texts | the site |
//! | `rtdm-td` | [`RtdmTd`]: what a top-down mapping does not find in all of four linked pages | the site |
//! | `rbmtd` | [`RbmTd`]: what is not at the same place in all of four linked pages | the site |
//! | `sst` | [`Sst`]: what the pages of the site present differently | the site |
//! | `cetr` | [`Cetr`]: tag ratios over a threshold | the page |
//! | `cetr-km` | [`CetrClusters`]: tag ratios, clustered | the page |
//! | `ccb` | [`ContentCodeBlurring`]: text far from tags | the page |
//! | `cetd` | [`Cetd`]: text density over a threshold | the page |
//! | `cetd-ds` | [`CetdDensitySum`]: greatest sum of densities | the page |
//!
//! A method for one page ignores the [`Site`]. A method for a site has
//! [`Scope::Site`], and fails if it is given no other page. A [`Page`] is parsed once for
//! all methods; a page of a site is parsed only if a method selects it.
//!
//! A name can have options, in every command that takes names:
//! `alarte:pages=6,choice=random,seed=7`.
//!
//! | extractors | options |
//! |---|---|
//! | `nce` | `comments=remove` or `keep` switches phase 2; each of its constants, such as `leaf_chars=100` |
//! | `ncleaner`, `ncleaner-nonlexical` | `bias=0`: bits per character by which content must be likelier |
//! | `mss` | `subsequences=1` |
//! | `alarte`, `temex`, `rtdm-td`, `rbmtd` | `pages=4`; `choice=links` or `random`; `seed=0` |
//! | `alarte` | `repeated=0`: other pages that may have a candidate |
//! | `temex` | `threshold=2`: other pages from which a node is template |
//! | `sst` | `threshold=0.2`: greatest importance of noise |
//!
//! The models of `ncleaner`, `mss` and `v-wrapper` in `models/` are of the development set of the Web
//! Content Extraction Benchmark (WCXB, M. Foley 2026, CC-BY-4.0), so their figures on that set are
//! not a measurement. They have counts and hashes, and no text of a page. `train_models` of the
//! evaluation's examples makes them from any gold set.
//!
//! Every input is processed in time proportional to its length, or within a limit on work. The
//! nesting, the nodes and the attributes of a page are limited (512 open elements, 500,000
//! nodes, 1,024 attributes of a tag), and no function recurses over the tree. Invisible content
//! (scripts, style sheets, comments, `noscript`) is not text for any method.
//!
//! "The thesis" in the modules is T. Kovačič: "Evaluating Web Content Extraction
//! Algorithms", University of Ljubljana, 2012, whose section 2.2.4 surveys methods for
//! one page.
//!
//! # Limits of the crate
//!
//! - It fetches nothing: a method for a site selects among the given pages.
//! - It does not decode bytes.
//! - It does not compare texts with a gold standard.
//! - It has no method that is maintained elsewhere and can be installed.
//! - The URL Tree does not use it.

mod ccb;
mod cetd;
mod cetr;
mod dom;
mod feed;
mod limits;
mod mss;
mod nce;
mod ncleaner;
mod nodes;
mod options;
mod page;
mod pages;
mod parse;
mod registry;
mod select;
mod site;
mod source;
mod text;
pub mod training;
mod tree;
mod v_wrapper;

pub use ccb::ContentCodeBlurring;
pub use cetd::{Cetd, CetdDensitySum};
pub use cetr::{Cetr, CetrClusters};
pub use mss::Mss;
pub use nce::{Nce, NceParameters};
pub use ncleaner::NCleaner;
pub use nodes::PageNodes;
pub use options::OptionProblem;
pub use page::Page;
pub use pages::Site;
pub use registry::{UnknownExtractor, by_name, extractors};
pub use select::{Selected, SelectionError, select, select_one};
pub use site::{Alarte, Iwptd, PageChoice, PageOrder, RbmTd, RtdmTd, Sst, TemEx};
pub use v_wrapper::VWrapper;

/// A published method that finds the main content of a page.
///
/// Extraction is a pure function of the page and the site.
pub trait Extractor: Send + Sync {
    /// The name by which a user selects the method, such as `cetr-km`.
    fn name(&self) -> &'static str;

    /// A description of the method in one line.
    fn summary(&self) -> &'static str;

    /// The citation: authors, title, venue and year.
    fn reference(&self) -> &'static str;

    /// Whether the method needs other pages of the site.
    fn scope(&self) -> Scope;

    /// Extracts the main content of a page. If the method finds none, the
    /// [`Extraction`] has an empty text.
    ///
    /// # Errors
    /// [`ExtractError::NoText`] if the page has no visible text. Methods for a site also
    /// return [`ExtractError::NoOtherPages`] and [`ExtractError::Url`].
    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError>;
}

/// The input that an extractor needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One page.
    Page,
    /// A page and other pages of its site.
    Site,
}

/// The result of an extractor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extraction {
    /// The content in document order, one text block per line, with normalised
    /// whitespace. If there is a title, it is the first line.
    pub text: String,
    /// The title, if the method searches for one and finds it.
    pub title: Option<String>,
    /// The number of words in `text`: runs of letters and digits.
    pub words: usize,
    /// The number of nodes that were kept, elements and texts, if the method works on a
    /// tree.
    pub nodes: Option<usize>,
    /// Which nodes were kept, if the method works on a tree: their ids in [`PageNodes`], in
    /// document order.
    pub kept: Option<Vec<usize>>,
}

impl Extraction {
    fn new(text: String, nodes: Option<usize>) -> Self {
        Self {
            words: text::words(&text).count(),
            text,
            title: None,
            nodes,
            kept: None,
        }
    }

    /// Names the nodes that were kept.
    fn keeping(self, is_kept: impl Fn(dom::NodeId) -> bool, dom: &dom::Dom) -> Self {
        Self {
            kept: Some((0..dom.len()).filter(|id| is_kept(*id)).collect()),
            ..self
        }
    }
}

/// An error of an extractor.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExtractError {
    /// The page has no visible text.
    #[error("the page has no visible text")]
    NoText,
    /// A method for a site was given only the page to extract.
    #[error("{method} compares pages of a site, but no other page of {host} was given")]
    NoOtherPages {
        /// The name of the extractor.
        method: &'static str,
        /// The host of the page, without `www.`.
        host: String,
    },
    /// A method for a site was given a page whose URL is invalid.
    #[error("the URL {url:?} of the page is invalid")]
    Url {
        /// The URL as given.
        url: String,
        /// The cause.
        source: url::ParseError,
    },
}
