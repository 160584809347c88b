//! The job spec: a TOML file and its `--set` overrides, as typed values. [`crate::Job`] checks
//! the values and opens files.

mod buckets;
mod duration;
mod error;
mod method;
mod moved;
mod names;
mod read;
mod size;

use std::borrow::Cow;
use std::num::NonZeroU32;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

pub use error::SpecError;
pub use method::{JoiningSpec, Method, PaperSpec, SchemeSpec, SplitSpec};
pub use names::{MarkdownPart, Names, Written};

pub use site_replay::{Batching, Queries, TitleSource};

/// The content of a job file. Every section but `archive` and `output` is optional.
///
/// ```
/// use engine::JobSpec;
///
/// let mut spec = JobSpec::new("s3://pages/crawl", "s3://text/tables");
/// spec.run.threads = Some(4);
/// spec.output.partition = "month".to_owned();
/// ```
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct JobSpec {
    /// How text blocks are labelled.
    pub method: Method,
    /// The archive of pages.
    pub archive: ArchiveSpec,
    /// The output tables.
    pub output: OutputSpec,
    /// URL keys.
    pub url_key: UrlKeySpec,
    /// Domains.
    pub domain: DomainSpec,
    /// Duplicates.
    pub dedup: DedupSpec,
    /// Labels of text blocks.
    pub tree: TreeSpec,
    /// The window of a tree.
    pub window: WindowSpec,
    /// Limits of URLs and pages.
    pub limits: LimitsSpec,
    /// Rules of robots.txt files.
    pub robots: RobotsSpec,
    /// Resources of a run.
    pub run: RunSpec,
    /// Retries of object stores.
    pub store: StoreSpec,
    /// The choices of [`Method::Paper`]; refused with another method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paper: Option<PaperSpec>,
}

impl JobSpec {
    /// Makes the spec of a job from the archive at `archive` to tables at `output`, with all
    /// defaults. Both are a path or a URL.
    pub fn new(archive: impl Into<String>, output: impl Into<String>) -> Self {
        Self {
            archive: ArchiveSpec {
                location: archive.into(),
                ..ArchiveSpec::default()
            },
            output: OutputSpec {
                location: output.into(),
                ..OutputSpec::default()
            },
            ..Self::default()
        }
    }

    /// Returns what the method of the job chooses.
    pub(crate) fn choices(&self) -> Cow<'_, PaperSpec> {
        match (self.method, &self.paper) {
            (Method::Template, _) => Cow::Owned(PaperSpec::of_template()),
            (Method::Paper, None) => Cow::Owned(PaperSpec::default()),
            (Method::Paper, Some(choices)) => Cow::Borrowed(choices),
        }
    }
}

/// `[archive]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct ArchiveSpec {
    /// A Parquet or WARC file, or a folder of such files, as a path or a URL. Empty for commands that read only tables.
    /// A WARC file is read as a whole, and its pages wait in `run.spill_dir`.
    pub location: String,
    /// The meaning of folders.
    pub layout: ArchiveLayout,
    /// The dates that pages can have, `A..B`. A page of another date goes to quarantine. Without `B`, up to the day
    /// after the job is read.
    pub dates: String,
    /// Names of columns that differ from the defaults.
    pub columns: ColumnNames,
}

/// `archive.layout`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ArchiveLayout {
    /// Every file may have rows of every date.
    #[default]
    Flat,
    /// The folder `date=YYYY-MM-DD` has all rows of its date. A run opens only the files in
    /// the folders of its dates.
    Hive,
}

/// `[archive.columns]`: the name of each column in the archive. An optional column is used if
/// the archive has a column of the default name. A column that is named here is required.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ColumnNames {
    /// Time of the fetch.
    pub fetched_at: Option<String>,
    /// Response URL.
    pub url: Option<String>,
    /// HTML of the page.
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
    /// X-Robots-Tag header.
    pub x_robots_tag: Option<String>,
    /// TDM-Reservation header.
    pub tdm_reservation: Option<String>,
}

/// `[output]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct OutputSpec {
    /// Folder of the tables, as a path or a URL.
    pub location: String,
    /// `day`, `month` or `year`, or `auto`: what the tables have, and for new ones what fits the rows per date.
    pub partition: String,
    /// `delta`, or `parquet`: the folders of the tables are right for readers without the Delta log too.
    pub format: String,
    /// The optional table and columns that are written.
    pub write: Names<Written>,
    /// Columns of the archive for the column `archive` of `documents`: where a page is from.
    pub archive_columns: Vec<String>,
    /// A fastText model that finds languages instead of ours: each machine has the file, and the memory for it beside
    /// `run.memory_limit`.
    pub language_model: Option<PathBuf>,
    /// The inline markup that the column `markdown` of `documents` keeps.
    pub markdown: Names<MarkdownPart>,
    /// Size near which a data file is closed and the next one begun.
    #[serde(with = "size")]
    pub file_bytes: ByteSize,
}

impl Default for ArchiveSpec {
    fn default() -> Self {
        Self {
            location: String::new(),
            layout: ArchiveLayout::default(),
            // Crawlers are younger; times before are zero, or in another unit.
            dates: "1990-01-01..".to_owned(),
            columns: ColumnNames::default(),
        }
    }
}

