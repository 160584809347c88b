//! Files of a page, and a page with its gold text.

use crate::pair::page_id;

/// A file that the caller has read.
#[derive(Clone, Copy, Debug)]
pub struct File<'f> {
    /// The name of the file, for errors and for [`GoldPage::id`]. It is not opened.
    pub name: &'f str,
    /// The content of the file, decompressed.
    pub bytes: &'f [u8],
}

/// A page with its gold text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoldPage {
    /// The id of the page in its set: [`page_id`] of its gold file, or the key in JSON.
    pub id: String,
    /// The URL of the page, if the set has it.
    pub url: Option<String>,
    /// The title of the page as stated in CleanEval and JSON, or the headline in
    /// L3S-GN1. It need not be in the text.
    pub title: Option<String>,
    /// The language as stated in JSON.
    pub lang: Option<String>,
    /// The WHATWG name of the encoding that the set states for `html`.
    pub charset: Option<&'static str>,
    /// The page, not decoded, without the element that CleanEval wraps around it.
    pub html: Option<Vec<u8>>,
    /// The gold text. May be empty.
    pub text: String,
}

impl GoldPage {
    /// Creates a page without URL, title, language and encoding.
    pub(crate) fn new(page: Option<File<'_>>, gold: File<'_>, text: String) -> Self {
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
