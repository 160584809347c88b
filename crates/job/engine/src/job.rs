//! A job that is ready to run: its settings are checked, its rule files are read, and its
//! locations are parsed. The rest of the crate works with typed values only.

use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use bytesize::ByteSize;
use datafusion::execution::cache::cache_manager::FileMetadataCache;
use datafusion::execution::cache::default_cache::DefaultCache;
use html_blocks::{BlockOptions, Joining, Noscript, PageLimits, SplitList};
use markdown::MarkdownOptions;
use serde::{Deserialize, Serialize};
use site_replay::{Labelling, Lookback};
use tables::{Location, Output, Partitioning, RetryPolicy, Table, TableFormat};
use template::marks::Marks;
use url_key::{Blocklist, Grouping, KeyOptions, Keyer, RuleSet, Scheme};
use url_tree::{Constants, WindowOptions};

use crate::archive::{ArchiveSource, OpenObjects, ReadAheadMemory, page_columns};
use crate::marked_paths::{domain_of, parsed_marks, paths_file, refuse_marks_of_trees};
use crate::optional_columns::{OptionalColumns, passed_through};
use crate::running_plans::RunningPlans;
use crate::session_extension::SessionExtension;
use crate::settings_digest::settings_digest;
use crate::spec::{
    ArchiveLayout, Batching, GroupingSpec, JobSpec, JoiningSpec, MarkdownSpec, Queries, SchemeSpec,
    SpecError, SplitSpec, TitleSource,
};
use crate::spill_disk::SpillDisk;

/// Limits `store.retry_timeout`. S3 accepts the signature of a request for 15 minutes, and
/// the answer to the last retry must arrive within that time too.
const MAX_RETRY_TIMEOUT: Duration = Duration::from_secs(600);

/// The bundled URL rules, used if a job does not name a file.
const BUNDLED_RULES: &str = include_str!("../../../../jobs/rules/url-keys.tsv");

/// A job spec with the texts of its rule files: all that another process needs to run the job.
///
/// The other process has its own credentials of the stores, from its environment.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub(crate) struct JobDocument {
    pub(crate) spec: JobSpec,
    /// URL rules.
    rules: String,
    /// URL prefixes.
    blocklist: String,
    /// DOM paths that are marked.
    paths: String,
}

impl JobDocument {
    /// Reads the rule files of `spec`.
    fn read(spec: &JobSpec) -> Result<Self, SpecError> {
        Ok(Self {
            rules: match spec.url_key.rules.as_deref() {
                None => BUNDLED_RULES.to_owned(),
                Some("none") => String::new(),
                Some(path) => read("url_key.rules", path)?,
            },
            blocklist: match spec.url_key.blocklist.as_deref() {
                None => String::new(),
                Some(path) => read("url_key.blocklist", path)?,
            },
            paths: match paths_file(spec) {
                None => String::new(),
                Some(path) => read("tree.paths", path)?,
            },
            spec: spec.clone(),
        })
    }
}

/// A checked job.
#[derive(Debug, Clone)]
pub struct Job {
    pub(crate) document: Arc<JobDocument>,
    /// The archive of pages.
    pub archive: ArchiveSource,
    /// The output tables.
    pub output: Output,
    /// The settings that decide rows.
    pub settings: Arc<Settings>,
    /// The rules of robots.txt files, for queries.
    pub(crate) robots: Option<RobotsRules>,
    /// The settings that decide speed and memory only.
    pub resources: Resources,
    /// The disk to which plans spill.
    pub(crate) spill_disk: Arc<SpillDisk>,
    /// Footers of data files of the tables. All plans of the job share them: without, each of the
    /// three or more plans of a chunk reads those of all earlier dates again.
    pub(crate) table_footers: Arc<FileMetadataCache>,
    /// The plans that are executed now.
    pub(crate) running_plans: Arc<RunningPlans>,
    /// Pages that this process has parsed for plans that another process began.
    pub(crate) parsed_rows: Arc<AtomicU64>,
    /// Runs plans elsewhere.
    pub(crate) session_extension: Option<Arc<dyn SessionExtension>>,
}

