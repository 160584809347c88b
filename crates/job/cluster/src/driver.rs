//! The side of the driver: plans stages for workers.

use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion_distributed::grpc::DefaultChannelResolver;
use datafusion_distributed::{
    ChannelResolver, DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt,
    DistributedLeafExec, GetWorkerInfoRequest, ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
    SessionStateBuilderExt, WorkerResolver, get_distributed_worker_resolver,
};
use engine::{Job, SessionExtension, StepCodec, lists_row_groups, split_row_groups};
use std::sync::Arc;
use url::Url;

use crate::error::ClusterError;
use crate::job_header::JobHeader;

/// Workers that answer, and the job that they run parts of.
#[derive(Debug, Clone)]
pub struct Cluster {
    workers: Arc<[Url]>,
    header: JobHeader,
}

impl Cluster {
    /// Asks each worker, `HOST:PORT`, for its version.
    ///
    /// # Errors
    /// Where an address is not valid, or a worker does not answer or has another version.
    pub async fn connect(job: &Job, workers: &[String]) -> Result<Self, ClusterError> {
        let document = job.to_document();
        let document = document.map_err(|error| ClusterError::Document(error.to_string()))?;
        let urls = workers.iter().map(|address| worker_url(address));
        let urls = urls.collect::<Result<Vec<Url>, _>>()?;
        let channels = DefaultChannelResolver::default();
        for (url, address) in urls.iter().zip(workers) {
            check_version(&channels, url, address).await?;
        }
        Ok(Self {
            workers: urls.into(),
            header: JobHeader::new(&document),
        })
    }

    /// The number of workers.
    pub fn workers(&self) -> usize {
        self.workers.len()
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

async fn check_version(
    channels: &DefaultChannelResolver,
    url: &Url,
    address: &str,
) -> Result<(), ClusterError> {
    let version = async {
        let mut worker = channels.get_worker_client_for_url(url).await?;
        let info = worker.get_worker_info(GetWorkerInfoRequest {}).await?;
        Ok::<_, DataFusionError>(info.version)
    };
    let found = version.await.map_err(|source| ClusterError::Unreachable {
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
        Ok(self.workers.to_vec())
    }
}

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
