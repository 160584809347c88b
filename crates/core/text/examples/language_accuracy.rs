//! Measures the accuracy by language and the time per text.
//!
//! ```sh
//! cargo run --release -p urltree-text --example language_accuracy -- TEXTS.tsv
//! ```
//!
//! A line of `TEXTS.tsv` is a set, the code of a language, and a text.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: accuracy TEXTS.tsv");
        return ExitCode::FAILURE;
    };
    let lines = match std::fs::read_to_string(&path) {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let rows = lines.lines().filter_map(|line| {
        let mut fields = line.splitn(3, '\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    });
    let rows: Vec<(&str, &str, &str)> = rows.collect();
    for chars in [60, 200, usize::MAX] {
        report(&rows, chars);
    }
    ExitCode::SUCCESS
}

/// Prints one line for the first `chars` characters of each text.
fn report(rows: &[(&str, &str, &str)], chars: usize) {
    let texts = rows
        .iter()
        .map(|(.., text)| text.chars().take(chars).collect::<String>());
    let texts: Vec<String> = texts.collect();
    let start = Instant::now();
    let found: Vec<_> = texts
        .iter()
        .map(|text| text::language::detect(text))
        .collect();
    let micros = start.elapsed().as_secs_f64() * 1e6 / texts.len().max(1) as f64;
    let mut by: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    let mut all = [0; 3];
    for ((_, expected, _), found) in rows.iter().zip(found) {
        let answered = usize::from(found.is_some());
        let right = usize::from(found.is_some_and(|found| found.code == *expected));
        for counts in [by.entry(expected).or_default(), &mut all] {
            counts[0] += 1;
            counts[1] += answered;
            counts[2] += right;
        }
    }
    let [texts, answered, right] = all;
    let share = right as f64 / answered.max(1) as f64;
    println!(
        "{chars} characters: {answered} of {texts} have a language, {share:.4} right, {micros:.0} us a text"
    );
    for (code, [_, answered, right]) in by {
        println!(
            "  {code} {:.3} of {answered}",
            right as f64 / answered.max(1) as f64
        );
    }
}