/// The rules of robots.txt files.
#[derive(Debug, Clone)]
pub(crate) struct RobotsRules {
    pub(crate) location: Location,
    /// The crawler that asks.
    pub(crate) agent: String,
}

/// The settings that decide the rows of the output tables, together with the archive.
#[non_exhaustive]
pub struct Settings {
    /// Computes URL keys.
    pub keyer: Keyer,
    /// The source of a page's title.
    pub title: TitleSource,
    /// Limits how far back a duplicate is looked for.
    pub lookback: Lookback,
    /// Whether parameters that no rule knows are learned or dropped.
    pub queries: Queries,
    /// Keep duplicates that have new text.
    pub revisions: bool,
    /// How a page is cut into text blocks.
    pub blocks: BlockOptions,
    /// The labelling heuristic.
    pub labelling: Labelling,
    /// The constants of a heuristic of the paper.
    pub constants: Constants,
    /// DOM paths that are marked, for the heuristic `template`.
    pub marks: Arc<Marks>,
    /// Pages that are inserted before the first of them is labelled.
    pub batching: Batching,
    /// Days after a date whose pages decide its labels too.
    pub relabel_days: u32,
    /// Limits the pages in a tree.
    pub window: WindowOptions,
    /// Write the `blocks` table.
    pub write_blocks: bool,
    /// Columns of `documents` that are filled.
    pub write: OptionalColumns,
    /// Names of the columns of the archive for the column `archive` of `documents`.
    pub passed_through: Arc<[String]>,
    /// How `documents` has Markdown, if it does.
    pub markdown: Option<MarkdownOptions>,
    /// Digest of the settings that decide rows: the column `settings_digest` of `runs`.
    pub digest: String,
}

impl Settings {
    /// Checks the settings of `spec` and reads its rule files.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn new(spec: &JobSpec) -> Result<Self, SpecError> {
        settings(&JobDocument::read(spec)?)
    }

    /// Returns the domain that has the pages of a host; `None` if a text is not a host.
    pub fn domain_of(&self, host: &str) -> Option<String> {
        domain_of(&self.keyer, host)
    }

    /// Returns the batch after which a page of `date` is labelled, in a run whose last date is
    /// `last`. Both dates are days since 1970.
    pub(crate) fn label_batch(&self, date: i32, last: i32) -> i64 {
        self.batching.label_batch_of(date, self.relabel_days, last)
    }

    /// Returns the tables with rows of pages, which the plan writes. The driver writes `runs` and
    /// `url_parameters`.
    pub(crate) fn page_tables(&self) -> impl Iterator<Item = Table> {
        let tables = Table::ALL.into_iter();
        let of_driver = [Table::Runs, Table::UrlParameters];
        tables.filter(move |table| !of_driver.contains(table) && self.writes(*table))
    }

    /// Whether something of a page is kept beside its texts.
    pub(crate) fn keeps_beside(&self) -> bool {
        self.write.metadata || self.write.opt_out || !self.passed_through.is_empty()
    }

    /// Whether the job writes `table`.
    pub(crate) fn writes(&self, table: Table) -> bool {
        match table {
            Table::Blocks => self.write_blocks,
            Table::UrlParameters => self.queries == Queries::Learn,
            _ => true,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Settings({})", self.digest)
    }
}

/// The resources of a run.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Resources {
    /// Worker threads, and partitions of the plan.
    pub threads: usize,
    /// Memory of the process in bytes. Sorts and joins have half of it.
    pub memory: usize,
    /// Bytes of HTML per chunk.
    pub chunk_bytes: u64,
    /// The heartbeat interval of the lease.
    pub heartbeat: Duration,
    /// Time without any movement after which a run stops.
    pub stall_timeout: Duration,
}

/// Bytes of `run.memory_limit` below which sorts and joins keep the share that they have at
/// 1 GiB. The process then exceeds the limit by its fixed cost: the binary and a few pages
/// take about 200 MB.
const MIN_MEMORY: usize = 1 << 30;

