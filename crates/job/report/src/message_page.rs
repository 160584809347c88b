//! The page with the reason why another page is missing.

use askama::Template;

use crate::error::ReportError;
use crate::head::Head;
use crate::show;
use crate::site::{Site, domain_address};

/// A page of words.
#[derive(Debug, Clone, Default)]
pub struct MessagePage {
    /// The heading.
    pub heading: String,
    /// The reason, which may have texts of users and of crawled pages.
    pub message: String,
    /// A command that helps.
    pub command: Option<String>,
    /// Domains that may be meant.
    pub domains: Vec<String>,
}

impl MessagePage {
    /// Renders the page of a live site.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(&self, version: &str) -> Result<String, ReportError> {
        let title = show::visible(&self.heading).into_owned();
        let template = MessageTemplate {
            head: Head::new(Site::Live, title, version, "", ""),
            page: self,
        };
        template.render().map_err(ReportError::of("message.html"))
    }

    /// The domains with the addresses of their pages.
    fn links(&self) -> impl Iterator<Item = (&str, String)> {
        let domains = self.domains.iter();
        domains.map(|domain| (domain.as_str(), domain_address(domain)))
    }
}

#[derive(Template)]
#[template(path = "message.html")]
struct MessageTemplate<'a> {
    head: Head<'a>,
    page: &'a MessagePage,
}
