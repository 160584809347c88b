//! Trains the models of `ncleaner`, `mss` and `v-wrapper`.
//!
//! ```sh
//! cargo run --release -p urltree-evaluation --example train_models -- \
//!     wcxb-dev.parquet crates/lab/extractors/models --from "the origin of the pages"
//! ```
//!
//! The set is Parquet with `html` and `gold_text`, and `title` for the titles of `v-wrapper`. A
//! segment of a page is content if half of its words are in the longest common subsequence of
//! page and gold. Models depend on nothing but the pages.

#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "../prior/in_gold.rs"]
mod in_gold;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use evaluation::{GoldPage, GoldSet};
use extractors::Page;
use extractors::training::{
    Characters, LeafExamples, Models, TokenCounts, TrigramCounts, segments,
};
use scoring::{Tokens, Vocabulary};

use crate::in_gold::in_gold;

const USAGE: &str = "usage: train_models SET FOLDER [--from ORIGIN]";

/// Words of a page that are read. A longer page would take gigabytes for its common
/// subsequence.
const WORDS: usize = 50_000;

/// The least count of a trigram of characters in a model. Lower: a larger file, for
/// combinations that are typing errors and foreign words.
const CHARACTER_TRIGRAMS: f64 = 10.0;

/// Trigrams of tokens in a model. Twice as many are rarer ones, and make the file twice as large.
const TOKEN_TRIGRAMS: usize = 16_000;

/// Pages that have a feature of tokens in a model.
const TOKEN_PAGES: u32 = 8;

/// Decision stumps of a class.
const STUMPS: usize = 80;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("train_models: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let (mut paths, mut origin) = (Vec::new(), String::from("a gold set"));
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        match argument.as_str() {
            "--from" => origin = given.next().ok_or(USAGE)?,
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let [set, folder] = paths.as_slice() else {
        return Err(USAGE.to_owned());
    };
    let mut learned = Learned::default();
    for_each_page(set, |gold, html| learned.add(gold, html))?;
    let pages = learned.pages;
    let head = |about: &str| {
        format!(
            "# {about}: see src. Made by `crates/lab/evaluation/examples/train_models`; not edited.\n\
             # Learned from {origin}: {pages} pages with gold texts.\n"
        )
    };
    for (name, text) in learned.texts(head) {
        let path = folder.join(name);
        println!("{}: {} bytes", path.display(), text.len());
        std::fs::write(&path, text).map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// Calls a function with the HTML of each page of a set that has gold.
fn for_each_page(set: &Path, mut apply: impl FnMut(&GoldPage, &str)) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", set.display());
    let set = GoldSet::file(set);
    let golds = set.pages().map_err(|error| failed(&error))?;
    let by_row: HashMap<usize, &GoldPage> = golds.iter().map(|gold| (gold.row, gold)).collect();
    let read = set.for_each_fetched(|fetched| {
        let Some(gold) = (by_row.get(&fetched.row)).filter(|gold| !gold.text.trim().is_empty())
        else {
            return;
        };
        let html = fetched.html.unwrap_or_default();
        if let Ok(html) = html_blocks::decode(html, fetched.http_charset) {
            apply(gold, &html);
        }
    });
    read.map_err(|error| failed(&error))
}

/// The counts and examples of all models.
#[derive(Default)]
struct Learned {
    pages: usize,
    lexical: Models,
    non_lexical: Models,
    tokens: TokenCounts,
    leaves: LeafExamples,
}

impl Learned {
    fn add(&mut self, gold: &GoldPage, html: &str) {
        let page = Page::new(&gold.url, html);
        let text = segments(&page);
        let lines: Vec<&str> = text.lines().collect();
        let mut vocabulary = Vocabulary::default();
        let gold_words = vocabulary.words(&gold.text, Tokens::Unicode);
        let words: Vec<_> = (lines.iter())
            .map(|line| vocabulary.words(line, Tokens::Unicode))
            .collect();
        if words.iter().map(Vec::len).sum::<usize>() > WORDS {
            return;
        }
        self.pages += 1;
        let found = in_gold(&words, &gold_words).into_iter().zip(&words);
        let is_content: Vec<bool> = found
            .map(|(found, words)| found * 2 > words.len())
            .collect();
        // A segment that is repeated on a page, such as a button of each comment, counts once.
        let mut seen = HashSet::new();
        for (line, is_content) in lines.iter().zip(&is_content) {
            if seen.insert(*line) {
                count(&mut self.lexical, Characters::Lexical, line, *is_content);
                count(
                    &mut self.non_lexical,
                    Characters::NonLexical,
                    line,
                    *is_content,
                );
            }
        }
        self.tokens.add(&page, &is_content);
        let title = gold.title.as_deref().unwrap_or_default();
        let title = vocabulary.words(title, Tokens::Unicode);
        let is_title: Vec<bool> = words.iter().map(|words| is_title(words, &title)).collect();
        self.leaves.add(&page, &is_content, &is_title);
    }

    /// Returns the files of the models.
    fn texts(mut self, head: impl Fn(&str) -> String) -> BTreeMap<&'static str, String> {
        for models in [&mut self.lexical, &mut self.non_lexical] {
            models.clean.remove_below(CHARACTER_TRIGRAMS);
            models.dirty.remove_below(CHARACTER_TRIGRAMS);
        }
        let of_characters = head("Trigrams of characters");
        let tokens = self.tokens.model(TOKEN_TRIGRAMS, TOKEN_PAGES);
        let leaves = self.leaves.model(STUMPS);
        BTreeMap::from([
            ("ncleaner.txt", self.lexical.to_text(&of_characters)),
            (
                "ncleaner-nonlexical.txt",
                self.non_lexical.to_text(&of_characters),
            ),
            (
                "mss.txt",
                tokens.to_text(&head("Logits of tags and of hashes of trigrams of tokens")),
            ),
            (
                "v-wrapper.txt",
                leaves.to_text(&head("Decision stumps over the numbers of leaves")),
            ),
        ])
    }
}

fn count(models: &mut Models, characters: Characters, line: &str, is_content: bool) {
    let counts: &mut TrigramCounts = match is_content {
        true => &mut models.clean,
        false => &mut models.dirty,
    };
    counts.add(characters, line);
}

/// Returns whether a segment is the title: it has at least two words, four of five of them are
/// of the title, and it has half of the words of the title.
fn is_title<W: PartialEq>(words: &[W], title: &[W]) -> bool {
    let common = words.iter().filter(|word| title.contains(word)).count();
    words.len() >= 2 && 5 * common >= 4 * words.len() && 2 * common >= title.len()
}
