//! Marks of DOM paths: the labels that they change, their effect before they are saved, and their file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::Value;

use crate::cluster::worker::{Worker, backfill};
use crate::explain::assert_as_written;
use ::report::page_address;

use crate::support::{Finished, Job, Served, Site, assert_same, contents, text};

const SITE: Site = Site {
    host: "www.gazette.example",
};
const OTHER: Site = Site {
    host: "www.herald.example",
};
const DOMAIN: &str = "gazette.example";
const DATES: &str = "2011-10-01..2011-10-08";

/// Paragraphs are dropped, the sidebar is kept but for its heading.
const MARKS: &str = "# by Ann\n\
    gazette.example\tmain>p\tboilerplate\tfor a test\n\
    gazette.example\taside\tcontent\n\
    gazette.example\taside>h2\tboilerplate\n";

/// Two sites of one template, with eight articles each.
fn job() -> Job {
    let rows = [SITE.daily_articles(8), OTHER.daily_articles(8)].concat();
    Job::of(&rows).with("output.write=blocks")
}

/// A job with a file of marks.
fn marked_job(marks: &str) -> Job {
    let mut job = job();
    set_marks(&mut job, marks);
    job
}

fn set_marks(job: &mut Job, marks: &str) {
    let file = marks_file(job);
    std::fs::write(&file, marks).expect("a file of marks");
    job.set(&format!("tree.paths={}", file.display()));
}

fn marks_file(job: &Job) -> PathBuf {
    job.path("paths.tsv")
}

fn saved_marks(job: &Job) -> String {
    std::fs::read_to_string(marks_file(job)).expect("a file of marks")
}

/// The blocks of all pages, by page and position.
fn labelled_blocks(job: &Job) -> BTreeMap<(String, String), Value> {
    let rows = job.rows("SELECT * FROM blocks");
    let blocks = rows
        .into_iter()
        .map(|row| ((text(&row, "url_key"), text(&row, "ordinal")), row));
    blocks.collect()
}

fn marks_of(job: &Job, arguments: &[&str]) -> Finished {
    let url = SITE.url(7);
    let arguments = [&[&*url], arguments].concat();
    job.command("explain", &arguments)
}

/// The effect of marks, as JSON.
fn effect(job: &Job, arguments: &[&str]) -> Value {
    let finished = marks_of(job, &[arguments, &["--format", "json"]].concat());
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let answer: Value = serde_json::from_str(&finished.stdout).expect("one JSON object");
    answer["marks"].clone()
}

#[test]
fn marks_label_their_blocks_on_all_pages_of_their_site_and_no_others() {
    let (plain, marked) = (job(), marked_job(MARKS));
    plain.backfill(DATES);
    marked.backfill(DATES);
    let before = labelled_blocks(&plain);
    let after = labelled_blocks(&marked);
    assert_eq!(before.len(), after.len());
    let mut changed = BTreeMap::new();
    for (place, block) in &before {
        let found = &after[place];
        let slot = text(block, "slot");
        let is_of_site = text(block, "domain") == DOMAIN;
        let expected = match slot.as_str() {
            "main>p" | "aside>h2" if is_of_site => "marked_boilerplate",
            "aside>p" if is_of_site => "marked_content",
            _ => {
                assert_eq!(block, found, "{slot}");
                continue;
            }
        };
        assert_eq!(text(found, "reason"), expected);
        let label = expected.trim_start_matches("marked_");
        assert_eq!(text(found, "label"), label);
        let (mut unlabelled, mut labelled) = (block.clone(), found.clone());
        for column in ["label", "reason"] {
            unlabelled[column] = Value::Null;
            labelled[column] = Value::Null;
        }
        assert_eq!(unlabelled, labelled, "counts and texts stay");
        *changed.entry(slot).or_insert(0) += 1;
    }
    let pages = |count| [("aside>h2", 8), ("aside>p", 8), ("main>p", count)];
    let expected = pages(16).map(|(slot, count)| (slot.to_owned(), count));
    assert_eq!(changed, BTreeMap::from(expected));
    let texts = marked.rows("SELECT text, domain FROM documents");
    for document in texts {
        let has_sidebar = text(&document, "text").contains(&SITE.sidebar());
        assert_eq!(has_sidebar, text(&document, "domain") == DOMAIN);
    }
}

