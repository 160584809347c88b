//! Searches for the constants [`NceParameters::FITTED`].
//!
//! Reads pages as JSON Lines with the fields `html` and `gold`, and prints a row for every
//! change. One constant at a time is set to the value of its grid with the greatest mean
//! F1, until a round changes nothing. F1 is that of bags of words, as in section 2 of the
//! paper. Gains that may be chance are ignored.
//!
//! ```text
//! duckdb -c "COPY (SELECT decode(html) AS html, gold_text AS gold
//!                  FROM 'cleaneval-dev.parquet') TO 'pages.jsonl'"
//! cargo run -p urltree-extractors --example nce_search pages.jsonl
//! ```
#![allow(clippy::print_stdout)]

use std::collections::HashMap;
use std::error::Error;

use extractors::{Extractor, Nce, NceParameters, Page, Site};
use serde::Deserialize;

#[derive(Deserialize)]
struct Sample {
    html: String,
    gold: String,
}

/// A constant with the values to try.
struct Grid {
    name: &'static str,
    values: &'static [f64],
    get: fn(&NceParameters) -> f64,
    set: fn(&mut NceParameters, f64),
}

macro_rules! grid {
    ($field:ident: count, $values:expr) => {
        Grid {
            name: stringify!($field),
            values: &$values,
            get: |parameters| parameters.$field as f64,
            set: |parameters, value| parameters.$field = value as usize,
        }
    };
    ($field:ident: share, $values:expr) => {
        Grid {
            name: stringify!($field),
            values: &$values,
            get: |parameters| parameters.$field,
            set: |parameters, value| parameters.$field = value,
        }
    };
}

const GRIDS: [Grid; 12] = [
    grid!(leaf_chars: count, [20.0, 40.0, 60.0, 80.0, 100.0, 150.0, 200.0]),
    // The grid ends before an article of 150 words would have no separator node. On pages
    // that are nearly all content, F1 grows further when phase 1 always fails.
    grid!(separator_chars: count, [100.0, 200.0, 300.0, 400.0, 500.0, 700.0, 1000.0]),
    grid!(sibling_chars: count, [50.0, 100.0, 200.0, 300.0, 500.0]),
    grid!(sibling_link_density: share, [0.2, 0.3, 0.4, 0.5, 0.6]),
    grid!(kept_link_density: share, [0.2, 0.3, 0.4, 0.5, 0.6, 0.8]),
    grid!(block_words_min: count, [2.0, 3.0, 4.0, 5.0, 6.0]),
    grid!(block_words_max: count, [15.0, 20.0, 30.0, 40.0]),
    grid!(block_distance: count, [15.0, 30.0, 60.0, 120.0]),
    grid!(block_similarity: share, [0.5, 0.6, 0.7, 0.8, 0.9]),
    grid!(title_words_min: count, [1.0, 2.0, 3.0]),
    grid!(title_words_max: count, [10.0, 15.0, 20.0, 25.0, 30.0]),
    grid!(title_overlap: share, [0.4, 0.5, 0.6, 0.7, 0.8, 1.0]),
];

/// The least gain in F1 that counts: a third of one page of 57.
const GAIN: f64 = 0.005;

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("which file of pages?")?;
    let samples: Vec<Sample> = std::fs::read_to_string(path)?
        .lines()
        .map(serde_json::from_str)
        .collect::<Result<_, _>>()?;
    let pages: Vec<(Page<'_>, Vec<String>)> = samples
        .iter()
        .map(|sample| (Page::new("", &sample.html), words(&sample.gold)))
        .collect();

    let mut parameters = start();
    let mut best = mean_f1(&pages, &parameters);
    println!("{best:.4} {:22} of {} pages", "start", pages.len());
    loop {
        let before = best;
        for grid in &GRIDS {
            for value in grid.values {
                let mut changed = parameters.clone();
                (grid.set)(&mut changed, *value);
                let f1 = mean_f1(&pages, &changed);
                if f1 > best + GAIN {
                    let was = (grid.get)(&parameters);
                    println!("{f1:.4} {:22} {was} -> {value}", grid.name);
                    (best, parameters) = (f1, changed);
                }
            }
        }
        if best == before {
            break;
        }
    }
    println!("{parameters:#?}");
    let all = NceParameters {
        leaf_chars: usize::MAX,
        block_distance: 0,
        ..start()
    };
    println!("{:.4} if the whole page is kept", mean_f1(&pages, &all));
    let fitted = mean_f1(&pages, &NceParameters::FITTED);
    println!("{fitted:.4} with the constants of the crate");
    Ok(())
}

/// The start: round values, and the paper's value for the link densities.
fn start() -> NceParameters {
    NceParameters {
        leaf_chars: 80,
        separator_chars: 400,
        sibling_chars: 200,
        sibling_link_density: 0.4,
        kept_link_density: 0.4,
        remove_comments: true,
        block_words_min: 4,
        block_words_max: 30,
        block_distance: 60,
        block_similarity: 0.7,
        title_words_min: 2,
        title_words_max: 20,
        title_overlap: 0.6,
    }
}

fn mean_f1(pages: &[(Page<'_>, Vec<String>)], parameters: &NceParameters) -> f64 {
    let nce = Nce::new(parameters.clone());
    let site = Site::default();
    let sum: f64 = pages
        .iter()
        .map(|(page, gold)| match nce.extract(page, &site) {
            Ok(extraction) => f1(&words(&extraction.text), gold),
            Err(_) => f1(&[], gold),
        })
        .sum();
    sum / pages.len() as f64
}

/// The F1 of two bags of words.
fn f1(found: &[String], gold: &[String]) -> f64 {
    let mut bag: HashMap<&str, usize> = HashMap::new();
    for word in gold {
        *bag.entry(word).or_default() += 1;
    }
    let mut common = 0.0;
    for word in found {
        if let Some(count) = bag.get_mut(word.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1.0;
        }
    }
    match found.len() + gold.len() {
        0 => 1.0,
        both => 2.0 * common / both as f64,
    }
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}
