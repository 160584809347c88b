//! Metadata of pages, as users see it.

use chrono::NaiveDate;
use html_blocks::{BlockOptions, page_with};
use metadata::{Found, Metadata, MetadataReader, Source};
use proptest::prelude::*;

const URL: &str = "http://www.tea.example/kinds/green?x=1";

fn on(year: i32, month: u32, day: u32) -> NaiveDate {
    NaiveDate::from_ymd_opt(year, month, day).expect("a day")
}

fn at(url: &str, html: &str) -> Metadata {
    let options = BlockOptions::default();
    match page_with(html.as_bytes(), None, &options, MetadataReader::default()) {
        Ok((_, reader)) => reader.finish(url, on(2012, 6, 1)),
        Err(_) => Metadata::default(),
    }
}

fn of(html: &str) -> Metadata {
    at(URL, html)
}

/// A value and its source as text.
fn said<T: ToString>(found: Option<Found<T>>) -> Option<(String, Source)> {
    found.map(|found| (found.value.to_string(), found.source))
}

fn published(html: &str) -> Option<(String, Source)> {
    said(of(html).published_at)
}

fn date(text: &str, source: Source) -> Option<(String, Source)> {
    Some((text.to_owned(), source))
}

const LD: &str = r#"<script type="application/ld+json">{"@type":"NewsArticle",
    "datePublished":"2012-03-01","dateModified":"2012-03-05","author":{"name":"Ann Leaf"},
    "publisher":{"name":"Tea Times"},"description":"On tea","image":["/t.png"]}</script>"#;

#[test]
fn structured_data_is_believed_first() {
    let html = format!("{LD}<meta name=author content=Bo><time datetime=2011-01-01>x</time>");
    let said_of = of(&html);
    assert_eq!(
        said(said_of.published_at),
        date("2012-03-01", Source::JsonLd)
    );
    assert_eq!(
        said(said_of.modified_at),
        date("2012-03-05", Source::JsonLd)
    );
    assert_eq!(
        said(said_of.author),
        Some(("Ann Leaf".into(), Source::JsonLd))
    );
    assert_eq!(
        said(said_of.site_name),
        Some(("Tea Times".into(), Source::JsonLd))
    );
    assert_eq!(
        said(said_of.description),
        Some(("On tea".into(), Source::JsonLd))
    );
    let image = "http://www.tea.example/t.png".to_owned();
    assert_eq!(said(said_of.image), Some((image, Source::JsonLd)));
}

#[test]
fn dates_are_found_in_every_source() {
    for (html, expected, source) in [
        (
            "<meta property=article:published_time content=2012-03-01T10:00:00Z>",
            "2012-03-01T10:00:00Z",
            Source::OpenGraph,
        ),
        (
            "<meta name=DC.date.issued content=2012-03-01>",
            "2012-03-01",
            Source::Meta,
        ),
        (
            "<span itemprop=datePublished content=2012-03-01>x</span>",
            "2012-03-01",
            Source::Microdata,
        ),
        (
            "<h1>a</h1><time pubdate>1 March 2012</time>",
            "2012-03-01",
            Source::Time,
        ),
        (
            "<h1>a</h1><p class=entry-date>1. März 2012</p>",
            "2012-03-01",
            Source::Class,
        ),
        (
            "<p>Опубликовано 1 марта 2012 г.</p><h1>a</h1>",
            "2012-03-01",
            Source::Text,
        ),
        (
            "<h1>a</h1><div>2012年3月1日</div>",
            "2012-03-01",
            Source::Text,
        ),
    ] {
        assert_eq!(published(html), date(expected, source), "{html}");
    }
    let by_url = at("http://tea.example/2012/03/01/green.html", "<p>x</p>");
    assert_eq!(said(by_url.published_at), date("2012-03-01", Source::Url));
}

#[test]
fn future_and_absurd_dates_are_refused() {
    for day in ["2012-06-03", "2038-01-19", "1899-12-31", "0001-01-01"] {
        let html =
            format!("<meta name=date content={day}><h1>a</h1><time datetime={day}>{day}</time>");
        assert_eq!(published(&html), None, "{day}");
    }
    // A day later is a time zone.
    assert_eq!(
        published("<meta name=date content=2012-06-02>"),
        date("2012-06-02", Source::Meta)
    );
    // A refused date does not hide another.
    let html = "<meta name=date content=2038-01-19><h1>a</h1><time datetime=2012-03-01>x</time>";
    assert_eq!(published(html), date("2012-03-01", Source::Time));
}

