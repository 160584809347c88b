//! The head, the navigation and the charts of all pages of a report.

use crate::policy::policy;

/// The style of the pages of a report.
pub(crate) const STYLE: &str = concat!(
    include_str!("../templates/base.css"),
    include_str!("../templates/report.css")
);

/// The names of the pages that every page leads to, and their files.
const PAGES: [(&str, &str); 3] = [
    ("Overview", "index.html"),
    ("Domains", "domains.html"),
    ("Quarantine", "quarantine.html"),
];

/// The head and the navigation of a page.
pub(crate) struct Head<'a> {
    pub(crate) policy: String,
    pub(crate) style: &'static str,
    pub(crate) title: String,
    /// The dates of the report, and the version that makes it.
    pub(crate) dates: &'a str,
    /// The way from the page to the folder of the report.
    pub(crate) root: &'static str,
    /// The page of the navigation that this is.
    pub(crate) here: &'static str,
}

impl<'a> Head<'a> {
    pub(crate) fn new(title: String, dates: &'a str, here: &'static str, script: &str) -> Self {
        Self {
            policy: policy(STYLE, script),
            style: STYLE,
            title,
            dates,
            root: "",
            here,
        }
    }

    /// The head of a page in a folder of a folder.
    pub(crate) fn below(self) -> Self {
        Self {
            root: "../../",
            ..self
        }
    }

    pub(crate) fn pages(&self) -> [(&'static str, &'static str); 3] {
        PAGES
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
