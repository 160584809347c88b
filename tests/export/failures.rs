//! Exports that are killed or refused.

use std::collections::BTreeSet;
use std::path::Path;

use super::{FORMATS, expected, export, exported, ids_and_texts, job, lines, shards};
use crate::import::objects;
use crate::support::{Finished, Job, text};

/// Kills an export at a fail point.
fn kill(job: &Job, format: &str, output: &str, words: &[&str], point: &str) {
    let fixed = ["--format", format, "--output", output];
    let point = format!("KILL@{point}");
    let child = job.start("export", &[&fixed, words].concat(), Some(&point));
    let finished = Finished::wait(child);
    assert_eq!(finished.signal, Some(9), "{point}: {finished:?}");
}

#[test]
fn a_killed_export_continues_with_the_bytes_of_one_that_was_not() {
    let job = job();
    let words = ["--shard-size", "60KB"];
    for format in FORMATS {
        let whole = exported(&job, format, &format!("{format}-whole"), &words);
        let (undisturbed, count) = (objects(&whole), shards(&whole).len());
        for (point, kept) in [
            ("export.shard#1", None),
            ("export.record#2", Some(1)),
            ("export.shard#3", Some(2)),
            ("export.manifest#1", Some(count)),
            ("export.complete#1", Some(count)),
        ] {
            let output = format!("{format}-{point}");
            kill(&job, format, &output, &words, point);
            let finished = export(&job, format, &output, &words);
            assert_eq!(
                finished.code,
                Some(0),
                "{format} {point}: {}",
                finished.stderr
            );
            let mut said = finished.stdout.lines();
            let said = said.find_map(|line| line.trim().strip_prefix("already exported"));
            let said = said.map(|count| count.trim().parse().expect("a number"));
            assert_eq!(said, kept, "{format} {point}: {}", finished.stdout);
            let found = objects(&job.path(&output));
            assert!(found == undisturbed, "{format} {point}: {:?}", found.keys());
        }
    }
}

#[test]
fn a_second_export_writes_nothing_and_another_one_is_refused() {
    let job = job();
    let folder = exported(&job, "jsonl", "out", &["--shard-size", "60KB"]);
    let before = objects(&folder);
    let changed = |folder: &Path| {
        let path = folder.join("documents/part-00000.jsonl");
        path.metadata()
            .and_then(|file| file.modified())
            .expect("a time")
    };
    let written = changed(&folder);
    exported(&job, "jsonl", "out", &["--shard-size", "60KB"]);
    assert_eq!(changed(&folder), written);
    for (format, words, expected) in [
        ("jsonl", &["--shard-size", "61KB"][..], "shard size"),
        ("jsonl.gz", &["--shard-size", "60KB"], "format"),
        (
            "jsonl",
            &["--shard-size", "60KB", "--domains", "gazette.example"],
            "domains",
        ),
        (
            "jsonl",
            &["--shard-size", "60KB", "--source", "other"],
            "source",
        ),
    ] {
        let finished = export(&job, format, "out", words);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(
            finished.stderr.contains("another export") && finished.stderr.contains(expected),
            "{}",
            finished.stderr
        );
    }
    assert!(objects(&folder) == before);

    let words = [
        "--shard-size",
        "60KB",
        "--domains",
        "gazette.example",
        "--replace",
    ];
    exported(&job, "jsonl.gz", "out", &words);
    let documents = lines(&folder);
    assert_eq!(documents.len(), 12);
    let domains: BTreeSet<String> = (documents.iter())
        .map(|document| text(&document["metadata"], "domain"))
        .collect();
    assert_eq!(domains, BTreeSet::from(["gazette.example".to_owned()]));
}

#[test]
fn an_export_that_is_replaced_is_gone_wherever_the_next_one_is_killed() {
    let job = job();
    let words = ["--shard-size", "100KB", "--replace"];
    let expected = objects(&exported(&job, "jsonl.gz", "expected", &words));
    for point in ["export.shard#1", "export.record#1", "export.manifest#1"] {
        exported(&job, "jsonl", point, &["--shard-size", "60KB"]);
        kill(&job, "jsonl.gz", point, &words, point);
        exported(&job, "jsonl.gz", point, &words);
        let found = objects(&job.path(point));
        assert!(found == expected, "{point}: {:?}", found.keys());
    }
}