#[test]
fn dates_beside_the_article_come_last() {
    let html = "<aside><time datetime=2012-05-05>x</time></aside><h1>a</h1>\
                <time datetime=2012-03-01>x</time>\
                <div class=related-posts><time datetime=2012-05-06>x</time></div>";
    assert_eq!(published(html), date("2012-03-01", Source::Time));
}

#[test]
fn a_date_of_a_change_is_not_that_of_publication() {
    let html =
        "<h1>a</h1><time class=updated datetime=2012-05-05>x</time><p>Last updated: 5 May 2012</p>";
    let said_of = of(html);
    assert_eq!(said_of.date(), Some(on(2012, 5, 5)));
    assert_eq!(said(said_of.published_at), None);
    assert_eq!(said(said_of.modified_at), date("2012-05-05", Source::Time));
}

#[test]
fn the_address_has_the_day_of_a_time_in_utc() {
    let html = "<meta property=article:published_time content=2012-03-02T02:41:00Z>";
    let said_of = at("http://tea.example/2012/03/01/green/", html);
    assert_eq!(said(said_of.published_at), date("2012-03-01", Source::Url));
}

#[test]
fn the_declared_language_orders_day_and_month() {
    let html = |lang| format!("<html lang={lang}><h1>a</h1><p class=date>3/4/2012</p>");
    assert_eq!(published(&html("en-US")), date("2012-03-04", Source::Class));
    assert_eq!(published(&html("en-GB")), date("2012-04-03", Source::Class));
    assert_eq!(published(&html("fr")), date("2012-04-03", Source::Class));
}

#[test]
fn authors_are_found_in_every_source() {
    let author = |html: &str| said(of(html).author);
    for (html, source) in [
        ("<meta name=author content='Ann Leaf'>", Source::Meta),
        (
            "<div itemprop=author><span>Ann Leaf</span></div>",
            Source::Microdata,
        ),
        (
            "<h1>a</h1><a rel=author href=/ann>Ann Leaf</a>",
            Source::Class,
        ),
        (
            "<h1>a</h1><p class=byline>By Ann Leaf on March 1, 2012</p>",
            Source::Class,
        ),
        ("<h1>a</h1><p>By Ann Leaf</p>", Source::Text),
        (
            "<h1>a</h1><span>Author:</span><span>Ann Leaf</span>",
            Source::Text,
        ),
    ] {
        assert_eq!(author(html), Some(("Ann Leaf".into(), source)), "{html}");
    }
    assert_eq!(author("<meta name=author content=admin><h1>a</h1>"), None);
    let two = "<meta name=citation_author content='Ann Leaf'><meta name=citation_author content='Bo Cup'>";
    assert_eq!(author(two), Some(("Ann Leaf, Bo Cup".into(), Source::Meta)));
}

#[test]
fn the_name_of_the_site_is_an_author_only_if_there_is_no_other() {
    let site =
        "<meta property=og:site_name content='Tea Times'><meta name=author content='Tea Times'>";
    let author = |html: &str| said(of(html).author).map(|(name, _)| name);
    assert_eq!(author(site).as_deref(), Some("Tea Times"));
    let with = format!("{site}<h1>a</h1><p>By Ann Leaf</p>");
    assert_eq!(author(&with).as_deref(), Some("Ann Leaf"));
}

#[test]
fn addresses_are_absolute_addresses_of_the_web() {
    let html =
        "<link rel=canonical href='/kinds/green'><meta property=og:image content='javascript:x'>";
    let said_of = of(html);
    let canonical = "http://www.tea.example/kinds/green".to_owned();
    assert_eq!(said(said_of.canonical_url), Some((canonical, Source::Link)));
    assert_eq!(said(said_of.image), None);
}