impl Default for OutputSpec {
    fn default() -> Self {
        Self {
            location: String::new(),
            partition: "auto".to_owned(),
            format: "delta".to_owned(),
            write: Names::default(),
            archive_columns: Vec::new(),
            language_model: None,
            markdown: Names([MarkdownPart::Emphasis].into()),
            file_bytes: ByteSize::mb(128),
        }
    }
}

/// `[url_key]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct UrlKeySpec {
    /// File of URL rules. The default is the bundled rules, and `none` uses no rules.
    pub rules: Option<String>,
    /// File of URL prefixes. Pages below them get a URL key, but are not inserted or labelled.
    pub blocklist: Option<String>,
}

/// `[domain]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct DomainSpec {
    /// `registrable` or `host`.
    pub grouping: GroupingSpec,
    /// Additional public suffixes: `go.com` makes `abcnews.go.com` a domain.
    pub extra_suffixes: Vec<String>,
}

/// `domain.grouping`
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum GroupingSpec {
    /// Public suffix and one label.
    #[default]
    Registrable,
    /// Every host is its own domain.
    Host,
}

/// `[dedup]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct DedupSpec {
    /// Keep duplicates with at least 100 characters of new text.
    pub revisions: bool,
}

/// `[robots]`: what robots.txt files allow, for queries over the tables. It decides no row of a table.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct RobotsSpec {
    /// A Parquet file or a folder of Parquet files, as a path or a URL, with the columns `host` and
    /// `robots_txt`. With it, `documents` has the column `allowed` in queries.
    pub rules: Option<String>,
    /// The name of the crawler that asks. `*` is any crawler.
    pub agent: String,
}

impl Default for RobotsSpec {
    fn default() -> Self {
        Self {
            rules: None,
            agent: "*".to_owned(),
        }
    }
}

/// `[tree]`
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct TreeSpec {
    /// Days after which the labels of a date are final. Until then each run over later dates
    /// relabels it.
    pub relabel_days: u32,
    /// File of DOM paths that are marked as content or boilerplate. The default is none, and so is
    /// `none`.
    pub paths: Option<String>,
}

/// `[window]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct WindowSpec {
    /// Pages of a domain above which the oldest is evicted.
    pub max_pages: usize,
    /// Age at which a page is evicted.
    #[serde(with = "duration")]
    pub max_age: Duration,
    /// Most recent pages of a domain that are never evicted, whatever their age.
    pub min_pages: usize,
}

impl Default for WindowSpec {
    /// Returns the values of section 6 of the paper.
    fn default() -> Self {
        Self {
            max_pages: 10_000,
            max_age: Duration::from_hours(14 * 24),
            min_pages: 100,
        }
    }
}

/// `[limits]`. A key that is left out keeps the default of the crate that enforces it.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct LimitsSpec {
    /// Longest URL.
    pub url_bytes: Option<usize>,
    /// Bytes of HTML after which a page is cut.
    #[serde(with = "size")]
    pub page_bytes: Option<ByteSize>,
}

/// `[run]`: resources of a run. No key changes a row.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct RunSpec {
    /// Worker threads and partitions of a plan. The default is the number of cores.
    pub threads: Option<usize>,
    /// Memory of the process, at least 8 MiB per thread. From 1 GiB on, sorts and joins have half of
    /// it and spill to disk above that. With less, the process takes more than the limit.
    #[serde(with = "size")]
    pub memory_limit: ByteSize,
    /// Folder to which rows that exceed the memory are spilled. The default is the folder of the
    /// system for temporary files (`TMPDIR`).
    pub spill_dir: Option<PathBuf>,
    /// Most bytes that are spilled at once.
    #[serde(with = "size")]
    pub spill_limit: ByteSize,
    /// HTML per chunk. A chunk is one plan and one commit per table. Less loses less work when
    /// a run is killed, more reads the windows less often.
    #[serde(with = "size")]
    pub chunk_bytes: ByteSize,
    /// Parts into which the sites of a chunk are cut, by a hash of their domains: a number, or `auto` (`None`) for as
    /// many as memory and disk need. A chunk has that many times `chunk_bytes`, and each of its units is one plan.
    #[serde(with = "buckets")]
    pub buckets: Option<NonZeroU32>,
    /// Time without any movement after which a run stops. A run moves if an operator passes on rows
    /// or spills, if a store is asked or answers, or if the process computes.
    #[serde(with = "duration")]
    pub stall_timeout: Duration,
    /// Heartbeat interval, such as `10s`. A process that finds an unfinished run waits three
    /// intervals for a heartbeat before it takes over.
    #[serde(with = "duration")]
    pub heartbeat: Duration,
}

impl Default for RunSpec {
    fn default() -> Self {
        Self {
            threads: None,
            memory_limit: ByteSize::gib(1),
            spill_dir: None,
            spill_limit: ByteSize::gib(100),
            // About 70,000 pages of 60 KB, or a minute of work between commits.
            chunk_bytes: ByteSize::gib(4),
            buckets: None,
            stall_timeout: Duration::from_mins(10),
            heartbeat: Duration::from_secs(10),
        }
    }
}

/// `[store]`: retry limits of the object stores of archive and tables. No key changes a row. A
/// key that is left out keeps the default of the store client.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct StoreSpec {
    /// Time-out of one request, with the body of its answer.
    #[serde(with = "duration")]
    pub timeout: Option<Duration>,
    /// Retries of a request.
    pub retries: Option<usize>,
}
