//! Comparison with Python: the word characters of `re`, `difflib`, and `rouge_score`.
//!
//! `tests/reference/pairs.json` records the answers of Python for pairs of texts, so
//! that most checks need no Python. If there is an interpreter (`URLTREE_PYTHON`, else
//! `python3`), the tests also ask it about these pairs and thousands of random ones.

#![expect(clippy::print_stderr, reason = "a test that is skipped reports it")]

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngSeed, TestRunner};
use regex::Regex;
use scoring::{Autojunk, Overlap, Tokens, Vocabulary, WordId, lcs, ratcliff_obershelp, rouge_lsum};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// A pair of texts, with the recorded answers.
#[derive(Deserialize)]
struct Pair {
    name: String,
    gold: String,
    extracted: String,
    /// Words of the gold text and of the extraction, as in [P 5.2].
    words: (usize, usize),
    /// The length of the longest common subsequence.
    lcs: usize,
    /// Words in the matching blocks of `difflib`, autojunk on and off.
    matched: (usize, usize),
    /// Words in common by ROUGE-LSum of `rouge_score`, without stemmer.
    rouge: usize,
}

fn pairs() -> Vec<Pair> {
    let pairs: Vec<Pair> =
        serde_json::from_str(include_str!("reference/pairs.json")).expect("a table of pairs");
    assert_eq!(pairs.len(), 14);
    pairs
}

