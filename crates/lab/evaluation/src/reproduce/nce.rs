//! The table and the ablation of Laber et al. [N 4].

use std::collections::{BTreeMap, HashMap};

use arrow::array::RecordBatch;
use scoring::Score;

use extractors::{Page, PageNodes};

use super::{mean, rounded};
use crate::table::Table;
use crate::{GoldPage, GoldSet, InputError, Kind, Measured, PageResult, Text, Texts};

/// The name of the texts of [`all_text`].
pub const ALL_TEXT: &str = "all text";

/// Returns the whole visible text of the `wanted` pages: "a method that returns all the textual
/// content of a webpage" [N 4], whose precision is the share of relevant content.
///
/// # Errors
/// [`InputError`], also if the set has no HTML.
pub fn all_text(
    set: &GoldSet,
    pages: &[GoldPage],
    wanted: impl Fn(&GoldPage) -> bool,
) -> Result<Texts, InputError> {
    let by_row: HashMap<usize, &GoldPage> = (pages.iter())
        .filter(|page| wanted(page))
        .map(|page| (page.row, page))
        .collect();
    let mut texts = Texts::by(Kind::Given, ALL_TEXT);
    set.for_each_fetched(|fetched| {
        let Some(page) = by_row.get(&fetched.row) else {
            return;
        };
        let html = fetched.html.unwrap_or_default();
        let text = match html_blocks::decode(html, fetched.http_charset) {
            Ok(html) => {
                let nodes = PageNodes::of(&Page::new(&page.url, &html));
                let lines: Vec<&str> = nodes.texts().map(|(_, text)| text).collect();
                Text::of(lines.join("\n"))
            }
            Err(error) => Text::failed(error.to_string()),
        };
        texts.insert_fetched(&page.url, page.fetched_at, text);
    })?;
    Ok(texts)
}

/// A site of table 1.
struct Site<'r> {
    name: &'r str,
    pages: usize,
    nce: Option<Score>,
    v_wrapper: Option<Score>,
    all_text: Option<Score>,
}

/// Returns table 1: recall, precision and F1 of `nce` for each site, F1 of `v-wrapper` if it was
/// measured, and the share of relevant content. The last row is of all pages.
pub fn relevance_table(measured: &[Measured]) -> RecordBatch {
    let mut sites: BTreeMap<&str, Vec<&PageResult>> = BTreeMap::new();
    let mut all = Vec::new();
    for page in measured.iter().flat_map(|one| &one.results) {
        sites.entry(&page.domain).or_default().push(page);
        all.push(page);
    }
    let mut rows: Vec<Site<'_>> = (sites.iter())
        .map(|(name, pages)| row_of(name, pages))
        .collect();
    rows.push(row_of("all pages", &all));
    Table::of(&rows)
        .text("site", |row| Some(row.name))
        .count("pages", |row| Some(row.pages))
        .number("recall", |row| Some(rounded(row.nce?.recall)))
        .number("precision", |row| Some(rounded(row.nce?.precision)))
        .number("f1", |row| Some(rounded(row.nce?.f1)))
        .number("f1_v_wrapper", |row| Some(rounded(row.v_wrapper?.f1)))
        .number("relevant", |row| Some(rounded(row.all_text?.precision)))
        .finish()
}

fn row_of<'n>(name: &'n str, results: &[&PageResult]) -> Site<'n> {
    let of = |extractor: &str| {
        let own = results.iter().filter(|page| page.extractor == extractor);
        mean(own)
    };
    Site {
        name,
        pages: results
            .iter()
            .filter(|page| page.extractor == "nce")
            .count(),
        nce: of("nce"),
        v_wrapper: of("v-wrapper"),
        all_text: of(ALL_TEXT),
    }
}

/// Pages of the ablation.
struct Part<'r> {
    name: &'static str,
    with: Vec<&'r PageResult>,
    without: Vec<&'r PageResult>,
}

/// Returns the F1 of the extractor `with` a step and of the one `without`, over the pages on which
/// the two differ and over those on which they do not.
pub fn ablation_table(measured: &[Measured], with: &str, without: &str) -> RecordBatch {
    let results = || measured.iter().flat_map(|one| &one.results);
    let key = |page: &PageResult| (page.set.clone(), page.url.clone(), page.fetched_at);
    let others: HashMap<_, &PageResult> = (results())
        .filter(|page| page.extractor == without)
        .map(|page| (key(page), page))
        .collect();
    let [mut equal, mut different] = ["equal", "different"].map(|name| Part {
        name,
        with: Vec::new(),
        without: Vec::new(),
    });
    for page in results().filter(|page| page.extractor == with) {
        let Some(other) = others.get(&key(page)) else {
            continue;
        };
        let is_equal = page.outcome == other.outcome;
        let part = if is_equal { &mut equal } else { &mut different };
        part.with.push(page);
        part.without.push(other);
    }
    let f1 = |pages: &[&PageResult]| Some(rounded(mean(pages)?.f1));
    Table::of(&[equal, different])
        .text("pages_that_are", |part| Some(part.name))
        .count("pages", |part| Some(part.with.len()))
        .number("f1_with", |part| f1(&part.with))
        .number("f1_without", |part| f1(&part.without))
        .finish()
}
