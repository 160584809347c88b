//! The page of a domain.

use askama::Template;
use sha2::{Digest, Sha256};

use crate::charts::{bars, line};
use crate::error::ReportError;
use crate::format::{grouped, percent, visible};
use crate::head::{Chart, Head};
use crate::listed::{Count, ListedPage};
use crate::show;
use crate::site::{Site, query_address, search_address};
use crate::table_pages::DomainRow;

/// A domain with its details.
#[derive(Debug, Clone, Default)]
pub struct DomainPage {
    /// Its row in the table of all domains.
    pub row: DomainRow,
    /// Its dates with documents, in order.
    pub days: Vec<DomainDay>,
    /// Nodes of its URL tree with their pages, in the order of the tree.
    pub nodes: Vec<Count>,
    /// Nodes that are left out.
    pub more_nodes: u64,
    /// Its DOM paths with the most text.
    pub paths: Vec<PathSums>,
    /// Its most frequent boilerplate.
    pub boilerplate: Vec<DroppedBlock>,
    /// Its newest pages.
    pub newest: Vec<ListedPage>,
    /// Its pages with the least content.
    pub worst: Vec<ListedPage>,
}

/// The documents of a domain on one date.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainDay {
    /// YYYY-MM-DD
    pub date: String,
    /// Rows of `documents`.
    pub pages: u64,
    /// Characters in content blocks.
    pub content_chars: u64,
    /// Characters in boilerplate blocks.
    pub boilerplate_chars: u64,
}

/// A DOM path of a site, with sums over its pages.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PathSums {
    /// Elements with their first class, from `body` down.
    pub path: String,
    /// Pages with text at this path.
    pub pages: u64,
    /// Characters at this path.
    pub chars: u64,
    /// Number of these characters inside links.
    pub link_chars: u64,
    /// Number of these characters in blocks that more than a quarter of the pages have.
    pub repeated_chars: u64,
}

/// A text that is boilerplate.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DroppedBlock {
    /// The text.
    pub text: String,
    /// Its most frequent reason.
    pub reason: String,
    /// How often it was dropped.
    pub count: u64,
}

/// Returns the file of the page of a domain, relative to the folder of the report: a name of any length and
/// with any characters has one.
///
/// ```
/// let file = report::domain_file("news.example");
/// assert!(file.starts_with("domains/") && file.ends_with(".html"));
/// assert_ne!(file, report::domain_file("../../etc/passwd"));
/// ```
pub fn domain_file(domain: &str) -> String {
    let digest = hex::encode(&Sha256::digest(domain)[..10]);
    format!("domains/{}/{}.html", &digest[..2], &digest[2..])
}

impl PathSums {
    /// The kind of text at the path, by the sums that the rules look at.
    fn role(&self) -> &'static str {
        if self.link_chars * 5 > self.chars * 4 {
            "links"
        } else if self.repeated_chars * 2 > self.chars {
            "repeated"
        } else if self.repeated_chars * 10 < self.chars {
            "text"
        } else {
            "mixed"
        }
    }
}

impl DomainPage {
    /// Renders the page. `has_blocks` is whether the job writes the table `blocks`.
    ///
    /// # Errors
    /// [`ReportError`], which does not happen: rendering writes to memory.
    pub fn to_html(
        &self,
        site: Site,
        dates: &str,
        has_blocks: bool,
    ) -> Result<String, ReportError> {
        let template = DomainTemplate {
            head: Head::new(site, self.name(), dates, "Domain", "").below(),
            charts: self.charts(),
            domain: self,
            has_blocks,
        };
        template.render().map_err(ReportError::of("domain.html"))
    }

    fn name(&self) -> String {
        visible(&self.row.domain).into_owned()
    }

    /// The lists of pages: id, heading, pages.
    fn lists(&self) -> [(&'static str, &'static str, &[ListedPage]); 2] {
        [
            ("newest", "Newest pages", &self.newest),
            ("worst", "Pages with the least content", &self.worst),
        ]
    }

    /// The address of all pages of the domain.
    fn all_pages(&self) -> String {
        search_address(&self.row.domain)
    }

