//! A job that is ready to run: every setting checked, every file of rules
//! read, every location reached. Nothing after this sees a raw string.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use html_blocks::{BlockOptions, Joining, PageLimits, SplitList};
use md5::{Digest, Md5};
use site_replay::Labelling;
use tables::{Location, Output, Partitioning, RetryPolicy, Table};
use url_key::{Blocklist, Grouping, KeyOptions, Keyer, RuleSet, Scheme};
use url_tree::WindowOptions;

use crate::archive::ArchiveSource;
use crate::key_cache::Horizon;
use crate::spec::{
    ArchiveLayout, Batch, GroupingSpec, JobSpec, JoiningSpec, SchemeSpec, SpecError, SplitSpec,
    TitleSource,
};

/// Amazon takes a signature for fifteen minutes; the last repetition has to be
/// answered by then too.
const MAX_RETRY_TIMEOUT: Duration = Duration::from_secs(600);

/// The URL rules of the product, used where a job names none.
const BUNDLED_RULES: &str = include_str!("../../../../jobs/rules/url-keys.tsv");

/// A checked job.
#[derive(Debug, Clone)]
pub struct Job {
    /// The pages.
    pub archive: ArchiveSource,
    /// The tables.
    pub output: Output,
    /// Everything that decides rows.
    pub settings: Arc<Settings>,
    /// Everything that only decides speed and memory.
    pub resources: Resources,
}

/// What decides the content of the output tables, beside the archive.
pub struct Settings {
    /// Gives pages their key.
    pub keyer: Keyer,
    /// Where titles come from.
    pub title: TitleSource,
    /// How far back a duplicate is looked for.
    pub horizon: Horizon,
    /// Duplicates with unseen text are kept.
    pub revisions: bool,
    /// Cuts pages into blocks.
    pub blocks: BlockOptions,
    /// Labels blocks.
    pub labelling: Labelling,
    /// What is inserted before it is labelled.
    pub batch: Batch,
    /// Days of later pages that decide the labels of a date too.
    pub relabel_days: u32,
    /// What a tree remembers.
    pub window: WindowOptions,
    /// The `blocks` table is written.
    pub write_blocks: bool,
    /// MD5 of all of this in hex: the `settings` column of `runs`.
    pub digest: String,
}

impl Settings {
    /// The batch after which a page of `date` is labelled, in a run whose last date is
    /// `last`; both in days since 1970.
    pub(crate) fn label_batch(&self, date: i32, last: i32) -> i64 {
        let settled = date.saturating_add_unsigned(self.relabel_days);
        self.batch.of_date(settled.min(last))
    }

    /// The tables that pages have rows in. The driver writes the account of the run.
    pub(crate) fn page_tables(&self) -> impl Iterator<Item = Table> {
        (Table::ALL.into_iter()).filter(|table| *table != Table::Runs && self.writes(*table))
    }

    /// Does the job write `table`?
    pub(crate) fn writes(&self, table: Table) -> bool {
        table != Table::Blocks || self.write_blocks
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Settings({})", self.digest)
    }
}

/// What a run may use.
#[derive(Debug, Clone, Copy)]
pub struct Resources {
    /// Worker threads, and partitions of the plan.
    pub threads: usize,
    /// Bytes that a run may hold, of which sorts and joins have half.
    pub memory: usize,
    /// Bytes of HTML per chunk.
    pub chunk_bytes: u64,
    /// Time between two signs of life for other runs on the same tables.
    pub heartbeat: Duration,
}

/// With less memory than this its greater part is not shared out: the binary and a few
/// pages take 200 MB of it anyway.
const LITTLE_MEMORY: usize = 1 << 30;

impl Resources {
    /// Bytes that sorts and joins may hold before they spill. Of the rest, three sixteenths of
    /// the memory are for open files and a 32nd for rows that wait for theirs
    /// (`plan::write`), and 9 of 32 parts are left to what nobody counts: the binary, pages
    /// that are parsed, one tree, buffers of merges, and memory that was freed.
    pub(crate) fn plan_memory(&self) -> usize {
        (self.memory.max(LITTLE_MEMORY) / 2).min(self.memory)
    }
}

