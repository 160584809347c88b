//! The columns of a list of pages, and their names in a list.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A column of a list of pages, with the name that it has in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Column {
    /// When the page was fetched. In a list it is also called `time`.
    FetchedAt,
    /// The URL of the page.
    Url,
    /// The file of the page, relative to a folder.
    Path,
    /// The page itself.
    Html,
    /// The title of the feed item.
    Title,
    /// The URL before redirects.
    RequestUrl,
    /// The header `Content-Type`.
    ContentType,
    /// The charset of that header.
    HttpCharset,
    /// The status code.
    HttpStatus,
    /// The header `X-Robots-Tag`; several are separated by commas or line breaks.
    XRobotsTag,
    /// The header `TDM-Reservation`.
    TdmReservation,
}

impl Column {
    /// All columns, in the order of their values in a row.
    pub(crate) const ALL: [Self; 11] = [
        Self::FetchedAt,
        Self::Url,
        Self::Path,
        Self::Html,
        Self::Title,
        Self::RequestUrl,
        Self::ContentType,
        Self::HttpCharset,
        Self::HttpStatus,
        Self::XRobotsTag,
        Self::TdmReservation,
    ];

    /// Returns the name in the archive.
    pub fn name(self) -> &'static str {
        match self {
            Self::FetchedAt => "fetched_at",
            Self::Url => "url",
            Self::Path => "path",
            Self::Html => "html",
            Self::Title => "title",
            Self::RequestUrl => "request_url",
            Self::ContentType => "content_type",
            Self::HttpCharset => "http_charset",
            Self::HttpStatus => "http_status",
            Self::XRobotsTag => "x_robots_tag",
            Self::TdmReservation => "tdm_reservation",
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A pair that is not `COLUMN=NAME`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not COLUMN=NAME, where COLUMN is fetched_at, url, path, html, title, request_url, content_type, http_charset, http_status, x_robots_tag or tdm_reservation"
)]
pub struct ColumnError(String);

/// The name that one column has in a list: `fetched_at=time`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnName {
    /// The column.
    pub column: Column,
    /// Its name.
    pub name: String,
}

impl FromStr for ColumnName {
    type Err = ColumnError;

    fn from_str(text: &str) -> Result<Self, ColumnError> {
        let of = |wanted: &str| Column::ALL.into_iter().find(|of| of.name() == wanted);
        (text.split_once('='))
            .and_then(|(column, name)| {
                let column = of(column.trim())?;
                let name = name.trim().to_owned();
                (!name.is_empty()).then_some(Self { column, name })
            })
            .ok_or_else(|| ColumnError(text.to_owned()))
    }
}

/// The names of the columns in a list. Other columns have the names of the archive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Columns(BTreeMap<Column, String>);

impl Columns {
    /// Whether a column was given a name.
    pub(crate) fn names(&self, column: Column) -> bool {
        self.0.contains_key(&column)
    }

    /// The names to look for, the first one first.
    pub(crate) fn candidates(&self, column: Column) -> Vec<&str> {
        match (self.0.get(&column), column) {
            (Some(name), _) => vec![name],
            (None, Column::FetchedAt) => vec![column.name(), "time"],
            (None, _) => vec![column.name()],
        }
    }
}

impl FromIterator<ColumnName> for Columns {
    fn from_iter<I: IntoIterator<Item = ColumnName>>(names: I) -> Self {
        let pair = |of: ColumnName| (of.column, of.name);
        Self(names.into_iter().map(pair).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_replaces_the_names_of_its_column() {
        let columns: Columns = [ColumnName::from_str("fetched_at = when").unwrap()]
            .into_iter()
            .collect();
        assert_eq!(columns.candidates(Column::FetchedAt), ["when"]);
        assert_eq!(columns.candidates(Column::Url), ["url"]);
        let candidates = Columns::default();
        assert_eq!(
            candidates.candidates(Column::FetchedAt),
            ["fetched_at", "time"]
        );
    }

    #[test]
    fn unknown_columns_and_empty_names_are_errors() {
        for text in ["when=time", "url=", "url"] {
            assert!(ColumnName::from_str(text).is_err(), "{text}");
        }
    }
}
