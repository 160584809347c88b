//! URL rules: proposals from what was learned, and the effect of a rule file.

use serde_json::{Value, json};

use crate::support::{Finished, Job, Row, Site, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DAYS: &str = "2011-10-24..2011-10-25";

/// Pages of one day, a minute apart, each with the article of its number.
fn pages(day: &str, urls: &[(String, u64)]) -> Vec<Row> {
    let first = Row::page(&format!("{day}T08:00:00"), "", "");
    (urls.iter().zip(0..))
        .map(|((url, article), number)| Row {
            url: Some(format!("http://{}{url}", SITE.host)),
            html: Some(SITE.html(*article).into_bytes()),
            ..first.after(0, 60 * number)
        })
        .collect()
}

/// Two days of a site: stories with copies at `via=mail`, a forum at `index.php`, articles
/// without a parameter name, and front pages that a parameter does not change.
fn learned_site() -> Vec<Row> {
    let day = |day: u64| {
        let numbers = 10 * day..10 * day + 8;
        let urls = numbers.flat_map(|number| {
            [
                (format!("/show.php?Piece={number}"), number),
                (format!("/show.php?Piece={number}&via=mail"), number),
                (format!("/forum/index.php?topicno={number}"), 100 + number),
                (format!("/spip.php?article{number}"), 200 + number),
                (format!("/?visit={number}"), 300),
            ]
        });
        urls.collect::<Vec<_>>()
    };
    let mut rows = pages("2011-10-24", &day(0));
    rows.extend(pages("2011-10-25", &day(1)));
    rows
}

fn proposals(job: &Job) -> String {
    let finished = job.command("rules", &["learn"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    finished.stdout
}

fn unique_pages(job: &Job) -> Vec<String> {
    let rows = job.rows("SELECT url FROM documents ORDER BY fetched_at, url");
    rows.iter().map(|row| text(row, "url")).collect()
}

fn check(job: &Job, rules: &str) -> Value {
    let finished = try_check(job, rules, &["--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("a JSON object")
}

fn try_check(job: &Job, rules: &str, options: &[&str]) -> Finished {
    std::fs::write(job.path("new.tsv"), rules).expect("a rule file");
    job.command(
        "rules",
        &[&["check", "--rules", "new.tsv"], options].concat(),
    )
}

#[test]
fn proposals_without_learning_give_the_pages_of_learning() {
    let rows = learned_site();
    let learned = Job::of(&rows).with("url_key.rules=none");
    learned.backfill(DAYS);
    let proposed = proposals(&learned);
    let rules: Vec<&str> = (proposed.lines())
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .collect();
    let index = "index\\.html|index\\.htm|index\\.php|index\\.asp|index\\.aspx|index\\.jsp|\
                 index\\.shtml|default\\.asp|default\\.aspx|default\\.htm";
    let expected = [
        format!("^http://www\\.gazette\\.example/forum(/(?i:{index}))?(\\?|$)\ttopicno"),
        "^http://www\\.gazette\\.example/show\\.php(\\?|$)\tPiece".to_owned(),
        "^http://www\\.gazette\\.example/spip\\.php(\\?|$)\tnull".to_owned(),
    ];
    assert_eq!(rules, expected, "{proposed}");
    for part in [
        "up to 2011-10-25",
        "# piece identifies pages since 2011-10-25: rows 32",
        "# via is noise since 2011-10-25",
        "http://www.gazette.example/show.php?Piece=",
    ] {
        assert!(proposed.contains(part), "{part} in {proposed}");
    }

    let ruled = Job::of(&rows)
        .with("url_key.rules=proposed.tsv")
        .with("paper.queries=drop");
    std::fs::write(ruled.path("proposed.tsv"), &proposed).expect("a rule file");
    ruled.backfill(DAYS);
    assert_eq!(unique_pages(&ruled), unique_pages(&learned));

    let effect = check(&learned, &proposed);
    assert_eq!(effect["merged"]["rows"], 0, "{effect}");
    assert_eq!(effect["separated"]["rows"], 0, "{effect}");
}

#[test]
fn tables_without_a_verdict_give_no_proposals() {
    let rows = pages("2011-10-24", &[("/show.php?piece=1".to_owned(), 1)]);
    let job = Job::of(&rows).with("url_key.rules=none");
    job.backfill("2011-10-24");
    let proposed = proposals(&job);
    assert!(proposed.contains("# No rule is proposed"), "{proposed}");
    assert!(
        proposed
            .lines()
            .all(|line| line.is_empty() || line.starts_with('#'))
    );
}

/// Pages of two scripts, of which the first has a rule.
fn ruled_job() -> Job {
    let urls = [
        "/show?id=1",
        "/show?id=2",
        "/list?page=1",
        "/list?page=2",
        "/list?page=2&x=1",
    ];
    let urls: Vec<_> = urls
        .iter()
        .zip(1..)
        .map(|(url, at)| ((*url).to_owned(), at))
        .collect();
    let job = Job::of(&pages("2011-10-24", &urls))
        .with("url_key.rules=rules.tsv")
        .with("paper.queries=drop");
    std::fs::write(job.path("rules.tsv"), "/show\\?\tid\n").expect("a rule file");
    job.backfill("2011-10-24");
    job
}

#[test]
fn a_check_counts_merged_pages_and_separated_duplicates() {
    let job = ruled_job();
    let site = "http://www.gazette.example";
    let effect = check(&job, "/list\\?\tpage\n");
    let list = |page: &str| format!("{site}/list?page={page}");
    let merged = json!({
        "url": format!("{site}/show?id=2"),
        "old_key": format!("{site}/show?id=2"),
        "new_key": format!("{site}/show"),
        "rule": null,
        "other_url": format!("{site}/show?id=1"),
    });
    let separated = |url: String| {
        json!({
            "url": url,
            "old_key": format!("{site}/list"),
            "new_key": list("2"),
            "rule": "/list\\? page",
            "other_url": list("1"),
        })
    };
    let separated = [separated(list("2")), separated(list("2&x=1"))];
    assert_eq!(effect["rows"], 5);
    assert_eq!(effect["changed"]["rows"], 5);
    assert_eq!(effect["merged"], json!({"rows": 1, "examples": [merged]}));
    assert_eq!(
        effect["separated"],
        json!({"rows": 2, "examples": separated})
    );
    assert_eq!(effect["new_pages"], 1, "both copies have one key");

    let printed = try_check(&job, "/list\\?\tpage\n", &[]);
    assert_eq!(printed.code, Some(0), "{}", printed.stderr);
    for part in [
        "merged pages, 1 of 1:\n  http://www.gazette.example/show?id=2\n    merged with",
        "    new key http://www.gazette.example/list?page=2\n    rule /list\\? page\n",
    ] {
        assert!(
            printed.stdout.contains(part),
            "{part} in {}",
            printed.stdout
        );
    }
}

#[test]
fn a_check_with_the_rules_of_the_job_changes_nothing() {
    let effect = check(&ruled_job(), "/show\\?\tid\n");
    let none = json!({"rows": 0, "examples": []});
    let expected = json!({
        "rows": 5, "changed": none, "without_title": 0, "merged": none, "separated": none,
        "new_pages": 0,
    });
    assert_eq!(effect, expected);
}

#[test]
fn a_check_agrees_with_a_run_under_the_new_rules() {
    let job = ruled_job();
    let rules = "/list\\?\tpage\n";
    let effect = check(&job, rules);
    let before = unique_pages(&job).len() as i64;
    std::fs::write(job.path("rules.tsv"), rules).expect("a rule file");
    let finished = job.command("backfill", &["--dates", "2011-10-24", "--change-settings"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let count = |key: &Value| key.as_i64().expect("a number");
    let expected = before - count(&effect["merged"]["rows"]) + count(&effect["new_pages"]);
    assert_eq!(unique_pages(&job).len() as i64, expected);
}

#[test]
fn a_check_uses_the_stored_content_ids() {
    let mut rows = pages("2011-10-24", &["/"; 3].map(|url| (url.to_owned(), 1)));
    for (row, title) in rows
        .iter_mut()
        .zip([Some("Morning"), Some("Evening"), None])
    {
        row.title = title.map(str::to_owned);
    }
    let job = Job::of(&rows).with("paper.title=feed");
    job.backfill("2011-10-24");
    let effect = check(&job, "gazette\\.example(\\?|$)\t_cid_\n");
    assert_eq!(effect["changed"]["rows"], 3);
    assert_eq!(effect["without_title"], 1);
    assert_eq!(effect["separated"]["rows"], 2);
    assert_eq!(effect["new_pages"], 2);
}

#[test]
fn duplicates_by_content_stay_unless_a_rule_applies() {
    let job = Job::of(&learned_site()).with("url_key.rules=none");
    job.backfill(DAYS);
    let effect = check(&job, "/nowhere\tid\n");
    assert_eq!(effect["changed"]["rows"], 0, "{effect}");
    assert_eq!(effect["separated"]["rows"], 0, "{effect}");
    let effect = check(&job, "gazette\\.example\\?\tvisit\n");
    assert_eq!(effect["separated"]["rows"], 15, "{effect}");
    let rows = effect["separated"]["examples"].as_array().expect("a list");
    assert_eq!(rows.len(), 15, "{effect}");
}

#[test]
fn rules_are_refused_with_the_reason() {
    let job = ruled_job();
    for (rules, expected) in [
        (
            "# fine\n/show\tid\n(\tid\n",
            "error: new.tsv: line 3 of the rules: `(`",
        ),
        (
            "/show\tid\n(?<=x)y\tid\n",
            "error: new.tsv: line 2 of the rules",
        ),
    ] {
        let finished = try_check(&job, rules, &[]);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
    }
    let missing = job.command("rules", &["check", "--rules", "nowhere.tsv"]);
    assert_eq!(missing.code, Some(2), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("error: nowhere.tsv: cannot read"),
        "{}",
        missing.stderr
    );
    let drop = job.command("rules", &["learn"]);
    assert_eq!(drop.code, Some(2), "{}", drop.stderr);
    assert!(
        drop.stderr.contains("error: paper.queries: \"drop\""),
        "{}",
        drop.stderr
    );
    let empty = Job::new();
    for (command, table) in [
        (&["learn"][..], "url_parameters"),
        (&["check", "--rules", "new.tsv"], "url_keys"),
    ] {
        std::fs::write(empty.path("new.tsv"), "a\tid\n").expect("a rule file");
        let finished = empty.command("rules", command);
        assert_eq!(finished.code, Some(2), "{}", finished.stderr);
        let expected = format!("error: there is no table {table} at ");
        assert!(finished.stderr.contains(&expected), "{}", finished.stderr);
    }
}
