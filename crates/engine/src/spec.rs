//! The job spec: a TOML file and the `--set` overrides on top of it, as typed
//! values. Nothing is opened here; [`crate::Job`] does that.

use std::path::{Path, PathBuf};

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};
use toml::{Table, Value};

/// What a job file may say. Every section but `archive` and `output` may be
/// left out; every default is the published method.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct JobSpec {
    /// Where the pages are.
    pub archive: ArchiveSpec,
    /// Where the tables go.
    pub output: OutputSpec,
    /// How pages get their key.
    #[serde(default)]
    pub url_key: UrlKeySpec,
    /// What a site is.
    #[serde(default)]
    pub domain: DomainSpec,
    /// What a duplicate is.
    #[serde(default)]
    pub dedup: DedupSpec,
    /// How a page is cut into text blocks.
    #[serde(default)]
    pub blocks: BlocksSpec,
    /// How text blocks are labelled.
    #[serde(default)]
    pub tree: TreeSpec,
    /// What the trees remember.
    #[serde(default)]
    pub window: WindowSpec,
    /// What is too large.
    #[serde(default)]
    pub limits: LimitsSpec,
    /// What the run may use.
    #[serde(default)]
    pub run: RunSpec,
}

/// `[archive]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ArchiveSpec {
    /// A Parquet file, a folder of them, or a URL of either.
    pub location: String,
    /// What folders mean.
    #[serde(default)]
    pub layout: ArchiveLayout,
    /// Names of columns, where they are not the usual ones.
    #[serde(default)]
    pub columns: ColumnNames,
}

/// `archive.layout`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveLayout {
    /// Nothing: any row may be in any file.
    #[default]
    Any,
    /// Rows of a date are in the folder `date=YYYY-MM-DD`, and only its files
    /// are opened.
    Date,
}

/// `[archive.columns]`: the name of each column in the archive. The optional
/// ones are used where a column of the usual name is there; one that is named
/// here must be there.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnNames {
    /// Time of the fetch.
    pub fetched_at: Option<String>,
    /// Response URL.
    pub url: Option<String>,
    /// The page.
    pub html: Option<String>,
    /// URL before redirects.
    pub request_url: Option<String>,
    /// Title from the feed.
    pub title: Option<String>,
    /// Content-Type header.
    pub content_type: Option<String>,
    /// Charset of the header.
    pub http_charset: Option<String>,
    /// Status of the response.
    pub http_status: Option<String>,
}

/// `[output]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct OutputSpec {
    /// Folder of the tables.
    pub location: String,
    /// `day`, `month` or `year`.
    #[serde(default = "OutputSpec::default_partition")]
    pub partition: String,
    /// Write the `blocks` table too.
    #[serde(default)]
    pub blocks: bool,
    /// Data files are closed near this size.
    #[serde(default = "OutputSpec::default_file_bytes")]
    pub file_bytes: ByteSize,
}

impl OutputSpec {
    fn default_partition() -> String {
        "day".to_owned()
    }

    fn default_file_bytes() -> ByteSize {
        ByteSize::mb(128)
    }
}

/// `[url_key]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct UrlKeySpec {
    /// Where the title comes from that `_cid_` rules hash.
    pub title: TitleSource,
    /// File of URL rules; the bundled ones where it is left out, none for
    /// `none`.
    pub rules: Option<String>,
    /// File of URL prefixes that are keyed and not replayed.
    pub blacklist: Option<String>,
    /// Are `http` and `https` one page?
    pub scheme: SchemeSpec,
}

/// `url_key.title`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum TitleSource {
    /// The archive's title where it has one, else the page's.
    #[default]
    Auto,
    /// The archive's `title` column: the feed item's, as in the paper.
    Feed,
    /// The page's `<title>`.
    Html,
}

/// `url_key.scheme`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SchemeSpec {
    /// One key for both, written `http`.
    #[default]
    Merge,
    /// Two keys.
    Separate,
}

/// `[domain]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DomainSpec {
    /// `registrable` or `host`.
    pub grouping: GroupingSpec,
    /// Names to treat as public suffixes: `go.com` makes `abcnews.go.com` a
    /// domain.
    pub extra_suffixes: Vec<String>,
}

/// `domain.grouping`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupingSpec {
    /// Public suffix and one label.
    #[default]
    Registrable,
    /// Every host is a domain of its own.
    Host,
}

/// `[dedup]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct DedupSpec {
    /// `all`, `window`, or a number of days such as `30d`.
    pub horizon: String,
    /// Keep duplicates that bring at least 100 characters of unseen text.
    pub revisions: bool,
}

