//! URL keys and duplicates: normalisation, rules, titles, the blocklist, domains, and
//! lookback.

use serde_json::{Value, json};

use crate::support::{Job, Row, Site, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DAY: &str = "2011-10-24";

/// Pages of one day, a minute apart, with different articles.
fn pages(urls: &[&str]) -> Vec<Row> {
    let first = Row::page("2011-10-24T08:00:00", "", "");
    (urls.iter().zip(0..))
        .map(|(url, number)| Row {
            url: Some((*url).to_owned()),
            html: Some(SITE.html(number).into_bytes()),
            ..first.after(0, 60 * number as i64)
        })
        .collect()
}

fn keys(job: &Job) -> Vec<String> {
    let rows = job.rows("SELECT url_key FROM url_keys ORDER BY fetched_at");
    rows.iter().map(|row| text(row, "url_key")).collect()
}

#[test]
fn merged_by_names_the_step_that_found_the_duplicate() {
    let thread = "http://bbs.chinadaily.com.cn/viewthread.php";
    let steps = [
        ("identical_url", "/news/a.html", "/news/a.html"),
        ("redirect", "/news/b.html", "/news/b.html"),
        ("encoding", "/news/caf%C3%A9.html", "/news/caf%c3%a9.html"),
        ("encoding", "/news/c", "/news/c/"),
        (
            "dropped_query",
            "/news/d.html",
            "/news/d.html?utm_source=feed",
        ),
        ("rule", "?tid=1&extra=page", "?tid=1"),
    ];
    for (step, first, second) in steps {
        let host = if step == "rule" {
            thread
        } else {
            "http://www.gazette.example"
        };
        let mut rows = pages(&[&format!("{host}{first}"), &format!("{host}{second}")]);
        if step == "redirect" {
            rows[0].request_url = rows[0].url.clone();
            rows[1].request_url = Some("http://short.example/b".to_owned());
        }
        let job = Job::of(&rows);
        job.backfill(DAY);
        let found = job.rows("SELECT status, merged_by, duplicate_of FROM url_keys ORDER BY row");
        let duplicate = json!({
            "status": "duplicate",
            "merged_by": step,
            "duplicate_of": "pages.parquet#0",
        });
        assert_eq!(
            found,
            [json!({"status": "unique"}), duplicate],
            "{first} and {second}"
        );
        let kept = job.row("SELECT url FROM documents");
        assert_eq!(
            kept["url"],
            json!(rows[0].url),
            "{step}: the first one wins"
        );
    }
}

#[test]
fn a_rule_keeps_its_parameters_and_is_recorded() {
    let thread = "http://bbs.chinadaily.com.cn/viewthread.php";
    let urls = [1, 2].map(|tid| format!("{thread}?extra=x&tid={tid}"));
    let job = Job::of(&pages(&urls.each_ref().map(String::as_str)));
    job.backfill(DAY);
    assert_eq!(keys(&job), [1, 2].map(|tid| format!("{thread}?tid={tid}")));
    let rules = job.rows("SELECT DISTINCT rule FROM url_keys");
    assert!(text(&rules[0], "rule").ends_with(" tid"), "{rules:?}");

    let without = Job::of(&pages(&urls.each_ref().map(String::as_str)))
        .with("url_key.rules=none")
        .with("paper.queries=drop");
    without.backfill(DAY);
    assert_eq!(keys(&without), [thread, thread]);
}

#[test]
fn own_rules_replace_the_bundled_rules() {
    let job = Job::of(&pages(&[
        "http://www.gazette.example/show?story=1&id=7",
        "http://www.gazette.example/show?story=2&id=7",
    ]))
    .with("url_key.rules=rules.tsv");
    std::fs::write(job.path("rules.tsv"), "gazette\\.example/show\tstory\n").expect("a rule file");
    job.backfill(DAY);
    let expected = [1, 2].map(|story| format!("http://www.gazette.example/show?story={story}"));
    assert_eq!(keys(&job), expected);
}

/// A front page, fetched three times at one URL.
fn front_page(feed_titles: [Option<&str>; 3], page_titles: [&str; 3]) -> Vec<Row> {
    let mut rows = pages(&["http://www.aljazeera.com/"; 3]);
    for (row, (feed, title)) in rows
        .iter_mut()
        .zip(feed_titles.into_iter().zip(page_titles))
    {
        row.title = feed.map(str::to_owned);
        row.html = Some(SITE.page(title, &[]).into_bytes());
    }
    rows
}

#[test]
fn url_key_title_selects_the_title_in_the_key() {
    let feed = [Some("Elections"), Some("Elections!"), Some("Storms")];
    let page = ["Morning", "Evening", "evening"];
    for (title, feed, distinct) in [
        ("html", feed, [0, 1, 1]),
        ("feed", feed, [0, 0, 2]),
        ("auto", feed, [0, 0, 2]),
        ("auto", [None; 3], [0, 1, 1]),
        ("auto", [None, Some("Evening"), None], [0, 1, 1]),
        // Without a feed no row has a title, so all rows are one page.
        ("feed", [None; 3], [0, 0, 0]),
    ] {
        let job = Job::of(&front_page(feed, page)).with(&format!("paper.title={title}"));
        job.backfill(DAY);
        let keys = keys(&job);
        for (row, first) in distinct.into_iter().enumerate() {
            assert!(
                keys[row].starts_with("http://www.aljazeera.com?_cid_="),
                "{keys:?}"
            );
            let same = keys.iter().position(|key| *key == keys[row]);
            assert_eq!(
                same,
                Some(first),
                "{title}, {feed:?}: row {row} of {keys:?}"
            );
        }
        let shown = job.rows("SELECT url_key, content_id FROM url_keys");
        for row in shown {
            assert!(
                text(&row, "url_key").ends_with(&text(&row, "content_id")),
                "{row}"
            );
        }
    }
}

#[test]
fn titles_are_ignored_without_a_title_rule() {
    let mut rows = pages(&["http://www.gazette.example/"; 2]);
    rows[0].title = Some("Morning".to_owned());
    rows[1].title = Some("Evening".to_owned());
    let job = Job::of(&rows);
    job.backfill(DAY);
    assert_eq!(keys(&job), ["http://www.gazette.example"; 2]);
}

#[test]
fn blocklisted_pages_are_keyed_and_not_replayed() {
    let job = Job::of(&pages(&[
        "http://www.gazette.example/news/1.html",
        "https://ads.example/banner",
        "http://www.gazette.example/login?next=/news",
        "http://ads.example/banner",
    ]))
    .with("url_key.blocklist=blocklist.txt");
    std::fs::write(
        job.path("blocklist.txt"),
        "# no pages\nhttp://ads.example:80\nhttp://www.gazette.example/login\n",
    )
    .expect("a blocklist");
    job.backfill(DAY);
    let statuses = job.rows("SELECT row, status, merged_by FROM url_keys ORDER BY row");
    let expected = ["unique", "blocklisted", "blocklisted", "blocklisted"];
    for (row, status) in expected.into_iter().enumerate() {
        assert_eq!(statuses[row], json!({"row": row, "status": status}));
    }
    for table in ["documents", "window_entries"] {
        let kept = job.rows(&format!("SELECT url_key FROM {table}"));
        assert_eq!(
            kept,
            [json!({"url_key": "http://www.gazette.example/news/1.html"})]
        );
    }
}

#[test]
fn http_and_https_are_one_page_unless_kept_apart() {
    let urls = [
        "https://www.gazette.example/news/1.html",
        "http://www.gazette.example/news/1.html",
    ];
    let merged = Job::of(&pages(&urls));
    merged.backfill(DAY);
    assert_eq!(keys(&merged), ["http://www.gazette.example/news/1.html"; 2]);
    let separate = Job::of(&pages(&urls)).with("paper.scheme=separate");
    separate.backfill(DAY);
    assert_eq!(keys(&separate), urls);
}

#[test]
fn the_domain_follows_the_suffixes_and_grouping_of_the_job() {
    let urls = [
        "http://news.bbc.co.uk/1.html",
        "http://www.bbc.co.uk/2.html",
        "http://abcnews.go.com/3.html",
        "http://sport.abcnews.go.com/4.html",
        "http://localhost:8080/5.html",
        "http://127.0.0.1/6.html",
    ];
    let (bbc, go) = ("bbc.co.uk", "go.com");
    let abc = "abcnews.go.com";
    for (setting, expected) in [
        (
            "domain.grouping=registrable",
            [bbc, bbc, go, go, "localhost", "127.0.0.1"],
        ),
        (
            "domain.extra_suffixes=['go.com']",
            [bbc, bbc, abc, abc, "localhost", "127.0.0.1"],
        ),
        (
            "domain.grouping=host",
            [
                "news.bbc.co.uk",
                "www.bbc.co.uk",
                abc,
                "sport.abcnews.go.com",
                "localhost",
                "127.0.0.1",
            ],
        ),
    ] {
        let job = Job::of(&pages(&urls)).with(setting);
        job.backfill(DAY);
        let domains = job.rows("SELECT domain FROM documents ORDER BY fetched_at");
        let domains: Vec<_> = domains.iter().map(|row| text(row, "domain")).collect();
        assert_eq!(domains, expected, "{setting}");
    }
}

/// A page, and the same page again a number of days later.
fn again_after(days: i64) -> Vec<Row> {
    let first = SITE.article(1, "2011-10-01T12:00:00");
    vec![first.clone(), first.after(days, 0)]
}

#[test]
fn duplicates_are_found_within_the_lookback_only() {
    for (lookback, days, status) in [
        ("all", 29, "duplicate"),
        ("5d", 5, "duplicate"),
        ("5d", 6, "unique"),
        ("window", 29, "duplicate"),
    ] {
        let job = Job::of(&again_after(days)).with(&format!("paper.lookback={lookback}"));
        // In two runs, so that the second finds the first page in the tables.
        job.backfill("2011-10-01");
        job.backfill("2011-10-02..2011-10-31");
        let second = job.row("SELECT status FROM url_keys WHERE row = 1");
        assert_eq!(second["status"], status, "{lookback}, {days} days");
    }
}

#[test]
fn a_duplicate_with_much_new_text_can_be_a_revision() {
    let with = |text: &str| {
        let html = SITE
            .html(1)
            .replace("</main>", &format!("<p>{text}</p></main>"));
        let rows = vec![
            SITE.article(1, "2011-10-24T08:00:00"),
            Row {
                html: Some(html.into_bytes()),
                ..SITE.article(1, "2011-10-24T09:00:00")
            },
        ];
        Job::of(&rows)
    };
    let update = crate::support::paragraph(99);
    assert!(update.len() > 100);
    for (setting, text, status) in [
        ("dedup.revisions=false", update.as_str(), "duplicate"),
        ("dedup.revisions=true", "Corrected.", "duplicate"),
        ("dedup.revisions=true", update.as_str(), "revision"),
    ] {
        let job = with(text).with(setting);
        job.backfill(DAY);
        let second = job.row("SELECT status, merged_by, duplicate_of FROM url_keys WHERE row = 1");
        let expected = json!({
            "status": status,
            "merged_by": "identical_url",
            "duplicate_of": "pages.parquet#0",
        });
        assert_eq!(second, expected, "{setting}, {text}");
        let revisions = job.rows("SELECT text FROM documents WHERE status = 'revision'");
        let entries = job.rows("SELECT entry FROM window_entries ORDER BY ordinal");
        if status == "revision" {
            assert!(
                text == update
                    && revisions[0]["text"]
                        .as_str()
                        .is_some_and(|text| text.contains(&update))
            );
            assert_eq!(
                entries,
                [json!({"entry": "document"}), json!({"entry": "revision"})]
            );
        } else {
            assert_eq!(revisions, Vec::<Value>::new());
            assert_eq!(entries, [json!({"entry": "document"})]);
        }
    }
}
