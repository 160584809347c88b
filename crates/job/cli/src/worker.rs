//! `urltree worker`, and the workers of a run.

use std::sync::Arc;

use anyhow::Result;
use cluster::{Access, Cluster, Tls, TlsFiles, WorkerMetrics, listen, serve, serve_metrics};
use engine::{CancellationToken, Job, WorkerResources};
use tokio::runtime::{Builder, Runtime};

use crate::args::{RunArgs, TlsArgs, WorkerArgs};
use crate::{print, stop_at_a_signal};

/// Stack of a thread that decodes plans, which is recursive. A plan with the state of earlier months
/// is 40 operators deep, and needs more than the default of 2 MiB in a build without optimisation.
pub(crate) const STACK_BYTES: usize = 16 << 20;

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
        let stop = CancellationToken::new();
        let metrics = Arc::new(WorkerMetrics::default());
        if let Some(address) = &args.metrics {
            // It has numbers only, and a probe has no certificate.
            let listener = listen(address, Access::Everybody).await?;
            print(&format!("metrics on {}", listener.local_addr()?))?;
            tokio::spawn(serve_metrics(listener, Arc::clone(&metrics), stop.clone()));
        }
        let listener = listen(&args.listen, access).await?;
        print(&format!("listening on {}", listener.local_addr()?))?;
        tokio::spawn(stop_at_a_signal(stop.clone()));
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

/// Returns the job with the workers of `args`, if there are any.
pub(crate) fn with_workers(job: Job, args: &RunArgs, runtime: &Runtime) -> Result<Job> {
    if args.workers.is_empty() {
        return Ok(job);
    }
    let cluster = runtime.block_on(Cluster::connect(&job, &args.workers, tls(&args.tls)?))?;
    Ok(job.with_session_extension(Arc::new(cluster)))
}