/// The state of later runs does not depend on marks, so tables without a mark are those of a job that never
/// had it.
#[test]
fn marks_change_nothing_that_is_learned_and_leave_no_trace() {
    let plain = job();
    plain.run(DATES);
    let mut job = marked_job(MARKS);
    job.run(DATES);
    let learned = |job: &Job| {
        let mut tables = contents(job);
        tables.retain(|table, _| !["documents", "blocks"].contains(table));
        tables
    };
    assert_same(&learned(&plain), &learned(&job), "with marks");
    let documents = "SELECT text FROM documents";
    assert_ne!(plain.lines(documents), job.lines(documents));
    set_marks(&mut job, "# none any more\n");
    let back = job.command("backfill", &["--dates", DATES, "--change-settings"]);
    assert_eq!(back.code, Some(0), "{}", back.stderr);
    assert_same(&contents(&plain), &contents(&job), "without marks again");
    let digest = "SELECT DISTINCT settings_digest FROM runs";
    assert_eq!(plain.lines(digest), job.lines(digest));
}

#[test]
fn explain_gives_the_labels_of_runs_with_marks() {
    for settings in [&[][..], &["tree.relabel_days=2"], &["dedup.revisions=true"]] {
        let job = settings
            .iter()
            .fold(marked_job(MARKS), |job, setting| job.with(setting));
        job.run(DATES);
        let paths = format!("tree.paths={}", marks_file(&job).display());
        let settings = [&["output.write=blocks", &paths], settings].concat();
        let archive = job.path("archive");
        let domains = [DOMAIN, "herald.example"];
        let pages = assert_as_written(&job, &archive, &settings, &domains, 1);
        assert_eq!(pages, 16);
    }
}

#[test]
fn workers_label_marked_blocks_as_one_machine_does() {
    let alone = marked_job(MARKS);
    alone.run(DATES);
    let workers = [Worker::start(), Worker::start()];
    let together = marked_job(MARKS).with("run.stall_timeout=4s");
    // The workers have the marks from the driver, and do not read its file.
    let done = backfill(&together, DATES, &workers.each_ref());
    assert_eq!(done.code, Some(0), "{}", done.stderr);
    assert_same(&contents(&alone), &contents(&together), "two workers");
}

#[test]
fn tables_with_other_marks_are_stale_until_they_are_run_again() {
    let mut job = marked_job("");
    job.run("2011-10-01..2011-10-07");
    set_marks(&mut job, MARKS);
    let said = job.refused("2011-10-08", 2);
    assert!(
        said.contains("other settings") && said.contains("--change-settings"),
        "{said}"
    );
    let status = job.command("status", &[]).stdout;
    assert!(status.contains("2011-10-01..2011-10-07"), "{status}");
    // The page is still explained, with the marks of now.
    let arguments = [&*SITE.url(3), "--format", "json"];
    let answer = job.command("explain", &arguments);
    assert_eq!(answer.code, Some(0), "{}", answer.stderr);
    let answer: Value = serde_json::from_str(&answer.stdout).expect("one JSON object");
    let note = text(&answer, "note");
    assert!(
        note.contains("marks") && note.contains("2011-10-04"),
        "{note}"
    );
    let reasons = |answer: &Value| -> BTreeSet<String> {
        let blocks = answer["blocks"].as_array().expect("blocks");
        blocks.iter().map(|block| text(block, "reason")).collect()
    };
    assert!(reasons(&answer).contains("marked_content"), "{answer}");
    let again = ["--dates", DATES, "--change-settings"];
    assert_eq!(job.command("backfill", &again).code, Some(0));
    let answer = job.command("explain", &arguments).stdout;
    let answer: Value = serde_json::from_str(&answer).expect("one JSON object");
    assert_eq!(text(&answer, "note"), "");
    // A page with changed marks is explained, and one with changed settings is refused.
    set_marks(&mut job, "gazette.example\tnav\tcontent\n");
    assert_eq!(job.command("explain", &arguments).code, Some(0));
    let other = job
        .with("window.max_pages=7")
        .command("explain", &arguments);
    assert_eq!(other.code, Some(2), "{other:?}");
}

#[test]
fn the_effect_of_a_mark_is_that_of_a_run_with_it_and_nothing_is_written() {
    let job = marked_job("");
    job.run(DATES);
    let before = (saved_marks(&job), contents(&job));
    let found = effect(
        &job,
        &[
            "--mark",
            "body > main > p=boilerplate",
            "--mark",
            "aside > p=content",
        ],
    );
    assert_eq!((saved_marks(&job), contents(&job)), before);
    assert_eq!(found["saved"], false);

    let with_marks = "gazette.example\tmain>p\tboilerplate\ngazette.example\taside>p\tcontent\n";
    let run = marked_job(with_marks);
    run.run(DATES);
    let (plain, marked) = (labelled_blocks(&job), labelled_blocks(&run));
    let words = |text: &str| text.split_whitespace().count() as u64;
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (place, block) in &plain {
        if block["label"] != marked[place]["label"] {
            let count = counts.entry(text(&marked[place], "label")).or_default();
            *count = (count.0 + 1, count.1 + words(&text(block, "text")));
        }
    }
    let site = &found["site"];
    for (label, side) in [("content", "kept"), ("boilerplate", "dropped")] {
        let (blocks, words) = counts[label];
        assert_eq!(
            (&site[side]["blocks"], &site[side]["words"]),
            (&blocks.into(), &words.into())
        );
    }
    assert_eq!(
        (&site["pages"], &site["changed_pages"]),
        (&8.into(), &8.into())
    );
    let page = &found["page"];
    assert_eq!(
        (&page["dropped"]["blocks"], &page["kept"]["blocks"]),
        (&2.into(), &1.into())
    );
    let examples = site["examples"].as_array().expect("examples");
    assert_eq!(examples.len(), 3);
    let urls: BTreeSet<String> = examples
        .iter()
        .map(|example| text(example, "url"))
        .collect();
    assert!(urls.len() == 3 && !urls.contains(&SITE.url(7)), "{urls:?}");
}

