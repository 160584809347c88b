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

/// In the text of the paper the first rule whose expression matches applies, whatever parameters
/// the URL has. The authors' code tries the next rule.
#[test]
fn a_rule_needs_its_parameters_unless_the_job_says_otherwise() {
    let at = "http://news.example/story";
    let rows = [
        story("2011-10-24T10:00:00", &format!("{at}?page=1"), "One is"),
        story("2011-10-24T11:00:00", &format!("{at}?page=2"), "Two is"),
    ];
    for (needed, keys) in [
        ("true", [format!("{at}?page=1"), format!("{at}?page=2")]),
        ("false", [at.to_owned(), at.to_owned()]),
    ] {
        let job = Job::of(&rows)
            .with("paper.queries=drop")
            .with("url_key.rules=rules.tsv")
            .with(&format!("paper.rules_need_parameters={needed}"));
        std::fs::write(job.path("rules.tsv"), "/story\tid\n/story\tpage\n").expect("a file");
        job.run(DATES);
        let rows = job.rows("SELECT url_key, rule FROM url_keys ORDER BY fetched_at");
        let rule = if needed == "true" { "page" } else { "id" };
        let expected = keys.map(|key| json!({"url_key": key, "rule": format!("/story {rule}")}));
        assert_eq!(rows, expected, "{needed}");
    }
}

/// A text on two pages is content if `paper.c_max` is 2, and the node of a section decides once it
/// has `paper.n_min` pages.
#[test]
fn the_constants_of_a_heuristic_are_settings() {
    let rows: Vec<Row> = ["a/one", "a/two", "b/three", "b/four"]
        .into_iter()
        .enumerate()
        .map(|(hour, path)| {
            // All pages share the menu; those of a section share a line.
            let section = path.split('/').next().unwrap_or_default();
            let html = format!("<p>Menu of all<p>Line of {section}{section}<p>Own text of {path}");
            let url = format!("http://news.example/{path}.html");
            Row::page(&format!("2011-10-24T1{hour}:00:00"), url, html)
        })
        .collect();
    let text = |settings: &[&str]| {
        let job = Job::of(&rows).with("paper.heuristic=strict");
        let job = settings.iter().fold(job, |job, setting| job.with(setting));
        job.run(DATES);
        let row = job.row("SELECT text FROM documents WHERE url LIKE '%/one.html'");
        row["text"].as_str().expect("a text").to_owned()
    };
    assert_eq!(text(&[]), "Own text of a/one");
    assert_eq!(text(&["paper.c_max=2"]), "Line of aa\nOwn text of a/one");
    // The section has two pages, so each block of all is on two.
    let of_section = text(&["paper.c_max=2", "paper.n_min=2"]);
    assert_eq!(of_section, "Menu of all\nLine of aa\nOwn text of a/one");
}

#[test]
fn choices_that_no_text_describes_are_refused() {
    let rows = [story(
        "2011-10-24T10:00:00",
        "http://news.example/1",
        "One is",
    )];
    for (settings, said) in [
        (
            &["method=template", "paper.n_min=4"][..],
            "paper: the default method makes these choices itself",
        ),
        (&["paper.c_max=0"], "paper.c_max: 0; expected at least 1"),
        (
            &["paper.heuristic=template"],
            "paper.heuristic: template is the default method",
        ),
        (
            &["method=paper", "dedup.revisions=true"],
            "dedup.revisions: the method of the paper has no such thing",
        ),
        (
            &["method=paper", "tree.relabel_days=2"],
            "tree.relabel_days: ",
        ),
        (
            &["tree.heuristic=strict"],
            "tree.heuristic: the default method decides it itself now",
        ),
    ] {
        let job = settings
            .iter()
            .fold(Job::of(&rows), |job, one| job.with(one));
        let error = job.refused(DATES, 2);
        assert!(error.contains(said), "{error}");
    }
}
