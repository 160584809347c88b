//! The part of the overview about the texts: their lengths and languages, sites to look at, and the last run.

use crate::format::{grouped, percent, visible};
use crate::listed::Count;
use crate::table_pages::DomainRow;

/// Pages below which a share of them says nothing.
const FEW_PAGES: u64 = 5;

/// Sites to look at, and sites that a run has changed, in the overview.
const MOST_SITES: usize = 8;

/// The texts of all documents.
#[derive(Debug, Clone, Default)]
pub struct Texts {
    /// Documents by the length of their text, in the order of lengths.
    pub lengths: Vec<Count>,
    /// Documents by language, the most frequent first; empty if the job writes none.
    pub languages: Vec<Count>,
    /// The last run.
    pub last_run: Option<LastRun>,
    /// The sites that need a look, those with the most pages first.
    look: Vec<SiteNote>,
    /// Sites to look at that are left out.
    more: u64,
}

/// The run that wrote tables last.
#[derive(Debug, Clone, Default)]
pub struct LastRun {
    /// Its first and last date, in words.
    pub dates: String,
    /// Rows of the archive.
    pub rows: u64,
    /// Documents.
    pub documents: u64,
    /// Sites with documents of the run, with those of other runs beside them.
    pub sites: Vec<SiteOfRun>,
}

/// The documents of a site, of the last run and of those before.
#[derive(Debug, Clone, Default)]
pub struct SiteOfRun {
    /// Public suffix and one label.
    pub domain: String,
    /// The address of its page, relative to the overview.
    pub file: Option<String>,
    /// Documents of the last run.
    pub new: u64,
    /// Those without content.
    pub new_empty: u64,
    /// Documents of runs before.
    pub before: u64,
    /// Those without content.
    pub before_empty: u64,
}

/// A site, and a fact about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SiteNote {
    pub(crate) domain: String,
    pub(crate) file: Option<String>,
    pub(crate) note: String,
}

impl Texts {
    /// Returns the texts with the sites that need a look, of all sites.
    pub fn with_sites(mut self, sites: &[DomainRow]) -> Self {
        let mut look: Vec<(u64, SiteNote)> = sites.iter().filter_map(to_look_at).collect();
        // Stable: sites of one size are in the order of `sites`.
        look.sort_by_key(|(pages, _)| std::cmp::Reverse(*pages));
        self.more = look.len().saturating_sub(MOST_SITES) as u64;
        self.look = look
            .into_iter()
            .take(MOST_SITES)
            .map(|(_, note)| note)
            .collect();
        self
    }

    pub(crate) fn look(&self) -> &[SiteNote] {
        &self.look
    }

    pub(crate) fn more(&self) -> u64 {
        self.more
    }
}

impl LastRun {
    /// What the run has changed, in a sentence.
    pub(crate) fn summary(&self) -> String {
        let sites = self.sites.iter().filter(|site| site.new > 0).count();
        let (rows, documents) = (grouped(self.rows), grouped(self.documents));
        let wrote = format!(
            "{}: {rows} rows, {documents} unique pages of {} sites.",
            self.dates,
            grouped(sites as u64)
        );
        if self.is_first() {
            return format!("{wrote} No other run has dates in the tables.");
        }
        let new = self.new_sites().count();
        match new {
            0 => format!("{wrote} All of these sites were known."),
            1 => format!("{wrote} One of them is new."),
            new => format!("{wrote} {} of them are new.", grouped(new as u64)),
        }
    }

    fn is_first(&self) -> bool {
        self.sites.iter().all(|site| site.before == 0)
    }

    fn new_sites(&self) -> impl Iterator<Item = &SiteOfRun> {
        self.sites.iter().filter(|site| site.before == 0)
    }

    /// Sites that the run has changed: more of their pages are without content, or they are new.
    pub(crate) fn changed(&self) -> Vec<SiteNote> {
        if self.is_first() {
            return Vec::new();
        }
        let note = |site: &SiteOfRun, note: String| SiteNote {
            domain: visible(&site.domain).into_owned(),
            file: site.file.clone(),
            note,
        };
        let emptier = self.sites.iter().filter(|site| site.is_emptier());
        let emptier = emptier.map(|site| {
            let now = percent(site.new_empty, site.new);
            let before = percent(site.before_empty, site.before);
            let words = format!("{now} of its new pages have no content, {before} before");
            note(site, words)
        });
        let new = self.new_sites().map(|site| {
            let pages = if site.new == 1 { "page" } else { "pages" };
            note(site, format!("new, with {} {pages}", grouped(site.new)))
        });
        emptier.chain(new).take(MOST_SITES).collect()
    }
}

