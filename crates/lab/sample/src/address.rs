//! URLs of pages, and other spellings of a URL.

use std::fmt::Write;

use chrono::{Datelike, NaiveDate};

use crate::kind::VERSIONS;
use crate::site::{IDS, Site, Twin, UrlStyle, Variant};

/// The properties of a story that its URL may contain.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoryUrl<'a> {
    pub(crate) title: &'a str,
    pub(crate) date: NaiveDate,
    /// Unique on the site.
    pub(crate) id: i64,
    /// Unique on the site and date.
    pub(crate) number: usize,
    /// An index into the sections of the language.
    pub(crate) section: usize,
}

/// The spellings under which a page is requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// The spelling of the site.
    Plain,
    /// With tracking parameters such as `utm_source`.
    Tracked,
    /// With a parameter for the section that links to the page.
    Sectioned,
    /// `https` instead of `http`, or the reverse.
    OtherScheme,
    /// With unnecessary percent-escapes.
    Escaped,
    /// With a slash added or removed at the end.
    Slash,
    /// The URL of a click counter that redirects to the page.
    Redirected,
    /// Another URL of the site. The number decides values and the order of parameters.
    Variant(Variant, u64),
}

/// Returns the absolute URL of a story.
pub(crate) fn address(site: &Site, story: StoryUrl<'_>) -> String {
    let (year, month, day) = (story.date.year(), story.date.month(), story.date.day());
    let section = site.language.sections[story.section].1;
    let id = story.id;
    let path = match site.style {
        UrlStyle::Dated => format!("/{year}/{month:02}/{day:02}/{}.html", slug(story)),
        UrlStyle::Monthly => format!("/{year}/{month:02}/{}/", slug(story)),
        UrlStyle::Section => format!("/{section}/{}-{id}", slug(story)),
        UrlStyle::SectionYear => format!("/{section}/{year}/{}.html", slug(story)),
        UrlStyle::Deep => format!(
            "/{section}/{}/{story_date}/{id}.html",
            story.number % 3,
            story_date = story.date
        ),
        UrlStyle::Post => format!("/?p={id}"),
        UrlStyle::Story => format!("/story.aspx?id={id}"),
        UrlStyle::Article => format!("/news/article.php?articleId={id}"),
        UrlStyle::Content => format!("/{year}-{month:02}/{day:02}/content_{id}.htm"),
        UrlStyle::Home => format!("/~courier/{year}/{}.html", slug(story)),
        UrlStyle::Unicode => format!(
            "/{year}/{month:02}/{}",
            escaped(&words(story, char::is_alphanumeric))
        ),
        UrlStyle::Nameless => format!("/lecture.cgi?texte{id}"),
        UrlStyle::Doc => format!("/reader?doc={id}"),
        UrlStyle::Desk => {
            // The sections of six days in succession are different, see `Story::new`.
            let days = site.language.sections.len() as i64;
            let position = (id / IDS).div_euclid(days) * IDS + story.number as i64;
            format!("/read?desk={section}&pos={position}")
        }
        UrlStyle::Folder => {
            let slash = if story.section % 2 == 1 { "/" } else { "" };
            format!("/{section}/{}-{id}{slash}", slug(story))
        }
        UrlStyle::Version => {
            let version = VERSIONS[story.number % VERSIONS.len()];
            let page = id - (story.number % VERSIONS.len()) as i64;
            format!("/{}/{version}/{section}/{page}.html", site.language.code)
        }
        UrlStyle::Ticket => format!("/ticket/{id}"),
    };
    format!("{}://{}{path}", site.scheme, site.host(story.section))
}

/// Returns the URL of the list of a date's stories, in the folder of the stories.
pub(crate) fn list(site: &Site, date: NaiveDate) -> String {
    let (year, month, day) = (date.year(), date.month(), date.day());
    let section = site.language.sections[0].1;
    let path = match site.style {
        UrlStyle::Dated => format!("{year}/{month:02}/{day:02}/index.html"),
        UrlStyle::Monthly | UrlStyle::Unicode => format!("{year}/{month:02}/archive-{day:02}"),
        UrlStyle::Section | UrlStyle::Folder => format!("{section}/archive-{date}"),
        UrlStyle::SectionYear => format!("{section}/{year}/archive-{date}.html"),
        UrlStyle::Deep => format!("{section}/0/{date}/index.html"),
        UrlStyle::Content => format!("{year}-{month:02}/{day:02}/index.htm"),
        UrlStyle::Home => format!("~courier/{year}/archive-{date}.html"),
        UrlStyle::Article => format!("news/archive-{date}.html"),
        UrlStyle::Post
        | UrlStyle::Story
        | UrlStyle::Nameless
        | UrlStyle::Doc
        | UrlStyle::Desk
        | UrlStyle::Version
        | UrlStyle::Ticket => format!("archive-{date}.html"),
    };
    format!("{}://{}/{path}", site.scheme, site.host(0))
}

/// Returns the URL of the front page of a section.
pub(crate) fn front(site: &Site, section: usize) -> String {
    let name = site.language.sections[section].1;
    format!("{}://{}/{name}/", site.scheme, site.host(section))
}

