//! The DataFusion session of a plan: memory, batch size, optimizer rules.

use std::ops::RangeInclusive;
use std::sync::Arc;

use datafusion::common::config::{ConfigOptions, SpillCompression};
use datafusion::error::Result;
use datafusion::execution::cache::cache_manager::CacheManagerConfig;
use datafusion::execution::disk_manager::DiskManagerBuilder;
use datafusion::execution::memory_pool::TrackConsumersPool;
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::execution::{FunctionRegistry, SessionState, SessionStateBuilder};
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};

use crate::job::Job;
use crate::plan::exec::coalesce::{BatchSize, CoalesceBeforeSort};
use crate::plan::exec::memory_pool::RunMemoryPool;
use crate::plan::exec::step::StepPlanner;
use crate::plan::prior::key_hash::key_hash;
use crate::running_plans::RunningPlans;
use crate::spill_disk::SpillFiles;
use crate::tables_state::table_files::register_store;

/// Rows per batch.
///
/// The widest rows, with all blocks of a page, have some 20 KB, so a batch has some 5 MB there.
/// A higher value raises the least memory of a sort, which holds at least a few batches. A lower
/// value costs more calls per row.
const BATCH_ROWS: usize = 256;

/// Most bytes that a sort reserves for merging its spilled runs.
const SPILL_RESERVATION: usize = 10 << 20;

/// Memory of a thread per run that a merge reads at once. A run takes up to four batches there,
/// of some 2 MB where rows are widest. A higher value merges large sorts in more passes over the
/// disk; at 1 GiB and two threads a merge reads 16 runs, and a chunk of the default size has 6.
const MERGED_RUN_BYTES: usize = 16 << 20;

/// Runs that a merge reads at once: with less, a sort passes its rows over the disk more often,
/// with more, memory below 128 MB per thread no longer limits a merge.
const MERGED_RUNS: RangeInclusive<usize> = 4..=64;

/// Returns the runs that a merge reads at once. The memory pool never refuses a merge.
fn merged_runs(memory: usize, threads: usize) -> usize {
    let runs = memory / threads / MERGED_RUN_BYTES;
    runs.clamp(*MERGED_RUNS.start(), *MERGED_RUNS.end())
}

/// Creates the memory pool, the disk and the cache of footers of plans of `job`.
///
/// # Errors
/// If the disk cannot be used.
pub fn runtime(job: &Job) -> Result<Arc<RuntimeEnv>> {
    let memory = job.resources.plan_memory();
    let pool = RunMemoryPool::new(memory);
    let consumers = std::num::NonZeroUsize::MIN.saturating_add(4);
    RuntimeEnvBuilder::new()
        .with_memory_pool(Arc::new(TrackConsumersPool::new(pool, consumers)))
        .with_disk_manager_builder(
            DiskManagerBuilder::default()
                .with_temp_file_factory(Arc::new(SpillFiles(Arc::clone(&job.spill_disk))))
                .with_max_spill_merge_fan_in(merged_runs(memory, job.resources.threads)),
        )
        .with_cache_manager(
            CacheManagerConfig::default()
                .with_file_metadata_cache(Some(Arc::clone(&job.table_footers)))
                .with_metadata_cache_limit(job.resources.footers()),
        )
        .build_arc()
}

/// Returns the bytes that a sort of `job` reserves for merging its spilled runs.
pub fn spill_reservation(job: &Job) -> usize {
    SPILL_RESERVATION.min(job.resources.plan_memory() / (16 * job.resources.threads))
}

/// Returns the configuration of sessions that plan or run a part of `job`, in this process or in
/// another.
pub(crate) fn configure_session(config: SessionConfig, job: &Job) -> SessionConfig {
    let mut config = config
        .with_target_partitions(job.resources.threads)
        .with_batch_size(BATCH_ROWS)
        .with_sort_spill_reservation_bytes(spill_reservation(job))
        .with_extension(Arc::new(job.clone()));
    // Slices of a view array share its buffers, and a sort counts all of them for each slice.
    (config.options_mut().execution.parquet).schema_force_view_types = false;
    // A hash join builds on its left side, and queries put the keys of the chunk there. With
    // reordering, statistics can move the prior rows to the build side, all of them: a run of
    // 10^7 pages at 1 GiB ran out of memory for that reason.
    config.options_mut().optimizer.join_reordering = false;
    // Halves the bytes that go to disk. A large sort waits for the disk.
    config.options_mut().execution.spill_compression = SpillCompression::Lz4Frame;
    config
}

/// Registers the stores of the tables of `job`, and the SQL functions of its plans.
pub(crate) fn register_job(state: &mut SessionState, job: &Job) -> Result<()> {
    register_store(state.runtime_env(), job.output.location())?;
    state.register_udf(Arc::new(key_hash()))?;
    Ok(())
}

/// Creates a session as the plans of runs have it, with the memory, the disk and the threads of `job`.
///
/// # Errors
/// If the disk cannot be used, or if the extension of the job has no session for plans.
pub fn session(job: &Job) -> Result<SessionContext> {
    let mut builder = SessionStateBuilder::new()
        .with_config(configure_session(SessionConfig::new(), job))
        .with_runtime_env(runtime(job)?)
        .with_default_features()
        .with_query_planner(Arc::new(StepPlanner))
        .with_physical_optimizer_rule(Arc::new(CoalesceBeforeSort(coalesced_size(job))))
        .with_physical_optimizer_rule(Arc::new(WatchPlan(Arc::clone(&job.running_plans))));
    if let Some(extension) = &job.session_extension {
        builder = extension.extend(builder)?;
    }
    let mut state = builder.build();
    register_job(&mut state, job)?;
    Ok(SessionContext::new_with_state(state))
}

/// Adds each finished plan to those that the watchdog looks at.
#[derive(Debug)]
struct WatchPlan(Arc<RunningPlans>);

impl PhysicalOptimizerRule for WatchPlan {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        self.0.add(&plan);
        Ok(plan)
    }

    fn name(&self) -> &str {
        "watch_plan"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Returns the size of batches that are sorted or written.
///
/// The memory pool does not count batches while they are coalesced, so together they are a
/// small part of the memory: 1/64 over all threads.
pub(crate) fn coalesced_size(job: &Job) -> BatchSize {
    let share = job.resources.memory / (64 * job.resources.threads);
    BatchSize {
        bytes: share.clamp(128 << 10, 4 << 20),
        rows: 4096,
    }
}

#[cfg(test)]
#[path = "shuffle_hang.rs"]
mod shuffle_hang;
