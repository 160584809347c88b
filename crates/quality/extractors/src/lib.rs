//! Published content extractors under one trait, to compare with.
//!
//! The URL Tree was measured against other methods, and most of those that the
//! literature names cannot be installed: they were never released, or for an
//! environment that is gone. This crate has them again, written from their
//! papers. Each module says which equations and algorithms it follows, where the
//! paper is silent, and what was chosen there.
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
//! | `alarte` | [`Alarte`]: what four linked pages do not have | the site |
//! | `temex` | [`TemEx`]: what most of four linked pages do not have | the site |
//! | `iwptd` | [`Iwptd`]: blocks without repeated texts | the site |
//! | `cetr` | [`Cetr`]: tag ratios over a threshold | the page |
//! | `cetr-km` | [`CetrClusters`]: tag ratios, clustered | the page |
//! | `ccb` | [`ContentCodeBlurring`]: text far from tags | the page |
//! | `cetd` | [`Cetd`]: text density over a threshold | the page |
//! | `cetd-ds` | [`CetdDensitySum`]: greatest sum of densities | the page |
//!
//! A method for one page ignores the [`Site`]; one for a site says so by
//! [`Scope::Site`], and fails where it is given no other page. A [`Page`] is
//! parsed once, however many methods look at it, and a page of a site only if a
//! method chooses it. Any input ends in a result in time that grows with its
//! length: nesting, nodes and attributes of a page are limited (512 open
//! elements, 500,000 nodes, 1,024 attributes of a tag), and no function recurses
//! over the tree. What no reader sees (scripts, style sheets, comments,
//! `noscript`) is no text to any method.
//!
//! "The thesis" in the modules is T. Kovačič: "Evaluating Web Content Extraction
//! Algorithms", University of Ljubljana, 2012, whose section 2.2.4 surveys methods
//! for one page.
//!
//! What this crate does not do: it fetches nothing, so a method for a site
//! chooses among the pages it is given; it decodes no bytes; it does not compare
//! texts with a gold standard; it has no method that is maintained elsewhere and
//! can be installed; it is not used by the URL Tree.

mod ccb;
mod cetd;
mod cetr;
mod dom;
mod feed;
mod limits;
mod nce;
mod page;
mod parse;
mod registry;
mod site;
mod source;
mod text;
mod tree;

pub use ccb::ContentCodeBlurring;
pub use cetd::{Cetd, CetdDensitySum};
pub use cetr::{Cetr, CetrClusters};
pub use nce::{Nce, NceParameters};
pub use page::{Page, Site};
pub use registry::{UnknownExtractor, by_name, extractors};
pub use site::{Alarte, Iwptd, TemEx};

/// A published method that finds the main content of a page.
///
/// Extraction is a pure function of the two arguments.
pub trait Extractor: Send + Sync {
    /// By which a user asks for it, such as `cetr-km`.
    fn name(&self) -> &'static str;

    /// What it does, in one line.
    fn summary(&self) -> &'static str;

    /// Authors, title, where and when it was published.
    fn reference(&self) -> &'static str;

    /// Whether it needs other pages of the site.
    fn scope(&self) -> Scope;

    /// The main content of a page. A method may find nothing: that is an
    /// [`Extraction`] without text.
    ///
    /// # Errors
    /// [`ExtractError::NoText`] for a page with nothing to choose from. Methods
    /// for a site alone: [`ExtractError::NoOtherPages`], [`ExtractError::Url`].
    fn extract(&self, page: &Page<'_>, site: &Site<'_>) -> Result<Extraction, ExtractError>;
}

/// What an extractor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// One page.
    Page,
    /// A page and others of its site.
    Site,
}

/// What an extractor found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Extraction {
    /// The content, a block of text in each line, in the order of the page.
    /// Whitespace is normalised. A title that was found is its first line.
    pub text: String,
    /// The title, if the method looks for one and found it.
    pub title: Option<String>,
    /// Runs of letters and digits in `text`.
    pub words: usize,
    /// Nodes of the tree that were kept, elements and texts, if the method works
    /// on a tree.
    pub nodes: Option<usize>,
}

impl Extraction {
    fn new(text: String, nodes: Option<usize>) -> Self {
        Self {
            words: text::words(&text).count(),
            text,
            title: None,
            nodes,
        }
    }
}

/// Why there is no extraction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExtractError {
    /// The page has no visible text.
    #[error("the page has no text")]
    NoText,
    /// A method for a site was given no page but the one to extract.
    #[error("{method} compares pages of a site, and was given no other page of {host}")]
    NoOtherPages {
        /// Name of the extractor.
        method: &'static str,
        /// The host of the page, without `www.`.
        host: String,
    },
    /// A method that follows links was given a page whose URL is none.
    #[error("the page's URL {url:?} cannot be read")]
    Url {
        /// As it was given.
        url: String,
        /// What is wrong with it.
        source: url::ParseError,
    },
}