/// Returns a URL in another spelling, as the request URL and the response URL. If the
/// spelling does not change the URL, tracking parameters are added instead.
pub(crate) fn respell(
    plain: &str,
    spelling: Spelling,
    site: &Site,
    story: StoryUrl<'_>,
) -> (String, String) {
    let section = site.language.sections[story.section].1;
    let other = match spelling {
        Spelling::Plain => return (plain.to_owned(), plain.to_owned()),
        Spelling::Redirected => {
            let counter = format!("http://feeds.{}/r/{}", site.domain(), story.id);
            return (counter, plain.to_owned());
        }
        Spelling::Sectioned => with_query(plain, &format!("section=news/{section}&ref=rss")),
        Spelling::OtherScheme => match plain.strip_prefix("https://") {
            Some(rest) => format!("http://{rest}"),
            None => plain.replacen("http://", "https://", 1),
        },
        Spelling::Escaped => escape_otherwise(plain),
        Spelling::Slash if plain.contains('?') => plain.to_owned(),
        Spelling::Slash => match plain.strip_suffix('/') {
            Some(without) => without.to_owned(),
            None => format!("{plain}/"),
        },
        Spelling::Tracked => plain.to_owned(),
        Spelling::Variant(variant, throw) => variant_url(plain, variant, throw),
    };
    let url = if other == plain {
        with_query(
            plain,
            &format!(
                "utm_source=feed{}&utm_medium=rss&utm_campaign={section}",
                story.number % 3
            ),
        )
    } else {
        other
    };
    (url.clone(), url)
}

fn variant_url(plain: &str, variant: Variant, throw: u64) -> String {
    match variant {
        Variant::Reversed => match plain.split_once('?') {
            Some((path, query)) => {
                let parameters: Vec<&str> = query.rsplit('&').collect();
                format!("{path}?{}", parameters.join("&"))
            }
            None => plain.to_owned(),
        },
        Variant::Few(name, values) => {
            let value = values[(throw / 2 % values.len() as u64) as usize];
            with_parameter(plain, &format!("{name}={value}"), throw.is_multiple_of(2))
        }
        Variant::Unique(name) => with_parameter(
            plain,
            &format!("{name}={throw:014x}"),
            throw.is_multiple_of(2),
        ),
        Variant::Twin(Twin::Index) => format!("{plain}index.html"),
        Variant::Twin(Twin::Amp) => format!("{plain}/amp"),
        Variant::Twin(Twin::Mobile) => plain.replacen("://www.", "://m.", 1),
        Variant::Twin(Twin::Print) => format!("{plain}/print"),
        Variant::Twin(Twin::Session) => format!("{plain};jsessionid={throw:014X}"),
    }
}

/// Adds a parameter to a URL, before or after its other parameters.
fn with_parameter(url: &str, parameter: &str, before: bool) -> String {
    match url.split_once('?') {
        Some((path, query)) if before => format!("{path}?{parameter}&{query}"),
        _ => with_query(url, parameter),
    }
}

fn with_query(url: &str, query: &str) -> String {
    let separator = if url.contains('?') { '&' } else { '?' };
    format!("{url}{separator}{query}")
}

fn escape_otherwise(url: &str) -> String {
    if url.contains('~') {
        return url.replace('~', "%7E");
    }
    let (host, path) = url.split_at(url.find('/').map_or(0, |slash| slash + 2));
    let start = path.find('/').unwrap_or(path.len());
    let (name, path) = path.split_at(start);
    format!("{host}{name}{}", path.replacen('-', "%2D", 2))
}

/// Returns the first words of the title in ASCII. The number of the story follows, except
/// for the first story of a date, so that the URLs of a date are distinct.
fn slug(story: StoryUrl<'_>) -> String {
    let ascii = words(story, |c| c.is_ascii_alphanumeric());
    if ascii.is_empty() {
        format!("a{}", story.id)
    } else {
        ascii
    }
}

fn words(story: StoryUrl<'_>, keep: impl Fn(char) -> bool) -> String {
    let mut out = String::new();
    let plain = story
        .title
        .to_lowercase()
        .chars()
        .map(ascii_letter)
        .collect::<String>();
    let words = plain.split(|c| !keep(c)).filter(|word| !word.is_empty());
    for word in words.take(8) {
        if !out.is_empty() {
            out.push('-');
        }
        out.push_str(word);
    }
    if story.number > 0 && !out.is_empty() {
        let _ = write!(out, "-{}", story.number + 1);
    }
    out
}

fn ascii_letter(letter: char) -> char {
    match letter {
        'à' | 'á' | 'â' | 'ä' => 'a',
        'ç' | 'č' | 'ć' => 'c',
        'è' | 'é' | 'ê' | 'ë' => 'e',
        'ì' | 'í' | 'î' | 'ï' => 'i',
        'ñ' => 'n',
        'ò' | 'ó' | 'ô' | 'ö' => 'o',
        'š' | 'ß' => 's',
        'ù' | 'ú' | 'û' | 'ü' => 'u',
        'ž' => 'z',
        _ => letter,
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii() {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
