//! The examples of the help of `urltree-lab` and of `urltree-sample`.

use std::path::Path;

use crate::support::{copy_jobs, run_in, type_examples, write_texts};

/// Writes the collections of one page that the examples name.
fn collections(folder: &Path) {
    let page = "<title>Storm</title><h1>Storm</h1><p>Trees fell on the road to the sea.</p>";
    let labelled = "<span class=\"x-nc-sel1\">Storm</span><span class=\"x-nc-sel2\">Trees</span>";
    let id = "0b1b5f7c-3b6c-4f65-8d6a-1c2d3e4f5a6b";
    write_texts(
        folder,
        &[
            (
                "GoldStandard/1-cleaned.txt",
                "URL: http://a.example/1\n\n<h>Storm\n<p>Trees fell.",
            ),
            ("finalrun-input/1.html", page),
            (&format!("annotated/{id}.html"), labelled),
            (&format!("original/{id}.html"), page),
            (
                "url-mapping.txt",
                &format!("<urn:uuid:{id}> http://a.example/2\n"),
            ),
            (
                "ground-truth.json",
                r#"{"1": {"articleBody": "Trees fell.", "url": "http://a.example/"}}"#,
            ),
            ("pages/1.html", page),
            (
                "texts.jsonl",
                r#"{"url": "http://a.example/", "text": "Trees fell."}"#,
            ),
            ("page.html", page),
            (
                "other-page.html",
                "<h1>Calm</h1><p>Nothing moved at the sea.</p>",
            ),
        ],
    );
}

#[test]
fn the_examples_of_the_help_work_as_typed() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    copy_jobs(folder);
    collections(folder);
    let is_remote = |line: &str| line.contains("://");
    let sampled = type_examples(folder, "urltree-sample", &[""], is_remote);
    assert_eq!(sampled, (2, 1));
    let job = ["--job", "jobs/backfill.toml"];
    let dates = ["--dates", "2011-10-24..2011-12-19"];
    let run = run_in(
        folder,
        "urltree",
        &[&["backfill"], &job[..], &dates[..]].concat(),
    );
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    let commands = ["gold", "eval", "tune", "reproduce", "extract", "bench"];
    let (ran, read) = type_examples(folder, "urltree-lab", &commands, |line| {
        is_remote(line) || line.contains(" bench ")
    });
    assert!(ran >= 15 && read == 2, "{ran} ran, {read} read");
}
