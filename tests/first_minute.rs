//! Commands that need no job: `run`, `extract`, `init`.

use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;

use crate::support::{Finished, Row, Site, paragraph, run_in, urltree_in, write, write_texts};

const SITE: Site = Site {
    host: "www.gazette.example",
};

/// A folder with an archive of 30 articles of different days, and the words of a command in it.
fn archive() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    write(
        &folder.path().join("pages.parquet"),
        &SITE.daily_articles(30),
    );
    folder
}

fn succeeded(folder: &Path, words: &[&str]) -> Finished {
    let finished = urltree_in(folder, words);
    assert_eq!(finished.code, Some(0), "{words:?}: {}", finished.stderr);
    finished
}

#[test]
fn one_command_without_a_job_runs_an_archive_and_shows_a_text() {
    let folder = archive();
    let folder = folder.path();
    let run = ["run", "pages.parquet", "--output", "texts"];
    let first = succeeded(folder, &run);
    let is_unique = |line: &str| line.starts_with("unique ") && line.ends_with(" 30");
    assert!(first.stdout.lines().any(is_unique), "{}", first.stdout);
    let sql = "urltree sql --tables texts 'SELECT url, text FROM documents LIMIT 3'";
    assert!(first.stdout.contains(sql), "{}", first.stdout);
    let query = "SELECT url, left(text, 60) AS text FROM documents ORDER BY fetched_at LIMIT 1";
    let asked = succeeded(
        folder,
        &["sql", "--tables", "texts", "--format", "json", query],
    );
    let row: Value = serde_json::from_str(&asked.stdout).expect("a row");
    for column in ["url", "text"] {
        let shown = row[column].as_str().expect("a text");
        assert!(first.stdout.contains(shown), "{shown}: {}", first.stdout);
    }
    // A second run leaves each page once, and one with another setting is refused.
    succeeded(folder, &run);
    let other = urltree_in(
        folder,
        &[&run[..], &["--set", "dedup.revisions=true"]].concat(),
    );
    assert_eq!(other.code, Some(2), "{}", other.stderr);
    let next = "next: urltree run pages.parquet --tables texts --set 'dedup.revisions=true'";
    assert!(other.stderr.contains(next), "{}", other.stderr);
    let count = [
        "sql",
        "--tables",
        "texts",
        "--format",
        "csv",
        "SELECT count(*) AS n FROM documents",
    ];
    assert_eq!(succeeded(folder, &count).stdout, "n\n30\n");
    let status = succeeded(folder, &["status", "--tables", "texts"]);
    assert!(status.stdout.contains("30"), "{}", status.stdout);
}

#[test]
fn a_text_that_is_shown_sends_nothing_to_the_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let text = format!("<p>{} \u{1b}[2J {}</p>", paragraph(1), paragraph(2));
    let page = Row::page(
        "2011-10-24T12:00:00",
        "http://a.example/1",
        SITE.page(&text, &[]),
    );
    write(&folder.join("pages.parquet"), &[page]);
    let run = succeeded(folder, &["run", "pages.parquet", "--output", "texts"]);
    let word = paragraph(2).split(' ').next().expect("a word").to_owned();
    assert!(run.stdout.contains(&word), "{}", run.stdout);
    assert!(!run.stdout.contains('\u{1b}'), "{}", run.stdout);
}

#[test]
fn a_command_without_tables_says_how_to_name_them() {
    let folder = archive();
    let asked = urltree_in(folder.path(), &["sql", "SELECT 1"]);
    assert_eq!(asked.code, Some(2));
    assert!(asked.stderr.contains("--tables"), "{}", asked.stderr);
    let missing = urltree_in(
        folder.path(),
        &["run", "nothing.parquet", "--output", "texts"],
    );
    assert_eq!(missing.code, Some(3), "{}", missing.stderr);
    assert!(
        missing.stderr.contains("nothing.parquet"),
        "{}",
        missing.stderr
    );
}

#[test]
fn a_usage_error_is_one_line_of_a_run_and_a_missing_table_names_its_folder() {
    let folder = archive();
    let folder = folder.path();
    let refused = urltree_in(
        folder,
        &[
            "run",
            "pages.parquet",
            "--output",
            "texts",
            "--set",
            "run.threads=many",
        ],
    );
    assert_eq!(refused.code, Some(2), "{}", refused.stderr);
    assert_eq!(refused.stderr.lines().count(), 1, "{}", refused.stderr);
    assert!(refused.stderr.contains("run.threads"), "{}", refused.stderr);
    let query = |sql| urltree_in(folder, &["sql", "--tables", "texts", sql]);
    let asked = query("SELECT url FROM documents");
    assert_eq!(asked.code, Some(2), "{}", asked.stderr);
    for words in ["no table documents at ", "/texts", "urltree run"] {
        assert!(asked.stderr.contains(words), "{words}: {}", asked.stderr);
    }
    assert!(!asked.stderr.contains("datafusion"), "{}", asked.stderr);
    succeeded(folder, &["run", "pages.parquet", "--output", "texts"]);
    let blocks = query("SELECT count(*) FROM blocks");
    assert!(blocks.stderr.contains("output.write"), "{}", blocks.stderr);
}

