//! Checks values of a job spec: its texts become typed values, and each is compared with its limits. Reads no file
//! and sends no request.

use std::num::NonZeroU32;
use std::time::Duration;

use bytesize::ByteSize;
use tables::{Location, Partitioning, RetryPolicy};

use crate::settings::Settings;
use crate::spec::{JobSpec, Method, OutputSpec, SpecError};

/// The rules of robots.txt files.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RobotsRules {
    /// A Parquet file with the columns `host` and `robots_txt`, or a folder of such files.
    pub location: Location,
    /// The crawler that asks.
    pub agent: String,
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
    /// Buckets of a chunk; `None` for as many as it needs.
    pub buckets: Option<NonZeroU32>,
    /// Most bytes that are spilled at once.
    pub spill_limit: u64,
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

    /// Returns the bytes of row groups that are read before their turn.
    pub(super) fn read_ahead(&self) -> usize {
        self.memory / READ_AHEAD_SHARE
    }
}

/// Returns the partitions of new tables; `None` if those are chosen then.
pub(super) fn partition(spec: &OutputSpec) -> Result<Option<Partitioning>, SpecError> {
    if spec.partition == "auto" {
        return Ok(None);
    }
    let partition = spec.partition.parse();
    partition
        .map(Some)
        .map_err(|error: String| SpecError::key("output.partition", format!("{error}, or auto")))
}

/// Refuses settings that no text describes with the method of the paper. `urltree-lab eval` compares heuristics
/// with the settings of any job, so [`Settings::new`] does not refuse them.
pub(super) fn refuse_beside_paper(spec: &JobSpec, settings: &Settings) -> Result<(), SpecError> {
    let key = match spec.method {
        Method::Template => return Ok(()),
        Method::Paper if !settings.site.marks.is_empty() => "tree.paths",
        Method::Paper if settings.site.relabel_days > 0 => "tree.relabel_days",
        Method::Paper if settings.site.revisions => "dedup.revisions",
        Method::Paper => return Ok(()),
    };
    let expected = "the method of the paper has no such thing; remove it, or method = \"paper\"";
    Err(SpecError::key(key, expected))
}

/// Refuses a `run.stall_timeout` in which a store may be answering one request all the time.
pub(super) fn refuse_short_stall(spec: &JobSpec, request: Duration) -> Result<(), SpecError> {
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

pub(super) fn retry_policy(spec: &JobSpec) -> Result<RetryPolicy, SpecError> {
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
    Ok(retry_policy)
}

pub(super) fn resources(spec: &JobSpec) -> Result<Resources, SpecError> {
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
    let spill_limit = spec.run.spill_limit.as_u64();
    if spill_limit == 0 {
        let expected = "0 bytes; expected a size such as 100GiB";
        return Err(SpecError::key("run.spill_limit", expected));
    }
    Ok(Resources {
        threads,
        memory,
        chunk_bytes: spec.run.chunk_bytes.as_u64(),
        buckets: spec.run.buckets,
        spill_limit,
        heartbeat: spec.run.heartbeat,
        stall_timeout: spec.run.stall_timeout,
    })
}