/// Part of the memory for footers of the archive, again for footers of the tables, and again for
/// small objects of the tables. The objects of a chunk are opened three times or more; what does
/// not fit is read again.
const FOOTERS_SHARE: usize = 64;

/// Part of the memory for row groups that are read before their turn. A larger row group is read
/// in its turn, and the pages wait for the store.
const READ_AHEAD_SHARE: usize = 32;

/// Least bytes of `run.memory_limit` per thread. With 8 MiB for two threads, 6 of 6 runs over the
/// 17 real sites succeeded too, but took up to 650 MB, more than with 48 MB: sorts spill so often
/// that rows queue up before them. A higher value refuses the default of 1 GiB from fewer threads
/// than 128 on.
const MIN_THREAD_MEMORY: usize = 8 << 20;

impl Resources {
    /// Returns the bytes that sorts and joins may reserve before they spill. Of the rest, 6 of
    /// 32 parts are for open files and 1 part is for rows that have no open file yet
    /// (`plan::write`). 2.5 parts are for row
    /// groups that are read ahead, footers and small objects. The last 6.5 parts are for memory that is not
    /// counted: the binary, pages that are parsed, one tree, the buffers of merges, and freed
    /// memory that the allocator keeps.
    pub(crate) fn plan_memory(&self) -> usize {
        (self.memory.max(MIN_MEMORY) / 2).min(self.memory)
    }

    /// Returns the bytes of footers that are kept: of the archive, and again of the tables. Small
    /// objects of the tables have as many.
    pub(crate) fn footers(&self) -> usize {
        self.memory / FOOTERS_SHARE
    }
}

impl Job {
    /// Checks `spec` and reads its rule files.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub fn new(spec: &JobSpec) -> Result<Self, SpecError> {
        Self::from_document(JobDocument::read(spec)?)
    }

    /// Returns the job with plans that run as `extension` says.
    ///
    /// Such plans have two partitions or more per process: a plan of one partition has no shuffle, at
    /// which it could be divided.
    #[must_use]
    pub fn with_session_extension(mut self, extension: Arc<dyn SessionExtension>) -> Self {
        self.resources.threads = self.resources.threads.max(2);
        self.session_extension = Some(extension);
        self
    }

    /// The file of marked DOM paths, `tree.paths`; `None` if the job names none. A relative path is relative
    /// to the folder of the process.
    pub fn paths_file(&self) -> Option<&Path> {
        paths_file(&self.document.spec).map(Path::new)
    }

    /// Checks a document. Reads no file.
    ///
    /// # Errors
    /// [`SpecError`] with the key and the expected value.
    pub(crate) fn from_document(document: JobDocument) -> Result<Self, SpecError> {
        let spec = &document.spec;
        let retry_policy = retry_policy(spec)?;
        refuse_short_stall(spec, retry_policy.timeout)?;
        let location = |key: &str, text: &str| {
            Location::parse_with_retry(text, retry_policy)
                .map_err(|error| SpecError::key(key, error.to_string()))
        };
        let partitioning: Partitioning = spec
            .output
            .partition
            .parse()
            .map_err(|error: String| SpecError::key("output.partition", error))?;
        let format: TableFormat = (spec.output.format.parse())
            .map_err(|error: String| SpecError::key("output.format", error))?;
        let file_bytes = NonZeroU64::new(spec.output.file_bytes.as_u64())
            .ok_or_else(|| SpecError::key("output.file_bytes", "expected a size above 0"))?;
        let resources = resources(spec)?;
        let settings = settings(&document)?;
        refuse_constants_of_template(&settings)?;
        refuse_marks_of_trees(settings.labelling, &settings.marks)?;
        Ok(Self {
            archive: ArchiveSource {
                location: location("archive.location", &spec.archive.location)?,
                by_date: spec.archive.layout == ArchiveLayout::Hive,
                columns: spec.archive.columns.clone(),
                passed_through: Arc::clone(&settings.passed_through),
                page_columns: page_columns(settings.write.opt_out, settings.passed_through.len()),
                opened: OpenObjects::new(resources.footers()),
                read_ahead: ReadAheadMemory::new(resources.memory / READ_AHEAD_SHARE),
            },
            output: Output::new(
                location("output.location", &spec.output.location)?
                    .with_small_objects(resources.footers()),
                partitioning,
                file_bytes,
            )
            .with_format(format),
            settings: Arc::new(settings),
            robots: (spec.robots.rules.as_deref())
                .map(|rules| {
                    let agent = spec.robots.agent.clone();
                    let location = location("robots.rules", rules)?;
                    Ok::<_, SpecError>(RobotsRules { location, agent })
                })
                .transpose()?,
            spill_disk: Arc::new(spill_disk(spec)?),
            table_footers: Arc::new(DefaultCache::new(resources.footers())),
            resources,
            running_plans: Arc::default(),
            parsed_rows: Arc::default(),
            session_extension: None,
            document: Arc::new(document),
        })
    }
}

