//! Questions about the tables of a job: SQL, the dates that were run, exports, the labels of a page, URL rules and near
//! duplicates.
//!
//! A [`Job`](engine::Job) of the crate `engine` writes the tables. [`query`](query()) and [`stream_query`] run SQL over
//! them and over the archive, and [`TablesSession`] keeps one version of each table for several queries. [`status()`]
//! lists the dates to run again. [`ExportRows`] has documents in a fixed order. [`Explainer`] labels a page as the run
//! has labelled it, block by block, and checks the result against the tables. [`check_rules`] and [`learn_rules`] compare
//! and propose rules of URLs, and [`near_duplicates`](near_duplicates()) clusters documents.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use engine::{Job, JobSpec};
//!
//! let job = Job::new(&JobSpec::new("s3://pages/crawl", "s3://text/tables"))?;
//! let status = query::status(&job, false).await?;
//! println!("{} dates are complete", status.done);
//! for batch in query::query(&job, "SELECT url, text FROM documents LIMIT 3").await? {
//!     println!("{} rows", batch.num_rows());
//! }
//! # Ok(())
//! # }
//! ```
//!
//! `examples/embed_the_job.rs` runs a job and queries its tables.
//!
//! This crate writes no table and takes no lease, so it may read while a run writes: each query sees the last
//! commits. Sorts, joins and aggregations have the memory of a run's plan, and spill above it. The crate parses no page
//! but those that it explains, and it prints nothing.

mod conditions;
mod explain;
mod export;
mod inputs;
mod learned_parameters;
mod near_duplicates;
mod query_rows;
mod robots_allowed;
mod rows;
mod rules_check;
mod rules_learn;
mod session;
mod sql;
mod status;
mod warc_file;

pub use explain::{
    BlocksAndWords, ChangedBlock, ExplainedBlock, ExplainedPage, Explainer, Fetch, MarksEffect,
    SitePages,
};
pub use export::{DocumentColumns, DocumentSelection, ExportRows, ReadVersion};
pub use learned_parameters::{LearnedParameters, MANY_ROWS, NotedParameter};
pub use near_duplicates::near_duplicates;
pub use query_rows::QueryRows;
pub use rules_check::{ChangedKey, ChangedKeys, RulesCheck, check_rules};
pub use rules_learn::learn_rules;
pub use sql::{TablesSession, query, stream_query};
pub use status::{Status, status};
pub use template::Reason;

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