impl Job {
    /// Checks `spec` and reads the files it names.
    ///
    /// # Errors
    /// [`SpecError`], naming the key and what was expected.
    pub fn new(spec: &JobSpec) -> Result<Self, SpecError> {
        let retry_policy = retry_policy(spec)?;
        let location = |key: &str, text: &str| {
            Location::parse_with_retry(text, retry_policy)
                .map_err(|error| SpecError::key(key, error.to_string()))
        };
        let partitioning: Partitioning = spec
            .output
            .partition
            .parse()
            .map_err(|error: String| SpecError::key("output.partition", error))?;
        let file_bytes = NonZeroU64::new(spec.output.file_bytes.as_u64())
            .ok_or_else(|| SpecError::key("output.file_bytes", "expected a size above 0"))?;
        Ok(Self {
            archive: ArchiveSource {
                location: location("archive.location", &spec.archive.location)?,
                by_date: spec.archive.layout == ArchiveLayout::Hive,
                columns: spec.archive.columns.clone(),
            },
            output: Output::new(
                location("output.location", &spec.output.location)?,
                partitioning,
                file_bytes,
            ),
            settings: Arc::new(settings(spec)?),
            resources: resources(spec)?,
        })
    }
}

fn retry_policy(spec: &JobSpec) -> Result<RetryPolicy, SpecError> {
    let mut retry_policy = RetryPolicy::default();
    if let Some(timeout) = spec.store.timeout {
        if timeout.is_zero() {
            let expected = "0 seconds; expected a time such as 30s";
            return Err(SpecError::key("store.timeout", expected));
        }
        retry_policy.timeout = timeout;
    }
    if let Some(retries) = spec.store.retries {
        retry_policy.retries = retries;
    }
    if let Some(timeout) = spec.store.retry_timeout {
        if timeout > MAX_RETRY_TIMEOUT {
            let expected = format!(
                "{}; expected at most {}: a request is signed once",
                humantime::format_duration(timeout),
                humantime::format_duration(MAX_RETRY_TIMEOUT)
            );
            return Err(SpecError::key("store.retry_timeout", expected));
        }
        retry_policy.retry_for = timeout;
    }
    Ok(retry_policy)
}

fn settings(spec: &JobSpec) -> Result<Settings, SpecError> {
    let rules = match spec.url_key.rules.as_deref() {
        None => BUNDLED_RULES.to_owned(),
        Some("none") => String::new(),
        Some(path) => read("url_key.rules", path)?,
    };
    let blocklist = match spec.url_key.blocklist.as_deref() {
        None => String::new(),
        Some(path) => read("url_key.blocklist", path)?,
    };
    let digest = digest(spec, &rules, &blocklist);
    let rules = RuleSet::parse(&rules)
        .map_err(|error| SpecError::key("url_key.rules", error.to_string()))?;
    let keyer = Keyer::new(key_options(spec), rules, Blocklist::parse(&blocklist))
        .map_err(|error| SpecError::key("domain.extra_suffixes", error.to_string()))?;
    let window = WindowOptions {
        max_pages: spec.window.max_pages,
        max_age_micros: i64::try_from(spec.window.max_age.as_micros())
            .map_err(|_| SpecError::key("window.max_age", "more than 292,000 years"))?,
        min_pages: spec.window.min_pages,
    };
    let horizon = Horizon::parse(&spec.dedup.lookback, window)
        .map_err(|error| SpecError::key("dedup.lookback", error))?;
    let labelling = (spec.tree.heuristic.parse::<Labelling>())
        .map_err(|error| SpecError::key("tree.heuristic", error.to_string()))?;
    refuse_settling(spec)?;
    Ok(Settings {
        keyer,
        title: spec.url_key.title,
        horizon,
        revisions: spec.dedup.revisions,
        blocks: block_options(spec)?,
        labelling,
        batch: spec.tree.batching,
        relabel_days: spec.tree.relabel_days,
        window,
        write_blocks: spec.output.write_blocks,
        digest,
    })
}

/// Labels can wait where all that is inserted is known before the first of them.
fn refuse_settling(spec: &JobSpec) -> Result<(), SpecError> {
    let why = match (spec.tree.batching, spec.dedup.revisions) {
        _ if spec.tree.relabel_days == 0 => return Ok(()),
        (Batch::Page, _) => "tree.batching is \"page\", which knows nothing of later pages",
        (Batch::Run, _) => "tree.batching is \"run\", which knows all of them",
        (Batch::Date, true) => {
            "dedup.revisions is true, and what a revision adds to the tree depends on its labels"
        }
        (Batch::Date, false) => return Ok(()),
    };
    Err(SpecError::key(
        "tree.relabel_days",
        format!("{why}; expected 0, or tree.batching=date without revisions"),
    ))
}

fn read(key: &str, path: &str) -> Result<String, SpecError> {
    std::fs::read_to_string(Path::new(path)).map_err(|error| {
        let folder = std::env::current_dir().unwrap_or_default();
        SpecError::key(
            key,
            format!(
                "cannot read `{path}` (paths are relative to {}): {error}",
                folder.display()
            ),
        )
    })
}

