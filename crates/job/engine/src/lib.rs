//! The job: from an archive of pages to tables of text.
//!
//! A [`JobSpec`] is the content of a job file, and a [`Job`] is a spec that was checked.
//! [`backfill`] runs a job over a range of dates. It counts the archive's rows (the census)
//! and cuts the range into chunks. It plans the steps of each chunk as one DataFusion plan,
//! checks that every row is accounted for, and commits the tables. [`backfill_archive`] finds the
//! range itself: all dates of the archive, or those that the tables do not have yet.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use engine::{CancellationToken, Job, JobSpec, Accepted, Unwatched, backfill};
//!
//! let overrides = ["run.threads=2".to_owned()];
//! let job = Job::new(&JobSpec::read("jobs/backfill.toml".as_ref(), &overrides)?)?;
//! let dates = "2011-10-24..2011-12-19".parse()?;
//! let unwatched = std::sync::Arc::new(Unwatched);
//! let stop = CancellationToken::new();
//! let report = backfill(&job, dates, Accepted::default(), unwatched, &stop).await?;
//! assert_eq!(report.dates, dates);
//! # Ok(())
//! # }
//! ```
//!
//! Keys, text blocks and labels are computed by the pure crates `url-key`, `html-blocks`,
//! `url-tree` and `template`. The crate `tables` knows the locations of tables and commits
//! them. This crate moves rows between them. DataFusion is the query engine, and the
//! crate prints nothing.
//!
//! The crate answers no question about the tables. The crate `query` does, and uses these functions: [`TableDates`] and
//! [`register_table`] read the tables, [`plan_runtime`] and [`plan_session`] make sessions, [`read_pages`] parses pages
//! of the archive, and [`windows_query`] and [`latest_parameters`] are the SQL of two tables.

mod accounting;
mod acquire;
mod archive;
mod driver;
mod error;
mod error_record;
mod job;
mod job_document;
mod language_model;
mod marked_paths;
mod metrics;
mod passed_through;
mod peak_memory;
mod plan;
mod progress;
mod remote;
mod running_plans;
mod session_extension;
mod settings;
mod settings_digest;
mod spec;
mod spill_disk;
mod step_counters;
mod steps;
mod tables_state;
mod watchdog;

pub use accounting::{RowAccounting, RowCounts};
pub use archive::{ArchiveSource, DateInput, single_object};
pub use driver::backfill::{Accepted, RunReport, backfill, explain};
pub use driver::failure::Failure;
pub use driver::share::{Share, ShareReport, backfill_share};
pub use driver::update::{ArchiveDates, backfill_archive};
pub use driver::vacuum::{VacuumMode, vacuum};
pub use error::EngineError;
pub use error_record::ErrorRecord;
pub use job::{Job, Resources, RobotsRules};
pub use metrics::{OperatorMetrics, PlanMetrics};
pub use plan::archive_pages::{ArchivePage, PagePosition, read_pages};
pub use plan::codec::StepCodec;
pub use plan::prior::learned::{latest_parameters, slot as parameter_slot};
pub use plan::prior::state::windows_query;
pub use plan::session::{runtime as plan_runtime, session as plan_session, spill_reservation};
pub use progress::{Progress, RowsAndBytes, Stage, Unwatched};
pub use remote::{
    WorkerResources, WorkerRuntime, lists_row_groups, split_row_groups, worker_session,
};
pub use session_extension::SessionExtension;
pub use settings::Settings;
pub use settings_digest::without_marks;
pub use spec::{
    ArchiveLayout, ArchiveSpec, Batching, ColumnNames, DedupSpec, DomainSpec, GroupingSpec,
    JobSpec, JoiningSpec, LimitsSpec, MarkdownPart, Method, Names, OutputSpec, PaperSpec, Queries,
    RobotsSpec, RunSpec, SchemeSpec, SpecError, SplitSpec, StoreSpec, TitleSource, TreeSpec,
    UrlKeySpec, WindowSpec, Written,
};
pub use spill_disk::SpillError;
pub use step_counters::{StepCount, StepCounters};
pub use tables::{Classified, ErrorClass};
pub use tables_state::runs_table::{Counts, RunDate};
pub use tables_state::table_dates::TableDates;
pub use tables_state::table_files::register_table;
pub use tokio_util::sync::CancellationToken;

/// Compiles the example of the README as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
