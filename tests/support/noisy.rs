//! Copies of pages: with text, empty, and quarantined.

use super::{Row, Site, mix, paragraph};

pub(crate) const SITE: Site = Site {
    host: "www.gazette.example",
};

/// A copy of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Copy {
    Good,
    /// It is quarantined.
    Bad,
    /// It can be parsed and has no text block.
    Empty,
}

impl Copy {
    pub(crate) const ALL: [Self; 3] = [Self::Good, Self::Bad, Self::Empty];

    /// The HTML of copy `number` of page `page`.
    pub(crate) fn html(self, page: u64, number: u64) -> Option<Vec<u8>> {
        match self {
            Self::Good => {
                let mut paragraphs = vec![paragraph(2 * page), paragraph(2 * page + 1)];
                if page.is_multiple_of(3) {
                    // A revision, if revisions are kept.
                    paragraphs.extend((0..number).map(|part| paragraph(900_000 + page + part)));
                }
                let headline = format!("Page {}", paragraph(page));
                Some(SITE.page(&headline, &paragraphs).into_bytes())
            }
            Self::Empty => Some(b"<title>Page</title><script>wait()</script>".to_vec()),
            Self::Bad => match (page + number) % 3 {
                0 => None,
                1 => Some(b" \n".to_vec()),
                _ => Some(b"%PDF-1.4\0\x01\x02 a binary file".to_vec()),
            },
        }
    }
}

/// Copies with and without text of pages, and with and without a parameter that no rule knows and
/// that changes nothing. Kind, parameter and time of each are random.
pub(crate) fn noisy_rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for page in 0..80 {
        let first = Row::page("2011-10-29T00:00:00", SITE.url(page), "");
        for number in 0..6 {
            let random = mix(1000 * page + number);
            let query = ["", "", "?via=mail", "?via=top", "?via=list"][random as usize % 5];
            let copy = match random / 5 % 5 {
                0 => Copy::Bad,
                1 => Copy::Empty,
                _ => Copy::Good,
            };
            rows.push(Row {
                url: first.url.as_ref().map(|url| format!("{url}{query}")),
                html: copy.html(3 * page + 1, number),
                ..first.after((random / 25 % 5) as i64, (random / 125 % 86_400) as i64)
            });
        }
    }
    rows
}
