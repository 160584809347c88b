//! The job spec: a TOML file and the `--set` overrides on top of it, as typed
//! values. Nothing is opened here; [`crate::Job`] does that.

mod duration;
mod read;
mod size;

use std::time::Duration;

use bytesize::ByteSize;
use serde::{Deserialize, Serialize};

pub use read::SpecError;
pub use site_replay::Batch;

/// What a job file may say. Every section but `archive` and `output` may be
/// left out. The paper's method is `jobs/paper.toml`, not the defaults.
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
    /// How long stores that fail are asked again.
    #[serde(default)]
    pub store: StoreSpec,
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
    /// Any row may be in any file.
    #[default]
    Flat,
    /// Rows of a date are in the folder `date=YYYY-MM-DD`, and only its files
    /// are opened.
    Hive,
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
    pub write_blocks: bool,
    /// Data files are closed near this size.
    #[serde(default = "OutputSpec::default_file_bytes", with = "size")]
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
    pub blocklist: Option<String>,
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
    pub lookback: String,
    /// Keep duplicates that bring at least 100 characters of unseen text.
    pub revisions: bool,
}

impl Default for DedupSpec {
    fn default() -> Self {
        Self {
            lookback: "all".to_owned(),
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
    pub batching: Batch,
    /// Days after which the labels of a date are final: until then each run that
    /// brings later dates writes them again.
    #[serde(skip_serializing_if = "is_zero")]
    pub relabel_days: u32,
}

impl Default for TreeSpec {
    fn default() -> Self {
        Self {
            heuristic: "template".to_owned(),
            batching: Batch::default(),
            relabel_days: 0,
        }
    }
}

/// What is off is no setting: tables written before it existed go on.
fn is_zero(days: &u32) -> bool {
    *days == 0
}

/// `[window]`
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct WindowSpec {
    /// Pages a domain's tree remembers at most.
    pub max_pages: usize,
    /// Older pages are forgotten.
    #[serde(with = "duration")]
    pub max_age: Duration,
    /// The most recent pages stay, whatever their age.
    pub min_pages: usize,
}

impl Default for WindowSpec {
    /// Section 6 of the paper.
    fn default() -> Self {
        Self {
            max_pages: 10_000,
            max_age: Duration::from_hours(14 * 24),
            min_pages: 100,
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
    #[serde(with = "size")]
    pub page_bytes: Option<ByteSize>,
    /// Most bytes inside one tag.
    #[serde(with = "size")]
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
    /// What the process may hold, some 512 MB at least; sorts and joins, which have half
    /// of it, spill to disk above that.
    #[serde(with = "size")]
    pub memory_limit: ByteSize,
    /// HTML per chunk: each is one plan and one commit per table.
    #[serde(with = "size")]
    pub chunk_bytes: ByteSize,
    /// Time between two signs of life, such as `10s`: who finds an unfinished run
    /// on the tables waits three of them for one.
    #[serde(with = "duration")]
    pub heartbeat: Duration,
}

impl Default for RunSpec {
    fn default() -> Self {
        Self {
            threads: None,
            memory_limit: ByteSize::gib(1),
            // Some 20,000 pages of 60 KB: a minute's work between commits.
            chunk_bytes: ByteSize::gib(4),
            heartbeat: Duration::from_secs(10),
        }
    }
}

/// `[store]`: how long a store on a network that fails is asked again, the
/// archive's and the tables'; changes no row. What is left out keeps the default
/// of the crate that asks.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct StoreSpec {
    /// Time for one answer, with its body.
    #[serde(with = "duration")]
    pub timeout: Option<Duration>,
    /// How often a request is repeated.
    pub retries: Option<usize>,
    /// Time after the first try in which a request is repeated.
    #[serde(with = "duration")]
    pub retry_timeout: Option<Duration>,
}
