//! The side of the driver: plans stages for workers.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use datafusion::common::exec_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::SessionStateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion_distributed::{
    ChannelResolver, DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt,
    DistributedLeafExec, DistributedMetricsFormat, GetWorkerInfoRequest, ScaleUpLeafNodeEvent,
    ScaleUpLeafNodeEventResponse, SessionStateBuilderExt, WorkerResolver,
    get_distributed_worker_resolver, rewrite_distributed_plan_with_metrics,
};
use engine::{Job, SessionExtension, StepCodec, lists_row_groups, split_row_groups};
use futures::future::join_all;
use url::Url;

use crate::channels::Channels;
use crate::error::ClusterError;
use crate::job_header::JobHeader;
use crate::jobs::job_id;
use crate::members::{Members, Scheme};
use crate::parsed_pages::ask;
use crate::tls::Tls;

/// Time in which a worker must answer before a chunk, and when a plan has failed.
const ANSWER: Duration = Duration::from_secs(5);

/// Workers that answer, and the job that they run parts of.
#[derive(Debug, Clone)]
pub struct Cluster {
    members: Arc<[Members]>,
    scheme: Scheme,
    channels: Channels,
    /// Workers with an answer to the last question.
    workers: Arc<Mutex<BTreeSet<Url>>>,
    header: JobHeader,
    /// The name of the job in questions about its progress.
    job_id: String,
    /// Pages that each worker had parsed when it answered last.
    parsed: Arc<Mutex<BTreeMap<Url, u64>>>,
}

impl Cluster {
    /// Asks each worker for its version. `workers` are addresses (`HOST:PORT`), names with several
    /// addresses (`dns:HOST:PORT`), or files with a line for each address (`file:PATH`).
    ///
    /// A worker that is silent for `run.stall_timeout` of the job counts as gone.
    ///
    /// # Errors
    /// Where an address is not valid, a worker does not answer or has another version, or there are
    /// fewer than two.
    pub async fn connect(
        job: &Job,
        workers: &[String],
        tls: Option<Tls>,
    ) -> Result<Self, ClusterError> {
        let document = job.to_document();
        let document = document.map_err(|error| ClusterError::Document(error.to_string()))?;
        let cluster = Self {
            members: workers.iter().map(|text| Members::parse(text)).collect(),
            scheme: if tls.is_some() {
                Scheme::Tls
            } else {
                Scheme::Plain
            },
            channels: Channels::new(tls, job.resources.stall_timeout),
            workers: Arc::default(),
            header: JobHeader::new(&document),
            job_id: job_id(&document),
            parsed: Arc::default(),
        };
        let urls = cluster.urls().await?;
        if urls.len() < 2 {
            return Err(ClusterError::TooFew { given: urls.len() });
        }
        for url in &urls {
            cluster.check(url).await?;
        }
        cluster.replace(urls);
        Ok(cluster)
    }

    /// Returns the workers that answered when they were asked last.
    pub fn workers(&self) -> Vec<Url> {
        let workers = self.workers.lock();
        let workers = workers.unwrap_or_else(PoisonError::into_inner);
        workers.iter().cloned().collect()
    }

    fn replace(&self, urls: BTreeSet<Url>) {
        *self.workers.lock().unwrap_or_else(PoisonError::into_inner) = urls;
    }

    async fn urls(&self) -> Result<BTreeSet<Url>, ClusterError> {
        let mut urls = BTreeSet::new();
        for members in self.members.iter() {
            urls.append(&mut members.urls(self.scheme).await?);
        }
        Ok(urls)
    }

    /// Asks a worker for its version.
    async fn check(&self, url: &Url) -> Result<(), ClusterError> {
        let address = url.authority();
        let unreachable = |source| ClusterError::Unreachable {
            address: address.to_owned(),
            source,
        };
        let version = async {
            let mut worker = self.channels.get_worker_client_for_url(url).await?;
            let info = worker.get_worker_info(GetWorkerInfoRequest {}).await?;
            Ok(info.version)
        };
        let found = tokio::time::timeout(ANSWER, version).await;
        let found = found
            .unwrap_or_else(|_| exec_err!("no answer in {} s", ANSWER.as_secs()))
            .map_err(unreachable)?;
        if found == crate::VERSION {
            return Ok(());
        }
        Err(ClusterError::Version {
            address: address.to_owned(),
            found,
            expected: crate::VERSION,
        })
    }

    /// Asks all workers that the user named, and keeps those that answer.
    async fn ask_all(&self) {
        let before = self.workers();
        let named = self.urls().await.unwrap_or_else(|error| {
            tracing::warn!(%error, "the workers of before stay");
            before.iter().cloned().collect()
        });
        let asked = named.into_iter().map(|url| async move {
            let answer = self.check(&url).await;
            (url, answer)
        });
        let mut there = BTreeSet::new();
        for (url, answer) in join_all(asked).await {
            match answer {
                Ok(()) => {
                    if !before.contains(&url) {
                        tracing::info!(worker = url.authority(), "the worker joins");
                    }
                    there.insert(url);
                }
                Err(error) if before.contains(&url) => {
                    tracing::warn!(worker = url.authority(), %error, "the worker does not answer any more");
                }
                Err(error) => tracing::debug!(worker = url.authority(), %error, "no worker there"),
            }
        }
        self.replace(there);
    }
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
            .with_distributed_channel_resolver(self.channels.clone())
            .with_distributed_desired_task_count_handler(row_group_tasks)
            .with_distributed_scale_up_leaf_node_handler(divide_row_groups)
            // A child of a union that runs in one task alone would parse pages on one worker only.
            .with_distributed_children_isolator_unions(false)?
            .with_distributed_planner())
    }

    /// Finds workers that were started, and forgets those that do not answer any more.
    async fn prepare(&self) {
        self.ask_all().await;
    }

    fn processes(&self) -> usize {
        self.workers().len()
    }

    /// The last answer of a worker counts where it does not answer in time.
    async fn parsed_rows(&self) -> u64 {
        let workers = self.workers();
        let asked = workers.iter().map(|worker| async {
            let answer = async { ask(self.channels.channel(worker)?, &self.job_id).await };
            let answer = tokio::time::timeout(ANSWER, answer).await;
            Some((worker.clone(), answer.ok()?.ok()?))
        });
        let answers = join_all(asked).await;
        let mut parsed = self.parsed.lock().unwrap_or_else(PoisonError::into_inner);
        parsed.extend(answers.into_iter().flatten());
        parsed.values().sum()
    }

    async fn with_metrics(&self, plan: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
        let format = DistributedMetricsFormat::Aggregated;
        let measured = rewrite_distributed_plan_with_metrics(Arc::clone(&plan), format);
        let measured = tokio::time::timeout(ANSWER, measured).await;
        let measured = measured
            .unwrap_or_else(|_| exec_err!("no answer in {} s", ANSWER.as_secs()))
            .map_err(|error| tracing::warn!(%error, "the costs of workers are not known"));
        measured.unwrap_or(plan)
    }

    async fn recover(&self) -> bool {
        let before = self.workers();
        self.ask_all().await;
        let now = self.workers();
        !now.is_empty() && before.iter().any(|worker| !now.contains(worker))
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
