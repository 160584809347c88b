//! Gold texts of web pages, from the formats in which they are published.
//!
//! A *gold text* is what a person marked as the content of a page. This crate
//! takes the bytes of the files of a page and gives a [`GoldPage`]: the gold as
//! plain text, one line per block, and what the set knows of the page beside it.
//!
//! ```
//! use gold::{File, Format, pair};
//!
//! // What a folder of the CleanEval development set would list, and hold.
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
//! What was measured on the published files is said where it decides something.
//!
//! # Text
//!
//! Where a format marks blocks, every block is a line and white space in it is
//! one space; no-break spaces stay. The other formats keep their own lines. An
//! empty gold is a gold: the annotators found no content. A missing one is in
//! [`Pairing`], or an error.
//!
//! # Bytes
//!
//! Hardly a set has one encoding. Of the 681 golds of the final CleanEval set 42
//! are windows-1252 and 4 are UTF-8 with bytes of windows-1252 between; in
//! Dragnet's 1,381 there are 38 and 5 in UTF-16. So a byte order mark decides,
//! and without one what is valid UTF-8 is UTF-8 and every other byte is
//! windows-1252. Bytes that are no text are an error. The *page* is not decoded:
//! [`GoldPage::html`] is as it was, and [`GoldPage::charset`] what the set says
//! of it.
//!
//! # What it deliberately does not do
//!
//! - It opens, lists and decompresses nothing: names and bytes come from the
//!   caller.
//! - It does not guess a format. A folder of text files may be CleanEval, Dragnet
//!   or plain, and a guess would put markers or comments into the gold.
//! - It does not mend golds: letters that an annotator's editor lost stay lost.
//! - It scores nothing.
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
//! Algorithms", University of Ljubljana 2012, and the program he published with it.

mod boilernet;
mod cleaneval;
mod decode;
mod error;
mod json;
mod l3s_gn1;
mod labelled;
mod lines;
mod pair;
mod plain;
mod references;

pub use error::{GoldError, Reason};
pub use json::{json, json_lines};
pub use l3s_gn1::{Label, Labels, l3s_gn1_urls};
pub use pair::{PairError, Pairing, page_id, pair};
pub use plain::Comments;

/// A file that the caller has read.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// Its name, for errors and for [`GoldPage::id`]. Not opened.
    pub name: &'f str,
    /// All of its bytes, decompressed.
    pub bytes: &'f [u8],
}

/// A page and the text that was marked as its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldPage {
    /// What names the page in its set: [`page_id`] of its gold, or the key in JSON.
    pub id: String,
    /// The address of the page, where the set has it.
    pub url: Option<String>,
    /// The title of the page: the one that CleanEval and JSON state, the
    /// headline of L3S-GN1. Not necessarily in the text.
    pub title: Option<String>,
    /// The language, as JSON states it.
    pub lang: Option<String>,
    /// The WHATWG name of the encoding that the set states for `html`.
    pub charset: Option<&'static str>,
    /// The page itself, undecoded, without what the set wrapped around it.
    pub html: Option<Vec<u8>>,
    /// The gold text. May be empty.
    pub text: String,
}

/// A format that has one gold file per page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Text in which `<p>`, `<h>` and `<l>` begin a paragraph, heading or list
    /// item, mostly under a line `URL: ...`; the page in an element
    /// `<text id="URL" title="..." encoding="...">` [Baroni 2008].
    ///
    /// Markers count wherever they stand, as in Evert's `cleaneval.py` of 2008; [K 4]
    /// takes them at the beginning of a line alone (850 of 52,821 in both sets stand
    /// elsewhere). A `URL:` counts above the text alone. Other tags and comments are
    /// text that a reader saw: one page is a listing of a program. Character
    /// references are decoded; CleanPortalEval writes them, the two sets of the
    /// competition have none. A page without its `<text>` is taken as it is.
    CleanEval,
    /// The page with its text in `<span class="x-nc-sel0">` to `5`, of which those
    /// labels are gold that are asked for [Kohlschütter 2010].
    L3sGn1(Labels),
    /// The page with its text in `<span __boilernet_label="0">`, or `1` where it is
    /// content [Leonhardt 2020].
    BoilerNet,
    /// Text, and reader comments after a line `!@#$%^&*() COMMENTS` [Peters 2013].
    Dragnet(Comments),
    /// Text.
    Plain,
}

impl Format {
    /// Reads the gold of one page, and the page where it is at hand.
    ///
    /// # Errors
    ///
    /// If a file is no text, or not in this format; see [`Reason`].
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

impl GoldPage {
    /// A page of which nothing is known but its gold.
    fn new(page: Option<File<'_>>, gold: File<'_>, text: String) -> Self {
        GoldPage {
            id: page_id(gold.name).to_owned(),
            url: None,
            title: None,
            lang: None,
            charset: None,
            html: page.map(|page| page.bytes.to_vec()),
            text,
        }
    }
}
