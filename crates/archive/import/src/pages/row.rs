//! A row of a list, and the page that it describes.

use tables::{is_possible_time, time_of_text};
use url::Url;

use crate::pages::columns::Column;

/// The reason why a row is not a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Reason {
    #[error("the line is not a JSON object: {0}")]
    Json(String),
    #[error("line {line} has {found} fields, and the first line has {expected}")]
    Fields {
        line: u64,
        expected: usize,
        found: usize,
    },
    #[error(
        "line {0} has a quote that is not closed, or text after a quoted field; double the quotes of a field"
    )]
    Quote(u64),
    #[error("the row has more than {0} bytes")]
    RowTooLarge(u64),
    #[error("{0} is not UTF-8")]
    NotUtf8(Column),
    #[error("{0} is not a text")]
    NotText(Column),
    #[error("{0} is missing")]
    Missing(Column),
    #[error("{column} `{value}` is not {expected}")]
    Value {
        column: Column,
        value: String,
        expected: &'static str,
    },
    #[error("the path leads out of the folder")]
    Outside,
    #[error("the file is missing")]
    NoFile,
    #[error("the file cannot be read: {0}")]
    Unreadable(String),
    #[error("the page has {bytes} bytes, and the limit is {limit}")]
    TooLarge { bytes: u64, limit: u64 },
}

impl Reason {
    /// Returns the reason without what differs from row to row.
    pub(crate) fn kind(&self) -> String {
        match self {
            Self::Json(_) => "not a JSON object".to_owned(),
            Self::Fields { .. } => "another number of fields than the first line".to_owned(),
            Self::Quote(_) => "a quote that is not closed".to_owned(),
            Self::RowTooLarge(_) | Self::TooLarge { .. } => "too large".to_owned(),
            Self::Value {
                column, expected, ..
            } => format!("{column} is not {expected}"),
            Self::Unreadable(_) => "the file cannot be read".to_owned(),
            Self::NotUtf8(_)
            | Self::NotText(_)
            | Self::Missing(_)
            | Self::Outside
            | Self::NoFile => self.to_string(),
        }
    }
}

/// A value of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Bytes(Vec<u8>),
    /// Microseconds since 1970, UTC.
    Time(i64),
}

/// The values of a row, one for each of [`Column::ALL`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Values([Option<Value>; Column::ALL.len()]);

impl Values {
    pub(crate) fn set(&mut self, column: Column, value: Value) {
        self.0[column as usize] = Some(value);
    }

    fn take(&mut self, column: Column) -> Option<Value> {
        self.0[column as usize].take()
    }

    /// Returns a text, or `None` if it is missing or has only white space.
    fn text(&mut self, column: Column) -> Result<Option<String>, Reason> {
        match self.take(column) {
            Some(Value::Text(text)) if text.trim().is_empty() => Ok(None),
            Some(Value::Text(text)) => Ok(Some(text)),
            None => Ok(None),
            Some(_) => Err(Reason::NotText(column)),
        }
    }

    /// Returns a text as it is, for a report.
    pub(crate) fn said(&self, column: Column) -> Option<&str> {
        match &self.0[column as usize] {
            Some(Value::Text(text)) => Some(text),
            _ => None,
        }
    }
}

/// A row of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// From 1 upwards.
    pub(crate) number: i64,
    pub(crate) values: Result<Values, Reason>,
}

/// The page that a row describes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) fetched_at: i64,
    pub(crate) url: String,
    pub(crate) request_url: Option<String>,
    pub(crate) title: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) charset: Option<String>,
    pub(crate) status: Option<i32>,
    pub(crate) x_robots_tag: Option<String>,
    pub(crate) tdm_reservation: Option<String>,
    pub(crate) path: Option<String>,
    /// The page, if the row has it.
    pub(crate) html: Option<Vec<u8>>,
}

impl TryFrom<Values> for Listed {
    type Error = Reason;

