//! Learns from a site's pages which parts of its URLs identify a page.
//!
//! A site at `spip.php?article117` names its pages by a parameter. Another adds `?via=mail` to
//! every link, and the page is the same. The published method drops a parameter without a
//! rule, and names the upkeep of these rules as future work (Sluban and Grčar,
//! "URL Tree", CIKM 2013, sections 3 and 6). This crate writes the rules from the pages.
//!
//! ```
//! use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
//! use html_blocks::BlockOptions;
//! use url_parameters::{ComparedPage, Learner, Signature};
//!
//! let keyer = Keyer::new(KeyOptions::default(), RuleSet::empty(), Blocklist::default())?;
//! let page = |url: &str, text: &str| {
//!     let html = format!("<title>News</title><p>{text}</p>");
//!     let parsed = html_blocks::page(html.as_bytes(), None, &BlockOptions::default()).unwrap();
//!     ComparedPage {
//!         date: 15_000,
//!         url: url.to_owned(),
//!         parts: keyer.parts(&keyer.parse(url).unwrap()).unwrap(),
//!         signature: Signature::new(&parsed),
//!         page: url.to_owned(),
//!     }
//! };
//! let mut learner = Learner::default();
//! let story = "http://a.example/s?id=1";
//! assert_eq!(learner.page(page(story, "A tea house opens.")), None);
//! assert_eq!(learner.page(page("http://a.example/s?id=2", "It rains.")), None);
//! let copy = learner.page(page("http://a.example/s?id=1&via=mail", "A tea house opens."));
//! assert_eq!(copy.as_deref(), Some(story));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # The comparison
//!
//! Pages are compared if their URLs are equal but for parts that nothing decides about
//! ([`url_key::UrlParts`]). Two pages have equal content if their titles are equal and their
//! longest blocks of text are the same ([`Signature`]). Text inside navigation, headers, footers
//! and forms does not count, and text of links counts little.
//!
//! If two URLs differ in one part only, the comparison is [`Evidence`] about that part. A part
//! becomes *noise* when it has changed nothing often enough and never something. From the next
//! date on it is dropped from keys. It *identifies* pages when it almost always leads to another
//! page. From then on it stays, and pages that differ in it are not compared any more. One URL in
//! 64 with noise is still compared ([`is_audited`]), so that a wrong verdict is found and revised.
//!
//! # State
//!
//! Verdicts change between two dates only. A verdict of a date is a function of the pages of the
//! dates before it: [`Learner::restore_slot`] and [`Learner::restore_page`] take what an earlier
//! run stored.
//!
//! # Non-goals
//!
//! It parses no HTML and no URL. It compares no pages with different base URLs: two copies
//! of an article at unrelated addresses are two pages.

mod audit;
mod evidence;
mod group;
mod learner;
mod rule_file;
mod signature;
mod verdicts;

pub use audit::is_audited;
pub use evidence::{Evidence, Verdict};
pub use learner::{ComparedPage, Learner, SlotChange};
pub use rule_file::RuleFile;
pub use signature::{Signature, SignatureError, Similarity};
pub use verdicts::{KeyDates, Openness, Slot, Verdicts};