/// Returns the answers of Python, or `None` if the interpreter or the package is missing.
fn ask<T: DeserializeOwned>(test: &str, package: &str, questions: &[Value]) -> Option<Vec<T>> {
    let python = std::env::var("URLTREE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let import = Command::new(&python)
        .args(["-c", &format!("import {package}")])
        .stderr(Stdio::null())
        .status();
    if !import.is_ok_and(|status| status.success()) {
        eprintln!("SKIPPED {test}: {python} with the package {package} was not found");
        return None;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference/reference.py");
    let mut child = Command::new(&python)
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    let lines: String = questions.iter().map(|line| format!("{line}\n")).collect();
    let writer = std::thread::spawn(move || stdin.write_all(lines.as_bytes()));
    let output = child.wait_with_output().expect("Python ends");
    assert!(output.status.success(), "{python}: {}", output.status);
    writer.join().expect("no panic").expect("Python reads all");
    let answers = String::from_utf8(output.stdout).expect("JSON");
    let answers: Vec<T> = answers
        .lines()
        .map(|line| serde_json::from_str(line).expect("an answer"))
        .collect();
    assert_eq!(answers.len(), questions.len());
    Some(answers)
}

/// Generates values with a fixed seed, the same on every machine.
fn random<S: Strategy>(count: usize, strategy: &S) -> Vec<S::Value> {
    let mut runner = TestRunner::new(Config {
        rng_seed: RngSeed::Fixed(2012),
        ..Config::default()
    });
    (0..count)
        .map(|_| strategy.new_tree(&mut runner).expect("a value").current())
        .collect()
}

fn matched(gold: &[WordId], extracted: &[WordId]) -> (usize, usize) {
    let common = |autojunk| ratcliff_obershelp(gold, extracted, autojunk).common();
    (common(Autojunk::On), common(Autojunk::Off))
}

fn rouge(gold: &str, extracted: &str) -> Overlap {
    let mut vocabulary = Vocabulary::default();
    let gold = vocabulary.lines(gold, Tokens::Unicode);
    let extracted = vocabulary.lines(extracted, Tokens::Unicode);
    rouge_lsum(&gold, &extracted)
}

#[test]
fn pairs_match_the_recorded_answers_of_python() {
    for pair in pairs() {
        let mut vocabulary = Vocabulary::default();
        let gold = vocabulary.words(&pair.gold, Tokens::Unicode);
        let extracted = vocabulary.words(&pair.extracted, Tokens::Unicode);
        assert_eq!((gold.len(), extracted.len()), pair.words, "{}", pair.name);
        assert_eq!(lcs(&gold, &extracted).common(), pair.lcs, "{}", pair.name);
        assert_eq!(matched(&gold, &extracted), pair.matched, "{}", pair.name);
        let rouge = rouge(&pair.gold, &pair.extracted);
        assert_eq!(
            (rouge.gold(), rouge.extracted()),
            pair.words,
            "{}",
            pair.name
        );
        assert_eq!(rouge.common(), pair.rouge, "{}", pair.name);
    }
}

#[test]
fn the_recorded_answers_are_those_of_python() {
    let pairs = pairs();
    let words = |text: &String| json!({"ask": "words", "text": text});
    let questions: Vec<Value> = pairs
        .iter()
        .flat_map(|pair| [words(&pair.gold), words(&pair.extracted)])
        .collect();
    let test = "the_recorded_answers_are_those_of_python";
    let Some(words) = ask::<Vec<String>>(test, "difflib", &questions) else {
        return;
    };
    let (words, _) = words.as_chunks::<2>();
    let questions: Vec<Value> = words
        .iter()
        .map(|[gold, extracted]| json!({"ask": "matched", "gold": gold, "extracted": extracted}))
        .collect();
    let answers = ask::<(usize, usize)>(test, "difflib", &questions).expect("as before");
    for ((pair, [gold, extracted]), answer) in pairs.iter().zip(words).zip(answers) {
        assert_eq!((gold.len(), extracted.len()), pair.words, "{}", pair.name);
        assert_eq!(answer, pair.matched, "{}", pair.name);
    }
}

#[test]
fn matching_blocks_equal_those_of_difflib() {
    // Few and many distinct words; short texts, and texts with frequent words.
    let text = |words: u32, length: usize| {
        prop::collection::vec(0..words, length / 2..=length).prop_map(|words| {
            let words: Vec<String> = words.iter().map(u32::to_string).collect();
            words
        })
    };
    let mut asked: Vec<(Vec<String>, Vec<String>)> = Vec::new();
    for (count, words, length) in [
        (3_000, 3, 12),
        (3_000, 8, 30),
        (600, 40, 260),
        (200, 150, 450),
        (100, 600, 900),
    ] {
        asked.extend(random(count, &(text(words, length), text(words, length))));
    }
    // Similar texts: every k-th word is changed, and two parts are swapped.
    for (k, gold) in (3..).zip(random(60, &text(300, 700))) {
        let mut extracted = gold.clone();
        extracted
            .iter_mut()
            .step_by(k)
            .for_each(|word| word.push('x'));
        extracted.rotate_left(k * 3);
        asked.push((gold, extracted));
    }
    let questions: Vec<Value> = asked
        .iter()
        .map(|(gold, extracted)| json!({"ask": "matched", "gold": gold, "extracted": extracted}))
        .collect();
    let test = "matching_blocks_equal_those_of_difflib";
    let Some(answers) = ask::<(usize, usize)>(test, "difflib", &questions) else {
        return;
    };
    let (mut more, mut less) = (0, 0);
    for ((gold, extracted), (on, off)) in asked.iter().zip(answers) {
        let mut vocabulary = Vocabulary::default();
        let mut ids = |words: &[String]| vocabulary.words(&words.join(" "), Tokens::Unicode);
        let (gold, extracted) = (ids(gold), ids(extracted));
        assert_eq!(matched(&gold, &extracted), (on, off));
        more += usize::from(on > off);
        less += usize::from(on < off);
    }
    // The random texts cover both effects of autojunk: a larger and a smaller overlap.
    assert!(more > 20 && less > 20, "{more} {less}");
}

#[test]
fn words_equal_those_of_python() {
    let test = "words_equal_those_of_python";
    let Some(version) = ask::<String>(test, "unicodedata", &[json!({"ask": "unicode"})]) else {
        return;
    };
    let version = version[0].strip_suffix(".0").expect("such as 14.0.0");
    let Ok(known) = Regex::new(&format!(r"\p{{Age={version}}}")) else {
        eprintln!("SKIPPED {test}: the regex crate does not know Unicode {version} of Python");
        return;
    };
    let known = |c: char| known.is_match(c.encode_utf8(&mut [0; 4]));
    // Every character that Python knows, between two letters that it does not affect.
    let all: Vec<char> = ('\0'..=char::MAX).filter(|c| known(*c)).collect();
    assert!(all.len() > 144_000, "{}", all.len());
    let mut texts: Vec<String> = all
        .chunks(500)
        .map(|chars| chars.iter().map(|c| format!("x{c}x ")).collect())
        .collect();
    // Letters whose lower case depends on their neighbours, or is longer.
    let awkward: Vec<char> = "ΑΣσς'’\u{301}\u{345}\u{ad}İIıſẞ ŉǅΐﬁ.-_ 1²Ⅷⓐक्षि"
        .chars()
        .collect();
    let c = prop_oneof![prop::sample::select(awkward), prop::sample::select(all)];
    let random = random(4_000, &prop::collection::vec(c, 1..40));
    texts.extend(random.into_iter().map(String::from_iter));
    let questions: Vec<Value> = texts
        .iter()
        .map(|text| json!({"ask": "words", "text": text}))
        .collect();
    let answers = ask::<Vec<String>>(test, "unicodedata", &questions).expect("as before");
    for (text, answer) in texts.iter().zip(answers) {
        let mut vocabulary = Vocabulary::default();
        let words = vocabulary.words(text, Tokens::Unicode);
        assert_eq!(words.len(), answer.len(), "{text:?}");
        for (word, expected) in words.into_iter().zip(answer) {
            // Splitting a lower-case word gives the word itself.
            assert_eq!(expected.to_lowercase(), expected);
            let expected = vocabulary.words(&expected, Tokens::Unicode);
            assert_eq!(vec![word], expected, "{text:?}");
        }
    }
}

#[test]
fn rouge_lsum_equals_that_of_rouge_score() {
    let word = prop::sample::select(vec!["a", "b", "c", "d", "e", "ü", "g_h", "\n", "\n", "."]);
    let text = prop::collection::vec(word, 0..90).prop_map(|words| words.join(" "));
    let mut asked = random(1_500, &(text.clone(), text));
    asked.extend(pairs().into_iter().map(|pair| (pair.gold, pair.extracted)));
    let questions: Vec<Value> = asked
        .iter()
        .map(|(gold, extracted)| json!({"ask": "rouge", "gold": gold, "extracted": extracted}))
        .collect();
    let test = "rouge_lsum_equals_that_of_rouge_score";
    let Some(answers) = ask::<usize>(test, "rouge_score", &questions) else {
        return;
    };
    for ((gold, extracted), answer) in asked.iter().zip(answers) {
        assert_eq!(
            rouge(gold, extracted).common(),
            answer,
            "{gold}\n-- {extracted}"
        );
    }
}
