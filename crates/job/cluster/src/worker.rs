//! The side of a worker: runs stages of plans.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionState;
use datafusion_distributed::{DistributedExt, Worker, WorkerQueryContext};
use engine::{Job, StepCodec, WorkerResources, worker_session};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::transport::Server;

use crate::channels::Channels;
use crate::error::ClusterError;
use crate::job_header::JobHeader;
use crate::tls::Tls;
use crate::worker_metrics::WorkerMetrics;

/// Jobs whose compiled rules are kept. A higher value keeps the rules of more jobs in memory that run
/// at the same time.
const KEPT_JOBS: usize = 4;

/// Most bytes of the headers of a request. They have the rules of the job.
const MAX_HEADER_BYTES: u32 = 64 << 20;

/// The clients of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Processes of the same machine.
    Loopback,
    /// Everybody who can open a connection: certificates are asked for, or the network is closed by
    /// other means.
    Everybody,
}

/// Listens on `address`, `HOST:PORT`. Port 0 is any free port.
///
/// # Errors
/// Where the address is in use, or can be reached from other machines without [`Access::Everybody`].
pub async fn listen(address: &str, access: Access) -> Result<TcpListener, ClusterError> {
    let failed = |source| ClusterError::Listen {
        address: address.to_owned(),
        source,
    };
    let addresses = tokio::net::lookup_host(address).await.map_err(failed)?;
    let addresses: Vec<SocketAddr> = addresses.collect();
    let open = addresses.iter().find(|address| !address.ip().is_loopback());
    if let (Some(open), Access::Loopback) = (open, access) {
        return Err(ClusterError::Open { address: *open });
    }
    TcpListener::bind(addresses.as_slice())
        .await
        .map_err(failed)
}

/// Runs stages until `stop` is cancelled, and then ends those that are running.
///
/// With `tls`, clients need a certificate of its authority, and connections to other workers are
/// encrypted too.
///
/// # Errors
/// Where the resources or certificates are not usable, or the server fails.
pub async fn serve(
    listener: TcpListener,
    resources: WorkerResources,
    tls: Option<Tls>,
    metrics: Arc<WorkerMetrics>,
    stop: CancellationToken,
) -> Result<(), ClusterError> {
    let runtime = resources.runtime().map_err(ClusterError::Resources)?;
    metrics.watch(runtime.clone());
    let mut server = Server::builder().http2_max_header_list_size(MAX_HEADER_BYTES);
    if let Some(tls) = &tls {
        server = server.tls_config(tls.server()).map_err(ClusterError::Tls)?;
    }
    let jobs = Arc::new(Jobs {
        resources,
        tls,
        metrics: Arc::clone(&metrics),
        kept: Mutex::default(),
    });
    let sessions = move |context: WorkerQueryContext| {
        let jobs = Arc::clone(&jobs);
        async move { jobs.session(context) }
    };
    let worker = Worker::from_session_builder(sessions)
        .with_runtime_env(Arc::clone(runtime.env()))
        .with_version(crate::VERSION);
    let server = server.add_service(worker.into_worker_server());
    let incoming = TcpListenerStream::new(listener);
    metrics.set_ready(true);
    tokio::select! {
        served = server.serve_with_incoming(incoming) => Ok(served?),
        // A stage that runs would keep a graceful end waiting; its driver runs the chunk again.
        () = stop.cancelled() => {
            metrics.set_ready(false);
            Ok(())
        }
    }
}

/// The jobs that were asked for last, with compiled rules.
struct Jobs {
    resources: WorkerResources,
    tls: Option<Tls>,
    metrics: Arc<WorkerMetrics>,
    kept: Mutex<VecDeque<Arc<KeptJob>>>,
}

struct KeptJob {
    document: String,
    job: Job,
    /// Connections to the other workers.
    channels: Channels,
}

impl Jobs {
    fn session(&self, context: WorkerQueryContext) -> Result<SessionState> {
        let mut session = context
            .builder
            .with_distributed_option_extension_from_headers::<JobHeader>(&context.headers)?
            .with_distributed_user_codec(StepCodec);
        let config = session.config().as_ref();
        let header = config.and_then(|config| config.options().extensions.get::<JobHeader>());
        let document = header
            .and_then(JobHeader::text)
            .ok_or_else(|| DataFusionError::Execution("a plan came without its job".to_owned()))?;
        let kept = self.job(document)?;
        let session = session.with_distributed_channel_resolver(kept.channels.clone());
        worker_session(session, &kept.job, self.metrics.steps())
    }

    fn job(&self, document: String) -> Result<Arc<KeptJob>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = kept.iter().find(|kept| kept.document == document) {
            return Ok(Arc::clone(found));
        }
        let job = self.resources.job(&document);
        let job = job.map_err(|error| DataFusionError::External(error.into()))?;
        let channels = Channels::new(self.tls.clone(), job.resources.stall_timeout);
        let job = Arc::new(KeptJob {
            document,
            job,
            channels,
        });
        kept.push_back(Arc::clone(&job));
        if kept.len() > KEPT_JOBS {
            kept.pop_front();
        }
        Ok(job)
    }
}
