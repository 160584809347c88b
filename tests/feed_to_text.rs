//! From feeds to text: a site is fetched over several days, and a night is run after each.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use servers::{Scripted, respond};

use crate::fetch::{command, html, missing, report, rows, rss};
use crate::support::{Job, Site, finished, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DAYS: u64 = 5;
/// New articles of a day.
const ARTICLES: u64 = 6;

/// A feed of the articles of the last two days whose number is a multiple of `step`. `link` is the link of
/// an article.
fn feed(day: u64, step: usize, link: impl Fn(u64) -> String) -> Vec<u8> {
    let first = day.saturating_sub(1) * ARTICLES;
    let articles = (first..(day + 1) * ARTICLES).step_by(step);
    let items: Vec<_> = articles
        .map(|number| (format!("Article {number}"), link(number)))
        .collect();
    let items: Vec<_> = items
        .iter()
        .map(|(title, link)| (title.as_str(), link.as_str()))
        .collect();
    rss(&items)
}

/// The site with a feed of all articles, and one of every second, whose links redirect to the article.
fn site(day: Arc<AtomicU64>) -> Scripted {
    let server = Scripted::start(move |get, stream| {
        let day = day.load(Ordering::SeqCst);
        let number = |path: &str| path.rsplit('/').next()?.strip_suffix(".html")?.parse().ok();
        match get.path.as_str() {
            "/feeds/all" => respond(stream, 200, &[], &feed(day, 1, |number| SITE.url(number))),
            "/feeds/news" => respond(
                stream,
                200,
                &[],
                &feed(day, 2, |number| format!("/go/{number}.html")),
            ),
            "/robots.txt" => missing(stream),
            path => match number(path) {
                Some(number) if path.starts_with("/go/") => {
                    respond(stream, 302, &[("location", &SITE.url(number))], b"")
                }
                Some(number) => html(stream, &SITE.html(number)),
                None => missing(stream),
            },
        }
    });
    server.expect("a server")
}

/// The paragraphs of an article.
fn paragraphs(number: u64) -> Vec<String> {
    let page = SITE.html(number);
    let (_, main) = page.split_once("</h1>").expect("a headline");
    let (main, _) = main.split_once("</main>").expect("an end");
    let paragraphs = main.split("<p>").skip(1);
    paragraphs
        .map(|paragraph| {
            paragraph
                .split("</p>")
                .next()
                .unwrap_or_default()
                .to_owned()
        })
        .collect()
}

#[test]
fn a_site_with_two_feeds_is_text_after_each_night() {
    let day = Arc::new(AtomicU64::new(0));
    let server = site(Arc::clone(&day));
    let job = Job::new().with("archive.layout=hive");
    let list = "gazette\thttp://www.gazette.example/feeds/all\ngazette\thttp://www.gazette.example/feeds/news\n";
    for night in 0..DAYS {
        day.store(night, Ordering::SeqCst);
        let date = format!("2011-10-{:02}", 20 + night);
        // Polls in the morning and in the evening: the second finds nothing new.
        for (hour, new) in [(8, ARTICLES + ARTICLES / 2), (20, 0)] {
            let now = format!("{date}T{hour:02}:00:00Z");
            let fetched = finished(&mut command(
                &job,
                &server,
                &[SITE.host],
                list,
                &["--now", &now],
            ));
            let report = report(&fetched);
            assert_eq!(
                (&report["polled"], &report["new_items"], &report["pages"]),
                (&2.into(), &new.into(), &new.into()),
                "{now}: {report}"
            );
        }
        let updated = job.command("update", &[]);
        assert_eq!(updated.code, Some(0), "{date}: {}", updated.stderr);

        // Every article once, with the text of the article. The template is known from the second night on.
        let documents = job.rows(&format!(
            "SELECT url, text FROM documents WHERE date = DATE '{date}'"
        ));
        assert_eq!(documents.len() as u64, ARTICLES, "{date}: {documents:?}");
        for number in night * ARTICLES..(night + 1) * ARTICLES {
            let url = SITE.url(number);
            let document = documents
                .iter()
                .find(|document| text(document, "url") == url);
            let found = text(
                document.unwrap_or_else(|| panic!("{date}: no {url}")),
                "text",
            );
            for paragraph in paragraphs(number) {
                assert!(found.contains(&paragraph), "{url}: {found}");
            }
            let template = [SITE.sidebar(), SITE.name()];
            let is_clean = !template.iter().any(|part| found.contains(part));
            assert!(is_clean || night == 0, "{url}: {found}");
        }
        // The second feed's articles are duplicates, by the URL after their redirects.
        let duplicates = job.row(&format!(
            "SELECT count(*) AS n, count(request_url) AS redirected FROM url_keys \
             WHERE status = 'duplicate' AND date = DATE '{date}'"
        ));
        assert_eq!(text(&duplicates, "n"), (ARTICLES / 2).to_string(), "{date}");
        job.assert_accounts();
    }
    let archived = rows(&job, "date=");
    assert_eq!(archived.len() as u64, DAYS * (ARTICLES + ARTICLES / 2));
    let redirected = archived
        .iter()
        .filter(|row| row.contains_key("request_url"));
    assert_eq!(redirected.count() as u64, DAYS * ARTICLES / 2);

    // One backfill over all days gives the same texts.
    let whole = Job::new()
        .with("archive.layout=hive")
        .reading(&job.path("archive"));
    whole.backfill(&format!("2011-10-20..2011-10-{}", 19 + DAYS));
    let texts = "SELECT url, text FROM documents ORDER BY url";
    assert_eq!(whole.rows(texts), job.rows(texts));
}
