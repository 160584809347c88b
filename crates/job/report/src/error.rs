//! The error of a page.

/// A page cannot be rendered.
#[derive(Debug, thiserror::Error)]
#[error("cannot render {page}: {source}")]
pub struct ReportError {
    /// The template.
    pub(crate) page: &'static str,
    /// The cause.
    pub(crate) source: askama::Error,
}

impl ReportError {
    /// Wraps the error of the template `page`.
    pub(crate) fn of(page: &'static str) -> impl FnOnce(askama::Error) -> Self {
        move |source| Self { page, source }
    }
}