impl SiteOfRun {
    /// Whether the share of pages without content has grown by a fifth of the pages or more.
    fn is_emptier(&self) -> bool {
        let share = |part: u64, whole: u64| part as f64 / whole as f64;
        self.new >= FEW_PAGES
            && self.before >= FEW_PAGES
            && share(self.new_empty, self.new) >= share(self.before_empty, self.before) + 0.2
    }
}

/// Why somebody should look at a site, and the number of pages that it concerns; `None` for most sites.
fn to_look_at(site: &DomainRow) -> Option<(u64, SiteNote)> {
    let chars = site.content_chars + site.boilerplate_chars;
    let of_pages = |count: u64| format!("{} of {} pages", grouped(count), grouped(site.pages));
    let is_share = |count: u64, most: u64| site.pages >= FEW_PAGES && count * most > site.pages;
    let (pages, note) = if is_share(site.without_content, 5) {
        let pages = of_pages(site.without_content);
        (site.without_content, format!("{pages} have no content"))
    } else if site.pages >= FEW_PAGES && site.content_chars * 20 < chars {
        let kept = percent(site.content_chars, chars);
        (site.pages, format!("{kept} of the characters are kept"))
    } else if is_share(site.guessed_charsets, 2) {
        let pages = of_pages(site.guessed_charsets);
        (
            site.guessed_charsets,
            format!("the charset of {pages} was guessed"),
        )
    } else if site.quarantined >= FEW_PAGES && site.quarantined > site.pages {
        let rows = grouped(site.quarantined);
        (site.quarantined, format!("{rows} rows are in quarantine"))
    } else {
        return None;
    };
    let note = SiteNote {
        domain: visible(&site.domain).into_owned(),
        file: site.file.clone(),
        note,
    };
    Some((pages, note))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_needs_a_look_for_the_first_reason_that_holds() {
        let site = |pages, without, content, guessed, quarantined| DomainRow {
            domain: "a.example".to_owned(),
            pages,
            without_content: without,
            content_chars: content,
            boilerplate_chars: 1000,
            guessed_charsets: guessed,
            quarantined,
            ..DomainRow::default()
        };
        let sites = [
            site(10, 2, 900, 0, 0),
            site(10, 3, 900, 9, 0),
            site(40, 0, 50, 0, 0),
            site(8, 0, 900, 5, 0),
            site(4, 4, 0, 4, 4),
            site(0, 0, 0, 0, 9),
        ];
        let texts = Texts::default().with_sites(&sites);
        let notes: Vec<_> = texts.look().iter().map(|site| site.note.as_str()).collect();
        let expected = [
            "5 % of the characters are kept",
            "9 rows are in quarantine",
            "the charset of 5 of 8 pages was guessed",
            "3 of 10 pages have no content",
        ];
        assert_eq!(notes, expected);
        let many = Texts::default().with_sites(&vec![site(10, 9, 1, 0, 0); 20]);
        assert_eq!((many.look().len(), many.more()), (8, 12));
    }

    #[test]
    fn a_run_names_new_sites_and_sites_that_lost_their_content() {
        let site = |domain: &str, new, new_empty, before, before_empty| SiteOfRun {
            domain: domain.to_owned(),
            new,
            new_empty,
            before,
            before_empty,
            ..SiteOfRun::default()
        };
        let run = |sites| LastRun {
            dates: "2011-10-25".to_owned(),
            rows: 1200,
            documents: 30,
            sites,
        };
        let later = run(vec![
            site("same.example", 10, 1, 50, 5),
            site("emptier.example", 10, 5, 50, 5),
            site("few.example", 1, 1, 50, 5),
            site("silent.example", 0, 0, 50, 5),
            site("new.example", 7, 0, 0, 0),
        ]);
        let summary =
            "2011-10-25: 1\u{202f}200 rows, 30 unique pages of 4 sites. One of them is new.";
        assert_eq!(later.summary(), summary);
        let changed = later.changed();
        let changed: Vec<_> = changed
            .iter()
            .map(|site| (site.domain.as_str(), site.note.as_str()))
            .collect();
        let emptier = "50 % of its new pages have no content, 10 % before";
        assert_eq!(
            changed,
            [
                ("emptier.example", emptier),
                ("new.example", "new, with 7 pages")
            ]
        );
        let first = run(vec![site("new.example", 7, 0, 0, 0)]);
        assert!(
            first
                .summary()
                .ends_with("No other run has dates in the tables.")
        );
        assert_eq!(first.changed(), []);
    }
}