#[test]
fn the_newest_pages_are_looked_at_and_the_effect_is_in_words() {
    let job = marked_job("");
    job.run(DATES);
    let page = job.path("page.html").display().to_string();
    let arguments = ["--mark", "main>p=boilerplate", "--pages", "3"];
    let said = marks_of(&job, &arguments).stdout;
    assert!(said.contains("this page: 2 blocks with "), "{said}");
    assert!(
        said.contains("site: 3 of 3 newest pages (of 8) change: 6 blocks with "),
        "{said}"
    );
    assert!(
        said.contains("unique -> marked_boilerplate  main>p"),
        "{said}"
    );
    assert!(said.contains("not saved"), "{said}");
    let arguments = [&arguments[..], &["--html", &page]].concat();
    assert_eq!(marks_of(&job, &arguments).code, Some(0));
    let html = std::fs::read_to_string(page).expect("the page");
    assert!(
        html.contains("With changed marks, not saved: main&#62;p=boilerplate."),
        "{html}"
    );
    assert_eq!(html.matches("id=\"r-marked_boilerplate\"").count(), 1);
    let said = marks_of(&job, &["--mark", "main>div.none=content"]).stdout;
    assert!(said.contains("no block of these pages is marked"), "{said}");
}

#[test]
fn marks_are_saved_in_order_and_removed_again() {
    let text =
        "# of the desk\n\ngazette.example\tnav\tboilerplate\tBob\nherald.example\tp\tcontent\n";
    let job = marked_job(text);
    job.run(DATES);
    let saved = marks_of(
        &job,
        &[
            "--mark",
            "aside=content",
            "--mark",
            "nav=content",
            "--save",
            "--note",
            "Ann, May",
        ],
    );
    assert_eq!(saved.code, Some(0), "{}", saved.stderr);
    assert!(
        saved.stdout.contains("saved: ") && saved.stdout.contains("--change-settings"),
        "{saved:?}"
    );
    let expected = "# of the desk\n\ngazette.example\taside\tcontent\tAnn, May\n\
                    gazette.example\tnav\tcontent\tAnn, May\nherald.example\tp\tcontent\n";
    assert_eq!(saved_marks(&job), expected);
    let again = marks_of(&job, &["--mark", "body > aside=content", "--save"]).stdout;
    assert!(again.contains("nothing to save"), "{again}");
    let removed = effect(&job, &["--unmark", "aside", "--save"]);
    assert_eq!(
        (&removed["saved"], &removed["site"]["dropped"]["blocks"]),
        (&true.into(), &16.into())
    );
    assert_eq!(
        saved_marks(&job),
        expected.replace("gazette.example\taside\tcontent\tAnn, May\n", "")
    );
    let unknown = marks_of(&job, &["--unmark", "aside", "--save"]);
    assert_eq!(unknown.code, Some(2), "{unknown:?}");
    assert!(
        unknown.stderr.contains("marked paths of the site: nav"),
        "{}",
        unknown.stderr
    );
    // The suggested command gives the tables the labels.
    let (_, command) = saved.stdout.split_once("urltree ").expect("a command");
    let words = shlex::split(command.trim()).expect("words of a shell");
    let run = job.type_in(&words);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let reason = "SELECT DISTINCT reason FROM blocks WHERE reason LIKE 'marked%'";
    assert_eq!(job.lines(reason), ["{\"reason\":\"marked_content\"}"]);
}

#[test]
fn questions_that_cannot_be_answered_name_what_to_do() {
    let job = job();
    job.run(DATES);
    for (arguments, word) in [
        (
            &["--mark", "aside=content", "--save"][..],
            "paths = \"paths.tsv\"",
        ),
        (&["--save"], "--mark or --unmark"),
        (&["--pages", "5"], "--mark or --unmark"),
        (&["--mark", "aside=content", "--note", "Ann"], "--save"),
        (
            &["--mark", "aside=content", "--unmark", "body>aside"],
            "given twice",
        ),
        (&["--mark", "aside=keep"], "content or boilerplate"),
        (&["--mark", "#main=content"], "`#main`"),
        (&["--mark", "aside"], "PATH=content"),
    ] {
        let finished = marks_of(&job, arguments);
        assert_eq!(finished.code, Some(2), "{arguments:?}: {finished:?}");
        assert!(
            finished.stderr.contains(word),
            "{arguments:?}: {}",
            finished.stderr
        );
    }
    assert!(!job.path("jobs").exists());
}