fn key_options(spec: &JobSpec) -> KeyOptions {
    let mut options = KeyOptions::default();
    options.scheme = match spec.url_key.scheme {
        SchemeSpec::Merge => Scheme::Merge,
        SchemeSpec::Separate => Scheme::Separate,
    };
    options.grouping = match spec.domain.grouping {
        GroupingSpec::Registrable => Grouping::RegistrableDomain,
        GroupingSpec::Host => Grouping::FullHost,
    };
    options.extra_suffixes = spec.domain.extra_suffixes.clone();
    if let Some(bytes) = spec.limits.url_bytes {
        options.max_url_bytes = bytes;
    }
    if let Some(segments) = spec.limits.path_segments {
        options.max_path_segments = segments;
    }
    options
}

fn block_options(spec: &JobSpec) -> Result<BlockOptions, SpecError> {
    let mut limits = PageLimits::default();
    let bytes = |key: &str, size: bytesize::ByteSize| {
        usize::try_from(size.as_u64())
            .map_err(|_| SpecError::key(key, "expected a size that fits the address space"))
    };
    if let Some(size) = spec.limits.page_bytes {
        limits.page_bytes = bytes("limits.page_bytes", size)?;
    }
    if let Some(size) = spec.limits.tag_bytes {
        limits.tag_bytes = bytes("limits.tag_bytes", size)?;
    }
    let counts = [
        (
            spec.limits.attributes_per_tag,
            &mut limits.attributes_per_tag,
        ),
        (spec.limits.blocks, &mut limits.blocks),
        (spec.limits.block_chars, &mut limits.block_chars),
        (spec.limits.depth, &mut limits.depth),
    ];
    for (asked, limit) in counts {
        if let Some(count) = asked {
            *limit = count;
        }
    }
    let mut options = BlockOptions::default();
    options.split = match spec.blocks.split {
        SplitSpec::Html => SplitList::Html,
        SplitSpec::Original => SplitList::Original,
    };
    options.joining = match spec.blocks.joining {
        JoiningSpec::Tight => Joining::Tight,
        JoiningSpec::Spaced => Joining::Spaced,
    };
    options.limits = limits;
    Ok(options)
}

fn resources(spec: &JobSpec) -> Result<Resources, SpecError> {
    let threads = match spec.run.threads {
        Some(0) => {
            return Err(SpecError::key(
                "run.threads",
                "0 threads; expected 1 or more",
            ));
        }
        Some(threads) => threads,
        None => std::thread::available_parallelism().map_or(1, usize::from),
    };
    let memory = usize::try_from(spec.run.memory_limit.as_u64())
        .map_err(|_| SpecError::key("run.memory_limit", "more than the address space"))?;
    if spec.run.heartbeat.as_millis() == 0 {
        let expected = "shorter than a millisecond; expected a time such as 10s";
        return Err(SpecError::key("run.heartbeat", expected));
    }
    Ok(Resources {
        threads,
        memory,
        chunk_bytes: spec.run.chunk_bytes.as_u64(),
        heartbeat: spec.run.heartbeat,
    })
}

/// Names everything that can change a row: the sections of the spec but where
/// things lie and what the run may use, and the rule files by content. Dated
/// folders are where things lie: that rows of a day are in its folder is true of
/// an archive or not.
fn digest(spec: &JobSpec, rules: &str, blocklist: &str) -> String {
    let mut spec = spec.clone();
    spec.url_key.rules = Some(rules.to_owned());
    spec.url_key.blocklist = Some(blocklist.to_owned());
    let deciding = serde_json::json!({
        "columns": spec.archive.columns,
        "url_key": spec.url_key,
        "domain": spec.domain,
        "dedup": spec.dedup,
        "blocks": spec.blocks,
        "tree": spec.tree,
        "window": spec.window,
        "limits": spec.limits,
    });
    md5_hex(deciding.to_string().as_bytes())
}

pub(crate) fn md5_hex(bytes: &[u8]) -> String {
    hex::encode(Md5::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_that_differ_by_a_byte_have_digests_that_differ() {
        for key in ["page_bytes", "tag_bytes"] {
            let digest = |limit: &str| {
                let job = format!(
                    "archive.location = 'in'\noutput.location = 'out'\nlimits.{key} = {limit}"
                );
                digest(&toml::from_str(&job).unwrap(), "", "")
            };
            assert_ne!(digest("10485760"), digest("10485761"), "{key}");
            assert_eq!(digest("10485760"), digest("'10 MiB'"), "{key}");
        }
    }
}
