//! Every `[O Xn]` of the repository is a row of `docs/original.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Folders that are searched, below the root of the repository.
const FOLDERS: [&str; 6] = ["crates", "docs", "fuzz", "jobs", "schemas", "tests"];

/// Endings of the files that are searched.
const ENDINGS: [&str; 6] = ["md", "py", "rs", "sql", "toml", "tsv"];

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// Collects the files of a folder, without build output.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !path.ends_with("target") {
                files(&path, found);
            }
        } else if let Some(ending) = path.extension().and_then(|ending| ending.to_str())
            && ENDINGS.contains(&ending)
        {
            found.push(path);
        }
    }
}

/// The number of a fact (`A5` is `('A', 5)`) at the start of a text, and the rest.
fn fact(text: &str) -> Option<((char, u8), &str)> {
    let group = text.chars().next().filter(|c| ('A'..='I').contains(c))?;
    let digits = &text[1..];
    let end = digits.find(|c: char| !c.is_ascii_digit());
    let (number, rest) = digits.split_at(end.unwrap_or(digits.len()));
    let is_word = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    let number = number.parse().ok().filter(|_| !is_word)?;
    Some(((group, number), rest))
}

/// The facts that a text cites: `O A1`, `O A1, A3` and `O A1-A3` (all three).
fn cited(text: &str) -> BTreeSet<(char, u8)> {
    let mut facts = BTreeSet::new();
    for (at, _) in text.match_indices("O ") {
        let starts_word = !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '/');
        let mut next = fact(&text[at + 2..]).filter(|_| starts_word);
        let mut first = None;
        while let Some(((group, number), rest)) = next {
            facts.extend((first.unwrap_or(number)..=number).map(|number| (group, number)));
            first = rest.starts_with('-').then_some(number);
            let after = rest.strip_prefix('-').or_else(|| rest.strip_prefix(", "));
            next = after.and_then(fact);
        }
    }
    facts
}

/// The facts that have a row (`| A5 | ... |`) in a page, in the order of their rows.
fn rows(page: &str) -> Vec<(char, u8)> {
    let cells = page.lines().filter_map(|line| line.strip_prefix("| "));
    (cells.filter_map(fact))
        .filter(|(_, rest)| rest.starts_with(" |"))
        .map(|(fact, _)| fact)
        .collect()
}

#[test]
fn every_cited_fact_about_the_original_is_a_row() {
    let page = repository().join("docs/original.md");
    let page = std::fs::read_to_string(page).expect("docs/original.md is text");
    let rows = rows(&page);
    let known: BTreeSet<_> = rows.iter().copied().collect();
    assert_eq!(rows.len(), known.len(), "a fact has two rows");

    let mut found = Vec::new();
    for folder in FOLDERS {
        files(&repository().join(folder), &mut found);
    }
    let mut missing: BTreeMap<(char, u8), Vec<PathBuf>> = BTreeMap::new();
    let mut all = BTreeSet::new();
    for path in found {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let cited = cited(&text);
        for fact in cited.difference(&known) {
            missing.entry(*fact).or_default().push(path.clone());
        }
        all.extend(cited);
    }
    assert!(all.len() >= 50, "only {} facts are cited", all.len());
    assert!(missing.is_empty(), "not in docs/original.md: {missing:#?}");
}

#[test]
fn lists_and_ranges_of_facts_are_read() {
    let facts = |text| cited(text).into_iter().collect::<Vec<_>>();
    assert_eq!(facts("one [P 3, O A15]."), [('A', 15)]);
    assert_eq!(facts("two (O F1, F2)"), [('F', 1), ('F', 2)]);
    assert_eq!(
        facts("O A12-A14, B1"),
        [('A', 12), ('A', 13), ('A', 14), ('B', 1)]
    );
    assert_eq!(facts("I/O A1, GO B2, O K3, O A1x, O A"), []);
}

#[test]
fn a_row_begins_with_the_number_of_its_fact() {
    let page = "| fact | code |\n|---|---|\n| A1 | x |\n| A10 | [O B2] |\n| A1x | y |\nA2 | z |\n";
    assert_eq!(rows(page), [('A', 1), ('A', 10)]);
}
