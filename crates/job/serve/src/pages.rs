//! Questions of readers, and answers of a program.

/// A page that a reader asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Question {
    /// All dates of the job.
    Overview,
    /// All domains.
    Domains,
    /// The rows that could not be processed.
    Quarantine,
    /// The pages with a text in their URL, title or text.
    Search(Search),
    /// A domain.
    Domain {
        /// Its name, as typed.
        name: String,
    },
    /// A page, block by block.
    Page {
        /// Its URL, as typed.
        url: String,
        /// The beginning of the time of its fetch.
        at: Option<String>,
    },
    /// The HTML of a page, for the frame in the page of its blocks.
    Original {
        /// Its URL, as typed.
        url: String,
        /// The beginning of the time of its fetch.
        at: Option<String>,
    },
    /// The form of a query, which is not run.
    Form {
        /// The text of the form.
        query: String,
    },
    /// The rows of a query.
    Query {
        /// The SQL.
        sql: String,
    },
    /// The rows of a query as a file.
    Download {
        /// The SQL.
        sql: String,
    },
    /// The form of a mark, whose effect is not computed.
    MarkForm(Mark),
    /// The effect of a mark.
    Mark(Mark),
    /// The effect of a mark, which is saved.
    SavedMark(Mark),
    /// No page has the address.
    Elsewhere {
        /// The path.
        path: String,
    },
}

/// The pages that a reader looks for, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Search {
    /// A text of the pages; empty for all.
    #[serde(default)]
    pub text: String,
    /// The domain of the pages; empty for any.
    #[serde(default)]
    pub domain: String,
}

/// A mark of a DOM path of a site, as typed.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
pub struct Mark {
    /// The URL of a page of the site.
    pub url: String,
    /// The beginning of the time of its fetch; empty if any.
    #[serde(default)]
    pub at: String,
    /// The DOM path.
    pub path: String,
    /// `content`, `boilerplate`, or `none` for no mark; empty if none is chosen.
    #[serde(default)]
    pub label: String,
    /// The note of the line in the file of marks.
    #[serde(default)]
    pub note: String,
}

/// An answer to a question.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The outcome.
    pub status: Status,
    /// The kind of the text.
    pub kind: Kind,
    /// The text.
    pub text: String,
}

/// The kind of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A page of HTML, which names style, script and icon as [`report::Site::Live`] does.
    Page,
    /// The HTML of a crawled page. A browser gives it an origin of its own and no network, and runs none of its scripts:
    /// [`report::ORIGINAL_POLICY`].
    Original,
    /// CSV, which a browser saves.
    Csv,
}

impl Answer {
    /// A page of HTML.
    pub fn page(status: Status, html: String) -> Self {
        Self {
            status,
            kind: Kind::Page,
            text: html,
        }
    }
}

/// The outcome of a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The page is as it was asked for.
    Ok,
    /// The page, the domain or the table does not exist.
    NotFound,
    /// A query is refused, fails, or exceeds a limit.
    Refused,
    /// A disk, a store or the job does not let the page be computed now.
    Unavailable,
    /// The program has a bug.
    Failed,
}

/// The pages of a job.
pub trait Pages: Send + Sync + 'static {
    /// Answers a question. The future is dropped if the reader leaves or the server ends.
    fn answer(&self, question: Question) -> impl Future<Output = Answer> + Send;
}
