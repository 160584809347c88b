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
    /// No page has the address.
    Elsewhere {
        /// The path.
        path: String,
    },
}

/// A page.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The outcome.
    pub status: Status,
    /// The page, which names style, script and icon as [`report::Site::Live`] does.
    pub html: String,
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
