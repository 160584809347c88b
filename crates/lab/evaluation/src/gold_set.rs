//! Gold sets.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use md5::{Digest, Md5};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use site_replay::http_charset;
use url_key::{Blocklist, KeyOptions, Keyer, RuleSet};

use crate::columns::{Columns, Strings};
use crate::{InputError, InputProblem};

/// A page and its gold text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct GoldPage {
    /// Response URL.
    pub url: String,
    /// The content with its title; empty if the page has none.
    pub text: String,
    /// The page's domain, or the URL if it has no domain.
    pub domain: String,
    /// Time of the fetch, in microseconds since 1970, UTC.
    pub fetched_at: Option<i64>,
    /// Title from the feed, if the set has it.
    pub title: Option<String>,
    /// ISO 639-1 code of the language, if the set has it.
    pub lang: Option<String>,
    /// Kind of the page, such as `article` or `forum`, if the set has it.
    pub page_type: Option<String>,
    /// Status of the HTTP response, if the set has it.
    pub http_status: Option<i32>,
    /// Content-Type header, if the set has it.
    pub content_type: Option<String>,
    /// Row in the set, from 0, in the order of its files.
    pub row: usize,
}

impl GoldPage {
    /// Creates a page with a URL and a gold text only. Its domain is formed with the
    /// default options of URL keys.
    pub fn new(url: impl Into<String>, text: impl Into<String>) -> Self {
        Self::keyed_by(DEFAULT_KEYER.as_ref(), url.into(), text.into())
    }

    fn keyed_by(keyer: Option<&Keyer>, url: String, text: String) -> Self {
        Self {
            domain: (keyer.and_then(|keyer| domain(keyer, &url))).unwrap_or_else(|| url.clone()),
            url,
            text,
            fetched_at: None,
            title: None,
            lang: None,
            page_type: None,
            http_status: None,
            content_type: None,
            row: 0,
        }
    }
}

/// A page as it was fetched.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Fetched<'a> {
    /// Response URL.
    pub url: &'a str,
    /// The page; `None` if the set has no HTML of it.
    pub html: Option<&'a [u8]>,
    /// Charset that HTTP declared, if the set has it.
    pub http_charset: Option<&'a str>,
    /// Row in the set, from 0, in the order of its files.
    pub row: usize,
}

/// Parquet files with the columns `url` and `gold_text` and, optionally, `fetched_at`,
/// `title`, `lang`, `page_type`, `html`, `http_charset`, `http_status` and `content_type`.
#[derive(Clone, Debug)]
pub struct GoldSet {
    name: String,
    files: Vec<PathBuf>,
}