/// Refuses a `run.stall_timeout` in which a store may be answering one request all the time.
fn refuse_short_stall(spec: &JobSpec, request: Duration) -> Result<(), SpecError> {
    let locations = [&spec.archive.location, &spec.output.location];
    let is_remote = |location: &&String| location.contains("://") && !location.starts_with("file:");
    let is_remote = locations.into_iter().any(|location| is_remote(&location));
    let least = if is_remote { request } else { Duration::ZERO };
    if spec.run.stall_timeout > least {
        return Ok(());
    }
    let expected = format!(
        "{}; expected more than {}{}",
        humantime::format_duration(spec.run.stall_timeout),
        humantime::format_duration(least),
        if is_remote {
            ", the time of one request (store.timeout)"
        } else {
            ""
        }
    );
    Err(SpecError::key("run.stall_timeout", expected))
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

fn settings(document: &JobDocument) -> Result<Settings, SpecError> {
    let JobDocument {
        spec,
        rules,
        blocklist,
        paths,
    } = document;
    let (rules_text, blocklist_text) = (rules, blocklist);
    let rules = RuleSet::parse(rules)
        .map_err(|error| SpecError::key("url_key.rules", error.to_string()))?
        .needing_parameters(spec.url_key.rules_need_parameters);
    let keyer = Keyer::new(key_options(spec), rules, Blocklist::parse(blocklist))
        .map_err(|error| SpecError::key("domain.extra_suffixes", error.to_string()))?;
    let marks = parsed_marks(spec, paths, &keyer)?;
    let window = WindowOptions {
        max_pages: spec.window.max_pages,
        max_age_micros: i64::try_from(spec.window.max_age.as_micros()).map_err(|_| {
            SpecError::key(
                "window.max_age",
                "more than 292,000 years; expected a time such as 14d",
            )
        })?,
        min_pages: spec.window.min_pages,
    };
    let lookback = Lookback::parse(&spec.dedup.lookback, window)
        .map_err(|error| SpecError::key("dedup.lookback", error.to_string()))?;
    let labelling = (spec.tree.heuristic.parse::<Labelling>())
        .map_err(|error| SpecError::key("tree.heuristic", error.to_string()))?;
    refuse_relabelling(spec)?;
    Ok(Settings {
        keyer,
        title: spec.url_key.title,
        lookback,
        queries: spec.dedup.queries,
        revisions: spec.dedup.revisions,
        blocks: block_options(spec)?,
        labelling,
        constants: constants(spec)?,
        digest: settings_digest(spec, rules_text, blocklist_text, &marks),
        marks: Arc::new(marks),
        batching: spec.tree.batching,
        relabel_days: spec.tree.relabel_days,
        window,
        write_blocks: spec.output.write_blocks,
        write: OptionalColumns::new(&spec.output),
        passed_through: passed_through(spec)?,
        markdown: markdown_options(&spec.output.markdown),
    })
}

fn markdown_options(spec: &MarkdownSpec) -> Option<MarkdownOptions> {
    let options = MarkdownOptions::default()
        .with_emphasis(spec.emphasis)
        .with_links(spec.links)
        .with_images(spec.images);
    spec.write.then_some(options)
}

fn constants(spec: &JobSpec) -> Result<Constants, SpecError> {
    let at_least_1 = |key, value: u32| match value {
        0 => Err(SpecError::key(key, "0; expected at least 1")),
        value => Ok(value),
    };
    Ok(Constants {
        n_min: at_least_1("tree.n_min", spec.tree.n_min)?,
        c_max: at_least_1("tree.c_max", spec.tree.c_max)?,
    })
}

/// Refuses constants that no label of the job would read. `urltree-lab eval` compares heuristics with
/// the settings of any job, so [`Settings::new`] does not refuse them.
fn refuse_constants_of_template(settings: &Settings) -> Result<(), SpecError> {
    let paper = Constants::default();
    let key = match settings.constants {
        _ if settings.labelling != Labelling::Template => return Ok(()),
        Constants { n_min, .. } if n_min != paper.n_min => "tree.n_min",
        Constants { c_max, .. } if c_max != paper.c_max => "tree.c_max",
        _ => return Ok(()),
    };
    let expected = "it is for the heuristics of the paper; expected another tree.heuristic than \
                    template";
    Err(SpecError::key(key, expected))
}

/// Refuses `tree.relabel_days` unless the inserted pages do not depend on labels.
fn refuse_relabelling(spec: &JobSpec) -> Result<(), SpecError> {
    let why = match (spec.tree.batching, spec.dedup.revisions) {
        _ if spec.tree.relabel_days == 0 => return Ok(()),
        (Batching::Page, _) => "tree.batching is \"page\", which labels without any later page",
        (Batching::Run, _) => "tree.batching is \"run\", which labels with all later pages",
        (Batching::Date, true) => {
            "dedup.revisions is true, and the text that a revision adds depends on labels"
        }
        (Batching::Date, false) => return Ok(()),
    };
    Err(SpecError::key(
        "tree.relabel_days",
        format!("{why}; expected 0, or tree.batching=date and dedup.revisions=false"),
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
    for (count, limit) in counts {
        if let Some(count) = count {
            *limit = count;
        }
    }
    let mut options = BlockOptions::default();
    (options.split, options.noscript) = match spec.blocks.split {
        SplitSpec::Html => (SplitList::Html, Noscript::ScriptedPages),
        SplitSpec::Original => (SplitList::Original, Noscript::Never),
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
    let memory = usize::try_from(spec.run.memory_limit.as_u64()).map_err(|_| {
        SpecError::key(
            "run.memory_limit",
            "expected a size that fits the address space",
        )
    })?;
    let least = threads.saturating_mul(MIN_THREAD_MEMORY);
    if memory < least {
        let [has, least] = [memory, least].map(|bytes| ByteSize(bytes as u64));
        let expected = format!(
            "{has} is too little for {threads} threads; expected at least {least}, or a lower \
             run.threads"
        );
        return Err(SpecError::key("run.memory_limit", expected));
    }
    if spec.run.heartbeat.as_millis() == 0 {
        let expected = "shorter than a millisecond; expected a time such as 10s";
        return Err(SpecError::key("run.heartbeat", expected));
    }
    Ok(Resources {
        threads,
        memory,
        chunk_bytes: spec.run.chunk_bytes.as_u64(),
        heartbeat: spec.run.heartbeat,
        stall_timeout: spec.run.stall_timeout,
    })
}

fn spill_disk(spec: &JobSpec) -> Result<SpillDisk, SpecError> {
    let limit = spec.run.spill_limit.as_u64();
    if limit == 0 {
        let expected = "0 bytes; expected a size such as 100GiB";
        return Err(SpecError::key("run.spill_limit", expected));
    }
    let folder = spec.run.spill_dir.clone();
    Ok(SpillDisk::new(
        folder.unwrap_or_else(std::env::temp_dir),
        limit,
    ))
}
