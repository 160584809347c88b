//! `urltree explain`: the labels that the run gave, a clear answer for every URL, and hostile pages.

use std::collections::BTreeMap;
use std::path::Path;

use engine::{JobSpec, PaperSpec};
use query::Explainer;
use serde_json::{Value, json};

use crate::streams;
use crate::support::{Job, Row, Site, run_in, text, write};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const DATES: &str = "2011-10-01..2011-10-08";

/// Asserts that each block of each `step`th page of `domains` gets the row of `blocks` that the run has
/// written: a page takes a replay of all pages before it. Returns the number of pages of the domains.
pub(crate) fn assert_as_written(
    job: &Job,
    archive: &Path,
    settings: &[&str],
    domains: &[&str],
    step: usize,
) -> usize {
    let names: Vec<String> = domains.iter().map(|name| format!("'{name}'")).collect();
    let is_of_site = format!("domain IN ({})", names.join(", "));
    let mut written: BTreeMap<(String, String), Vec<Value>> = BTreeMap::new();
    for row in job.rows(&format!(
        "SELECT url_key, CAST(fetched_at AS BIGINT) AS at, ordinal, text, label, reason, count, support, \
         node, link_chars, slot, chrome FROM blocks WHERE {is_of_site} ORDER BY url_key, at, ordinal"
    )) {
        let page = (text(&row, "url_key"), text(&row, "at"));
        written.entry(page).or_default().push(row);
    }
    let documents = job.rows(&format!(
        "SELECT url, url_key, CAST(fetched_at AS BIGINT) AS at, status FROM documents WHERE {is_of_site} \
         ORDER BY at DESC, url_key"
    ));
    let overrides = (settings.iter().map(|text| (*text).to_owned())).chain([
        format!("archive.location={}", archive.display()),
        format!("output.location={}", job.tables().display()),
    ]);
    let overrides = PaperSpec::beside_template(overrides.collect());
    let spec = JobSpec::read(&job.path("job.toml"), &overrides).expect("a job file");
    let explained = engine::Job::new(&spec).expect("a job");
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let explainer = Explainer::open(&explained).await.expect("tables");
        for (number, document) in documents.iter().enumerate() {
            let (url, at) = (text(document, "url"), text(document, "at"));
            // A page without text has no rows.
            let rows = written.remove(&(text(document, "url_key"), at.clone()));
            if number % step != 0 {
                continue;
            }
            let fetches = explainer.find(&url).await.expect("fetches");
            let is_it = |fetch: &&query::Fetch| {
                fetch.fetched_at.map(|micros| micros.to_string()) == Some(at.clone())
                    && fetch.status == text(document, "status")
                    && fetch.url_key == Some(text(document, "url_key"))
            };
            let fetch = fetches.iter().find(is_it);
            let fetch = fetch.unwrap_or_else(|| panic!("{url} at {at}: {fetches:?}"));
            let page = explainer.explain(fetch).await;
            let page = page.unwrap_or_else(|error| panic!("{settings:?}: {error}"));
            let blocks = page.blocks.iter().enumerate().map(|(ordinal, block)| {
                json!({
                    "url_key": fetch.url_key,
                    "at": fetch.fetched_at,
                    "ordinal": ordinal,
                    "text": block.text,
                    "label": if block.is_content { "content" } else { "boilerplate" },
                    "reason": block.reason.as_str(),
                    "count": block.count,
                    "support": block.support,
                    "node": block.node,
                    "link_chars": block.link_chars,
                    "slot": block.dom_path,
                    "chrome": block.chrome,
                })
            });
            let blocks: Vec<Value> = blocks.collect();
            assert_eq!(blocks, rows.unwrap_or_default(), "{settings:?}: {url}");
        }
    });
    assert!(written.is_empty(), "{:?}", written.keys());
    documents.len()
}

#[test]
fn every_block_of_whole_sites_gets_the_label_that_the_run_gave() {
    let folder = tempfile::tempdir().expect("a folder");
    let sample = folder.path().join("sample");
    let output = sample.display().to_string();
    let dates = "2011-10-24..2011-11-02";
    let words = ["--output", &output, "--dates", dates, "--pages", "900"];
    let made = run_in(folder.path(), "urltree-sample", &words);
    assert_eq!(made.code, Some(0), "{made:?}");
    let pages = sample.join("pages");
    let written = ["archive.layout=hive", "output.write=blocks"];
    for (settings, runs) in [
        (
            &[][..],
            &["2011-10-24..2011-10-27", "2011-10-28..2011-11-02"][..],
        ),
        (
            &["tree.relabel_days=2"],
            &["2011-10-24..2011-10-29", "2011-10-30..2011-11-02"],
        ),
        (&["dedup.revisions=true"], &[dates]),
        (&["paper.batching=page"], &[dates]),
        (
            &["paper.batching=run", "paper.heuristic=vote-slow"],
            &[dates],
        ),
        (&["window.max_pages=12", "window.min_pages=5"], &[dates]),
        (
            &["paper.heuristic=strict", "paper.n_min=2", "paper.c_max=2"],
            &[dates],
        ),
    ] {
        let settings = [&written, settings].concat();
        let job = settings
            .iter()
            .fold(Job::new().reading(&pages), |job, setting| job.with(setting));
        for dates in runs {
            job.run(dates);
        }
        let sites = job.rows(
            "SELECT domain FROM documents GROUP BY domain HAVING count(*) >= 14 \
             ORDER BY count(*), domain LIMIT 2",
        );
        let domains: Vec<String> = sites.iter().map(|row| text(row, "domain")).collect();
        let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
        let count = assert_as_written(&job, &pages, &settings, &domains, 3);
        assert!(count >= 28, "{count} pages of {domains:?}");
    }
}