impl Default for DedupSpec {
    fn default() -> Self {
        Self {
            horizon: "all".to_owned(),
            revisions: false,
        }
    }
}

/// `[blocks]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct BlocksSpec {
    /// Which tags end a block.
    pub split: SplitSpec,
    /// What joins the pieces of a block.
    pub joining: JoiningSpec,
}

/// `blocks.split`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SplitSpec {
    /// Every tag that HTML does not lay out inside a line.
    #[default]
    Html,
    /// The list of the authors' code.
    Original,
}

/// `blocks.joining`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum JoiningSpec {
    /// Their own white space: a word broken by inline tags stays one word.
    #[default]
    Tight,
    /// One space, as the authors' code.
    Spaced,
}

/// `[tree]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct TreeSpec {
    /// Name of the labelling heuristic.
    pub heuristic: String,
    /// What is inserted before anything of it is labelled.
    pub batch: Batch,
}

impl Default for TreeSpec {
    fn default() -> Self {
        Self {
            heuristic: "strict".to_owned(),
            batch: Batch::default(),
        }
    }
}

/// `tree.batch`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Batch {
    /// One page: the paper's online setting.
    Page,
    /// A whole UTC day of the domain.
    #[default]
    Date,
    /// Everything in the run's range: full look-ahead.
    Run,
}

/// `[window]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowSpec {
    /// Pages a domain's tree remembers at most.
    pub max_documents: usize,
    /// Older pages are forgotten.
    pub max_age_days: u32,
    /// The most recent pages stay, whatever their age.
    pub min_documents: usize,
}

impl Default for WindowSpec {
    /// Section 6 of the paper.
    fn default() -> Self {
        Self {
            max_documents: 10_000,
            max_age_days: 14,
            min_documents: 100,
        }
    }
}

/// `[limits]`; what is left out keeps the default of the crate that enforces
/// it.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsSpec {
    /// Longest URL.
    pub url_bytes: Option<usize>,
    /// Most path segments of a URL.
    pub path_segments: Option<usize>,
    /// Largest page; a larger one is cut there.
    pub page_bytes: Option<ByteSize>,
    /// Most bytes inside one tag.
    pub tag_bytes: Option<ByteSize>,
    /// Most attributes of one tag.
    pub attributes_per_tag: Option<usize>,
    /// Most text blocks of a page.
    pub blocks: Option<usize>,
    /// Most characters of a text block.
    pub block_chars: Option<usize>,
    /// Deepest element that is named in a slot.
    pub depth: Option<usize>,
}

/// `[run]`: changes speed and memory, never a row.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunSpec {
    /// Worker threads and partitions; every core where it is left out.
    pub threads: Option<usize>,
    /// What sorts and joins may hold before they spill to disk.
    pub memory: ByteSize,
    /// HTML per chunk: each is one plan and one commit per table.
    pub chunk_bytes: ByteSize,
}

impl Default for RunSpec {
    fn default() -> Self {
        Self {
            threads: None,
            memory: ByteSize::gib(1),
            // Some 20,000 pages of 60 KB: a minute's work between commits.
            chunk_bytes: ByteSize::gib(4),
        }
    }
}

/// A job spec that does not read.
#[derive(Debug, thiserror::Error)]
pub enum SpecError {
    /// The file cannot be opened.
    #[error("job file {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// The file is no TOML.
    #[error("job file {}: {source}", path.display())]
    NoToml {
        /// The file.
        path: PathBuf,
        /// Line and cause.
        #[source]
        source: Box<toml::de::Error>,
    },
    /// An override has no `=`, or goes through a value that is no section.
    #[error("--set {text}: expected KEY=VALUE with a key such as tree.heuristic")]
    BadOverride {
        /// What was given.
        text: String,
    },
    /// A key that is unknown, missing, or of another type.
    #[error("{key}: {expected}")]
    Key {
        /// The key, in dotted form.
        key: String,
        /// What was found and what was expected.
        expected: String,
    },
}

impl SpecError {
    pub(crate) fn key(key: &str, expected: impl Into<String>) -> Self {
        Self::Key {
            key: key.to_owned(),
            expected: expected.into(),
        }
    }
}