impl GoldSet {
    /// Names the set in a file. Nothing is read yet.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        Self {
            name: stem(&path),
            files: vec![path],
        }
    }

    /// Finds the sets at `path`, by name. A file is one set. In a folder, each `.parquet`
    /// file is one set. A folder with such files only in folders below it
    /// (`date=2011-10-24/…`) is one set.
    ///
    /// # Errors
    /// [`InputError`], also without any Parquet file.
    pub fn at(path: &Path) -> Result<Vec<Self>, InputError> {
        let failed = |problem| InputError {
            path: path.to_owned(),
            problem,
        };
        if !path.is_dir() {
            return Ok(vec![Self::file(path)]);
        }
        let (files, mut folders) = entries(path).map_err(|error| failed(error.into()))?;
        if !files.is_empty() {
            return Ok(files.into_iter().map(Self::file).collect());
        }
        let mut below = Vec::new();
        while let Some(folder) = folders.pop() {
            let (files, more) = entries(&folder).map_err(|error| failed(error.into()))?;
            below.extend(files);
            folders.extend(more);
        }
        below.sort();
        if below.is_empty() {
            return Err(failed(InputProblem::Empty));
        }
        Ok(vec![Self {
            name: stem(path),
            files: below,
        }])
    }

    /// Returns the name of the set: the name of its file without the extension, or of its
    /// folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the pages without their HTML, in the order of (`fetched_at`, URL, row).
    /// Domains are formed with the default options of URL keys.
    ///
    /// # Errors
    /// [`InputError`], naming file, row and reason.
    pub fn pages(&self) -> Result<Vec<GoldPage>, InputError> {
        self.read_pages(DEFAULT_KEYER.as_ref())
    }

    /// Like [`pages`](Self::pages), with the domains of `keyer`.
    ///
    /// # Errors
    /// [`InputError`], naming file, row and reason.
    pub fn pages_keyed_by(&self, keyer: &Keyer) -> Result<Vec<GoldPage>, InputError> {
        self.read_pages(Some(keyer))
    }

    fn read_pages(&self, keyer: Option<&Keyer>) -> Result<Vec<GoldPage>, InputError> {
        let mut pages = Vec::new();
        self.read(
            &[
                "url",
                "gold_text",
                "fetched_at",
                "title",
                "lang",
                "page_type",
                "http_status",
                "content_type",
            ],
            |columns| {
                let (urls, texts) = (columns.text("url")?, columns.text("gold_text")?);
                let (titles, langs) = (columns.text("title")?, columns.text("lang")?);
                let page_types = columns.text("page_type")?;
                let times = columns.times("fetched_at")?;
                let statuses = columns.numbers("http_status")?;
                let content_types = columns.text("content_type")?;
                let required = |name, column: &Option<_>| match column {
                    Some(_) => Ok(()),
                    None => Err(InputProblem::Column(name)),
                };
                required("url", &urls)?;
                required("gold_text", &texts)?;
                for row in 0..columns.batch.num_rows() {
                    let value = |column: &Option<Strings>| column.as_ref()?.value(row);
                    let url = value(&urls).ok_or(InputProblem::Url(pages.len()))?;
                    let text = value(&texts).unwrap_or_default();
                    pages.push(GoldPage {
                        fetched_at: times.as_ref().and_then(|times| times.value(row)),
                        title: value(&titles),
                        lang: value(&langs),
                        page_type: value(&page_types),
                        http_status: statuses.as_ref().and_then(|status| status.value(row)),
                        content_type: value(&content_types),
                        row: pages.len(),
                        ..GoldPage::keyed_by(keyer, url, text)
                    });
                }
                Ok(())
            },
        )?;
        // The sort is stable: pages of one time and URL stay in the order of the file.
        pages.sort_by(|one, other| (one.fetched_at, &one.url).cmp(&(other.fetched_at, &other.url)));
        Ok(pages)
    }

    /// Calls `each` with every page, in the order of the files.
    ///
    /// # Errors
    /// [`InputError`], also if the set has no column `html`.
    pub fn for_each_fetched(&self, mut each: impl FnMut(Fetched<'_>)) -> Result<(), InputError> {
        let mut rows = 0;
        let names = ["url", "html", "http_charset", "content_type"];
        self.read(&names, |columns| {
            let urls = columns.text("url")?.ok_or(InputProblem::Column("url"))?;
            let html = columns.bytes("html")?.ok_or(InputProblem::Column("html"))?;
            let charsets = columns.text("http_charset")?;
            let content_types = columns.text("content_type")?;
            for row in 0..columns.batch.num_rows() {
                let value = |column: &Option<Strings>| column.as_ref()?.value(row);
                let url = urls.value(row).ok_or(InputProblem::Url(rows))?;
                let (charset, content_type) = (value(&charsets), value(&content_types));
                each(Fetched {
                    url: &url,
                    html: html.value(row),
                    http_charset: http_charset(charset.as_deref(), content_type.as_deref()),
                    row: rows,
                });
                rows += 1;
            }
            Ok(())
        })
    }

    /// Returns the MD5 of URLs, gold texts and HTML in the order of the files, as 32 hex
    /// digits. It depends on the pages only, not on the encoding of the files.
    ///
    /// # Errors
    /// [`InputError`].
    pub fn digest(&self) -> Result<String, InputError> {
        let mut digest = Md5::new();
        let mut add = |bytes: &[u8]| {
            digest.update((bytes.len() as u64).to_le_bytes());
            digest.update(bytes);
        };
        self.read(&["url", "gold_text", "html"], |columns| {
            let (urls, texts) = (columns.text("url")?, columns.text("gold_text")?);
            let html = columns.bytes("html")?;
            for row in 0..columns.batch.num_rows() {
                for column in [&urls, &texts] {
                    let value = column.as_ref().and_then(|column| column.value(row));
                    add(value.unwrap_or_default().as_bytes());
                }
                let html = html.as_ref().and_then(|html| html.value(row));
                add(html.unwrap_or_default());
            }
            Ok(())
        })?;
        Ok(hex::encode(digest.finalize()))
    }

    fn read(
        &self,
        columns: &[&str],
        mut each: impl FnMut(&Columns<'_>) -> Result<(), InputProblem>,
    ) -> Result<(), InputError> {
        for file in &self.files {
            batches(file, columns, &mut each).map_err(|problem| InputError {
                path: file.clone(),
                problem,
            })?;
        }
        Ok(())
    }
}

fn batches(
    file: &Path,
    columns: &[&str],
    each: &mut dyn FnMut(&Columns<'_>) -> Result<(), InputProblem>,
) -> Result<(), InputProblem> {
    /// Rows of a batch. A page can have megabytes; more rows take more memory.
    const ROWS: usize = 64;
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(file)?)?;
    let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
    let reader = builder
        .with_projection(mask)
        .with_batch_size(ROWS)
        .build()?;
    for batch in reader {
        each(&Columns { batch: &batch? })?;
    }
    Ok(())
}

pub(crate) fn stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default();
    stem.to_string_lossy().into_owned()
}

/// Returns the `.parquet` files and the folders in a folder, by name.
fn entries(folder: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), std::io::Error> {
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|end| end == "parquet") {
            files.push(path);
        }
    }
    files.sort();
    Ok((files, folders))
}

/// Returns the URLs of at most `count` pages of each domain, spread evenly over its
/// stream. The first page is one of them.
pub fn evenly(pages: &[GoldPage], count: usize) -> HashSet<&str> {
    let mut domains: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for page in pages {
        domains.entry(&page.domain).or_default().push(&page.url);
    }
    (domains.into_values())
        .flat_map(|urls| {
            let count = count.min(urls.len());
            (0..count).map(move |number| urls[number * urls.len() / count])
        })
        .collect()
}

/// Forms domains by the public suffix list.
static DEFAULT_KEYER: LazyLock<Option<Keyer>> = LazyLock::new(|| {
    let options = KeyOptions::default();
    Keyer::new(options, RuleSet::empty(), Blocklist::default()).ok()
});

fn domain(keyer: &Keyer, url: &str) -> Option<String> {
    let page = keyer.parse(url).ok()?;
    Some(keyer.key(&page, None).domain.as_str().to_owned())
}
