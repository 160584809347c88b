//! The page of a mark: a form, and what the mark changes.

use askama::Template;

use crate::error::ReportError;
use crate::head::Head;
use crate::show;
use crate::site::{Site, page_address};

/// The labels that a reader may choose, with what they do.
const LABELS: [(&str, &str); 3] = [
    ("boilerplate", "boilerplate: these blocks are dropped"),
    ("content", "content: these blocks are kept"),
    ("none", "no mark: the mark of this path is removed"),
];

/// The form of a mark of a DOM path of a site.
#[derive(Debug, Clone, Default)]
pub struct MarkPage {
    /// The URL of a page of the site that has the path.
    pub url: String,
    /// The beginning of the time of its fetch.
    pub at: String,
    /// The DOM path.
    pub path: String,
    /// `content`, `boilerplate` or `none`; empty if none is chosen.
    pub label: String,
    /// The note of the line in the file of marks.
    pub note: String,
    /// The outcome; `None` if only the form is asked for.
    pub outcome: Option<MarkOutcome>,
}

/// The outcome of a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkOutcome {
    /// The changes on the page and its site. Nothing is saved.
    Effect(String),
    /// The mark is saved: the changes, and what to do next.
    Saved(String),
    /// The mark is refused, or its effect cannot be found: the reason.
    Failed(String),
}

impl MarkPage {
    /// Renders the page of a live site. A mark can be saved once its effect is shown.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(&self, version: &str) -> Result<String, ReportError> {
        let template = MarkTemplate {
            head: Head::new(Site::Live, "Mark a DOM path".to_owned(), version, "", ""),
            page: self,
        };
        template.render().map_err(ReportError::of("mark.html"))
    }

    /// The address of the page block by block.
    fn address(&self) -> String {
        page_address(&self.url, Some(&*self.at).filter(|at| !at.is_empty()))
    }
}

#[derive(Template)]
#[template(path = "mark.html")]
struct MarkTemplate<'a> {
    head: Head<'a>,
    page: &'a MarkPage,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_can_be_saved_only_with_its_effect() {
        let attack = "\"><script>alert(1)</script>";
        let page = |outcome| {
            let page = MarkPage {
                url: attack.to_owned(),
                path: attack.to_owned(),
                note: attack.to_owned(),
                label: "content".to_owned(),
                outcome,
                ..MarkPage::default()
            };
            page.to_html("").unwrap()
        };
        let text = || attack.to_owned();
        for (outcome, saves) in [
            (None, false),
            (Some(MarkOutcome::Failed(text())), false),
            (Some(MarkOutcome::Saved(text())), false),
            (Some(MarkOutcome::Effect(text())), true),
        ] {
            let html = page(outcome);
            assert!(!html.contains("<script"), "{html}");
            assert_eq!(html.contains("name=\"save\""), saves, "{html}");
        }
    }
}