impl JobSpec {
    /// Reads the job file at `path` and applies `overrides`, each `KEY=VALUE`
    /// with a dotted key. A value that is no TOML is taken as a string.
    ///
    /// # Errors
    /// [`SpecError`], naming the key and what was expected.
    pub fn read(path: &Path, overrides: &[String]) -> Result<Self, SpecError> {
        let text = std::fs::read_to_string(path).map_err(|source| SpecError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        let mut table: Table = text.parse().map_err(|source| SpecError::NoToml {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        for text in overrides {
            apply_override(&mut table, text)?;
        }
        Self::from_table(table)
    }

    fn from_table(table: Table) -> Result<Self, SpecError> {
        serde_path_to_error::deserialize(Value::Table(table)).map_err(|error| {
            let key = error.path().to_string();
            let expected = error.into_inner().to_string();
            Self::key_error(&key, expected.trim())
        })
    }

    /// serde names an unknown or missing field in the message and stops the
    /// path at its section.
    fn key_error(section: &str, message: &str) -> SpecError {
        let field = ["unknown field `", "missing field `"]
            .iter()
            .find_map(|start| message.strip_prefix(start)?.split('`').next());
        let key = match (section, field) {
            ("" | ".", Some(field)) => field.to_owned(),
            (section, Some(field)) if section != field && !section.ends_with(&format!(".{field}")) => {
                format!("{section}.{field}")
            }
            (section, _) => section.to_owned(),
        };
        SpecError::key(&key, message)
    }
}

fn apply_override(table: &mut Table, text: &str) -> Result<(), SpecError> {
    let bad = || SpecError::BadOverride {
        text: text.to_owned(),
    };
    let (key, value) = text.split_once('=').ok_or_else(bad)?;
    let value = format!("value = {value}")
        .parse::<Table>()
        .ok()
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(value.to_owned()));
    let mut section = table;
    let (path, last) = match key.trim().rsplit_once('.') {
        Some((path, last)) => (path, last),
        None => ("", key.trim()),
    };
    for name in path.split('.').filter(|name| !name.is_empty()) {
        section = section
            .entry(name)
            .or_insert_with(|| Value::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(bad)?;
    }
    if last.is_empty() {
        return Err(bad());
    }
    section.insert(last.to_owned(), value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "[archive]\nlocation = 'in'\n[output]\nlocation = 'out'\n";

    fn read(text: &str, overrides: &[&str]) -> Result<JobSpec, SpecError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("job.toml");
        std::fs::write(&path, text).unwrap();
        let overrides: Vec<_> = overrides.iter().map(ToString::to_string).collect();
        JobSpec::read(&path, &overrides)
    }

    #[test]
    fn defaults_are_the_published_method() {
        let spec = read(JOB, &[]).unwrap();
        assert_eq!(spec.tree.heuristic, "strict");
        assert_eq!(spec.window.max_documents, 10_000);
        assert_eq!(spec.dedup.horizon, "all");
        assert_eq!(spec.tree.batch, Batch::Date);
    }

    #[test]
    fn overrides_reach_any_key_and_keep_their_type() {
        let spec = read(
            JOB,
            &[
                "archive.location=s3://bucket/x",
                "run.threads=1",
                "run.chunk_bytes=64MB",
                "window.max_documents=5",
                "archive.columns.html=body",
                "domain.extra_suffixes=['go.com']",
            ],
        )
        .unwrap();
        assert_eq!(spec.archive.location, "s3://bucket/x");
        assert_eq!(spec.run.threads, Some(1));
        assert_eq!(spec.run.chunk_bytes, ByteSize::mb(64));
        assert_eq!(spec.archive.columns.html.as_deref(), Some("body"));
        assert_eq!(spec.domain.extra_suffixes, ["go.com"]);
    }

    #[test]
    fn errors_name_the_key_and_what_was_expected() {
        for (overrides, key, word) in [
            (&["tree.heuristics=strict"][..], "tree.heuristics", "batch"),
            (&["archive.columns.body=x"], "archive.columns.body", "html"),
            (&["run.threads=many"], "run.threads", "usize"),
            (&["tree.batch=week"], "tree.batch", "page"),
            (&["speed.fast=true"], "speed", "archive"),
            (&["run.chunk_bytes=lots"], "run.chunk_bytes", "lots"),
        ] {
            let error = read(JOB, overrides).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{key}: ")) && error.contains(word),
                "{overrides:?}: {error}"
            );
        }
        let error = read("[archive]\n[output]\nlocation='o'", &[])
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("archive.location: missing"), "{error}");
        let error = read("[archive", &[]).unwrap_err().to_string();
        assert!(error.contains("job.toml") && error.contains("line 1"), "{error}");
        let error = read(JOB, &["nonsense"]).unwrap_err().to_string();
        assert!(error.contains("--set nonsense"), "{error}");
    }
}
