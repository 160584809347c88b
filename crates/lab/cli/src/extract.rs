//! The command `extract`.

use std::path::Path;

use anyhow::{Context, Result};
use extractors::{Extraction, Page, Site};
use serde_json::json;

use crate::args::{ExtractArgs, TextFormat};
use crate::usage::Usage;

/// Returns the text that an extractor finds in each file.
pub(crate) fn extract(args: &ExtractArgs) -> Result<String> {
    let selected = extractors::select_one(&args.extractor).map_err(Usage::of)?;
    let method = selected.extractor();
    let mut pages = Vec::new();
    for file in &args.files {
        let bytes = std::fs::read(file).with_context(|| file.display().to_string())?;
        let html = html_blocks::decode(&bytes, None).with_context(|| file.display().to_string())?;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        pages.push((format!("file://{}", absolute.display()), html));
    }
    let site = Site::new(
        (pages.iter())
            .map(|(url, html)| Page::new(url, html))
            .collect(),
    );
    let mut text = String::new();
    for ((file, (url, _)), page) in args.files.iter().zip(&pages).zip(site.pages()) {
        let extraction = method.extract(page, &site);
        let extraction = extraction.with_context(|| file.display().to_string())?;
        text.push_str(&match args.format {
            TextFormat::Json => line(url, &extraction),
            TextFormat::Text if pages.len() > 1 => with_file_name(file, &extraction),
            TextFormat::Text => extraction.text,
        });
        text.push('\n');
    }
    Ok(text)
}

/// Formats one line of JSON, which `eval --texts` can read.
fn line(url: &str, extraction: &Extraction) -> String {
    json!({
        "url": url,
        "text": extraction.text,
        "title": extraction.title,
        "words": extraction.words,
        "nodes": extraction.nodes,
    })
    .to_string()
}

fn with_file_name(file: &Path, extraction: &Extraction) -> String {
    format!("==> {} <==\n{}", file.display(), extraction.text)
}
