use std::fmt;

/// The reason why an archive row or object could not be processed: the `reason`
/// column of the `quarantine` table. The codes are stable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The object is not a readable Parquet file.
    UnreadableObject,
    /// A part of the object cannot be decoded.
    UnreadableRow,
    /// The row has no time.
    MissingTime,
    /// The row's time is not on a day of `archive.dates`.
    ImpossibleTime,
    /// The row's time is not on the day in the folder's name.
    WrongDate,
    /// The row has neither a response URL nor a request URL.
    MissingUrl,
    /// The URL cannot be parsed, or is not a web address.
    InvalidUrl,
    /// The host of the URL has no registrable domain.
    NoDomain,
    /// The URL exceeds a limit.
    UrlLimit,
    /// The HTTP status is not a success.
    HttpStatus,
    /// The content type is not HTML.
    ContentType,
    /// The row has no HTML.
    MissingHtml,
    /// The HTML is empty or only white space.
    EmptyHtml,
    /// The bytes are another format.
    BinaryHtml,
    /// A parser of the URL or the HTML panicked.
    Parser,
}

impl Reason {
    /// Returns the code in the `reason` column.
    pub fn code(self) -> &'static str {
        match self {
            Self::UnreadableObject => "unreadable_object",
            Self::UnreadableRow => "unreadable_row",
            Self::MissingTime => "missing_time",
            Self::ImpossibleTime => "impossible_time",
            Self::WrongDate => "wrong_date",
            Self::MissingUrl => "missing_url",
            Self::InvalidUrl => "invalid_url",
            Self::NoDomain => "no_domain",
            Self::UrlLimit => "url_limit",
            Self::HttpStatus => "http_status",
            Self::ContentType => "content_type",
            Self::MissingHtml => "missing_html",
            Self::EmptyHtml => "empty_html",
            Self::BinaryHtml => "binary_html",
            Self::Parser => "parser",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}
