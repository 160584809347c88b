//! Gold texts of web pages, from the formats in which they are published.
//!
//! A *gold text* is the text that a person marked as the content of a page. This crate
//! reads the bytes of the files of a page into a [`GoldPage`]: the gold as plain text,
//! one line per block, with the URL, title and encoding that the set states.
//!
//! ```
//! use gold::{File, Format, pair};
//!
//! // The files of a folder like the CleanEval development set.
//! let pairing = pair(["7.html", "8.html"], ["7-cleaned.txt"])?;
//! assert_eq!(pairing.pairs, [("7.html", "7-cleaned.txt")]);
//! assert_eq!(pairing.pages_without_gold, ["8.html"]);
//!
//! let page = b"<text id=\"http://a.eu/\" title=\"Storm\" encoding=\"iso-8859-1\">\n\
//!              <p>Home<h1>Storm in Celje</h1>Trees fell.\n</text>";
//! let gold = b"URL: http://a.eu/\n\n  <h>Storm in Celje\n\n  <p>Trees\n     fell.\n";
//! let page = File { name: "7.html", bytes: page };
//! let gold = File { name: "7-cleaned.txt", bytes: gold };
//!
//! let storm = Format::CleanEval.read(Some(page), gold)?;
//! assert_eq!((storm.id.as_str(), storm.url.as_deref()), ("7", Some("http://a.eu/")));
//! assert_eq!(storm.text, "Storm in Celje\nTrees fell.");
//! assert_eq!(storm.charset, Some("windows-1252"));
//! assert!(storm.html.is_some_and(|html| html.starts_with(b"\n<p>Home")));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Formats
//!
//! | set | page | gold | read by |
//! |---|---|---|---|
//! | CleanEval, development [Baroni 2008] | `7.html` | `7-cleaned.txt` | [`Format::CleanEval`] |
//! | CleanEval, final [Baroni 2008]; CleanPortalEval | `7.html` | `7.txt` | [`Format::CleanEval`] |
//! | L3S-GN1 [Kohlschütter 2010] | `original/ID.html` | `annotated/ID.html` | [`Format::L3sGn1`], [`l3s_gn1_urls`] |
//! | GoogleTrends-2017 [Leonhardt 2020] | `raw_html/1.html` | `prepared_html/1.html` | [`Format::BoilerNet`] |
//! | Dragnet [Peters 2013] | `HTML/R2.html` | `Corrected/R2.html.corrected.txt` | [`Format::Dragnet`] |
//! | any | `7.html` | `7.txt` | [`Format::Plain`] |
//! | article-extraction-benchmark | `html/ID.html.gz` | `ground-truth.json` | [`json`] |
//! | combined set of [Bevendorff 2023] | `html/SET/ID.html` | `ground-truth/SET.jsonl` | [`json_lines`] |
//!
//! Where a decision rests on a measurement of the published files, the figure is beside
//! the code.
//!
//! # Text
//!
//! If a format marks blocks, each block becomes a line and white space in it becomes one
//! space; no-break spaces are kept. The other formats keep their lines. An empty gold
//! text is a gold text: the annotators found no content. A missing gold text is listed
//! in [`Pairing`], or is an error.
//!
//! # Encodings
//!
//! Few sets have one encoding. Of the 681 gold files of the final CleanEval set, 42 are
//! windows-1252 and 4 are UTF-8 with single bytes of windows-1252; of the 1,381 of
//! Dragnet, 38 are windows-1252 and 5 are UTF-16. The byte order mark decides. Without
//! one, valid UTF-8 is decoded as UTF-8 and every other byte as windows-1252. Binary
//! files are an error. The *page* is not decoded: [`GoldPage::html`] has its bytes, and
//! [`GoldPage::charset`] the encoding that the set states.
//!
//! # Limits of the crate
//!
//! - It does not open, list or decompress files: names and bytes come from the caller.
//! - It does not guess a format. A folder of text files may be CleanEval, Dragnet or
//!   plain text, and a wrong guess would put markers or comments into the gold text.
//! - It does not repair gold texts: letters that an annotator's editor lost stay lost.
//! - It computes no scores.
//!
//! References: [Baroni 2008] Baroni, Chantree, Kilgarriff & Sharoff, "CleanEval: a
//! Competition for Cleaning Web Pages", LREC 2008, and its annotation guidelines;
//! [Kohlschütter 2010] Kohlschütter, Fankhauser & Nejdl, "Boilerplate Detection
//! using Shallow Text Features", WSDM 2010, and the README of its data;
//! [Leonhardt 2020] Leonhardt, Anand & Khosla, "Boilerplate Removal using a Neural
//! Sequence Labeling Model", WWW 2020, and its program; [Peters 2013] Peters &
//! Lecocq, "Content Extraction Using Diverse Feature Sets", WWW 2013, and its
//! program; [Bevendorff 2023] Bevendorff, Gupta, Kiesel & Stein, "An Empirical
//! Comparison of Web Content Extraction Algorithms", SIGIR 2023, and its program;
//! [K n] is chapter or section n of Kovačič, "Evaluating Web Content Extraction
//! Algorithms", University of Ljubljana 2012, and the program published with it.

mod boilernet;
mod cleaneval;
mod decode;
mod error;
mod json;
mod l3s_gn1;
mod labelled;
mod page;
mod pair;
mod plain;
mod references;
mod text_builder;

pub use error::{GoldError, GoldErrorKind};
pub use json::{json, json_lines};
pub use l3s_gn1::{Label, Labels, l3s_gn1_urls};
pub use page::{File, GoldPage};
pub use pair::{PairError, Pairing, page_id, pair};
pub use plain::Comments;

/// A format with one gold file per page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A text in which `<p>`, `<h>` and `<l>` begin a paragraph, heading or list item,
    /// mostly below a line `URL: ...`. The page is in an element
    /// `<text id="URL" title="..." encoding="...">` [Baroni 2008].
    ///
    /// Markers count anywhere, as in Evert's `cleaneval.py` of 2008; [K 4] takes only
    /// those at the beginning of a line (850 of 52,821 in both sets are elsewhere).
    /// `URL:` counts only above the text. Other tags and comments are visible text: one
    /// page is the listing of a program. Character references are decoded;
    /// CleanPortalEval has them, the two sets of the competition do not. A page without
    /// `<text>` is taken unchanged.
    CleanEval,
    /// The page with its text in `<span class="x-nc-sel0">` to `5`. Text with one of the
    /// given labels is gold [Kohlschütter 2010].
    L3sGn1(Labels),
    /// The page with its text in `<span __boilernet_label="1">` if it is content, or `0`
    /// if it is not [Leonhardt 2020].
    BoilerNet,
    /// A plain text, with comments of readers after a line `!@#$%^&*() COMMENTS`
    /// [Peters 2013].
    Dragnet(Comments),
    /// A plain text.
    Plain,
}

impl Format {
    /// Reads the gold text of one page, and the page if it is given.
    ///
    /// # Errors
    ///
    /// If a file is not a text file, or not in this format; see [`GoldErrorKind`].
    pub fn read(self, page: Option<File<'_>>, gold: File<'_>) -> Result<GoldPage, GoldError> {
        match self {
            Format::CleanEval => cleaneval::read(page, gold),
            Format::L3sGn1(labels) => l3s_gn1::read(page, gold, labels),
            Format::BoilerNet => boilernet::read(page, gold),
            Format::Dragnet(comments) => plain::dragnet(page, gold, comments),
            Format::Plain => plain::read(page, gold),
        }
    }
}
