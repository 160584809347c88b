//! The head, the navigation and the charts of all pages.

use crate::policy::policy;
use crate::site::Site;

/// The style of the pages of a report.
pub(crate) const STYLE: &str = concat!(
    include_str!("../templates/base.css"),
    include_str!("../templates/report.css")
);

/// The head and the navigation of a page.
pub(crate) struct Head<'a> {
    pub(crate) site: Site,
    /// The content security policy in the page; a server sends its own.
    pub(crate) policy: Option<String>,
    pub(crate) style: &'static str,
    pub(crate) title: String,
    /// The dates of the pages, and the version that makes them.
    pub(crate) dates: &'a str,
    /// The way from the page to the first page of the site.
    pub(crate) root: &'static str,
    /// The page of the navigation that this is.
    pub(crate) here: &'static str,
}

impl<'a> Head<'a> {
    pub(crate) fn new(
        site: Site,
        title: String,
        dates: &'a str,
        here: &'static str,
        script: &str,
    ) -> Self {
        Self {
            site,
            policy: None,
            style: STYLE,
            title,
            dates,
            root: "",
            here,
        }
        .with_style(STYLE, script)
    }

    /// The head with another style.
    pub(crate) fn with_style(self, style: &'static str, script: &str) -> Self {
        Self {
            policy: match self.site {
                Site::Files => Some(policy(style, script)),
                Site::Live => None,
            },
            style,
            ..self
        }
    }

    /// The head of a page that is in a folder of a folder of a report.
    pub(crate) fn below(self) -> Self {
        Self {
            root: match self.site {
                Site::Files => "../../",
                Site::Live => "",
            },
            ..self
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.site == Site::Live
    }

    /// The names of the pages that every page leads to, and their addresses.
    pub(crate) fn pages(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.site.pages().iter().copied()
    }

    /// The address of the table of all domains.
    pub(crate) fn domains(&self) -> &'static str {
        self.site.domains()
    }

    /// The address of the quarantine.
    pub(crate) fn quarantine(&self) -> &'static str {
        self.site.quarantine()
    }

    /// The policy about the address of a page in requests. Without an address, a form of a live page would
    /// not name its origin either.
    pub(crate) fn referrer(&self) -> &'static str {
        match self.site {
            Site::Files => "no-referrer",
            Site::Live => "same-origin",
        }
    }
}

/// A chart with its scale.
pub(crate) struct Chart {
    pub(crate) title: &'static str,
    /// The sum, the mean or the most, in words.
    pub(crate) summary: String,
    pub(crate) svg: String,
    /// First and last date.
    pub(crate) first: String,
    pub(crate) last: String,
    /// The value at the top.
    pub(crate) top: String,
    /// Names of the parts of its bars.
    pub(crate) keys: Vec<&'static str>,
}
