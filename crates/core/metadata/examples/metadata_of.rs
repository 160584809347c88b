//! Prints the metadata of pages as JSON Lines.
//!
//! ```sh
//! cargo run -p urltree-metadata --example metadata_of -- PAGES.tsv
//! ```
//!
//! A line of `PAGES.tsv` is a file, the URL it was fetched from, and the day of the fetch.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::fs;
use std::process::ExitCode;

use html_blocks::{BlockOptions, page_with};
use metadata::{Found, Metadata, MetadataReader};
use serde_json::{Value, json};

fn main() -> ExitCode {
    let Some(list) = std::env::args().nth(1) else {
        eprintln!("usage: metadata_of PAGES.tsv");
        return ExitCode::FAILURE;
    };
    let lines = match fs::read_to_string(&list) {
        Ok(lines) => lines,
        Err(error) => {
            eprintln!("{list}: {error}");
            return ExitCode::FAILURE;
        }
    };
    for line in lines.lines() {
        match of(line) {
            Ok(value) => println!("{value}"),
            Err(error) => eprintln!("{line}: {error}"),
        }
    }
    ExitCode::SUCCESS
}

fn of(line: &str) -> Result<Value, String> {
    let mut fields = line.split('\t');
    let (Some(file), Some(url), Some(day)) = (fields.next(), fields.next(), fields.next()) else {
        return Err("a line is a file, a URL and a day".into());
    };
    let bytes = fs::read(file).map_err(|error| error.to_string())?;
    let day = day
        .parse()
        .map_err(|_| "the day is not a date".to_owned())?;
    let read = page_with(
        &bytes,
        None,
        &BlockOptions::default(),
        MetadataReader::default(),
    );
    let (_, reader) = read.map_err(|error| error.to_string())?;
    let Metadata {
        published_at,
        modified_at,
        author,
        site_name,
        description,
        canonical_url,
        image,
        licence,
        html_lang,
        ..
    } = reader.finish(url, day);
    Ok(json!({
        "url": url,
        "published_at": found(published_at),
        "modified_at": found(modified_at),
        "author": found(author),
        "site_name": found(site_name),
        "description": found(description),
        "canonical_url": found(canonical_url),
        "image": found(image),
        "licence": found(licence),
        "html_lang": html_lang,
    }))
}

/// A value and its source.
fn found<T: ToString>(found: Option<Found<T>>) -> Value {
    found.map_or(Value::Null, |found| {
        json!([found.value.to_string(), found.source.as_str()])
    })
}
