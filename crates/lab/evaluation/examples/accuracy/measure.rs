//! Replays the gold sets and scores their pages.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use evaluation::{Cause, GoldPage, GoldSet, Text, Texts, evenly, replay};
use scoring::{Outcome, Tokens, Vocabulary, lcs};
use site_replay::{Labelling, SiteSettings};
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};
use url_tree::Heuristic;

use crate::kinds;
use crate::row::Row;

/// The URL rules that a job has by default.
const RULES: &str = include_str!("../../../../../jobs/rules/url-keys.tsv");

/// Pages of a site that are replayed. Higher: the longest stream takes minutes.
const PAGES: usize = 1000;
/// Pages of a site that are scored, spread evenly over the pages that are replayed.
const SCORED: usize = 120;

/// The folders of gold sets.
const FOLDERS: [&str; 5] = ["field", "field/hard", "field/sites", "pages", "streams"];

/// Measures all pages of the sets below `data` whose path has the text `only`. The rows are in
/// the order of the sets and pages.
pub(crate) fn rows(data: &Path, only: Option<&str>) -> Result<Vec<Row>, String> {
    let mut sets: Vec<(&str, PathBuf)> = Vec::new();
    for folder in FOLDERS {
        let path = data.join(folder);
        let Ok(entries) = std::fs::read_dir(&path) else {
            eprintln!("accuracy: {} is missing", path.display());
            continue;
        };
        let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let is_set = |path: &PathBuf| path.extension().is_some_and(|end| end == "parquet");
        sets.extend(files.filter(is_set).map(|path| (folder, path)));
    }
    sets.retain(|(_, path)| only.is_none_or(|only| path.to_string_lossy().contains(only)));
    sets.sort();
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((folder, path)) = sets.get(at) else {
                        break;
                    };
                    let rows = rows_of_set(folder, path);
                    done.lock().expect("no thread panics").push((at, rows));
                }
            });
        }
    });
    let mut done = done.into_inner().expect("no thread panics");
    done.sort_by_key(|(at, _)| *at);
    let mut rows = Vec::new();
    for (_, of_set) in done {
        rows.extend(of_set?);
    }
    Ok(rows)
}

fn rows_of_set(folder: &str, path: &Path) -> Result<Vec<Row>, String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let set = GoldSet::file(path);
    let folder = folder.trim_start_matches("field/");
    let mut pages = set.pages().map_err(|error| failed(&error))?;
    if kinds::is_one_site(folder) {
        pages.truncate(PAGES);
        for page in &mut pages {
            set.name().clone_into(&mut page.domain);
        }
    }
    let labellings = [Labelling::Template, Labelling::Tree(Heuristic::default())];
    let settings = settings().map_err(|error| failed(&error))?;
    let texts = replay(&set, &pages, &labellings, &settings).map_err(|error| failed(&error))?;
    let [template, strict] = &texts[..] else {
        return Err(failed(&"a replay has a text for each labelling"));
    };
    let scored = evenly(&pages, SCORED);
    let wanted = pages
        .iter()
        .filter(|page| scored.contains(page.url.as_str()));
    let row = |page: &GoldPage| {
        let text = text(template, page);
        let blocks = text.and_then(|text| text.blocks.as_ref());
        let causes = blocks.map(|blocks| Cause::all(&page.text, blocks, Tokens::Unicode));
        let site = match kinds::is_one_site(folder) {
            true => set.name().to_owned(),
            false => format!("{}/{}", set.name(), page.domain),
        };
        let (page_type, lang) = (page.page_type.as_deref(), page.lang.as_deref());
        Some(Row {
            kind: kinds::kind(folder, set.name(), page_type, lang),
            site,
            url: page.url.clone(),
            f1: f1(page, text)?,
            strict: f1(page, self::text(strict, page))?,
            wrong: causes.unwrap_or_default().iter().map(wrong).collect(),
        })
    };
    Ok(wanted.filter_map(row).collect())
}

fn text<'t>(texts: &'t Texts, page: &GoldPage) -> Option<&'t Text> {
    texts.get_fetched(&page.url, page.fetched_at)
}

/// Returns the defaults of a job.
fn settings() -> Result<SiteSettings, Box<dyn std::error::Error>> {
    let rules = RuleSet::parse(RULES)?;
    let keyer = Keyer::new(KeyOptions::default(), rules, Blocklist::default())?;
    Ok(SiteSettings::new(keyer))
}

/// Returns F1 of a page; `None` if it does not count because it has no gold.
fn f1(page: &GoldPage, text: Option<&Text>) -> Option<f64> {
    let mut vocabulary = Vocabulary::default();
    let gold = vocabulary.words(&page.text, Tokens::Unicode);
    let outcome = match text.map(|text| &text.text) {
        Some(Ok(text)) => lcs(&gold, &vocabulary.words(text, Tokens::Unicode)).outcome(),
        _ => Outcome::failed(&gold),
    };
    outcome.counted().map(|score| score.f1)
}

/// Returns the name of a cause and its words.
fn wrong(cause: &Cause) -> (String, usize) {
    let name = match cause {
        Cause::Dropped { reason, .. } => format!("drops:{}", reason.as_str()),
        Cause::Kept { reason, .. } => format!("keeps:{}", reason.as_str()),
        Cause::InNoBlock { .. } => "lacks".to_owned(),
    };
    (name, cause.words())
}
