//! The DataFusion session of a plan: its memory, its batch size, its rules.

use std::sync::Arc;

use datafusion::common::config::SpillCompression;
use datafusion::error::Result;
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::memory_pool::TrackConsumersPool;
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::job::Job;
use crate::plan::exec::coalesce::{BatchSize, GatherBeforeSort};
use crate::plan::exec::memory_pool::RunMemory;
use crate::plan::exec::step::StepPlanner;

/// Rows per batch. A row with all blocks of a page, those of the template too,
/// has some 20 KB, so a batch has some 5 MB where it is widest; a sort cannot
/// hold less than a few of them.
const BATCH_ROWS: usize = 256;

/// What a sort keeps back to merge what it spilled, at most.
const SPILL_RESERVATION: usize = 10 << 20;

/// A session with the memory and threads of `job`.
pub(crate) fn session(job: &Job) -> Result<SessionContext> {
    let memory = job.resources.plan_memory();
    let pool = RunMemory::new(memory);
    let consumers = std::num::NonZeroUsize::MIN.saturating_add(4);
    let runtime = RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, consumers)))
        .build_arc()?;
    let mut config = SessionConfig::new()
        .with_target_partitions(job.resources.threads)
        .with_batch_size(BATCH_ROWS)
        .with_sort_spill_reservation_bytes(
            SPILL_RESERVATION.min(memory / (16 * job.resources.threads)),
        );
    // Batches of views share the text of the batches they were cut from, and a sort
    // counts all of that for each of them.
    (config.options_mut().execution.parquet).schema_force_view_types = false;
    // What a join builds of is on its left. Statistics would put earlier rows there, whole,
    // where few of them are expected: 10^7 pages were refused at 1 GiB for that.
    config.options_mut().optimizer.join_reordering = false;
    // Half as many bytes go to disk, which is what a large sort waits for.
    config.options_mut().execution.spill_compression = SpillCompression::Lz4Frame;
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime)
        .with_default_features()
        .with_query_planner(Arc::new(StepPlanner))
        .with_physical_optimizer_rule(Arc::new(GatherBeforeSort(gathered_size(job))))
        .build();
    Ok(SessionContext::new_with_state(state))
}

/// How large batches are that are sorted or written. While they are put together nobody
/// counts them, so all of them are a small part of the memory.
pub(crate) fn gathered_size(job: &Job) -> BatchSize {
    let share = job.resources.memory / (64 * job.resources.threads);
    BatchSize {
        bytes: share.clamp(128 << 10, 4 << 20),
        rows: 4096,
    }
}
