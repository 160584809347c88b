//! The sites: thirty newspapers, blogs and portals that do not exist.

use chrono::NaiveDate;
use encoding_rs::Encoding;

use crate::address::Style;
use crate::dice::Dice;
use crate::language::Language;

/// What a site is, whatever the seed. Its template is drawn.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) name: &'static str,
    /// Sections are spread over them.
    hosts: &'static [&'static str],
    pub(crate) scheme: &'static str,
    pub(crate) language: &'static Language,
    pub(crate) charset: &'static Encoding,
    pub(crate) declared: Declared,
    pub(crate) style: Style,
    /// Its share of the stories, in proportion to those of the other sites.
    pub(crate) weight: u64,
    /// Fewest and most paragraphs of a story.
    pub(crate) paragraphs: (usize, usize),
    /// Mean number of comments when a story is first fetched.
    pub(crate) comments: usize,
    /// Days between two redesigns, 0 for never.
    redesigns: i64,
    /// Its first day.
    pub(crate) launch: Option<NaiveDate>,
    pub(crate) source: Source,
}

/// Where the charset of a page is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// In the Content-Type header, kept whole.
    ContentType,
    /// In the Content-Type header, kept apart.
    HttpCharset,
    /// In a `meta` element.
    Meta,
    /// By a byte order mark.
    Bom,
    /// Not at all.
    Nowhere,
}

/// How the crawler came to a site's pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// By feeds, which give a title and sometimes several addresses.
    Feed,
    /// By links.
    Links,
}

impl Site {
    /// The host of a section.
    pub(crate) fn host(&self, section: usize) -> &'static str {
        self.hosts[section % self.hosts.len()]
    }

    /// The public suffix, which is `example`, and one label.
    pub(crate) fn domain(&self) -> &'static str {
        let host = self.hosts[0];
        let dots: Vec<usize> = host.match_indices('.').map(|(dot, _)| dot).collect();
        match dots.len() {
            0 | 1 => host,
            count => &host[dots[count - 2] + 1..],
        }
    }

    /// The number of the design in use on a day.
    pub(crate) fn era(&self, seed: u64, index: usize, day: i64) -> i64 {
        if self.redesigns == 0 {
            return 0;
        }
        let phase = Dice::new(seed, "redesign", &[index as i64]).below(self.redesigns as usize);
        (day + phase as i64).div_euclid(self.redesigns)
    }

    pub(crate) const fn new(
        name: &'static str,
        hosts: &'static [&'static str],
        language: &'static Language,
        charset: &'static Encoding,
        style: Style,
        weight: u64,
    ) -> Self {
        Site {
            name,
            hosts,
            scheme: "http",
            language,
            charset,
            declared: Declared::Meta,
            style,
            weight,
            paragraphs: (7, 17),
            comments: 0,
            redesigns: 0,
            launch: None,
            source: Source::Feed,
        }
    }

    pub(crate) const fn declared(self, declared: Declared) -> Self {
        Site { declared, ..self }
    }

    pub(crate) const fn https(self) -> Self {
        Site {
            scheme: "https",
            ..self
        }
    }

    pub(crate) const fn paragraphs(self, low: usize, high: usize) -> Self {
        Site {
            paragraphs: (low, high),
            ..self
        }
    }

    pub(crate) const fn comments(self, comments: usize) -> Self {
        Site { comments, ..self }
    }

    pub(crate) const fn redesigned(self, days: i64) -> Self {
        Site {
            redesigns: days,
            ..self
        }
    }

    pub(crate) const fn launched(self, date: Option<NaiveDate>) -> Self {
        Site {
            launch: date,
            ..self
        }
    }

    pub(crate) const fn linked(self) -> Self {
        Site {
            source: Source::Links,
            ..self
        }
    }
}