#[test]
fn a_licence_is_declared_or_the_only_one_that_links_lead_to() {
    let by = "https://creativecommons.org/licenses/by";
    let licence = |html: &str| said(of(html).licence);
    let found = |name: &str, source| Some((name.to_owned(), source));
    for (html, expected) in [
        (
            format!(
                "<p>Tea<footer><a rel='license nofollow' href={by}-sa/3.0/de/>Some rights</a></footer>"
            ),
            found("CC-BY-SA-3.0-DE", Source::Link),
        ),
        (
            format!("<a href={by}/2.0/>of a picture</a><link rel=license href={by}-nc/4.0/>"),
            found("CC-BY-NC-4.0", Source::Link),
        ),
        (
            format!("<p><a itemprop=license href={by}/4.0/>CC</a>"),
            found("CC-BY-4.0", Source::Microdata),
        ),
        (
            format!("<meta name=DCTERMS.license content={by}/4.0/>"),
            found("CC-BY-4.0", Source::Meta),
        ),
        (
            format!(
                "<script type=application/ld+json>{{\"@type\":\"Article\",\"license\":{{\"url\":\"{by}/4.0/\"}}}}</script>\
                 <a rel=license href={by}-nd/4.0/>x</a>"
            ),
            found("CC-BY-4.0", Source::JsonLd),
        ),
        (
            format!("<p><a href={by}/4.0/>CC</a> and <a href={by}/4.0/deed.en>again</a>"),
            found("CC-BY-4.0", Source::Anchor),
        ),
        // A page about licences.
        (
            format!("<p><a href={by}/4.0/>one</a> or <a href={by}-sa/4.0/>two</a>"),
            None,
        ),
        (
            "<a rel=license href=/terms>Terms</a><meta name=copyright content='Tea Ltd'>"
                .to_owned(),
            None,
        ),
        (format!("<link rel=alternate href={by}/4.0/>"), None),
    ] {
        assert_eq!(licence(&html), expected, "{html}");
    }
}

proptest! {
    #[test]
    fn no_page_has_a_date_after_its_fetch(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "<time datetime='", "'>", "2012-", "2099", "-03-01", "T10:00", "+99:99", "<h1>", "<p class=date>", "März",
            " 3. ", "年", "12", "<script type=application/ld+json>", "{\"@type\":\"Article\",\"datePublished\":\"",
            "\"}", "</script>", "<meta name=date content='", "By ", "é", "<aside>", "99999999999999999999", "/", ".",
        ]), 0..30)
    ) {
        let said_of = of(&pieces.concat());
        let dates = [said_of.published_at, said_of.modified_at];
        for found in dates.into_iter().flatten() {
            prop_assert!(found.value.date <= on(2012, 6, 2));
            prop_assert!(found.value.date >= on(1990, 1, 1));
        }
    }
}

/// The forms of forums, trackers, wikis and blogs of their time, without values for machines.
#[test]
fn dates_of_older_software_are_found() {
    let forum = "<title>Tea</title><body><span class=postdetails>Verfasst am: 11.03.2005 - 19:14</span>\
                 <p>Which tea, and why?</p>";
    assert_eq!(published(forum), date("2005-03-11", Source::Class));
    let ticket = "<h1>Ticket 3: tea is cold</h1><div><p>Opened \
                  <a class=timeline title='2006-08-18T12:55:53Z in Timeline'>6 years</a> ago</p></div>";
    assert_eq!(
        published(ticket),
        date("2006-08-18T12:55:53Z", Source::Class)
    );
    let blog = "<h2>Total tea</h2><p class=postmetadata>admin | September 6, 2004 2:52 pm</p>\
                <p>On July 14, 2003 nobody drank tea.</p>";
    assert_eq!(published(blog), date("2004-09-06", Source::Class));
    let wiki = "<h1>Tea</h1><p>A drink.</p><footer><li id=footer-info-lastmod> This page was last edited on \
                21 July 2007, at 23:05.</li></footer>";
    assert_eq!(
        said(of(wiki).modified_at),
        date("2007-07-21", Source::Class)
    );
    assert_eq!(published(wiki), None);
}

#[test]
fn a_page_without_h1_has_its_date_near_its_begin() {
    let comments: String = (0..80)
        .map(|number| format!("<p>Comment {number}</p>"))
        .collect();
    let html =
        format!("<h2>Tea</h2><p>March 3, 2012</p><p>A drink.</p>{comments}<p>May 1, 2012</p>");
    assert_eq!(published(&html), date("2012-03-03", Source::Text));
}

#[test]
fn a_number_before_a_title_in_the_address_is_the_last_choice() {
    let url = "http://www.tea.example/2012/03/10-reasons-for-tea";
    let dated = at(url, "<h1>10 reasons for tea</h1><p>March 5, 2012</p>");
    assert_eq!(said(dated.published_at), date("2012-03-05", Source::Text));
    let undated = at(url, "<h1>10 reasons for tea</h1><p>It is hot.</p>");
    assert_eq!(said(undated.published_at), date("2012-03-10", Source::Url));
}
