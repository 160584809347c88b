//! The properties of a site.

use chrono::NaiveDate;
use encoding_rs::Encoding;

use crate::dice::Dice;
use crate::kind::Kind;
use crate::language::Language;

/// The number of ids of a site and date. The ids above those of stories are for broken rows.
pub(crate) const IDS: i64 = 100_000;

/// The properties of a site that do not depend on the seed. Its template does.
#[derive(Debug)]
pub(crate) struct Site {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    /// The hosts, over which sections are distributed.
    hosts: &'static [&'static str],
    pub(crate) scheme: &'static str,
    pub(crate) language: &'static Language,
    pub(crate) charset: &'static Encoding,
    pub(crate) declared: Declared,
    pub(crate) style: UrlStyle,
    /// The share of the site in all stories, relative to the weights of the general sites.
    pub(crate) weight: u64,
    /// The least and the greatest number of paragraphs of a story.
    pub(crate) paragraphs: (usize, usize),
    /// The mean number of comments when a story is first fetched.
    pub(crate) comments: usize,
    /// Days between two redesigns, or 0 for none.
    redesigns: i64,
    /// The first day of the site, if it is not older than every range.
    pub(crate) launch: Option<NaiveDate>,
    pub(crate) source: Source,
    /// The other URLs of a story, each with its probability in percent.
    pub(crate) variants: &'static [(Variant, usize)],
    /// The probability, in percent, that the first fetch of a story has such a URL.
    pub(crate) first_variant: usize,
}

/// The place where the charset of a page is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    /// In the Content-Type header, stored as a whole.
    ContentType,
    /// In the Content-Type header, with its charset parameter stored separately.
    HttpCharset,
    /// In a `meta` element.
    Meta,
    /// By a byte order mark.
    Bom,
    /// The charset is not declared.
    Nowhere,
}

/// The form of a site's story URLs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UrlStyle {
    /// `/2011/10/24/slug.html`
    Dated,
    /// `/2011/10/slug/`
    Monthly,
    /// `/politics/slug-12345`
    Section,
    /// `/politics/2011/slug.html`
    SectionYear,
    /// `/politics/2/2011-10-24/12345.html`
    Deep,
    /// `/?p=12345`
    Post,
    /// `/story.aspx?id=12345`
    Story,
    /// `/news/article.php?articleId=12345`
    Article,
    /// `/2011-10/24/content_12345.htm`
    Content,
    /// `/~courier/2011/slug.html`
    Home,
    /// `/2011/10/слово-слово`, percent-encoded
    Unicode,
    /// `/lecture.cgi?texte12345`
    Nameless,
    /// `/reader?doc=12345`
    Doc,
    /// `/read?desk=sport&pos=123`, where both parameters identify the story
    Desk,
    /// `/politics/slug-12345`, and `/business/slug-12345/` in every second section
    Folder,
    /// `/en/4.2/politics/12345.html`, and `/en/5.0/politics/12345.html` for the same page of
    /// another version
    Version,
    /// `/ticket/12345`
    Ticket,
}

/// Another URL of a story. No rule of `jobs/rules/url-keys.tsv` has its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    /// The parameters in reverse order.
    Reversed,
    /// An additional parameter without effect, with one of a few values.
    Few(&'static str, &'static [&'static str]),
    /// An additional parameter without effect, with another value for each fetch.
    Unique(&'static str),
    /// A twin by path.
    Twin(Twin),
}

/// A second path of a story. Its page has the same article.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Twin {
    /// `/dir/index.html` of `/dir/`
    Index,
    /// `/story/amp`, in a template for mobile phones
    Amp,
    /// `m.host/story`, in a template for mobile phones
    Mobile,
    /// `/story/print`, in a template without boxes and navigation
    Print,
    /// `/story;jsessionid=ABC`, with another value for each fetch
    Session,
}

impl Variant {
    /// Returns whether a story has this URL. Only folders have an index, and all other
    /// twins are of stories that are not folders.
    pub(crate) fn applies_to(self, url: &str) -> bool {
        match self {
            Variant::Twin(Twin::Index) => url.ends_with('/'),
            Variant::Twin(_) => !url.ends_with('/'),
            _ => true,
        }
    }
}

/// The way in which the crawler discovers pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Through feeds, which have a title and sometimes several URLs of a page.
    Feed,
    /// Through links.
    Links,
}

impl Site {
    /// Returns the host of a section.
    pub(crate) fn host(&self, section: usize) -> &'static str {
        self.hosts[section % self.hosts.len()]
    }

    /// Returns the domain: the public suffix, which is `example`, and one label.
    pub(crate) fn domain(&self) -> &'static str {
        let host = self.hosts[0];
        let dots: Vec<usize> = host.match_indices('.').map(|(dot, _)| dot).collect();
        match dots.len() {
            0 | 1 => host,
            count => &host[dots[count - 2] + 1..],
        }
    }

    /// Returns the number of the design that is in use on a day.
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
        style: UrlStyle,
        weight: u64,
    ) -> Self {
        Site {
            name,
            kind: Kind::News,
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
            variants: &[],
            first_variant: 0,
        }
    }

    pub(crate) const fn of_kind(self, kind: Kind) -> Self {
        Site { kind, ..self }
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

    /// Adds other URLs of stories. `first` is the probability, in percent, that the first
    /// fetch of a story has one of them.
    pub(crate) const fn varied(self, variants: &'static [(Variant, usize)], first: usize) -> Self {
        Site {
            variants,
            first_variant: first,
            ..self
        }
    }
}
