//! Import of gold sets from the formats in which they are published.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use gold::{GoldError, GoldPage, PairError, pair};
use parquet::errors::ParquetError;
use thiserror::Error;

use crate::table::{Table, write_parquet};

/// The layout of the gold texts of a published set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A folder with one file per page.
    Files(gold::Format),
    /// One JSON file.
    Json,
    /// One file of JSON Lines.
    JsonLines,
}

/// The location of a published set.
#[derive(Clone, Debug)]
pub struct Source {
    /// The folder or file of gold texts.
    pub gold_texts: PathBuf,
    /// The folder of pages, if there is one.
    pub pages: Option<PathBuf>,
    /// The file `url-mapping.txt` of L3S-GN1.
    pub urls: Option<PathBuf>,
}

/// The counts of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Imported {
    /// Number of pages with a gold text.
    pub pages: usize,
    /// Pages without a gold text; they are left out.
    pub without_gold: Vec<String>,
    /// Gold texts without a page; they are in the set, without HTML.
    pub without_page: Vec<String>,
}

/// A set that cannot be imported.
#[derive(Debug, Error)]
pub enum ImportError {
    /// A folder or file cannot be read.
    #[error("{}: {source}", path.display())]
    Read {
        /// The folder or file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A file does not have the format.
    #[error(transparent)]
    Gold(#[from] GoldError),
    /// The names of gold texts and pages do not match.
    #[error(transparent)]
    Pair(#[from] PairError),
    /// The set cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The path.
        path: PathBuf,
        /// The cause.
        source: ParquetError,
    },
}

/// Writes a set as Parquet with the columns `url`, `gold_text`, `title`, `lang`,
/// `http_charset` and `html`; the HTML is unchanged. A page without a URL in the set gets
/// `id:` and its name in the set as its URL.
///
/// # Errors
/// [`ImportError`], naming the file and, if there is one, the line.
pub fn import(layout: Layout, source: &Source, output: &Path) -> Result<Imported, ImportError> {
    let mut imported = Imported::default();
    let mut golds = match layout {
        Layout::Files(format) => files(format, source, &mut imported)?,
        Layout::Json => with_pages(gold::json, source, &mut imported)?,
        Layout::JsonLines => with_pages(gold::json_lines, source, &mut imported)?,
    };
    if let Some(path) = &source.urls {
        let bytes = read(path)?;
        let urls = gold::l3s_gn1_urls(file(path, &bytes))?;
        let urls: HashMap<String, String> = urls.into_iter().collect();
        for page in &mut golds {
            page.url = urls.get(&page.id).cloned().or(page.url.take());
        }
    }
    imported.pages = golds.len();
    write_parquet(&table(&golds), output).map_err(|source| ImportError::Write {
        path: output.to_owned(),
        source,
    })?;
    Ok(imported)
}

/// Reads a folder with one file of gold per page.
fn files(
    format: gold::Format,
    source: &Source,
    imported: &mut Imported,
) -> Result<Vec<GoldPage>, ImportError> {
    let golds = names(&source.gold_texts)?;
    let pages = match &source.pages {
        Some(folder) => names(folder)?,
        None => Vec::new(),
    };
    let pairing = pair(strs(&pages), strs(&golds))?;
    imported.without_gold = owned(&pairing.pages_without_gold);
    imported.without_page = owned(&pairing.gold_without_page);
    let mut read_all = Vec::new();
    let mut read_one = |page: Option<&str>, name: &str| -> Result<(), ImportError> {
        let gold_path = source.gold_texts.join(name);
        let gold_bytes = read(&gold_path)?;
        let page = page
            .zip(source.pages.as_ref())
            .map(|(name, folder)| folder.join(name));
        let page_bytes = page.as_deref().map(read).transpose()?;
        let page = page.as_deref().zip(page_bytes.as_deref());
        let page = page.map(|(path, bytes)| file(path, bytes));
        read_all.push(format.read(page, file(&gold_path, &gold_bytes))?);
        Ok(())
    };
    for (page, gold) in &pairing.pairs {
        read_one(Some(page), gold)?;
    }
    for gold in &pairing.gold_without_page {
        read_one(None, gold)?;
    }
    Ok(read_all)
}

/// Reads one file with all gold texts, and their pages.
fn with_pages(
    reader: fn(gold::File<'_>) -> Result<Vec<GoldPage>, GoldError>,
    source: &Source,
    imported: &mut Imported,
) -> Result<Vec<GoldPage>, ImportError> {
    let bytes = read(&source.gold_texts)?;
    let mut golds = reader(file(&source.gold_texts, &bytes))?;
    let Some(folder) = &source.pages else {
        imported.without_page = golds.iter().map(|gold| gold.id.clone()).collect();
        return Ok(golds);
    };
    let pages = names(folder)?;
    let ids: Vec<String> = golds.iter().map(|gold| gold.id.clone()).collect();
    let pairing = pair(strs(&pages), strs(&ids))?;
    imported.without_gold = owned(&pairing.pages_without_gold);
    imported.without_page = owned(&pairing.gold_without_page);
    let page_of: HashMap<&str, &str> = pairing
        .pairs
        .iter()
        .map(|(page, gold)| (*gold, *page))
        .collect();
    for gold in &mut golds {
        if let Some(page) = page_of.get(gold.id.as_str()) {
            gold.html = Some(read(&folder.join(page))?);
        }
    }
    Ok(golds)
}

fn read(path: &Path) -> Result<Vec<u8>, ImportError> {
    std::fs::read(path).map_err(|source| ImportError::Read {
        path: path.to_owned(),
        source,
    })
}

/// Returns the files of a folder by their names without the path.
fn file<'f>(path: &'f Path, bytes: &'f [u8]) -> gold::File<'f> {
    let name = path.file_name().and_then(|name| name.to_str());
    gold::File {
        name: name.unwrap_or_default(),
        bytes,
    }
}

/// Returns the names of the files in a folder, sorted, without hidden files.
fn names(folder: &Path) -> Result<Vec<String>, ImportError> {
    let failed = |source| ImportError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_file() && !name.starts_with('.') {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn strs(names: &[String]) -> impl Iterator<Item = &str> {
    names.iter().map(String::as_str)
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn table(pages: &[GoldPage]) -> RecordBatch {
    let url = |page: &GoldPage| {
        let known = page.url.clone();
        known.unwrap_or_else(|| format!("id:{}", page.id))
    };
    Table::of(pages)
        .text("url", |page| Some(url(page)))
        .text("gold_text", |page| Some(&page.text))
        .text("title", |page| page.title.as_ref())
        .text("lang", |page| page.lang.as_ref())
        .text("http_charset", |page| page.charset)
        .bytes("html", |page| page.html.as_deref())
        .finish()
}
