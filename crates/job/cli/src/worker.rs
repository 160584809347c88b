//! `urltree worker`, and the workers of a run.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Result;
use bytesize::ByteSize;
use cluster::{Access, Cluster, Tls, TlsFiles, WorkerMetrics, listen, serve, serve_metrics};
use engine::{Job, WorkerResources};
use tokio::runtime::{Builder, Runtime};

use crate::print::print;
use crate::runtime::{STACK_BYTES, stop_at_a_signal};

#[derive(Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    /// Address at which drivers and other workers reach this one. Port 0 is any free port.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7070")]
    pub(crate) listen: String,
    /// Listen on an address that other machines can reach, without certificates. Every client
    /// reads and writes with the credentials of the worker, and nothing is encrypted.
    #[arg(long, conflicts_with = "tls_certificate")]
    pub(crate) insecure: bool,
    #[command(flatten)]
    pub(crate) tls: TlsArgs,
    /// Address of /healthz, /readyz and /metrics (Prometheus), over plain HTTP.
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<String>,
    /// Memory of the process.
    #[arg(long, value_name = "SIZE", default_value = "1GiB")]
    pub(crate) memory: ByteSize,
    /// Threads, and partitions of a stage. The default is the number of cores.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) threads: Option<NonZeroUsize>,
    /// Folder to which rows that exceed the memory are spilled.
    #[arg(long, value_name = "FOLDER")]
    pub(crate) spill_dir: Option<PathBuf>,
    /// Most bytes that are spilled at once.
    #[arg(long, value_name = "SIZE", default_value = "100GiB")]
    pub(crate) spill_limit: ByteSize,
}

/// Certificates of the traffic between driver and workers. All are of one authority.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct TlsArgs {
    /// Certificate of this process (PEM): traffic between driver and workers is encrypted, and both
    /// need certificates of --tls-authority.
    #[arg(long, value_name = "FILE", requires_all = ["tls_key", "tls_authority"])]
    pub(crate) tls_certificate: Option<PathBuf>,
    /// Private key of the certificate (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_key: Option<PathBuf>,
    /// Certificate of the authority (PEM).
    #[arg(long, value_name = "FILE", requires = "tls_certificate")]
    pub(crate) tls_authority: Option<PathBuf>,
    /// Name in the certificates of workers, if it is not the host of their address.
    #[arg(long, value_name = "NAME", requires = "tls_certificate")]
    pub(crate) tls_worker_name: Option<String>,
}

/// Runs a worker until a signal.
pub(crate) fn worker(args: &WorkerArgs) -> Result<()> {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let resources = WorkerResources {
        threads: args.threads.map_or_else(cores, usize::from),
        memory: args.memory,
        spill_dir: args.spill_dir.clone(),
        spill_limit: args.spill_limit,
    };
    let tls = tls(&args.tls)?;
    let access = if args.insecure || tls.is_some() {
        Access::Everybody
    } else {
        Access::Loopback
    };
    let runtime = Builder::new_multi_thread()
        .worker_threads(resources.threads)
        .thread_stack_size(STACK_BYTES)
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let stop = stop_at_a_signal()?;
        let metrics = Arc::new(WorkerMetrics::default());
        if let Some(address) = &args.metrics {
            // It has numbers only, and a probe has no certificate.
            let listener = listen(address, Access::Everybody).await?;
            print(&format!("metrics on {}", listener.local_addr()?))?;
            tokio::spawn(serve_metrics(listener, Arc::clone(&metrics), stop.clone()));
        }
        let listener = listen(&args.listen, access).await?;
        print(&format!("listening on {}", listener.local_addr()?))?;
        Ok(serve(listener, resources, tls, metrics, stop).await?)
    })
}

/// Reads the files of the options, if they are given.
fn tls(args: &TlsArgs) -> Result<Option<Tls>> {
    let (Some(certificate), Some(key), Some(authority)) =
        (&args.tls_certificate, &args.tls_key, &args.tls_authority)
    else {
        return Ok(None);
    };
    let files = TlsFiles {
        certificate: certificate.clone(),
        key: key.clone(),
        authority: authority.clone(),
        worker_name: args.tls_worker_name.clone(),
    };
    Ok(Some(Tls::read(&files)?))
}

/// Returns the job with `workers`, if there are any.
pub(crate) fn with_workers(
    job: Job,
    workers: &[String],
    tls_args: &TlsArgs,
    runtime: &Runtime,
) -> Result<Job> {
    if workers.is_empty() {
        return Ok(job);
    }
    let cluster = runtime.block_on(Cluster::connect(&job, workers, tls(tls_args)?))?;
    Ok(job.with_session_extension(Arc::new(cluster)))
}
