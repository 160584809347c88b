//! What is wrong with a gold file, and where.

use thiserror::Error;

use crate::File;

/// A file that cannot be read as gold.
#[derive(Debug, Error)]
#[error("{file}{}: {reason}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct GoldError {
    /// The name of the file.
    pub file: String,
    /// The line, from 1; nothing where it is the whole file.
    pub line: Option<usize>,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a gold file.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Reason {
    /// Binary bytes, such as a compressed file, or UTF-16 without its mark.
    #[error("no text: the byte at {offset} is zero")]
    NotText {
        /// Where the first zero is, in bytes.
        offset: usize,
    },
    /// A byte order mark of UTF-16, and something else after it.
    #[error("begins as UTF-16 and is not valid")]
    NotUtf16,
    /// JSON has one encoding.
    #[error("not UTF-8: the byte at {offset}")]
    NotUtf8 {
        /// Where the first wrong byte is.
        offset: usize,
    },
    /// A page of CleanEval, cut or damaged at its beginning.
    #[error("the tag <text> has no end")]
    OpenTextTag,
    /// A page of CleanEval that was cut at its end.
    #[error("no </text> after the page")]
    OpenText,
    /// A page without a label: not annotated, or of another set.
    #[error("no <span> has {attribute}")]
    NoLabel {
        /// What a labelled `<span>` would have.
        attribute: &'static str,
    },
    /// Where the label ends is not known.
    #[error("the <span> has no end")]
    OpenSpan,
    /// Labels do not nest.
    #[error("</span> without a <span>")]
    StraySpanEnd,
    /// The page ends in an element whose content is not text, a script for one.
    #[error("the <{element}> has no end")]
    OpenRawElement {
        /// Its name.
        element: &'static str,
    },
    /// No JSON, or not of the form that was asked for.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// A JSON object that cannot be told from others.
    #[error("neither `page_id` nor `id` nor `url`")]
    NoId,
    /// A page that has a gold already.
    #[error("a second gold for {id}, the first is in line {first}")]
    SecondGold {
        /// What names the page.
        id: String,
        /// The line in which the first one ends.
        first: usize,
    },
    /// A line of a mapping that is not `<urn:uuid:ID> URL`.
    #[error("not `<urn:uuid:ID> URL`")]
    NoMapping,
}

impl Reason {
    /// At a line, from 1.
    pub(crate) fn in_line(self, file: File<'_>, line: usize) -> GoldError {
        GoldError {
            file: file.name.to_owned(),
            line: Some(line),
            reason: self,
        }
    }

    /// At a byte of the text that the file holds.
    pub(crate) fn at(self, file: File<'_>, text: &[u8], offset: usize) -> GoldError {
        let before = &text[..offset.min(text.len())];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        self.in_line(file, line)
    }

    /// Of the file as a whole.
    pub(crate) fn of(self, file: File<'_>) -> GoldError {
        GoldError {
            file: file.name.to_owned(),
            line: None,
            reason: self,
        }
    }
}
