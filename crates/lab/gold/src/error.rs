//! Errors of gold files, with file and line.

use thiserror::Error;

use crate::File;

/// A file that cannot be read as gold.
#[derive(Debug, Error)]
#[error("{file}{}: {kind}", line.map(|line| format!(":{line}")).unwrap_or_default())]
#[non_exhaustive]
pub struct GoldError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1; `None` if the error is that of the whole file.
    pub line: Option<usize>,
    /// The error.
    pub kind: GoldErrorKind,
}

/// The kinds of errors in a gold file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum GoldErrorKind {
    /// A binary file, for example a compressed one, or UTF-16 without a byte order mark.
    #[error("not a text file: byte {offset} is zero")]
    NotText {
        /// The offset of the first zero, in bytes.
        offset: usize,
    },
    /// A file with a UTF-16 byte order mark that is not valid UTF-16.
    #[error("invalid UTF-16 after a UTF-16 byte order mark")]
    NotUtf16,
    /// A JSON file that is not valid UTF-8.
    #[error("not UTF-8: byte {offset} is invalid")]
    NotUtf8 {
        /// The offset of the first invalid byte.
        offset: usize,
    },
    /// A CleanEval page that was cut or damaged at its beginning.
    #[error("the start tag <text> is not closed by `>`")]
    OpenTextTag,
    /// A CleanEval page that was cut at its end.
    #[error("the end tag </text> after the page is missing")]
    OpenText,
    /// A page without labels: not annotated, or of another set.
    #[error("no <span> has the attribute {attribute} with a label")]
    NoLabel {
        /// The attribute of a labelled `<span>`.
        attribute: &'static str,
    },
    /// A `<span>` without an end tag, so that the end of its label is unknown.
    #[error("the <span> has no end tag")]
    OpenSpan,
    /// An end tag without a start tag, so that labels do not nest.
    #[error("</span> without a <span>")]
    StraySpanEnd,
    /// A page that ends inside an element whose content is not text, such as a script.
    #[error("the <{element}> has no end tag")]
    OpenRawElement {
        /// The name of the element.
        element: &'static str,
    },
    /// A file that is not JSON, or JSON of another form.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A JSON object without an id.
    #[error("the object has neither `page_id` nor `id` nor `url`")]
    NoId,
    /// A second gold text for a page.
    #[error("a second gold text for page {id}; the first is on line {first}")]
    SecondGold {
        /// The id of the page.
        id: String,
        /// The line on which the first object ends.
        first: usize,
    },
    /// A line of a mapping that is not `<urn:uuid:ID> URL`.
    #[error("the line is not of the form `<urn:uuid:ID> URL`")]
    NoMapping,
}

impl GoldErrorKind {
    /// An error on a line, counted from 1.
    pub(crate) fn at_line(self, file: File<'_>, line: usize) -> GoldError {
        GoldError {
            file: file.name.to_owned(),
            line: Some(line),
            kind: self,
        }
    }

    /// An error at a byte of `text`, which is the content of the file.
    pub(crate) fn at_byte(self, file: File<'_>, text: &[u8], offset: usize) -> GoldError {
        let before = &text[..offset.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        self.at_line(file, line)
    }

    /// An error of the whole file.
    pub(crate) fn for_file(self, file: File<'_>) -> GoldError {
        GoldError {
            file: file.name.to_owned(),
            line: None,
            kind: self,
        }
    }
}
