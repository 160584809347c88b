//! What an extractor made of pages.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use arrow::array::RecordBatch;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde::Deserialize;

use crate::columns::Columns;
use crate::{InputError, InputProblem, LabelledBlocks};

/// What was made of one page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Text {
    /// The text, or why there is none.
    pub text: Result<String, String>,
    /// Processor time, where it was measured.
    pub cpu_seconds: Option<f64>,
    /// The blocks of the page, where the text was made of some.
    pub blocks: Option<LabelledBlocks>,
}

impl Text {
    /// A text.
    pub fn of(text: impl Into<String>) -> Self {
        Self {
            text: Ok(text.into()),
            cpu_seconds: None,
            blocks: None,
        }
    }

    /// The same, with the processor time it took.
    pub(crate) fn taking(self, seconds: f64) -> Self {
        Self {
            cpu_seconds: Some(seconds),
            ..self
        }
    }

    /// The content among the blocks of a page, a block per line.
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

    /// A failure.
    pub fn failed(reason: impl Into<String>) -> Self {
        Self {
            text: Err(reason.into()),
            cpu_seconds: None,
            blocks: None,
        }
    }
}

/// Whose texts are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The URL Tree under one of its heuristics.
    Heuristic,
    /// A method of the literature, from the crate `extractors`.
    Published,
    /// Another program, run by its adapter.
    Peer,
    /// Texts that were there already.
    Given,
}

impl Kind {
    /// The name of the kind in tables.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Heuristic => "heuristic",
            Kind::Published => "published",
            Kind::Peer => "peer",
            Kind::Given => "given",
        }
    }
}

/// What one extractor made of many pages, by URL.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Texts {
    /// Name of the extractor.
    pub extractor: String,
    /// What it is.
    pub kind: Kind,
    /// Its version, where it is known.
    pub version: Option<String>,
    by_url: HashMap<String, Text>,
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
    /// No texts yet, to be given.
    pub fn of(extractor: impl Into<String>) -> Self {
        Self::by(Kind::Given, extractor)
    }

    /// No texts yet, of an extractor of this kind.
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

    /// Adds what was made of a page. Of several for one URL the first stays: a URL
    /// that is there twice is a page and its duplicate.
    pub fn insert(&mut self, url: impl Into<String>, text: Text) {
        self.by_url.entry(url.into()).or_insert(text);
    }

    /// What was made of the page at `url`.
    pub fn get(&self, url: &str) -> Option<&Text> {
        self.by_url.get(url)
    }

    /// How many pages it has a word about.
    pub fn len(&self) -> usize {
        self.by_url.len()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.by_url.is_empty()
    }

    /// The texts in a file: Parquet with the columns `url` and `text`, or, where its
    /// name does not end in `.parquet`, JSON Lines with `url` and one of `text` and
    /// `error`, and `cpu_seconds`, if that was measured.
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

    /// Adds the rows of a table with the columns `url` and `text`. A row without a
    /// text is a page of which nothing was extracted.
    ///
    /// # Errors
    /// Where a column is missing or holds no texts.
    pub fn extend(&mut self, rows: &RecordBatch) -> Result<(), InputProblem> {
        let columns = Columns { batch: rows };
        let urls = columns.text("url")?.ok_or(InputProblem::Column("url"))?;
        let texts = columns.text("text")?.ok_or(InputProblem::Column("text"))?;
        for row in 0..rows.num_rows() {
            if let Some(url) = urls.value(row) {
                self.insert(url, Text::of(texts.value(row).unwrap_or_default()));
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
            };
            self.insert(line.url, text);
        }
        Ok(())
    }
}
