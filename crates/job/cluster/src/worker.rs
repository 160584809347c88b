//! The side of a worker: runs stages of plans.

use std::net::SocketAddr;
use std::sync::Arc;

use datafusion_distributed::{Worker, WorkerQueryContext};
use engine::WorkerResources;
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tokio_util::sync::CancellationToken;
use tonic::service::Routes;
use tonic::transport::Server;

use crate::error::ClusterError;
use crate::jobs::Jobs;
use crate::parsed_pages::parsed_pages;
use crate::tls::Tls;
use crate::worker_metrics::WorkerMetrics;

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
    let jobs = Arc::new(Jobs::new(resources, tls, Arc::clone(metrics.steps())));
    let pages = parsed_pages(Arc::clone(&jobs));
    let sessions = move |context: WorkerQueryContext| {
        let jobs = Arc::clone(&jobs);
        async move { jobs.session(context) }
    };
    let worker = Worker::from_session_builder(sessions)
        .with_runtime_env(Arc::clone(runtime.env()))
        .with_version(crate::VERSION);
    let services = Routes::new(worker.into_worker_server()).into_axum_router();
    let server = server.add_routes(services.merge(pages).into());
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
