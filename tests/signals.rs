//! Signals of texts in `documents`, and the filters of datatrove on the same texts.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::{Job, Row, paragraph, python, repository, text};

const COLUMNS: &str = "words, stop_words, mean_word_length, hashes_per_token, ellipses_per_token, \
     tokens_with_letters, digits, bullet_lines, ellipsis_lines, ended_lines, short_lines, duplicate_lines, \
     duplicate_line_chars, breaks_per_token, top_ngrams, duplicate_ngrams";

/// Pages whose texts have what the filters look for.
fn pages() -> Vec<Row> {
    let bodies = [
        format!("<p>{}<p>{}", paragraph(1), paragraph(2)),
        "<p>- Tea<p>- Milk<p>• Sugar<p>Read more...<p>And so on…".to_owned(),
        "<p>The tea is hot.<p>The tea is hot.<p>The tea is cold.<p>The tea is hot.".to_owned(),
        format!(
            "<p>{}",
            "to be or not to be, that is the question of the day ".repeat(9)
        ),
        "<p>#tea #milk #sugar 12 34 56 -- !! ??".to_owned(),
        "<p>茶很热，但没有人喝它。杯子放在桌子上。<p>お茶は熱いです！<p>चाय गर्म है।".to_owned(),
        format!(
            "<p>{}",
            (0..40).map(|n| format!("{n} ")).collect::<String>()
        ),
    ];
    let row = |(number, body): (usize, String)| {
        let html = format!("<title>Page</title><main><h1>Page number {number}</h1>{body}</main>");
        Row::page(
            &format!("2011-10-0{}T12:00:00", 1 + number % 6),
            format!("http://www.tea{number}.example/news/{number}"),
            html,
        )
    };
    bodies.into_iter().enumerate().map(row).collect()
}

fn documents(job: &Job) -> Vec<Value> {
    job.rows(&format!(
        "SELECT url, text, {COLUMNS} FROM documents ORDER BY url"
    ))
}

#[test]
fn signals_are_null_unless_the_job_writes_them() {
    let job = Job::of(&pages());
    job.backfill("2011-10-01..2011-10-06");
    let rows = documents(&job);
    assert_eq!(rows.len(), pages().len());
    for row in rows {
        let found = row
            .as_object()
            .map(|row| row.keys().cloned().collect::<Vec<_>>());
        assert_eq!(
            found,
            Some(vec!["text".to_owned(), "url".to_owned()]),
            "{row}"
        );
    }
}

#[test]
fn signals_are_those_of_the_filters_of_datatrove() {
    let job = Job::of(&pages())
        .with("output.write=signals")
        .with("paper.heuristic=strict");
    job.backfill("2011-10-01..2011-10-06");
    let rows = documents(&job);
    assert_eq!(rows.len(), pages().len());
    let words: Vec<_> = rows
        .iter()
        .map(|row| row["words"].as_i64().unwrap_or(0))
        .collect();
    assert!(words.iter().all(|words| *words > 3), "{words:?}");

    let Some(python) = python("datatrove") else {
        return;
    };
    let mut input = String::new();
    for row in &rows {
        let text = text(row, "text");
        let line = json!({"text": text, "tokens": text::signals::tokens(&text), "signals": row});
        input.push_str(&format!("{line}\n"));
    }
    let answer = run(&python, &input);
    assert_eq!(answer["wrong"], json!([]), "{answer}");
    // Twenty-one signals of each text.
    assert_eq!(answer["compared"], 21 * rows.len(), "{answer}");

    // A wrong value is noticed.
    let wrong = input.replacen("\"words\":", "\"words\":1", 1);
    assert_eq!(
        run(&python, &wrong)["wrong"].as_array().map(Vec::len),
        Some(1)
    );
}

fn run(python: &str, input: &str) -> Value {
    let mut child = Command::new(python)
        .arg(repository().join("tests/elsewhere/signals.py"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the interpreter can be started");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin
        .write_all(input.as_bytes())
        .expect("it reads its input");
    drop(stdin);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}
