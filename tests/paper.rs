//! `jobs/paper.toml`: the published method, on the example site of the paper.

use serde_json::json;

use crate::support::{Job, Row};

const DATES: &str = "2011-10-24..2011-10-25";

/// A story of the paper's example site: a menu that every story has, and its own text.
fn story(time: &str, url: &str, text: &str) -> Row {
    let html = format!("<title>ABC</title><p>Top stories<p>{text} br<b>oken</b> off");
    Row {
        title: Some(text.to_owned()),
        ..Row::page(time, url, html)
    }
}

#[test]
fn the_paper_job_labels_online_with_the_rules_of_table_1() {
    let at = "http://abcnews.go.com/kabc/story";
    let rows = [
        story(
            "2011-10-24T10:00:00",
            &format!("{at}?section=news&id=1"),
            "One is",
        ),
        story(
            "2011-10-24T11:00:00",
            &format!("{at}?section=news&id=2"),
            "Two is",
        ),
        // The paper keeps schemes apart: this page is not the one before.
        story(
            "2011-10-24T12:00:00",
            "https://abcnews.go.com/kabc/story?id=2",
            "Three is",
        ),
        // Without a rule the query is dropped: both are one page.
        story(
            "2011-10-25T10:00:00",
            "http://espn.go.com/a?id=1",
            "Four is",
        ),
        story(
            "2011-10-25T11:00:00",
            "http://espn.go.com/a?id=2",
            "Five is",
        ),
    ];
    let job = Job::of(&rows).of_the_repository("jobs/paper.toml");
    let archive = job.path("archive");
    let job = job.reading(&archive);
    job.run(DATES);

    // Online, the first story of a domain is labelled before any other is known. So its menu
    // is content, and so is its title, which the authors' code takes as a text block.
    let page = |domain: &str, key: &str, text: &str| json!({"domain": domain, "url_key": key, "text": text, "heuristic": "strict"});
    let pages = "SELECT domain, url_key, text, heuristic FROM documents ORDER BY fetched_at";
    assert_eq!(
        job.rows(pages),
        [
            page(
                "abcnews.go.com",
                &format!("{at}?id=1"),
                "ABC\nTop stories\nOne is br oken off"
            ),
            page(
                "abcnews.go.com",
                &format!("{at}?id=2"),
                "Two is br oken off"
            ),
            page(
                "abcnews.go.com",
                "https://abcnews.go.com/kabc/story?id=2",
                "Three is br oken off"
            ),
            page(
                "espn.go.com",
                "http://espn.go.com/a",
                "ABC\nTop stories\nFour is br oken off"
            ),
        ]
    );
    let duplicates = "SELECT url, merged_by FROM url_keys WHERE status = 'duplicate'";
    assert_eq!(
        job.rows(duplicates),
        [json!({"url": "http://espn.go.com/a?id=2", "merged_by": "dropped_query"})]
    );
}