    /// The address of the form with a query of all pages of the domain.
    fn query(&self) -> String {
        query_address(&format!(
            "SELECT url, fetched_at, content_blocks, blocks, content_chars, boilerplate_chars, support\n\
             FROM documents\nWHERE domain = '{}'\nORDER BY fetched_at, url",
            self.row.domain.replace('\'', "''")
        ))
    }

    /// Name, value and detail of the numbers at the top.
    fn facts(&self) -> Vec<(&'static str, String, String)> {
        let row = &self.row;
        let of_pages = |count: u64| format!("{} of the pages", percent(count, row.pages));
        let chars = row.content_chars + row.boilerplate_chars;
        let changes = row.template_changes;
        vec![
            (
                "Pages",
                grouped(row.pages),
                format!("{} duplicates", grouped(row.duplicates)),
            ),
            (
                "Kept",
                percent(row.content_chars, chars),
                "of the characters".to_owned(),
            ),
            (
                "Without content",
                grouped(row.without_content),
                of_pages(row.without_content),
            ),
            (
                "Charset guessed",
                grouped(row.guessed_charsets),
                of_pages(row.guessed_charsets),
            ),
            (
                "Support",
                grouped(row.support),
                "pages at most decided".to_owned(),
            ),
            (
                "Template changes",
                changes.map_or_else(|| "–".to_owned(), grouped),
                "new main DOM paths".to_owned(),
            ),
            (
                "Learned parameters",
                grouped(row.learned),
                "of its URLs".to_owned(),
            ),
            ("Quarantined", grouped(row.quarantined), "rows".to_owned()),
        ]
    }

    fn charts(&self) -> Vec<Chart> {
        let [Some(first), Some(last)] = [self.days.first(), self.days.last()] else {
            return Vec::new();
        };
        let chart = |title, summary, svg, top| Chart {
            title,
            summary,
            svg,
            first: first.date.clone(),
            last: last.date.clone(),
            top,
            keys: Vec::new(),
        };
        let share = |day: &DomainDay| {
            let chars = day.content_chars + day.boilerplate_chars;
            (chars > 0).then(|| day.content_chars as f64 / chars as f64)
        };
        let shares: Vec<Option<f64>> = self.days.iter().map(share).collect();
        let pages: Vec<Vec<f64>> = self.days.iter().map(|day| vec![day.pages as f64]).collect();
        let most = self.days.iter().map(|day| day.pages).max().unwrap_or(0);
        let row = &self.row;
        vec![
            chart(
                "Share of characters that is kept",
                percent(row.content_chars, row.content_chars + row.boilerplate_chars),
                line(&shares, 1.0),
                "100 %".to_owned(),
            ),
            chart("Pages", grouped(row.pages), bars(&pages), grouped(most)),
        ]
    }
}

#[derive(Template)]
#[template(path = "domain.html")]
struct DomainTemplate<'a> {
    head: Head<'a>,
    domain: &'a DomainPage,
    charts: Vec<Chart>,
    has_blocks: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_role_of_a_path_follows_from_its_sums() {
        let role = |chars, link_chars, repeated_chars| {
            let path = PathSums {
                chars,
                link_chars,
                repeated_chars,
                ..PathSums::default()
            };
            path.role()
        };
        assert_eq!(role(100, 90, 0), "links");
        assert_eq!(role(100, 10, 60), "repeated");
        assert_eq!(role(100, 10, 5), "text");
        assert_eq!(role(100, 10, 30), "mixed");
    }

    #[test]
    fn hostile_names_and_texts_are_escaped() {
        let attack = "\"><script>alert(1)</script>";
        let page = DomainPage {
            row: DomainRow {
                domain: attack.to_owned(),
                ..DomainRow::default()
            },
            nodes: vec![Count {
                name: attack.to_owned(),
                count: 1,
            }],
            boilerplate: vec![DroppedBlock {
                text: attack.to_owned(),
                ..DroppedBlock::default()
            }],
            worst: vec![ListedPage {
                url: attack.to_owned(),
                title: attack.to_owned(),
                ..ListedPage::default()
            }],
            ..DomainPage::default()
        };
        let html = page.to_html(Site::Files, "", true).unwrap();
        assert!(!html.contains("<script"), "{html}");
        assert!(html.matches("&#60;script&#62;").count() >= 5, "{html}");
    }
}
