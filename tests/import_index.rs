//! `urltree import index`: the plan, the report and the exit codes. The crate's own tests have servers, faults and kills.

use serde_json::Value;

use crate::import::{gzip, response};
use crate::support::{Finished, Job, finished};

/// A job with a crawl of two pages in `crawl/a.warc.gz`, and its index. The second record is that of another page.
fn job() -> Job {
    let job = Job::new();
    std::fs::create_dir(job.path("crawl")).expect("a folder");
    let (mut bytes, mut lines) = (Vec::new(), String::new());
    for (number, named) in [(1, "1"), (2, "other")] {
        let url = format!("http://a.example/{number}");
        let record = gzip(&response(&url, "2011-10-24T12:00:00", b"<p>Trees fell."));
        lines += &format!(
            "example,a)/ 20111024120000 {{\"url\": \"http://a.example/{named}\", \"mime\": \"text/html\", \"status\": \"200\", \
             \"filename\": \"a.warc.gz\", \"offset\": \"{}\", \"length\": \"{}\"}}\n",
            bytes.len(),
            record.len()
        );
        bytes.extend(record);
    }
    std::fs::write(job.path("crawl/a.warc.gz"), bytes).expect("a file");
    std::fs::write(job.path("crawl/index.cdxj"), lines).expect("a file");
    job
}

fn import(job: &Job, options: &[&str]) -> Finished {
    let words = ["import", "index", "crawl/index.cdxj", "--output", "archive"];
    let words: Vec<String> = [&words, options]
        .concat()
        .into_iter()
        .map(str::to_owned)
        .collect();
    job.type_in(&words)
}

fn report(finished: &Finished) -> Value {
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("a JSON object")
}

#[test]
fn a_plan_is_shown_and_then_each_record_is_in_a_count() {
    let job = job();
    let chosen = ["--domain", "a.example", "--format", "json"];
    let plan = report(&import(&job, &[&chosen[..], &["--dry-run"]].concat()));
    assert_eq!(
        (&plan["plan"]["records"], &plan["plan"]["requests"]),
        (&2.into(), &1.into())
    );
    assert!(!job.path("archive/_index").exists());
    let counts = report(&import(&job, &chosen));
    for (name, expected) in [("asked", 2), ("got", 1), ("pages", 1), ("quarantined", 1)] {
        assert_eq!(counts[name], expected, "{name}: {counts}");
    }
    assert_eq!(counts["wrong"], serde_json::json!({ "another URL": 1 }));
    assert_eq!(counts["missing"], serde_json::json!({}));
    let again = report(&import(&job, &chosen));
    assert_eq!(
        (&again["asked_earlier"], &again["requests"]),
        (&2.into(), &0.into())
    );
    let text = import(&job, &["--domain", "a.example"]).stdout;
    assert!(
        text.contains("MB of requests") && text.contains("another URL"),
        "{text}"
    );
}

#[test]
fn a_line_on_which_a_parser_panics_is_left_out_and_counted() {
    for parser in ["CDX", "URLs"] {
        let job = job();
        let index = job.path("crawl/index.cdxj");
        let mut lines = std::fs::read_to_string(&index).expect("a file");
        lines += "example,a)/ 20111024120000 {\"url\": \"http://a.example/panic in the parser\", \"mime\": \"text/html\", \
             \"status\": \"200\", \"filename\": \"a.warc.gz\", \"offset\": \"0\", \"length\": \"1\"}\n";
        std::fs::write(&index, lines).expect("a file");
        let words =
            "import index crawl/index.cdxj --output archive --domain a.example --format json";
        let words: Vec<&str> = words.split(' ').collect();
        let imported = finished(job.urltree(&words).env("URLTREE_PANIC_IN", parser));
        assert!(
            !imported.stderr.contains("panicked at"),
            "{}",
            imported.stderr
        );
        let counts = report(&imported);
        assert_eq!(
            (&counts["asked"], &counts["got"]),
            (&2.into(), &1.into()),
            "{parser}: {counts}"
        );
        assert!(
            counts.to_string().contains("panicked"),
            "{parser}: {counts}"
        );
    }
}

#[test]
fn every_site_of_an_index_is_imported_if_it_is_asked_for() {
    let counts = report(&import(&job(), &["--all-sites", "--format", "json"]));
    assert_eq!(
        (&counts["asked"], &counts["got"]),
        (&2.into(), &1.into()),
        "{counts}"
    );
}

#[test]
fn an_import_without_a_page_has_exit_code_3_and_says_why() {
    let job = job();
    let none = import(&job, &["--host", "b.example"]);
    assert_eq!(none.code, Some(3), "{}", none.stderr);
    assert!(none.stderr.contains("2 other_site"), "{}", none.stderr);
    std::fs::remove_file(job.path("crawl/a.warc.gz")).expect("a file");
    let missing = import(&job, &["--prefix", "a.example/"]);
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("2 no such file"),
        "{}",
        missing.stderr
    );
}

#[test]
fn sites_that_are_none_are_refused_by_their_option() {
    let job = job();
    std::fs::write(job.path("sites.txt"), "# sites\na.example\n\nftp://x/\n").expect("a file");
    for (options, expected) in [
        (&["--domain", "news.a.example"][..], "--domain"),
        (&["--list", "sites.txt"], "sites.txt, line 4"),
        (&["--list", "none.txt"], "none.txt"),
        (&[], "--domain"),
    ] {
        let refused = import(&job, options);
        assert_eq!(refused.code, Some(2), "{options:?}: {}", refused.stderr);
        assert!(
            refused.stderr.contains(expected),
            "{options:?}: {}",
            refused.stderr
        );
    }
}
