//! Addresses: how a site names its pages, and the other spellings of one name.

use std::fmt::Write;

use chrono::{Datelike, NaiveDate};

use crate::site::Site;

/// How a site builds the address of a story.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Style {
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
}

/// What of a story its address tells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) title: &'a str,
    pub(crate) date: NaiveDate,
    /// Unique on the site.
    pub(crate) id: i64,
    /// Unique on the site and date.
    pub(crate) number: usize,
    /// An index of the language's sections.
    pub(crate) section: usize,
}

/// The other addresses under which feeds list one page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// As the site spells it.
    Plain,
    /// `utm_source` and its kin.
    Tracked,
    /// A parameter that says in which section the link stood.
    Sectioned,
    /// `https` for `http`, or the other way round.
    OtherScheme,
    /// Escapes that need not be there, or the lack of those that should.
    Escaped,
    /// A slash at the end, or none.
    Slash,
    /// The feed links to a counter, which redirects.
    Redirected,
}

/// The address of a story, absolute.
pub(crate) fn address(site: &Site, story: Named<'_>) -> String {
    let (year, month, day) = (story.date.year(), story.date.month(), story.date.day());
    let section = site.language.sections[story.section].1;
    let id = story.id;
    let path = match site.style {
        Style::Dated => format!("/{year}/{month:02}/{day:02}/{}.html", slug(story)),
        Style::Monthly => format!("/{year}/{month:02}/{}/", slug(story)),
        Style::Section => format!("/{section}/{}-{id}", slug(story)),
        Style::SectionYear => format!("/{section}/{year}/{}.html", slug(story)),
        Style::Deep => format!(
            "/{section}/{}/{story_date}/{id}.html",
            story.number % 3,
            story_date = story.date
        ),
        Style::Post => format!("/?p={id}"),
        Style::Story => format!("/story.aspx?id={id}"),
        Style::Article => format!("/news/article.php?articleId={id}"),
        Style::Content => format!("/{year}-{month:02}/{day:02}/content_{id}.htm"),
        Style::Home => format!("/~courier/{year}/{}.html", slug(story)),
        Style::Unicode => format!(
            "/{year}/{month:02}/{}",
            escaped(&words(story, char::is_alphanumeric))
        ),
    };
    format!("{}://{}{path}", site.scheme, site.host(story.section))
}

/// The list of what appeared on a date, where the site's stories lie.
pub(crate) fn list(site: &Site, date: NaiveDate) -> String {
    let (year, month, day) = (date.year(), date.month(), date.day());
    let section = site.language.sections[0].1;
    let path = match site.style {
        Style::Dated => format!("{year}/{month:02}/{day:02}/index.html"),
        Style::Monthly | Style::Unicode => format!("{year}/{month:02}/archive-{day:02}"),
        Style::Section => format!("{section}/archive-{date}"),
        Style::SectionYear => format!("{section}/{year}/archive-{date}.html"),
        Style::Deep => format!("{section}/0/{date}/index.html"),
        Style::Content => format!("{year}-{month:02}/{day:02}/index.htm"),
        Style::Home => format!("~courier/{year}/archive-{date}.html"),
        Style::Article => format!("news/archive-{date}.html"),
        Style::Post | Style::Story => format!("archive-{date}.html"),
    };
    format!("{}://{}/{path}", site.scheme, site.host(0))
}

/// The front page of a section.
pub(crate) fn front(site: &Site, section: usize) -> String {
    let name = site.language.sections[section].1;
    format!("{}://{}/{name}/", site.scheme, site.host(section))
}

/// A plain address in another spelling: what was asked for, and what answered.
/// Where a spelling makes no difference, it is tracked instead.
pub(crate) fn respell(
    plain: &str,
    spelling: Spelling,
    site: &Site,
    story: Named<'_>,
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
    };
    let url = match other == plain {
        true => with_query(
            plain,
            &format!(
                "utm_source=feed{}&utm_medium=rss&utm_campaign={section}",
                story.number % 3
            ),
        ),
        false => other,
    };
    (url.clone(), url)
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

/// The first words of the title in ASCII. All but a date's first story have
/// their number too: no two of a date share an address.
fn slug(story: Named<'_>) -> String {
    let ascii = words(story, |c| c.is_ascii_alphanumeric());
    match ascii.is_empty() {
        true => format!("a{}", story.id),
        false => ascii,
    }
}

fn words(story: Named<'_>, keep: impl Fn(char) -> bool) -> String {
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
        match byte.is_ascii() {
            true => out.push(char::from(byte)),
            false => {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}