    fn try_from(mut values: Values) -> Result<Self, Reason> {
        let fetched_at = match values.take(Column::FetchedAt) {
            Some(Value::Time(micros)) if is_possible_time(micros) => micros,
            Some(Value::Text(text)) if !text.trim().is_empty() => {
                time_of_text(&text).ok_or_else(|| value(Column::FetchedAt, &text, "a time"))?
            }
            Some(Value::Time(micros)) => {
                return Err(value(Column::FetchedAt, &micros.to_string(), "a time"));
            }
            Some(Value::Bytes(_)) => return Err(Reason::NotText(Column::FetchedAt)),
            Some(Value::Text(_)) | None => return Err(Reason::Missing(Column::FetchedAt)),
        };
        let url = values.text(Column::Url)?;
        let url = url.ok_or(Reason::Missing(Column::Url))?.trim().to_owned();
        if !is_web_address(&url) {
            return Err(value(Column::Url, &url, "a web address"));
        }
        let status = match values.text(Column::HttpStatus)? {
            None => None,
            Some(text) => Some(
                (text.trim().parse().ok())
                    .filter(|status| (0..1000).contains(status))
                    .ok_or_else(|| value(Column::HttpStatus, &text, "a status code"))?,
            ),
        };
        let charset = values.text(Column::HttpCharset)?;
        let (html, charset) = match values.take(Column::Html) {
            // A text is Unicode, whatever the page says about its bytes.
            Some(Value::Text(html)) => (Some(html.into_bytes()), Some("utf-8".to_owned())),
            Some(Value::Bytes(html)) => (Some(html), charset),
            Some(Value::Time(_)) => return Err(Reason::NotText(Column::Html)),
            None => (None, charset),
        };
        Ok(Self {
            fetched_at,
            url,
            request_url: values.text(Column::RequestUrl)?,
            title: values.text(Column::Title)?,
            content_type: values.text(Column::ContentType)?,
            charset,
            status,
            x_robots_tag: values.text(Column::XRobotsTag)?,
            tdm_reservation: values.text(Column::TdmReservation)?,
            path: values.text(Column::Path)?,
            html,
        })
    }
}

/// Most letters of a value in a reason.
const MAX_LETTERS: usize = 200;

fn value(column: Column, value: &str, expected: &'static str) -> Reason {
    Reason::Value {
        column,
        value: value.chars().take(MAX_LETTERS).collect(),
        expected,
    }
}

fn is_web_address(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(Column, &str)]) -> Values {
        let mut values = Values::default();
        for (column, text) in pairs {
            values.set(*column, Value::Text((*text).to_owned()));
        }
        values
    }

    #[test]
    fn each_column_has_its_own_value() {
        for (position, column) in Column::ALL.into_iter().enumerate() {
            assert_eq!(column as usize, position, "{column}");
        }
    }

    #[test]
    fn a_page_needs_a_time_and_a_web_address() {
        let time = (Column::FetchedAt, "2011-10-24");
        let url = (Column::Url, "http://a.example/");
        assert!(Listed::try_from(values(&[time, url])).is_ok());
        let missing = Listed::try_from(values(&[url]));
        assert_eq!(missing, Err(Reason::Missing(Column::FetchedAt)));
        let missing = Listed::try_from(values(&[time, (Column::Url, " ")]));
        assert_eq!(missing, Err(Reason::Missing(Column::Url)));
        for other in [
            "a.example/1",
            "ftp://a.example/",
            "http://",
            "mailto:a@a.example",
        ] {
            let found = Listed::try_from(values(&[time, (Column::Url, other)]));
            assert!(matches!(found, Err(Reason::Value { .. })), "{other}");
        }
    }

    #[test]
    fn html_as_a_text_is_utf_8() {
        let row = [
            (Column::FetchedAt, "2011-10-24"),
            (Column::Url, "http://a.example/"),
            (Column::Html, "<meta charset=latin1>é"),
            (Column::HttpCharset, "latin1"),
        ];
        let listed = Listed::try_from(values(&row)).unwrap();
        assert_eq!(listed.charset.as_deref(), Some("utf-8"));
    }
}
