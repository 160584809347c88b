//! The columns of the archive: their names, and the types that are read.

use std::sync::Arc;

use arrow::datatypes::{DataType, TimeUnit};

use crate::spec::ColumnNames;

/// A column of the archive. Objects may use other column names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum ObjectColumn {
    /// Time of the fetch.
    FetchedAt,
    /// Response URL.
    Url,
    /// Content of the page.
    Html,
    /// URL before redirects.
    RequestUrl,
    /// Title from the feed.
    Title,
    /// Content-Type header.
    ContentType,
    /// Charset of the header.
    HttpCharset,
    /// Status of the response.
    HttpStatus,
    /// X-Robots-Tag header.
    XRobotsTag,
    /// TDM-Reservation header.
    TdmReservation,
    /// The reason why a record of a WARC file cannot be used. No other object has it.
    Problem,
    /// A column of `output.archive_columns`, by its position there.
    PassedThrough(u16),
}

/// Returns the columns that are read of pages: with headers that speak of uses if the job writes
/// `opt_out`, and with as many columns that are passed through.
pub(crate) fn page_columns(opt_out: bool, passed_through: usize) -> Arc<[ObjectColumn]> {
    let mut columns = vec![
        ObjectColumn::Html,
        ObjectColumn::ContentType,
        ObjectColumn::HttpCharset,
    ];
    if opt_out {
        columns.extend([ObjectColumn::XRobotsTag, ObjectColumn::TdmReservation]);
    }
    let positions = (0..).take(passed_through);
    columns.extend(positions.map(ObjectColumn::PassedThrough));
    columns.into()
}

impl ObjectColumn {
    /// Returns the columns that the job knows, each with the name that the job gives it, if any.
    pub(super) fn known(names: &ColumnNames) -> [(Self, Option<&String>); 10] {
        [
            (Self::FetchedAt, names.fetched_at.as_ref()),
            (Self::Url, names.url.as_ref()),
            (Self::Html, names.html.as_ref()),
            (Self::RequestUrl, names.request_url.as_ref()),
            (Self::Title, names.title.as_ref()),
            (Self::ContentType, names.content_type.as_ref()),
            (Self::HttpCharset, names.http_charset.as_ref()),
            (Self::HttpStatus, names.http_status.as_ref()),
            (Self::XRobotsTag, names.x_robots_tag.as_ref()),
            (Self::TdmReservation, names.tdm_reservation.as_ref()),
        ]
    }

    /// Returns the key of the job that names the column.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::FetchedAt => "archive.columns.fetched_at",
            Self::Url => "archive.columns.url",
            Self::Html => "archive.columns.html",
            Self::RequestUrl => "archive.columns.request_url",
            Self::Title => "archive.columns.title",
            Self::ContentType => "archive.columns.content_type",
            Self::HttpCharset => "archive.columns.http_charset",
            Self::HttpStatus => "archive.columns.http_status",
            Self::XRobotsTag => "archive.columns.x_robots_tag",
            Self::TdmReservation => "archive.columns.tdm_reservation",
            Self::Problem => "archive.columns.problem",
            Self::PassedThrough(_) => "output.archive_columns",
        }
    }

    /// Returns the default name: the last part of the key.
    pub(crate) fn name(self) -> &'static str {
        let key = self.key();
        key.rsplit_once('.').map_or(key, |(_, name)| name)
    }

    pub(super) fn required(self) -> bool {
        matches!(self, Self::FetchedAt | Self::Html)
    }

    /// Returns the type that the column is converted to from `found`. Times are microseconds; a time
    /// without a zone is UTC. A column that is passed through is a number, a boolean or a text.
    pub(super) fn target(self, found: &DataType) -> DataType {
        match self {
            Self::PassedThrough(_) if found.is_signed_integer() => DataType::Int64,
            Self::PassedThrough(_) if found.is_unsigned_integer() => DataType::UInt64,
            Self::PassedThrough(_) if *found == DataType::Boolean => DataType::Boolean,
            Self::FetchedAt => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Html => DataType::BinaryView,
            Self::HttpStatus => DataType::Int32,
            _ => DataType::Utf8,
        }
    }

    /// Checks that values of the type `found` have one meaning in this column.
    ///
    /// # Errors
    /// The types that are expected.
    pub(super) fn accepts(self, found: &DataType) -> Result<(), &'static str> {
        let (text, binary) = (found.is_string(), found.is_binary());
        let number = found.is_integer() || matches!(found, DataType::Float32 | DataType::Float64);
        let (accepted, expected) = match self {
            Self::FetchedAt => {
                let time = matches!(
                    found,
                    DataType::Timestamp(..) | DataType::Date32 | DataType::Date64
                );
                let accepted = time || text || binary || number;
                (accepted, "a timestamp, a date, a string or a number")
            }
            Self::Html => (binary || text, "binary"),
            Self::HttpStatus => (number || text || binary, "a number or a string"),
            Self::PassedThrough(_) => (
                text || found.is_numeric() || found.is_temporal() || *found == DataType::Boolean,
                "a string, a number, a time or a boolean",
            ),
            // Titles that are all years are a column of numbers.
            Self::Title => (text || binary || found.is_integer(), "a string"),
            _ => (text || binary, "a string"),
        };
        if accepted { Ok(()) } else { Err(expected) }
    }
}
