//! Runs the plans of a job on worker processes, with
//! [datafusion-distributed](https://docs.rs/datafusion-distributed). No other crate knows this engine.
//!
//! The driver plans as it does alone. Stages of a plan run on workers, which read pages from the store
//! of the archive and write data files to the store of the tables themselves: only rows between steps,
//! names of files and counts cross the network, and never HTML. The driver commits.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use std::sync::Arc;
//!
//! use cluster::Cluster;
//! use engine::{CancellationToken, Job, JobSpec, Accepted, Unwatched, backfill};
//!
//! let job = Job::new(&JobSpec::new("s3://pages/crawl", "s3://text/tables"))?;
//! let workers = ["10.0.0.1:7070".to_owned(), "10.0.0.2:7070".to_owned()];
//! let cluster = Cluster::connect(&job, &workers, None).await?;
//! let job = job.with_session_extension(Arc::new(cluster));
//! let stop = CancellationToken::new();
//! let dates = "2011-10-24..2011-12-19".parse()?;
//! backfill(&job, dates, Accepted::default(), Arc::new(Unwatched), &stop).await?;
//! # Ok(())
//! # }
//! ```
//!
//! If a worker stops answering, the chunk runs again on the others: nothing of it is visible before the
//! driver commits. This crate does not start workers.

mod channels;
mod driver;
mod error;
mod job_header;
mod jobs;
mod members;
mod parsed_pages;
mod tls;
mod worker;
mod worker_metrics;

pub use driver::Cluster;
pub use error::ClusterError;
pub use tls::{Tls, TlsFiles};
pub use worker::{Access, listen, serve};
pub use worker_metrics::{WorkerMetrics, serve_metrics};

/// The version of a worker. A driver refuses workers of another one, because the parameters of steps
/// have no version.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
