//! DOM paths of a site that a reader has marked as content or boilerplate.
//!
//! A heuristic is wrong about some box of some site, and a reader sees it at once. A mark says so: one
//! line of a small file, with a domain, a DOM path and a label. It applies to every page of the site.
//!
//! ```
//! use template::marks::{Label, MarkFile, MarkedPath};
//!
//! let text = "news.example\tdiv.story>div.box\tboilerplate\n\
//!             news.example\tdiv.story>div.box>p.update\tcontent\tMay: they correct errors here\n";
//! let mut file = MarkFile::parse(text, |domain| Some(domain.to_owned()))?;
//! let marks = file.marks();
//! let site = marks.of("news.example").expect("the site has marks");
//! assert_eq!(site.label("div.story>div.box.wide>p"), Some(Label::Boilerplate));
//! assert_eq!(site.label("div.story>div.box>p.update>b"), Some(Label::Content));
//! assert_eq!(site.label("div.story>p"), None);
//!
//! let path = MarkedPath::parse("div.story > div.box").expect("a path");
//! assert!(file.remove("news.example", &path));
//! assert!(file.to_string().starts_with("news.example\tdiv.story>div.box>p.update\tcontent"));
//! # Ok::<(), template::marks::MarkError>(())
//! ```
//!
//! # The rule
//!
//! - A path is compared in the normal form of the template: each element by its name and its first
//!   class, without digits. So a mark made on one page applies to the pages on which the same box
//!   has other further classes ([`MarkedPath`]).
//! - A mark is for the blocks at its path and for all blocks below it.
//! - Of several marks, the longest path that is a beginning of the block's path decides. Paths are
//!   compared element by element: `div.ab` does not begin with `div.a`.
//! - `body` is the empty path. It is a beginning of every path, and so the mark of last resort.
//! - A marked block has the label of its mark, whatever the heuristic says ([`SiteMarks`]).
//!
//! # Non-goals
//!
//! - It reads and writes no file: [`MarkFile`] is a text in memory.
//! - It does not know which domains there are. The caller of [`MarkFile::parse`] does.
//! - It knows neither URLs nor parts of a site: a mark is for all pages of a domain.

mod file;
mod marked_path;
mod rule;

pub use file::{Mark, MarkError, MarkFile, MarkProblem};
pub use marked_path::{MarkedPath, PathProblem};
pub use rule::{Label, Marks, SiteMarks, UnknownLabel};
