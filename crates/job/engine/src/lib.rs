//! The job: from an archive of pages to tables of text.
//!
//! A [`JobSpec`] is what a user writes, a [`Job`] is a spec that was checked,
//! and [`backfill`] runs it over a range of dates: it counts the archive's rows
//! (the census), cuts the range into chunks, and for each chunk plans
//! the five steps as one DataFusion plan, checks that every row is accounted
//! for, and commits the tables. [`query`] runs SQL over what is there.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use engine::{Job, JobSpec, SettingsChange, Unwatched, backfill, query};
//!
//! let overrides = ["run.threads=2".to_owned()];
//! let job = Job::new(&JobSpec::read("jobs/backfill.toml".as_ref(), &overrides)?)?;
//! let dates = "2011-10-24..2011-12-19".parse().expect("two dates");
//! let unwatched = std::sync::Arc::new(Unwatched);
//! let report = backfill(&job, dates, SettingsChange::Refused, unwatched).await?;
//! assert_eq!(report.dates, dates);
//! query(&job, "SELECT url, text FROM documents LIMIT 3").await?;
//! # Ok(())
//! # }
//! ```
//!
//! What a page's key, its blocks and their labels are is not decided here but
//! in the pure crates `url-key`, `html-blocks` and `url-tree`; where tables lie
//! and how they change is in `tables`. This crate moves rows between them. It
//! has no engine of its own and prints nothing.

mod accounting;
mod archive;
mod driver;
mod error;
mod job;
mod key_cache;
mod lease;
mod metrics;
mod plan;
mod progress;
mod spec;
mod state;
mod steps;

pub use accounting::{Account, Tally};
pub use archive::ArchiveSource;
pub use driver::backfill::{RunReport, SettingsChange, backfill, explain};
pub use driver::failure::Failure;
pub use driver::update::update;
pub use driver::vacuum::{VacuumMode, vacuum};
pub use error::{EngineError, ErrorClass};
pub use job::{Job, Resources, Settings};
pub use key_cache::Horizon;
pub use metrics::{OperatorMetrics, PlanMetrics};
pub use progress::{Progress, Stage, Unwatched, Work};
pub use spec::{
    ArchiveLayout, ArchiveSpec, Batch, BlocksSpec, ColumnNames, DedupSpec, DomainSpec,
    GroupingSpec, JobSpec, JoiningSpec, LimitsSpec, OutputSpec, RunSpec, SchemeSpec, SpecError,
    SplitSpec, TitleSource, TreeSpec, UrlKeySpec, WindowSpec,
};
pub use state::runs_table::Counts;
pub use state::sql::query;
pub use state::status::{Status, status, status_with_archive};
