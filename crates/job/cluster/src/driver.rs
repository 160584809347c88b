//! The side of the driver: plans stages for workers.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::common::exec_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion_distributed::grpc::DefaultChannelResolver;
use datafusion_distributed::{
    ChannelResolver, DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt,
    DistributedLeafExec, GetWorkerInfoRequest, ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
    SessionStateBuilderExt, WorkerResolver, get_distributed_worker_resolver,
};
use engine::{Job, SessionExtension, StepCodec, lists_row_groups, split_row_groups};
use url::Url;

use crate::error::ClusterError;
use crate::job_header::JobHeader;

/// Time in which a worker must answer when a plan has failed.
const ANSWER: Duration = Duration::from_secs(5);

/// Workers that answer, and the job that they run parts of.
#[derive(Debug, Clone)]
pub struct Cluster {
    /// Without those that stopped answering during the run.
    workers: Arc<Mutex<Vec<Url>>>,
    header: JobHeader,
}

impl Cluster {
    /// Asks each worker, `HOST:PORT`, for its version.
    ///
    /// # Errors
    /// Where an address is not valid, a worker does not answer or has another version, or there are
    /// fewer than two.
    pub async fn connect(job: &Job, workers: &[String]) -> Result<Self, ClusterError> {
        let document = job.to_document();
        let document = document.map_err(|error| ClusterError::Document(error.to_string()))?;
        let urls = workers.iter().map(|address| worker_url(address));
        let urls = urls.collect::<Result<Vec<Url>, _>>()?;
        if urls.len() < 2 {
            return Err(ClusterError::TooFew { given: urls.len() });
        }
        let channels = DefaultChannelResolver::default();
        for (url, address) in urls.iter().zip(workers) {
            check_version(&channels, url, address).await?;
        }
        Ok(Self {
            workers: Arc::new(Mutex::new(urls)),
            header: JobHeader::new(&document),
        })
    }

    /// Returns the workers that have not stopped answering.
    pub fn workers(&self) -> Vec<Url> {
        let workers = self.workers.lock();
        workers.unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn forget(&self, gone: &[Url]) {
        let mut workers = self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        workers.retain(|worker| !gone.contains(worker));
    }
}

fn worker_url(address: &str) -> Result<Url, ClusterError> {
    let invalid = || ClusterError::Address {
        address: address.to_owned(),
    };
    let url = Url::parse(&format!("http://{address}")).map_err(|_| invalid())?;
    let is_address = url.host().is_some() && url.port().is_some() && url.path() == "/";
    if is_address { Ok(url) } else { Err(invalid()) }
}

async fn version(channels: &DefaultChannelResolver, url: &Url) -> Result<String> {
    let mut worker = channels.get_worker_client_for_url(url).await?;
    let info = worker.get_worker_info(GetWorkerInfoRequest {}).await?;
    Ok(info.version)
}

async fn check_version(
    channels: &DefaultChannelResolver,
    url: &Url,
    address: &str,
) -> Result<(), ClusterError> {
    let version = version(channels, url).await;
    let found = version.map_err(|source| ClusterError::Unreachable {
        address: address.to_owned(),
        source,
    })?;
    if found == crate::VERSION {
        return Ok(());
    }
    Err(ClusterError::Version {
        address: address.to_owned(),
        found,
        expected: crate::VERSION,
    })
}

impl WorkerResolver for Cluster {
    fn get_urls(&self) -> Result<Vec<Url>, DataFusionError> {
        let workers = self.workers();
        if workers.is_empty() {
            return exec_err!("no worker answers any more");
        }
        Ok(workers)
    }
}

#[async_trait]
impl SessionExtension for Cluster {
    fn extend(&self, session: SessionStateBuilder) -> Result<SessionStateBuilder> {
        Ok(session
            .with_distributed_option_extension(self.header.clone())
            .with_distributed_user_codec(StepCodec)
            .with_distributed_worker_resolver(self.clone())
            .with_distributed_desired_task_count_handler(row_group_tasks)
            .with_distributed_scale_up_leaf_node_handler(divide_row_groups)
            // A child of a union that runs in one task alone would parse pages on one worker only.
            .with_distributed_children_isolator_unions(false)?
            .with_distributed_planner())
    }

    /// Forgets the workers that do not answer any more.
    async fn recover(&self) -> bool {
        // The connections of the failed plan may be broken.
        let channels = DefaultChannelResolver::default();
        let mut gone = Vec::new();
        let workers = self.workers();
        for worker in &workers {
            let answer = tokio::time::timeout(ANSWER, version(&channels, worker)).await;
            if !matches!(answer, Ok(Ok(_))) {
                tracing::warn!(%worker, "the worker does not answer any more");
                gone.push(worker.clone());
            }
        }
        self.forget(&gone);
        !gone.is_empty() && gone.len() < workers.len()
    }
}

/// Wants every worker for the row groups of a chunk. All stages above have as many tasks.
fn row_group_tasks(
    event: DesiredTaskCountEvent<'_>,
) -> Option<Result<DesiredTaskCountEventResponse>> {
    if !lists_row_groups(event.plan) {
        return None;
    }
    let workers = get_distributed_worker_resolver(event.session_config);
    let workers = workers.and_then(|workers| workers.get_urls());
    Some(workers.map(|workers| DesiredTaskCountEventResponse::desired(workers.len())))
}

fn divide_row_groups(
    event: ScaleUpLeafNodeEvent<'_>,
) -> Option<Result<ScaleUpLeafNodeEventResponse>> {
    let divided = split_row_groups(event.plan, event.task_count).transpose()?;
    let leaf =
        divided.and_then(|tasks| DistributedLeafExec::try_new(Arc::clone(event.plan), tasks));
    Some(leaf.map(|leaf| ScaleUpLeafNodeEventResponse::new(Arc::new(leaf))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_of_a_worker_is_a_host_and_a_port() {
        for address in ["127.0.0.1:7070", "worker-1.example:7070", "[::1]:7070"] {
            assert!(worker_url(address).is_ok(), "{address}");
        }
        for address in [
            "",
            "worker",
            "worker:x",
            "http://worker:7070",
            "worker:7070/x",
        ] {
            let error = worker_url(address).unwrap_err();
            assert!(error.to_string().contains("HOST:PORT"), "{address}");
        }
    }
}
