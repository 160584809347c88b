//! Queries in the process of the test, with the rows of `urltree sql --format json`.

use std::sync::LazyLock;

use arrow::json::LineDelimitedWriter;
use engine::Job;
use tokio::runtime::{Builder, Runtime};

/// Plans without optimisation need more stack than the thread of a test has.
const STACK_BYTES: usize = 16 << 20;

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(2).thread_stack_size(STACK_BYTES);
    builder.enable_all().build().expect("a runtime")
});

/// The rows of a query, which must succeed, as lines of JSON.
pub(crate) fn lines(job: Job, sql: &str) -> Vec<String> {
    let query = sql.to_owned();
    let batches = RUNTIME.spawn(async move { query::query(&job, &query).await });
    let batches = RUNTIME.block_on(batches).expect("no panic");
    let batches = batches.unwrap_or_else(|error| panic!("{sql}: {error}"));
    let mut printed = LineDelimitedWriter::new(Vec::new());
    let written = printed.write_batches(&batches.iter().collect::<Vec<_>>());
    written.and_then(|()| printed.finish()).expect("JSON");
    let printed = String::from_utf8(printed.into_inner()).expect("UTF-8");
    printed.lines().map(str::to_owned).collect()
}