#[test]
fn changed_tables_are_named_and_start_anew_with_replace() {
    let job = job();
    let words = ["--shard-size", "60KB"];
    kill(&job, "jsonl", "out", &words, "export.shard#2");
    job.backfill("2011-10-02");
    let finished = export(&job, "jsonl", "out", &words);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    for expected in [
        "the tables have changed",
        "`documents` had version",
        "--replace",
    ] {
        assert!(finished.stderr.contains(expected), "{}", finished.stderr);
    }
    let folder = exported(&job, "jsonl", "out", &["--shard-size", "60KB", "--replace"]);
    assert_eq!(ids_and_texts(&lines(&folder)), expected(&job, "text"));
}

#[test]
fn a_folder_with_other_files_is_refused_and_unchanged() {
    let job = job();
    let folder = job.path("out");
    std::fs::create_dir(&folder).expect("a folder");
    std::fs::write(folder.join("notes.txt"), "mine").expect("a file");
    for words in [&[][..], &["--replace"]] {
        let finished = export(&job, "jsonl", "out", words);
        assert_eq!(finished.code, Some(2), "{finished:?}");
        assert!(finished.stderr.contains("notes.txt"), "{}", finished.stderr);
    }
    // The folder of the tables is not empty either.
    let finished = export(&job, "jsonl", "tables", &[]);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert_eq!(objects(&folder).len(), 1);
    let finished = export(&job, "jsonl", "job.toml/out", &[]);
    assert_eq!(finished.code, Some(4), "{finished:?}");
    assert!(finished.stderr.contains("job.toml"), "{}", finished.stderr);
}

#[test]
fn a_query_without_the_fields_is_refused_with_its_reason() {
    let job = job();
    for (query, code, expected) in [
        (
            "SELECT text, url, date FROM documents",
            2,
            "no column named `id`",
        ),
        (
            "SELECT document_id AS id, 1 AS text, url, date FROM documents",
            2,
            "`text` has the type Int64",
        ),
        (
            "SELECT document_id AS id, text, url, domain AS date FROM documents WHERE text <> ''",
            3,
            "`date` is \"courier.example\" in row 1",
        ),
        (
            "SELECT document_id AS id, nullif(text, '') AS text, url, date FROM documents",
            3,
            "`text` is null in row 1 of the query (http://www.gazette.example/news/900.html); leave",
        ),
        ("DROP TABLE documents", 2, "DDL"),
        ("SELECT * FROM nowhere", 2, "nowhere"),
    ] {
        let query_of = match query.contains("nullif") {
            true => format!("{query} ORDER BY text NULLS FIRST"),
            false => query.to_owned(),
        };
        let finished = export(&job, "wet", "out", &["--query", &query_of, "--replace"]);
        assert_eq!(finished.code, Some(code), "{query}: {finished:?}");
        assert!(
            finished.stderr.contains(expected),
            "{query}: {}",
            finished.stderr
        );
    }
    let words = ["--query", "SELECT 1", "--dates", "2011-10-01"];
    assert_eq!(export(&job, "jsonl", "out", &words).code, Some(2));
    assert_eq!(
        export(&job, "jsonl", "out", &["--shard-size", "0"]).code,
        Some(2)
    );
}

#[test]
fn a_query_with_another_order_each_time_is_not_continued() {
    let job = job();
    let query = "SELECT document_id AS id, text, url, date FROM documents WHERE text <> '' \
                 ORDER BY random()";
    let words = ["--shard-size", "60KB", "--query", query];
    kill(&job, "jsonl", "out", &words, "export.shard#4");
    let finished = export(&job, "jsonl", "out", &words);
    assert_eq!(finished.code, Some(2), "{finished:?}");
    assert!(
        finished.stderr.contains("another order each time"),
        "{}",
        finished.stderr
    );
}
