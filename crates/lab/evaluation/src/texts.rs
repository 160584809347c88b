//! The texts that an extractor made of pages.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use arrow::array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Deserialize;

use crate::columns::Columns;
use crate::{InputError, InputProblem, LabelledBlocks, NodeRanges};

/// The text of one page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Text {
    /// The text, or the reason why there is none.
    pub text: Result<String, String>,
    /// Processor time in seconds, if it was measured.
    pub cpu_seconds: Option<f64>,
    /// The blocks of the page, if the text was made of blocks.
    pub blocks: Option<LabelledBlocks>,
    /// The nodes of the page that the extractor kept, if it names them.
    pub kept: Option<NodeRanges>,
}

impl Text {
    /// Creates a text.
    pub fn of(text: impl Into<String>) -> Self {
        Self {
            text: Ok(text.into()),
            cpu_seconds: None,
            blocks: None,
            kept: None,
        }
    }

    /// Returns the text with its processor time.
    pub(crate) fn taking(self, seconds: f64) -> Self {
        Self {
            cpu_seconds: Some(seconds),
            ..self
        }
    }

    /// Joins the content blocks of a page, one per line.
    pub(crate) fn of_blocks(blocks: LabelledBlocks) -> Self {
        let labelled = blocks.texts.iter().zip(&blocks.reasons);
        let content: Vec<&str> = (labelled.filter(|(_, reason)| reason.is_content()))
            .map(|(text, _)| text.as_str())
            .collect();
        let text = Self::of(content.join("\n"));
        Self {
            blocks: Some(blocks),
            ..text
        }
    }

    /// Creates a failure.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            text: Err(reason.into()),
            cpu_seconds: None,
            blocks: None,
            kept: None,
        }
    }
}

/// The kind of an extractor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The URL Tree under one of its heuristics.
    Heuristic,
    /// A method of the literature, from the crate `extractors`.
    Published,
    /// A program of another project, run by its adapter.
    Peer,
    /// Texts from a file or a table.
    Given,
}

impl Kind {
    /// Returns the name of the kind in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Heuristic => "heuristic",
            Kind::Published => "published",
            Kind::Peer => "peer",
            Kind::Given => "given",
        }
    }
}

/// The texts of one extractor, by URL and time of fetch.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Texts {
    /// The name of the extractor.
    pub extractor: String,
    /// The kind of the extractor.
    pub kind: Kind,
    /// The version of the extractor, if it is known.
    pub version: Option<String>,
    by_url: HashMap<String, Vec<FetchedText>>,
}

/// A text of a URL.
#[derive(Clone, Debug)]
struct FetchedText {
    /// Time of the fetch in microseconds since 1970; `None` if the text belongs to the URL
    /// at any time.
    fetched_at: Option<i64>,
    text: Text,
}

/// A line of JSON.
#[derive(Deserialize)]
struct Line {
    url: String,
    text: Option<String>,
    error: Option<String>,
    cpu_seconds: Option<f64>,
}

impl Texts {
    /// Creates an empty set of texts that come from a file or a table.
    pub fn of(extractor: impl Into<String>) -> Self {
        Self::by(Kind::Given, extractor)
    }

    /// Creates an empty set of texts of an extractor of this kind.
    pub(crate) fn by(kind: Kind, extractor: impl Into<String>) -> Self {
        Self {
            extractor: extractor.into(),
            kind,
            version: match kind {
                Kind::Heuristic | Kind::Published => {
                    Some(concat!("urltree ", env!("CARGO_PKG_VERSION")).to_owned())
                }
                Kind::Peer | Kind::Given => None,
            },
            by_url: HashMap::new(),
        }
    }

    /// Adds the text of a URL at any time. If a URL is given twice, the first text stays.
    pub fn insert(&mut self, url: impl Into<String>, text: Text) {
        self.insert_fetched(url, None, text);
    }

    /// Adds the text of the page that was fetched from `url` at a time, in microseconds
    /// since 1970. If a page is given twice, the first text stays.
    pub fn insert_fetched(&mut self, url: impl Into<String>, fetched_at: Option<i64>, text: Text) {
        let texts = self.by_url.entry(url.into()).or_default();
        if texts.iter().all(|known| known.fetched_at != fetched_at) {
            texts.push(FetchedText { fetched_at, text });
        }
    }

    /// Returns the first text of `url`.
    pub fn get(&self, url: &str) -> Option<&Text> {
        Some(&self.by_url.get(url)?.first()?.text)
    }

    /// Returns the text of the page that was fetched from `url` at a time, else the text
    /// of `url` that has no time.
    pub fn get_fetched(&self, url: &str, fetched_at: Option<i64>) -> Option<&Text> {
        let texts = self.by_url.get(url)?;
        let at = |time| texts.iter().find(|text| text.fetched_at == time);
        Some(&at(fetched_at).or_else(|| at(None))?.text)
    }

    /// Returns the number of URLs with a text.
    pub fn len(&self) -> usize {
        self.by_url.len()
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }

    /// Reads the texts in a file. A file whose name ends in `.parquet` has the columns of
    /// [`extend`](Self::extend); any other file is JSON Lines with `url`, one of `text` and
    /// `error`, and optionally `cpu_seconds`.
    ///
    /// # Errors
    /// [`InputError`], naming file, line and reason.
    pub fn read(extractor: &str, path: &Path) -> Result<Self, InputError> {
        let mut texts = Self::of(extractor);
        let read = match path.extension() {
            Some(end) if end == "parquet" => texts.read_parquet(path),
            _ => texts.read_lines(path),
        };
        read.map_err(|problem| InputError {
            path: path.to_owned(),
            problem,
        })?;
        Ok(texts)
    }

    fn read_parquet(&mut self, path: &Path) -> Result<(), InputProblem> {
        let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
        for batch in builder.build()? {
            self.extend(&batch?)?;
        }
        Ok(())
    }

    /// Adds the rows of a table with the columns `url` and `text` and, optionally,
    /// `fetched_at`. A null text is the empty text.
    ///
    /// # Errors
    /// [`InputProblem`] if a column is missing or has another type.
    pub fn extend(&mut self, rows: &RecordBatch) -> Result<(), InputProblem> {
        let columns = Columns { batch: rows };
        let urls = columns.text("url")?.ok_or(InputProblem::Column("url"))?;
        let texts = columns.text("text")?.ok_or(InputProblem::Column("text"))?;
        let times = columns.times("fetched_at")?;
        for row in 0..rows.num_rows() {
            if let Some(url) = urls.value(row) {
                let fetched_at = times.as_ref().and_then(|times| times.value(row));
                let text = Text::of(texts.value(row).unwrap_or_default());
                self.insert_fetched(url, fetched_at, text);
            }
        }
        Ok(())
    }

    fn read_lines(&mut self, path: &Path) -> Result<(), InputProblem> {
        for (number, line) in (1..).zip(BufReader::new(File::open(path)?).lines()) {
            let line = line?;
            if line.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(&line).map_err(|source| InputProblem::Line {
                line: number,
                source,
            })?;
            let text = match (line.text, line.error) {
                (_, Some(error)) => Err(error),
                (text, None) => Ok(text.unwrap_or_default()),
            };
            let cpu_seconds = line.cpu_seconds;
            let text = Text {
                text,
                cpu_seconds,
                blocks: None,
                kept: None,
            };
            self.insert(line.url, text);
        }
        Ok(())
    }
}
