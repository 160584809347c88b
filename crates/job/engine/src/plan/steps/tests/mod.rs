//! Each step alone: rows in, rows out, without a plan around it.

mod block;
mod dedupe;
mod key;
mod later_copies;
mod scan;
mod site;
mod write;

use std::sync::Arc;

use arrow::array::RecordBatch;

use tables::Bucket;

use crate::plan::columns::schemas::ROW_GROUPS;
use crate::plan::steps::{block::Block, dedupe::Dedupe, key::Key, scan::Scan, site::Site};
use crate::plan::test_support::{TestJob, TestRow, batch, days, run, sorted_for};
use crate::progress::ProgressReporter;

/// The steps of `job` over all of October 2011.
struct Steps {
    scan: Scan,
    key: Key,
    dedupe: Dedupe,
    block: Block,
    site: Site,
}

fn steps(job: &TestJob) -> Steps {
    let job = job.job();
    Steps {
        scan: Scan::new(
            &job,
            "2011-10-01..2011-10-31".parse().unwrap(),
            Bucket::WHOLE,
        ),
        key: Key::new(&job, Arc::default()),
        dedupe: Dedupe::new(&job),
        block: Block::new(&job, ProgressReporter::unwatched()),
        site: Site::new(&job, days("2011-10-31") as i32, Arc::default()),
    }
}

/// The rows of these row groups after the first three steps.
async fn deduped(steps: &Steps, row_groups: &[TestRow]) -> RecordBatch {
    let scanned = run(&steps.scan, vec![batch(&ROW_GROUPS, row_groups)]).await;
    let keyed = run(&steps.key, vec![scanned.unwrap()]).await.unwrap();
    let keyed = sorted_for(&steps.dedupe, &keyed);
    run(&steps.dedupe, vec![keyed]).await.unwrap()
}

/// The rows of these row groups as the last step gets them.
async fn replayed(steps: &Steps, row_groups: &[TestRow]) -> RecordBatch {
    let deduped = sorted_for(&steps.block, &deduped(steps, row_groups).await);
    let blocked = run(&steps.block, vec![deduped]).await.unwrap();
    let blocked = sorted_for(&steps.site, &blocked);
    run(&steps.site, vec![blocked]).await.unwrap()
}