#[test]
fn every_block_of_real_sites_gets_the_label_that_the_run_gave() {
    let Some((streams, job)) = streams::first_run() else {
        return;
    };
    let settings = ["output.partition=year", "output.write=blocks"];
    let smallest = job.rows(
        "SELECT domain FROM documents GROUP BY domain HAVING count(*) >= 60 ORDER BY count(*), domain LIMIT 1",
    );
    let domains: Vec<String> = smallest.iter().map(|row| text(row, "domain")).collect();
    let domains: Vec<&str> = domains.iter().map(String::as_str).collect();
    let count = assert_as_written(&job, &streams, &settings, &domains, 7);
    assert!(count >= 60, "{count} pages of {domains:?}");
}

/// Eight articles, one a day, and three rows on the last day: a copy, a page without HTML, and an empty URL.
fn job() -> Job {
    let mut rows = SITE.daily_articles(8);
    rows.push(Row {
        url: Some(format!("{}?utm_source=feed", SITE.url(3))),
        ..SITE.article(3, "2011-10-08T13:00:00")
    });
    rows.push(Row {
        html: None,
        ..SITE.article(20, "2011-10-08T14:00:00")
    });
    let job = Job::of(&rows);
    job.run(DATES);
    job
}

fn explained(job: &Job, url: &str) -> Value {
    let finished = job.command("explain", &[url, "--format", "json"]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    serde_json::from_str(&finished.stdout).expect("one JSON object")
}

fn blocks(explained: &Value) -> &[Value] {
    explained["blocks"].as_array().expect("blocks")
}

#[test]
fn a_page_is_printed_block_by_block_with_reasons_and_counts() {
    let job = job();
    let finished = job.command("explain", &[&SITE.url(7)]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let said = finished.stdout;
    assert!(said.contains("3 of 9 blocks kept"), "{said}");
    let footer = format!("All rights of {} reserved", SITE.name());
    let lines: Vec<&str> = said.lines().collect();
    let at = lines
        .iter()
        .position(|line| line.trim() == footer)
        .expect("the footer");
    let above = lines[at - 1];
    assert!(
        above.starts_with("- 9 skip_element  8 of 8 pages of "),
        "{above}"
    );
    assert!(above.ends_with("footer>p"), "{above}");
    let kept: Vec<&str> = (lines.windows(2))
        .filter(|pair| pair[0].starts_with("+ "))
        .map(|pair| pair[1].trim())
        .collect();
    let row = job.row(&format!(
        "SELECT text FROM documents WHERE url = '{}'",
        SITE.url(7)
    ));
    assert_eq!(kept.join("\n"), text(&row, "text"));
}

#[test]
fn a_duplicate_is_answered_with_the_page_that_it_duplicates() {
    let job = job();
    let copy = format!("{}?utm_source=feed", SITE.url(3));
    let found = explained(&job, &copy);
    let note = text(&found, "note");
    assert!(
        note.contains("duplicate") && note.contains(&SITE.url(3)),
        "{note}"
    );
    let of_page = explained(&job, &SITE.url(3));
    assert_eq!(blocks(&found), blocks(&of_page));
    assert_eq!(blocks(&found).len(), 9);
    let statuses: Vec<String> = (found["fetches"].as_array().expect("fetches").iter())
        .map(|fetch| text(fetch, "status"))
        .collect();
    assert_eq!(statuses, ["duplicate", "unique"]);
}

#[test]
fn a_quarantined_page_is_answered_with_the_reason_and_its_row() {
    let found = explained(&job(), &SITE.url(20));
    assert_eq!(blocks(&found), [] as [Value; 0]);
    let note = text(&found, "note");
    assert!(note.contains("missing_html"), "{note}");
    assert!(note.contains("pages.parquet#9"), "{note}");
}

#[test]
fn an_unknown_url_is_an_input_error_that_names_the_dates() {
    let job = job();
    let finished = job.command("explain", &["http://www.gazette.example/none"]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(finished.stderr.contains(DATES), "{}", finished.stderr);
    let unrun = Job::of(&SITE.daily_articles(2));
    let finished = unrun.command("explain", &[&SITE.url(0)]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stderr.contains("urltree backfill"),
        "{}",
        finished.stderr
    );
}

#[test]
fn each_version_of_a_page_can_be_explained() {
    let mut rows = SITE.daily_articles(3);
    let paragraph =
        "A long paragraph that came later, which no page of the site has had before. ".repeat(3);
    let later = SITE.page("Later", std::slice::from_ref(&paragraph));
    rows.push(Row::page("2011-10-03T18:00:00", SITE.url(0), later));
    let job = Job::of(&rows).with("dedup.revisions=true");
    job.run("2011-10-01..2011-10-03");
    let last = explained(&job, &SITE.url(0));
    assert!(text(&last, "note").contains("2 versions"), "{last}");
    let texts = |found: &Value| -> Vec<String> {
        let kept = blocks(found)
            .iter()
            .filter(|block| block["label"] == "content");
        kept.map(|block| text(block, "text")).collect()
    };
    assert!(
        texts(&last).contains(&paragraph.trim().to_owned()),
        "{last}"
    );
    let first = job.command(
        "explain",
        &[&SITE.url(0), "--format", "json", "--at", "2011-10-01"],
    );
    let first: Value = serde_json::from_str(&first.stdout).expect("one JSON object");
    assert!(
        !texts(&first).contains(&paragraph.trim().to_owned()),
        "{first}"
    );
    let none = job.command("explain", &[&SITE.url(0), "--at", "2012"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(
        none.stderr.contains("2011-10-01 12:00:00"),
        "{}",
        none.stderr
    );
}

#[test]
fn a_changed_job_and_a_changed_archive_are_refused() {
    let job = job();
    let changed = job.with("paper.heuristic=strict");
    let finished = changed.command("explain", &[&SITE.url(7)]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stderr.contains("other settings"),
        "{}",
        finished.stderr
    );

    let job = self::job();
    let mut rows = SITE.daily_articles(8);
    rows[7].html = Some(
        SITE.page("Another", &["Another text.".to_owned()])
            .into_bytes(),
    );
    write(&job.archive("pages.parquet"), &rows);
    let finished = job.command("explain", &[&SITE.url(7)]);
    assert_eq!(finished.code, Some(3), "{finished:?}");
    assert!(
        finished.stderr.contains("have changed"),
        "{}",
        finished.stderr
    );
}

#[test]
fn a_page_of_html_has_the_text_the_markdown_and_the_original_and_json_the_first_two() {
    let job = Job::of(&SITE.daily_articles(8)).with("output.write=markdown");
    job.run(DATES);
    let page = job.path("page.html");
    let finished = job.command(
        "explain",
        &[&SITE.url(7), "--html", &page.display().to_string()],
    );
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let html = std::fs::read_to_string(&page).expect("the page");
    let row = job.row(&format!(
        "SELECT text, markdown FROM documents WHERE url = '{}'",
        SITE.url(7)
    ));
    let answer = explained(&job, &SITE.url(7));
    for column in ["text", "markdown"] {
        let mut written = text(&row, column);
        assert_eq!(answer[column], written, "{column}");
        for special in ['&', '<', '>', '"', '\''] {
            // The references have no other special character than the first.
            written = written.replace(special, &format!("&#{};", u32::from(special)));
        }
        assert!(
            html.contains(&format!("{written}</div>")),
            "{column}: {html}"
        );
    }
    assert_eq!(
        html.matches("<iframe class=\"original\" sandbox ").count(),
        1
    );
    assert!(html.contains("srcdoc=\"&#60;meta http-equiv="), "{html}");
    assert!(html.contains("&#60;/footer&#62;"), "{html}");
}

/// Texts, titles, URLs and classes of a page that try to leave their place.
#[test]
fn hostile_pages_are_shown_as_text_on_paper_and_on_a_terminal() {
    let attack =
        "</style></title><script>fetch('http://evil.example')</script><img src=x onerror=alert(1)>";
    let escaped = attack.replace('<', "&lt;").replace('>', "&gt;");
    let html = format!(
        "<html><head><title>{escaped}</title></head><body class='x\"><script>alert(2)</script>'>\
         <div class='&lt;script&gt;'><p>{escaped} \u{1b}[2J\u{202e}gnp.exe and a text that is long enough \
         to be kept by every rule there is, with a full stop.</p></div></body></html>"
    );
    let url = "http://www.gazette.example/a'\"<script>alert(3)</script>";
    let job = Job::of(&[Row::page("2011-10-01T12:00:00", url, html)]);
    job.run("2011-10-01");
    let page = job.path("page.html");
    let finished = job.command("explain", &[url, "--html", &page.display().to_string()]);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let html = std::fs::read_to_string(&page).expect("the page");
    for forbidden in [
        "<script",
        "<img",
        "\u{1b}",
        "\u{202e}",
        "http-equiv=\"refresh\"",
    ] {
        assert!(!html.contains(forbidden), "{forbidden}: {html}");
    }
    assert_eq!(html.matches("</style>").count(), 1);
    let policy = "content=\"default-src &#39;none&#39;; style-src &#39;sha256-";
    assert!(html.contains(policy), "{html}");
    assert!(html.contains("fetch("), "the text is shown: {html}");
    let finished = job.command("explain", &[url]);
    assert!(finished.stdout.contains("fetch("), "{finished:?}");
    assert!(
        !finished.stdout.contains(['\u{1b}', '\u{202e}']),
        "{finished:?}"
    );
}
