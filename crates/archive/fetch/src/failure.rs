//! Why a feed or a page was not fetched.

use std::time::Duration;

use boundary::ParserPanic;
use feeds::FeedError;

/// Why a feed or a page was not fetched. It becomes a row, and ends nothing else.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// An address of the own network.
    #[error("{0} is not a public address")]
    Address(String),
    /// Neither http nor https.
    #[error("{0} is not an http or https URL")]
    Scheme(String),
    /// robots.txt forbids the URL, or could not be read.
    #[error("robots.txt does not allow {0}")]
    Robots(String),
    /// Redirects without an end.
    #[error("more than {0} redirects, or a circle of them")]
    Redirects(usize),
    /// A redirect without a place.
    #[error("status {0} without a usable Location")]
    Location(u16),
    /// Too many bytes.
    #[error("more than {0} bytes")]
    TooLarge(usize),
    /// Too slow.
    #[error("no complete answer in {0:?}")]
    Time(Duration),
    /// No answer, or one that is not HTTP.
    #[error("{0}")]
    Connection(String),
    /// An error of the server.
    #[error("status {status}")]
    Status {
        /// The status.
        status: u16,
        /// The time that the server asks for.
        retry_after: Option<Duration>,
    },
    /// The host asked for time earlier in this poll.
    #[error("the host asked for {0:?} without requests")]
    Waits(Duration),
    /// A page that is not HTML.
    #[error("content type {0}")]
    ContentType(String),
    /// A body that cannot be decoded.
    #[error("content encoding {0}")]
    ContentEncoding(String),
    /// Bytes that are not a feed.
    #[error("{0}")]
    Feed(#[from] FeedError),
    /// A parser panicked.
    #[error(transparent)]
    Parser(#[from] ParserPanic),
    /// An item without a link.
    #[error("an item without a link")]
    NoLink,
}

impl Failure {
    /// The reason as one word, by which failures are counted.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::Address(_) => "address",
            Self::Scheme(_) => "scheme",
            Self::Robots(_) => "robots",
            Self::Redirects(_) | Self::Location(_) => "redirects",
            Self::TooLarge(_) => "too_large",
            Self::Time(_) => "time",
            Self::Connection(_) => "connection",
            Self::Status { status: 410, .. } => "gone",
            Self::Status { .. } => "status",
            Self::Waits(_) => "retry_after",
            Self::ContentType(_) => "content_type",
            Self::ContentEncoding(_) => "content_encoding",
            Self::Parser(_) | Self::Feed(FeedError::Parser(_)) => "parser",
            Self::Feed(_) => "not_a_feed",
            Self::NoLink => "no_link",
        }
    }

    /// Whether another try gives the same.
    pub(crate) fn is_final(&self) -> bool {
        matches!(
            self,
            Self::Address(_)
                | Self::Scheme(_)
                | Self::TooLarge(_)
                | Self::Status { status: 410, .. }
                | Self::ContentType(_)
                | Self::NoLink
        )
    }

    /// The time that the server asks for.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Status { retry_after, .. } => *retry_after,
            Self::Waits(retry_after) => Some(*retry_after),
            _ => None,
        }
    }
}