#[test]
fn init_writes_a_job_whose_paths_are_beside_it() {
    let folder = archive();
    let folder = folder.path();
    let init = [
        "init",
        "jobs/crawl.toml",
        "--archive",
        "../pages.parquet",
        "--output",
        "../texts",
    ];
    std::fs::create_dir(folder.join("jobs")).expect("a folder");
    succeeded(folder, &init);
    assert_eq!(urltree_in(folder, &init).code, Some(2));
    succeeded(&folder.join("jobs"), &["update", "--job", "crawl.toml"]);
    succeeded(folder, &["status", "--job", "jobs/crawl.toml"]);
    assert!(folder.join("texts/documents").is_dir());
}

/// Writes three pages of a site with a menu, and returns the second.
fn saved(folder: &Path) -> String {
    let pages = [1, 2, 3].map(|number| (format!("site/{number}.html"), SITE.html(number)));
    let texts: Vec<_> = pages
        .iter()
        .map(|(file, html)| (file.as_str(), html.as_str()))
        .collect();
    write_texts(folder, &texts);
    pages[1].1.clone()
}

#[test]
fn extract_prints_the_text_of_a_page_from_a_file_and_from_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let html = saved(folder.path());
    let of_file = succeeded(folder.path(), &["extract", "site/2.html"]).stdout;
    assert!(of_file.split_whitespace().count() > 50, "{of_file}");
    let mut command = crate::support::urltree_command(&["extract", "-"]);
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the command");
    let mut input = child.stdin.take().expect("standard input");
    input.write_all(html.as_bytes()).expect("the page");
    drop(input);
    let output = child.wait_with_output().expect("its output");
    assert_eq!(String::from_utf8_lossy(&output.stdout), of_file);
}

#[test]
fn files_of_one_site_are_read_with_the_template_that_all_show() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let files = ["a/1.html", "a/2.html", "b/3.html", "b/4.html"];
    let page = |number: u64| {
        let letter = "Subscribe to our letter today and get a free sample of our best tea.";
        let text = paragraph(number);
        format!("<div><p>{letter}</p><p>{text} See <a href='../leaf'>the leaf</a> of it.</p></div>")
    };
    let pages = [1, 2, 3, 4].map(page);
    let texts: Vec<_> = files
        .into_iter()
        .zip(pages.iter().map(String::as_str))
        .collect();
    write_texts(folder, &texts);
    let words = [
        &[
            "extract",
            "--json",
            "--markdown",
            "--url",
            "https://tea.example/",
        ],
        &files[..],
    ]
    .concat();
    let printed = succeeded(folder, &words).stdout;
    let pages: Vec<Value> = printed
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(pages.len(), 4);
    let last = pages[3]["text"].as_str().expect("a text");
    assert!(
        last.contains(&paragraph(4)) && !last.contains("Subscribe"),
        "{last}"
    );
    assert!(
        last.contains("[the leaf](https://tea.example/leaf)"),
        "{last}"
    );
    assert_eq!(pages[3]["url"], "https://tea.example/b/4.html");
    let text = succeeded(folder, &[&["extract"], &files[..]].concat()).stdout;
    assert!(text.starts_with("==> a/1.html <==\n"), "{text}");
}

#[test]
fn a_file_that_is_no_page_is_named_and_stops_no_other() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    saved(folder);
    std::fs::write(
        folder.join("site/picture"),
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0",
    )
    .expect("a file");
    let found = run_in(
        folder,
        "urltree",
        &["extract", "site/1.html", "site/picture"],
    );
    assert_eq!(found.code, Some(3), "{}", found.stderr);
    assert!(found.stderr.contains("site/picture"), "{}", found.stderr);
    assert!(
        found.stdout.contains("==> site/1.html <=="),
        "{}",
        found.stdout
    );
    let missing = urltree_in(folder, &["extract", "site/9.html"]);
    assert_ne!(missing.code, Some(0));
    assert!(missing.stderr.contains("site/9.html"), "{}", missing.stderr);
}
