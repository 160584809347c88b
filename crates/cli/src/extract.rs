//! `urltree extract`.

use anyhow::{Context, Result};
use extractors::{Page, Site};

use crate::args::ExtractArgs;
use crate::usage::Usage;

/// What an extractor finds in files, one after the other.
pub(crate) fn extract(args: &ExtractArgs) -> Result<String> {
    let method = extractors::by_name(&args.with).map_err(Usage::of)?;
    let mut pages = Vec::new();
    for file in &args.files {
        let bytes = std::fs::read(file).with_context(|| format!("{}", file.display()))?;
        let html =
            html_blocks::decode(&bytes, None).with_context(|| format!("{}", file.display()))?;
        let absolute = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        pages.push((format!("file://{}", absolute.display()), html));
    }
    let site = Site::new(
        (pages.iter())
            .map(|(url, html)| Page::new(url, html))
            .collect(),
    );
    let mut text = String::new();
    for (file, page) in args.files.iter().zip(site.pages()) {
        let extraction = method.extract(page, &site);
        let extraction = extraction.with_context(|| format!("{}", file.display()))?;
        if args.files.len() > 1 {
            text.push_str(&format!("==> {} <==\n", file.display()));
        }
        text.push_str(&extraction.text);
        text.push('\n');
    }
    Ok(text)
}