#[test]
fn bad_files_are_refused_with_line_and_reason() {
    for (marks, words) in [
        (
            "# a\ngazette.example\tmain>p\tkeep\n",
            &["line 2", "`keep`"][..],
        ),
        (
            "gazette.example main>p content\n",
            &["line 1", "separated by tabs"],
        ),
        (
            "\n\nwww.gazette.example\tp\tcontent\n",
            &["line 3", "expected gazette.example"],
        ),
        (
            "http://gazette.example\tp\tcontent\n",
            &["line 1", "is not a domain"],
        ),
        (
            "gazette.example\tp.a\tcontent\ngazette.example\tp.a.b\tboilerplate\n",
            &["line 2", "line 1 marks p.a"],
        ),
        ("gazette.example\tp>>b\tcontent\n", &["line 1", "empty"]),
    ] {
        let said = marked_job(marks).refused("2011-10-01", 2);
        assert!(
            said.contains("tree.paths: ") && said.contains("paths.tsv, line"),
            "{said}"
        );
        for word in words {
            assert!(said.contains(word), "{marks}: {said}");
        }
    }
    let missing = job()
        .with("tree.paths=missing.tsv")
        .refused("2011-10-01", 2);
    assert!(
        missing.contains("tree.paths: cannot read `missing.tsv`"),
        "{missing}"
    );
    let strict = marked_job(MARKS)
        .with("paper.heuristic=strict")
        .refused("2011-10-01", 2);
    assert!(
        strict.contains("tree.paths: ") && strict.contains("method = \"paper\""),
        "{strict}"
    );
    marked_job("# none\n")
        .with("paper.heuristic=strict")
        .run("2011-10-01");
    marked_job(MARKS)
        .with("tree.paths=none")
        .with("paper.heuristic=strict")
        .run("2011-10-01");
}

#[test]
fn a_reader_of_live_pages_marks_a_path_and_sees_the_effect_before_it_is_saved() {
    let job = marked_job("# ours\n");
    job.backfill(DATES);
    let served = Served::start(&job, &[]);
    let blocks = format!("/{}", page_address(&SITE.url(7), None));
    let page = served.get(&blocks).page(200);
    let (_, rest) = page.split_once("href=\"mark?").expect("a link to the form");
    let (link, _) = rest.split_once('"').expect("its end");
    let form = served.get(&format!("/mark?{}", link.replace("&#38;", "&")));
    assert!(form.page(200).contains("name=\"label\" value=\"content\""));

    let url = SITE.url(7);
    let mark = |label| [("url", &*url), ("path", "main>p"), ("label", label)];
    let effect = served.send("/mark", &mark("boilerplate")).page(200);
    assert!(effect.contains("site: 8 of 8 pages change"), "{effect}");
    assert!(effect.contains("Save this mark"), "{effect}");
    assert_eq!(saved_marks(&job), "# ours\n");

    let saved = [
        &mark("boilerplate")[..],
        &[("save", "yes"), ("note", "by Ann")],
    ]
    .concat();
    // A page of another site cannot save.
    let host = [
        ("Host", &*served.address),
        ("Origin", "http://www.evil.example"),
    ];
    served.post("/mark", &saved, &host).page(403);
    assert_eq!(saved_marks(&job), "# ours\n");
    let answer = served.send("/mark", &saved).page(200);
    assert!(answer.contains("--change-settings"), "{answer}");
    let line = format!("# ours\n{DOMAIN}\tmain>p\tboilerplate\tby Ann\n");
    assert_eq!(saved_marks(&job), line);
    let page = served.get(&blocks).page(200);
    assert!(page.contains("marked_boilerplate"), "{page}");

    let removed = [&mark("none")[..], &[("save", "yes")]].concat();
    served.send("/mark", &removed).page(200);
    assert_eq!(saved_marks(&job), "# ours\n");
    let twice = served.send("/mark", &removed).page(422);
    assert!(twice.contains("the path is not marked"), "{twice}");
    for (path, label) in [("#a", "content"), ("main>p", "keep"), ("main>p", "")] {
        let fields = [("url", &*url), ("path", path), ("label", label)];
        let refused = served.send("/mark", &fields).page(422);
        assert!(refused.contains("role=\"alert\""), "{refused}");
    }
}
